#include "mortise/analysis/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mortise/analysis/dynamics.h"

namespace mortise::analysis {

namespace {

const std::string simulation_memory = "simulation";

std::shared_ptr<const mechanism::Mechanism> compile(model::Model model, const mechanism::PartList& parts) {
  return mechanism::Mechanism::compile(std::make_shared<const model::Model>(std::move(model)), parts);
}

// The first k with k·period not before t.
double next_call(double t, double period) {
  double k = std::ceil(t / period);
  while (k > 0 && (k - 1) * period >= t) --k;
  while (k * period < t) ++k;
  return k;
}

}  // namespace

Simulation::Simulation(model::Model model, const mechanism::PartList& parts)
    : Simulation(compile(std::move(model), parts)) {}

Simulation::Simulation(std::shared_ptr<const mechanism::Mechanism> mechanism)
    : mechanism_(std::move(mechanism)),
      stepper_(*mechanism_, mechanism_->model().analysis),
      rule_(*mechanism_, mechanism_->model().analysis.reactions, rank_policy(mechanism_->model().analysis)),
      observer_(*mechanism_, stepper_.motion(), stepper_.projects()) {
  const model::AnalysisSettings& settings = mechanism_->model().analysis;
  State start = mechanism_->initial_state();
  AssemblyOptions how;
  how.positions = settings.assemble;
  how.allow_flip = settings.allow_flip;
  how.rank = rank_policy(settings);
  how.formulation = assembly_formulation(settings);
  assembly_ = assemble(*mechanism_, start, how);
  if (!mechanism_->events().empty()) {
    if (stepper_.projects()) stepper_.motion().project(start, Motion::Start::fresh);
    events_ = std::make_unique<EventRun>(*mechanism_, how.rank);
    events_->begin(start, ledger_);
  }
  stepper_.start(std::move(start));
  if (events_) events_->arm(stepper_.t(), stepper_.integrator().y(), stepper_.state());
  inputs_ = stepper_.state().inputs;
  observer_.set_rule(&rule_);
  observer_.resize(frame_);
}

void Simulation::step(double dt) {
  if (!(dt > 0 && std::isfinite(dt))) throw std::invalid_argument(fmt::format("step({}): expected a time above 0", dt));
  if (dt != dt_ || t() != dt_start_ + dt_count_ * dt_) {
    dt_ = dt;
    dt_start_ = t();
    dt_count_ = 0;
  }
  advance_to(dt_start_ + (dt_count_ + 1) * dt_);
  ++dt_count_;
}

void Simulation::advance_to(double until) {
  if (calling_) throw std::logic_error("a callback of every() may not advance the simulation");
  if (!(until >= t() && std::isfinite(until)))
    throw std::invalid_argument(fmt::format("advance_to({}): expected a time from {} on", until, t()));
  while (true) {
    call_due();
    if (t() == until) return;
    double stop = until;
    for (const Sampled& s : sampled_) stop = std::min(stop, s.next * s.period);
    integrate_to(stop);
  }
}

void Simulation::call_due() {
  for (Sampled& s : sampled_)
    if (s.next * s.period <= t()) {
      s.next += 1;
      calling_ = true;
      try {
        s.callback(*this);
      } catch (...) {
        calling_ = false;
        throw;
      }
      calling_ = false;
    }
}

void Simulation::integrate_to(double stop) {
  if (inputs_changed_) {
    stepper_.set_inputs(inputs_);
    if (events_) events_->arm(stepper_.t(), stepper_.integrator().y(), stepper_.state());
  }
  inputs_changed_ = false;
  frame_is_now_ = false;
  try {
    integrate_steps(stop);
  } catch (const SolveError& error) {
    if (error.report().code != "S402") throw;
    throw SolveError(explain_lost_step(*mechanism_, stepper_.motion(), stepper_.state(), stop, error.report()));
  }
}

void Simulation::integrate_steps(double stop) {
  while (stepper_.t() < stop) {
    if (watch_) watch_();
    stepper_.step(events_ ? events_->stop(stepper_.t(), stop) : stop);
    if (!events_) continue;
    const auto found = events_->search(stepper_.integrator());
    if (!found) continue;
    State state = stepper_.state();
    Vector y(stepper_.motion().size());
    stepper_.integrator().dense(*found, as_span(y));
    stepper_.motion().unpack(*found, as_span(y), state);
    mechanism_->normalize(as_span(state.q));
    if (stepper_.projects()) stepper_.motion().project(state, Motion::Start::fresh);
    events_->handle(state, ledger_);
    stepper_.motion().forget();
    stepper_.start(std::move(state));
    events_->arm(stepper_.t(), stepper_.integrator().y(), stepper_.state());
    inputs_ = stepper_.state().inputs;
  }
  if (events_) inputs_ = stepper_.motion().inputs();  // integrators of contacts write there what they found
}

void Simulation::set(const std::string& input, double value) {
  const std::vector<std::string>& names = mechanism_->model().input_names;
  const auto found = std::find(names.begin(), names.end(), input);
  if (found == names.end()) {
    const std::string near = nearest_name(input, names);
    throw ModelError(Diagnostic{"M190",
                                fmt::format("there is no input '{}'", input),
                                {},
                                !near.empty()   ? fmt::format("did you mean '{}'?", near)
                                : names.empty() ? "the model has none: declare it under `inputs: {u: 0}`"
                                                : fmt::format("inputs: {}", fmt::join(names, ", ")),
                                false});
  }
  if (!std::isfinite(value)) throw std::invalid_argument(fmt::format("set(\"{}\"): {} is not finite", input, value));
  double& slot = inputs_[found - names.begin()];
  if (slot == value) return;
  slot = value;
  inputs_changed_ = true;
  frame_is_now_ = false;
}

const Frame& Simulation::frame() {
  if (frame_is_now_) return frame_;
  scratch_ = stepper_.state();
  scratch_.inputs = inputs_;
  observer_.observe(scratch_, frame_);
  check_consistent(*mechanism_, stepper_.motion(), observer_.solution(), scratch_.t);
  frame_is_now_ = true;
  return frame_;
}

double Simulation::get(const std::string& name) {
  auto found = quantities_.find(name);
  if (found == quantities_.end()) found = quantities_.emplace(name, analysis::find_quantity(*mechanism_, name)).first;
  const Frame& now = frame();
  return found->second.value(now, observer_.motions());
}

void Simulation::every(double period, std::function<void(Simulation&)> callback) {
  if (!(period > 0 && std::isfinite(period)))
    throw std::invalid_argument(fmt::format("every({}): expected a time above 0", period));
  if (!callback) throw std::invalid_argument("every: there is nothing to call");
  if (calling_) throw std::logic_error("a callback of every() may not add others");
  sampled_.push_back({period, next_call(t(), period), std::move(callback)});
}

State Simulation::state() {
  State copy = stepper_.save();
  frame_is_now_ = false;
  if (events_) {
    events_->forget();
    events_->save(copy.memory);
  }
  const Span own = copy.memory.slot(simulation_memory, 4 + static_cast<std::size_t>(inputs_.size()) + sampled_.size());
  std::size_t k = 0;
  for (const double x : {dt_, dt_start_, dt_count_, inputs_changed_ ? 1.0 : 0.0}) own[k++] = x;
  for (const double x : inputs_) own[k++] = x;  // the stepper's are older when one was set just now
  for (const Sampled& s : sampled_) own[k++] = s.next;
  return copy;
}

void Simulation::restore(const State& state) {
  const ConstSpan own = state.memory.read(simulation_memory);
  const auto inputs = static_cast<std::size_t>(inputs_.size());
  if (own.size() != 4 + inputs + sampled_.size())
    throw std::invalid_argument(own.empty()
                                    ? "restore: this state does not come from a simulation"
                                    : "restore: this state comes from a simulation with other inputs or callbacks");
  if (calling_) throw std::logic_error("a callback of every() may not restore a state");
  stepper_.load(state);
  if (events_) events_->load(state, stepper_.integrator().y().size());
  dt_ = own[0], dt_start_ = own[1], dt_count_ = own[2];
  inputs_changed_ = own[3] != 0;
  for (std::size_t k = 0; k < inputs; ++k) inputs_[static_cast<Eigen::Index>(k)] = own[4 + k];
  for (std::size_t k = 0; k < sampled_.size(); ++k) sampled_[k].next = own[4 + inputs + k];
  frame_is_now_ = false;
}

}  // namespace mortise::analysis
