#include "mortise/analysis/dynamics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mortise/analysis/contacts.h"
#include "mortise/analysis/events.h"
#include "mortise/analysis/method_pairs.h"
#include "mortise/analysis/methods.h"
#include "mortise/analysis/nearness.h"
#include "mortise/analysis/observe.h"
#include "mortise/analysis/ruled_system.h"
#include "mortise/coordinates/coordinate_system.h"

namespace mortise::analysis {

namespace {

// What the loop itself must remember over a checkpoint, beside the integrator's own memory.
struct Ledger {
  double next_frame = 0;       // index of the next frame to write
  double next_checkpoint = 1;  // index of the next checkpoint by model time
  double steps_since = 0;      // since the last checkpoint
  double energy = 0;           // the balance at the start
  double worst_energy = 0, largest_kinetic = 0;
  double worst_position = 0, worst_velocity = 0;
  double evaluations = 0, steps = 0, failed = 0;  // so far, of an integrator that does not remember them itself
  double least_rank = 0;
  double frames = 0;  // written: the regular ones and those of events
  double ruled = 0;   // forces feel the reactions of the rule: rows are redundant since the start or the last event

  static constexpr std::size_t count = 14;
  void save(Memory& memory) const { std::copy_n(&next_frame, count, memory.slot("run", count).begin()); }
  void load(const Memory& memory) {
    const ConstSpan saved = memory.read("run");
    if (saved.size() == count) std::copy(saved.begin(), saved.end(), &next_frame);
  }
};
static_assert(sizeof(Ledger) == Ledger::count * sizeof(double));

// With `formulation: auto` natural coordinates solve by `accelerations`; any other formulation gets its matrices, and
// so does an integrator that looks behind ẏ for masses (Flow::motion) and cannot do with sweeps along the tree.
coordinates::CoordinateSettings settings_of_coordinates(const model::AnalysisSettings& a) {
  coordinates::CoordinateSettings settings;
  if (a.formulation == "auto" && takes_masses_of_trees(a.integrator)) settings.accelerations = a.accelerations;
  settings.preconditioner = a.preconditioner;
  // The two-stage scheme has no tolerance of its own, and finds forces that depend on velocities by iteration.
  settings.tolerance = integrates_multipliers(a.integrator) ? 1e-13 : std::clamp(1e-2 * a.tolerance, 1e-13, 1e-10);
  return settings;
}

// In other coordinates than absolute the run is that of a mapped system, with the formulation and stabilisation of the
// settings; frames are those of the lifted state, where a motion of the mechanism itself is solved for accelerations
// and the multipliers of all rows. Checkpoints hold the mapped state: a lifted one would come back with other bits.
class Run {
 public:
  Run(const mechanism::Mechanism& mechanism, const DynamicsOptions& options)
      : mechanism_(mechanism),
        options_(options),
        settings_(options.settings ? *options.settings : mechanism.model().analysis),
        output_(mechanism.model().output),
        mapped_(settings_.coordinates != "absolute"),
        formulation_(make_formulation(settings_)),
        observing_formulation_(mapped_ ? gauss::make_formulation("auto") : nullptr),
        stabilizer_(make_stabilizer(settings_, mechanism)),
        rule_(mechanism, settings_.reactions, rank_policy(settings_)),
        ruled_(mechanism, rule_),
        absolute_(felt(), mapped_ ? *observing_formulation_ : *formulation_, *stabilizer_, rank_policy(settings_)),
        motion_(&absolute_),
        observer_(mechanism, absolute_, stabilizer_->projects()),
        integrator_(make_integrator(settings_)),
        every_(output_.every > 0 ? output_.every : settings_.until / 1000) {
    observer_.set_rule(&rule_);
    observer_.resize(frame_);
    if (!mapped_ && may_be_singular(mechanism)) poses_ = std::make_unique<PoseWatch>(mechanism, rank_policy(settings_));
    if (mapped_)
      refuse_rigid_contacts();
    else
      give_contacts(*integrator_, settings_, mechanism);
    if (mechanism.events().empty()) return;
    events_ = std::make_unique<EventRun>(mechanism, rank_policy(settings_));
    if (mapped_) events_->read_with([this](double t, ConstSpan y, State& absolute) { read(t, y, absolute); });
  }

  DynamicsResult run() {
    const double cpu_start = cpu_seconds();
    try {
      begin();
      loop();
      lift_result();
      result_.summary.status = result_.interrupted ? "interrupted" : "done";
      finish(cpu_start);
    } catch (const SolveError& error) {
      SolveReport report = error.report();
      if (report.code == "S490") report.time = integrator_->t();
      if (report.code == "S402") {
        motion_->unpack(integrator_->t(), integrator_->y(), result_.state);
        if (mapped_) look_again();
        report = explain_lost_step(mechanism_, absolute_, result_.state, settings_.until, std::move(report));
      }
      result_.summary.status = "failed: " + report.message;
      finish(cpu_start);
      throw SolveError(report);
    }
    return result_;
  }

 private:
  // The system whose forces feel reactions as the rule has them; without such forces the mechanism itself.
  const System& felt() const {
    if (!mapped_ && mechanism_.feedback_size() > 0) return ruled_;
    return mechanism_;
  }

  void refuse_rigid_contacts() const {
    for (const mechanism::Event& event : mechanism_.events())
      if (event.kind == mechanism::Event::Kind::rigid)
        throw ModelError(Diagnostic{"M467", "rigid contacts need absolute coordinates", settings_.place_coordinates,
                                    "leave `coordinates` out, or type: contact-spring", false});
  }

  // Of the settings, but for coordinates whose problems are solved in one way only.
  const gauss::Formulation& formulation() const {
    const gauss::Formulation* own = coordinates_ ? coordinates_->formulation() : nullptr;
    return own ? *own : *formulation_;
  }

  void begin() {
    State& state = result_.state;
    if (options_.resume) {
      state = *options_.resume;
      ledger_.load(state.memory);
      before_ = {static_cast<long>(ledger_.evaluations), static_cast<long>(ledger_.steps),
                 static_cast<long>(ledger_.failed)};
      ruled_.set_on(ledger_.ruled > 0);
      choose_coordinates(state);
      told_ = absolute(state).active;
      scratch_ = state;
      motion_->set_active(state.active);
      motion_->set_inputs(state.inputs);
      motion_->set_worst({ledger_.worst_position, ledger_.worst_velocity});
      motion_->pack(state, as_span(y_));
      if (options_.sink) options_.sink->begin(header());
      begun_ = true;
      if (integrator_->remembers())
        integrator_->load(*motion_, state.memory);
      else
        integrator_->start(*motion_, state.t, as_span(y_));
      if (events_) {
        lifted_.memory = state.memory;
        events_->load(absolute(state), static_cast<std::size_t>(y_.size()));
      }
      if (poses_) poses_->load(state.memory);
      return;
    }
    state = mechanism_.initial_state();
    told_ = state.active;
    AssemblyOptions how;
    how.positions = settings_.assemble;
    how.allow_flip = settings_.allow_flip;
    how.rank = rank_policy(settings_);
    how.formulation = assembly_formulation(settings_);
    result_.assembly = assemble(mechanism_, state, how);
    const bool projects = stabilizer_->projects();
    absolute_.set_active(state.active);
    absolute_.set_inputs(state.inputs);
    if (projects) absolute_.project(state, Motion::Start::fresh);
    choose_coordinates(state);
    if (mapped_) {
      lifted_ = state;
      coordinates_->lower(lifted_, state);
      coordinates_->remember(state.memory);
      motion_->set_active(state.active);
      motion_->set_inputs(state.inputs);
      if (projects) motion_->project(state, Motion::Start::fresh);
    }
    if (options_.sink) options_.sink->begin(header());
    begun_ = true;
    if (events_) {
      let_events(state, [&](State& now) { events_->begin(now, result_.events); });
      if (projects) motion_->project(state, Motion::Start::fresh);
      report_events(0);
      tell_switched(state);
    }
    scratch_ = state;
    write_frame();
    decide_rule();
    ledger_.next_frame += 1;
    ledger_.least_rank = last_rank_.rank;
    ledger_.energy = balance();
    ledger_.worst_energy = 0;
    motion_->pack(state, as_span(y_));
    integrator_->start(*motion_, state.t, as_span(y_));
    if (events_) events_->arm(state.t, as_span(y_), absolute(state));
  }

  // The absolute state of one of the run; in other coordinates valid until the next call, with the memory that is
  // there.
  State& absolute(State& state) {
    if (!mapped_) return state;
    coordinates_->lift(state, lifted_);
    return lifted_;
  }

  // The same for (t, y) of the integrator: t, q, v and work.
  void read(double t, ConstSpan y, State& out) {
    motion_->unpack(t, y, witnessed_);
    witnessed_.active = result_.state.active;
    witnessed_.inputs = motion_->inputs();
    witnessed_.lambda.setZero(motion_->system().pattern().m());
    motion_->system().normalize(as_span(witnessed_.q));
    coordinates_->lift(witnessed_, read_);
    out.t = read_.t;
    out.q = read_.q;
    out.v = read_.v;
    out.work = read_.work;
  }

  // Events see and change the absolute state; from there on rows and modes are those that they leave.
  template <class Handle>
  void let_events(State& state, const Handle& handle) {
    State& now = absolute(state);
    if (mapped_) {
      absolute_.set_active(now.active);
      absolute_.set_inputs(now.inputs);
    }
    handle(now);
    if (mapped_) {
      absolute_.set_active(now.active);
      absolute_.set_inputs(now.inputs);
      absolute_.forget();
      coordinates_->lower(now, state);
    }
    motion_->set_active(state.active);
    motion_->set_inputs(state.inputs);
  }

  // Not by frames on the way: when they are written must not change the motion.
  void decide_rule() {
    ledger_.ruled = last_rank_.rank < last_rank_.rows ? 1 : 0;
    ruled_.set_on(ledger_.ruled > 0);
  }

  void report_events(std::size_t first) {
    for (std::size_t k = first; k < result_.events.size(); ++k) {
      result_.events[k].frame = static_cast<std::uint64_t>(ledger_.frames);
      if (options_.sink) options_.sink->event(result_.events[k]);
    }
  }

  // In the ledger of the result, where names of poses follow those of the model's events.
  void report_pose(const PassedPose& pose, bool& reported) {
    reported = true;
    if (!options_.sink) return;
    EventEntry entry;
    entry.t = pose.t;
    entry.event = static_cast<int>(mechanism_.events().size());
    entry.what = pose.other ? "other" : "smooth";
    for (const int row : pose.rows) entry.joints += (entry.joints.empty() ? "" : ", ") + mechanism_.row_name(row);
    entry.frame = static_cast<std::uint64_t>(ledger_.frames);
    options_.sink->event(entry);
  }

  RunHeader header() const {
    RunHeader h = observer_.header(describe(settings_));
    const bool own = &formulation() != formulation_.get();
    const std::string choice = own ? formulation().name() : formulation().choice(motion_->system().pattern());
    if (!choice.empty()) h.options += fmt::format(" ({} is {})", settings_.formulation, choice);
    if (poses_) h.events.push_back(singular_pose_event);
    return h;
  }

  // Rows are on that were off, or the other way round.
  void tell_switched(State& state) {
    if (!options_.after_events) return;
    const State& now = absolute(state);
    if (now.active == told_) return;
    told_ = now.active;
    options_.after_events(now, result_.events.size());
  }

  // At the time that was found: a frame, the event, a frame; then the integrator begins anew.
  void handle_event(double t) {
    State& state = result_.state;
    // Impulses ask for rows that hold: at events that goes for integrated multipliers, too.
    const bool projects = stabilizer_->projects() || settings_.stabilize == "staggered";
    if (t == integrator_->t())
      std::copy(integrator_->y().begin(), integrator_->y().end(), y_.data());
    else
      integrator_->dense(t, as_span(y_));
    motion_->unpack(t, as_span(y_), state);
    state.inputs = motion_->inputs();
    motion_->system().normalize(as_span(state.q));
    if (projects) motion_->project(state, Motion::Start::fresh);
    scratch_ = state;
    write_frame();
    const std::size_t first = result_.events.size();
    let_events(state, [&](State& now) { events_->handle(now, result_.events); });
    motion_->forget();
    if (projects) motion_->project(state, Motion::Start::fresh);
    report_events(first);
    scratch_ = state;
    write_frame();
    decide_rule();
    motion_->pack(state, as_span(y_));
    integrator_->start(*motion_, t, as_span(y_));
    events_->arm(t, as_span(y_), absolute(state));
    if (poses_) poses_->forget();
    slow_steps_ = 0;
    tell_switched(state);
  }

  // Out of a singular pose along the branch that the settings name: the smooth one needs nothing, the other one a state
  // of its own a little further on, and frames until there.
  void leave_pose(const SingularPose& pose) {
    result_.poses.push_back(pose);
    if (!pose.other) return;
    const OtherBranch branch(mechanism_, pose, *motion_, rank_policy(settings_));
    const double end = std::min(pose.t + branch.ahead(), settings_.until);
    for (double t = frame_time(ledger_.next_frame); t <= end; t = frame_time(ledger_.next_frame)) {
      scratch_ = branch.at(t - pose.t);
      scratch_.t = t;
      write_frame();
      ledger_.next_frame += 1;
      if (t >= settings_.until) break;
    }
    result_.state = branch.at(end - pose.t);
    result_.state.t = end;
    motion_->forget();
    motion_->pack(result_.state, as_span(y_));
    integrator_->start(*motion_, end, as_span(y_));
    if (events_) events_->arm(end, as_span(y_), result_.state);
    poses_->forget();
  }

  // `start`: an absolute state, or one of a checkpoint with what the coordinates remember.
  void choose_coordinates(const State& start) {
    if (mapped_) {
      coordinates_ =
          coordinates::make_coordinates(settings_.coordinates, mechanism_, start, settings_of_coordinates(settings_));
      mapped_stabilizer_ = make_stabilizer(settings_, *coordinates_);
      mapped_motion_ =
          std::make_unique<Motion>(*coordinates_, formulation(), *mapped_stabilizer_, rank_policy(settings_));
      motion_ = mapped_motion_.get();
    }
    y_.setZero(motion_->size());
  }

  // Where the coordinates are about to fail, others are chosen, and the integrator begins anew with them. What decides
  // is the state alone, so a resumed run does the same.
  void ease_coordinates() {
    State& state = result_.state;
    motion_->unpack(integrator_->t(), integrator_->y(), state);
    if (!coordinates_->strained(state)) return;
    coordinates_->lift(state, lifted_);
    lifted_.memory = {};
    const Violation worst = motion_->worst();
    spent_.evaluate += motion_->seconds().evaluate;
    spent_.solve += motion_->seconds().solve;
    spent_.project += motion_->seconds().project;
    choose_coordinates(lifted_);
    coordinates_->lower(lifted_, state);
    coordinates_->remember(state.memory);
    motion_->set_active(state.active);
    motion_->set_inputs(state.inputs);
    motion_->set_worst(worst);
    scratch_ = state;
    motion_->pack(state, as_span(y_));
    integrator_->start(*motion_, state.t, as_span(y_));
    if (events_) events_->arm(state.t, as_span(y_), absolute(state));
  }

  // What the mechanism itself says where the steps of the mapped one ended; if it cannot be solved there, its
  // evaluation still tells why.
  void look_again() {
    lift_result();
    try {
      gauss::GaussSolution solution;
      absolute_.accelerate(result_.state, solution);
    } catch (const SolveError&) {
    }
  }

  void lift_result() {
    if (!coordinates_) return;
    lifted_ = result_.state;
    coordinates_->lift(lifted_, result_.state);
  }

  double frame_time(double index) const {
    const double t = index * every_;
    return t > settings_.until - 1e-9 * every_ ? settings_.until : t;
  }

  double balance() const {
    return frame_.kinetic + frame_.potential + frame_.dissipated - frame_.applied - frame_.constraint_work;
  }

  // scratch_ holds the state; solves there and hands the frame on.
  void write_frame() {
    if (mapped_) coordinates_->lift(scratch_, lifted_);
    observer_.observe(mapped_ ? lifted_ : scratch_, frame_);
    last_rank_ = observer_.solution().rank;
    if (result_.frames++ == 0) result_.rank = last_rank_;
    ledger_.largest_kinetic = std::max(ledger_.largest_kinetic, frame_.kinetic);
    if (ledger_.frames > 0) ledger_.worst_energy = std::max(ledger_.worst_energy, std::abs(balance() - ledger_.energy));
    ledger_.least_rank =
        ledger_.frames > 0 ? std::min(ledger_.least_rank, static_cast<double>(last_rank_.rank)) : last_rank_.rank;
    check_consistent(mechanism_, absolute_, observer_.solution(), scratch_.t);
    const double start = cpu_seconds();
    if (options_.sink) options_.sink->frame(frame_);
    cpu_output_ += cpu_seconds() - start;
    ledger_.frames += 1;
  }

  void loop() {
    const double until = settings_.until;
    while (integrator_->t() < until) {
      integrate::StepReport step = integrator_->step(events_ ? events_->stop(integrator_->t(), until) : until);
      ledger_.steps_since += 1;
      check_pace(step, until);
      const std::optional<double> event = events_ ? events_->search(*integrator_) : std::nullopt;
      if (event) step.t = *event;
      std::optional<SingularPose> pose;
      if (poses_ && !event) pose = poses_->look(*integrator_, *motion_);
      const bool turn = pose && settings_.branch == "other";
      if (pose) pose->other = turn;
      bool reported = false;
      if (turn) step.t = pose->t;
      while (true) {
        const double t = frame_time(ledger_.next_frame);
        if (t > step.t || ((event || turn) && t == step.t)) break;
        if (t == step.t)
          std::copy(integrator_->y().begin(), integrator_->y().end(), y_.data());
        else
          integrator_->dense(t, as_span(y_));
        motion_->unpack(t, as_span(y_), scratch_);
        motion_->system().normalize(as_span(scratch_.q));
        scratch_.inputs = motion_->inputs();  // integrators of contacts write there what they found
        if (pose && !reported && t >= pose->t) report_pose(*pose, reported);
        write_frame();
        ledger_.next_frame += 1;
        if (t >= until) break;
      }
      if (event) {
        if (frame_time(ledger_.next_frame) == step.t) ledger_.next_frame += 1;  // those of the event stand for it
        handle_event(step.t);
      }
      if (pose) {
        if (!reported) report_pose(*pose, reported);
        leave_pose(*pose);
      }
      if (options_.progress) options_.progress({step.t, until, step.h, counters().steps, motion_->worst().position});
      if (step.t >= until) break;
      if (mapped_) ease_coordinates();
      if (due(step.t)) checkpoint(true);
      if (options_.interrupt && options_.interrupt->load()) {
        result_.interrupted = true;
        if (options_.sink) options_.sink->flush();
        // Where the history cannot be saved a checkpoint here would not be one of the straight run.
        if (integrator_->remembers()) checkpoint(false);
        break;
      }
    }
    motion_->unpack(integrator_->t(), integrator_->y(), result_.state);
    result_.state.inputs = motion_->inputs();
  }

  // Steps so short, one after the other, that the rest of the run would take a thousand million of them: whatever is
  // ahead, a pole or a stop, cannot be reached.
  void check_pace(const integrate::StepReport& step, double until) {
    slow_steps_ = step.h < 1e-9 * (until - step.t) ? slow_steps_ + 1 : 0;
    if (slow_steps_ < 1000) return;
    SolveReport report;
    report.code = "S402";
    report.time = step.t;
    report.message =
        fmt::format("{} steps of {:.1e} s and less: at this pace the run would not end", slow_steps_, step.h);
    report.details = {fmt::format("integrator {}, tolerance {:.3g}, after {} steps", settings_.integrator,
                                  settings_.tolerance, counters().steps)};
    report.advice =
        "look for a jump or a singularity in a force, driver or joint near this time; a looser tolerance; integrator "
        "bdf if the model is stiff";
    throw SolveError(std::move(report));
  }

  bool due(double t) {
    if (output_.checkpoint > 0) {
      if (t < ledger_.next_checkpoint * output_.checkpoint) return false;
      ledger_.next_checkpoint = std::floor(t / output_.checkpoint) + 1;
      return true;
    }
    return ledger_.steps_since >= static_cast<double>(output_.checkpoint_steps);
  }

  void checkpoint(bool regular) {
    if (regular) {
      ledger_.steps_since = 0;
      motion_->forget();
      rule_.forget();
      if (events_) events_->forget();
      if (!integrator_->remembers()) {
        // Begins anew here, whether or not a checkpoint is kept: the run must not depend on that.
        const integrate::Counters total = counters();
        ledger_.evaluations = static_cast<double>(total.evaluations);
        ledger_.steps = static_cast<double>(total.steps);
        ledger_.failed = static_cast<double>(total.failed_steps);
        std::copy(integrator_->y().begin(), integrator_->y().end(), y_.data());
        integrator_->start(*motion_, integrator_->t(), as_span(y_));
      }
    }
    if (!options_.checkpoints) return;
    State& state = result_.state;
    motion_->unpack(integrator_->t(), integrator_->y(), state);
    state.inputs = motion_->inputs();
    ledger_.worst_position = motion_->worst().position;
    ledger_.worst_velocity = motion_->worst().velocity;
    if (integrator_->remembers()) integrator_->save(state.memory);
    ledger_.save(state.memory);
    if (events_) events_->save(state.memory);
    if (poses_) poses_->save(state.memory);
    if (options_.sink) options_.sink->flush();
    options_.checkpoints->checkpoint(state, static_cast<std::uint64_t>(ledger_.frames));
  }

  // Of all legs of the run.
  integrate::Counters counters() const {
    const integrate::Counters& now = integrator_->counters();
    return {before_.evaluations + now.evaluations, before_.steps + now.steps, before_.failed_steps + now.failed_steps};
  }

  void finish(double cpu_start) {
    RunSummary& s = result_.summary;
    result_.flops = motion_->flops();
    const integrate::Counters c = counters();
    s.evaluations = c.evaluations;
    s.steps = c.steps;
    s.failed_steps = c.failed_steps;
    s.rank = static_cast<long>(ledger_.least_rank);
    s.cpu_evaluate = spent_.evaluate + motion_->seconds().evaluate;
    s.cpu_solve = spent_.solve + motion_->seconds().solve;
    s.cpu_project = spent_.project + motion_->seconds().project;
    s.cpu_output = cpu_output_;
    s.cpu_total = cpu_seconds() - cpu_start;
    // Relative to the largest kinetic energy; of what stands still, to that of a typical motion of the model.
    const double moving = mechanism_.typical_energy();
    const double scale = ledger_.largest_kinetic > 1e-9 * moving ? ledger_.largest_kinetic : moving;
    s.energy_drift = std::isfinite(scale) ? ledger_.worst_energy / scale : ledger_.worst_energy;
    s.worst_position = std::max(ledger_.worst_position, motion_->worst().position);
    s.worst_velocity = std::max(ledger_.worst_velocity, motion_->worst().velocity);
    if (poses_) note_nearest();
    if (coordinates_)
      for (std::string& remark : coordinates_->remarks()) result_.remarks.push_back(std::move(remark));
    for (std::string& remark : integrator_->remarks()) result_.remarks.push_back(std::move(remark));
    result_.frames = static_cast<std::uint64_t>(ledger_.frames);
    if (options_.sink && begun_) options_.sink->end(s);
  }

  // Joints are looked for where a pose comes near: a singular value that is small all the time is that of a long chain.
  void note_nearest() {
    const PoseWatch::Memory& memory = poses_->memory();
    result_.nearest = {memory.nearest_t, memory.nearest, {}};
    if (!(memory.nearest < 0.05)) return;
    try {
      result_.nearest.joints = nearness(mechanism_, poses_->nearest(), rank_policy(settings_)).joints;
    } catch (const SolveError&) {  // a run that failed there says so itself
    }
  }

  long slow_steps_ = 0;
  std::vector<unsigned char> told_;  // rows that were on when `after_events` was last called
  std::unique_ptr<EventRun> events_;
  const mechanism::Mechanism& mechanism_;
  const DynamicsOptions& options_;
  const model::AnalysisSettings& settings_;
  const model::OutputSettings& output_;
  bool mapped_;
  std::unique_ptr<gauss::Formulation> formulation_, observing_formulation_;
  std::unique_ptr<Stabilizer> stabilizer_, mapped_stabilizer_;
  ReactionRule rule_;
  RuledSystem ruled_;
  Motion absolute_;  // of the mechanism itself
  std::unique_ptr<coordinates::CoordinateSystem> coordinates_;
  std::unique_ptr<Motion> mapped_motion_;
  Motion* motion_;  // that is integrated: one of the two
  Observer observer_;
  std::unique_ptr<PoseWatch> poses_;  // in absolute coordinates, where there can be such poses
  std::unique_ptr<integrate::Integrator> integrator_;
  double every_;
  Frame frame_;
  Vector y_;
  State scratch_, lifted_;
  State witnessed_, read_;  // of witnesses in other coordinates: as integrated, and lifted
  Ledger ledger_;
  integrate::Counters before_;  // of the legs before this one, where the integrator's memory does not hold them
  linalg::Rank last_rank_;
  PhaseSeconds spent_;  // by motions of coordinates that were given up
  double cpu_output_ = 0;
  bool begun_ = false;
  DynamicsResult result_;
};

}  // namespace

std::string describe(const model::AnalysisSettings& s) {
  std::string text = fmt::format("{} {} {} {} tolerance {} rank {}", s.type, s.formulation, s.stabilize, s.integrator,
                                 s.tolerance, s.rank_tolerance);
  if (!s.pseudoinverse.empty()) text += " pseudoinverse " + s.pseudoinverse;
  if (s.coordinates != "absolute") text += " coordinates " + s.coordinates;
  if (s.coordinates == "natural" && s.formulation == "auto") {
    text += " accelerations " + s.accelerations;
    if (s.accelerations == "conjugate-gradients") text += " preconditioner " + s.preconditioner;
  }
  if (s.reactions != "minimum-norm") text += " reactions " + s.reactions;
  if (s.rank_rule != "relative") text += " rank rule " + s.rank_rule;
  if (s.reuse > 1) text += fmt::format(" reuse {} {}", s.reuse, s.compensate);
  if (s.seed != 1 || s.islands != 1 || s.runs != 8)
    text += fmt::format(" seed {} islands {} runs {}", s.seed, s.islands, s.runs);
  if (s.weight != "mass") text += " weight " + s.weight;
  for (const std::string& level : s.levels) text += " " + level;
  if (s.partition != "auto") text += " partition " + s.partition;
  for (const model::JointGains& own : s.joint_gains)
    text += fmt::format(" {} alpha {} beta {} gamma {}", own.joint, own.alpha, own.beta, own.gamma);
  if (s.stabilize == "baumgarte") text += fmt::format(" alpha {} beta {} gamma {}", s.alpha, s.beta, s.gamma);
  if (s.branch != "smooth") text += " branch " + s.branch;
  if (s.multipliers != "velocity") text += " multipliers " + s.multipliers;
  if (s.chains != "two") text += " chains " + s.chains;
  if (s.epsilon > 0) text += fmt::format(" epsilon {}", s.epsilon);
  if (s.epsilon_share != 1e-2) text += fmt::format(" epsilon share {}", s.epsilon_share);
  if (s.merge != 10) text += fmt::format(" merge {}", s.merge);
  if (!s.scheme.empty()) text += " scheme " + s.scheme;
  if (s.correctors != 1) text += fmt::format(" correctors {}", s.correctors);
  if (s.integrator == "generalized-alpha") text += fmt::format(" rho {} level {}", s.rho, s.level);
  if (s.step > 0) text += fmt::format(" step {}", s.step);
  if (s.max_step > 0) text += fmt::format(" max_step {}", s.max_step);
  return text;
}

DynamicsResult run_dynamics(const mechanism::Mechanism& mechanism, const DynamicsOptions& options) {
  return Run(mechanism, options).run();
}

}  // namespace mortise::analysis
