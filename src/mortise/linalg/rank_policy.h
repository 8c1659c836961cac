// The one place that owns rank thresholds.
//
// Every decision "is this row independent of the others?" compares a pivot |R_kk| of a matrix whose rows and columns
// have been scaled to a nominal norm of one (gauss::Pattern::row_scale, the mass metric) with
//
//     threshold = |R_11| · clamp(max(relative, per_violation · violation), relative, cap).
//
// `violation` is how far the pose is off the constraint manifold (scaled). Rows that are dependent only on the manifold
// (the five-bar parallelogram) have a smallest singular value of about half the violation; without this term drift
// would turn redundant rows into independent ones and lock the mechanism (specs/pseudoinverses.md §3, rank threshold
// policy).
#pragma once

#include <algorithm>

namespace mortise::linalg {

struct RankPolicy {
  double relative = 1e-10;
  double per_violation = 100;
  double cap = 1e-3;

  // Relative to the largest pivot.
  double threshold(double violation) const {
    return std::clamp(std::max(relative, per_violation * violation), relative, std::max(relative, cap));
  }
};

// What a rank-revealing factorisation found.
struct Rank {
  int rank = 0;
  int rows = 0;                // active rows that were looked at
  double largest = 0;          // |R_11|
  double smallest_kept = 0;    // relative to `largest`; 1 when nothing was kept
  double largest_dropped = 0;  // relative to `largest`; 0 when nothing was dropped
  double threshold = 0;        // relative to `largest`

  int redundant() const { return rows - rank; }
  double gap() const;  // smallest kept / largest dropped; infinity when nothing (or exact zeros) was dropped
};

}  // namespace mortise::linalg
