// Varga's method: two Householder factorisations, the first of which must pivot,
//
//     A Π = U [G; 0],      G₁ = (first r rows of G) Πᵀ,      G₁ᵀ = V [T; 0],      A⁺ = V₁ T⁻ᵀ U₁ᵀ.
//
// Without column pivoting G₁ need not have full row rank, and T is then singular: that is how the method is printed,
// and how it fails (repair 6 of the sheet). T⁻ᵀ is solved with, never formed.
//
// Rank: `largest` is |G_11|, the longest column of A; kept and dropped are pivots |G_kk|, which follow the singular
// values within a small factor but for matrices built to deceive them (Kahan's).
//
// Source: specs/pseudoinverses.md §3 (pinv_varga), 001 eqs. (17)-(18). Error about 3e-16 times the condition.
// Cost for m ≤ n: 2nm² − 2m³/3 for either factorisation, the 4nm² of the sheet; and what the sheet leaves out, to have
// A⁺ itself: 4m³/3 for U₁, m³ for T⁻ᵀ, 4nm² − 2m³ for V. Together 8nm² − m³.
#include "mortise/linalg/pseudoinverses/kinds.h"
#include "mortise/linalg/pseudoinverses/reflections.h"

namespace mortise::linalg {
namespace {

class Varga final : public Pseudoinverse {
 public:
  void invert(const Matrix& A, const RankPolicy& policy, double violation, Matrix& P) override {
    const Eigen::Index m = A.rows(), n = A.cols();
    if (!begin(A, P)) return;
    columns_.resize(m, n);
    rows_.resize(n, std::min(m, n));
    U_.resize(m, std::min(m, n));
    columns_.matrix() = A;
    const double longest = columns_.longest_column(), cut = policy.cut(longest, violation);
    columns_.reduce_pivoted(cut, flops_);
    const int r = columns_.steps();
    found(r, longest, cut, columns_.smallest_pivot(), columns_.longest_remaining());
    if (r == 0) return;

    const Matrix& G = columns_.matrix();
    for (Eigen::Index i = 0; i < r; ++i) {
      auto row = rows_.matrix().col(i);
      row.setZero();
      for (int k = static_cast<int>(i); k < n; ++k) row[columns_.order(k)] = G(i, k);
    }
    rows_.reduce_in_order(r, flops_);

    auto U = U_.leftCols(r);
    columns_.form(U, flops_);
    P.topRows(r) = U.transpose();
    rows_.solve_transposed(P, flops_);
    rows_.apply(P, flops_);
  }

 private:
  Reflections columns_, rows_;  // of A, and of G₁ᵀ
  Matrix U_;
};

}  // namespace

std::unique_ptr<Pseudoinverse> make_varga_pseudoinverse() { return std::make_unique<Varga>(); }

}  // namespace mortise::linalg
