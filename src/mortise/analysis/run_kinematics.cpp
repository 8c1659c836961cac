// The run loop of kinematics: steps of the integrator between frames, each frame closed to rounding.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "mortise/analysis/contacts.h"
#include "mortise/analysis/kinematics.h"
#include "mortise/analysis/methods.h"
#include "mortise/analysis/observe.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::analysis {

namespace {

class DrivenRun {
 public:
  DrivenRun(const mechanism::Mechanism& m, const DynamicsOptions& options)
      : mechanism_(m),
        options_(options),
        settings_(options.settings ? *options.settings : m.model().analysis),
        kinematics_(m, rank_policy(settings_)),
        formulation_(gauss::make_formulation("udwadia-kalaba")),
        stabilizer_(stabilize::make_stabilizer("none")),
        motion_(m, *formulation_, *stabilizer_, rank_policy(settings_)),
        observer_(m, motion_, false),
        integrator_(make_integrator(settings_)),
        every_(m.model().output.every > 0 ? m.model().output.every : settings_.until / 1000) {
    observer_.resize(frame_);
    solution_.resize(m.pattern());
    solution_.lambda.setConstant(std::numeric_limits<double>::quiet_NaN());
  }

  DynamicsResult run() {
    const double begin = cpu_seconds();
    try {
      start();
      loop();
      if (least_rank_ < mechanism_.v_size())
        result_.remarks.push_back(
            fmt::format("passes a pose at t = {:.6g} s where joints and drivers leave a motion free for an instant; "
                        "the motion goes straight on",
                        singular_at_));
      result_.summary.status = result_.interrupted ? "interrupted" : "done";
      finish(begin);
    } catch (const SolveError& error) {
      SolveReport report = error.report();
      if (report.code == "S402") report = at_a_limit(std::move(report));
      result_.summary.status = "failed: " + report.message;
      finish(begin);
      throw SolveError(report);
    }
    return result_;
  }

 private:
  void start() {
    State& state = result_.state;
    state = mechanism_.initial_state();
    AssemblyOptions how;
    how.positions = settings_.assemble;
    how.allow_flip = settings_.allow_flip;
    how.rank = rank_policy(settings_);
    how.formulation = assembly_formulation(settings_);
    result_.assembly = assemble(mechanism_, state, how);
    kinematics_.start(state);
    state.work.setConstant(std::numeric_limits<double>::quiet_NaN());  // no forces, no work
    if (options_.sink) options_.sink->begin(observer_.header(describe(settings_)));
    begun_ = true;
    write(state);
    result_.rank = kinematics_.rank();
    Vector y = state.q;
    integrator_->start(kinematics_, state.t, as_span(y));
  }

  double frame_time(std::uint64_t index) const {
    const double t = static_cast<double>(index) * every_;
    return t > settings_.until - 1e-9 * every_ ? settings_.until : t;
  }

  void write(State& state) {
    kinematics_.close(state);
    solution_.rank = kinematics_.rank();
    const bool weak = kinematics_.weak();
    if (!weak || !kinematics_.pass(state, solution_.a)) {
      if (weak && result_.frames == 0 && solution_.rank.rank < mechanism_.v_size()) fail_at_change_point(state);
      kinematics_.accelerate(state, solution_.a);
    }
    least_rank_ = result_.frames == 0 ? solution_.rank.rank : std::min(least_rank_, solution_.rank.rank);
    if (solution_.rank.rank < mechanism_.v_size()) singular_at_ = state.t;
    const Evaluation& e = kinematics_.evaluation();
    observer_.describe(state, solution_, e, frame_);
    const Violation off{frame_.position_error, frame_.velocity_error};
    result_.summary.worst_position = std::max(result_.summary.worst_position, off.position);
    result_.summary.worst_velocity = std::max(result_.summary.worst_velocity, off.velocity);
    if (options_.sink) options_.sink->frame(frame_);
    ++result_.frames;
  }

  [[noreturn]] void fail_at_change_point(const State& state) const {
    SolveReport report;
    report.code = "S474";
    report.time = state.t;
    report.message = "the motion begins at a pose from which it can go on in several ways";
    report.details = {"joints and drivers leave a motion free there, for an instant: links in line, or a crossing"};
    report.advice =
        "state the velocities of the bodies (velocity, angular_velocity), or begin a little beside this pose";
    throw SolveError(report);
  }

  void loop() {
    const double until = settings_.until;
    State at = result_.state;
    Vector y(mechanism_.q_size());
    while (integrator_->t() < until) {
      const integrate::StepReport step = integrator_->step(until);
      while (true) {
        const double t = frame_time(result_.frames);
        if (t > step.t) break;
        if (t == step.t)
          std::copy(integrator_->y().begin(), integrator_->y().end(), y.data());
        else
          integrator_->dense(t, as_span(y));
        at.t = t;
        at.q = y;
        mechanism_.normalize(as_span(at.q));
        write(at);
        result_.state = at;
        if (t >= until) break;
      }
      if (options_.progress)
        options_.progress({step.t, until, step.h, integrator_->counters().steps, result_.summary.worst_position});
      if (step.t >= until) break;
      if (options_.interrupt && options_.interrupt->load()) {
        result_.interrupted = true;
        if (options_.sink) options_.sink->flush();
        break;
      }
    }
  }

  // Steps that shrink to nothing: a driver comes to the end of what the joints allow.
  SolveReport at_a_limit(SolveReport report) {
    report.code = "S470";
    report.exit = ExitCode::conflict;
    report.message = "the drivers come to a pose that they cannot pass";
    report.details = {
        fmt::format("velocities grow without bound before t = {:.6g} s: the links are in line, or a "
                    "function ends there",
                    integrator_->t())};
    report.advice = "stop before this time, drive another joint through this pose, or change the function";
    return report;
  }

  void finish(double begin) {
    RunSummary& s = result_.summary;
    const integrate::Counters& c = integrator_->counters();
    s.evaluations = c.evaluations;
    s.steps = c.steps;
    s.failed_steps = c.failed_steps;
    s.rank = least_rank_;
    s.cpu_total = cpu_seconds() - begin;
    if (options_.sink && begun_) options_.sink->end(s);
  }

  const mechanism::Mechanism& mechanism_;
  const DynamicsOptions& options_;
  const model::AnalysisSettings& settings_;
  Kinematics kinematics_;
  std::unique_ptr<gauss::Formulation> formulation_;
  std::unique_ptr<Stabilizer> stabilizer_;
  Motion motion_;
  Observer observer_;
  std::unique_ptr<integrate::Integrator> integrator_;
  double every_;
  Frame frame_;
  gauss::GaussSolution solution_;
  int least_rank_ = 0;
  double singular_at_ = 0;
  bool begun_ = false;
  DynamicsResult result_;
};

}  // namespace

DynamicsResult run_kinematics(const mechanism::Mechanism& mechanism, const DynamicsOptions& options) {
  const auto events = mechanism.model().section(model::Section::event);
  if (!events.empty())
    throw ModelError(Diagnostic{"M472", "events belong to dynamics: a driven motion has none", events.front()->place,
                                "type: dynamics, or leave the events out", false});
  refuse_contacts(mechanism, "a driven motion");
  return DrivenRun(mechanism, options).run();
}

}  // namespace mortise::analysis
