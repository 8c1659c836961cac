// Small numbers of pivoted orthogonalisations. They decide the order of the work, never a rank (rank_policy.h does).
#pragma once

namespace mortise::linalg {

// Columns whose squared norms differ by less count as equally long: the one named first becomes the pivot. Far above
// the error of a down-dated norm, far below anything that would spoil the pivoting.
inline constexpr double tie = 1e-6;
// A squared norm that fell below this share of its last computed value is computed anew (LAPACK's tol3z, √ε).
inline constexpr double cancelled = 1.5e-8;

}  // namespace mortise::linalg
