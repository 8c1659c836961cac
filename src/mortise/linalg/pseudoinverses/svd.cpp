// By singular values: A = U Σ Vᵀ, A⁺ = Σ over σ_i above the threshold of v_i u_iᵀ / σ_i. The reference of all others:
// the only one that sees the singular values themselves. Jacobi rotations after a pivoted QR (Eigen).
//
// Rank: `largest`, kept and dropped are singular values. Error about 1e-15 times the condition.
//
// Source: specs/pseudoinverses.md §3 (pinv_svd), 001 eqs. (15)-(16). Cost: nominal 4 l²s + 8 l s² + 9 s³, l ≥ s the
// sides. From a shorter side of 48 on Eigen applies the reflections of its first step in blocks and takes memory for
// them at every call; below that nothing is taken while the shape stays.
#include <Eigen/SVD>

#include "mortise/linalg/pseudoinverses/kinds.h"

namespace mortise::linalg {
namespace {

class Svd final : public Pseudoinverse {
 public:
  void invert(const Matrix& A, const RankPolicy& policy, double violation, Matrix& P) override {
    const Eigen::Index m = A.rows(), n = A.cols();
    if (!begin(A, P)) return;
    svd_.compute(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
    flops_.svd(static_cast<double>(m), static_cast<double>(n));
    const auto& sigma = svd_.singularValues();
    const double cut = policy.cut(sigma[0], violation);
    Eigen::Index r = 0;
    while (r < sigma.size() && sigma[r] > cut) ++r;
    found(static_cast<int>(r), sigma[0], cut, r > 0 ? sigma[r - 1] : 0, r < sigma.size() ? sigma[r] : 0);
    for (Eigen::Index k = 0; k < r; ++k)
      for (Eigen::Index j = 0; j < m; ++j) P.col(j) += (svd_.matrixU()(j, k) / sigma[k]) * svd_.matrixV().col(k);
    flops_.product(static_cast<double>(n), static_cast<double>(r), static_cast<double>(m));
  }

 private:
  Eigen::JacobiSVD<Matrix> svd_;
};

}  // namespace

std::unique_ptr<Pseudoinverse> make_svd_pseudoinverse() { return std::make_unique<Svd>(); }

}  // namespace mortise::linalg
