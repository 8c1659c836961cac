#include "mortise/analysis/stepper.h"

#include <fmt/format.h>

#include <stdexcept>

#include "mortise/stabilize/stabilizer.h"

namespace mortise::analysis {

namespace {

template <class Entry>
void check_name(const std::vector<Entry>& entries, const std::string& name, const char* what, const char* list,
                const Place& place) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    if (entry.name == name) return;
    names.push_back(entry.name);
  }
  const std::string near = nearest_name(name, names);
  const std::string hint = near.empty() ? "" : fmt::format("did you mean '{}'?   ", near);
  throw ModelError(Diagnostic{"M207", fmt::format("unknown {} '{}'", what, name), place,
                              hint + fmt::format("(mortise list {})", list), false});
}

const model::AnalysisSettings& checked(const model::AnalysisSettings& settings) {
  check_settings(settings);
  return settings;
}

linalg::RankPolicy policy(const model::AnalysisSettings& settings) {
  linalg::RankPolicy policy;
  policy.relative = settings.rank_tolerance;
  return policy;
}

}  // namespace

void check_settings(const model::AnalysisSettings& a) {
  check_name(gauss::formulations(), a.formulation, "formulation", "formulations", a.place_formulation);
  check_name(integrate::integrators(), a.integrator, "integrator", "integrators", a.place_integrator);
  check_name(stabilize::stabilizers(), a.stabilize, "stabilisation", "stabilizations", a.place_stabilize);
  for (const integrate::IntegratorEntry& entry : integrate::integrators())
    if (entry.name == a.integrator) {
      if (!entry.make)
        throw ModelError(Diagnostic{"M207", fmt::format("integrator '{}' is not in this build", a.integrator),
                                    a.place_integrator, entry.help, false});
      if (!entry.adaptive && !(a.step > 0))
        throw ModelError(Diagnostic{"M206", fmt::format("integrator '{}' needs a step", a.integrator),
                                    a.place_integrator, "give `step: 0.01`", false});
    }
  if (a.type != "dynamics")
    throw ModelError(Diagnostic{"M207", fmt::format("unknown analysis type '{}'", a.type), a.place,
                                "this version has: dynamics", false});
}

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
    : projects_(checked(settings).stabilize == "projection"),
      formulation_(gauss::make_formulation(settings.formulation)),
      stabilizer_(stabilize::make_stabilizer(settings.stabilize, {settings.alpha, settings.beta, settings.gamma})),
      motion_(system, *formulation_, *stabilizer_, policy(settings)),
      integrator_(
          integrate::make_integrator(settings.integrator, {settings.tolerance, settings.step, settings.max_step, 0})),
      state_(zero_state(system)) {
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
  if (projects_) motion_.project(state_, Motion::Start::fresh);
  motion_.pack(state_, as_span(y_));
  integrator_->start(motion_, state_.t, as_span(y_));
}

void Stepper::advance_to(double t) {
  while (integrator_->t() < t) integrator_->step(t);
}

const State& Stepper::state() {
  motion_.unpack(integrator_->t(), integrator_->y(), state_);
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
  if (!integrator_->remembers()) restart();
  State copy = state();
  if (integrator_->remembers()) integrator_->save(copy.memory);
  return copy;
}

void Stepper::load(const State& state) {
  if (state.q.size() != state_.q.size() || state.v.size() != state_.v.size())
    throw std::invalid_argument("this state belongs to another system");
  state_ = state;
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
