// Udwadia-Kalaba: the constrained acceleration nearest to the free one, in one formula,
//
//     a = a_f + L⁻ᵀ D⁺ (b − A a_f),      λ = −(D⁺)ᵀD⁺ (b − A a_f),      M = L Lᵀ,  D = A L⁻ᵀ,  a_f = M⁻¹Q.
//
// Holds for any rank of A: (·)⁺ is the Moore-Penrose inverse, by default by a complete orthogonal decomposition that
// decides the rank, says which rows it kept and never forms D⁺; any other algorithm of linalg/pseudoinverses/ by its
// name (these say nothing of single rows). The rows are scaled first, D = diag(s) A L⁻ᵀ with s = Pattern::row_scale, so
// that rank does not depend on units; therefore
//   - where λ is not unique, the one given minimises Σ (λ_i / s_i)², the norm of the multipliers of the scaled rows
//     (with s = 1 the Euclidean norm of the literature);
//   - where the rows contradict one another, a minimises Σ s_i² (A a − b)_i².
//
// A row is `independent` when the decomposition kept it, `redundant` when it follows from the kept ones, `conflicting`
// when they deny it, `vanished` when all its coefficients are zero at this pose.
// Needs M positive definite. A a = b holds to rounding as it is (5e-15 of rows and accelerations of order ten, for
// condition numbers up to 1e8): a step of iterative refinement would gain nothing.
//
// With `reuse` > 1 the inverse of an earlier instant serves for so many accepted steps, P = D⁺ of then, all else of
// now:
//     a = a_f + L⁻ᵀP (b − A a_f),     and with compensate_by_projection   a ← a − L⁻ᵀD⁺(A a − b),
// else the feedback in b (Baumgarte) is to hold the drift. The reactions then lie in the range of the old rows, so a is
// wrong along the manifold in the first order of the step, and compensation cures A a = b, not that. (kim-vanderploeg
// reuses without this error.)
//
// Source: specs/formulations.md §2 and §3 (UK), 002 eqs. (23) and (24) with the Cholesky factor on the right side;
// specs/gigsp-and-genetic.md §2 for reuse.
// Cost: O(n m²); see linalg/householder_cod.h.
#pragma once

#include "mortise/gauss/formulation.h"

namespace mortise::gauss {

class UdwadiaKalaba final : public Formulation {
 public:
  // `pseudoinverse` of the settings: "" or "cod" for the built-in decomposition. Throws std::invalid_argument.
  explicit UdwadiaKalaba(const FormulationSettings& settings = {});
  std::string name() const override { return "udwadia-kalaba"; }
  Capabilities can() const override;
  std::unique_ptr<Factor> prepare(const Pattern& pattern) const override;

 private:
  std::string pseudoinverse_;
  int reuse_;
  bool compensate_;
};

}  // namespace mortise::gauss
