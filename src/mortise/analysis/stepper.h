// A system in motion: formulation, stabilisation and integrator of the analysis settings bound to it, to be moved
// forward at will. Any System will do, a user's own too (examples/cpp/own_system.cpp).
#pragma once

#include <memory>

#include "mortise/analysis/methods.h"
#include "mortise/integrate/integrator.h"
#include "mortise/model/model.h"
#include "mortise/motion/motion.h"

namespace mortise::analysis {

// A state of a system that is at rest at the origin: sizes and switches are right, q and v are for the caller to fill.
State zero_state(const System& system);

class Stepper {
 public:
  // Checks the settings. The system must outlive the stepper.
  Stepper(const System& system, const model::AnalysisSettings& settings);

  // Begins at a state; with projection it is first brought to the constraints.
  void start(State state);
  // Moves to t, exactly, by as many steps as the tolerance needs. Throws SolveError; the state is then that of the last
  // good step.
  void advance_to(double t);
  integrate::StepReport step(double stop) { return integrator_->step(stop); }  // one, not past `stop`
  double t() const { return integrator_->t(); }
  const State& state();  // here and now: t, q, v, work, inputs

  // The integrator begins anew where it stands: what acts on the system has changed.
  void restart();
  void set_inputs(const Vector& inputs);  // and restarts

  // A state with all that the integrator remembers. An integrator that cannot be saved whole begins anew instead, here
  // too, so that both continuations have the same bits.
  State save();
  void load(const State& state);

  bool projects() const { return stabilizer_->projects(); }
  Motion& motion() { return motion_; }
  const integrate::Integrator& integrator() const { return *integrator_; }
  const integrate::Counters& counters() const { return integrator_->counters(); }

 private:
  std::unique_ptr<gauss::Formulation> formulation_;
  std::unique_ptr<Stabilizer> stabilizer_;
  Motion motion_;
  std::unique_ptr<integrate::Integrator> integrator_;
  State state_;
  Vector y_;
};

}  // namespace mortise::analysis
