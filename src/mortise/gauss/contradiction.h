// Which rows follow from earlier ones, and which contradict them: for reports, after any formulation.
//
//     row i = Σ c_j row j over the rows of `rows` before it,     ρ = b_i − Σ c_j b_j.
//
// Rows are judged in the order in which they are given: `row` is the one met last, `rows` the smallest set with it that
// is dependent (a circuit). ρ says how much more it asks than the others grant; which of them is at fault is for the
// user to decide. The rank is decided by RankPolicy with pivoting, in the metric of the formulations (rows scaled, M =
// I) where M is positive definite, in that of the scaled rows alone where it is not.
//
// Source: specs/gigsp-and-genetic.md §2 (inconsistency, §2.5 of the source) and §3.
// Cost: 2nm² + O(m (m − r)²). Allocates.
#pragma once

#include <vector>

#include "mortise/gauss/problem.h"

namespace mortise::gauss {

struct DependentRow {
  int row = 0;
  std::vector<int> rows;  // ascending, `row` the last of them; alone: its coefficients vanish at this pose
  Vector coefficients;    // of rows[0], rows[1], …; of `row` itself −1
  double residual = 0;    // ρ, in the unit of b
  bool conflicting = false;
};

// All dependent rows, in their order. Uses M, A, active and violation of the problem.
std::vector<DependentRow> dependent_rows(const GaussProblem& problem, ConstSpan b, const linalg::RankPolicy& policy);
// Those whose right-hand side contradicts the earlier rows. Empty: there is a motion that fulfils all rows.
std::vector<DependentRow> contradictions(const GaussProblem& problem, ConstSpan b, const linalg::RankPolicy& policy);

}  // namespace mortise::gauss
