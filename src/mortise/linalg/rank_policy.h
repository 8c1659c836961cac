// The one place that owns rank thresholds.
//
// Every decision "is this row independent of the others?" compares a pivot |R_kk| of a matrix whose rows and columns
// have been scaled to a nominal norm of one (gauss::Pattern::row_scale, the mass metric) with
//
//     threshold = |R_11| · clamp(max(relative, per_violation · violation), relative, cap),
//
// or with `fixed`, where that is given. `per_violation` = 0 and `relative` = the tolerance of the integrator is the
// rule of the literature (RankPolicy::of_tolerance).
//
// `violation` is how far the pose is off the constraint manifold (scaled). Rows that are dependent only on the manifold
// (the five-bar parallelogram) have a smallest singular value of about half the violation; without this term drift
// would turn redundant rows into independent ones and lock the mechanism (specs/pseudoinverses.md §3, rank threshold
// policy).
#pragma once

#include <algorithm>
#include <limits>

namespace mortise::linalg {

struct RankPolicy {
  double relative = 1e-10;
  double fixed = 0;  // > 0: an absolute threshold instead, on the scaled matrix; drift does not widen it
  double per_violation = 100;
  double cap = 1e-3;
  double noise = 1e-14;        // scaled rows all shorter than this are rounding: rank 0
  double consistency = 1e-8;   // a dropped row conflicts when it misses by more than this share of the right-hand side
  double negligible = 1e-12;   // and by more than this at all, in scaled rows
  double mass = 1e-13;         // a pivot of M below this share of its diagonal entry is zero
  double least_pivot = 1e-7;   // of S, in rows of nominal length one, eliminated in a given order
  double significance = 1e-6;  // a row takes part in a dependency when its scaled coefficient is above this share

  // The rule of the literature: the threshold is the tolerance of the integrator, whatever the drift
  // (specs/pseudoinverses.md §3).
  static RankPolicy of_tolerance(double tolerance) {
    RankPolicy policy;
    policy.relative = tolerance;
    policy.per_violation = 0;
    return policy;
  }

  // Relative to the largest pivot.
  double threshold(double violation) const {
    return std::clamp(std::max(relative, per_violation * violation), relative, std::max(relative, cap));
  }
  // Absolute: what a pivot, or singular value, must exceed to count, when the largest one is `largest`.
  double cut(double largest, double violation) const {
    return std::max(fixed > 0 ? fixed : threshold(violation) * largest, noise);
  }
  // The same for matrices that show the squares of the singular values (Gram and augmented matrices): relative to their
  // largest entry; `size` is the number of rows and columns.
  double squared_cut(double largest, double violation, int size) const {
    const double t = fixed > 0 ? fixed : threshold(violation);
    return std::max(t * t, 8 * std::max(size, 1) * std::numeric_limits<double>::epsilon()) * largest;
  }
  // The same decision on the pivots of S = D Dᵀ, relative to its diagonal. S shows σ², so it cannot tell σ below about
  // 1e-7 from zero (specs/formulations.md §3, LS1).
  double gram_threshold(double violation, int rows) const {
    const double t = fixed > 0 ? fixed : threshold(violation);
    return std::max(t * t, 8 * std::max(rows, 1) * std::numeric_limits<double>::epsilon());
  }
  // The same for an elimination of S in a given order (gauss/sparse.h): a row whose pivot is below this depends on
  // those before it. It shows σ² of a few rows, not of all, so a wide margin costs nothing but accuracy there.
  double pivot_cut(double violation) const { return std::max(least_pivot, 1000 * gram_threshold(violation, 1)); }
  // What is added to S there, so that rows below the cut have a pivot: far below what counts without drift; with it,
  // far above the squares that rows have which are dependent on the manifold only.
  double pivot_shift(double violation) const { return 1e-5 * least_pivot + 30 * gram_threshold(violation, 1); }
  // How far a dropped row may miss its right-hand side and still count as redundant. `scale` is the largest entry of
  // the right-hand side, `smallest_kept` the relative size of the last pivot: rounding grows with its inverse.
  double inconsistency(double violation, double smallest_kept, double scale) const {
    const double rounding = 64 * std::numeric_limits<double>::epsilon() / std::max(smallest_kept, relative);
    return std::max(negligible, scale * std::max({consistency, threshold(violation), rounding}));
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
