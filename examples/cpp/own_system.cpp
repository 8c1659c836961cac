// A system of one's own: the double pendulum in its two angles, with a mass matrix that depends on them. Everything
// that works on a System works on it: formulations, integrators, stabilisation, checkpoints. The same pendulum as a
// mechanism of two particles on two rods, four coordinates and two constraints, must move alike.
//
//     M = [ (m₁+m₂) l₁²          m₂ l₁ l₂ cos(α−β) ]     Q = [ −m₂ l₁ l₂ sin(α−β) β̇² − (m₁+m₂) g l₁ sin α ]
//         [ m₂ l₁ l₂ cos(α−β)    m₂ l₂²            ]         [ +m₂ l₁ l₂ sin(α−β) α̇² − m₂ g l₂ sin β       ]
#include <mortise/mortise.h>

#include <cmath>
#include <iostream>

namespace {

using namespace mortise;

class DoublePendulum final : public System {
 public:
  DoublePendulum(double m1, double m2, double l1, double l2, double g) : m1_(m1), m2_(m2), l1_(l1), l2_(l2), g_(g) {
    pattern_.columns.append(2);  // one dense block of two velocities; no constraint rows
    pattern_.layout_mass();
  }
  const gauss::Pattern& pattern() const override { return pattern_; }
  int q_size() const override { return 2; }

  void evaluate(const State& state, unsigned needs, Scratch&, Evaluation& out) const override {
    if (!(needs & (need_dynamics | need_energy))) return;
    const double a = state.q[0], b = state.q[1], u = state.v[0], v = state.v[1];
    const double c = m2_ * l1_ * l2_ * std::cos(a - b), s = m2_ * l1_ * l2_ * std::sin(a - b);
    const double m11 = (m1_ + m2_) * l1_ * l1_, m22 = m2_ * l2_ * l2_;
    out.problem.M << m11, c, c, m22;  // row by row
    out.problem.Q << -s * v * v - (m1_ + m2_) * g_ * l1_ * std::sin(a), s * u * u - m2_ * g_ * l2_ * std::sin(b);
    out.kinetic = 0.5 * m11 * u * u + c * u * v + 0.5 * m22 * v * v;
    out.potential = -(m1_ + m2_) * g_ * l1_ * std::cos(a) - m2_ * g_ * l2_ * std::cos(b);
    out.power_dissipated = out.power_applied = 0;
  }

 private:
  double m1_, m2_, l1_, l2_, g_;
  gauss::Pattern pattern_;
};

}  // namespace

int main() {
  model::AnalysisSettings settings;
  settings.tolerance = 1e-12;
  const DoublePendulum pendulum(1, 2, 0.8, 0.5, 9.81);
  Stepper run(pendulum, settings);
  State start = analysis::zero_state(pendulum);
  start.q << 1.2, -0.3;
  run.start(start);
  run.advance_to(2);

  Simulation same(build(ModelBuilder::planar("Double pendulum")
                            .gravity({0, -9.81})
                            .parameter("x", "0.8*sin(1.2)")
                            .parameter("y", "-0.8*cos(1.2)")
                            .body("first", "particle", {{"mass", 1}, {"at", {"x", "y"}}})
                            .body("second", "particle", {{"mass", 2}, {"at", {"x - 0.5*sin(0.3)", "y - 0.5*cos(0.3)"}}})
                            .joint("upper", "distance", {{"between", {"ground", "first"}}, {"length", 0.8}})
                            .joint("lower", "distance", {{"between", {"first", "second"}}, {"length", 0.5}})
                            .analysis({{"tolerance", 1e-12}})));
  same.advance_to(2);
  const double x = 0.8 * std::sin(run.state().q[0]) + 0.5 * std::sin(run.state().q[1]);
  std::cout << "second mass at x = " << x << " m, as a mechanism " << same.get("second.x") << " m\n";
  return std::abs(x - same.get("second.x")) < 1e-8 ? 0 : 1;
}
