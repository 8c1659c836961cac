#include "mortise/motion/motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "mortise/linalg/parallel.h"
#include "mortise/system/measure.h"

namespace mortise {

namespace {

// Adds the time of every 64th scope, times 64, to a counter.
class SampledClock {
 public:
  SampledClock(unsigned call, double& total) : total_(call % each == 0 ? &total : nullptr) {
    if (total_) begin_ = std::chrono::steady_clock::now();
  }
  ~SampledClock() {
    if (total_) *total_ += each * std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  SampledClock(const SampledClock&) = delete;
  SampledClock& operator=(const SampledClock&) = delete;

 private:
  static constexpr unsigned each = 64;
  double* total_;
  std::chrono::steady_clock::time_point begin_;
};

bool is_nonholonomic(const gauss::Row& row) { return row.kind == gauss::RowKind::nonholonomic; }

void switch_off_nonholonomic(gauss::GaussProblem& problem) {
  const std::vector<gauss::Row>& rows = problem.pattern->rows;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (is_nonholonomic(rows[i])) problem.active[i] = 0;
}

// Largest scaled violations of some rows, and a sum that is a number where all of theirs are.
struct Found {
  double sum = 0, position = 0, velocity = 0;
};

// Two rows at a time: one sum or maximum need not wait for the other. `one`: all sizes are the same.
template <bool one>
Found look_at_rows(const Evaluation& e, const Vector& per_position, const Vector& per_velocity, Eigen::Index begin,
                   Eigen::Index end) {
  const double *phi = e.phi.data(), *phidot = e.phidot.data(), *b = e.problem.b.data();
  const auto of = [](const Vector& per) { return [sizes = per.data()](Eigen::Index i) { return sizes[one ? 0 : i]; }; };
  const auto by_position = of(per_position), by_velocity = of(per_velocity);
  double sum = 0, other_sum = 0, position = 0, other_position = 0, velocity = 0, other_velocity = 0;
  Eigen::Index i = begin;
  for (; i + 2 <= end; i += 2) {
    sum += b[i] + (phi[i] + phidot[i]);
    other_sum += b[i + 1] + (phi[i + 1] + phidot[i + 1]);
    position = std::max(position, std::abs(phi[i]) * by_position(i));
    other_position = std::max(other_position, std::abs(phi[i + 1]) * by_position(i + 1));
    velocity = std::max(velocity, std::abs(phidot[i]) * by_velocity(i));
    other_velocity = std::max(other_velocity, std::abs(phidot[i + 1]) * by_velocity(i + 1));
  }
  if (i < end) {
    sum += b[i] + (phi[i] + phidot[i]);
    position = std::max(position, std::abs(phi[i]) * by_position(i));
    velocity = std::max(velocity, std::abs(phidot[i]) * by_velocity(i));
  }
  return {sum + other_sum, std::max(position, other_position), std::max(velocity, other_velocity)};
}

// The largest |error_i| · per_i: as scaled_max, without its divisions.
double largest_of(const Vector& error, const Vector& per) {
  const double *x = error.data(), *by = per.data();
  double largest = 0, other = 0;
  Eigen::Index i = 0;
  for (; i + 2 <= error.size(); i += 2) {
    largest = std::max(largest, std::abs(x[i]) * by[i]);
    other = std::max(other, std::abs(x[i + 1]) * by[i + 1]);
  }
  if (i < error.size()) largest = std::max(largest, std::abs(x[i]) * by[i]);
  return std::max(largest, other);
}

// Errors below this are rounding of the constraint functions themselves.
constexpr double rounding_level = 4e-15;
// What a projection must reach, or the constraints cannot be met: rounding, which grows with the numbers (bodies far
// away, turned many times, very fast), and what a dropped row may hide, since a direction held by less than the rank
// threshold cannot be corrected (nor does it need to be).
double met_level(const linalg::RankPolicy& policy, const Vector& x, const Vector& sizes) {
  return std::max(1e-11 * std::max(1.0, (x.array() / sizes.array()).abs().maxCoeff()), 10 * policy.relative);
}

}  // namespace

Motion::Motion(const System& system, const gauss::Formulation& formulation, Stabilizer& stabilizer,
               const linalg::RankPolicy& policy)
    : system_(system),
      stabilizer_(stabilizer),
      policy_(policy),
      factor_(formulation.prepare(system.pattern())),
      scratch_(system.make_scratch()) {
  const gauss::Pattern& pattern = system.pattern();
  evaluation_.resize(pattern);
  solution_.resize(pattern);
  step_.resize(pattern);
  state_.q.setZero(system.q_size());
  state_.v.setZero(system.v_size());
  state_.lambda.setZero(pattern.m());
  state_.work.setZero(work_count);
  state_.active.assign(static_cast<std::size_t>(pattern.m()), 1);
  q_sizes_.setOnes(system.q_size());
  v_sizes_.setOnes(system.v_size());
  system.typical_sizes(as_span(q_sizes_), as_span(v_sizes_));
  per_position_ = as_vector(ConstSpan(pattern.position_size)).cwiseInverse();
  per_velocity_ = as_vector(ConstSpan(pattern.velocity_size)).cwiseInverse();
  const auto all_one = [](const Vector& per) { return per.size() > 0 && (per.array() == per[0]).all(); };
  one_size_ = all_one(per_position_) && all_one(per_velocity_);
  zero_.setZero(pattern.n());
  right_.setZero(pattern.m());
  move_.setZero(pattern.n());
  state_.inputs = system.initial_inputs();
  const bool identity = stabilizer.metric() == Metric::identity;
  if (identity || formulation.can().search || formulation.can().stale) {
    metric_factor_ = gauss::make_formulation("udwadia-kalaba")->prepare(pattern);
    metric_problem_.resize(pattern);
    if (identity)
      for (int k = 0; k < pattern.columns.count(); ++k)
        for (int i = 0; i < pattern.columns.size(k); ++i)
          metric_problem_.M[pattern.M_offset[static_cast<std::size_t>(k)] + i * (pattern.columns.size(k) + 1)] = 1;
  }
  if (const int size = system.feedback_size(); size > 0) {
    for (Vector* z : {&z_, &z_next_, &gap_, &probe_, &z_scale_, &z_step_, &z_work_}) z->setZero(size);
    Q_free_.setZero(pattern.n());
    newton_.resize(size, size);
    system.feedback_sizes(as_span(z_scale_));
  }
}

void Motion::forget() {
  factor_->forget();
  stabilizer_.forget();
  factored_ = metric_factored_ = false;
}

Violation Motion::violation(const Evaluation& e) const {
  return {largest_of(e.phi, per_position_), largest_of(e.phidot, per_velocity_)};
}

void Motion::evaluate(const State& state, unsigned more) {
  system_.evaluate(state, need_dynamics | more, *scratch_, evaluation_);
  gauss::GaussProblem& p = evaluation_.problem;
  if (p.C.size() > 0) p.Q += p.C;
  const Eigen::Index rows = p.b.size();
  const auto look = [&](Eigen::Index begin, Eigen::Index end) {
    return one_size_ ? look_at_rows<true>(evaluation_, per_position_, per_velocity_, begin, end)
                     : look_at_rows<false>(evaluation_, per_position_, per_velocity_, begin, end);
  };
  Found found;
  if (index(rows) < linalg::parallel_from) {
    found = look(0, rows);
  } else {
    constexpr int parts = 64;
    Found part[parts];
    const auto one = [&](std::size_t k) {
      const auto at = [&](std::size_t j) { return rows * static_cast<Eigen::Index>(j) / parts; };
      part[k] = look(at(k), at(k + 1));
    };
    linalg::for_each_task(parts, [&one](std::size_t k) { one(k); });
    for (const Found& of : part) {
      found.sum += of.sum;
      found.position = std::max(found.position, of.position);
      found.velocity = std::max(found.velocity, of.velocity);
    }
  }
  if (!std::isfinite(p.Q.sum() + found.sum)) throw SolveError(system_.blame_non_finite(state));  // φ̇ shows A too
  evaluation_.problem.violation = std::max(found.position, found.velocity);
}

void Motion::factor(double t) {
  factored_ = factor_->factor(evaluation_.problem, policy_);
  if (!factored_) fail_factor(t, factor_->refusal());
}

void Motion::fail_factor(double t, const gauss::Refusal& why) const {
  if (why.kind == gauss::Refusal::Kind::singular_mass)
    throw SolveError(singular_mass(system_, t, why.block,
                                   "it has a motion without mass or inertia, and this formulation divides by both"));
  if (why.kind == gauss::Refusal::Kind::not_unique) throw SolveError(not_unique(t, why.missing));
  SolveReport report;
  report.time = t;
  report.code = "S421";
  report.message = "constraint rows depend on one another, and this formulation needs them independent";
  std::string rows;
  for (int row : why.rows) rows += (rows.empty() ? "" : ", ") + system_.row_name(row);
  report.details.push_back("rows: " + rows);
  report.details.push_back(fmt::format("relative pivot {:.1e}", why.pivot));
  report.advice = "formulation: auto (handles redundant rows)";
  throw SolveError(report);
}

void Motion::factor_metric(double t) {
  if (!metric_factor_) return factor(t);
  const gauss::GaussProblem& p = evaluation_.problem;
  if (stabilizer_.metric() == Metric::mass) {
    metric_problem_.M = p.M;
    metric_problem_.mass_stamp = p.mass_stamp;
  }
  metric_problem_.A = p.A;
  metric_problem_.active = p.active;
  metric_problem_.violation = p.violation;
  metric_factored_ = metric_factor_->factor(metric_problem_, policy_);
  if (!metric_factored_) fail_factor(t, metric_factor_->refusal());
}

void Motion::solve_metric() {
  gauss::Factor& factor = metric_factor_ ? *metric_factor_ : *factor_;
  factor.solve(as_span(zero_), as_span(right_), step_);
}

void Motion::project_acceleration(gauss::GaussSolution& solution) {
  evaluation_.problem.multiply_A(as_span(solution.a), as_span(right_));
  right_ = evaluation_.problem.b - right_;
  if (!metric_ready()) factor_metric(state_.t);
  solve_metric();
  solution.a += step_.a;
}

void Motion::accelerate(State& state, gauss::GaussSolution& solution, unsigned more) {
  ++calls_;
  {
    const SampledClock clock(calls_, seconds_.evaluate);
    evaluate(state, more);
    stabilizer_.before_solve(evaluation_);
  }
  const SampledClock clock(calls_, seconds_.solve);
  metric_factored_ = false;
  factored_ = factor_->factor_and_solve(evaluation_.problem, policy_, solution);
  if (!factored_) fail_factor(state.t, factor_->refusal());
  if (system_.feedback_size() > 0) close_feedback(state, solution, need_dynamics | more);
  stabilizer_.after_solve(solution, *this);
  if (!std::isfinite(solution.a.sum() + evaluation_.power_dissipated + evaluation_.power_applied))
    throw SolveError(system_.blame_non_finite(state));
  state.lambda = solution.lambda;
}

// The loads at z, the solution with them, and what it makes of z.
void Motion::respond(const State& state, const Vector& z, gauss::GaussSolution& solution, unsigned needs, Vector& out) {
  evaluation_.problem.Q = Q_free_;
  evaluation_.power_dissipated = dissipated_free_;
  evaluation_.power_applied = applied_free_;
  evaluation_.potential = potential_free_;
  system_.add_feedback(state, as_span(z), needs, *scratch_, evaluation_);
  factor_->solve(as_span(evaluation_.problem.Q), as_span(evaluation_.problem.b), solution);
  system_.feedback(state, as_span(solution.a), as_span(solution.lambda), *scratch_, evaluation_, as_span(out));
}

// Loads that depend on the solution: finds z = G(z), where G solves with the loads at z. The factorisation is that of
// the evaluation, so G costs one solve. Newton with ∂G/∂z by differences (one solve a column; G is nearly linear), the
// matrix kept while it works; I − ∂G/∂z singular is the paradox of Painlevé: no load fits the motion, or many do.
void Motion::close_feedback(const State& state, gauss::GaussSolution& solution, unsigned needs) {
  constexpr double wanted = 1e-14, rounding = 1e-11;
  constexpr int most = 50;
  Q_free_ = evaluation_.problem.Q;
  dissipated_free_ = evaluation_.power_dissipated;
  applied_free_ = evaluation_.power_applied;
  potential_free_ = evaluation_.potential;
  const auto scale = [&](Eigen::Index k) { return std::max({std::abs(z_[k]), std::abs(z_next_[k]), z_scale_[k]}); };
  const auto measure = [&] {
    gap_ = z_next_ - z_;
    double largest = 0;
    for (Eigen::Index k = 0; k < gap_.size(); ++k) {
      if (!std::isfinite(gap_[k])) throw SolveError(system_.blame_non_finite(state));
      largest = std::max(largest, std::abs(gap_[k]) / scale(k));
    }
    return largest;
  };
  const auto build = [&] {
    constexpr double share = 1e-7;
    newton_.clear();
    z_work_ = z_;
    for (Eigen::Index j = 0; j < z_.size(); ++j) {
      const double step = share * scale(j);
      z_work_[j] = z_[j] + step;
      respond(state, z_work_, solution, needs, probe_);
      z_work_[j] = z_[j];
      for (Eigen::Index i = 0; i < z_.size(); ++i)
        newton_.column(static_cast<int>(i))[j] =
            ((i == j) - (probe_[i] - z_next_[i]) / step) * scale(j) / scale(i);  // row i of I − ∂G/∂z, scaled
    }
    newton_.factor(policy_, 0);
    if (newton_.rank().rank < z_.size()) fail_feedback(state, "their balance is singular", gap_);
  };

  system_.feedback(state, as_span(solution.a), as_span(solution.lambda), *scratch_, evaluation_, as_span(z_));
  respond(state, z_, solution, needs, z_next_);
  double size = measure();
  bool built = false;
  for (int iteration = 0; size > wanted; ++iteration) {
    if (iteration == most) fail_feedback(state, "no balance was found", gap_);
    const bool fresh = !built;
    if (fresh) build();
    for (Eigen::Index k = 0; k < gap_.size(); ++k) gap_[k] /= scale(k);
    newton_.solve(as_span(gap_), as_span(z_step_), as_span(z_work_));
    for (Eigen::Index k = 0; k < gap_.size(); ++k) z_step_[k] *= scale(k);
    z_work_ = z_;
    const double before = size;
    for (double share = 1; share > 0.01; share /= 2) {
      z_ = z_work_ + share * z_step_;
      respond(state, z_, solution, needs, z_next_);
      size = measure();
      if (!fresh || size < before) break;
    }
    if (size <= rounding && size > 0.1 * before) break;
    built = size < 0.1 * before;
  }
}

void Motion::fail_feedback(const State& state, const char* why, const Vector& gap) const {
  SolveReport report;
  report.code = "S422";
  report.time = state.t;
  report.message = std::string("forces that depend on reactions or accelerations do not fit the motion: ") + why;
  for (int k = 0; k < gap.size(); ++k)
    if (std::abs(gap[k]) > 0.01 * gap.cwiseAbs().maxCoeff())
      report.details.push_back(fmt::format("{:<20} off by {:.3e}", system_.feedback_name(k), gap[k]));
  report.advice = "less friction, or a given preload: where friction outgrows the load that causes it, no force fits";
  throw SolveError(report);
}

void Motion::fail_projection(const State& state, const char* what, const Vector& error,
                             const std::vector<double>& sizes) const {
  SolveReport report;
  report.code = "S431";
  report.exit = ExitCode::conflict;
  report.time = state.t;
  const double worst = scaled_max(error, sizes);
  report.message = fmt::format("the constraints cannot all be met in {} (scaled error {:.1e})", what, worst);
  for (int i = 0; i < system_.pattern().m() && report.details.size() < 12; ++i) {
    const double e = std::abs(error[i]) / sizes[static_cast<std::size_t>(i)];
    if (e > 0.05 * worst) report.details.push_back(fmt::format("{:<20} off by {:.3e}", system_.row_name(i), error[i]));
  }
  report.advice = "these joints and drivers contradict one another here: change or drop one of them";
  throw SolveError(report);
}

// Newton on φ(q ⊕ δ) = 0 with the step of least kinetic norm; the factor is kept while it converges fast.
Motion::Outcome Motion::project_position(State& state) {
  const gauss::Pattern& pattern = system_.pattern();
  bool& ready = metric_ready();
  double error = largest_of(evaluation_.phi, per_position_);
  if (error <= rounding_level) return Outcome::as_it_was;
  // The factor of an acceleration holds the nonholonomic rows too, which say nothing about poses.
  const bool other_rows = std::any_of(pattern.rows.begin(), pattern.rows.end(), is_nonholonomic);
  if (other_rows) ready = false;
  bool fresh = !ready;
  for (int iteration = 0; error > rounding_level; ++iteration) {
    if (iteration == 30) return Outcome::failed;
    if (!ready) {
      if (other_rows) switch_off_nonholonomic(evaluation_.problem);  // until the next evaluation
      factor_metric(state.t);
    }
    right_ = -evaluation_.phi;
    solve_metric();
    system_.retract(as_span(state.q), as_span(step_.a), as_span(state.q));
    evaluate(state);
    const double now = largest_of(evaluation_.phi, per_position_);
    if (now <= rounding_level) break;
    if (now > 0.5 * error) {
      // No longer converging: at rounding this is the end, else the factor is too old.
      if (fresh && now <= met_level(policy_, state.q, q_sizes_)) break;
      if (fresh && iteration > 3) return Outcome::failed;
      ready = false;
      fresh = true;
    } else if (now > 0.05 * error) {
      ready = false;
      fresh = true;
    }
    error = now;
  }
  if (other_rows) ready = false;
  return Outcome::moved;
}

// v ← v + M⁻¹Aᵀ(…)(−φ̇), repeated while the factor is that of a pose nearby.
bool Motion::project_velocity(State& state) {
  bool& ready = metric_ready();
  bool fresh = false;
  double error = largest_of(evaluation_.phidot, per_velocity_);
  for (int iteration = 0; error > rounding_level; ++iteration) {
    if (iteration == 30) return false;
    if (!ready) {
      factor_metric(state.t);
      fresh = true;
    }
    right_ = -evaluation_.phidot;
    solve_metric();
    state.v += step_.a;
    evaluation_.problem.multiply_A(as_span(state.v), as_span(evaluation_.phidot));
    evaluation_.phidot += evaluation_.c_t;
    const double now = largest_of(evaluation_.phidot, per_velocity_);
    if (now > 0.5 * error) {
      if (now <= met_level(policy_, state.v, v_sizes_)) break;
      if (fresh) return false;
      ready = false;
    }
    error = now;
  }
  return true;
}

bool Motion::project(State& state, Start start, bool positions, bool velocities) {
  if (start == Start::fresh) metric_ready() = false;
  const SampledClock clock(calls_, seconds_.project);
  evaluate(state);
  const bool off_velocity = largest_of(evaluation_.phidot, per_velocity_) > rounding_level;
  const gauss::Pattern& pattern = system_.pattern();
  const Outcome position = positions ? project_position(state) : Outcome::as_it_was;
  if (position == Outcome::failed) fail_projection(state, "positions", evaluation_.phi, pattern.position_size);
  const bool moved = position == Outcome::moved;
  if (velocities && (moved || off_velocity) && !project_velocity(state))
    fail_projection(state, "velocities", evaluation_.phidot, pattern.velocity_size);
  const Violation left = violation(evaluation_);
  worst_.position = std::max(worst_.position, left.position);
  worst_.velocity = std::max(worst_.velocity, left.velocity);
  return moved || (velocities && off_velocity);
}

void Motion::pack(const State& state, Span y) const {
  auto target = as_vector(y);
  target.head(state.q.size()) = state.q;
  target.segment(state.q.size(), state.v.size()) = state.v;
  target.tail(work_count) = state.work;
}

void Motion::unpack(double t, ConstSpan y, State& state) const {
  const auto in = as_vector(y);
  state.t = t;
  state.q = in.head(system_.q_size());
  state.v = in.segment(system_.q_size(), system_.v_size());
  state.work = in.tail(work_count);
}

void Motion::rates(double t, ConstSpan y, Span ydot) {
  rated_ = true;
  unpack(t, y, state_);
  stabilizer_.complete(state_, *this);
  solution_.any_multipliers = system_.feedback_size() == 0;
  accelerate(state_, solution_);
  least_held_ = std::min(least_held_, solution_.rank.smallest_kept);
  if (stages_ && stabilizer_.projects()) settle_stage(t, y);
  auto out = as_vector(ydot);
  const int nq = system_.q_size(), nv = system_.v_size();
  system_.qdot(as_span(state_.q), as_span(state_.v), ydot.subspan(0, static_cast<std::size_t>(nq)));
  out.segment(nq, nv) = solution_.a;
  out[nq + nv + work_dissipated] = evaluation_.power_dissipated;
  out[nq + nv + work_applied] = evaluation_.power_applied;
  // Power of the constraint forces −Aᵀλ on the manifold, where A v = −c_t: only rows that depend on time do work.
  out[nq + nv + work_constraint] = solution_.lambda.dot(evaluation_.c_t);
}

// Where the weakest direction is held by s, an error e of φ or φ̇ turns into one of e/s² in the accelerations: a stage
// near a singular pose is taken to the manifold first.
void Motion::settle_stage(double t, ConstSpan y) {
  constexpr double weak = 0.03, allowed = 1e-8;
  const double s = solution_.rank.smallest_kept;
  if (s > weak || evaluation_.problem.violation <= std::max(allowed * s * s, 10 * rounding_level)) return;
  if (project_position(state_) == Outcome::failed || !project_velocity(state_))
    unpack(t, y, state_);  // too far off: as it is, and the error of the step will show
  accelerate(state_, solution_);
}

// An integrator that does not come by `rates` leaves the factorisation of whatever was asked for last, a frame perhaps.
bool Motion::settle(double t, Span y) {
  if (!rated_) metric_ready() = false;
  rated_ = false;
  unpack(t, y, state_);
  bool moved = system_.normalize(as_span(state_.q));
  moved = stabilizer_.after_step(state_, *this) || moved;
  factor_->step_accepted();
  if (moved) pack(state_, y);
  return moved;
}

// δ ← δ + M⁻¹Aᵀ(…)(−A δ) for the velocities, and for the positions in tangent coordinates. Nonholonomic rows do not
// hold positions: their part of a position error stays.
void Motion::keep_tangent_part(Span error) {
  if (!stabilizer_.projects() || !factored_) return;
  if (!metric_ready()) factor_metric(state_.t);
  const auto nq = static_cast<std::size_t>(system_.q_size()), nv = static_cast<std::size_t>(system_.v_size());
  const gauss::Pattern& pattern = system_.pattern();
  const auto remove = [&](bool positions) {
    evaluation_.problem.multiply_A(as_span(move_), as_span(right_));
    for (int i = 0; i < pattern.m(); ++i) {
      const bool holonomic = pattern.rows[static_cast<std::size_t>(i)].kind == gauss::RowKind::holonomic;
      right_[i] = positions && !holonomic ? 0 : -right_[i];
    }
    solve_metric();
    move_ += step_.a;
  };
  const Span q = error.subspan(0, nq), v = error.subspan(nq, nv);
  system_.tangent(as_span(state_.q), q, as_span(move_));
  remove(true);
  system_.qdot(as_span(state_.q), as_span(move_), q);
  move_ = as_vector(v);
  remove(false);
  as_vector(v) = move_;
}

// Where the weakest direction is held by s (the last pivot, relative), rounding ε of φ lets the pose move by ε/s along
// it, and that pose turns the velocity by ε/s²: such errors pass the test when their weight falls with tolerance·s²/ε.
// They enter the motion by their square, so √tolerance is always asked for.
double Motion::weight_across(double tolerance) const {
  if (!stabilizer_.projects() || !factored_) return 1;
  constexpr double rounding = 10 * rounding_level;
  return std::clamp(tolerance * least_held_ * least_held_ / rounding, std::min(1.0, std::sqrt(tolerance)), 1.0);
}

// The velocity turned by ε/s² loses the square of that angle of its energy.
bool Motion::lands_badly() const {
  constexpr double rounding = 0.1 * rounding_level, most_lost = 1e-13;
  const double s = solution_.rank.smallest_kept;
  return stabilizer_.projects() && factored_ && rounding * rounding > most_lost * s * s * s * s;
}

void Motion::typical_sizes(Span sizes) const {
  const auto nq = static_cast<std::size_t>(system_.q_size()), nv = static_cast<std::size_t>(system_.v_size());
  system_.typical_sizes(sizes.subspan(0, nq), sizes.subspan(nq, nv));
  for (std::size_t k = nq + nv; k < sizes.size(); ++k) sizes[k] = system_.typical_energy();
}

}  // namespace mortise
