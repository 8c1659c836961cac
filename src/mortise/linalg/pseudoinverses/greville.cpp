// Greville's recursion: the rows a_i of A are taken in one by one, and the pseudoinverse of those so far is brought up
// to date,
//
//     d = a_i P,   c = a_i − d A_{i−1},      b = cᵀ/(c cᵀ)  when c ≠ 0,   b = P dᵀ/(1 + d dᵀ)  otherwise,
//     P ← [P − b d | b].
//
// c is what row i adds to the rows before it. Where it is shorter than half of the row its direction has lost digits,
// so it is orthogonalised once more, d' = c P, c ← c − d' A_{i−1}; other rows gain nothing from that. The sheet leaves
// d as it was; d + d' is the d that belongs to the new c, and with it the rank is still found at a condition of 1e8,
// without it no longer at 1e7. Nothing corrects errors of P later on: accuracy falls with the square of the condition,
// and the order of the rows matters, since there is no pivoting.
//
// Rank: `largest` is the longest row; kept and dropped are the lengths |c| against it, in the order of the rows: a
// small singular value can hide in a sequence of long c.
//
// Source: specs/pseudoinverses.md §3 (pinv_greville) and repair 7, 001 eq. (19).
// Cost: 2n(i − 1) each for d, for c and for the update at row i, together 3nm²; orthogonalising again adds 4n(i − 1) a
// row where it happens, at most 2nm². A dependent row costs one more product with P, 2n(i − 1). Error about 1e-16 times
// the condition squared.
#include <algorithm>
#include <cmath>
#include <limits>

#include "mortise/linalg/pseudoinverses/kinds.h"

namespace mortise::linalg {
namespace {

// Orthogonalise again when less than this share of the row's length remained: one digit at most is then lost.
constexpr double cancelled = 0.5;

class Greville final : public Pseudoinverse {
 public:
  void invert(const Matrix& A, const RankPolicy& policy, double violation, Matrix& P) override {
    const Eigen::Index m = A.rows(), n = A.cols();
    if (!begin(A, P)) return;
    rows_.resize(n, m);
    rows_ = A.transpose();
    c_.resize(n);
    b_.resize(n);
    d_.resize(m);
    again_.resize(m);

    double longest = 0, shortest_kept = std::numeric_limits<double>::infinity(), longest_dropped = 0;
    for (Eigen::Index i = 0; i < m; ++i) longest = std::max(longest, rows_.col(i).norm());
    const double cut = policy.cut(longest, violation);
    flops_.add(2.0 * static_cast<double>(n * m));
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
  }

 private:
  // d and c of row i; the length of c.
  double take_away_earlier_rows(Eigen::Index i, const Matrix& P) {
    c_ = rows_.col(i);
    const double length = c_.norm();
    auto d = d_.head(i);
    d.noalias() = P.leftCols(i).transpose() * c_;
    c_.noalias() -= rows_.leftCols(i) * d;
    double remaining = c_.norm();
    flops_.add(4.0 * static_cast<double>(n() * i + n()));
    if (i > 0 && remaining < cancelled * length) {
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

  Matrix rows_;  // Aᵀ: one row of A after the other in memory
  Vector b_, c_, d_, again_;
};

}  // namespace

std::unique_ptr<Pseudoinverse> make_greville_pseudoinverse() { return std::make_unique<Greville>(); }

}  // namespace mortise::linalg
