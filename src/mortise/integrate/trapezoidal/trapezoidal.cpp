#include "mortise/integrate/trapezoidal/trapezoidal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mortise/error.h"

namespace mortise::integrate {

namespace {

constexpr double torn = 10;  // rows off by so many times their typical size

}  // namespace

ImplicitIntegrator::ImplicitIntegrator(const Settings& settings, ImplicitFormula formula, const std::string& name)
    : BasicIntegrator(settings, name), formula_(formula), name_(name) {
  if (settings.step == 0)
    throw std::invalid_argument(fmt::format("integrator {} has a fixed step: set step to its length", name));
  const std::vector<std::string>& known = implicit_schemes();
  if (std::find(known.begin(), known.end(), settings.implicit.scheme) == known.end())
    throw std::invalid_argument(fmt::format("unknown scheme '{}' of integrator {}; there are {}",
                                            settings.implicit.scheme, name, fmt::join(known, ", ")));
  if (settings.implicit.correctors > ImplicitStep::most_trials - 1)
    throw std::invalid_argument(
        fmt::format("integrator {}: at most {} correctors", name, ImplicitStep::most_trials - 1));
}

void ImplicitIntegrator::bind(Flow& flow) {
  motion_ = flow.motion();
  if (!motion_)
    throw std::invalid_argument(fmt::format("integrator {} needs a mechanical system, not any flow", name_));
  if (system_ == &motion_->system() && step_) return;
  system_ = &motion_->system();
  step_ = std::make_unique<ImplicitStep>(*system_, formula_, settings_, motion_->policy());
  const gauss::Pattern& pattern = system_->pattern();
  solution_.resize(pattern);
  state_.q.setZero(system_->q_size());
  state_.v.setZero(system_->v_size());
  state_.lambda.setZero(pattern.m());
  state_.work.setZero(work_count);
  y_new_.setZero(flow.size());
  ydot_old_.setZero(flow.size());
}

void ImplicitIntegrator::start(Flow& flow, double t, ConstSpan y) {
  bind(flow);
  state_.active = motion_->active();
  state_.inputs = motion_->inputs();
  begin(flow, t, y);
  t0_ = t;
  j_ = 0;
  motion_->unpack(t, as_span(y_), state_);
  solution_.any_multipliers = false;
  motion_->accelerate(state_, solution_);
  step_->begin(state_, as_span(solution_.a), as_span(solution_.lambda));
  counters_.evaluations += 2;
  powers_now_ = powers();
  write_rates();
  ydot_old_ = ydot_;
}

void ImplicitIntegrator::tear(double t, double violation) const {
  SolveReport report;
  report.code = "S487";
  report.time = t;
  report.message = fmt::format("the state has left the constraints: rows are off by {:.1e} of their size", violation);
  report.details.push_back(
      fmt::format("integrator {}, scheme {}: unstable at this step", name_, settings_.implicit.scheme));
  report.advice =
      "a smaller step, more correctors, a larger epsilon; stabilize: projection, or integrator backward-euler for long "
      "runs";
  throw SolveError(report);
}

// At the old time of the step: loads, and the rows that depend on time.
ImplicitIntegrator::Powers ImplicitIntegrator::powers() const {
  const Evaluation& e = step_->evaluation();
  return {{e.power_dissipated, e.power_applied, step_->multipliers().lambda().dot(e.c_t)}};
}

void ImplicitIntegrator::write_rates() {
  const int nq = system_->q_size(), nv = system_->v_size();
  const ImplicitCoordinates& c = step_->coordinates();
  system_->qdot(as_span(c.q()), as_span(c.v()), as_span(ydot_).subspan(0, index(nq)));
  ydot_.segment(nq, nv) = c.a();
  for (int k = 0; k < work_count; ++k) ydot_[nq + nv + k] = powers_now_.of[k];
}

StepReport ImplicitIntegrator::step(double stop) {
  remaining(stop);
  const double grid = settings_.step, near = 1e-9 * grid;
  double j = j_ + 1, t_new = t0_ + j * grid;
  if (stop < t_new - near) {
    j = j_;
    t_new = stop;
  } else if (stop <= t_new + near) {
    t_new = stop;
  }
  const int order = formula_ == ImplicitFormula::trapezoidal ? 2 : 1;
  if (!(t_new > t_)) underflow(grid, std::abs(t_) * 2.3e-16, order, 0);
  const double h = t_new - t_;
  const int nq = system_->q_size(), nv = system_->v_size();

  const long evaluations = step_->evaluations();
  step_->solve(t_new);
  step_->accept();
  const ImplicitCoordinates& c = step_->coordinates();
  const Violation seen = motion_->violation(step_->evaluation());
  if (!(seen.position < torn)) tear(t_new, seen.position);
  y_new_.head(nq) = c.q();
  y_new_.segment(nq, nv) = c.v();
  const Powers end = powers();
  const double old_share = 0.5 * memory_of(formula_);
  for (int k = 0; k < work_count; ++k)
    y_new_[nq + nv + k] = y_[nq + nv + k] + h * (old_share * powers_now_.of[k] + (1 - old_share) * end.of[k]);
  // What projects must not begin with the matrices of whoever looked at the motion last.
  const bool projects = motion_->stabilizer().projects();
  if (projects)
    motion_->forget();
  else
    motion_->note(seen);
  if (flow_->settle(t_new, as_span(y_new_))) {
    motion_->unpack(t_new, as_span(y_new_), state_);
    if (projects) {
      motion_->accelerate(state_, solution_);
      step_->move(state_, as_span(solution_.a));
    } else {
      step_->move(state_, as_span(c.a()));
    }
  }
  counters_.evaluations += step_->evaluations() - evaluations;

  y_old_.swap(y_);
  y_.swap(y_new_);
  ydot_old_.swap(ydot_);
  t_old_ = t_;
  t_ = t_new;
  j_ = j;
  powers_now_ = end;
  write_rates();
  ++counters_.steps;
  return {t_, h, order};
}

// Hermite's cubic through both ends.
void ImplicitIntegrator::dense(double t, Span out) const {
  if (dense_at_ends(t, out)) return;
  const double h = t_ - t_old_, x = (t - t_old_) / h, rest = 1 - x;
  as_vector(out) = y_old_ + x * x * (3 - 2 * x) * (y_ - y_old_) + (h * x * rest) * (rest * ydot_old_ - x * ydot_);
}

std::vector<std::string> ImplicitIntegrator::remarks() const {
  std::vector<std::string> out;
  if (!step_ || iterations().steps == 0) return out;
  const Iterations& i = iterations();
  out.push_back(fmt::format("{}, {}: {:.3g} solutions for multipliers a step, at most {:.0f}", name_,
                            settings_.implicit.scheme, i.mean(), i.most));
  if (settings_.implicit.correctors >= 0)
    out.push_back(fmt::format("the last corrector of a step changed coordinates by up to {:.1e} of their size",
                              i.largest_change));
  if (step_->worst_condition() < 1)
    out.push_back(fmt::format("reciprocal condition of A M⁻¹Aᵀ down to {:.1e}", step_->worst_condition()));
  return out;
}

void ImplicitIntegrator::save(Memory& memory) const {
  const double own[] = {t0_, j_, powers_now_.of[0], powers_now_.of[1], powers_now_.of[2]};
  save_common(memory, own);
  as_vector(memory.slot(name_ + ".ydot_old", index(ydot_old_.size()))) = ydot_old_;
  step_->save(memory, name_);
}

void ImplicitIntegrator::load(Flow& flow, const Memory& memory) {
  bind(flow);
  state_.active = motion_->active();
  state_.inputs = motion_->inputs();
  const ConstSpan ydot_old = need(memory, name_ + ".ydot_old", index(flow.size()));
  double own[5];
  load_common(flow, memory, own);
  ydot_old_ = as_vector(ydot_old);
  t0_ = own[0], j_ = own[1];
  for (int k = 0; k < work_count; ++k) powers_now_.of[k] = own[2 + k];
  state_.t = t_;
  step_->load(state_, memory, name_);
}

}  // namespace mortise::integrate
