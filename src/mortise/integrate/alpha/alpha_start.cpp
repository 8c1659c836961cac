// How generalized-alpha begins, goes over to another step size, makes its matrix, and says what went wrong.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mortise/error.h"
#include "mortise/integrate/alpha/generalized_alpha.h"

namespace mortise::integrate {

// ẇ ≈ (−3 w(0) + 4 w(s) − w(2s)) / 2s along q ⊕ (s v + ½ s² w), v + s w: what these leave out cancels to second order,
// and all of it where forces are linear. Never before the start: drivers and forces may not be defined there.
void GeneralizedAlpha::find_jerk() {
  const double s = 0.01 * settings_.step;
  const int nq = system_->q_size();
  jerk_ = -3 * now_.w;
  try {
    for (const double share : {1.0, 2.0}) {
      const double ahead = share * s;
      x_ = ahead * now_.v + 0.5 * ahead * ahead * now_.w;
      q_ = y_.head(nq);
      system_->retract(as_span(q_), as_span(x_), as_span(state_.q));
      state_.v = now_.v + ahead * now_.w;
      state_.t = t_ + ahead;
      motion_->accelerate(state_, solution_);
      ++counters_.evaluations;
      jerk_ += (share == 1 ? 4 : -1) * solution_.a;
    }
  } catch (const SolveError&) {  // no motion ahead that could be solved for: the step itself will tell
    jerk_.setZero();
  }
  jerk_ /= 2 * s;
}

void GeneralizedAlpha::form_at_origin() {
  state_.t = origin_.t;
  system_->retract(as_span(origin_.q), as_span(origin_.x), as_span(state_.q));
  state_.v = origin_.v;
  state_.lambda = origin_.lambda;
  const StepTrial trial{&origin_.q, &origin_.x, &state_, &origin_.w, per_x(origin_.h), per_v(origin_.h)};
  if (matrix_->form(trial, *residual_)) return;
  const double h = origin_.h;
  origin_.h = 0;  // none at hand
  singular(origin_.t, h);
}

// At the end q_ ⊕ x_ of a step.
void GeneralizedAlpha::make_matrix(double t, double h, const Vector& v, const Vector& w, const Vector& lambda) {
  origin_.q = q_;
  origin_.x = x_;
  origin_.v = v;
  origin_.w = w;
  origin_.lambda = lambda;
  origin_.t = t;
  origin_.h = h;
  form_at_origin();
  matrices_ += 1;
}

// a and v for steps of h: at the start, and where the step size changes. The jerk is taken as the
// matrix of the step sees it, H ẇ' + Aᵀμ = M ẇ, A T ẇ' = A ẇ: to second order the same, but divided by (hω)² where it
// is stiff.
void GeneralizedAlpha::prepare(double h) {
  if (h_ > 0) begin_anew();
  x_ = h * now_.v + 0.5 * h * h * now_.w;
  next_.v = now_.v + h * now_.w;
  make_matrix(t_ + h, h, next_.v, now_.w, now_.lambda);
  counters_.evaluations += matrix_->evaluations_to_form();
  const gauss::GaussProblem& p = residual_->evaluation().problem;
  p.multiply_M(as_span(jerk_), as_span(r_));
  p.multiply_A(as_span(jerk_), as_span(g_));
  matrix_->solve(as_span(r_), as_span(g_), as_span(delta_), as_span(delta_lambda_));
  now_.a = now_.w + (c_.shift() * h) * delta_;
  if (!at_velocity_ && system_->pattern().m() > 0) fit_velocities(h);
  h_ = h;
}

// From positions and velocities on the rows alone, with the accelerations there: those of the last step would be
// extrapolated over and over where one step after the other has another size.
void GeneralizedAlpha::begin_anew() {
  motion_->unpack(t_, as_span(y_), shown_);
  if (!motion_->stabilizer().projects() && !at_velocity_ && system_->pattern().m() > 0)
    motion_->project(shown_, Motion::Start::fresh, false, true);
  solution_.any_multipliers = false;
  motion_->accelerate(shown_, solution_);
  ++counters_.evaluations;
  now_.v = shown_.v;
  now_.w = now_.a = solution_.a;
  now_.lambda = solution_.lambda;
  find_jerk();
  q_ = y_.head(system_->q_size());
}

// The velocities along the rows that smooth motion has in this scheme.
void GeneralizedAlpha::fit_velocities(double h) {
  x_ = h * now_.v + h * h * (0.5 * now_.a + (c_.beta * h) * delta_);
  state_.t = t_ + h;
  system_->retract(as_span(q_), as_span(x_), as_span(state_.q));
  state_.v = next_.v;
  state_.lambda = now_.lambda;
  residual_->at(state_, as_span(now_.w), r_);
  ++counters_.evaluations;
  const Evaluation& e = residual_->evaluation();
  for (Eigen::Index i = 0; i < g_.size(); ++i) g_[i] = hold_velocity_[index(i)] ? 0 : -e.phi[i] / h;
  r_.setZero();
  matrix_->solve(as_span(r_), as_span(g_), as_span(delta_), as_span(delta_lambda_));
  now_.v += delta_;
}

// Rows that are off most, worst first.
std::vector<std::string> GeneralizedAlpha::worst_rows() const {
  const gauss::Pattern& pattern = system_->pattern();
  const Evaluation& e = residual_->evaluation();
  std::vector<std::pair<double, int>> off;
  for (int i = 0; i < pattern.m(); ++i) {
    const bool velocity = hold_velocity_[index(i)];
    const double error =
        velocity ? e.phidot[i] / pattern.velocity_size[index(i)] : e.phi[i] / pattern.position_size[index(i)];
    off.emplace_back(-std::abs(error), i);
  }
  std::sort(off.begin(), off.end());
  std::vector<std::string> lines;
  for (const auto& [error, row] : off) {
    if (lines.size() == 6 || !(error < 0.05 * off.front().first)) break;
    lines.push_back(fmt::format("{:<20} off by {:.3e}", system_->row_name(row),
                                hold_velocity_[index(row)] ? e.phidot[row] : e.phi[row]));
  }
  return lines;
}

void GeneralizedAlpha::no_convergence(double t, double h, int iterations) const {
  SolveReport report;
  report.code = "S498";
  report.time = t_;
  report.message = fmt::format("the implicit step to {:.6g} s did not converge", t);
  report.details.push_back(fmt::format("{} iterations at h = {:.3g} s, the matrix made anew", iterations, h));
  std::vector<std::pair<double, int>> moving;
  const gauss::Blocks& columns = system_->pattern().columns;
  for (int b = 0; b < columns.count(); ++b) {
    double most = 0;
    for (int i = columns.begin(b); i < columns.begin(b) + columns.size(b); ++i)
      most = std::max(most, std::isfinite(delta_[i]) ? per_x(h) * std::abs(delta_[i]) / matrix_->position_sizes()[i]
                                                     : std::numeric_limits<double>::infinity());
    moving.emplace_back(-most, b);
  }
  std::sort(moving.begin(), moving.end());
  std::string blocks;
  for (std::size_t k = 0; k < std::min<std::size_t>(moving.size(), 4); ++k)
    blocks += (k ? ", " : "") + system_->block_name(moving[k].second);
  report.details.push_back("still moving: " + blocks);
  for (std::string& line : worst_rows()) report.details.push_back(std::move(line));
  report.advice = at_velocity_ ? "level: position, which passes singular poses; a smaller step; look for a jump in a "
                                 "force or driver near this time"
                               : "a smaller step; look for a jump in a force or driver near this time";
  throw SolveError(report);
}

void GeneralizedAlpha::cannot_hold(double t) const {
  SolveReport report;
  report.code = "S499";
  report.exit = ExitCode::conflict;
  report.time = t;
  report.message = "the rows cannot all be met at the end of the step";
  report.details = worst_rows();
  report.advice = "these joints and drivers contradict one another here, or the mechanism locks: change or drop one";
  throw SolveError(report);
}

void GeneralizedAlpha::singular(double t, double h) const {
  SolveReport report;
  report.code = "S498";
  report.time = t;
  const int block = matrix_->vanished_block();
  report.message = block >= 0
                       ? fmt::format("the matrix of the implicit step is singular at '{}'", system_->block_name(block))
                       : "the matrix of the implicit step is singular at its rows";
  report.details.push_back(fmt::format("h = {:.3g} s: a motion has neither mass nor stiffness of its own", h));
  report.advice = "absolute coordinates; mass or inertia for every motion of every body; another step";
  throw SolveError(report);
}

}  // namespace mortise::integrate
