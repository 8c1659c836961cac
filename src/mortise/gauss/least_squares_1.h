// Least squares block solution 1: multipliers from the pseudoinverse of S = A M⁻¹Aᵀ, then the acceleration,
//
//     λ = S⁺(A a_f − b),      a = a_f − M⁻¹Aᵀλ,
//
// which is exactly X⁺[Q; b] of the saddle matrix X for every rank of A, since S and A have the same range. The same
// elimination as lagrange, with (·)⁺ in the place of the inverse. In whitened coordinates S = D Dᵀ shows squares of the
// singular values of D, so rank and accuracy end at about 1e-7 (RankPolicy::squared_cut).
// Needs M positive definite, and says so: without the check a singular M would give garbage in silence.
//
// Source: specs/formulations.md §2 and §3 (LS1), 002 eqs. (25) to (29); specs/orthogonal-complement.md eq. (38),
// repair 8. Cost: n m² for S, then the pseudoinverse of an m×m matrix.
#pragma once

#include "mortise/gauss/formulation.h"

namespace mortise::gauss {

class LeastSquares1 final : public Formulation {
 public:
  explicit LeastSquares1(const FormulationSettings& settings = {});  // throws std::invalid_argument
  std::string name() const override { return "least-squares-1"; }
  Capabilities can() const override;
  std::unique_ptr<Factor> prepare(const Pattern& pattern) const override;

 private:
  std::string pseudoinverse_;
};

}  // namespace mortise::gauss
