// Least squares with the augmented matrix (augmented.h), factored once by Householder reflections with column pivoting:
//
//     K Π = Q [R₁₁ R₁₂; 0 ~0],      z = Π [R₁₁⁻¹ (Qᵀ[0; e_i])₁; 0],
//
// a basic solution: components of dependent rows' multipliers are zero.
//
// Error about 1e-16 times the condition squared: within 1e-12 times the condition up to a condition of about 3e3.
// Cost with N = n + m: 4N³/3 for the factorisation, m (4Nρ − 2ρ²) + mρ² for the columns, ρ = n + r.
#include "mortise/linalg/pseudoinverses/augmented.h"
#include "mortise/linalg/pseudoinverses/kinds.h"
#include "mortise/linalg/pseudoinverses/reflections.h"

namespace mortise::linalg {
namespace {

class LsHouseholder final : public Augmented {
 public:
  LsHouseholder() : Augmented(0) {}

 private:
  Pivots factor(const Matrix& K, double cut) override {
    qr_.resize(K.rows(), K.cols());
    qr_.matrix() = K;
    qr_.longest_column();
    qr_.reduce_pivoted(cut, flops_);
    return {qr_.steps(), qr_.smallest_pivot(), qr_.longest_remaining()};
  }

  void solve(Matrix& F, Matrix& Z) override {
    qr_.apply_transposed(F, flops_);
    qr_.solve(F, flops_);
    Z.setZero();
    for (int k = 0; k < qr_.steps(); ++k) Z.row(qr_.order(k)) = F.row(k);
  }

  Reflections qr_;
};

}  // namespace

std::unique_ptr<Pseudoinverse> make_ls_householder_pseudoinverse() { return std::make_unique<LsHouseholder>(); }

}  // namespace mortise::linalg
