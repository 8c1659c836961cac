// Cholesky and LU of leading blocks of larger arrays, in place: for matrices whose size follows the rank, which changes
// from pose to pose while memory may not be taken.
//
// Cost: Cholesky d³/3, LU 2d³/3 operations; solves 2d².
#pragma once

#include <span>

#include "mortise/linalg/types.h"

namespace mortise::linalg {

// K = L Lᵀ; reads and overwrites the lower triangle. A pivot counts as zero when it is below `relative` times its
// diagonal entry, or the entry below that share of the largest. Returns the number of such pivots: 0 means regular.
int cholesky_in_place(Eigen::Ref<Matrix> K, double relative);
void cholesky_solve(const Eigen::Ref<const Matrix>& L, Eigen::Ref<Vector> x);  // x ← K⁻¹x

// Row k is swapped with row swaps[k] ≥ k, then B = L U. False when a pivot is zero.
bool lu_in_place(Eigen::Ref<Matrix> B, std::span<int> swaps);
// X ← X B⁻¹.
void lu_solve_from_the_right(const Eigen::Ref<const Matrix>& LU, std::span<const int> swaps, Eigen::Ref<Matrix> X);
// An estimate from below, hardly ever off by more than a factor of three, of the 1-norm of B⁻¹ (Hager's method: a few
// solves with B and Bᵀ). x and y are work.
double lu_inverse_norm(const Eigen::Ref<const Matrix>& LU, std::span<const int> swaps, Eigen::Ref<Vector> x,
                       Eigen::Ref<Vector> y);

}  // namespace mortise::linalg
