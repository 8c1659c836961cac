#include "mortise/analysis/pack_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mortise::analysis {

namespace {

constexpr double pack_rounding = 4e-15;  // errors below this are rounding of the constraint functions themselves
constexpr int most_projections = 30;
constexpr int most_factors = 6;  // of a projection of positions

// The largest |x| in units of its size.
Pack pack_scaled_max(const std::vector<Pack>& x, const std::vector<Pack>& sizes) {
  Pack most(0);
  for (std::size_t i = 0; i < x.size(); ++i) most = max(abs(x[i]) / sizes[i], most);
  return most;
}

}  // namespace

PackMotion::PackMotion(const mechanism::PackMechanism& shape, const gauss::PackPlan& plan,
                       const linalg::RankPolicy& policy)
    : policy_(policy), factor_(plan, policy), nq_(shape.first().q_size()), nv_(shape.first().v_size()) {
  shape.prepare(workspace_);
  shape.resize(evaluation_);
  const gauss::Pattern& pattern = shape.first().pattern();
  holonomic_ = shape.active();
  for (std::size_t i = 0; i < holonomic_.size(); ++i)
    if (pattern.rows[i].kind == gauss::RowKind::nonholonomic) holonomic_[i] = 0, all_holonomic_ = false;
  const auto size = index(nq_ + nv_ + work_count);
  for (std::vector<Pack>* v : {&stage_, &k_, &sum_}) v->assign(size, Pack(0));
  a_.assign(index(nv_), Pack(0));
  moved_.assign(index(nq_), Pack(0));
  lambda_.assign(index(pattern.m()), Pack(0));
  right_ = lambda_;
}

void PackMotion::factor(PackCopies& c, const std::vector<unsigned char>& active, Mask& redundant) {
  const Pack violation =
      max(pack_scaled_max(evaluation_.phi, c.position_size), pack_scaled_max(evaluation_.phidot, c.velocity_size));
  c.lost = c.lost | factor_.factor(c.metric, evaluation_.A, active, violation, redundant);
}

void PackMotion::rates(PackCopies& c, double t, const std::vector<Pack>& y, std::vector<Pack>& out) {
  c.mechanism->evaluate(t, y.data(), y.data() + nq_, need_dynamics, workspace_, evaluation_);
  factor(c, c.mechanism->active(), c.redundant);
  solve_rates(c, y, out);
}

// With the evaluation and the factorisation at hand.
void PackMotion::solve_rates(PackCopies& c, const std::vector<Pack>& y, std::vector<Pack>& out) {
  c.lost = c.lost | factor_.solve(evaluation_.Q.data(), evaluation_.b.data(), out.data() + nq_, lambda_.data());
  c.mechanism->qdot(y.data(), y.data() + nq_, out.data());
  Pack* work = out.data() + nq_ + nv_;
  work[work_dissipated] = evaluation_.dissipated;
  work[work_applied] = evaluation_.applied;
  Pack power(0);  // of rows that depend on time
  for (std::size_t i = 0; i < lambda_.size(); ++i) power += lambda_[i] * evaluation_.c_t[i];
  work[work_constraint] = power;
}

void PackMotion::begin(PackCopies& c) { rates(c, c.t, c.y, c.ydot); }

// Where steps end: as integrate::Rk4.
void PackMotion::advance(PackCopies& c, double stop, double grid) {
  const double near = 1e-9 * grid;
  while (c.t < stop) {
    double j = c.j + 1, t_new = c.t0 + j * grid;
    if (stop < t_new - near) {
      j = c.j;
      t_new = stop;
    } else if (stop <= t_new + near) {
      t_new = stop;
    }
    step(c, t_new);
    c.j = j;
  }
}

void PackMotion::step(PackCopies& c, double t_new) {
  const double h = t_new - c.t, middle = c.t + 0.5 * h;
  const Pack half(0.5 * h), whole(h), sixth(h / 6), two(2);
  const std::size_t n = c.y.size();
  for (std::size_t i = 0; i < n; ++i) stage_[i] = c.y[i] + half * c.ydot[i];
  rates(c, middle, stage_, k_);
  for (std::size_t i = 0; i < n; ++i) {
    sum_[i] = c.ydot[i] + two * k_[i];
    stage_[i] = c.y[i] + half * k_[i];
  }
  rates(c, middle, stage_, k_);
  for (std::size_t i = 0; i < n; ++i) {
    sum_[i] += two * k_[i];
    stage_[i] = c.y[i] + whole * k_[i];
  }
  rates(c, t_new, stage_, k_);
  for (std::size_t i = 0; i < n; ++i) stage_[i] = c.y[i] + sixth * (sum_[i] + k_[i]);
  settle(c, t_new);
  // The pose is that of the factorisation of the velocities.
  c.mechanism->evaluate(t_new, stage_.data(), stage_.data() + nq_, need_dynamics, workspace_, evaluation_);
  solve_rates(c, stage_, k_);
  Pack sum(0);
  for (std::size_t i = 0; i < n; ++i) sum += abs(stage_[i]) + abs(k_[i]);
  c.lost = c.lost | ~(sum <= Pack(std::numeric_limits<double>::max()));
  for (std::size_t i = 0; i < n; ++i) {
    c.y[i] = select(c.lost, c.y[i], stage_[i]);
    c.ydot[i] = select(c.lost, c.ydot[i], k_[i]);
  }
  c.t = t_new;
}

// stage_ to the constraints; leaves the factorisation at its pose behind.
void PackMotion::settle(PackCopies& c, double t) {
  c.mechanism->normalize(stage_.data());
  c.mechanism->evaluate(t, stage_.data(), stage_.data() + nq_, need_constraints, workspace_, evaluation_);
  project_positions(c, t);
  factor(c, c.mechanism->active(), c.redundant);
  project_velocities(c);
}

Pack PackMotion::met_level(const Pack* x, const std::vector<Pack>& sizes) const {
  Pack most(1);
  for (std::size_t i = 0; i < sizes.size(); ++i) most = max(abs(x[i]) / sizes[i], most);
  return max(Pack(1e-11) * most, Pack(10 * policy_.relative));
}

// Newton with the factorisation at hand, that of a pose nearby. A lane for which it is too old waits; when all that are
// not done wait, a new one is made: so each lane uses what it would use alone.
void PackMotion::project_positions(PackCopies& c, double t) {
  Pack error = pack_scaled_max(evaluation_.phi, c.position_size);
  Mask open = (error > Pack(pack_rounding)) & ~c.lost, waiting = all_holonomic_ ? Mask::none() : open;
  Mask redundant = c.redundant;
  int factors = 0;  // new ones: the same number for all lanes that are open
  while (any(open)) {
    if (!any(open & ~waiting)) {
      if (++factors > most_factors) {
        c.lost = c.lost | open;
        return;
      }
      factor(c, holonomic_, redundant);
      waiting = Mask::none();
    }
    const Mask moving = open & ~waiting;
    for (std::size_t i = 0; i < right_.size(); ++i) right_[i] = -evaluation_.phi[i];
    factor_.solve(nullptr, right_.data(), a_.data());
    c.mechanism->retract(stage_.data(), a_.data(), moved_.data());
    for (std::size_t i = 0; i < moved_.size(); ++i) stage_[i] = select(moving, moved_[i], stage_[i]);
    c.mechanism->evaluate(t, stage_.data(), stage_.data() + nq_, need_constraints, workspace_, evaluation_);
    const Pack now = pack_scaled_max(evaluation_.phi, c.position_size);
    const Mask stalled = now > Pack(0.5) * error, met = now <= met_level(stage_.data(), c.q_size);
    // Where a new factorisation does not help either, what is left is rounding.
    const Mask done = ~(now > Pack(pack_rounding)) | (factors > 0 ? stalled & met : Mask::none()) | c.lost;
    waiting = waiting | (moving & (now > Pack(0.05) * error));
    open = open & ~(moving & done);
    error = select(moving, now, error);
  }
}

void PackMotion::project_velocities(PackCopies& c) {
  Pack* v = stage_.data() + nq_;
  Pack error = pack_scaled_max(evaluation_.phidot, c.velocity_size);
  Mask open = (error > Pack(pack_rounding)) & ~c.lost;
  for (int iteration = 0; any(open); ++iteration) {
    for (std::size_t i = 0; i < right_.size(); ++i) right_[i] = -evaluation_.phidot[i];
    factor_.solve(nullptr, right_.data(), a_.data());
    for (std::size_t i = 0; i < a_.size(); ++i) v[i] = select(open, v[i] + a_[i], v[i]);
    c.mechanism->multiply_A(evaluation_.A, v, evaluation_.phidot.data());
    for (std::size_t i = 0; i < evaluation_.c_t.size(); ++i) evaluation_.phidot[i] += evaluation_.c_t[i];
    const Pack now = pack_scaled_max(evaluation_.phidot, c.velocity_size);
    const Mask stalled = now > Pack(0.5) * error, met = now <= met_level(v, c.v_size);
    c.lost = c.lost | (open & stalled & ~met);
    if (iteration == most_projections) c.lost = c.lost | open;
    error = select(open, now, error);
    open = open & (now > Pack(pack_rounding)) & ~stalled & ~c.lost;
  }
}

void PackMotion::observe(PackCopies& c) {
  c.mechanism->evaluate(c.t, c.y.data(), c.y.data() + nq_, need_dynamics | need_energy, workspace_, evaluation_);
  factor(c, c.mechanism->active(), c.redundant);
  factor_.solve(evaluation_.Q.data(), evaluation_.b.data(), c.a.data(), c.lambda.data(),
                gauss::PackFactor::Multipliers::minimum_norm);
  c.kinetic = evaluation_.kinetic;
  c.potential = evaluation_.potential;
  c.position_error = pack_scaled_max(evaluation_.phi, c.position_size);
  c.velocity_error = pack_scaled_max(evaluation_.phidot, c.velocity_size);
}

}  // namespace mortise::analysis
