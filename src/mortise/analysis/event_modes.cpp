// The second and third stage of an event (events.h): impulses, and the modes that fit the accelerations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mortise/analysis/event_plan.h"

namespace mortise::analysis {

using mechanism::Event;
using Kind = Event::Kind;

namespace {

// φ̈ = A a − b of a row that may be off.
double second_rate(const gauss::Pattern& pattern, const Evaluation& e, const Vector& a, int row) {
  double rate = -e.problem.b[row];
  for (const gauss::RowBlock& block : pattern.A)
    if (row >= block.row && row < block.row + block.rows) {
      const int size = pattern.columns.size(block.block);
      const double* A = e.problem.A.data() + block.offset + (row - block.row) * size;
      for (int j = 0; j < size; ++j) rate += A[j] * a[pattern.columns.begin(block.block) + j];
    }
  return rate;
}

}  // namespace

// Impulses, where a row that is on now is not fulfilled or a stop is hit.
void EventRun::jump(Plan& plan) {
  State& state = plan.state;
  const gauss::Pattern& pattern = mechanism_.pattern();
  Evaluation e;
  e.resize(pattern);
  const std::unique_ptr<Scratch> scratch = mechanism_.make_scratch();
  State all = state;
  std::vector<unsigned char> bilateral = state.active;
  std::vector<UnilateralRow> rows;
  std::vector<int> owners;
  for (const Event& own : mechanism_.events())
    for (const int row : own.rows) all.active[index(row)] = 1;
  mechanism_.evaluate(all, need_dynamics, *scratch, e);
  bool needed = false;
  for (const int row : plan.new_rows)
    needed = needed || std::abs(e.phidot[row]) > 1e-13 * pattern.velocity_size[index(row)];
  for (std::size_t k = 0; k < mechanism_.events().size(); ++k) {
    const Event& own = mechanism_.events()[k];
    if (own.kind == Kind::slip) {
      if (own.partner >= 0)
        for (const int row : own.rows) bilateral[index(row)] = 0;
      const bool tried = plan.tried.count(static_cast<int>(k)) > 0 && own.partner < 0 && own.band == 0;
      if (tried)
        for (const int row : own.rows) {
          bilateral[index(row)] = 1;
          needed = needed || std::abs(e.phidot[row]) > 1e-13 * pattern.velocity_size[index(row)];
        }
    }
    if (own.kind != Kind::stop) continue;
    for (const int row : own.rows) {
      bilateral[index(row)] = 0;
      const double size = pattern.position_size[index(row)], fast = pattern.velocity_size[index(row)];
      const bool touches = e.phi[row] <= 1e-8 * size || plan.hit.count(row);
      if (!touches || (plan.left.count(row) && e.phidot[row] >= 0)) continue;
      UnilateralRow u;
      u.row = row;
      const double speed = e.phidot[row], rest = own.rest_speed >= 0 ? own.rest_speed : 1e-4 * fast;
      if (speed < -1e-12 * fast) needed = true;
      if (speed < 0 && -own.restitution * speed >= rest) u.target = -own.restitution * speed;
      if (own.partner >= 0) {
        const Event& slip = event(own.partner);
        u.tangents = slip.rows;
        u.sliding = slip.coefficient;
        u.sticking = slip.static_;
      }
      rows.push_back(std::move(u));
      owners.push_back(static_cast<int>(k));
    }
  }
  if (!needed) return;
  const Impulse impulse = impulses_.solve(state.t, state.v, e, bilateral, rows);
  if (impulse.residual > 1e-8) {
    SolveReport report;
    report.code = "S464";
    report.time = state.t;
    report.message =
        fmt::format("no velocities fit all rows that are on now: {} is missed by {:.1e} of what is typical",
                    mechanism_.row_name(impulse.worst), impulse.residual);
    for (const int row : plan.new_rows) report.details.push_back("switched on: " + mechanism_.row_name(row));
    report.advice = "a lock against a driver that moves, perhaps: unlock one of them in the same event";
    throw SolveError(std::move(report));
  }

  // The ledger: each event has the work of its own rows; the first one has what drivers did, too.
  Vector before(pattern.m()), after(pattern.m()), v_sizes(mechanism_.v_size()), q_sizes(mechanism_.q_size());
  e.problem.multiply_A(as_span(state.v), as_span(before));
  e.problem.multiply_A(as_span(impulse.v), as_span(after));
  mechanism_.typical_sizes(as_span(q_sizes), as_span(v_sizes));
  const double jump = ((impulse.v - state.v).array() / v_sizes.array()).abs().maxCoeff();
  const auto book = [&](EventEntry& entry, const std::vector<int>& own) {
    double square = entry.impulse * entry.impulse;
    for (const int row : own) {
      square += impulse.lambda[row] * impulse.lambda[row];
      entry.work -= 0.5 * impulse.lambda[row] * (before[row] + after[row]);
    }
    entry.impulse = std::sqrt(square);
  };
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const UnilateralRow& u = rows[k];
    if (e.phidot[u.row] >= -1e-12 * pattern.velocity_size[index(u.row)]) continue;  // passed on through it
    note(plan, owners[k], "impact", {constraint_of(u.row)});
    std::vector<int> own_rows = u.tangents;
    own_rows.push_back(u.row);
    book(plan.ledger.back(), own_rows);
  }
  for (std::size_t k = plan.first; k < plan.ledger.size(); ++k) {
    const Event& own = event(plan.ledger[k].event);
    std::vector<int> own_rows;
    if (own.kind == Kind::lock)
      for (const int row : plan.new_rows)
        if (std::count(own.constraints.begin(), own.constraints.end(), constraint_of(row))) own_rows.push_back(row);
    book(plan.ledger[k], own_rows);
  }
  for (const int number : plan.tried)
    if (event(number).partner < 0) {
      note(plan, number, "sticks", {constraint_of(event(number).rows[0])});
      book(plan.ledger.back(), event(number).rows);
    }
  double booked = 0;
  for (std::size_t k = plan.first; k < plan.ledger.size(); ++k) {
    plan.ledger[k].jump = jump;
    booked += plan.ledger[k].work;
  }
  if (plan.ledger.size() > plan.first) plan.ledger[plan.first].work += impulse.work - booked;
  state.v = impulse.v;
  state.work[work_dissipated] -= impulse.work - impulse.driven;
  state.work[work_constraint] += impulse.driven;
}

// S462: at the start; S461: later, when the zero of the gap was missed.
void EventRun::fail_inside(double t, const char* code, const Event& e, double gap) const {
  const bool start = std::string_view(code) == "S462";
  SolveReport report;
  report.code = code;
  report.time = t;
  report.place = mechanism_.place(e.ref);
  report.message = fmt::format("'{}' {}: the gap is {:.3g}", mechanism_.name(e.ref),
                               start ? "begins inside" : "was passed within a step", gap);
  report.advice = start ? "move the bodies apart, or change the ends of the range" : "a shorter analysis.max_step";
  throw SolveError(std::move(report));
}

// Which stops are closed and which slips stick from here on: rows are on where the accelerations need them.
void EventRun::find_modes(Plan& plan) {
  State& state = plan.state;
  const gauss::Pattern& pattern = mechanism_.pattern();
  watch_.look(state, false);
  struct Touching {
    int number, row, slot;
  };
  std::vector<Touching> touching;
  std::vector<int> sticking;  // slips that stick until their cone says no
  for (std::size_t k = 0; k < mechanism_.events().size(); ++k) {
    const Event& e = mechanism_.events()[k];
    const int number = static_cast<int>(k);
    if (e.kind == Kind::stop)
      for (std::size_t j = 0; j < e.rows.size(); ++j) {
        const int row = e.rows[j];
        const double phi = watch_.rows().phi[row], speed = watch_.rows().phidot[row];
        if (phi < -1e-6 * pattern.position_size[index(row)]) fail_inside(state.t, "S461", e, phi);
        const bool touches = phi <= 1e-8 * pattern.position_size[index(row)] || plan.hit.count(row);
        const bool rests = touches && std::abs(speed) <= 1e-9 * pattern.velocity_size[index(row)];
        const bool on = rests && !plan.left.count(row);
        if (touches && !rests) plan.bounced.insert(row);
        state.active[index(row)] = on;
        if (on) touching.push_back({number, row, static_cast<int>(j)});
      }
    if (e.kind != Kind::slip) continue;
    const double length = watch_.slip(e, vector_);
    const bool still = length <= 1e-9 * pattern.velocity_size[index(e.rows[0])];
    if (e.partner >= 0) {
      const bool on = state.active[index(event(e.partner).rows[0])];
      if (!on)
        set_slip(state, e, Event::apart, vector_, 1);
      else if (plan.torn.count(number))
        continue;  // its slip begins here
      else if (still || plan.tried.count(number))
        set_slip(state, e, Event::sticks, vector_, 1), sticking.push_back(number);
      else
        set_slip(state, e, Event::slides, vector_, length);
    } else if (plan.tried.count(number) || state.inputs[e.slot] == Event::sticks) {
      set_slip(state, e, Event::sticks, vector_, 1), sticking.push_back(number);
    }
  }
  const int most = 50 + 20 * static_cast<int>(touching.size() + sticking.size());
  for (int turn = 0;; ++turn) {
    if (turn == most) {
      SolveReport report;
      report.code = "S465";
      report.time = state.t;
      report.message = "no set of contacts and stops fits the accelerations";
      for (const Touching& t : touching) report.details.push_back(mechanism_.row_name(t.row));
      report.advice = "rows that depend on one another (a body on many supports) or much friction: leave one out";
      throw SolveError(std::move(report));
    }
    watch_.look(state, true);
    const gauss::GaussSolution& solution = watch_.solution();
    const Evaluation& e = watch_.rows();
    bool changed = false;
    const auto open = [&](const Touching& t) {
      state.active[index(t.row)] = 0;
      if (const int partner = event(t.number).partner; partner >= 0)
        set_slip(state, event(partner), Event::apart, vector_, 1);
    };
    for (const Touching& t : touching) {
      if (changed) break;
      if (state.active[index(t.row)]) {
        if (solution.lambda[t.row] > 0) open(t), changed = true;
        continue;
      }
      const double rate = second_rate(pattern, e, solution.a, t.row);
      const double fast = pattern.velocity_size[index(t.row)], size = pattern.position_size[index(t.row)];
      if (rate < -1e-9 * fast * fast / size) {
        state.active[index(t.row)] = 1;
        if (const int partner = event(t.number).partner; partner >= 0) {
          const double length = watch_.slip(event(partner), vector_);
          const bool still = length <= 1e-9 * pattern.velocity_size[index(event(partner).rows[0])];
          set_slip(state, event(partner), still ? Event::sticks : Event::slides, vector_, length);
          if (still && !std::count(sticking.begin(), sticking.end(), partner)) sticking.push_back(partner);
        }
        changed = true;
      }
    }
    for (const int number : sticking) {
      if (changed) break;
      const Event& slip = event(number);
      if (state.inputs[slip.slot] != Event::sticks || (slip.latch && !plan.start)) continue;
      const double limit = watch_.static_limit(slip), needed = watch_.friction(slip, vector_);
      if (needed > limit && needed > 0) set_slip(state, slip, Event::slides, vector_, needed), changed = true;
    }
    if (!changed) break;
  }
  for (std::size_t k = 0; k < mechanism_.events().size(); ++k) {
    const Event& e = mechanism_.events()[k];
    if (e.kind != Kind::stop) continue;
    for (std::size_t j = 0; j < e.rows.size(); ++j)
      state.inputs[e.slot + static_cast<Eigen::Index>(j)] = state.active[index(e.rows[j])];
  }
}

// What rows that came on in the last stage still miss by rounding and location (a slip that ends is zero only so far),
// taken up by an impulse of its own: it is in the ledger, and projection finds nothing left. A band says otherwise.
void EventRun::take_up(Plan& plan) {
  State& state = plan.state;
  const gauss::Pattern& pattern = mechanism_.pattern();
  Evaluation e;
  e.resize(pattern);
  mechanism_.evaluate(state, need_dynamics, *mechanism_.make_scratch(), e);
  std::vector<unsigned char> on = state.active;
  for (const Event& own : mechanism_.events())
    if (own.kind == Kind::slip && own.band > 0)
      for (const int row : own.rows) on[index(row)] = 0;
  bool needed = false;
  for (int row = 0; row < pattern.m(); ++row)
    needed = needed || (on[index(row)] && std::abs(e.phidot[row]) > 1e-14 * pattern.velocity_size[index(row)]);
  if (!needed || plan.ledger.size() == plan.first) return;
  std::vector<UnilateralRow> none;
  const Impulse impulse = impulses_.solve(state.t, state.v, e, on, none);
  state.v = impulse.v;
  state.work[work_dissipated] -= impulse.work - impulse.driven;
  state.work[work_constraint] += impulse.driven;
  plan.ledger[plan.first].work += impulse.work;
}

// A stop that was left with a speed is hit again not before twice the time to the top: the next step ends there.
void EventRun::plan_flight(const Plan& plan) {
  apex_ = 0;
  if (plan.bounced.empty()) return;
  const gauss::Pattern& pattern = mechanism_.pattern();
  const Evaluation& e = watch_.rows();
  for (const int row : plan.bounced) {
    const double rate = second_rate(pattern, e, watch_.solution().a, row);
    if (!(rate < 0) || !(e.phidot[row] > 0)) continue;
    const double top = plan.state.t + e.phidot[row] / -rate;
    if (top > plan.state.t && (apex_ == 0 || top < apex_)) apex_ = top;
  }
}

}  // namespace mortise::analysis
