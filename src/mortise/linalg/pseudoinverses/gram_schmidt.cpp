// The orthonormalisation of GIGSP, carried on to the pseudoinverse:
//
//     A = R H,    H (r×n) with orthonormal rows,    R (m×r) lower trapezoidal in pivot order,    A⁺ = Hᵀ R⁺.
//
// Gram-Schmidt itself is RowGramSchmidt. R⁺ is R⁻¹ when all rows are kept, and S⁻¹Z₁ᵀ of R = Z [S; 0] (Householder, no
// pivoting: R has full column rank) when not.
//
// Rank: `largest` is the longest row of A; kept and dropped are the lengths that remain of the rows, R_kk.
//
// Source: specs/gigsp-and-genetic.md §2, A₁ = T Ā in the form Ā = R H, (2.28)-(2.30); row pivoting and the second pass
// are ours. Error about 2e-16 times the condition.
// Cost for m ≤ n: 2nm² for H, nm² for A⁺ = Hᵀ R⁻¹, together 3nm²; a row that is orthogonalised again adds 4nk.
// With dropped rows: 2nmr for H, 2mr² for each of the factors of R⁺, and 2nmr for the product.
#include "mortise/linalg/gram_schmidt.h"

#include <algorithm>

#include "mortise/linalg/pseudoinverses/kinds.h"
#include "mortise/linalg/pseudoinverses/reflections.h"

namespace mortise::linalg {
namespace {

class GramSchmidt final : public Pseudoinverse {
 public:
  void invert(const Matrix& A, const RankPolicy& policy, double violation, Matrix& P) override {
    const auto m = static_cast<int>(A.rows()), n = static_cast<int>(A.cols());
    if (!begin(A, P)) return;
    resize(m, n);
    rows_.begin(m, n);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) rows_.row(i)[j] = A(i, j);
    rows_.factor(policy, violation);
    rank_ = rows_.rank();
    flops_.add(rows_.flops());
    if (rank_.rank == 0) return;
    if (rank_.rank == m)
      divide_by_triangle(P);
    else
      multiply_by_inverse_trapezoid(P);
  }

 private:
  void resize(int m, int n) {
    const int most = std::min(m, n);
    if (m == Z_.rows() && n == columns_) return;
    columns_ = n;
    rows_.resize(m, n);
    trapezoid_.resize(m, most);
    Z_.resize(m, most);
    Y_.resize(most, m);
  }
  int row(Eigen::Index k) const { return rows_.kept(static_cast<int>(k)); }  // kept rows by pivot, then the others
  double R(Eigen::Index k, Eigen::Index l) const { return rows_.R(row(k), static_cast<int>(l)); }
  Eigen::Map<const Vector> h(Eigen::Index k) const { return {rows_.H(static_cast<int>(k)), columns_}; }
  static double count(Eigen::Index k) { return static_cast<double>(k); }

  // P R = Hᵀ with R lower triangular in pivot order: columns of P from the last pivot to the first.
  void divide_by_triangle(Matrix& P) {
    const Eigen::Index r = rank_.rank;
    for (Eigen::Index k = r - 1; k >= 0; --k) {
      auto x = P.col(row(k));
      x = h(k);
      for (Eigen::Index l = k + 1; l < r; ++l) x -= R(l, k) * P.col(row(l));
      x /= R(k, k);
    }
    flops_.triangular(count(r), count(P.rows()));
  }

  void multiply_by_inverse_trapezoid(Matrix& P) {
    const Eigen::Index m = P.cols(), r = rank_.rank;
    Matrix& S = trapezoid_.matrix();
    for (Eigen::Index k = 0; k < r; ++k)
      for (Eigen::Index i = 0; i < m; ++i) S(i, k) = R(i, k);
    trapezoid_.reduce_in_order(static_cast<int>(r), flops_);
    auto Z = Z_.leftCols(r);
    trapezoid_.form(Z, flops_);
    auto Y = Y_.topRows(r);
    Y = Z.transpose();
    trapezoid_.solve(Y, flops_);
    for (Eigen::Index i = 0; i < m; ++i)
      for (Eigen::Index k = 0; k < r; ++k) P.col(row(i)) += Y(k, i) * h(k);
    flops_.product(count(P.rows()), count(r), count(m));
  }

  RowGramSchmidt rows_;
  int columns_ = 0;
  Reflections trapezoid_;
  Matrix Z_, Y_;
};

}  // namespace

std::unique_ptr<Pseudoinverse> make_gram_schmidt_pseudoinverse() { return std::make_unique<GramSchmidt>(); }

}  // namespace mortise::linalg
