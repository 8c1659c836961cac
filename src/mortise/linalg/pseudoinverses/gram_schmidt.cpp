// The orthonormalisation of GIGSP, carried on to the pseudoinverse:
//
//     A = R H,    H (r×n) with orthonormal rows,    R (m×r) lower trapezoidal in pivot order,    A⁺ = Hᵀ R⁺.
//
// Modified Gram-Schmidt on the rows: the longest remaining row becomes h_k, its part is taken from all others at once,
// and R_ik = h_k·a_i. A pivot row of which less than half of its own length remained has lost digits of its direction:
// it alone is orthogonalised once more against all of H. That keeps H orthonormal to rounding at the cost of a single
// pass wherever rows are far from one another. R⁺ is R⁻¹ when all rows are kept, and S⁻¹Z₁ᵀ of R = Z [S; 0]
// (Householder, no pivoting: R has full column rank) when not.
//
// Rank: `largest` is the longest row of A; kept and dropped are the lengths that remain of the rows, R_kk.
//
// Source: specs/gigsp-and-genetic.md §2, A₁ = T Ā in the form Ā = R H, (2.28)-(2.30); row pivoting and the second pass
// are ours. Error about 2e-16 times the condition.
// Cost for m ≤ n: 2nm² for H, nm² for A⁺ = Hᵀ R⁻¹, together 3nm²; a row that is orthogonalised again adds 4nk.
// With dropped rows: 2nmr for H, 2mr² for each of the factors of R⁺, and 2nmr for the product.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "mortise/linalg/pseudoinverses/kinds.h"
#include "mortise/linalg/pseudoinverses/reflections.h"

namespace mortise::linalg {
namespace {

constexpr double cancelled = 0.5;    // of a row's own length, see above
constexpr double doubtful = 1.5e-8;  // a down-dated squared length below this share of its last value: compute it anew

class GramSchmidt final : public Pseudoinverse {
 public:
  void invert(const Matrix& A, const RankPolicy& policy, double violation, Matrix& P) override {
    const Eigen::Index m = A.rows(), n = A.cols();
    if (!begin(A, P)) return;
    resize(m, n);
    rows_ = A.transpose();
    orthonormalise(policy, violation);
    if (rank_.rank == 0) return;
    if (rank_.rank == m)
      divide_by_triangle(P);
    else
      multiply_by_inverse_trapezoid(P);
  }

 private:
  void resize(Eigen::Index m, Eigen::Index n) {
    const Eigen::Index most = std::min(m, n);
    rows_.resize(n, m);
    R_.resize(m, most);
    length2_.resize(m);
    remaining2_.resize(m);
    reference2_.resize(m);
    trapezoid_.resize(m, most);
    Z_.resize(m, most);
    Y_.resize(most, m);
    order_.resize(static_cast<std::size_t>(m));
  }
  int& order(Eigen::Index k) { return order_[static_cast<std::size_t>(k)]; }
  static double count(Eigen::Index k) { return static_cast<double>(k); }

  void orthonormalise(const RankPolicy& policy, double violation) {
    const Eigen::Index n = rows_.rows(), m = rows_.cols(), most = std::min(m, n);
    R_.setZero();
    for (Eigen::Index i = 0; i < m; ++i) {
      order(i) = static_cast<int>(i);
      length2_[i] = remaining2_[i] = reference2_[i] = rows_.col(i).squaredNorm();
    }
    flops_.dot(count(n * m));
    const double longest = std::sqrt(length2_.maxCoeff()), cut = policy.cut(longest, violation);
    double shortest_kept = std::numeric_limits<double>::infinity(), longest_left = 0;
    Eigen::Index k = 0;
    while (k < most) {
      Eigen::Index p = k;
      for (Eigen::Index j = k + 1; j < m; ++j)
        if (remaining2_[order(j)] > remaining2_[order(p)]) p = j;
      const Eigen::Index i = order(p);
      longest_left = std::sqrt(remaining2_[i]);
      if (!(longest_left > cut)) break;
      if (remaining2_[i] < cancelled * cancelled * length2_[i]) {
        orthogonalise_again(i, k);
        longest_left = std::sqrt(remaining2_[i]);
        if (!(longest_left > cut)) continue;  // was rounding: no longer the longest, another row may be
      }
      std::swap(order(p), order(k));
      shortest_kept = std::min(shortest_kept, take_from_the_others(k));
      longest_left = 0;
      ++k;
    }
    found(static_cast<int>(k), longest, cut, shortest_kept, longest_left);
  }

  void orthogonalise_again(Eigen::Index i, Eigen::Index k) {
    auto g = rows_.col(i);
    for (Eigen::Index j = 0; j < k; ++j) {
      const auto h = rows_.col(order(j));
      const double share = h.dot(g);
      g -= share * h;
      R_(i, j) += share;
    }
    remaining2_[i] = reference2_[i] = g.squaredNorm();
    flops_.dot(count(rows_.rows() * (2 * k + 1)));
  }

  // The pivot row becomes h_k in place; its part is taken from all rows that remain. The length it had, R_kk.
  double take_from_the_others(Eigen::Index k) {
    const Eigen::Index n = rows_.rows(), m = rows_.cols();
    const Eigen::Index i = order(k);
    auto h = rows_.col(i);
    const double norm = h.norm();
    h /= norm;
    R_(i, k) = norm;
    for (Eigen::Index l = k + 1; l < m; ++l) {
      const Eigen::Index j = order(l);
      auto g = rows_.col(j);
      const double share = h.dot(g);
      g -= share * h;
      R_(j, k) = share;
      remaining2_[j] -= share * share;
      if (remaining2_[j] > doubtful * reference2_[j]) continue;
      remaining2_[j] = reference2_[j] = g.squaredNorm();
      flops_.dot(count(n));
    }
    flops_.dot(count(n * 2 * (m - k - 1)));
    flops_.add(3 * count(n));
    return norm;
  }

  // P R = Hᵀ with R lower triangular in pivot order: columns of P from the last pivot to the first.
  void divide_by_triangle(Matrix& P) {
    const Eigen::Index r = rank_.rank;
    for (Eigen::Index k = r - 1; k >= 0; --k) {
      auto x = P.col(order(k));
      x = rows_.col(order(k));
      for (Eigen::Index l = k + 1; l < r; ++l) x -= R_(order(l), k) * P.col(order(l));
      x /= R_(order(k), k);
    }
    flops_.triangular(count(r), count(P.rows()));
  }

  void multiply_by_inverse_trapezoid(Matrix& P) {
    const Eigen::Index m = P.cols(), r = rank_.rank;
    Matrix& R = trapezoid_.matrix();
    for (Eigen::Index k = 0; k < r; ++k)
      for (Eigen::Index i = 0; i < m; ++i) R(i, k) = R_(order(i), k);
    trapezoid_.reduce_in_order(static_cast<int>(r), flops_);
    auto Z = Z_.leftCols(r);
    trapezoid_.form(Z, flops_);
    auto Y = Y_.topRows(r);
    Y = Z.transpose();
    trapezoid_.solve(Y, flops_);
    for (Eigen::Index i = 0; i < m; ++i)
      for (Eigen::Index k = 0; k < r; ++k) P.col(order(i)) += Y(k, i) * rows_.col(order(k));
    flops_.product(count(P.rows()), count(r), count(m));
  }

  Matrix rows_;  // Aᵀ; column order(k) becomes h_k
  Matrix R_;     // R(i, k): the share of h_k in row i of A
  Vector length2_, remaining2_, reference2_;
  std::vector<int> order_;  // kept rows by pivot, then the others
  Reflections trapezoid_;
  Matrix Z_, Y_;
};

}  // namespace

std::unique_ptr<Pseudoinverse> make_gram_schmidt_pseudoinverse() { return std::make_unique<GramSchmidt>(); }

}  // namespace mortise::linalg
