// GIGSP, generalized inverse by a Gram-Schmidt process: once the rows are orthonormal their transpose is their inverse,
//
//     a = a_f + L⁻ᵀHᵀ (b₁ − H Lᵀa_f),      A L⁻ᵀ = R H,   R₁ b₁ = b (kept rows),   M = L Lᵀ,   a_f = M⁻¹Q.
//
// Any rank of A; λ is the shortest of the scaled rows. It says which rows depend on others in the order in which they
// are given, by what combination, and how much more a row asks than the earlier ones grant it (gauss/dependencies.h,
// gauss/contradiction.h). A row that contradicts the earlier ones is `conflicting` and left out: a fulfils all others
// (where it has a share of less than a tenth in its combination, the row with the largest is left out instead).
// Redundant rows are `redundant`, rows without coefficients at this pose `vanished`.
//
// Order of the elimination: pivoted, the longest row first (default), or as given, the source's form. That one loses a
// driver that comes last when drift makes loop rows look independent.
// Needs M positive definite.
//
// Source: specs/gigsp-and-genetic.md §2 (2.30), in the form A L⁻ᵀ = R H instead of T.
// Cost: n³/3 + n²m + 2nm² flops (2nm² for diagonal M); with redundant rows O(m (m − r)²) more.
#pragma once

#include "mortise/gauss/formulation.h"
#include "mortise/linalg/gram_schmidt.h"

namespace mortise::gauss {

class Gigsp final : public Formulation {
 public:
  using Order = linalg::RowGramSchmidt::Order;

  explicit Gigsp(Order order = Order::pivoted) : order_(order) {}
  std::string name() const override { return "gigsp"; }
  Capabilities can() const override;
  std::unique_ptr<Factor> prepare(const Pattern& pattern) const override;

 private:
  Order order_;
};

}  // namespace mortise::gauss
