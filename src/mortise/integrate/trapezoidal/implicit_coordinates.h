// Coordinates by an implicit one-step formula, as a module of its own: it is given the forces of the constraints as a
// vector; where they come from is not its business.
//
//     a⁺ = M⁻¹(Q − f),   v⁺ = h_v + δ a⁺,   q⁺ = q ⊕ (h_Δ + δ v⁺),      h_v = v + [δ a],   h_Δ = [δ v],
//
// the terms in brackets with the trapezoidal rule only (implicit_formula.h). M and Q are those of the last trial
// (q_p, v_p), first q_p = q ⊕ (h v + ½h²a), v_p = v + h a, then what came out: a fixed-point iteration, which converges
// where springs and dampers are soft against the step. A body turns by the mean of its angular velocities, by the
// mid-point rule for Euler parameters (`System::cayley`): order two, unit quaternions.
//
// Source: specs/nasa-4-stabilization.md §2.4, §3.1, §3.2. Cost: a product with M⁻¹ a trial.
#pragma once

#include <string>

#include "mortise/gauss/mass_blocks.h"
#include "mortise/integrate/trapezoidal/implicit_formula.h"
#include "mortise/system/system.h"

namespace mortise::integrate {

class ImplicitCoordinates {
 public:
  ImplicitCoordinates(const System& system, ImplicitFormula formula);

  // The state at the old time, with the accelerations that the formula remembers.
  void begin(ConstSpan q, ConstSpan v, ConstSpan a);

  // The first trial of a step.
  void predict(double h);
  // M⁻¹Q of the trial. Returns the velocity block whose mass is not positive definite, −1 when all are.
  int divide(const gauss::GaussProblem& problem, const linalg::RankPolicy& policy, ConstSpan Q);
  // Accelerations a⁺ under the forces f; `correct` makes what follows from them the next trial, and returns how far it
  // lies from the last one: the largest change of a coordinate, by its typical size.
  void accelerate(ConstSpan f);
  double correct();
  // The trial is the state.
  void accept();

  double delta() const { return delta_; }
  const Vector& q() const { return q_; }
  const Vector& v() const { return v_; }
  const Vector& a() const { return a_; }
  const Vector& trial_q() const { return q_trial_; }
  const Vector& trial_v() const { return v_trial_; }
  const Vector& trial_a() const { return a_trial_; }
  // What multipliers ask for: M⁻¹Q, h_v + δ M⁻¹Q, and h_q − q_p along the tangent of the trial.
  const Vector& free_acceleration() const { return free_a_; }
  const Vector& free_velocity() const { return free_v_; }
  const Vector& way_back() const { return back_; }

  void save(Memory& memory, const std::string& slot) const;
  void load(const Memory& memory, const std::string& slot);

 private:
  const System& system_;
  ImplicitFormula formula_;
  gauss::MassBlocks mass_;
  double delta_ = 0;
  Vector q_, v_, a_;                           // old
  Vector q_trial_, v_trial_, a_trial_, move_;  // trial; q_trial = q ⊕ move
  Vector h_v_, h_move_, free_a_, free_v_, back_, work_, q_next_, per_size_;
};

}  // namespace mortise::integrate
