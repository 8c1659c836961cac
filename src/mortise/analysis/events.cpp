#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mortise/analysis/event_plan.h"
#include "mortise/mechanism/contact/contact_springs.h"

namespace mortise::analysis {

using mechanism::Event;
using What = Watched::What;
using Kind = Event::Kind;

namespace {

constexpr const char* memory_name = "events";
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

EventRun::EventRun(const mechanism::Mechanism& mechanism, const linalg::RankPolicy& policy)
    : mechanism_(mechanism), watch_(mechanism, policy), finder_(watch_.witnesses()), impulses_(mechanism, policy) {
  vector_.setZero(6);
  std::vector<int> lockable;
  for (const Event& e : mechanism.events())
    if (e.kind == Kind::lock)
      for (const int c : e.constraints)
        for (int row = 0; row < mechanism.constraints()[index(c)].rows; ++row)
          lockable.push_back(mechanism.constraints()[index(c)].row + row);
  watch_.add_rows(lockable);
}

std::string EventRun::names(const std::vector<int>& constraints) const {
  std::string out;
  for (const int c : constraints)
    out += (out.empty() ? "" : ", ") + mechanism_.name(mechanism_.constraints()[index(c)].ref);
  return out;
}

int EventRun::constraint_of(int row) const { return mechanism_.pattern().rows[index(row)].item; }

double EventRun::next_time(const Event& e, const State& state) const {
  const double count = state.inputs[e.slot];
  if (!e.by_time()) return infinity;
  if (e.every > 0) return e.at + count * e.every;
  return count > 0 ? infinity : e.at;
}

double EventRun::stop(double t, double until) const {
  double next = until;
  for (const Event& e : mechanism_.events())
    if (const double own = next_time(e, modes_); own > t) next = std::min(next, own);
  return apex_ > t ? std::min(next, apex_) : next;
}

void EventRun::note(Plan& plan, int number, const char* what, const std::vector<int>& constraints) {
  EventEntry entry;
  entry.t = plan.state.t;
  entry.event = number;
  entry.what = what;
  entry.joints = names(constraints);
  plan.ledger.push_back(std::move(entry));
}

void EventRun::switch_rows(Plan& plan, const Event& e, bool on) {
  for (const int c : e.constraints) {
    const mechanism::Constraint& constraint = mechanism_.constraints()[index(c)];
    for (int row = constraint.row; row < constraint.row + constraint.rows; ++row) {
      if (on && !plan.state.active[index(row)]) plan.new_rows.push_back(row);
      plan.state.active[index(row)] = on;
    }
  }
}

void EventRun::lock(Plan& plan, const Event& e) {
  State& state = plan.state;
  for (const Event::Hold& hold : e.holds)
    if (!state.active[index(hold.row)]) state.inputs[hold.slot] += watch_.rows().phi[hold.row];
  if (!e.here)
    for (const int c : e.constraints) {
      const mechanism::Constraint& constraint = mechanism_.constraints()[index(c)];
      for (int row = constraint.row; row < constraint.row + constraint.rows; ++row) {
        const double off = watch_.rows().phi[row];
        if (std::abs(off) <= 1e-6 * mechanism_.pattern().position_size[index(row)]) continue;
        SolveReport report;
        report.code = "S463";
        report.time = state.t;
        report.place = mechanism_.place(e.ref);
        report.message = fmt::format("'{}' cannot be switched on here: it is open by {:.3g} in {}",
                                     mechanism_.name(constraint.ref), off, mechanism_.row_name(row));
        report.details = {fmt::format("event '{}', hold: modelled", mechanism_.name(e.ref))};
        report.advice = "lock it where it meets (when: its distance, for example), or hold: here";
        throw SolveError(std::move(report));
      }
    }
  switch_rows(plan, e, true);
}

// A mark, lock or unlock whose time or crossing has come.
void EventRun::trigger(Plan& plan, int number) {
  const Event& e = event(number);
  if (e.kind == Kind::lock) lock(plan, e);
  if (e.kind == Kind::unlock) switch_rows(plan, e, false);
  plan.state.inputs[e.slot] += 1;
  note(plan, number, e.kind == Kind::lock ? "locked" : e.kind == Kind::unlock ? "unlocked" : "mark", e.constraints);
}

void EventRun::set_slip(State& state, const Event& e, double mode, const Vector& direction, double length) {
  state.inputs[e.slot] = mode;
  for (std::size_t k = 0; k < e.rows.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    state.inputs[e.slot + 1 + at] = mode == Event::slides ? direction[at] / length : 0;
    state.active[index(e.rows[k])] = mode == Event::sticks;
  }
}

void EventRun::fire(Plan& plan, const Watched& w) {
  const Event& e = event(w.event);
  State& state = plan.state;
  switch (w.what) {
    case What::when:
      return trigger(plan, w.event);
    case What::broken:
      switch_rows(plan, e, false);
      state.inputs[e.slot] = 1;
      return note(plan, w.event, "breaks", e.constraints);
    case What::push:
      state.active[index(w.row)] = 0;
      state.inputs[e.slot + w.slot] = 0;
      if (e.partner >= 0) set_slip(state, event(e.partner), Event::apart, vector_, 1);
      plan.left.insert(w.row);
      return note(plan, w.event, "released", {constraint_of(w.row)});
    case What::cone: {
      const double length = watch_.friction(e, vector_);
      set_slip(state, e, Event::slides, vector_, length);
      plan.torn.insert(w.event);
      return note(plan, w.event, "slips", {constraint_of(e.rows[0])});
    }
    case What::slip:
      plan.tried.insert(w.event);
      return;
    case What::gap:
      plan.hit.insert(w.row);  // what comes of it is found from the state
      return;
    case What::spring: {
      const char* what = "";
      state.work[work_dissipated] += e.springs->advance(e.pair, watch_.motions(), as_span(state.inputs), what);
      if (*what) note(plan, w.event, what, {});
      return;
    }
  }
}

void EventRun::guard(double t, int fired) {
  constexpr double most = 500;
  if (crowd_ > 0 && t - recent_ <= 1e-9 * std::max(std::abs(t), 1e-3)) {
    crowd_ += 1;
  } else {
    recent_ = t;
    crowd_ = 1;
  }
  if (crowd_ < most) return;
  SolveReport report;
  report.code = "S460";
  report.time = t;
  report.message = fmt::format("{:.0f} events within {:.1e} s: they do not come to an end", crowd_, t - recent_);
  if (fired >= 0) {
    report.details = {fmt::format("the last one: '{}'", mechanism_.name(event(fired).ref))};
    report.place = mechanism_.place(event(fired).ref);
  }
  report.advice =
      "a larger rest_speed, a static coefficient above that of sliding, or a formula that crosses zero once";
  throw SolveError(std::move(report));
}

void EventRun::begin(State& state, std::vector<EventEntry>& ledger) {
  const gauss::Pattern& pattern = mechanism_.pattern();
  watch_.set_modes(state);
  watch_.look(state, false);
  Plan plan{state, ledger, ledger.size(), {}, {}, {}, {}, {}, {}, true, state.active};
  for (std::size_t k = 0; k < mechanism_.events().size(); ++k) {
    const Event& e = mechanism_.events()[k];
    if (e.kind == Kind::stop)
      for (const int row : e.rows) {
        const double gap = watch_.rows().phi[row];
        if (gap < -1e-8 * pattern.position_size[index(row)]) fail_inside(state.t, "S462", e, gap);
      }
    if (e.kind == Kind::slip && e.partner < 0) {
      const double length = watch_.slip(e, vector_);
      const bool still = length <= std::max(e.band, 1e-9 * pattern.velocity_size[index(e.rows[0])]);
      set_slip(state, e, still ? Event::sticks : Event::slides, vector_, length);
    }
    if (e.kind == Kind::spring)
      if (const double depth = e.springs->begin(e.pair, watch_.motions(), as_span(state.inputs)); depth > 0)
        fail_inside(state.t, "S462", e, -depth);
  }
  const double before = kinetic(state);
  for (std::size_t k = 0; k < mechanism_.events().size(); ++k)
    if (next_time(mechanism_.events()[k], state) <= state.t) trigger(plan, static_cast<int>(k));
  jump(plan);
  find_modes(plan);
  plan_flight(plan);
  take_up(plan);
  close(plan, before);
  modes_ = {};
  modes_.active = state.active;
  modes_.inputs = state.inputs;
}

void EventRun::arm(double t, ConstSpan y, const State& state) {
  watch_.set_modes(state);
  modes_.active = state.active;
  modes_.inputs = state.inputs;
  finder_.arm(t, y);
  // Witnesses that stand at zero up to rounding show their sign later.
  for (std::size_t k = 0; k < watch_.watched().size(); ++k) {
    const Watched& w = watch_.watched()[k];
    const bool formula = w.what == What::when || w.what == What::broken;
    if (!formula && std::abs(watch_.value(w)) <= watch_.tolerance(w)) finder_.disarm(static_cast<int>(k));
  }
  for (const int k : just_fired_) finder_.disarm(k);
  just_fired_.clear();
}

std::optional<double> EventRun::search(const integrate::Integrator& integrator) {
  fired_.clear();
  const std::vector<Watched>& watched = watch_.watched();
  if (!watched.empty()) {
    if (const auto root = finder_.search(integrator)) {
      for (const int k : root->witnesses) {
        fired_.push_back(watched[index(k)]);
        just_fired_.push_back(k);
      }
      return root->t;
    }
    // Behind a stop, beyond a limit, without a zero that was seen: as soon as it is known.
    for (const Watched& w : watched)
      if (w.what != What::when && watch_.value(w) < -watch_.tolerance(w) &&
          (w.what != What::gap || watch_.rows().phidot[w.row] < 0))
        fired_.push_back(w);
    if (!fired_.empty()) return integrator.t();
  }
  for (const Event& e : mechanism_.events())
    if (next_time(e, modes_) <= integrator.t()) return integrator.t();
  return std::nullopt;
}

void EventRun::handle(State& state, std::vector<EventEntry>& ledger) {
  Plan plan{state, ledger, ledger.size(), {}, {}, {}, {}, {}, {}, false, state.active};
  const Vector modes = state.inputs;
  watch_.set_modes(state);
  watch_.look(state, true);
  const double before = kinetic(state);
  for (std::size_t k = 0; k < mechanism_.events().size(); ++k)
    if (next_time(mechanism_.events()[k], state) <= state.t) trigger(plan, static_cast<int>(k));
  for (const Watched& w : fired_) fire(plan, w);
  guard(state.t, !fired_.empty() ? fired_.front().event : -1);
  jump(plan);
  watch_.set_modes(state);
  find_modes(plan);
  plan_flight(plan);

  // What came of it.
  const auto has = [&](int number, const char* what) {
    return std::any_of(ledger.begin() + static_cast<std::ptrdiff_t>(plan.first), ledger.end(),
                       [&](const EventEntry& x) { return x.event == number && x.what == what; });
  };
  for (std::size_t k = 0; k < mechanism_.events().size(); ++k) {
    const Event& e = mechanism_.events()[k];
    const int number = static_cast<int>(k);
    if (e.kind == Kind::stop)
      for (const int row : e.rows) {
        const bool before = plan.closed[index(row)], after = state.active[index(row)];
        if (!before && after) {
          if (has(number, "impact"))
            std::find_if(ledger.begin() + static_cast<std::ptrdiff_t>(plan.first), ledger.end(),
                         [&](const EventEntry& x) { return x.event == number; })
                ->what = "rests";
          else
            note(plan, number, "rests", {constraint_of(row)});
        }
        if (before && !after && !has(number, "released") && !has(number, "impact"))
          note(plan, number, "released", {constraint_of(row)});
      }
    if (e.kind == Kind::slip && e.partner < 0) {
      const double before = modes[e.slot], after = state.inputs[e.slot];
      if (after == Event::slides && has(number, "sticks")) {
        for (std::size_t j = plan.first; j < ledger.size(); ++j)
          if (ledger[j].event == number) ledger[j].what = "slips";
      } else if (before != after && after == Event::sticks && !has(number, "sticks")) {
        note(plan, number, "sticks", {constraint_of(e.rows[0])});
      } else if ((before != after || plan.tried.count(number)) && after == Event::slides && !has(number, "slips")) {
        note(plan, number, "slips", {constraint_of(e.rows[0])});
      }
    }
    if (e.kind == Kind::slip && e.partner >= 0 && modes[e.slot] != state.inputs[e.slot] &&
        modes[e.slot] != Event::apart && state.inputs[e.slot] != Event::apart && !has(number, "slips"))
      note(plan, number, state.inputs[e.slot] == Event::sticks ? "sticks" : "slips", {constraint_of(e.rows[0])});
  }
  take_up(plan);
  close(plan, before);
  fired_.clear();
}

double EventRun::kinetic(const State& state) const {
  Evaluation e;
  e.resize(mechanism_.pattern());
  mechanism_.evaluate(state, need_dynamics, *mechanism_.make_scratch(), e);
  return e.kinetic;
}

// The energies of all entries of one time.
void EventRun::close(Plan& plan, double before) const {
  const double after = kinetic(plan.state);
  for (std::size_t k = plan.first; k < plan.ledger.size(); ++k) {
    plan.ledger[k].kinetic_before = before;
    plan.ledger[k].kinetic_after = after;
  }
}

void EventRun::save(Memory& memory) const {
  finder_.save(memory);
  const Span own = memory.slot(memory_name, 3);
  own[0] = apex_, own[1] = recent_, own[2] = crowd_;
}

void EventRun::load(const State& state, std::size_t size_of_y) {
  finder_.load(state.memory, size_of_y);
  const ConstSpan own = state.memory.read(memory_name);
  if (own.size() != 3) throw std::invalid_argument("the checkpoint has no events");
  apex_ = own[0], recent_ = own[1], crowd_ = own[2];
  modes_.active = state.active;
  modes_.inputs = state.inputs;
  watch_.set_modes(state);
}

}  // namespace mortise::analysis
