// Lagrange multipliers by elimination: the classical equations M a + Aᵀλ = Q, A a = b with M eliminated first,
//
//     S μ = Y w_f − s∘b,    S = Y Yᵀ (= A M⁻¹Aᵀ with scaled rows),    λ = s∘μ,    a = L⁻ᵀ (w_f − Yᵀμ)
//
// in the notation of whitened_rows.h. The fastest formulation, and the one that knows nothing of redundancy: when rows
// depend on one another it refuses and names them. Needs M positive definite.
//
// S shows the squares of the singular values, so rows that are dependent to within about 1e-7 count as dependent
// (RankPolicy::gram_threshold).
// Source: specs/formulations.md §2, direct solve of (8) for full row rank through its Schur complement S.
// Cost: S from the pairs of row blocks that meet in a body, LDLᵀ m³/6.
#pragma once

#include "mortise/gauss/formulation.h"

namespace mortise::gauss {

class Lagrange final : public Formulation {
 public:
  std::string name() const override { return "lagrange"; }
  Capabilities can() const override { return {}; }
  std::unique_ptr<Factor> prepare(const Pattern& pattern) const override;
};

}  // namespace mortise::gauss
