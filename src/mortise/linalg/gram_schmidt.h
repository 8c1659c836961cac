// Modified Gram-Schmidt on the rows of a matrix of any shape and rank, with row pivoting:
//
//     D = R H,     H: r orthonormal rows,     R: m×r, lower trapezoidal in the order of the pivots.
//
// The longest of the rows that remain is the next pivot, so that the first remainder below the threshold of the
// RankPolicy ends it: all others are shorter. Of rows of equal length the one named first is taken. In the `given`
// order each row is kept or dropped when its turn comes; a row that drift makes look independent then takes the place
// of one that is (specs/gigsp-and-genetic.md §6, E2).
//
// A pivot that lost more than half of its length has lost digits too, and goes through a second pass over the rows of
// H; after it, H Hᵀ = I to rounding whatever the condition of D. Most rows of most mechanisms need no second pass.
//
// Source: specs/gigsp-and-genetic.md §2 (GIGSP; row order and pivoting) and §3.
// Cost: 2 n m² flops for full rank, 4 n k more for a second pass of pivot k. Memory (n + r) m, allocated by `resize`.
#pragma once

#include <span>
#include <vector>

#include "mortise/linalg/flops.h"
#include "mortise/linalg/householder_cod.h"
#include "mortise/linalg/lanes.h"
#include "mortise/linalg/rank_policy.h"

namespace mortise::linalg {

class RowGramSchmidt {
 public:
  enum class Order { pivoted, given };

  // The largest shape to come.
  void resize(int most_rows, int most_columns);
  // Before `factor`: the shape, all zero; then write the rows (n doubles each).
  void begin(int rows, int columns);
  double* row(int i) { return G_.data() + offset(i); }
  // Overwrites the rows.
  void factor(const RankPolicy& policy, double violation, Order order = Order::pivoted);

  int m() const { return m_; }
  int n() const { return n_; }
  const Rank& rank() const { return rank_; }
  std::span<const RowFate> fates() const { return {fate_.data(), static_cast<std::size_t>(m_)}; }
  int kept(int k) const { return order_[static_cast<std::size_t>(k)]; }  // the row that was pivot k < r
  const double* H(int k) const { return G_.data() + offset(kept(k)); }
  double R(int row, int k) const { return R_[r_offset(row) + static_cast<std::size_t>(k)]; }
  double flops() const { return flops_.count(); }

  // x ← R₁⁻¹ x and x ← R₁⁻ᵀ x with the rows of R that were pivots; r entries in their order.
  void solve(double* x) const;
  void solve_transposed(double* x) const;
  // The coefficients c with  row i = Σ c_k row kept(k), r of them; zero for a row that vanished.
  void dependency(int row, double* c) const;

 private:
  std::size_t offset(int i) const { return static_cast<std::size_t>(i) * static_cast<std::size_t>(stride_); }
  std::size_t r_offset(int i) const { return static_cast<std::size_t>(i) * static_cast<std::size_t>(most_); }
  void second_pass(int row, int pivots);
  void append(int row, int pivot);

  int m_ = 0, n_ = 0, stride_ = 0, most_ = 0;
  Rank rank_;
  LaneArray G_;                                      // what remains of each row; of a pivot, its row of H
  std::vector<double> R_;                            // row i at i · most_
  std::vector<double> norm2_, reference2_, first2_;  // squared lengths: now, when last computed, at the beginning
  std::vector<int> order_;                           // pivots first
  std::vector<RowFate> fate_;
  Flops flops_;
};

}  // namespace mortise::linalg
