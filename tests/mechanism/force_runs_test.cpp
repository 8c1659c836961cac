// Forces in motion against closed forms, and what they store, lose and apply against the energy of the whole run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mortise/analysis/quantity.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

using mechanism::Mechanism;

struct Ran {
  std::unique_ptr<Mechanism> m;
  Recorder r;
  explicit Ran(const std::string& text, const std::vector<std::string>& settings = {}) : m(compile(text, settings)) {
    run(*m, r);
  }
  double at(std::size_t frame, const std::string& name) const {
    mechanism::Motions motions;
    const analysis::Frame& f = r.frames.at(frame);
    m->motions(as_span(f.q), as_span(f.v), motions);
    return analysis::find_quantity(*m, name).value(f, motions);
  }
  double last(const std::string& name) const { return at(r.frames.size() - 1, name); }
};

// Without damping a stop is a spring: the block rests after a quarter period, π/2 √(m/k), pressed in by v √(m/k).
TEST(BumpStop, TurnsABlockAroundInAQuarterPeriod) {
  const double m = 2, k = 800, v = 3, quarter = M_PI / 2 * std::sqrt(m / k);
  const std::string text = R"(
mortise: 1
dimension: planar
bodies: {block: {mass: 2, inertia: 1, velocity: [3, 0]}}
joints: {rail: {type: prismatic, between: [ground, block], at: [0, 0]}}
forces: {stop: {type: bump-stop, joint: rail, upper: 0, stiffness: 800, depth: 0}}
analysis: {tolerance: 1e-11, until: )" +
                           fmt::format("{:.17g}", quarter) + "}\n";
  const Ran ran(text);
  RecordProperty("error", testing::PrintToString(std::abs(ran.last("rail.speed"))));
  EXPECT_NEAR(ran.last("rail.speed"), 0, 1e-7);
  EXPECT_NEAR(ran.last("rail.displacement"), v * std::sqrt(m / k), 1e-9);
  EXPECT_NEAR(ran.last("stop.force"), -v * std::sqrt(m * k), 1e-6);
  EXPECT_LT(ran.r.summary.energy_drift, 1e-9);
}

// With a soft onset of depth d the deepest point is where k((δ − d/2)²/2 + d²/24) = ½ m v²; damping only takes energy.
TEST(BumpStop, StoresWhatItsSoftOnsetSays) {
  for (const char* damping : {"0", "0.2"}) {
    const Ran ran(R"(
mortise: 1
dimension: spatial
bodies: {ball: {type: particle, mass: 2, at: [1, 0, 0], velocity: [3, 0, 0]}}
forces: {stop: {type: bump-stop, between: [ground, ball], upper: 1.2, stiffness: 800, depth: 0.05, damping: 0}}
analysis: {tolerance: 1e-10, until: 0.4}
output: {every: 0.0005}
)",
                  {std::string("forces.stop.damping=") + damping});
    double deepest = 0;
    for (std::size_t k = 0; k < ran.r.frames.size(); ++k) deepest = std::max(deepest, ran.at(k, "stop.length") - 1.2);
    if (std::string(damping) == "0")
      EXPECT_NEAR(deepest, 0.025 + std::sqrt(2 * (0.5 * 2 * 9 / 800 - 0.05 * 0.05 / 24)), 1e-4);
    else
      EXPECT_LT(ran.last("ball.vx"), 0);
    EXPECT_LT(ran.r.summary.energy_drift, 1e-7) << damping;
  }
}

// A mount under weight and a torque rests where K x = load.
TEST(Bushing, YieldsToAStaticLoadByItsStiffness) {
  const std::string text = R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies: {engine: {mass: 20, inertia: [1, 2, 3], at: [0.2, -0.1, 0.4], orientation: {rpy: [0.3, 0, 0.5]}}}
forces:
  mount: {type: bushing, between: [ground, engine], at: [0.2, -0.1, 0.4],
          stiffness: [[9000, 100, 0, 0, 0, 50], [100, 8000, 0, 0, 0, 0], [0, 0, 7000, 20, 0, 0],
                      [0, 0, 20, 600, 0, 0], [0, 0, 0, 0, 500, 0], [50, 0, 0, 0, 0, 400]],
          damping: [900, 900, 900, 60, 60, 60]}
  push: {type: force, body: engine, value: [30, -20, 0]}
analysis: {until: 6, tolerance: 1e-10}
output: {every: 0.01}
)";
  const Ran ran(text);
  // The torque in first-frame axes is J⁻ᵀ τ = 0, so τ = 0 and K x = f.
  Eigen::Matrix<double, 6, 6> K;
  K << 9000, 100, 0, 0, 0, 50, 100, 8000, 0, 0, 0, 0, 0, 0, 7000, 20, 0, 0, 0, 0, 20, 600, 0, 0, 0, 0, 0, 0, 500, 0, 50,
      0, 0, 0, 0, 400;
  Eigen::Matrix<double, 6, 1> load;
  load << 30, -20, -20 * 9.81, 0, 0, 0;
  const Eigen::Matrix<double, 6, 1> x = K.ldlt().solve(load);
  EXPECT_NEAR(ran.last("engine.x") - 0.2, x[0], 1e-8);
  EXPECT_NEAR(ran.last("engine.y") + 0.1, x[1], 1e-8);
  EXPECT_NEAR(ran.last("engine.z") - 0.4, x[2], 1e-8);
  EXPECT_NEAR(ran.last("mount.fz"), 20 * 9.81, 1e-4);
  EXPECT_LT(ran.r.summary.energy_drift, 1e-6);
}

// m v̇ = m g − k v²: v = v∞ tanh(g t / v∞), v∞ = √(m g / k).
TEST(Drag, LetsABodyFallByTheTangensHyperbolicus) {
  const Ran ran(R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies: {ball: {type: particle, mass: 0.4}}
forces: {air: {type: drag, body: ball, area: 0.05, cd: 0.47, density: 1.2, wind: [0, 0, 0]}}
analysis: {until: 8, tolerance: 1e-11}
output: {every: 1}
)");
  const double k = 0.5 * 1.2 * 0.47 * 0.05, end = std::sqrt(0.4 * 9.81 / k);
  for (std::size_t f = 0; f < ran.r.frames.size(); ++f) {
    const double t = static_cast<double>(f);
    EXPECT_NEAR(ran.at(f, "ball.vz"), -end * std::tanh(9.81 * t / end), 1e-8);
    EXPECT_NEAR(ran.at(f, "ball.z"), -end * end / 9.81 * std::log(std::cosh(9.81 * t / end)), 1e-7);
  }
  EXPECT_LT(ran.r.summary.energy_drift, 1e-9);
}

TEST(Drag, CarriesABodyWithTheWind) {
  const Ran ran(R"(
mortise: 1
dimension: planar
bodies: {leaf: {type: particle, mass: 0.01}}
forces: {air: {type: drag, body: leaf, linear: 0.1, wind: [2, -1]}}
analysis: {until: 0.5, tolerance: 1e-10}
)");
  EXPECT_NEAR(ran.last("leaf.vx"), 2 * (1 - std::exp(-5)), 1e-8);
  EXPECT_NEAR(ran.last("leaf.vy"), -1 * (1 - std::exp(-5)), 1e-8);
  EXPECT_NEAR(ran.last("air.fx"), 0.1 * 2 * std::exp(-5), 1e-9);
  EXPECT_LT(ran.r.summary.energy_drift, 1e-8);
}

TEST(Tyre, CarriesTheWeightAndRollsWithoutSlip) {
  const Ran ran(R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies: {wheel: {mass: 10, inertia: 0.4, at: [0, 0.3], velocity: [2, 0]}}
forces: {contact: {type: tyre, body: wheel, radius: 0.3, stiffness: 2e4, damping: 5, friction: 0.8, slip_stiffness: 500}}
analysis: {until: 3, tolerance: 1e-9}
output: {every: 0.1}
)");
  EXPECT_NEAR(ran.last("contact.depth"), 10 * 9.81 / 2e4, 1e-8);
  EXPECT_NEAR(ran.last("contact.force"), 98.1, 1e-4);
  // Spin is taken from the speed until they match: m v R + I w about the contact stays.
  const double v = 10 * 2 * 0.3 / (10 * 0.3 + 0.4 / 0.3);
  EXPECT_NEAR(ran.last("wheel.vx"), v, 1e-3);
  EXPECT_NEAR(ran.last("wheel.wz"), -ran.last("wheel.vx") / 0.3, 1e-6);
  EXPECT_LT(ran.r.summary.energy_drift, 1e-7);
}

TEST(Tyre, NeverPulls) {
  const Ran ran(R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies: {ball: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [0.3, 0, 0.8], velocity: [1, 0.5, 0]}}
forces: {contact: {type: tyre, body: ball, radius: 0.2, stiffness: 3000, damping: 0.3, friction: 0.5, slip_stiffness: 30,
                   height: 0.1*sin(2*x)*cos(y)}}
analysis: {until: 2, tolerance: 1e-8}
output: {every: 0.002}
)");
  int touching = 0, flying = 0;
  for (std::size_t f = 0; f < ran.r.frames.size(); ++f) {
    const double force = ran.at(f, "contact.force");
    EXPECT_GE(force, 0);
    (force > 0 ? touching : flying)++;
  }
  EXPECT_GT(touching, 20);
  EXPECT_GT(flying, 100);
  EXPECT_LT(ran.r.summary.energy_drift, 1e-5);
}

// A cubic spring: T = 4 √(m/2k₃) … by energy alone, ½ m v² = ¼ k₃ x⁴ at the turning point.
TEST(Spring, ByAFormulaStoresItsIntegral) {
  const Ran ran(R"(
mortise: 1
dimension: planar
bodies: {ball: {type: particle, mass: 2, at: [1, 0], velocity: [1.5, 0]}}
forces: {S: {type: spring, between: [ground, ball], spring: 50*x^3}}
analysis: {until: 1, tolerance: 1e-11}
output: {every: 0.0002}
)");
  double farthest = 0;
  for (std::size_t f = 0; f < ran.r.frames.size(); ++f) farthest = std::max(farthest, ran.at(f, "S.length") - 1);
  EXPECT_NEAR(farthest, std::pow(4 * 0.5 * 2 * 2.25 / 50, 0.25), 1e-6);
  EXPECT_LT(ran.r.summary.energy_drift, 1e-9);
}

}  // namespace
}  // namespace mortise::test
