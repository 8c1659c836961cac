// Statics against closed forms: springs, chains, follower loads; stability and free motions in words.
#include "mortise/analysis/statics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mortise/analysis/quantity.h"
#include "support/examples.h"

namespace mortise::test {
namespace {

using analysis::StaticsResult;
using Stability = StaticsResult::Stability;

struct Balanced {
  std::unique_ptr<mechanism::Mechanism> mechanism;
  StaticsResult result;
  double at(const std::string& quantity) const {
    mechanism::Motions motions;
    mechanism->motions(as_span(result.frame.q), as_span(result.frame.v), motions);
    return analysis::find_quantity(*mechanism, quantity).value(result.frame, motions);
  }
};

Balanced balance(const std::string& text, const Settings& settings = {}) {
  Balanced out;
  out.mechanism = text_mechanism(text, settings);
  out.result = analysis::run_statics(*out.mechanism);
  return out;
}

const char* const sprung_pendulum = R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
parameters: {start: 0, k: 12}
bodies:
  arm: {mass: 2, inertia: 0.3, at: [0, 0], center: [0.5, 0], angle: start}
joints:
  A: {type: revolute, between: [ground, arm], at: [0, 0]}
forces:
  spring: {type: torsional-spring, joint: A, stiffness: k, angle: 0}
analysis: {type: statics}
)";

// k θ = −m g (l/2) cos θ: one equation, solved here by bisection.
TEST(Statics, OfASprungArmIsTheRootOfItsOneEquation) {
  double low = -1.5, high = 0;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (12 * middle + 9.81 * std::cos(middle) > 0 ? high : low) = middle;
  }
  const Balanced b = balance(sprung_pendulum);
  EXPECT_NEAR(b.at("arm.angle"), low, 1e-12);
  EXPECT_EQ(b.result.stability, Stability::stable);
  EXPECT_NEAR(b.at("A.reaction.fy"), 2 * 9.81, 1e-10);
  EXPECT_NEAR(b.at("A.reaction.fx"), 0, 1e-10);
  EXPECT_LT(b.result.unbalanced, 1e-12);
}

// Horizontal without a spring: no stiffness at the start, far from balance; it goes down as a slow motion would.
TEST(Statics, GoesDownFromAPoseWithoutStiffness) {
  const Balanced b = balance(sprung_pendulum, {"k=0"});
  EXPECT_NEAR(b.at("arm.angle"), -M_PI / 2, 1e-12);
  EXPECT_EQ(b.result.stability, Stability::stable);
}

TEST(Statics, KeepsAnUnstableBalanceAndSaysSo) {
  const Balanced b = balance(sprung_pendulum, {"k=0", "start=90 deg"});
  EXPECT_NEAR(b.at("arm.angle"), M_PI / 2, 1e-12);
  EXPECT_EQ(b.result.stability, Stability::unstable);
  ASSERT_EQ(b.result.unstable.size(), 1u);
  EXPECT_EQ(b.result.unstable[0], "arm turns");
  // A little beside it, it falls to the other side.
  EXPECT_NEAR(std::cos(balance(sprung_pendulum, {"k=0", "start=89 deg"}).at("arm.angle")), 0, 1e-12);
  EXPECT_EQ(balance(sprung_pendulum, {"k=0", "start=89 deg"}).result.stability, Stability::stable);
}

// The pull along the chain has one horizontal part H; with half a link's weight at its lower end link k of N carries
// V_k = w (N/2 − k − 1/2), so its slope is V_k / H, and Σ l cos θ_k = span gives H.
TEST(Statics, OfAHangingChainIsItsClosedForm) {
  const int N = 8;
  const double l = 0.25, span = 1.6, w = 0.5 * 9.81;
  const auto slope = [&](int k, double H) { return std::atan2(-w * (0.5 * N - k - 0.5), H); };
  double low = 0.1, high = 1000;
  for (int i = 0; i < 200; ++i) {
    const double H = 0.5 * (low + high);
    double width = 0;
    for (int k = 0; k < N; ++k) width += l * std::cos(slope(k, H));
    (width > span ? high : low) = H;
  }
  Balanced b;
  b.mechanism = example_mechanism("statics-chain");
  b.result = analysis::run_statics(*b.mechanism);
  double error = 0, sag = 0;
  for (int k = 0; k < N; ++k) {
    error = std::max(error, std::abs(b.at(fmt::format("link{}.angle", k)) - slope(k, low)));
    if (k < N / 2) sag -= l * std::sin(slope(k, low));
  }
  fmt::print("    hanging chain: angles to {:.1e} after {} steps; sag {:.8f}, H {:.8f}\n", error, b.result.iterations,
             sag, low);
  EXPECT_LT(error, 1e-11);
  EXPECT_NEAR(b.at("first.reaction.fy"), 19.62, 1e-9);
  EXPECT_NEAR(-b.at("pin3.reaction.fx"), low, 1e-9);
  EXPECT_NEAR(sag, -b.at("link4.y"), 1e-11);
  EXPECT_EQ(b.result.stability, Stability::stable);
  EXPECT_EQ(b.result.freedoms, N - 2);
}

std::string cantilever(int links, double force) {
  return fmt::format(R"(
mortise: 1
dimension: planar
parameters: {{N: {}, l: 0.1, k: 20, F: {}}}
bodies:
  link$i: {{repeat: {{i: N}}, mass: 0.1, inertia: 0.001, at: [i*l, 0], points: {{end: [l, 0]}}}}
joints:
  wall: {{type: revolute, between: [ground, link0], at: [0, 0]}}
  pin$i: {{repeat: {{i: N - 1}}, type: revolute, between: [link$i.end, link$(i+1)]}}
forces:
  root: {{type: torsional-spring, joint: wall, stiffness: k}}
  bend$i: {{repeat: {{i: N - 1}}, type: torsional-spring, joint: pin$i, stiffness: k}}
  load: {{type: force, body: link{}.end, value: [0, F], in: body}}
analysis: {{type: statics}}
)",
                     links, force, links - 1);
}

// A beam of links with a force that stays across its tip. Seen from the tip link, whose own angle is 0 there and in
// whose axes the force is (0, F): the arm from joint i to the tip is r_i, the spring there holds the moment r_i × (0,
// F), so the link before is turned by −M_i / k. A recursion from the tip; the angle of link j is what is left to the
// wall.
TEST(Statics, OfABeamUnderAFollowerLoadIsItsRecursion) {
  const int N = 10;
  const double l = 0.1, k = 20, F = 60;
  std::vector<double> from_tip(N + 1, 0);  // angle of link j less that of the tip; [0] is the wall
  Eigen::Vector2d arm = Eigen::Vector2d::Zero();
  for (int j = N; j >= 1; --j) {
    arm += l * Eigen::Vector2d(std::cos(from_tip[static_cast<std::size_t>(j)]),
                               std::sin(from_tip[static_cast<std::size_t>(j)]));
    const double moment = arm.x() * F;  // r × (0, F)
    from_tip[static_cast<std::size_t>(j) - 1] = from_tip[static_cast<std::size_t>(j)] - moment / k;
  }
  const Balanced b = balance(cantilever(N, F));
  double error = 0;
  for (int j = 1; j <= N; ++j)
    error = std::max(error, std::abs(b.at(fmt::format("link{}.angle", j - 1)) -
                                     (from_tip[static_cast<std::size_t>(j)] - from_tip[0])));
  fmt::print("    follower load: angles to {:.1e} after {} steps, the tip turned by {:.4f} rad\n", error,
             b.result.iterations, b.at("link9.angle"));
  EXPECT_GT(b.at("link9.angle"), 1.0) << "a large deflection";
  EXPECT_LT(error, 1e-10);
}

// A four-bar under its weight with a spring from coupler to ground: of all poses near by it has the least energy, which
// is computed independently, from the closed form of the linkage, by golden section.
TEST(Statics, OfASprungFourBarHasTheLeastEnergy) {
  const double a = 0.4, b = 1, c = 0.8, d = 1, k = 40;
  const auto energy = [&](double crank) {
    const Eigen::Vector2d A(a * std::cos(crank), a * std::sin(crank));
    const double s = std::hypot(d - A.x(), A.y());
    const double to = std::atan2(-A.y(), d - A.x()) + std::acos((b * b + s * s - c * c) / (2 * b * s));
    const Eigen::Vector2d B = A + b * Eigen::Vector2d(std::cos(to), std::sin(to));
    const double stretch = B.norm() - 0.5;
    return 9.81 * (a * A.y() / 2 + b * (A.y() + B.y()) / 2 + c * B.y() / 2) + 0.5 * k * stretch * stretch;
  };
  double low = -2.5, high = 0.5;
  const double golden = (std::sqrt(5.0) - 1) / 2;
  for (int i = 0; i < 100; ++i) {
    const double x = high - golden * (high - low), y = low + golden * (high - low);
    energy(x) < energy(y) ? high = y : low = x;
  }
  const auto m = example_mechanism(
      "four-bar", {"analysis.type=statics", "bodies.coupler.points={middle: [b/2, 0], tip: [b, 0]}",
                   "forces={s: {type: spring-damper-actuator, between: [ground, coupler.tip], stiffness: 40, "
                   "length: 0.5}}",
                   "start=-20 deg"});
  const StaticsResult r = analysis::run_statics(*m);
  // Energy is flat at its least: golden section knows the angle to 1e-8 only; the derivative decides the rest.
  const double angle = r.frame.pose[2], h = 1e-4;
  EXPECT_NEAR(angle, low, 1e-6);
  const double slope =
      (8 * (energy(angle + h) - energy(angle - h)) - (energy(angle + 2 * h) - energy(angle - 2 * h))) / (12 * h);
  const double curvature = (energy(angle + h) - 2 * energy(angle) + energy(angle - h)) / (h * h);
  fmt::print("    sprung four-bar: angle off by {:.1e}\n", slope / curvature);
  EXPECT_LT(std::abs(slope / curvature), 1e-10);
  EXPECT_EQ(r.stability, Stability::stable);
}

// A wheel on its axle has no preferred angle; a redundant loop balances like its minimal twin.
TEST(Statics, ReportsMotionsWithoutStiffnessInWords) {
  const Balanced b = balance(R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  wheel: {mass: 1, inertia: 0.1, at: [0, 0]}
  arm: {mass: 2, inertia: 0.3, at: [2, 0], center: [0.5, 0]}
joints:
  axle: {type: revolute, between: [ground, wheel], at: [0, 0]}
  A: {type: revolute, between: [ground, arm], at: [2, 0]}
analysis: {type: statics}
)");
  EXPECT_EQ(b.result.stability, Stability::neutral);
  ASSERT_EQ(b.result.free.size(), 1u);
  EXPECT_EQ(b.result.free[0], "wheel turns");
  EXPECT_NEAR(b.at("arm.angle"), -M_PI / 2, 1e-11);
  const auto five_bar = example_mechanism("five-bar", {"analysis.type=statics"});
  const StaticsResult r = analysis::run_statics(*five_bar);
  EXPECT_NEAR(r.frame.pose[2], -M_PI / 2, 1e-12);
  EXPECT_EQ(r.freedoms, 1);
}

TEST(Statics, SaysWhatNothingHolds) {
  const auto m = text_mechanism(R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  stone: {mass: 1, inertia: 1, at: [0, 0]}
  shelf: {mass: 1, inertia: 1, at: [0, -1]}
joints:
  weld: {type: fixed, between: [ground, shelf]}
analysis: {type: statics}
)");
  try {
    analysis::run_statics(*m);
    FAIL() << "it found one";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S472");
    EXPECT_EQ(error.report().details[0], "pushed on: stone moves along (0, 1)");
  }
}

// Drivers hold where they are at t = 0: the effort carries the load.
TEST(Statics, GivesTheEffortsThatHoldDrivers) {
  const Balanced b = balance(R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  arm: {mass: 2, inertia: 0.3, at: [0, 0], center: [0.5, 0], angle: 0.3}
joints:
  A: {type: revolute, between: [ground, arm], at: [0, 0]}
drivers:
  motor: {type: rotation, joint: A, function: 0.3 + 5*t}
analysis: {type: statics}
)");
  EXPECT_NEAR(b.at("motor.effort"), 9.81 * std::cos(0.3), 1e-11);
  EXPECT_EQ(b.result.freedoms, 0);
}

}  // namespace
}  // namespace mortise::test
