// Kim-Vanderploeg: minimal equations by QR with column pivoting, Aᵀ P = [Q₁ Q₂] R. Its first r pivots name the rows
// that are kept, A_r; then
//
//     Q̃₁ = Q₁ (A_r Q₁)⁻¹,      Q̃₂ = Q₂ − Q̃₁ A_r Q₂,      a = Q̃₁ b_r + Q̃₂ (Q̃₂ᵀM Q̃₂)⁻¹ Q̃₂ᵀ (Q − M Q̃₁ b_r).
//
// With a fresh QR A_r Q₂ = 0 and Q̃₂ = Q₂. The tildes are for an old one: A_r Q̃₁ = I and A_r Q̃₂ = 0 hold for the present
// A whatever instant Q₁ and Q₂ come from, so `reuse` costs nothing in accuracy. An old QR is given up before its time
// when A_r Q₁ becomes ill conditioned (1e6, or the rank threshold), when rows are switched, or when a dropped row no
// longer follows from the kept ones.
//
// Of rows that depend on one another, A_d = T A_r, the dropped ones are named: `redundant`, or `conflicting` when b_d
// is not T b_r (a then follows the kept rows; other formulations compromise). The shortest multipliers with the same
// forces are μ_d = (I + T Tᵀ)⁻¹ T μ_b, μ_r = μ_b − Tᵀμ_d, where μ_b = Q̃₁ᵀ(Q − M a) are those of the kept rows alone.
// Any M that gives the motions left free a mass (else refused).
//
// Source: specs/gigsp-and-genetic.md §2 and §3, (4.3) to (4.6) with its repair.
// Cost: 10n³/3 − n²m + 4nm² + m³ for full M, 4n³/3 + n²m + 4nm² + m³ for diagonal M (m = r); an old QR saves its 2m²(n
// − m/3) and Q, and pays 4nm(n − m) for Q̃₂.
#pragma once

#include "mortise/gauss/formulation.h"

namespace mortise::gauss {

class KimVanderploeg final : public Formulation {
 public:
  explicit KimVanderploeg(const FormulationSettings& settings = {}) : reuse_(settings.reuse) {}
  std::string name() const override { return "kim-vanderploeg"; }
  Capabilities can() const override;
  std::unique_ptr<Factor> prepare(const Pattern& pattern) const override;

 private:
  int reuse_;
};

}  // namespace mortise::gauss
