#include "mortise/analysis/watch.h"

#include <cmath>

#include "mortise/mechanism/contact/contact_springs.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::analysis {

using mechanism::Event;
using What = Watched::What;

Watch::Watch(const mechanism::Mechanism& mechanism, const linalg::RankPolicy& policy)
    : mechanism_(mechanism),
      formulation_(gauss::make_formulation("auto")),
      stabilizer_(stabilize::make_stabilizer("none")),
      motion_(mechanism, *formulation_, *stabilizer_, policy),
      scratch_(mechanism.make_scratch()),
      force_scratch_(mechanism.make_scratch()),
      state_(mechanism.initial_state()) {
  const gauss::Pattern& pattern = mechanism.pattern();
  rows_.resize(pattern);
  solution_.resize(pattern);
  probe_.assign(index(pattern.m()), 0);
  on_ = probe_;
  reactions_.setZero(static_cast<Eigen::Index>(mechanism.constraints().size()) * (mechanism.dimension() == 2 ? 3 : 6));
  vector_.setZero(6);
  const double energy = mechanism.typical_energy();
  force_scale_ = std::isfinite(energy) ? energy / mechanism.characteristic_length() : 1;
  for (std::size_t k = 0; k < mechanism.events().size(); ++k) {
    const Event& event = mechanism.events()[k];
    const int number = static_cast<int>(k);
    switch (event.kind) {
      case Event::Kind::mark:
      case Event::Kind::lock:
      case Event::Kind::unlock:
        variables_.resize(std::max(variables_.size(), 1 + event.quantities.size()));
        if (!event.by_time()) watched_.push_back({number, What::when, 0, 0});
        break;
      case Event::Kind::breaks:
        watched_.push_back({number, What::broken, 0, 0});
        break;
      case Event::Kind::stop:
        for (std::size_t j = 0; j < event.rows.size(); ++j) {
          watched_.push_back({number, What::gap, event.rows[j], static_cast<int>(j)});
          watched_.push_back({number, What::push, event.rows[j], static_cast<int>(j)});
        }
        break;
      case Event::Kind::slip:
        watched_.push_back({number, What::cone, 0, 0});
        watched_.push_back({number, What::slip, 0, 0});
        break;
      case Event::Kind::spring:
        watched_.push_back({number, What::spring, 0, 0});
        watched_.push_back({number, What::spring, 0, 1});
        break;
      case Event::Kind::rigid:
        break;
    }
    for (const int row : event.rows) probe_[index(row)] = 1;
  }
}

void Watch::add_rows(const std::vector<int>& extra) {
  for (const int row : extra) probe_[index(row)] = 1;
}

std::vector<integrate::Witness> Watch::witnesses() {
  std::vector<integrate::Witness> out;
  for (const Watched& w : watched_) {
    const Event& event = mechanism_.events()[index(w.event)];
    integrate::Direction direction = integrate::Direction::falling;
    if (w.what == What::when)
      direction = event.crossing == Event::Crossing::rising    ? integrate::Direction::rising
                  : event.crossing == Event::Crossing::falling ? integrate::Direction::falling
                                                               : integrate::Direction::any;
    out.push_back({mechanism_.name(event.ref), [this, w](double t, ConstSpan y) { return at(w, t, y); }, direction});
  }
  return out;
}

void Watch::set_modes(const State& state) {
  state_.active = state.active;
  state_.inputs = state.inputs;
  motion_.set_active(state.active);
  motion_.set_inputs(state.inputs);
  motion_.forget();
  fresh_ = false;
  solve_ = false;
  for (const Event& event : mechanism_.events()) {
    const double mode = state.inputs[event.slot];
    for (const mechanism::Quantity& q : event.quantities)
      solve_ = solve_ || !(q.source == mechanism::Quantity::Source::state) || q.constraint >= 0;
    if (event.kind == Event::Kind::breaks) solve_ = solve_ || mode == 0;
    if (event.kind == Event::Kind::stop)
      for (const int row : event.rows) solve_ = solve_ || state.active[index(row)];
    if (event.kind == Event::Kind::slip) solve_ = solve_ || (mode == Event::sticks && !event.latch);
  }
}

void Watch::look(State& state, bool solve) {
  seen_ = &state;
  fresh_ = false;
  for (std::size_t row = 0; row < probe_.size(); ++row) on_[row] = state.active[row] | probe_[row];
  state.active.swap(on_);
  mechanism_.evaluate(state, need_constraints, *scratch_, rows_);
  state.active.swap(on_);
  solved_ = solve;
  mechanism_.motions(as_span(state.q), as_span(state.v), motions_);
  if (!solve) return;
  motion_.accelerate(state, solution_, need_energy);
  mechanism_.reactions(motions_, state.t, as_span(solution_.lambda), as_span(reactions_));
}

double Watch::at(const Watched& w, double t, ConstSpan y) {
  if (!fresh_ || seen_ != &state_ || state_.t != t) {
    if (reader_)
      reader_(t, y, state_);
    else
      motion_.unpack(t, y, state_);
    mechanism_.normalize(as_span(state_.q));
    look(state_, solve_);
    fresh_ = true;
  }
  return value(w);
}

mechanism::Instant Watch::instant() {
  mechanism::Instant i;
  i.t = seen_->t;
  i.motions = &motions_;
  i.q = as_span(seen_->q);
  i.v = as_span(seen_->v);
  i.work = as_span(seen_->work);
  i.inputs = as_span(seen_->inputs);
  if (!solved_) return i;
  const Evaluation& e = motion_.evaluation();
  i.a = as_span(solution_.a);
  i.reaction = as_span(reactions_);
  i.kinetic = e.kinetic;
  i.potential = e.potential;
  const Violation off = motion_.violation(e);
  i.position_error = off.position;
  i.velocity_error = off.velocity;
  i.acceleration_error = solution_.residual;
  return i;
}

double Watch::formula(const Event& event) {
  mechanism::Instant i = instant();
  if (event.needs(mechanism::Quantity::Source::force)) i.forces = mechanism_.force_records(i, *force_scratch_);
  variables_[0] = i.t;
  for (std::size_t k = 0; k < event.quantities.size(); ++k) variables_[1 + k] = event.quantities[k].value(i);
  return event.when.expression.value(std::span<const double>(variables_).first(1 + event.quantities.size()));
}

double Watch::load(const Event& event) {
  if (event.partner >= 0) {
    const int row = mechanism_.events()[index(event.partner)].rows[0];
    return std::max(0.0, -solution_.lambda[row]);
  }
  mechanism::Instant i = instant();
  return mechanism_.force_records(i, *force_scratch_)[index(event.friction)].coordinate;
}

double Watch::static_limit(const Event& event) { return event.static_ * load(event); }

double Watch::slip(const Event& event, Vector& out) const {
  double sum = 0;
  for (std::size_t k = 0; k < event.rows.size(); ++k) {
    const double s = rows_.phidot[event.rows[k]];
    out[static_cast<Eigen::Index>(k)] = s;
    sum += s * s;
  }
  return std::sqrt(sum);
}

double Watch::friction(const Event& event, Vector& out) const {
  double sum = 0;
  for (std::size_t k = 0; k < event.rows.size(); ++k) {
    const double l = solution_.lambda[event.rows[k]];
    out[static_cast<Eigen::Index>(k)] = l;
    sum += l * l;
  }
  return std::sqrt(sum);
}

// A witness that does not apply in the present mode is 1.
double Watch::value(const Watched& w) {
  const Event& event = mechanism_.events()[index(w.event)];
  const Vector& modes = seen_->inputs;
  const double mode = modes[event.slot];
  switch (w.what) {
    case What::when:
      return event.once && mode > 0 ? 1 : formula(event);
    case What::broken: {
      if (mode > 0) return 1;
      double worst = 0;
      const std::size_t width = mechanism_.dimension() == 2 ? 3 : 6;
      for (const int c : event.constraints) {
        const double* r = reactions_.data() + index(c) * width;
        const double force = width == 3 ? std::hypot(r[0], r[1]) : std::hypot(r[0], r[1], r[2]);
        const double torque = width == 3 ? std::abs(r[2]) : std::hypot(r[3], r[4], r[5]);
        if (event.force > 0) worst = std::max(worst, force / event.force);
        if (event.torque > 0) worst = std::max(worst, torque / event.torque);
      }
      return 1 - worst;
    }
    case What::gap:
      return seen_->active[index(w.row)] ? 1 : rows_.phi[w.row];
    case What::push:
      return seen_->active[index(w.row)] ? -solution_.lambda[w.row] : 1;
    case What::cone:
      return mode == Event::sticks && !event.latch ? static_limit(event) - friction(event, vector_) : 1;
    case What::slip: {
      if (mode != Event::slides) return 1;
      const double length = slip(event, vector_);
      if (event.rows.size() == 1) return modes[event.slot + 1] * vector_[0] - event.band;
      return length - std::max(event.band, tolerance(w));
    }
    case What::spring:
      return event.springs->witness(event.pair, w.slot, motions_, as_span(modes));
  }
  return 1;
}

double Watch::tolerance(const Watched& w) const {
  const Event& event = mechanism_.events()[index(w.event)];
  const gauss::Pattern& pattern = mechanism_.pattern();
  switch (w.what) {
    case What::gap:
      return 1e-9 * pattern.position_size[index(w.row)];
    case What::push:
    case What::cone:
      return 1e-9 * force_scale_;
    case What::slip:
      return (event.rows.size() == 1 ? 1e-9 : 1e-7) * pattern.velocity_size[index(event.rows[0])];
    case What::spring:
      return event.springs->tolerance(event.pair);
    default:
      return 1e-9;
  }
}

}  // namespace mortise::analysis
