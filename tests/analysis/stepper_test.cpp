// Any System moves with a Stepper: exact stops, inputs that change between steps, states that are kept.
#include "mortise/analysis/stepper.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/sampled_plant.h"

namespace mortise::test {
namespace {

using analysis::Stepper;

// J θ̈ = −k θ − c θ̇ + u, with u given from outside.
class Plant final : public System {
 public:
  Plant() {
    pattern_.columns.append(1);
    pattern_.layout_mass();
  }
  const gauss::Pattern& pattern() const override { return pattern_; }
  int q_size() const override { return 1; }
  Vector initial_inputs() const override { return Vector::Zero(1); }
  void evaluate(const State& s, unsigned, Scratch&, Evaluation& out) const override {
    out.problem.M[0] = plant_J;
    out.problem.Q[0] = -plant_k * s.q[0] - plant_c * s.v[0] + s.inputs[0];
    out.kinetic = 0.5 * plant_J * s.v[0] * s.v[0];
    out.potential = 0.5 * plant_k * s.q[0] * s.q[0];
    out.power_dissipated = plant_c * s.v[0] * s.v[0];
    out.power_applied = s.inputs[0] * s.v[0];
  }

 private:
  gauss::Pattern pattern_;
};

model::AnalysisSettings by(const std::string& integrator, double tolerance = 1e-12) {
  model::AnalysisSettings settings;
  settings.integrator = integrator;
  settings.tolerance = tolerance;
  settings.step = integrator == "rk4" ? 1e-3 : 0;
  return settings;
}

class StepperBy : public testing::TestWithParam<std::string> {};

TEST_P(StepperBy, FollowsASampledControllerExactly) {
  const Plant plant;
  Stepper stepper(plant, by(GetParam(), GetParam() == "bdf" ? 1e-10 : 1e-12));
  State start = analysis::zero_state(plant);
  start.q[0] = 1;
  stepper.start(start);
  SampledReference exact(0.05);
  double worst = 0;
  for (int k = 0; k < 100; ++k) {
    Vector u(1);
    u[0] = controller(stepper.state().q[0], stepper.state().v[0]);
    stepper.set_inputs(u);
    stepper.advance_to((k + 1) * 0.05);
    ASSERT_EQ(stepper.t(), (k + 1) * 0.05);
    exact.step();
    worst = std::max({worst, std::abs(stepper.state().q[0] - exact.x[0]), std::abs(stepper.state().v[0] - exact.x[1])});
  }
  EXPECT_LE(worst, GetParam() == "bdf" ? 1e-6 : 1e-9);
}

// The work that inputs do is in the balance: nothing is lost where they jump.
TEST_P(StepperBy, BalancesTheEnergyOverJumps) {
  const Plant plant;
  Stepper stepper(plant, by(GetParam(), 1e-10));
  State start = analysis::zero_state(plant);
  start.q[0] = 1;
  stepper.start(start);
  for (int k = 0; k < 20; ++k) {
    stepper.set_inputs(Vector::Constant(1, k % 2 ? 3.0 : -5.0));
    stepper.advance_to((k + 1) * 0.07);
  }
  const State& s = stepper.state();
  const double stored = 0.5 * plant_J * s.v[0] * s.v[0] + 0.5 * plant_k * s.q[0] * s.q[0];
  EXPECT_NEAR(stored + s.work[work_dissipated] - s.work[work_applied], 0.5 * plant_k,
              GetParam() == "bdf" ? 1e-5 : 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Integrators, StepperBy, testing::ValuesIn(integrate::flow_integrators()),
                         [](const auto& info) { return info.param; });

TEST(Stepper, RefusesWhatDoesNotFit) {
  const Plant plant;
  EXPECT_THROW(Stepper(plant, by("adam")), ModelError);
  EXPECT_THROW(Stepper(plant,
                       [] {
                         model::AnalysisSettings settings;
                         settings.integrator = "rk4";  // needs a step
                         return settings;
                       }()),
               ModelError);
  Stepper stepper(plant, by("adams"));
  EXPECT_THROW(stepper.start(State{}), std::invalid_argument);
  EXPECT_THROW(stepper.load(State{}), std::invalid_argument);
}

// Names, sizes and blame that a System need not give.
TEST(System, HasDefaultsForPlainCoordinates) {
  const Plant plant;
  Vector q = Vector::Constant(1, 2), v = Vector::Constant(1, 3), out = Vector::Zero(1);
  plant.qdot(as_span(q), as_span(v), as_span(out));
  EXPECT_EQ(out[0], 3);
  plant.retract(as_span(q), as_span(v), as_span(out));
  EXPECT_EQ(out[0], 5);
  plant.tangent(as_span(q), as_span(v), as_span(out));
  EXPECT_EQ(out[0], 3);
  EXPECT_FALSE(plant.normalize(as_span(q)));
  EXPECT_EQ(plant.blame_non_finite(State{}).code, "S410");
  Stepper stepper(plant, by("rk45"));
  State start = analysis::zero_state(plant);
  start.inputs[0] = std::nan("");
  EXPECT_THROW(stepper.start(start), SolveError);
}

}  // namespace
}  // namespace mortise::test
