// Complete orthogonal decomposition: the pseudoinverse of a matrix of any shape and rank, without forming it.
//
// Given D (m×n) through the columns of Dᵀ (one constraint row each, contiguous), two Householder stages give
//
//     Dᵀ P = Q [R₁₁ R₁₂; 0 0],        [R₁₁ R₁₂] = [T 0] Zᵀ,        D⁺ = Q₁ T⁻ᵀ Z₁ᵀ Pᵀ,
//
// the first with column pivoting, which decides the rank r; the second only when r < m. Then y = D⁺e is the shortest of
// the vectors that come nearest to D y = e, and μ = (D⁺)ᵀy the shortest one with Dᵀμ = y.
//
// The first stage stops at the first pivot below the threshold of the RankPolicy: all columns that remain are shorter.
// Of columns of equal length the one named first is taken, so a copy of a row is dropped, never its original.
// The pivots follow the singular values within a small factor, but for matrices built to deceive them (Kahan's).
// Column norms are down-dated and computed anew when cancellation would show.
//
// Source: Varga's method of specs/pseudoinverses.md §3 with the pivoting it needs (repair 6); Golub and Van Loan,
// Matrix Computations, §5.4.2 and §5.4.7 (Householder QR with column pivoting, complete orthogonal decomposition).
// Cost: 2 n m r − (n + m) r² + 2r³/3 multiply-adds, then r² (m − r) for the second stage; a solve O(n r + m r).
// Memory (2n + m) m, allocated by `resize` only.
#pragma once

#include <span>
#include <vector>

#include "mortise/linalg/lanes.h"
#include "mortise/linalg/rank_policy.h"
#include "mortise/linalg/types.h"

namespace mortise::linalg {

enum class RowFate : unsigned char { kept, dropped, vanished };

class CompleteOrthogonal {
 public:
  void resize(int n, int m);
  int n() const { return n_; }
  int m() const { return m_; }

  // Before `factor`: clear all, then write the columns of Dᵀ (n doubles each).
  void clear() { W_.clear(); }
  double* column(int j) { return W_.data() + offset(j); }
  int column_stride() const { return stride_; }

  // Overwrites the columns.
  void factor(const RankPolicy& policy, double violation);

  const Rank& rank() const { return rank_; }
  // What became of each row of D: a basis (kept), dependent on it (dropped), or shorter than the threshold (vanished).
  std::span<const RowFate> fates() const { return fate_; }

  double flops() const;  // of the last factorisation
  // y = D⁺e (n) and μ = (D⁺)ᵀy (m).
  void solve(ConstSpan e, Span y, Span mu);
  // What row i asks for beyond what the kept rows already give it: e_i − Σ c_k e_k for dropped rows, e_i for vanished
  // ones, 0 for kept ones. All zero: e lies in the range of D.
  void contradiction(ConstSpan e, Span excess);
  // The coefficients c with  row i = Σ c_k row k  over kept rows, as a vector of m (zero elsewhere). For diagnosis:
  // allocates.
  Vector dependency(int row) const;

 private:
  std::size_t offset(int j) const { return static_cast<std::size_t>(j) * static_cast<std::size_t>(stride_); }
  int order(int k) const { return order_[static_cast<std::size_t>(k)]; }

  void reduce_columns(double threshold);
  void classify_rows(double threshold);
  void reduce_rows();
  void forward_substitute(const double* triangle, bool original, double* t);

  int n_ = 0, m_ = 0, stride_ = 0;
  Rank rank_;
  LaneArray W_;                   // Dᵀ, then R: column order(k) holds R(0..k, k), zeros below
  LaneArray V_;                   // Householder vectors of the first stage, zeros above entry k
  LaneArray T_;                   // second stage: T in the columns order(0..r), R₁₂ being eliminated in the others
  LaneArray Z_;                   // Householder vectors of the second stage, m − r entries each; entry k is one
  LaneArray tau_, zeta_;          // 2 / |u|² of both stages
  LaneArray R_pivot_, T_pivot_;   // 1 / R_kk, 1 / T_kk
  LaneArray norm2_, reference2_;  // squared norms of what remains of the columns, and when last computed
  LaneArray t_, x_;               // work
  std::vector<int> order_;        // kept columns by pivot, then the others in their own order
  std::vector<RowFate> fate_;
};

}  // namespace mortise::linalg
