#include "mortise/analysis/assemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mortise/gauss/formulation.h"
#include "mortise/system/measure.h"

namespace mortise::analysis {

using mechanism::Mechanism;

namespace {

constexpr const char* needs_mass = "assembly measures moves by kinetic energy and needs mass in every motion";

double scaled_norm(const Vector& error, const std::vector<double>& sizes) {
  double sum = 0;
  for (Eigen::Index i = 0; i < error.size(); ++i) {
    const double e = error[i] / sizes[static_cast<std::size_t>(i)];
    sum += e * e;
  }
  return std::sqrt(sum);
}

[[noreturn]] void fail_conflict(const Mechanism& m, const State& state, const Vector& error,
                                const std::vector<double>& sizes, const char* level) {
  SolveReport report;
  report.code = "S431";
  report.exit = ExitCode::conflict;
  report.time = state.t;
  const double worst = scaled_max(error, sizes);
  std::string names;
  const std::string per_second = std::string(level) == "velocities" ? "/s" : "";
  for (const mechanism::Constraint& c : m.constraints()) {
    double off = 0;
    int which = -1;
    for (int row = c.row; row < c.row + c.rows; ++row) {
      const double e = std::abs(error[row]) / sizes[static_cast<std::size_t>(row)];
      if (e > 0.02 * worst && e > off) off = e, which = row;
    }
    if (which < 0) continue;
    names += (names.empty() ? "" : ", ") + m.name(c.ref);
    const auto unit = m.pattern().rows[static_cast<std::size_t>(which)].unit;
    const bool angular = unit == gauss::RowUnit::angle || unit == gauss::RowUnit::angular_speed;
    const double value = std::abs(error[which]);
    report.details.push_back(
        angular ? fmt::format("{:<16} off by {:.4g} deg{}", m.name(c.ref), value * 180 / M_PI, per_second)
                : fmt::format("{:<16} off by {:.4g} mm{}", m.name(c.ref), value * 1000, per_second));
    if (report.details.size() == 12) {
      report.details.push_back("…");
      break;
    }
  }
  report.message = fmt::format("these cannot hold together ({}): {}", level, names);
  report.advice = "drop or change any one of them; the figures are the best compromise";
  throw SolveError(report);
}

[[noreturn]] void fail_mass(const Mechanism& m, const State& state, const gauss::Refusal& why) {
  if (why.kind == gauss::Refusal::Kind::not_unique) throw SolveError(not_unique(state.t, why.missing));
  throw SolveError(singular_mass(m, state.t, why.block, needs_mass));
}

// The users' body frames at a pose.
Vector poses_at(const Mechanism& m, const Vector& q) {
  mechanism::Motions motions;
  m.motions(as_span(q), as_span(Vector(Vector::Zero(m.v_size()))), motions);
  Vector poses(static_cast<Eigen::Index>(m.bodies().size()) * (m.dimension() == 2 ? 3 : 7));
  m.poses(motions, as_span(q), as_span(poses));
  return poses;
}

BodyMove move_of(const Mechanism& m, int body, const Vector& from, const Vector& to) {
  if (m.dimension() == 2) {
    const Eigen::Vector3d change = to.segment<3>(3 * body) - from.segment<3>(3 * body);
    return {body, change.head<2>().norm(), std::abs(change.z())};
  }
  const auto turned = [&](const Vector& x) {
    return geometry::Quaternion{x[7 * body + 3], x[7 * body + 4], x[7 * body + 5], x[7 * body + 6]};
  };
  return {body, (to.segment<3>(7 * body) - from.segment<3>(7 * body)).norm(),
          geometry::logarithm(turned(from).conjugate() * turned(to)).norm()};
}

// Velocities: rows of the constraints and one row for each stated component, least kinetic energy.
void assemble_velocities(const Mechanism& m, State& state, const AssemblyOptions& options, Scratch& scratch,
                         Evaluation& e, AssemblyReport& report) {
  const gauss::Pattern& pattern = m.pattern();
  m.evaluate(state, need_dynamics, scratch, e);
  if (scaled_max(e.phidot, pattern.velocity_size) <= met) return;

  // M for the metric; zero masses would make it singular, and the formulation says so.
  gauss::Pattern wide = pattern;
  const auto& stated = m.stated_velocities();
  Vector given = state.v;
  std::vector<int> components;
  for (int block = 0; block < pattern.columns.count(); ++block)
    for (int k = 0; k < pattern.columns.size(block); ++k) {
      const int component = pattern.columns.begin(block) + k;
      if (!stated[static_cast<std::size_t>(component)]) continue;
      wide.append_block(wide.m(), 1, block);
      const double mass =
          e.problem.M[pattern.M_offset[static_cast<std::size_t>(block)] + k * pattern.columns.size(block) + k];
      wide.rows.push_back({-1, component, gauss::RowKind::nonholonomic, gauss::RowUnit::speed});
      wide.row_scale.push_back(mass > 0 ? std::sqrt(mass) : 1);
      components.push_back(component);
    }
  const auto formulation = gauss::make_formulation(options.formulation);
  const auto solve = [&](const gauss::Pattern& p, const gauss::GaussProblem& problem, const Vector& Q,
                         const Vector& b) {
    const auto factor = formulation->prepare(p);
    gauss::GaussSolution solution;
    solution.resize(p);
    if (!factor->factor(problem, options.rank)) fail_mass(m, state, factor->refusal());
    factor->solve(as_span(Q), as_span(b), solution);
    return solution.a;
  };
  if (!components.empty()) {
    gauss::GaussProblem problem;
    problem.resize(wide);
    problem.M = e.problem.M;
    problem.A.head(pattern.A_size) = e.problem.A;
    std::copy(e.problem.active.begin(), e.problem.active.end(), problem.active.begin());
    Vector b(wide.m());
    b.head(pattern.m()) = -e.c_t;
    for (std::size_t k = 0; k < components.size(); ++k) {
      const gauss::RowBlock& at = wide.A[pattern.A.size() + k];
      problem.A[at.offset + components[k] - wide.columns.begin(at.block)] = 1;
      b[pattern.m() + static_cast<int>(k)] = given[components[k]];
    }
    state.v = solve(wide, problem, Vector::Zero(pattern.n()), b);
  } else {
    state.v.setZero();
  }
  // Whatever the compromise left: to the nearest velocities that fulfil the constraints exactly.
  for (int pass = 0; pass < 3; ++pass) {
    m.evaluate(state, need_dynamics, scratch, e);
    if (scaled_max(e.phidot, pattern.velocity_size) <= met / 10) break;
    state.v += solve(pattern, e.problem, Vector::Zero(pattern.n()), -e.phidot);
  }
  m.evaluate(state, need_dynamics, scratch, e);
  if (scaled_max(e.phidot, pattern.velocity_size) > 1e-9)
    fail_conflict(m, state, e.phidot, pattern.velocity_size, "velocities");
  Vector q_sizes(m.q_size()), v_sizes(m.v_size());
  m.typical_sizes(as_span(q_sizes), as_span(v_sizes));
  for (int component : components)
    report.largest_velocity_change =
        std::max(report.largest_velocity_change, std::abs(state.v[component] - given[component]) / v_sizes[component]);
}

}  // namespace

AssemblyReport assemble(const Mechanism& m, State& state, const AssemblyOptions& options) {
  AssemblyReport report;
  const gauss::Pattern& pattern = m.pattern();
  const auto scratch = m.make_scratch();
  Evaluation e;
  e.resize(pattern);
  const Vector modelled = state.q;
  m.evaluate(state, need_dynamics, *scratch, e);
  const auto finite = [&] {
    if (!std::isfinite(e.phi.sum() + e.problem.A.sum() + e.problem.b.sum() + e.problem.Q.sum()))
      throw SolveError(m.blame_non_finite(state));
  };
  finite();

  double error = scaled_norm(e.phi, pattern.position_size);
  if (options.positions && error > 1e-15) {
    const auto formulation = gauss::make_formulation(options.formulation);
    const auto factor = formulation->prepare(pattern);
    gauss::GaussSolution step;
    step.resize(pattern);
    const Vector zero = Vector::Zero(pattern.n());
    Vector best = state.q;
    int stalled = 0;
    for (; report.iterations < 200 && error > 1e-15 && stalled < 3; ++report.iterations) {
      // Far from the manifold the rank is decided as on it: what is dependent there only shows when it is reached.
      e.problem.violation = error > 1e-3 ? 0 : error;
      for (std::size_t i = 0; i < pattern.rows.size(); ++i)  // says nothing about poses; off until the next evaluation
        if (pattern.rows[i].kind == gauss::RowKind::nonholonomic) e.problem.active[i] = 0;
      if (!factor->factor(e.problem, options.rank)) fail_mass(m, state, factor->refusal());
      factor->solve(as_span(zero), as_span(Vector(-e.phi)), step);
      // No step turns a body by more than a third of a right angle, nor moves one by more than the mechanism's size.
      double limit = 1;
      for (const mechanism::Body& body : m.bodies()) {
        const int dim = body.translations();
        limit = std::min(limit, m.characteristic_length() / (step.a.segment(body.v, dim).norm() + 1e-300));
        if (!body.particle)
          limit = std::min(limit, 0.5 / (step.a.segment(body.v + dim, body.v_size() - dim).norm() + 1e-300));
      }
      double shorten = limit, now = 0;
      bool better = false;
      for (int half = 0; half < 12; ++half, shorten /= 2) {
        const Vector move = shorten * step.a;
        m.retract(as_span(best), as_span(move), as_span(state.q));
        m.evaluate(state, need_dynamics, *scratch, e);
        now = scaled_norm(e.phi, pattern.position_size);
        if (std::isfinite(now) && now < error * (1 - 1e-4 * shorten)) {
          better = true;
          break;
        }
        if (error < met) break;
      }
      if (!better) {
        state.q = best;
        m.evaluate(state, need_dynamics, *scratch, e);
        break;
      }
      stalled = now > 0.9 * error && error < 1e-6 ? stalled + 1 : 0;
      best = state.q;
      error = now;
    }
    finite();
    if (scaled_max(e.phi, pattern.position_size) > met)
      fail_conflict(m, state, e.phi, pattern.position_size, "positions");

    const Vector before = poses_at(m, modelled), after = poses_at(m, state.q);
    for (std::size_t k = 0; k < m.bodies().size(); ++k) {
      const BodyMove move = move_of(m, static_cast<int>(k), before, after);
      if (move.distance > 1e-9 * m.characteristic_length() || move.turn > 1e-9) report.moves.push_back(move);
      if (move.turn > M_PI / 2 && !options.allow_flip) {
        SolveReport why;
        why.code = "S432";
        why.time = state.t;
        why.message =
            fmt::format("assembly would turn body '{}' by {:.0f} deg: probably another branch of the mechanism",
                        m.name(m.bodies()[k].ref), move.turn * 180 / M_PI);
        why.advice = "model the body closer to the pose you mean, or set analysis.allow_flip: true";
        throw SolveError(why);
      }
    }
    std::stable_sort(report.moves.begin(), report.moves.end(), [&](const BodyMove& a, const BodyMove& b) {
      return a.distance + a.turn * m.characteristic_length() > b.distance + b.turn * m.characteristic_length();
    });
  }
  assemble_velocities(m, state, options, *scratch, e, report);
  m.evaluate(state, need_dynamics, *scratch, e);
  report.position_error = scaled_max(e.phi, pattern.position_size);
  report.velocity_error = scaled_max(e.phidot, pattern.velocity_size);
  return report;
}

}  // namespace mortise::analysis
