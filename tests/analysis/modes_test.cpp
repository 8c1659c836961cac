// Modes against closed forms: frequencies, damping ratios, shapes, rigid-body modes; redundant loops like minimal ones.
#include "mortise/analysis/modes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/examples.h"

namespace mortise::test {
namespace {

using analysis::Mode;
using analysis::ModesResult;

ModesResult modes_of(const std::string& text, const Settings& settings = {}) {
  return analysis::run_modes(*text_mechanism(text, settings));
}

ModesResult modes_of_example(const std::string& name, Settings settings = {}) {
  settings.push_back("analysis.type=modes");
  return analysis::run_modes(*example_mechanism(name, settings));
}

// ω² = (2 ∓ √2) g / l, in angles 1 : ±√2, so sideways 1 : 1 ± √2.
TEST(Modes, OfADoublePendulumAreItsClosedForm) {
  const ModesResult r = modes_of_example("modes-double-pendulum", {"c=0"});
  ASSERT_EQ(r.modes.size(), 2u);
  double error = 0;
  for (int k = 0; k < 2; ++k) {
    const Mode& mode = r.modes[static_cast<std::size_t>(k)];
    const double omega = std::sqrt((2 + (k == 0 ? -1 : 1) * std::sqrt(2.0)) * 9.81);
    error = std::max(error, std::abs(mode.omega / omega - 1));
    EXPECT_NEAR(mode.damping, 0, 1e-12);
    EXPECT_NEAR(mode.real[2] / mode.real[0], 1 + (k == 0 ? 1 : -1) * std::sqrt(2.0), 1e-8);
  }
  fmt::print("    double pendulum: {:.1e}\n", error);
  EXPECT_LT(error, 1e-10);
  EXPECT_NEAR(r.modes[0].frequency, 0.38152613, 1e-8);
  EXPECT_NEAR(r.modes[1].frequency, 0.92108557, 1e-8);
}

// (s² M + s C + K) x = 0 with M = m l² (2 1; 1 1), K = m g l diag(2, 1), C = c l² diag(1, 0): a polynomial of degree
// four, 2·1 − 1 = 1 leading; its value at the roots found must vanish.
TEST(Modes, WithDampingAreRootsOfTheCharacteristicPolynomial) {
  const ModesResult r = modes_of_example("modes-double-pendulum");
  ASSERT_EQ(r.modes.size(), 2u);
  for (const Mode& mode : r.modes) {
    const std::complex<double> s = mode.root, s2 = s * s;
    const double g = 9.81, c = 0.2;
    const std::complex<double> value = (2.0 * s2 + c * s + 2 * g) * (s2 + g) - s2 * s2;
    // Divided by its derivative: how far the root is off.
    const std::complex<double> slope = (4.0 * s + c) * (s2 + g) + (2.0 * s2 + c * s + 2 * g) * 2.0 * s - 4.0 * s * s2;
    EXPECT_LT(std::abs(value / slope), 1e-9 * std::abs(s));
    EXPECT_GT(mode.damping, 0.005);
    EXPECT_NEAR(mode.damping, -s.real() / std::abs(s), 1e-14);
  }
}

std::string chain(int masses, double stiffness, double damping, bool tied) {
  std::string text = fmt::format(R"(
mortise: 1
dimension: planar
parameters: {{N: {}, k: {}, c: {}}}
bodies:
  m$i: {{repeat: {{i: N}}, type: particle, mass: 2, at: [i + 1, 0]}}
joints:
  level$i: {{repeat: {{i: N}}, type: coordinate, body: m$i, coordinate: y}}
forces:
  s$i: {{repeat: {{i: N - 1}}, type: spring-damper-actuator, between: [m$i, m$(i+1)], stiffness: k, damping: c}}
)",
                                 masses, stiffness, damping);
  if (tied)
    text += fmt::format(R"(  first: {{type: spring-damper-actuator, between: [ground, m0], stiffness: k, damping: c}}
  last: {{type: spring-damper-actuator, between: [m{}, ground], points: [[0, 0], [N + 1, 0]], stiffness: k, damping: c}}
)",
                        masses - 1);
  return text + "analysis: {type: modes}\n";
}

// Fixed at both ends: ω_j = 2 √(k/m) sin(jπ / (2(N+1))); with c = β k the ratios are β ω_j / 2.
TEST(Modes, OfAChainOfMassesAndSpringsAreItsClosedForm) {
  const int N = 9;
  const ModesResult plain = modes_of(chain(N, 50, 0, true)), damped = modes_of(chain(N, 50, 0.5, true));
  ASSERT_EQ(plain.modes.size(), 9u);
  ASSERT_EQ(damped.modes.size(), 9u);
  double error = 0, ratios = 0;
  for (int j = 1; j <= N; ++j) {
    const auto k = static_cast<std::size_t>(j - 1);
    const double omega = 2 * std::sqrt(50.0 / 2) * std::sin(j * M_PI / (2 * (N + 1)));
    error = std::max({error, std::abs(plain.modes[k].omega / omega - 1), std::abs(damped.modes[k].omega / omega - 1)});
    ratios = std::max(ratios, std::abs(damped.modes[k].damping / (0.01 * omega / 2) - 1));
    EXPECT_FALSE(plain.modes[k].rigid);
  }
  fmt::print("    spring-mass chain: frequencies {:.1e}, damping ratios {:.1e}\n", error, ratios);
  EXPECT_LT(error, 1e-10);
  EXPECT_LT(ratios, 1e-9);
}

// Free at both ends: one rigid-body mode, then ω_j = 2 √(k/m) sin(jπ / 2N), damped or not.
TEST(Modes, OfAFreeChainBeginWithTheRigidBody) {
  for (const double damping : {0.0, 0.5}) {
    const ModesResult r = modes_of(chain(6, 50, damping, false));
    ASSERT_EQ(r.modes.size(), 6u);
    EXPECT_TRUE(r.modes[0].rigid);
    EXPECT_EQ(r.modes[0].words, "m0, m1, m2, m3, m4 and m5 move along (1, 0)");
    EXPECT_EQ(r.equilibrium.free.size(), 1u);
    for (int j = 1; j < 6; ++j) {
      const double omega = 2 * 5 * std::sin(j * M_PI / 12);
      EXPECT_FALSE(r.modes[static_cast<std::size_t>(j)].rigid);
      EXPECT_NEAR(r.modes[static_cast<std::size_t>(j)].omega / omega, 1, 1e-9);
    }
  }
}

// A mass on a spring with more than critical damping does not swing: s = (−c ± √(c² − 4km)) / 2m.
TEST(Modes, BeyondCriticalDampingDoNotSwing) {
  const ModesResult r = modes_of(chain(1, 50, 20, true));
  ASSERT_EQ(r.modes.size(), 2u);  // 2k = 100, 2c = 40, m = 2: s = −10 ± √(100 − 50)
  EXPECT_NEAR(r.modes[0].root.real(), -10 + std::sqrt(50.0), 1e-9);
  EXPECT_NEAR(r.modes[1].root.real(), -10 - std::sqrt(50.0), 1e-9);
  EXPECT_NEAR(r.modes[0].damping, 1, 1e-12);
  EXPECT_EQ(r.modes[0].frequency, 0);
}

// A symmetric top hung by a ball joint, at rest: two swings with ω² = m g l / (I + m l²), and the spin, which is free.
TEST(Modes, OfASpatialPendulumAreTwoSwingsAndASpin) {
  const ModesResult r = modes_of(R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  top: {mass: 3, inertia: [0.2, 0.2, 0.05], at: [0.3, 0.1, 0], center: [0, 0, -0.7]}
joints:
  ball: {type: spherical, between: [ground, top], at: [0.3, 0.1, 0]}
analysis: {type: modes}
)");
  ASSERT_EQ(r.modes.size(), 3u);
  EXPECT_TRUE(r.modes[0].rigid);
  const double omega = std::sqrt(3 * 9.81 * 0.7 / (0.2 + 3 * 0.49));
  EXPECT_NEAR(r.modes[1].omega / omega, 1, 1e-10);
  EXPECT_NEAR(r.modes[2].omega / omega, 1, 1e-10);
}

// θ̈ = −(3.5/3.05) g cos θ: about the lowest pose ω² = 3.5 g / 3.05; one row of the loop is redundant.
TEST(Modes, OfARedundantLoopAreThoseOfItsClosedForm) {
  const ModesResult r = modes_of_example("five-bar");
  ASSERT_EQ(r.modes.size(), 1u);
  EXPECT_NEAR(r.modes[0].omega / std::sqrt(3.5 * 9.81 / 3.05), 1, 1e-10);
}

// The planar windows have no redundant row, those in space three each. They stand; gravity is turned so that they hang.
TEST(Modes, OfARedundantLoopAreThoseOfItsMinimalTwin) {
  for (const char* N : {"N=2", "N=5"}) {
    const ModesResult planar = modes_of_example("n-four-bar", {N, "gravity=[0, 9.81]"}),
                      spatial = modes_of_example("n-four-bar-spatial", {N, "gravity=[0, 9.81, 0]"});
    ASSERT_EQ(planar.modes.size(), 1u);
    ASSERT_EQ(spatial.modes.size(), 1u);
    EXPECT_NEAR(planar.modes[0].omega / spatial.modes[0].omega, 1, 1e-10);
    EXPECT_GT(planar.modes[0].omega, 1);
  }
}

// The swing of dynamics near the equilibrium has the period of the mode: crossing after crossing of a suspended
// four-bar.
TEST(Modes, HaveThePeriodThatDynamicsShows) {
  const ModesResult r = modes_of_example("four-bar");
  ASSERT_EQ(r.modes.size(), 1u);
  // Released 1e-4 of a radian beside the equilibrium: an error of the order of 1e-8.
  const double rest = r.equilibrium.frame.pose[2], away = 1e-4;
  const Recording swing = run_example(
      "four-bar", {fmt::format("start={:.17g}", rest + away), "analysis.tolerance=1e-12", "analysis.until=10"});
  const double t = 10, expected = rest + away * std::cos(r.modes[0].omega * t);
  EXPECT_NEAR(swing.at("crank.angle", t), expected, 2e-7);
}

// A follower load across the free end of a two-link column: beyond its flutter load the swing grows, and statics says
// unstable though every stiffness is positive.
TEST(Modes, OfAColumnUnderAFollowerLoadFlutter) {
  const std::string text = R"(
mortise: 1
dimension: planar
parameters: {P: 1}
bodies:
  a: {mass: 2, inertia: 0, at: [0, 0], center: [1, 0], points: {end: [1, 0]}}
  b: {mass: 1, inertia: 0, at: [1, 0], center: [1, 0], points: {end: [1, 0]}}
joints:
  A: {type: revolute, between: [ground, a], at: [0, 0]}
  B: {type: revolute, between: [a.end, b]}
forces:
  k1: {type: torsional-spring, joint: A, stiffness: 1}
  k2: {type: torsional-spring, joint: B, stiffness: 1}
  load: {type: force, body: b.end, value: [-P, 0], in: body}
analysis: {type: modes}
)";
  // Ziegler's column with masses 2m, m, springs k, length l: flutter from P l / k = 7/2 − √2 = 2.0858 on.
  const double critical = 3.5 - std::sqrt(2.0);
  const auto grows = [&](double load) {
    const ModesResult r = modes_of(text, {fmt::format("P={:.17g}", load)});
    bool any = false;
    for (const Mode& mode : r.modes) any = any || mode.root.real() > 1e-4;
    EXPECT_EQ(any, r.equilibrium.stability == analysis::StaticsResult::Stability::unstable);
    return any;
  };
  EXPECT_FALSE(grows(critical - 1e-3));
  EXPECT_TRUE(grows(critical + 1e-3));
}

TEST(Modes, CanBeLimitedAndShownAsMotions) {
  EXPECT_EQ(modes_of(chain(9, 50, 0, true), {"analysis.modes=3"}).modes.size(), 3u);
  struct Count final : analysis::Sink {
    std::vector<analysis::Frame> frames;
    void begin(const analysis::RunHeader&) override {}
    void frame(const analysis::Frame& f) override { frames.push_back(f); }
    void flush() override {}
    void end(const analysis::RunSummary& s) override { EXPECT_EQ(s.status, "done"); }
  } sink;
  const auto m = text_mechanism(chain(3, 50, 0, true));
  const ModesResult r = analysis::run_modes(*m);
  analysis::animate(*m, r, 1, 0.1, 40, sink);
  ASSERT_EQ(sink.frames.size(), 41u);
  EXPECT_NEAR(sink.frames.back().t, 1 / r.modes[1].frequency, 1e-12);
  // The second of three: 1 : 0 : −1.
  EXPECT_NEAR(sink.frames[0].pose[0] - 1, -(sink.frames[0].pose[6] - 3), 1e-9);
  EXPECT_NEAR(sink.frames[0].pose[3], 2, 1e-9);
  EXPECT_GT(std::abs(sink.frames[0].pose[0] - 1), 0.01);
}

TEST(Modes, SayWhichMotionHasNoMass) {
  try {
    modes_of(R"(
mortise: 1
dimension: planar
bodies:
  bead: {type: particle, mass: 0, at: [1, 0]}
  stone: {type: particle, mass: 1, at: [2, 0]}
forces:
  s: {type: spring-damper-actuator, between: [ground, bead], stiffness: 1}
analysis: {type: modes, formulation: coordinate-partition}
)");
    FAIL() << "it found frequencies";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S473");
    EXPECT_NE(error.report().details[0].find("bead"), std::string::npos) << error.report().details[0];
  }
}

}  // namespace
}  // namespace mortise::test
