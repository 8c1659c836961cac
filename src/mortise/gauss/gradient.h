// Gauss' principle by conjugate gradients: the fair rival of the genetic search (genetic.h). It sees the same function
// and, like the search, needs only products with M and A; no matrix is decomposed to find the answer.
//
//     minimise ½ aᵀM a − aᵀQ   on   A a = b:      a ← A⁺b,  then along directions  p = P g + β p,   P = I − A⁺A,
//
// where P g = g − Aᵀy, y the shortest of those nearest to Aᵀy = g, is itself found by conjugate gradients
// (least_squares_cg.h), twice, so that what is left across the constraints is rounding. λ is the y of g = Q − M a.
// Why a projection and not the penalty of penalty.h: there the condition number grows with w, and with it both the
// iterations and the error (5e-7 at w = 1e8, no better than about 1e-8 at any w); here w does not occur, and the error
// is that of a direct solve (4e-12 of the acceleration for singular values down to 1e-3 of the largest).
//
// Coordinates are scaled by 1/√M_jj first, so that for bodies with a diagonal mass matrix one step is the whole search.
// Rows may depend on one another, and contradictory ones give the compromise that Udwadia-Kalaba gives; M may be
// singular where the constraints hold what has no mass. The rank is reported from Gram-Schmidt on the rows, not used.
//
// Source: specs/gigsp-and-genetic.md §2 (the Gauss function, "CG or Cholesky"); Gould, Hribar and Nocedal, SIAM J. Sci.
// Comput. 23 (2001), for the projection applied twice and the residual replaced by its projection.
// Cost: n − r iterations of 2n² and two projections, of r iterations of 4nm each; n³/3 once to make sure that the
// acceleration is unique.
#pragma once

#include "mortise/gauss/formulation.h"

namespace mortise::gauss {

class Gradient final : public Formulation {
 public:
  std::string name() const override { return "gauss-gradient"; }
  Capabilities can() const override;
  std::unique_ptr<Factor> prepare(const Pattern& pattern) const override;
};

}  // namespace mortise::gauss
