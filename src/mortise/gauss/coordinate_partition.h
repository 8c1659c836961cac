// Coordinate partitioning: the velocities are split into dependent and independent ones, A a = A_d a_d + A_i a_i, by QR
// of A with column pivoting, whose first r pivots are the dependent columns. With A_d = [H₁ H₂] [R; 0]
//
//     N = [−A_d⁺A_i; I],    A_d⁺ = R⁻¹H₁ᵀ,    a = [A_d⁺b; 0] + N (NᵀM N)⁻¹Nᵀ (Q − M [A_d⁺b; 0]),    λ = (A_d⁺)ᵀ(Q − M
//     a)_d,
//
// minimal equations in the independent coordinates. A_d has as many columns as A has rank and the same range, so
// redundant rows need no choice, λ is the shortest, and contradicting rows are met by least squares.
// Any M that gives the motions left free a mass (else refused).
//
// The partition is kept from instant to instant, as an integrator of the independent coordinates would need it, while
// the condition of R (in the 1-norm) stays below 1e4 and below ten times that at the choice, and while A_d spans all
// columns of A: where the rank rises or falls, a new one is chosen. So the last bits depend on the past: `remembers`.
//
// Source: specs/formulations.md §3, coordinate_partition.
// Cost: QR of the dependent columns applied to all, 4 r(mn − (m + n) r/2 + r²/3), r²(n − r) for N, then
// gauss/null_space_factor.h.
#pragma once

#include "mortise/gauss/formulation.h"

namespace mortise::gauss {

class CoordinatePartition final : public Formulation {
 public:
  std::string name() const override { return "coordinate-partition"; }
  Capabilities can() const override;
  std::unique_ptr<Factor> prepare(const Pattern& pattern) const override;
};

}  // namespace mortise::gauss
