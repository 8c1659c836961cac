// How weakly the rows of a problem hold together: the least singular value that is not zero of their scaled, whitened
// matrix, by soft solutions, which need no rank.
//
//     f(S) = S (S + τ)⁻²,   S = diag(s) A M⁻¹ Aᵀ diag(s)
//
// is nothing on what no row sees and falls with σ² elsewhere, down to σ² = τ, so that its largest eigenvalue, by power
// iteration, belongs to the least σ; S y = x − τ y comes with the solution (S + τ) y = x. Rounding leaves ε/τ² on what
// no row sees: τ is such that this is next to nothing.
//
// Cost: a factorisation and about 40 solutions. Allocates.
#pragma once

#include "mortise/gauss/problem.h"

namespace mortise::gauss {

// Between a thousandth, which is all that can be told, and one; one where masses have no metric.
double weakest_singular_value(const GaussProblem& problem, const linalg::RankPolicy& policy);

}  // namespace mortise::gauss
