// Least squares block solution 2: for a mass matrix that may be singular. With E = I − A⁺A, R = M A⁺, W = (E M E)⁺,
//
//     a = W Q + (A⁺ − W R) b,      λ = (A⁺)ᵀ(Q − M a),
//
// the blocks of the pseudoinverse of the saddle matrix: a is the part that the rows ask for, A⁺b, and what the forces
// make of the motions left free. Needs every such motion to have mass: E M E must have rank n − r, else the
// accelerations are not unique and the case is refused (the formula would return the shortest in silence).
//
// Source: specs/formulations.md §2 and §3 (LS2), 002 eqs. (30) to (34); λ in the short form of repair 2.
// Cost: pseudoinverses of m×n and n×n, and some products of n×n.
#pragma once

#include "mortise/gauss/formulation.h"

namespace mortise::gauss {

class LeastSquares2 final : public Formulation {
 public:
  explicit LeastSquares2(const FormulationSettings& settings = {});  // throws std::invalid_argument
  std::string name() const override { return "least-squares-2"; }
  Capabilities can() const override;
  std::unique_ptr<Factor> prepare(const Pattern& pattern) const override;

 private:
  std::string pseudoinverse_;
};

}  // namespace mortise::gauss
