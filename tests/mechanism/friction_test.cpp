// Friction, and forces that depend on the reactions which they help to cause: closed forms, and both found together.
#include <gtest/gtest.h>

#include <cmath>

#include "mortise/analysis/observe.h"
#include "mortise/analysis/quantity.h"
#include "mortise/stabilize/stabilizer.h"
#include "support/allocation_counter.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

using mechanism::Mechanism;

double last(const Mechanism& m, const Recorder& r, const std::string& name) {
  mechanism::Motions motions;
  const analysis::Frame& f = r.frames.back();
  m.motions(as_span(f.q), as_span(f.v), motions);
  return analysis::find_quantity(m, name).value(f, motions);
}

const char* const incline = R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
parameters: {mu: 0.2, v: 1}
bodies: {block: {mass: 2, inertia: 0.1, velocity: [v*cos(30 deg), -v*sin(30 deg)]}}
joints: {slope: {type: prismatic, between: [ground, block], at: [0, 0], axis: [cos(30 deg), -sin(30 deg)]}}
forces: {rub: {type: friction, joint: slope, coefficient: mu}}
analysis: {until: 1, tolerance: 1e-10}
output: {every: 0.1}
)";

// a = g (sin α − µ cos α)
TEST(Friction, OfABlockOnAnInclineLeavesTheClosedForm) {
  const double g = 9.81, alpha = M_PI / 6, a = g * (std::sin(alpha) - 0.2 * std::cos(alpha));
  const auto m = compile(incline);
  Recorder r;
  run(*m, r);
  const double s = last(*m, r, "slope.displacement");
  RecordProperty("error", testing::PrintToString(std::abs(s - (1 + a / 2))));
  EXPECT_NEAR(s, 1 + a / 2, 1e-9);
  EXPECT_NEAR(last(*m, r, "slope.speed"), 1 + a, 1e-9);
  EXPECT_NEAR(last(*m, r, "rub.force"), -0.2 * 2 * g * std::cos(alpha), 1e-10);
  EXPECT_NEAR(last(*m, r, "energy.dissipated"), 0.2 * 2 * g * std::cos(alpha) * s, 1e-8);
  EXPECT_LT(r.summary.energy_drift, 1e-9);
}

// Too steep for nothing: it creeps where the regularised friction holds the weight, at v₀ atanh(tan α / µ).
TEST(Friction, ThatHoldsABlockLetsItCreepAtTheSpeedOfItsRegularisation) {
  const auto m = compile(incline, {"mu=0.9", "v=0", "analysis.until=0.2", "analysis.integrator=bdf"});
  Recorder r;
  run(*m, r);
  EXPECT_NEAR(last(*m, r, "slope.speed"), 1e-3 * std::atanh(std::tan(M_PI / 6) / 0.9), 1e-9);
}

TEST(Friction, FadesFromTheStaticToTheSlidingCoefficient) {
  const auto m =
      compile(incline, {"forces.rub.static_coefficient=0.5", "forces.rub.stribeck_speed=2", "forces.rub.load=preload",
                        "forces.rub.preload=10", "forces.rub.viscous=0.3", "analysis.until=0.01"});
  Recorder r;
  run(*m, r);
  const double v = last(*m, r, "slope.speed"), mu = 0.2 + 0.3 * std::exp(-v * v / 4);
  EXPECT_NEAR(last(*m, r, "rub.force"), -(10 * mu + 0.3 * v), 1e-12);
}

// A rotor with its centre of mass off the axis by e, without gravity: the bearing carries F = m e √(ω⁴ + α²), and
// I α = −µ r F. With c = µ r m e: α = −κ ω², κ = c/√(I² − c²), so that ω = ω₀/(1 + κ ω₀ t).
std::string rotor(int dimension, double mu) {
  const bool planar = dimension == 2;
  return std::string("mortise: 1\ndimension: ") + (planar ? "planar" : "spatial") +
         "\nparameters: {mu: " + std::to_string(mu) + "}\n" +
         (planar
              ? "bodies: {wheel: {mass: 3, inertia: 0.05, center: [0.1, 0], angular_velocity: 40, velocity: [0, 0]}}\n"
                "joints: {axle: {type: revolute, between: [ground, wheel], at: [0, 0]}}\n"
              : "bodies: {wheel: {mass: 3, inertia: [0.04, 0.04, 0.05], center: [0.1, 0, 0],"
                " angular_velocity: [0, 0, 40], velocity: [0, 0, 0]}}\n"
                "joints: {axle: {type: revolute, between: [ground, wheel], at: [0, 0, 0]}}\n") +
         "forces: {rub: {type: friction, joint: axle, coefficient: mu, radius: 0.2}}\n"
         "analysis: {until: 1, tolerance: 1e-10}\noutput: {every: 0.05}\n";
}

TEST(Friction, OfABearingLoadedByItsOwnRotorLeavesTheClosedForm) {
  const double I = 0.05 + 3 * 0.01, c = 0.4 * 0.2 * 3 * 0.1, kappa = c / std::sqrt(I * I - c * c);
  for (const int dimension : {2, 3})
    for (const char* formulation : {"udwadia-kalaba", "lagrange"}) {
      const auto m = compile(rotor(dimension, 0.4), {std::string("analysis.formulation=") + formulation});
      Recorder r;
      run(*m, r);
      const double exact = 40 / (1 + kappa * 40);
      RecordProperty("error", testing::PrintToString(std::abs(last(*m, r, "wheel.wz") / exact - 1)));
      EXPECT_NEAR(last(*m, r, "wheel.wz") / exact, 1, 1e-8) << dimension << ' ' << formulation;
      EXPECT_NEAR(last(*m, r, "wheel.alphaz") / (-kappa * exact * exact), 1, 1e-8);
      EXPECT_LT(r.summary.energy_drift, 1e-8);
    }
}

// The friction of the pendulum's bearing depends on weight, speed and acceleration. Against the same motion written as
// one equation: J θ̈ = −m g l sin θ − s µ r √(R² + T²), R and T the bearing's force along and across the arm.
TEST(Friction, OfAPendulumsBearingAgreesWithItsEquation) {
  const char* const text = R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies: {arm: {mass: 1.5, inertia: 0.02, center: [0.4, 0]}}
joints: {pin: {type: revolute, between: [ground, arm], at: [0, 0]}}
forces: {rub: {type: friction, joint: pin, coefficient: 0.3, radius: 0.1, speed: 0.01}}
analysis: {until: 1.5, tolerance: 1e-11}
output: {every: 0.5}
)";
  const double m = 1.5, l = 0.4, J = 0.02 + m * l * l, g = 9.81, k = 0.3 * 0.1;
  const auto acceleration = [&](double angle, double w) {
    // T = m (l α + g cos φ), R = m (l ω² + g sin φ) (on the pin, φ from the horizontal); fixed point to rounding.
    const double grip = std::tanh(0.1 * w / 0.01);
    double alpha = 0;
    for (int i = 0; i < 60; ++i) {
      const double T = m * (l * alpha + g * std::cos(angle)), R = m * (-l * w * w + g * std::sin(angle));
      alpha = (-m * g * l * std::cos(angle) - k * grip * std::hypot(R, T)) / J;
    }
    return alpha;
  };
  double angle = 0, w = 0;
  const int steps = 30000;
  const double h = 1.5 / steps;
  for (int i = 0; i < steps; ++i) {
    const double a1 = acceleration(angle, w), w2 = w + h / 2 * a1, a2 = acceleration(angle + h / 2 * w, w2),
                 w3 = w + h / 2 * a2, a3 = acceleration(angle + h / 2 * w2, w3), w4 = w + h * a3,
                 a4 = acceleration(angle + h * w3, w4);
    angle += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
    w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  const auto mech = compile(text);
  Recorder r;
  run(*mech, r);
  RecordProperty("error", testing::PrintToString(std::abs(last(*mech, r, "pin.angle") - angle)));
  EXPECT_NEAR(last(*mech, r, "pin.angle"), angle, 1e-8);
  EXPECT_NEAR(last(*mech, r, "pin.rate"), w, 1e-7);
  EXPECT_LT(r.summary.energy_drift, 1e-8);
}

TEST(Friction, OfTheSameRunIsTheSameToTheBitAfterACheckpoint) {
  const auto m = compile(rotor(3, 0.4), {"output.checkpoint={steps: 7}"});
  Recorder straight, parts;
  run(*m, straight);
  run(*m, parts, 20);
  ASSERT_FALSE(parts.checkpoints.empty());
  const auto from = parts.checkpoints.back().bytes;
  run(*m, parts, 0, &from);
  ASSERT_EQ(straight.frames.size(), parts.frames.size());
  for (std::size_t k = 0; k < straight.frames.size(); ++k)
    ASSERT_EQ(difference(straight.frames[k], parts.frames[k]), "") << "frame " << k;
}

struct FrictionSolver {
  std::unique_ptr<gauss::Formulation> formulation = gauss::make_formulation("udwadia-kalaba");
  std::unique_ptr<Stabilizer> stabilizer = stabilize::make_stabilizer("projection", {});
  Motion motion;
  gauss::GaussSolution solution;
  explicit FrictionSolver(const Mechanism& m) : motion(m, *formulation, *stabilizer, {}) {
    solution.resize(m.pattern());
  }
};

// c > I: friction outgrows the load that causes it (Painlevé).
TEST(Friction, ThatOutgrowsItsLoadIsReportedWithTheJoint) {
  const auto m = compile(rotor(2, 2.0));
  Recorder r;
  try {
    run(*m, r);
    FAIL() << "a solution was found where none exists";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S422");
    EXPECT_NE(error.report().details.front().find("axle.reaction"), std::string::npos);
  }
}

TEST(Feedback, AllocatesNothingInAStep) {
  if (!allocations_are_counted()) GTEST_SKIP();
  const auto m = compile(rotor(3, 0.4));
  FrictionSolver solver(*m);
  State state = m->initial_state();
  solver.motion.project(state, Motion::Start::fresh);
  Vector y(solver.motion.size()), rates(solver.motion.size());
  solver.motion.pack(state, as_span(y));
  solver.motion.rates(0, as_span(y), as_span(rates));
  AllocationCounter heap;
  for (int k = 0; k < 10; ++k) solver.motion.rates(0.1 * k, as_span(y), as_span(rates));
  EXPECT_EQ(heap.count(), 0);
}

// A force that takes half of the acceleration back acts like mass: a = F/(m + ½).
TEST(Feedback, OfAnAccelerationIsAddedMass) {
  const auto m = compile(R"(
mortise: 1
dimension: planar
bodies: {bead: {type: particle, mass: 2}}
forces:
  push: {type: force, body: bead, value: [3, 1]}
  added: {type: force, body: bead, value: [-0.5*bead.ax, -7*bead.ay]}
)");
  FrictionSolver solver(*m);
  State state = m->initial_state();
  solver.motion.accelerate(state, solver.solution);
  EXPECT_NEAR(solver.solution.a[0], 3 / 2.5, 1e-15);
  EXPECT_NEAR(solver.solution.a[1], 1 / 9.0, 1e-15);
}

// Two mutually dependent loads by two reactions of a loop, smooth but not linear: what the forces say they do is what
// their formulas give for the reactions reported.
TEST(Feedback, IsSolvedToRounding) {
  const auto m = compile(R"yaml(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, inertia: 0.02, center: [0.2, 0], angular_velocity: 3}
  rod: {mass: 2, inertia: 0.3, at: [0.4, 0], center: [0.5, 0], points: {C: [0.5, 0]}}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0]}
  B: {type: revolute, between: [crank, rod], at: [0.4, 0]}
forces:
  p: {type: force, body: rod.C, value: ["0.2*abs(A.reaction.fx)", "0.1*hypot(B.reaction.fx, B.reaction.fy)"]}
  q: {type: torque, body: crank, value: -0.05*sqrt(1 + A.reaction.fy^2) + 0.01*p.fy}
  rub: {type: friction, joint: B, coefficient: 0.2, radius: 0.05}
)yaml");
  FrictionSolver solver(*m);
  analysis::Observer observer(*m, solver.motion, true);
  analysis::Frame frame;
  observer.resize(frame);
  State state = m->initial_state();
  observer.observe(state, frame);
  const auto value = [&](const char* name) {
    return analysis::find_quantity(*m, name).value(frame, observer.motions());
  };
  const double bx = value("B.reaction.fx"), by = value("B.reaction.fy");
  const Vector& Q = solver.motion.evaluation().problem.Q;
  const double px = 0.2 * std::abs(value("A.reaction.fx")), py = 0.1 * std::hypot(bx, by);
  const double torque = -0.05 * std::hypot(1, value("A.reaction.fy")) + 0.01 * py;
  const double rub = 0.2 * 0.05 * std::hypot(bx, by) * std::tanh(0.05 * value("B.rate") / 1e-3);
  EXPECT_NEAR(Q[3], px, 1e-12);
  EXPECT_NEAR(Q[4], py - 2 * 9.81, 1e-12);
  EXPECT_NEAR(Q[2], torque + rub, 1e-12);  // on the crank, the first body of B
  EXPECT_NEAR(value("q.torque"), torque, 1e-12);
  EXPECT_NEAR(value("rub.torque"), -rub, 1e-12);
}

}  // namespace
}  // namespace mortise::test
