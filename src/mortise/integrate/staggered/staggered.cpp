#include "mortise/integrate/staggered/staggered.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "mortise/error.h"
#include "mortise/gauss/weakest.h"

namespace mortise::integrate {

namespace {

const std::string middle_name = "staggered.middle";
const std::string coordinates_name = "staggered.coordinates";
const std::string multipliers_name = "staggered.multipliers";
constexpr double careful_turn = 0.8, unstable = 2;
constexpr std::size_t own_scalars = 9;

MultiplierForm form_of(const std::string& name) {
  if (name == "velocity") return MultiplierForm::velocity;
  if (name == "acceleration") return MultiplierForm::acceleration;
  if (name == "midpoint") return MultiplierForm::midpoint;
  throw std::invalid_argument("multipliers of the staggered integrator: velocity, acceleration or midpoint");
}

[[noreturn]] void unstable_step(double t, std::string message, std::string detail) {
  SolveReport report;
  report.code = "S480";
  report.time = t;
  report.message = std::move(message);
  report.details.push_back(std::move(detail));
  report.advice = "a smaller step; integrator generalized-alpha or bdf where springs are stiff";
  throw SolveError(report);
}

}  // namespace

Staggered::Staggered(const Settings& settings) : BasicIntegrator(settings, "staggered") {
  if (settings.step == 0)
    throw std::invalid_argument("integrator staggered-explicit-implicit has a fixed step: set step to its length");
  const StaggeredSettings& own = settings.staggered;
  multiplier_settings_ = {form_of(own.multipliers), own.epsilon, own.relative};
  if (own.chains == "two")
    chains_ = Chains::two;
  else if (own.chains == "one")
    chains_ = Chains::one;
  else if (own.chains == "lagged")
    chains_ = Chains::lagged;
  else
    throw std::invalid_argument("chains of the staggered integrator: two, one or lagged");
  if (own.merge < 0) throw std::invalid_argument("merge must not be negative");
}

void Staggered::bind(Flow& flow) {
  motion_ = flow.motion();
  if (!motion_)
    throw std::invalid_argument("integrator staggered-explicit-implicit needs a mechanical system, not any flow");
  if (system_ == &motion_->system() && coordinates_) return;
  system_ = &motion_->system();
  const gauss::Pattern& pattern = system_->pattern();
  coordinates_ = std::make_unique<CoordinateStepper>(*system_);
  multipliers_ = std::make_unique<MultiplierStepper>(pattern, multiplier_settings_, motion_->policy());
  scratch_ = system_->make_scratch();
  evaluation_.resize(pattern);
  solution_.resize(pattern);
  state_.q.setZero(system_->q_size());
  state_.v.setZero(system_->v_size());
  state_.lambda.setZero(pattern.m());
  state_.work.setZero(work_count);
  for (Vector* v : {&middle_v_, &f_, &average_}) v->setZero(pattern.n());
  qdot_old_.setZero(system_->q_size());
  y_new_.setZero(flow.size());
  Vector q_sizes = Vector::Ones(system_->q_size()), v_sizes = Vector::Ones(system_->v_size());
  system_->typical_sizes(as_span(q_sizes), as_span(v_sizes));
  v_size_ = v_sizes.norm();
  for (Vector* z : {&z_, &z_next_, &z_scale_}) z->setZero(system_->feedback_size());
  if (z_.size() > 0) system_->feedback_sizes(as_span(z_scale_));
  fastest_ = -1;
}

void Staggered::start(Flow& flow, double t, ConstSpan y) {
  bind(flow);
  state_.active = motion_->active();
  state_.inputs = motion_->inputs();
  begin(flow, t, y);
  t0_ = t;
  j_ = 0;
  middle_v_ = y_.segment(system_->q_size(), system_->v_size());
  if (fastest_ < 0) estimate_limit();
  restart(settings_.step);
  multipliers_->begin(as_span(multipliers_->lambda()));
  find_weakest();
  qdot_old_ = ydot_.head(system_->q_size());
}

// The second chain from the state in y_: λ and accelerations of the state itself, half a step of the mid-point rule.
void Staggered::restart(double h, bool goes_on) {
  const double delta = 0.5 * h;
  const int nq = system_->q_size(), nv = system_->v_size();
  motion_->unpack(t_, as_span(y_), state_);
  solution_.any_multipliers = false;
  motion_->accelerate(state_, solution_);
  multipliers_->begin_again(as_span(solution_.lambda), goes_on);
  const Evaluation& there = motion_->evaluation();
  powers_now_ = {{there.power_dissipated, there.power_applied, solution_.lambda.dot(there.c_t)}};
  write_rates();

  f_ = state_.v + 0.5 * delta * solution_.a;
  average_ = 0.5 * delta * state_.v;
  system_->cayley(as_span(state_.q), as_span(average_), as_span(state_.q));
  state_.v = f_;
  state_.t = t_ + 0.5 * delta;
  motion_->accelerate(state_, solution_);
  counters_.evaluations += 2;
  average_ = delta * f_;
  state_.q = y_.head(nq);
  system_->cayley(as_span(state_.q), as_span(average_), as_span(state_.q));
  state_.v = y_.segment(nq, nv) + delta * solution_.a;
  state_.t = t_ + delta;
  const ConstSpan y = as_span(static_cast<const Vector&>(y_));
  const ConstSpan q = y.subspan(0, static_cast<std::size_t>(nq));
  if (chains_ == Chains::two) {
    if (motion_->stabilizer().projects()) motion_->project(state_, Motion::Start::fresh);
    coordinates_->begin(q, y.subspan(q.size(), static_cast<std::size_t>(nv)), as_span(state_.q), as_span(state_.v),
                        delta);
  } else {
    coordinates_->begin_one_chain(q, as_span(state_.v), delta);
  }
  h_ = h;
  since_merge_ = 0;
}

// ẏ at t() from the state and accelerations at hand.
void Staggered::write_rates() {
  const int nq = system_->q_size(), nv = system_->v_size();
  system_->qdot(as_span(state_.q), as_span(state_.v), as_span(ydot_).subspan(0, static_cast<std::size_t>(nq)));
  ydot_.segment(nq, nv) = solution_.a;
  for (int k = 0; k < work_count; ++k) ydot_[nq + nv + k] = powers_now_.of[k];
}

// How weakly the rows hold together, for the automatic ε.
void Staggered::find_weakest() {
  if (multiplier_settings_.epsilon > 0 || system_->pattern().m() == 0) return;
  const Vector q = y_.head(system_->q_size()), v = y_.segment(system_->q_size(), system_->v_size());
  evaluate(t_, as_span(q), as_span(v));
  multipliers_->set_weakest(gauss::weakest_singular_value(evaluation_.problem, motion_->policy()));
}

// −∂a/∂q at rest, along motions that the constraints allow, by power iteration: its largest eigenvalue is ω_max².
// Approaches from below; a few per cent are left by 20 iterations.
void Staggered::estimate_limit() {
  constexpr int iterations = 20;
  constexpr double share = 1e-6;
  fastest_ = 0;
  const int nv = system_->v_size();
  if (nv == 0) return;
  Vector q_sizes = Vector::Ones(system_->q_size()), v_sizes = Vector::Ones(nv), u(nv), ahead(nv), move(nv);
  system_->typical_sizes(as_span(q_sizes), as_span(v_sizes));
  motion_->unpack(t_, as_span(y_), state_);
  const Vector q = state_.q;
  for (int i = 0; i < nv; ++i) u[i] = (1 + 0.3 * std::sin(7.0 * i + 1)) * v_sizes[i];
  const auto accelerations = [&](double s, Vector& a) {
    move = s * u;
    system_->retract(as_span(q), as_span(move), as_span(state_.q));
    state_.v.setZero();
    motion_->accelerate(state_, solution_);
    ++counters_.evaluations;
    a = solution_.a;
  };
  try {
    for (int k = 0; k < iterations; ++k) {
      const double size = u.cwiseQuotient(v_sizes).lpNorm<Eigen::Infinity>();
      if (!(size > 0) || !std::isfinite(size)) break;
      u *= share / size;
      accelerations(1, ahead);
      Vector behind(nv);
      accelerations(-1, behind);
      behind = 0.5 * (behind - ahead);  // −∂a/∂q u
      const double square = behind.cwiseQuotient(v_sizes).norm() / u.cwiseQuotient(v_sizes).norm();
      if (k + 1 == iterations && std::isfinite(square)) fastest_ = std::sqrt(square);
      u = behind;
    }
  } catch (const SolveError&) {  // no pose beside this one that can be solved: nothing is known, nothing is claimed
    fastest_ = 0;
  }
  if (fastest_ * settings_.step > unstable)
    unstable_step(t_,
                  fmt::format("the step of {:.3g} s is above the limit of stability, {:.3g} s", settings_.step,
                              unstable / fastest_),
                  fmt::format("the fastest vibration has {:.4g} rad/s; h times that must stay below 2", fastest_));
}

void Staggered::evaluate(double t, ConstSpan q, ConstSpan v) {
  state_.t = t;
  state_.q = as_vector(q);
  state_.v = as_vector(v);
  ++counters_.evaluations;
  system_->evaluate(state_, need_dynamics, *scratch_, evaluation_);
  gauss::GaussProblem& p = evaluation_.problem;
  if (p.C.size() > 0) p.Q += p.C;
  if (!std::isfinite(p.Q.sum() + p.b.sum() + evaluation_.phidot.sum()))
    throw SolveError(system_->blame_non_finite(state_));
}

void Staggered::check_spin(double t, double h) {
  const double turn = h * system_->largest_spin(as_span(state_.v));
  largest_turn_ = std::max(largest_turn_, turn);
  if (turn > unstable)
    unstable_step(t, "a body turns too fast for the step",
                  fmt::format("step times angular speed is {:.3g} rad; the "
                              "scheme is unstable above 2, accurate below 0.8",
                              turn));
}

Staggered::Powers Staggered::powers() const {
  return {{evaluation_.power_dissipated, evaluation_.power_applied, multipliers_->lambda().dot(evaluation_.c_t)}};
}

// Loads at a station depend on velocities that the station itself determines (damping: the average of the chain that
// moves), or on its multipliers and accelerations (friction in joints): repeated until they agree.
Staggered::Powers Staggered::station(double t, double h) {
  constexpr int most = 60;
  constexpr double wanted = 1e-13, rounding = 1e-10;
  CoordinateStepper& c = *coordinates_;
  const gauss::GaussProblem& p = evaluation_.problem;
  evaluate(t, as_span(c.q()), as_span(c.v()));
  check_spin(t, h);
  motion_->note(motion_->violation(evaluation_));
  const bool average = chains_ == Chains::one || (chains_ == Chains::two && evaluation_.power_dissipated != 0);
  if (!multipliers_->factor(p, c.delta())) motion_->refuse(t, multipliers_->refusal());
  const bool feeds_back = z_.size() > 0;
  if (feeds_back)
    system_->feedback(state_, as_span(c.a()), as_span(multipliers_->before()), *scratch_, evaluation_, as_span(z_));
  double before = std::numeric_limits<double>::infinity();
  for (int k = 0;; ++k) {
    if (feeds_back) system_->add_feedback(state_, as_span(z_), need_dynamics, *scratch_, evaluation_);
    multipliers_->solve(p, as_span(p.Q), as_span(p.b), as_span(evaluation_.c_t), as_span(c.v_before()));
    p.multiply_At(as_span(multipliers_->lambda()), as_span(f_));
    if (const int block = c.accelerate(p, motion_->policy(), as_span(p.Q), as_span(f_)); block >= 0)
      motion_->refuse(t, {gauss::Refusal::Kind::singular_mass, block, {}, 0, 0});
    if (!average && !feeds_back) break;
    double gap = 0;
    c.average(as_span(average_));
    if (average) gap = (average_ - state_.v).norm() / std::max({average_.norm(), state_.v.norm(), 1e-3 * v_size_});
    if (feeds_back) {
      system_->feedback(state_, as_span(c.a()), as_span(multipliers_->lambda()), *scratch_, evaluation_,
                        as_span(z_next_));
      for (Eigen::Index i = 0; i < z_.size(); ++i)
        gap = std::max(gap,
                       std::abs(z_next_[i] - z_[i]) / std::max({std::abs(z_[i]), std::abs(z_next_[i]), z_scale_[i]}));
      z_.swap(z_next_);
    }
    if (!std::isfinite(gap)) {
      if (k > 0) too_strong(t, h);  // runs away instead of settling
      throw SolveError(system_->blame_non_finite(state_));
    }
    if (gap <= wanted || (gap <= rounding && gap > 0.5 * before)) break;
    if (k == most) too_strong(t, h);
    before = gap;
    if (average)
      evaluate(t, as_span(c.q()), as_span(average_));
    else
      evaluate(t, as_span(c.q()), as_span(c.v()));
  }
  multipliers_->accept();
  return powers();
}

void Staggered::too_strong(double t, double h) const {
  SolveReport report;
  report.code = "S481";
  report.time = t;
  report.message = "forces that depend on velocities or reactions are too strong for the step of this integrator";
  report.details.push_back(fmt::format("no agreement by iteration at h = {:.3g} s", h));
  report.advice = "a smaller step; integrator generalized-alpha or bdf for strong dampers";
  throw SolveError(report);
}

void Staggered::project_station(double t) {
  state_.t = t;
  state_.q = coordinates_->q();
  state_.v = coordinates_->v();
  if (motion_->project(state_, Motion::Start::fresh)) coordinates_->move(as_span(state_.q), as_span(state_.v));
}

void Staggered::take_step(double t_new, double h) {
  const int nq = system_->q_size(), nv = system_->v_size();
  const bool projects = motion_->stabilizer().projects();
  CoordinateStepper& c = *coordinates_;
  Powers middle, end;
  if (chains_ == Chains::two) {
    middle_v_ = c.v();
    middle = station(t_ + 0.5 * h, h);
    c.advance();
    worst_separation_ = std::max(worst_separation_, c.separation());
    if (projects) project_station(t_ + h);
    y_new_.head(nq) = c.q();
    y_new_.segment(nq, nv) = c.v();
    end = station(t_new, h);
    solution_.a = c.a();
    c.advance();
    if (projects) project_station(t_new + 0.5 * h);
  } else {
    middle_v_ = c.v_before();
    end = station(t_new, h);
    y_new_.head(nq) = c.q();
    c.average(as_span(average_));
    y_new_.segment(nq, nv) = average_;
    solution_.a = c.a();
    c.advance_one_chain();
    for (int k = 0; k < work_count; ++k) middle.of[k] = 0.5 * (powers_now_.of[k] + end.of[k]);
  }
  for (int k = 0; k < work_count; ++k)
    y_new_[nq + nv + k] = y_[nq + nv + k] + h * (0.25 * powers_now_.of[k] + 0.5 * middle.of[k] + 0.25 * end.of[k]);
  qdot_old_ = ydot_.head(nq);
  y_old_.swap(y_);
  y_.swap(y_new_);
  t_old_ = t_;
  t_ = t_new;
  powers_now_ = end;
  motion_->unpack(t_, as_span(y_), state_);
  write_rates();
}

// One chain is kept, at t(): its velocities are projected once, the other chain begins anew.
void Staggered::merge() {
  motion_->unpack(t_, as_span(y_), state_);
  if (system_->pattern().m() > 0) {
    evaluate(t_, as_span(state_.q), as_span(state_.v));
    if (!multipliers_->factor(evaluation_.problem, coordinates_->delta())) motion_->refuse(t_, multipliers_->refusal());
    multipliers_->project(evaluation_.problem, as_span(evaluation_.c_t), as_span(state_.v));
  }
  motion_->pack(state_, as_span(y_));
  restart(h_, true);
}

StepReport Staggered::step(double stop) {
  remaining(stop);
  const double grid = settings_.step, near = 1e-9 * grid;
  double j = j_ + 1, t_new = t0_ + j * grid;
  if (stop < t_new - near) {
    j = j_;
    t_new = stop;
  } else if (stop <= t_new + near) {
    t_new = stop;
  }
  if (!(t_new > t_)) underflow(grid, std::abs(t_) * 2.3e-16, 2, 0);
  const double h = t_new - t_;
  const bool on_grid = std::abs(h - grid) <= near;
  if (std::abs(h_ - (on_grid ? grid : h)) > near)
    restart(on_grid ? grid : h);  // a two-step method: another h, another start
  take_step(t_new, h_);
  j_ = j;
  ++counters_.steps;
  since_merge_ += 1;
  const long every = settings_.staggered.merge;
  if (chains_ == Chains::two && every > 0 && since_merge_ >= static_cast<double>(every)) merge();
  return {t_, h, 2};
}

// Positions by Hermite's cubic, velocities by the parabola through three stations.
void Staggered::dense(double t, Span out) const {
  if (dense_at_ends(t, out)) return;
  const int nq = system_->q_size(), nv = system_->v_size();
  const double h = t_ - t_old_, x = (t - t_old_) / h, rest = 1 - x;
  auto y = as_vector(out);
  y = y_old_ + x * x * (3 - 2 * x) * (y_ - y_old_);
  y.head(nq) += (h * x * rest) * (rest * qdot_old_ - x * ydot_.head(nq));
  y.segment(nq, nv) =
      rest * (1 - 2 * x) * y_old_.segment(nq, nv) + 4 * x * rest * middle_v_ + x * (2 * x - 1) * y_.segment(nq, nv);
  y.tail(work_count) = y_old_.tail(work_count) + x * (y_.tail(work_count) - y_old_.tail(work_count));
}

std::vector<std::string> Staggered::remarks() const {
  std::vector<std::string> out;
  if (fastest_ > 0)
    out.push_back(fmt::format("step {:.3g} s; the scheme is stable up to {:.3g} s (fastest vibration {:.3g} rad/s)",
                              settings_.step, step_limit(), fastest_));
  if (largest_turn_ > careful_turn)
    out.push_back(
        fmt::format("bodies turn by up to {:.2g} rad a step: accurate below 0.8, unstable above 2", largest_turn_));
  return out;
}

void Staggered::save(Memory& memory) const {
  const double own[own_scalars] = {
      t0_, j_, h_, since_merge_, fastest_, worst_separation_, powers_now_.of[0], powers_now_.of[1], powers_now_.of[2]};
  save_common(memory, own);
  const auto nq = static_cast<std::size_t>(qdot_old_.size()), nv = static_cast<std::size_t>(middle_v_.size());
  const Span middle = memory.slot(middle_name, nq + nv + 1);
  as_vector(middle.subspan(0, nq)) = qdot_old_;
  as_vector(middle.subspan(nq, nv)) = middle_v_;
  middle[nq + nv] = largest_turn_;
  coordinates_->save(memory, coordinates_name);
  multipliers_->save(memory, multipliers_name);
}

void Staggered::load(Flow& flow, const Memory& memory) {
  bind(flow);
  state_.active = motion_->active();
  state_.inputs = motion_->inputs();
  const auto nq = static_cast<std::size_t>(system_->q_size()), nv = static_cast<std::size_t>(system_->v_size());
  const ConstSpan middle = need(memory, middle_name, nq + nv + 1);
  double own[own_scalars];
  load_common(flow, memory, own);
  coordinates_->load(memory, coordinates_name);
  multipliers_->load(memory, multipliers_name);
  qdot_old_ = as_vector(middle.subspan(0, nq));
  middle_v_ = as_vector(middle.subspan(nq, nv));
  largest_turn_ = middle[nq + nv];
  t0_ = own[0], j_ = own[1], h_ = own[2], since_merge_ = own[3], fastest_ = own[4], worst_separation_ = own[5];
  for (int k = 0; k < work_count; ++k) powers_now_.of[k] = own[6 + k];
}

}  // namespace mortise::integrate
