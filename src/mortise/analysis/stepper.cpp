#include "mortise/analysis/stepper.h"

#include <fmt/format.h>

#include <stdexcept>

#include "mortise/analysis/contacts.h"
#include "mortise/analysis/methods.h"

namespace mortise::analysis {

namespace {

const model::AnalysisSettings& checked(const model::AnalysisSettings& settings) {
  check_settings(settings);
  if (settings.coordinates != "absolute")
    throw ModelError(Diagnostic{"M207", "a Simulation runs in absolute coordinates", settings.place_coordinates,
                                "leave `coordinates` out, or use run_dynamics (mortise run)", false});
  return settings;
}

}  // namespace

State zero_state(const System& system) {
  State state;
  state.q.setZero(system.q_size());
  state.v.setZero(system.v_size());
  state.lambda.setZero(system.pattern().m());
  state.work.setZero(work_count);
  state.active.assign(static_cast<std::size_t>(system.pattern().m()), 1);
  state.inputs = system.initial_inputs();
  return state;
}

Stepper::Stepper(const System& system, const model::AnalysisSettings& settings)
    : formulation_(make_formulation(checked(settings))),
      stabilizer_(make_stabilizer(settings, system)),
      motion_(system, *formulation_, *stabilizer_, rank_policy(settings)),
      integrator_(make_integrator(settings)),
      state_(zero_state(system)) {
  give_contacts(*integrator_, settings, system);
  y_.setZero(motion_.size());
}

void Stepper::start(State state) {
  const System& system = motion_.system();
  if (state.q.size() != system.q_size() || state.v.size() != system.v_size())
    throw std::invalid_argument(fmt::format("a state with {} coordinates and {} velocities; the system has {} and {}",
                                            state.q.size(), state.v.size(), system.q_size(), system.v_size()));
  state_ = std::move(state);
  motion_.set_active(state_.active);
  motion_.set_inputs(state_.inputs);
  if (stabilizer_->projects()) motion_.project(state_, Motion::Start::fresh);
  motion_.pack(state_, as_span(y_));
  integrator_->start(motion_, state_.t, as_span(y_));
}

void Stepper::advance_to(double t) {
  while (integrator_->t() < t) integrator_->step(t);
}

const State& Stepper::state() {
  motion_.unpack(integrator_->t(), integrator_->y(), state_);
  state_.inputs = motion_.inputs();
  return state_;
}

void Stepper::restart() {
  std::copy(integrator_->y().begin(), integrator_->y().end(), y_.data());
  integrator_->start(motion_, integrator_->t(), as_span(y_));
}

void Stepper::set_inputs(const Vector& inputs) {
  state_.inputs = inputs;
  motion_.set_inputs(inputs);
  restart();
}

State Stepper::save() {
  motion_.forget();
  if (!integrator_->remembers()) restart();
  State copy = state();
  if (integrator_->remembers()) integrator_->save(copy.memory);
  return copy;
}

void Stepper::load(const State& state) {
  if (state.q.size() != state_.q.size() || state.v.size() != state_.v.size())
    throw std::invalid_argument("this state belongs to another system");
  state_ = state;
  motion_.forget();
  motion_.set_active(state_.active);
  motion_.set_inputs(state_.inputs);
  if (integrator_->remembers()) {
    integrator_->load(motion_, state.memory);
  } else {
    motion_.pack(state_, as_span(y_));
    integrator_->start(motion_, state_.t, as_span(y_));
  }
}

}  // namespace mortise::analysis
