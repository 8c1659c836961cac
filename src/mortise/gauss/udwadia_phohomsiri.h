// Udwadia-Phohomsiri: all accelerations from one pseudoinverse, for a mass matrix that may be singular,
//
//     a = [E M; A]⁺ [E Q; b],      E = I − A⁺A,      λ = (A⁺)ᵀ(Q − M a).
//
// The upper rows say that along the motions left free the forces are those applied, E M a = E Q. (The source leaves E
// out on the right side, which changes nothing but the rounding.) Unique when [M; A] has full column rank; else
// refused, with the number of motions that have neither mass nor constraint. Forces C of the constraints that do work
// are part of Q here (Motion adds GaussProblem::C to it): then M a − Q without C is the whole of the constraint forces.
// Of A only what its rank holds is stacked, A(I − E): a row that counts as dependent does not pull.
//
// Source: specs/formulations.md §2 and §3 (UP), 002 eqs. (35) to (43), repair 4.
// Cost: pseudoinverses of m×n and (n + m)×n, and some products of n×n.
#pragma once

#include "mortise/gauss/formulation.h"

namespace mortise::gauss {

class UdwadiaPhohomsiri final : public Formulation {
 public:
  explicit UdwadiaPhohomsiri(const FormulationSettings& settings = {});  // throws std::invalid_argument
  std::string name() const override { return "udwadia-phohomsiri"; }
  Capabilities can() const override;
  std::unique_ptr<Factor> prepare(const Pattern& pattern) const override;

 private:
  std::string pseudoinverse_;
};

}  // namespace mortise::gauss
