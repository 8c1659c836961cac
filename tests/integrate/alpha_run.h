// Follows a system by generalized-alpha, alone: no run loop around it.
#pragma once

#include <functional>

#include "mortise/analysis/force_couplings.h"
#include "mortise/integrate/alpha/generalized_alpha.h"
#include "mortise/stabilize/stabilizer.h"
#include "support/compile.h"

namespace mortise::integrate::test {

inline Settings alpha_settings(double h, double rho, const char* level = "position") {
  Settings s;
  s.step = h;
  s.alpha.rho = rho;
  s.alpha.level = level;
  s.alpha.couplings = analysis::force_couplings;
  return s;
}

struct AlphaRun {
  const System& system;
  std::unique_ptr<gauss::Formulation> formulation = gauss::make_formulation("auto");
  std::unique_ptr<Stabilizer> stabilizer;
  Motion motion;
  GeneralizedAlpha integrator;
  State state;
  Vector y;
  std::unique_ptr<Scratch> scratch;
  Evaluation evaluation;

  AlphaRun(const System& s, const State& start, const Settings& settings, const char* how = "none")
      : system(s),
        stabilizer(stabilize::make_stabilizer(how, {})),
        motion(s, *formulation, *stabilizer, {}),
        integrator(settings),
        state(start),
        scratch(s.make_scratch()) {
    const auto m = static_cast<std::size_t>(s.pattern().m());
    if (state.lambda.size() == 0) state.lambda.setZero(s.pattern().m());
    if (state.work.size() == 0) state.work.setZero(work_count);
    if (state.active.size() != m) state.active.assign(m, 1);
    if (state.inputs.size() == 0) state.inputs = s.initial_inputs();
    evaluation.resize(s.pattern());
    y.setZero(motion.size());
    motion.set_active(state.active);
    motion.set_inputs(state.inputs);
    motion.project(state, Motion::Start::fresh);
    motion.pack(state, as_span(y));
    integrator.start(motion, state.t, as_span(y));
  }
  void to(double T, const std::function<void()>& see = {}) {
    while (integrator.t() < T - 1e-12) {
      integrator.step(T);
      if (see) {
        look();
        see();
      }
    }
    look();
  }
  void look() {
    motion.unpack(integrator.t(), integrator.y(), state);
    system.evaluate(state, need_dynamics | need_energy, *scratch, evaluation);
  }
  double energy() const { return evaluation.kinetic + evaluation.potential; }
  double off_position() const { return motion.violation(evaluation).position; }
  double off_velocity() const { return motion.violation(evaluation).velocity; }
};

}  // namespace mortise::integrate::test
