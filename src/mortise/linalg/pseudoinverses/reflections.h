// Householder QR of a dense matrix in place, with or without column pivoting: F Π = Q R. What Varga's method, the
// augmented matrix and trapezoids of Gram-Schmidt have in common.
//
// With pivoting, step k takes the longest remaining column, and the reduction ends when none is longer than a cut: the
// number of steps is the rank. Column norms are down-dated and computed anew when cancellation would show. The
// reflections stay unblocked, so that nothing is allocated at any size once the matrix has its shape (Eigen's own
// objects take block buffers from 48 columns on).
//
// Source: Golub and Van Loan, Matrix Computations, §5.4.2; specs/pseudoinverses.md §3 (pinv_varga,
// pinv_ls_householder). Cost: 4 Σ (rows − k)(columns − k) over the steps; applying r reflections to c columns 4 c (rows
// r − r²/2).
#pragma once

#include <vector>

#include "mortise/linalg/flops.h"
#include "mortise/linalg/types.h"

namespace mortise::linalg {

class Reflections {
 public:
  // Takes memory only when the shape is a new one. Write the entries of matrix() before each reduction.
  void resize(Eigen::Index rows, Eigen::Index columns);
  Matrix& matrix() { return F_; }

  double longest_column();                        // of matrix() before the reduction, where |R_11| will come from
  void reduce_pivoted(double cut, Flops& flops);  // after longest_column()
  void reduce_in_order(int steps, Flops& flops);  // the first `steps` columns, as they stand; ignores the others

  int steps() const { return steps_; }
  double smallest_pivot() const { return smallest_; }    // of the columns taken; infinity when there are none
  double longest_remaining() const { return longest_; }  // column norm after a pivoted reduction; 0 when none remains
  int order(int k) const { return order_[static_cast<std::size_t>(k)]; }  // the column of F that became column k of R

  // B ← Q B or Qᵀ B, all columns.
  void apply(Eigen::Ref<Matrix> B, Flops& flops) const;
  void apply_transposed(Eigen::Ref<Matrix> B, Flops& flops) const;
  // The first steps() columns of Q; Q is rows × steps().
  void form(Eigen::Ref<Matrix> Q, Flops& flops) const;
  // x ← R₁₁⁻¹ x or R₁₁⁻ᵀ x on the first steps() entries of each column.
  void solve(Eigen::Ref<Matrix> X, Flops& flops) const;
  void solve_transposed(Eigen::Ref<Matrix> X, Flops& flops) const;

 private:
  void reduce_step(Eigen::Index k, Eigen::Index columns, Flops& flops);
  void reflect(Eigen::Index k, Eigen::Ref<Vector> column) const;

  Matrix F_;    // R on and above the diagonal, reflection vectors (head one, left out) below
  Vector tau_;  // H_k = I − τ u uᵀ
  Vector norm2_, reference2_;
  std::vector<int> order_;
  int steps_ = 0;
  double smallest_ = 0, longest_ = 0;
};

}  // namespace mortise::linalg
