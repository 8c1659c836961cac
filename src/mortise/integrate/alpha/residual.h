// What the equations of motion leave at a state with given accelerations and multipliers,
//
//     r = M a + Aᵀλ − Q,
//
// loads that depend on a and λ included (friction by the reaction of its own joint).
// Cost: one evaluation of the system. No allocation after construction.
#pragma once

#include "mortise/system/system.h"

namespace mortise::integrate {

class Residual {
 public:
  explicit Residual(const System& system);

  // r at the state and λ = state.lambda. Throws SolveError when anything is not finite.
  void at(const State& state, ConstSpan a, Vector& r);
  // Positions and rows alone: `evaluation` then has φ, φ̇ and A.
  void rows_at(const State& state);
  const Evaluation& evaluation() const { return evaluation_; }

 private:
  const System& system_;
  std::unique_ptr<Scratch> scratch_;
  Evaluation evaluation_;
  Vector pull_, z_;
};

}  // namespace mortise::integrate
