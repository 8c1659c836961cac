// The deployment of three links by an implicit step: locks are switched on where their joints have become straight.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "integrate/implicit_run.h"
#include "mortise/integrate/trapezoidal/characteristic.h"
#include "support/three_links.h"

namespace mortise::test {

struct Deployment {
  double lock[3] = {0, 0, 0};  // when joints were locked, the one at the wall first
  double mean = 0, most = 0;   // trials a step once both joints between links are locked
  double mean_ever = 0, most_ever = 0;
  double largest_lambda = 0;   // once both are locked
  double worst_condition = 1;  // of A M⁻¹Aᵀ, in states then
  double worst_phi = 0;
  std::string end;  // code of what ended it; "" if nothing did
  double t = 0;
};

// `bend(q, joint)` has another sign when a joint has passed its straight pose; `lock(joint)` switches its row on.
template <class Bend, class Lock>
Deployment deploy_links(ImplicitRun& run, double until, const Bend& bend_of, const Lock& lock) {
  Deployment out;
  double bend[3], steps = 0, trials = 0;
  for (int j = 0; j < 3; ++j) bend[j] = bend_of(run.state.q, j);
  const auto after_step = [&] {
    bool switched = false;
    for (int j = 0; j < 3; ++j) {
      const double now = bend_of(run.state.q, j);
      if (out.lock[j] == 0 && now * bend[j] <= 0) {
        out.lock[j] = run.integrator.t();
        lock(j);
        switched = true;
      }
      bend[j] = now;
    }
    const double n = run.integrator.inside().last_trials();
    out.most_ever = std::max(out.most_ever, n);
    out.worst_phi = std::max(out.worst_phi, run.evaluation.phi.lpNorm<Eigen::Infinity>());
    if (out.lock[1] > 0 && out.lock[2] > 0) {
      if (!switched) steps += 1, trials += n, out.most = std::max(out.most, n);
      out.largest_lambda = std::max(out.largest_lambda, run.integrator.multipliers().lpNorm<Eigen::Infinity>());
      const double r = integrate::constraint_modes(run.evaluation.problem, {}).reciprocal_condition();
      out.worst_condition = std::max(out.worst_condition, 1 / std::max(r, 1e-17));
    }
  };
  try {
    run.to(until, after_step);
  } catch (const SolveError& error) {
    out.end = error.report().code;
  }
  out.t = run.integrator.t();
  out.mean = steps > 0 ? trials / steps : 0;
  out.mean_ever = run.mean_trials();
  return out;
}

inline Deployment deploy(const integrate::ImplicitSettings& how, double h, double tolerance, double until = 2) {
  const ThreeLinks links;
  ImplicitRun run(links, ThreeLinks::start(), h, how, ImplicitRun::Formula::trapezoidal, tolerance);
  return deploy_links(
      run, until, [](const Vector& q, int joint) { return joint == 0 ? 1 : ThreeLinks::bend(q, joint); },
      [&](int joint) {
        run.state.active[index(ThreeLinks::links + joint - 1)] = 1;
        run.integrator.switch_rows(run.state.active);
      });
}

// Locks are rows of angles here, so velocities jump: v⁺ = v − M⁻¹Aᵀ(A M⁻¹Aᵀ + tiny)⁻¹(A v).
inline Deployment deploy_pinned(const integrate::ImplicitSettings& how, double h, double tolerance, bool redundant,
                                double until = 2) {
  const PinnedLinks links;
  ImplicitRun run(links, PinnedLinks::start(), h, how, ImplicitRun::Formula::trapezoidal, tolerance);
  const auto lock = [&](int joint) {
    run.state.active[index(PinnedLinks::locks + joint)] = 1;
    const bool both = run.state.active[PinnedLinks::locks + 1] && run.state.active[PinnedLinks::locks + 2];
    if (redundant && both) run.state.active[PinnedLinks::tip] = 1;
    run.system.evaluate(run.state, need_dynamics, *run.scratch, run.evaluation);
    const Matrix A = run.evaluation.problem.dense_A(), Y = run.evaluation.problem.dense_M().inverse() * A.transpose();
    Matrix S = A * Y;
    S.diagonal().array() += 1e-12 * S.norm();
    run.state.v -= Y * S.llt().solve(A * run.state.v);
    run.motion.set_active(run.state.active);
    run.motion.pack(run.state, as_span(run.y));
    run.integrator.start(run.motion, run.state.t, as_span(run.y));
  };
  return deploy_links(
      run, until, [](const Vector& q, int joint) { return PinnedLinks::bend(q, joint); }, lock);
}

}  // namespace mortise::test
