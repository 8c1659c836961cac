// A factor that can also hold rows softly, for integrators that advance multipliers in time:
//
//     (diag(κ) + A M⁻¹Aᵀ) λ = r,    κ > 0 on the rows that are on.
//
// Positive definite for any rank of A, so nothing has to be decided; λ tends to the shortest multipliers as κ falls.
// By elimination along the joint graph (sparse.h), or along a tree whose mass matrix is nowhere written down
// (tree_formulation.h): the problem says which.
#pragma once

#include <memory>

#include "mortise/gauss/formulation.h"

namespace mortise::gauss {

class SoftFactor : public Factor {
 public:
  // A factorisation of this kind serves `solve_soft` and `divide_by_mass` alone. Returns false and fills `refusal`
  // where M is singular.
  virtual bool factor_soft(const GaussProblem& problem, const linalg::RankPolicy& policy, ConstSpan kappa) = 0;
  // λ of rows that are off is zero. `r` and `lambda` may be the same.
  virtual void solve_soft(ConstSpan r, Span lambda) = 0;
  // M alone: for `divide_by_mass`. Returns false and fills `refusal` where it is singular.
  virtual bool factor_mass(const GaussProblem& problem, const linalg::RankPolicy& policy) = 0;
  // y = M⁻¹x with the masses of the last factorisation of any kind; x and y may be the same.
  virtual void divide_by_mass(ConstSpan x, Span y) = 0;
};

// Whether the mass of a problem is that of a tree, and its matrix is not there.
bool mass_is_of_tree(const GaussProblem& problem);
// The one that suits problems like this one.
std::unique_ptr<SoftFactor> make_soft_factor(const Pattern& pattern, const GaussProblem& problem);

}  // namespace mortise::gauss
