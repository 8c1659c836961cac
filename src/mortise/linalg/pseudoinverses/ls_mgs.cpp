// Least squares with the augmented matrix (augmented.h), factored by modified Gram-Schmidt with column pivoting:
//
//     K Π = Q R,      y_k = q_k·g, g ← g − y_k q_k for a right-hand side g,      z = Π [R₁₁⁻¹ y; 0].
//
// Each pivot column is orthogonalised once more against those before it. Right-hand sides lose their parts one q_k
// after the other, as the columns do: with Qᵀg at once the loss of orthogonality would enter.
//
// One step of refinement. Error about 5e-17 times the condition squared.
// Cost with N = n + m: 2N³ for the factorisation, 2N³ for orthogonalising again, 4Nmρ + mρ² for the columns, ρ = n + r,
// and once more with 4nm² for the refinement. Norms are computed anew, N³.
// The most expensive one, as in the tables of the source.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "mortise/linalg/pseudoinverses/augmented.h"
#include "mortise/linalg/pseudoinverses/kinds.h"

namespace mortise::linalg {
namespace {

class LsMgs final : public Augmented {
 public:
  LsMgs() : Augmented(1) {}

 private:
  Pivots factor(const Matrix& K, double cut) override {
    const Eigen::Index size = K.rows();
    Q_.resize(size, size);
    R_.resize(size, size);
    y_.resize(size);
    norm2_.resize(size);
    order_.resize(static_cast<std::size_t>(size));
    Q_ = K;
    R_.setZero();
    for (Eigen::Index j = 0; j < size; ++j) {
      order_[static_cast<std::size_t>(j)] = static_cast<int>(j);
      norm2_[j] = Q_.col(j).squaredNorm();
    }
    Pivots pivots{0, std::numeric_limits<double>::infinity(), 0};
    Eigen::Index k = 0;
    while (k < size) {
      Eigen::Index pivot = k;
      for (Eigen::Index j = k + 1; j < size; ++j)
        if (norm2_[j] > norm2_[pivot]) pivot = j;
      pivots.longest_dropped = std::sqrt(norm2_[pivot]);
      if (!(pivots.longest_dropped > cut)) break;
      if (pivot != k) {
        Q_.col(k).swap(Q_.col(pivot));
        R_.col(k).swap(R_.col(pivot));
        std::swap(norm2_[k], norm2_[pivot]);
        std::swap(order_[static_cast<std::size_t>(k)], order_[static_cast<std::size_t>(pivot)]);
      }
      orthogonalise_again(k);
      const double R_kk = std::sqrt(norm2_[k]);
      pivots.longest_dropped = R_kk;
      if (!(R_kk > cut)) continue;  // was rounding: another column may be longer now
      R_(k, k) = R_kk;
      pivots.smallest_kept = std::min(pivots.smallest_kept, R_kk);
      pivots.longest_dropped = 0;
      auto q = Q_.col(k);
      q /= R_kk;
      for (Eigen::Index j = k + 1; j < size; ++j) {
        auto c = Q_.col(j);
        const double share = q.dot(c);
        c -= share * q;
        R_(k, j) = share;
        norm2_[j] = c.squaredNorm();
      }
      flops_.dot(3.0 * static_cast<double>(size * (size - k)));
      ++k;
    }
    pivots.rank = rho_ = static_cast<int>(k);
    return pivots;
  }

  void orthogonalise_again(Eigen::Index k) {
    auto c = Q_.col(k);
    for (Eigen::Index j = 0; j < k; ++j) {
      const double share = Q_.col(j).dot(c);
      c -= share * Q_.col(j);
      R_(j, k) += share;
    }
    norm2_[k] = c.squaredNorm();
    flops_.dot(static_cast<double>(Q_.rows() * (2 * k + 1)));
  }

  void solve(Matrix& F, Matrix& Z) override {
    Z.setZero();
    const auto R = R_.topLeftCorner(rho_, rho_).triangularView<Eigen::Upper>();
    for (Eigen::Index i = 0; i < F.cols(); ++i) {
      auto g = F.col(i);
      auto y = y_.head(rho_);
      for (Eigen::Index k = 0; k < rho_; ++k) {
        y[k] = Q_.col(k).dot(g);
        g -= y[k] * Q_.col(k);
      }
      R.solveInPlace(y);
      for (int k = 0; k < rho_; ++k) Z(order_[static_cast<std::size_t>(k)], i) = y[k];
    }
    flops_.dot(2.0 * static_cast<double>(Q_.rows() * rho_ * F.cols()));
    flops_.triangular(rho_, static_cast<double>(F.cols()));
  }

  Matrix Q_, R_;
  Vector y_, norm2_;
  std::vector<int> order_;
  int rho_ = 0;
};

}  // namespace

std::unique_ptr<Pseudoinverse> make_ls_mgs_pseudoinverse() { return std::make_unique<LsMgs>(); }

}  // namespace mortise::linalg
