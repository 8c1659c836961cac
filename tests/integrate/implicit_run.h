// A driver that follows a system by an implicit step, for the tests of integrate/trapezoidal.
#pragma once

#include <functional>
#include <memory>

#include "mortise/gauss/formulation.h"
#include "mortise/integrate/trapezoidal/trapezoidal.h"
#include "mortise/stabilize/stabilizer.h"
#include "support/stabilization_systems.h"

namespace mortise::test {

inline integrate::ImplicitSettings scheme(const std::string& name, double epsilon = 1e-6, long correctors = 0) {
  integrate::ImplicitSettings s;
  s.scheme = name;
  s.epsilon = epsilon;
  s.correctors = correctors;
  return s;
}
inline integrate::ImplicitSettings baumgarte(const std::string& how, double gain, long correctors = 0) {
  integrate::ImplicitSettings s = scheme("baumgarte-" + how, 0, correctors);
  s.alpha = s.beta = s.gamma = gain;
  return s;
}
inline constexpr long converged = -1;

struct ImplicitRun {
  using Formula = integrate::ImplicitFormula;

  const System& system;
  std::unique_ptr<gauss::Formulation> formulation = gauss::make_formulation("auto");
  std::unique_ptr<Stabilizer> stabilizer;
  Motion motion;
  integrate::ImplicitIntegrator integrator;
  State state;
  Vector y;
  std::unique_ptr<Scratch> scratch;
  Evaluation evaluation;
  // Of all times after steps.
  double worst_phi = 0, sum_phi2 = 0, worst_lambda = 0, worst_energy = 0, energy_at_start = 0;

  ImplicitRun(const System& s, const State& start, double h, const integrate::ImplicitSettings& own,
              Formula formula = Formula::trapezoidal, double tolerance = 1e-8, const char* how = "none")
      : system(s),
        stabilizer(stabilize::make_stabilizer(how, {})),
        motion(s, *formulation, *stabilizer, {}),
        integrator(with(h, own, tolerance), formula, "implicit"),
        state(whole(s, start)),
        scratch(s.make_scratch()) {
    evaluation.resize(s.pattern());
    y.setZero(motion.size());
    motion.set_active(state.active);
    motion.set_inputs(state.inputs);
    motion.pack(state, as_span(y));
    integrator.start(motion, state.t, as_span(y));
    look();
    energy_at_start = energy();
  }
  static integrate::Settings with(double h, const integrate::ImplicitSettings& own, double tolerance) {
    integrate::Settings s;
    s.step = h;
    s.tolerance = tolerance;
    s.implicit = own;
    return s;
  }
  void look() {
    motion.unpack(integrator.t(), integrator.y(), state);
    system.evaluate(state, need_dynamics | need_energy, *scratch, evaluation);
  }
  void see() {
    look();
    const Vector& missed = holonomic() ? evaluation.phi : evaluation.phidot;
    const double now = missed.lpNorm<Eigen::Infinity>();
    worst_phi = std::max(worst_phi, now);
    sum_phi2 += now * now;
    worst_lambda = std::max(worst_lambda, integrator.multipliers().lpNorm<Eigen::Infinity>());
    worst_energy = std::max(worst_energy, std::abs(energy() - energy_at_start));
  }
  bool holonomic() const { return system.pattern().rows[0].kind != gauss::RowKind::nonholonomic; }
  ImplicitRun& to(double T, const std::function<void()>& also = {}) {
    while (integrator.t() < T - 1e-12) {
      integrator.step(T);
      see();
      if (also) also();
    }
    return *this;
  }
  double energy() const { return evaluation.kinetic + evaluation.potential; }
  double rms_phi() const { return std::sqrt(sum_phi2 / integrator.iterations().steps); }
  double mean_trials() const { return integrator.iterations().mean(); }
};

// What ended a run, "" if nothing did.
inline std::string ended_by(ImplicitRun& run, double T) {
  try {
    run.to(T);
  } catch (const SolveError& error) {
    return error.report().code;
  }
  return "";
}

}  // namespace mortise::test
