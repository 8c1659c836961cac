// Singh-Likins: minimal equations on the null space of A, by singular values A = U Σ Vᵀ, V = [V₁ V₂],
//
//     a = A⁺b + V₂ (V₂ᵀM V₂)⁻¹ V₂ᵀ (Q − M A⁺b),      λ = (A⁺)ᵀ(Q − M a),      A⁺ = V₁ Σ₁⁻¹ U₁ᵀ.
//
// Any rank of A, any M that gives the motions left free a mass (else refused). Contradicting rows are met by least
// squares. Orthonormal bases throughout: the most careful of the minimal forms, and the dearest.
//
// Source: specs/gigsp-and-genetic.md §2, (4.1).
// Cost: nominal 4n²m + 8nm² + 9m³ for the singular values, then gauss/null_space_factor.h.
#pragma once

#include "mortise/gauss/formulation.h"

namespace mortise::gauss {

class SinghLikins final : public Formulation {
 public:
  std::string name() const override { return "singh-likins"; }
  Capabilities can() const override;
  std::unique_ptr<Factor> prepare(const Pattern& pattern) const override;
};

}  // namespace mortise::gauss
