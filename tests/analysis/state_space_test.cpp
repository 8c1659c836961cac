// The linear model of a constrained mechanism against matrices derived by hand, against the roots of modes, and against
// the motion itself; sensors and the sampled controller.
#include "mortise/analysis/state_space.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "mortise/analysis/control.h"
#include "mortise/analysis/modes.h"
#include "support/examples.h"
#include "support/frames.h"

namespace mortise::test {
namespace {

// A cart of mass M on a rail, with friction c, and a rod (mass m, half length l, inertia J) upright on it.
const char* const cart_text = R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
inputs: {push: 0, twist: 0.5}
bodies:
  cart: {mass: 2, inertia: 1, at: [0, 0]}
  rod: {mass: 0.5, inertia: 0.05, at: [0, 0.6], angle: 90 deg}
joints:
  rail: {type: prismatic, between: [ground, cart], at: [0, 0], axis: [1, 0]}
  pivot: {type: revolute, between: [cart, rod], at: [0, 0]}
forces:
  motor: {type: force, body: cart, value: [input.push, 0]}
  hand: {type: torque, body: rod, value: "input.twist - 0.5"}
  air: {type: drag, body: cart, linear: 0.7}
)";

TEST(StateSpace, OfACartWithARodIsTheOneOfTheBooks) {
  const auto m = text_mechanism(cart_text);
  const analysis::StateSpace s =
      analysis::state_space(*m, {"cart.x", "rod.angle", "cart.vx", "rod.wz", "cart.ax", "rail.reaction.fy"});
  ASSERT_EQ(s.A.rows(), 4);
  EXPECT_EQ(s.inputs, (std::vector<std::string>{"push", "twist"}));
  // In x and φ (counterclockwise from upright): (M+m) ẍ − m l φ̈ = F − c ẋ, (J + m l²) φ̈ − m l ẍ − m g l φ = T.
  const double M = 2, mm = 0.5, l = 0.6, J = 0.05, g = 9.81, c = 0.7;
  Matrix mass(2, 2), K(2, 2), C(2, 2);
  mass << M + mm, -mm * l, -mm * l, J + mm * l * l;
  K << 0, 0, 0, -mm * g * l;
  C << c, 0, 0, 0;
  Matrix A = Matrix::Zero(4, 4), B = Matrix::Zero(4, 2);
  A.topRightCorner(2, 2).setIdentity();
  A.bottomLeftCorner(2, 2) = -mass.inverse() * K;
  A.bottomRightCorner(2, 2) = -mass.inverse() * C;
  B.bottomRows(2) = mass.inverse();
  // Ours has other coordinates p; the first four outputs are those of the book.
  const Matrix T = s.C.topRows(4);
  EXPECT_LT((T * s.A - A * T).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((T * s.B - B).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT(s.D.topRows(4).cwiseAbs().maxCoeff(), 1e-12);
  // The acceleration as an output is the third row of A and B.
  EXPECT_LT((s.C.row(4) - A.row(2) * T).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_LT((s.D.row(4) - B.row(2)).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_NEAR(std::abs(s.y[5]), (M + mm) * g, 1e-9);  // what the rail carries
  EXPECT_NEAR(s.D(5, 0), 0, 1e-9);
  EXPECT_LT(s.unbalanced, 1e-9);
  EXPECT_EQ(s.u[1], 0.5);
}

TEST(StateSpace, HasTheRootsOfTheModesAndDoesNotFeelRedundantRows) {
  const auto m = example_mechanism("inverted-pendulum");
  const analysis::StateSpace s = analysis::state_space(*m, {});
  ASSERT_EQ(s.A.rows(), 4);  // two freedoms of five bodies and fourteen rows
  const analysis::ModesResult modes = analysis::run_modes(*m);
  const Eigen::VectorXcd roots = s.A.eigenvalues();
  for (const analysis::Mode& mode : modes.modes)
    EXPECT_LT((roots.array() - mode.root).abs().minCoeff(), 1e-7) << mode.root;
  EXPECT_GT(roots.real().maxCoeff(), 1);  // it falls
}

// What the linear model says of a small push, against the motion: the difference is of third order
// here, where a push to the left is the mirror of one to the right.
TEST(StateSpace, FollowsTheMotionOfSmallPushes) {
  const std::shared_ptr<const mechanism::Mechanism> m = example_mechanism("inverted-pendulum");
  const analysis::StateSpace s = analysis::state_space(*m, {"carriage.x", "rod.angle"});
  double before = 0;
  for (const double push : {0.8, 0.4}) {
    analysis::Simulation sim(m);
    sim.set("push", push);
    sim.advance_to(0.5);
    // x(T) = ∫ e^{A s} ds B u, by its series.
    Matrix term = Matrix::Identity(4, 4) * 0.5, sum = term;
    for (int k = 2; k < 40; ++k) sum += term = (term * s.A * (0.5 / k)).eval();
    const Vector y = s.C * (sum * s.B * push);
    const double error =
        std::max(std::abs(sim.get("carriage.x") - s.y[0] - y[0]), std::abs(sim.get("rod.angle") - s.y[1] - y[1]));
    EXPECT_GT(std::abs(y[1]), 0.05 * push);
    if (before > 0) {
      EXPECT_LT(error, before / 6);
    }
    before = error;
  }
  EXPECT_LT(before, 3e-4);
}

TEST(StateSpace, NamesUnknownOutputs) {
  const auto m = text_mechanism(cart_text);
  EXPECT_THROW(analysis::state_space(*m, {"rod.xx"}), ModelError);
}

TEST(StateSpace, IsAScriptForOctave) {
  const auto m = text_mechanism(cart_text);
  const std::string text = analysis::state_space_script(analysis::state_space(*m, {"cart.x"}));
  for (const char* part :
       {"A = [\n", "B = [\n", "C = [\n", "D = [\n", "inputs = {'push', 'twist'};", "outputs = {'cart.x'}"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Pid, IsTheSumOfItsParts) {
  analysis::Pid pid({.p = 2, .i = 3, .d = 0.5}, 0.1);
  EXPECT_NEAR(pid(1), 2, 1e-15);  // nothing yet to integrate or differentiate
  EXPECT_NEAR(pid(2), 4 + 3 * 0.15 + 0.5 * 10, 1e-13);
  EXPECT_NEAR(pid(2), 4 + 3 * 0.35, 1e-13);
  pid.reset();
  EXPECT_NEAR(pid(1), 2, 1e-15);
  // A filter of one period halves the first step of the slope, and reaches it in the end.
  analysis::Pid slow({.d = 1, .filter = 0.1}, 0.1);
  slow(0);
  EXPECT_NEAR(slow(0.1), 0.5, 1e-14);
  EXPECT_NEAR(slow(0.2), 0.75, 1e-14);
  EXPECT_THROW(analysis::Pid({}, 0), std::invalid_argument);
  EXPECT_THROW(analysis::Pid({.least = 1, .most = 1}, 0.1), std::invalid_argument);
  EXPECT_THROW(pid(std::nan("")), std::invalid_argument);
}

TEST(Pid, DoesNotWindUp) {
  analysis::Pid pid({.p = 1, .i = 10, .most = 2}, 0.1);
  for (int k = 0; k < 100; ++k) EXPECT_LE(pid(5), 2);
  EXPECT_LT(pid.integral(), 0.3);
  EXPECT_LT(pid(-0.5), 2);  // leads back at once
}

TEST(Sensor, TellsLateInStepsAndWithTheNoiseAsked) {
  analysis::Sensor exact("rod.angle");
  EXPECT_EQ(exact.told(0.1234567), 0.1234567);
  analysis::Sensor steps("rod.angle", {.resolution = 0.01});
  EXPECT_NEAR(steps.told(0.1234567), 0.12, 1e-15);
  analysis::Sensor late("rod.angle", {.delay = 2});
  EXPECT_EQ(late.told(1), 1);
  EXPECT_EQ(late.told(2), 1);
  EXPECT_EQ(late.told(3), 1);
  EXPECT_EQ(late.told(4), 2);
  analysis::Sensor noisy("rod.angle", {.noise = 0.1, .seed = 7}), same("rod.angle", {.noise = 0.1, .seed = 7});
  double mean = 0, square = 0;
  const int n = 20000;
  for (int k = 0; k < n; ++k) {
    const double x = noisy.told(3);
    EXPECT_EQ(x, same.told(3));
    mean += x / n;
    square += (x - 3) * (x - 3) / n;
  }
  EXPECT_NEAR(mean, 3, 5 * 0.1 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(square), 0.1, 0.003);
  EXPECT_THROW(analysis::Sensor("x", {.delay = -1}), std::invalid_argument);
}

}  // namespace
}  // namespace mortise::test
