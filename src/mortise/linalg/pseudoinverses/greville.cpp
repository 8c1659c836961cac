// Greville's recursion: the rows a_i of A are taken in one by one, and the pseudoinverse of those so far is brought up
// to date,
//
//     d = a_i P,   c = a_i − d A_{i−1},      b = cᵀ/(c cᵀ)  when c ≠ 0,   b = P dᵀ/(1 + d dᵀ)  otherwise,
//     P ← [P − b d | b].
//
// c is what row i adds to the rows before it. Where it is shorter than half of the row its direction has lost digits,
// so it is orthogonalised once more, d' = c P, c ← c − d' A_{i−1}; other rows gain nothing from that. The sheet leaves
// d as it was; d + d' is the d that belongs to the new c, and with it the rank is still found at a condition of 1e8,
// without it no longer at 1e7.
//
// Nothing corrects errors of P later on: accuracy falls with the square of the worst condition among the blocks of rows
// A_i on the way, which can be far worse than that of A (a short row that a long one repeats). The rows are therefore
// taken longest first, rows of equal length as they stand, where the source takes them in the given order; over
// the matrices of the tests the condition of A itself then counts, though it is no pivoting on what remains of a row.
//
// Rank: `largest` is the longest row; kept and dropped are the lengths |c| against it. A small singular value can hide
// in a sequence of longer c, so a gap of less than some decades may be judged otherwise than by the other algorithms.
//
// Source: specs/pseudoinverses.md §3 (pinv_greville) and repair 7, 001 eq. (19).
// Cost: 2n(i − 1) each for d, for c and for the update at row i, together 3nm²; orthogonalising again adds 4n(i − 1) a
// row where it happens, at most 2nm². A dependent row costs one more product with P, 2n(i − 1). Error about 3e-16 times
// the condition squared.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mortise/linalg/pseudoinverses/kinds.h"

namespace mortise::linalg {
namespace {

// Orthogonalise again when less than this share of the row's length remained: one digit at most is then lost.
constexpr double shortened = 0.5;

class Greville final : public Pseudoinverse {
 public:
  void invert(const Matrix& A, const RankPolicy& policy, double violation, Matrix& P) override {
    const Eigen::Index m = A.rows(), n = A.cols();
    if (!begin(A, P)) return;
    resize(m, n);
    take_longest_first(A);

    const double longest = length_[order(0)], cut = policy.cut(longest, violation);
    double shortest_kept = std::numeric_limits<double>::infinity(), longest_dropped = 0;
    int r = 0;
    for (Eigen::Index i = 0; i < m; ++i) {
      const double remaining = take_away_earlier_rows(i, P);
      auto d = d_.head(i);
      if (remaining > cut) {
        ++r;
        shortest_kept = std::min(shortest_kept, remaining);
        b_ = c_ / (remaining * remaining);
      } else {
        longest_dropped = std::max(longest_dropped, remaining);
        b_.noalias() = P.leftCols(i) * d;
        b_ /= 1 + d.squaredNorm();
        flops_.add(2.0 * static_cast<double>(n * i));
      }
      for (Eigen::Index j = 0; j < i; ++j) P.col(j) -= d[j] * b_;
      P.col(i) = b_;
      flops_.add(2.0 * static_cast<double>(n * i + n));
    }
    found(r, longest, cut, shortest_kept, longest_dropped);
    rows_ = P;
    for (Eigen::Index i = 0; i < m; ++i) P.col(order(i)) = rows_.col(i);
  }

 private:
  void resize(Eigen::Index m, Eigen::Index n) {
    rows_.resize(n, m);
    order_.resize(static_cast<std::size_t>(m));
    length_.resize(m);
    c_.resize(n);
    b_.resize(n);
    d_.resize(m);
    again_.resize(m);
  }
  Eigen::Index order(Eigen::Index i) const { return order_[static_cast<std::size_t>(i)]; }

  void take_longest_first(const Matrix& A) {
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      order_[static_cast<std::size_t>(i)] = i;
      length_[i] = A.row(i).norm();
    }
    flops_.add(2.0 * static_cast<double>(A.size()));
    std::sort(order_.begin(), order_.end(), [this](Eigen::Index i, Eigen::Index j) {
      return length_[i] != length_[j] ? length_[i] > length_[j] : i < j;
    });
    for (Eigen::Index i = 0; i < A.rows(); ++i) rows_.col(i) = A.row(order(i)).transpose();
  }

  // d and c of row i; the length of c.
  double take_away_earlier_rows(Eigen::Index i, const Matrix& P) {
    c_ = rows_.col(i);
    const double length = c_.norm();
    auto d = d_.head(i);
    d.noalias() = P.leftCols(i).transpose() * c_;
    c_.noalias() -= rows_.leftCols(i) * d;
    double remaining = c_.norm();
    flops_.add(4.0 * static_cast<double>(n() * i + n()));
    if (i > 0 && remaining < shortened * length) {
      auto again = again_.head(i);
      again.noalias() = P.leftCols(i).transpose() * c_;
      c_.noalias() -= rows_.leftCols(i) * again;
      d += again;
      remaining = c_.norm();
      flops_.add(4.0 * static_cast<double>(n() * i) + 2.0 * static_cast<double>(n()));
    }
    return remaining;
  }
  Eigen::Index n() const { return rows_.rows(); }

  Matrix rows_;  // Aᵀ, longest rows first
  Vector b_, c_, d_, again_, length_;
  std::vector<Eigen::Index> order_;
};

}  // namespace

std::unique_ptr<Pseudoinverse> make_greville_pseudoinverse() { return std::make_unique<Greville>(); }

}  // namespace mortise::linalg
