#include "mortise/integrate/alpha/generalized_alpha.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "mortise/error.h"

namespace mortise::integrate {

namespace {

const std::string carried_name = "generalized-alpha.carried";
const std::string origin_name = "generalized-alpha.matrix";
constexpr std::size_t alpha_scalars = 12;
constexpr double sliver = 1e-3;  // of a step: shorter ones are taken by Taylor's formula

}  // namespace

AlphaCoefficients alpha_coefficients(double rho) {
  AlphaCoefficients c;
  c.alpha_m = (2 * rho - 1) / (rho + 1);
  c.alpha_f = rho / (rho + 1);
  c.gamma = 0.5 + c.alpha_f - c.alpha_m;
  c.beta = 0.25 * (c.gamma + 0.5) * (c.gamma + 0.5);
  return c;
}

GeneralizedAlpha::GeneralizedAlpha(const Settings& settings) : BasicIntegrator(settings, "generalized-alpha") {
  if (settings.step == 0)
    throw std::invalid_argument("integrator generalized-alpha has a fixed step: set step to its length");
  if (!(settings.alpha.rho >= 0 && settings.alpha.rho <= 1))
    throw std::invalid_argument(
        fmt::format("rho of generalized-alpha is {}: expected a number from 0 to 1", settings.alpha.rho));
  if (settings.alpha.level != "position" && settings.alpha.level != "velocity")
    throw std::invalid_argument("level of generalized-alpha: position or velocity");
  c_ = alpha_coefficients(settings.alpha.rho);
  at_velocity_ = settings.alpha.level == "velocity";
}

void GeneralizedAlpha::bind(Flow& flow) {
  motion_ = flow.motion();
  if (!motion_) throw std::invalid_argument("integrator generalized-alpha needs a mechanical system, not any flow");
  const std::string by = motion_->stabilizer().name();
  if (by != "none" && !motion_->stabilizer().projects())
    throw std::invalid_argument(
        "generalized-alpha fulfils the rows itself: stabilize none, or projection of both levels");
  if (system_ == &motion_->system() && matrix_) return;
  system_ = &motion_->system();
  const gauss::Pattern& pattern = system_->pattern();
  hold_velocity_.assign(index(pattern.m()), at_velocity_ ? 1 : 0);
  for (int i = 0; i < pattern.m(); ++i)
    if (pattern.rows[index(i)].kind == gauss::RowKind::nonholonomic) hold_velocity_[index(i)] = 1;
  std::vector<std::vector<int>> couplings;
  if (settings_.alpha.couplings) {
    couplings = settings_.alpha.couplings(*system_);
  } else {  // nothing is known: all feel all
    couplings.emplace_back(index(pattern.columns.count()));
    std::iota(couplings.front().begin(), couplings.front().end(), 0);
  }
  residual_ = std::make_unique<Residual>(*system_);
  matrix_ = std::make_unique<StepMatrix>(*system_, couplings, hold_velocity_);
  solution_.resize(pattern);
  for (State* s : {&state_, &shown_}) {
    s->q.setZero(system_->q_size());
    s->v.setZero(system_->v_size());
    s->lambda.setZero(pattern.m());
    s->work.setZero(work_count);
  }
  for (Carried* c : {&now_, &next_}) {
    for (Vector* v : {&c->v, &c->a, &c->w}) v->setZero(pattern.n());
    c->lambda.setZero(pattern.m());
  }
  for (Vector* v : {&jerk_, &x_, &r_, &delta_, &origin_.x, &origin_.v, &origin_.w}) v->setZero(pattern.n());
  for (Vector* v : {&g_, &delta_lambda_, &origin_.lambda}) v->setZero(pattern.m());
  for (Vector* v : {&q_, &origin_.q}) v->setZero(system_->q_size());
  for (Vector* v : {&y_new_, &ydot_old_}) v->setZero(flow.size());
  origin_.h = 0;
}

void GeneralizedAlpha::start(Flow& flow, double t, ConstSpan y) {
  bind(flow);
  for (State* s : {&state_, &shown_}) {
    s->active = motion_->active();
    s->inputs = motion_->inputs();
  }
  begin(flow, t, y);
  t0_ = t;
  j_ = h_ = origin_.h = 0;
  stale_ = false;
  matrix_->set_redundant(false);
  motion_->unpack(t_, as_span(y_), state_);
  now_.v = state_.v;
  solution_.any_multipliers = false;
  motion_->accelerate(state_, solution_);
  ++counters_.evaluations;
  now_.w = now_.a = solution_.a;
  now_.lambda = solution_.lambda;
  const Evaluation& there = motion_->evaluation();
  powers_[work_dissipated] = there.power_dissipated;
  powers_[work_applied] = there.power_applied;
  powers_[work_constraint] = solution_.lambda.dot(there.c_t);
  find_jerk();
  write_rates();
  ydot_old_ = ydot_;
}

// ẏ at t() as it is shown.
void GeneralizedAlpha::write_rates() {
  const int nq = system_->q_size(), nv = system_->v_size();
  const ConstSpan y = as_span(static_cast<const Vector&>(y_));
  system_->qdot(y.subspan(0, index(nq)), y.subspan(index(nq), index(nv)), as_span(ydot_).subspan(0, index(nq)));
  ydot_.segment(nq, nv) = now_.w;
  for (int k = 0; k < work_count; ++k) ydot_[nq + nv + k] = powers_[k];
}

// The end of a step of h for next_.w: x, q, a, v.
void GeneralizedAlpha::try_end(double t, double h) {
  next_.a = ((1 - c_.alpha_f) * next_.w + c_.alpha_f * now_.w - c_.alpha_m * now_.a) / (1 - c_.alpha_m);
  next_.v = now_.v + h * ((1 - c_.gamma) * now_.a + c_.gamma * next_.a);
  x_ = h * now_.v + h * h * ((0.5 - c_.beta) * now_.a + c_.beta * next_.a);
  state_.t = t;
  system_->retract(as_span(q_), as_span(x_), as_span(state_.q));
  state_.v = next_.v;
  state_.lambda = next_.lambda;
}

// How far the last correction moved positions and velocities, in typical sizes.
double GeneralizedAlpha::change(double h) const {
  const double px = per_x(h), pv = per_v(h);
  const Vector &xs = matrix_->position_sizes(), &vs = matrix_->velocity_sizes();
  double most = 0;
  for (Eigen::Index i = 0; i < delta_.size(); ++i) {
    const double size = std::abs(delta_[i]);
    if (!std::isfinite(size)) return std::numeric_limits<double>::infinity();
    most = std::max({most, px * size / xs[i], pv * size / std::max(vs[i], std::abs(next_.v[i]))});
  }
  return most;
}

// Whether the rows that the step holds are met as well as their numbers can say.
bool GeneralizedAlpha::at_rounding(const Evaluation& e) const {
  constexpr double level = 4e-15;
  const gauss::Pattern& pattern = system_->pattern();
  for (int i = 0; i < pattern.m(); ++i)
    if (hold_velocity_[index(i)] ? std::abs(e.phidot[i]) > 10 * level * pattern.velocity_size[index(i)]
                                 : std::abs(e.phi[i]) > level * pattern.position_size[index(i)])
      return false;
  return true;
}

void GeneralizedAlpha::newton(double t, double h) {
  constexpr int most = 30;
  constexpr double rounding = 1e-13, enough = 1e-10, most_noise = 1e-7;
  const Vector &xs = matrix_->position_sizes(), &vs = matrix_->velocity_sizes();
  // Rounding of positions, which grows with the numbers, is noise of velocities when it is divided by h.
  double reach = 1, noise = 0;
  if (xs.size() > 0) {
    reach = std::max(1.0, q_.lpNorm<Eigen::Infinity>() / xs[0]);
    noise = 1e3 * unit * reach * xs[0] / (vs[0] * h);
  }
  const double accepted = std::max(enough * std::sqrt(reach), noise);
  next_.w = now_.w;
  next_.lambda = now_.lambda;
  // What is tried, one after the other: the matrix at hand, renewed where it is too old; a new one from the beginning;
  // a new one each iteration.
  enum class Trial { old, anew, always } trial = origin_.h == h ? Trial::old : Trial::anew;
  int in_trial = 0, growing = 0;
  double before = std::numeric_limits<double>::infinity();
  for (int k = 1;; ++k) {
    try_end(t, h);
    if (origin_.h != h || stale_ || trial == Trial::always) {
      make_matrix(t, h, next_.v, next_.w, next_.lambda);
      counters_.evaluations += matrix_->evaluations_to_form();
      stale_ = false;
    }
    residual_->at(state_, as_span(next_.w), r_);
    ++counters_.evaluations;
    const Evaluation& e = residual_->evaluation();
    for (Eigen::Index i = 0; i < g_.size(); ++i)
      g_[i] = hold_velocity_[index(i)] ? -e.phidot[i] / per_v(h) : -e.phi[i] / per_x(h);
    r_ = -r_;
    matrix_->solve(as_span(r_), as_span(g_), as_span(delta_), as_span(delta_lambda_));
    next_.w += delta_;
    next_.lambda += delta_lambda_;
    iterations_ += 1;
    ++in_trial;
    const double now = change(h);
    if (now <= rounding * reach) break;
    // No smaller: this is rounding, which long chains carry from row to row.
    if (now > 0.5 * before && (now <= accepted || (now <= most_noise && at_rounding(e)))) break;
    if (now > before) ++growing;
    if (in_trial >= most || growing > 3 || !std::isfinite(now)) {
      if (trial == Trial::always) no_convergence(t, h, k);
      trial = trial == Trial::old ? Trial::anew : Trial::always;
      stale_ = true;
      next_.w = now_.w;
      next_.lambda = now_.lambda;
      in_trial = growing = 0;
      before = std::numeric_limits<double>::infinity();
      continue;
    }
    if (trial == Trial::old && now > 0.2 * before && now > accepted) {
      trial = Trial::anew;
      stale_ = true;
      in_trial = growing = 0;
    }
    before = now;
  }
  if (trial == Trial::old && in_trial > 8) stale_ = true;
}

void GeneralizedAlpha::finish(double t, double h) {
  const int nq = system_->q_size(), nv = system_->v_size();
  const Evaluation& e = residual_->evaluation();
  const Violation off = motion_->violation(e);
  if (off.position > 1e-8 && !at_velocity_) cannot_hold(t);
  powers_new_[work_dissipated] = e.power_dissipated;
  powers_new_[work_applied] = e.power_applied;
  powers_new_[work_constraint] = next_.lambda.dot(e.c_t);
  if (!motion_->stabilizer().projects()) motion_->note(off);
  try_end(t, h);
  y_new_.head(nq) = state_.q;
  y_new_.segment(nq, nv) = state_.v;
  for (int k = 0; k < work_count; ++k) y_new_[nq + nv + k] = y_[nq + nv + k] + 0.5 * h * (powers_[k] + powers_new_[k]);
  show(t);
  if (at_velocity_) next_.v = y_new_.segment(nq, nv);
  jerk_ = (next_.w - now_.w) / h;
}

// What is shown of y_new_: with `projection`, on both levels.
void GeneralizedAlpha::show(double t) {
  motion_->unpack(t, as_span(y_new_), shown_);
  bool moved = system_->normalize(as_span(shown_.q));
  if (motion_->stabilizer().projects() && system_->pattern().m() > 0)
    moved = motion_->project(shown_, Motion::Start::fresh) || moved;
  if (moved) motion_->pack(shown_, as_span(y_new_));
}

// Rows turn faster than forces change: those in the matrix are renewed at every step. They also tell, where they are
// redundant, what no motion feels of λ at the very pose.
void GeneralizedAlpha::refresh_rows(double t, ConstSpan y) {
  motion_->unpack(t, y, shown_);
  if (!matrix_->refresh_rows(shown_, *residual_)) singular(t, origin_.h);
}

StepReport GeneralizedAlpha::step(double stop) {
  remaining(stop);
  const double grid = settings_.step, near = 1e-9 * grid;
  double j = j_ + 1, t_new = t0_ + j * grid;
  if (stop < t_new - near) {
    j = j_;
    t_new = stop;
  } else if (stop <= t_new + near) {
    t_new = stop;
  }
  if (!(t_new > t_)) underflow(grid, std::abs(t_) * unit, 2, 0);
  double h = t_new - t_;
  if (std::abs(h - grid) <= near) h = grid;
  q_ = y_.head(system_->q_size());
  if (h < sliver * grid) {
    skip(t_new);
  } else {
    if (h != h_) prepare(h);
    newton(t_new, h);
    finish(t_new, h);
  }
  if (origin_.h > 0) {
    refresh_rows(t_new, as_span(y_new_));
    ++counters_.evaluations;
    matrix_->shorten(as_span(next_.lambda));
  }
  std::swap(now_, next_);
  std::copy_n(powers_new_, int(work_count), powers_);
  y_old_.swap(y_);
  y_.swap(y_new_);
  t_old_ = t_;
  t_ = t_new;
  ydot_old_.swap(ydot_);
  write_rates();
  j_ = j;
  ++counters_.steps;
  return {t_, t_ - t_old_, 2};
}

// So short a time that w̄ and its slope tell all: the scheme of h_ goes on behind it.
void GeneralizedAlpha::skip(double t) {
  const int nq = system_->q_size(), nv = system_->v_size();
  const double h = t - t_;
  x_ = h * y_.segment(nq, nv) + 0.5 * h * h * now_.w;
  system_->retract(as_span(q_), as_span(x_), as_span(state_.q));
  y_new_ = y_ + h * ydot_;
  y_new_.head(nq) = state_.q;
  show(t);
  next_.v = now_.v + h * now_.w;
  next_.a = now_.a + h * jerk_;
  next_.w = now_.w + h * jerk_;
  next_.lambda = now_.lambda;
  std::copy_n(powers_, int(work_count), powers_new_);
}

// Hermite's cubic.
void GeneralizedAlpha::dense(double t, Span out) const {
  if (dense_at_ends(t, out)) return;
  const double h = t_ - t_old_, x = (t - t_old_) / h, rest = 1 - x;
  as_vector(out) = y_old_ + x * x * (3 - 2 * x) * (y_ - y_old_) + (h * x * rest) * (rest * ydot_old_ - x * ydot_);
}

std::vector<std::string> GeneralizedAlpha::remarks() const {
  std::vector<std::string> out;
  if (counters_.steps > 0)
    out.push_back(fmt::format(
        "Newton: {:.1f} iterations a step; its matrix was made {:.0f} times, of {} evaluations each",
        iterations_ / static_cast<double>(counters_.steps), matrices_, matrix_ ? matrix_->evaluations_to_form() : 0));
  if (settings_.alpha.rho == 1 && !at_velocity_ && system_ && system_->pattern().m() > 0)
    out.push_back("rho = 1 damps no ringing of multipliers at position level: level velocity, or rho below 1");
  return out;
}

void GeneralizedAlpha::save(Memory& memory) const {
  const double own[alpha_scalars] = {
      t0_,       j_,        h_,         iterations_, matrices_,  stale_ ? 1.0 : 0.0,
      origin_.t, origin_.h, powers_[0], powers_[1],  powers_[2], matrix_->redundant() ? 1.0 : 0.0};
  save_common(memory, own);
  const auto write = [](Span to, std::initializer_list<const Vector*> all) {
    std::size_t at = 0;
    for (const Vector* v : all) {
      as_vector(to.subspan(at, index(v->size()))) = *v;
      at += index(v->size());
    }
  };
  const auto nv = index(now_.v.size()), m = index(now_.lambda.size()), nq = index(q_.size());
  write(memory.slot(carried_name, 4 * nv + m + index(ydot_old_.size())),
        {&now_.v, &now_.a, &now_.w, &jerk_, &now_.lambda, &ydot_old_});
  write(memory.slot(origin_name, nq + 3 * nv + m), {&origin_.q, &origin_.x, &origin_.v, &origin_.w, &origin_.lambda});
}

void GeneralizedAlpha::load(Flow& flow, const Memory& memory) {
  bind(flow);
  const auto nv = index(now_.v.size()), m = index(now_.lambda.size()), nq = index(q_.size());
  const ConstSpan carried = need(memory, carried_name, 4 * nv + m + index(flow.size()));
  const ConstSpan origin = need(memory, origin_name, nq + 3 * nv + m);
  for (State* s : {&state_, &shown_}) {
    s->active = motion_->active();
    s->inputs = motion_->inputs();
  }
  double own[alpha_scalars];
  load_common(flow, memory, own);
  const auto read = [](ConstSpan from, std::initializer_list<Vector*> all) {
    std::size_t at = 0;
    for (Vector* v : all) {
      *v = as_vector(from.subspan(at, index(v->size())));
      at += index(v->size());
    }
  };
  read(carried, {&now_.v, &now_.a, &now_.w, &jerk_, &now_.lambda, &ydot_old_});
  read(origin, {&origin_.q, &origin_.x, &origin_.v, &origin_.w, &origin_.lambda});
  t0_ = own[0], j_ = own[1], h_ = own[2], iterations_ = own[3], matrices_ = own[4], stale_ = own[5] > 0;
  origin_.t = own[6], origin_.h = own[7];
  for (int k = 0; k < work_count; ++k) powers_[k] = own[8 + k];
  matrix_->set_redundant(false);
  if (origin_.h > 0) form_at_origin();
  matrix_->set_redundant(own[11] > 0);
  if (origin_.h > 0 && counters_.steps > 0) refresh_rows(t_, as_span(y_));
}

}  // namespace mortise::integrate
