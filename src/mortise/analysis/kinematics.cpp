#include "mortise/analysis/kinematics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mortise/system/measure.h"

namespace mortise::analysis {

using mechanism::Mechanism;

namespace {

constexpr double rounding_level = 4e-15;

double largest(const Vector& x, const Vector& sizes) {
  return x.size() ? std::max(1.0, x.cwiseQuotient(sizes).cwiseAbs().maxCoeff()) : 1;
}

}  // namespace

std::vector<int> driver_rows(const Mechanism& m) {
  std::vector<int> rows;
  for (const mechanism::Constraint& c : m.constraints())
    if (c.driver)
      for (int row = c.row; row < c.row + c.rows; ++row) rows.push_back(row);
  return rows;
}

Kinematics::Kinematics(const Mechanism& m, const linalg::RankPolicy& policy)
    : mechanism_(m), policy_(policy), tangent_(m), scratch_(m.make_scratch()), state_(m.initial_state()) {
  evaluation_.resize(m.pattern());
  zero_.setZero(m.v_size());
  right_.setZero(m.pattern().m());
  q_sizes_.setOnes(m.q_size());
  v_sizes_.setOnes(m.v_size());
  m.typical_sizes(as_span(q_sizes_), as_span(v_sizes_));
}

void Kinematics::typical_sizes(Span sizes) const { as_vector(sizes) = q_sizes_; }

void Kinematics::evaluate(const State& state, unsigned needs) {
  mechanism_.evaluate(state, needs, *scratch_, evaluation_);
  double sum = evaluation_.phi.sum() + evaluation_.phidot.sum() + evaluation_.problem.A.sum();
  if (needs & need_dynamics) sum += evaluation_.problem.b.sum();
  if (!std::isfinite(sum)) throw SolveError(mechanism_.blame_non_finite(state));
}

// Of the evaluation at hand; nonholonomic rows say nothing about positions.
void Kinematics::factor(bool velocities) {
  tangent_.problem(evaluation_, problem_);
  if (!velocities)
    for (std::size_t i = 0; i < problem_.active.size(); ++i)
      if (problem_.pattern->rows[i].kind == gauss::RowKind::nonholonomic) problem_.active[i] = 0;
  if (!factor_->factor(problem_, policy_)) throw SolveError(not_unique(state_.t, factor_->refusal().missing));
}

int Kinematics::freedoms(const State& state) {
  evaluate(state, need_constraints);
  factor(true);
  right_.setZero();
  factor_->solve(as_span(zero_), as_span(right_), solution_);
  return mechanism_.v_size() - solution_.rank.rank;
}

void Kinematics::start(State& state) {
  state_ = state;
  evaluate(state, need_constraints);
  tangent_.scale_rows(evaluation_);
  factor_ = gauss::make_formulation("udwadia-kalaba")->prepare(tangent_.pattern());
  solution_.resize(tangent_.pattern());
  problem_.pattern = nullptr;
  const int free = freedoms(state);
  close(state);
  if (free == 0) return;
  // Free for an instant only, at a change point? Then not a little further along the velocities given.
  const double speed = tangent_.reach(state.v);
  if (speed > 0) {
    State there = state;
    const double dt = 1e-3 * mechanism_.characteristic_length() / speed;
    const Vector move = dt * state.v;
    mechanism_.retract(as_span(state.q), as_span(move), as_span(there.q));
    there.t += dt;
    try {
      close(there);
      if (freedoms(there) == 0) {
        state_ = state;
        return;
      }
    } catch (const SolveError&) {  // then it is no motion that goes on from here
    }
  }
  evaluate(state, need_constraints);
  Matrix motions = tangent_.free_motions(evaluation_, policy_);
  localize(tangent_, motions);
  SolveReport report;
  report.code = "S425";
  report.time = state.t;
  report.message =
      fmt::format("{} neither driven nor held: joints and drivers alone do not say how the mechanism moves",
                  free == 1 ? "1 motion is" : fmt::format("{} motions are", free));
  for (Eigen::Index k = 0; k < std::min<Eigen::Index>(motions.cols(), 8); ++k)
    report.details.push_back(
        fmt::format("free motion {}: {}", k + 1, motion_in_words(mechanism_, state, motions.col(k))));
  const int drivers = mechanism_.count().drivers;
  report.details.push_back(drivers == 0 ? "the model has no driver"
                                        : fmt::format("drivers: {}, freedoms without a driver: {}", drivers, free));
  report.advice = fmt::format("{} more, or type: dynamics (with forces) or inverse-dynamics (the rest moves freely)",
                              free == 1 ? "one driver" : fmt::format("{} drivers", free));
  throw SolveError(report);
}

void Kinematics::fail_over_driven(const State& state, const Vector& error, const std::vector<double>& sizes,
                                  const char* level, const char* per) const {
  SolveReport report;
  report.code = "S470";
  report.exit = ExitCode::conflict;
  report.time = state.t;
  report.message = fmt::format("drivers and joints cannot be met together from here on ({})", level);
  report.details = rows_in_words(mechanism_, error, sizes, per);
  report.advice =
      "two drivers of one motion, or a driver that asks for a pose out of reach: drop one, or change its function; the "
      "figures are the best compromise";
  throw SolveError(report);
}

void Kinematics::close_positions(State& state) {
  const gauss::Pattern& pattern = mechanism_.pattern();
  best_ = state.q;
  double least = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < 30; ++pass) {
    evaluate(state, need_constraints);
    const double error = scaled_max(evaluation_.phi, pattern.position_size);
    if (error < least) {
      best_ = state.q;
    } else if (least < 1e-11 || pass > 8) {
      break;  // rounding, or no use
    }
    const bool slow = error > 0.5 * least;
    least = std::min(least, error);
    if (error <= rounding_level || (slow && error < 1e-13)) break;
    factor(false);
    right_ = -evaluation_.phi;
    factor_->solve(as_span(zero_), as_span(right_), solution_);
    // Never further than an eighth of the mechanism at once.
    const double reach = tangent_.reach(solution_.a), limit = mechanism_.characteristic_length() / 8;
    if (reach > limit) solution_.a *= limit / reach;
    mechanism_.retract(as_span(state.q), as_span(solution_.a), as_span(state.q));
  }
  state.q = best_;
  evaluate(state, need_constraints);
  if (scaled_max(evaluation_.phi, pattern.position_size) > 1e-11 * largest(state.q, q_sizes_))
    fail_over_driven(state, evaluation_.phi, pattern.position_size, "positions", "");
}

// At the evaluation of the state's positions.
void Kinematics::solve_velocities(State& state) {
  factor(true);
  for (int pass = 0; pass < 2; ++pass) {
    evaluation_.problem.multiply_A(as_span(state.v), as_span(right_));
    right_ = -(right_ + evaluation_.c_t);
    factor_->solve(as_span(zero_), as_span(right_), solution_);
    state.v += solution_.a;
  }
}

void Kinematics::close(State& state) {
  close_positions(state);
  solve_velocities(state);
  evaluation_.problem.multiply_A(as_span(state.v), as_span(right_));
  const Vector off = right_ + evaluation_.c_t;
  if (scaled_max(off, mechanism_.pattern().velocity_size) > 1e-9 * largest(state.v, v_sizes_))
    fail_over_driven(state, off, mechanism_.pattern().velocity_size, "velocities", "/s");
}

void Kinematics::accelerate(const State& state, Vector& a) {
  evaluate(state, need_dynamics | need_energy);
  factor(true);
  a.setZero(mechanism_.v_size());
  for (int pass = 0; pass < 2; ++pass) {
    evaluation_.problem.multiply_A(as_span(a), as_span(right_));
    right_ = evaluation_.problem.b - right_;
    factor_->solve(as_span(zero_), as_span(right_), solution_);
    a += solution_.a;
  }
  evaluation_.problem.multiply_A(as_span(a), as_span(right_));
  const Vector off = (right_ - evaluation_.problem.b).cwiseProduct(as_vector(ConstSpan(tangent_.pattern().row_scale)));
  const Vector asked = evaluation_.problem.b.cwiseProduct(as_vector(ConstSpan(tangent_.pattern().row_scale)));
  const double scale = asked.size() ? std::max(asked.cwiseAbs().maxCoeff(), 1e-3) : 1;
  // At a change point rows that were redundant may disagree by what rounding makes of the pose.
  if (off.size() && off.cwiseAbs().maxCoeff() > 1e-6 * scale)
    fail_over_driven(state, right_ - evaluation_.problem.b, mechanism_.pattern().velocity_size, "accelerations", "/s²");
}

bool Kinematics::weak() const { return rank().rank < mechanism_.v_size() || rank().smallest_kept < 1e-4; }

bool Kinematics::pass(State& state, Vector& a) {
  const double speed = tangent_.reach(state.v), own = rank().rank < mechanism_.v_size() ? 0 : rank().smallest_kept;
  if (!(speed > 0)) return false;
  const double dt = 1e-2 * mechanism_.characteristic_length() / speed;
  Vector q = Vector::Zero(state.q.size()), v = Vector::Zero(state.v.size()), sum = v, second;
  for (const int k : {-3, -2, -1, 1, 2, 3}) {
    State there = state;
    const Vector move = k * dt * state.v;
    there.t += k * dt;
    mechanism_.retract(as_span(state.q), as_span(move), as_span(there.q));
    try {
      close(there);
      if (rank().rank < mechanism_.v_size() || rank().smallest_kept <= 2 * own) return false;
      accelerate(there, second);
    } catch (const SolveError&) {
      return false;
    }
    if (tangent_.reach(there.v - state.v) > 0.2 * speed) return false;
    const double share = std::abs(k) == 1 ? 0.75 : std::abs(k) == 2 ? -0.3 : 0.05;
    q += share * there.q;
    v += share * there.v;
    sum += share * second;
  }
  state.q = q;
  mechanism_.normalize(as_span(state.q));
  state.v = v;
  a = sum;
  evaluate(state, need_dynamics | need_energy);
  return true;
}

void Kinematics::rates(double t, ConstSpan y, Span ydot) {
  state_.t = t;
  state_.q = as_vector(y);
  mechanism_.normalize(as_span(state_.q));
  evaluate(state_, need_constraints);
  solve_velocities(state_);
  mechanism_.qdot(y, as_span(state_.v), ydot);
}

bool Kinematics::settle(double t, Span y) {
  state_.t = t;
  state_.q = as_vector(y);
  mechanism_.normalize(as_span(state_.q));
  close_positions(state_);
  as_vector(y) = state_.q;
  return true;
}

DriverMaps driver_maps(const Mechanism& m, const State& state, const linalg::RankPolicy& policy) {
  Kinematics kinematics(m, policy);
  State here = state;
  kinematics.start(here);
  DriverMaps maps;
  const std::vector<int> rows = driver_rows(m);
  Tangent tangent(m);
  Evaluation moving, resting;
  moving.resize(m.pattern());
  resting.resize(m.pattern());
  const auto scratch = m.make_scratch();
  m.evaluate(here, need_dynamics, *scratch, moving);
  State rest = here;
  rest.v.setZero();
  m.evaluate(rest, need_dynamics, *scratch, resting);
  tangent.scale_rows(moving);
  gauss::GaussProblem problem;
  tangent.problem(moving, problem);
  const auto factor = gauss::make_formulation("udwadia-kalaba")->prepare(tangent.pattern());
  gauss::GaussSolution solution;
  solution.resize(tangent.pattern());
  if (!factor->factor(problem, policy)) throw SolveError(not_unique(here.t, factor->refusal().missing));
  const Vector zero = Vector::Zero(m.v_size());
  const auto count = static_cast<Eigen::Index>(rows.size());
  maps.V.setZero(m.v_size(), count);
  maps.rates.setZero(count);
  maps.second.setZero(count);
  Vector right = Vector::Zero(m.pattern().m());
  Vector bias = moving.problem.b;
  for (Eigen::Index k = 0; k < count; ++k) {
    const int row = rows[static_cast<std::size_t>(k)];
    maps.rows.push_back(m.row_name(row));
    maps.rates[k] = -moving.c_t[row];
    maps.second[k] = resting.problem.b[row];
    bias[row] -= maps.second[k];
    right.setZero();
    right[row] = 1;
    factor->solve(as_span(zero), as_span(right), solution);
    maps.V.col(k) = solution.a;
  }
  factor->solve(as_span(zero), as_span(bias), solution);
  maps.gamma = solution.a;
  return maps;
}

}  // namespace mortise::analysis
