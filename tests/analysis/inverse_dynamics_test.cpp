// Inverse dynamics: efforts against closed forms; fed back as torques they give the motion again; shares of motors that
// work together.
#include "mortise/analysis/inverse_dynamics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mortise/analysis/efforts.h"
#include "support/examples.h"

namespace mortise::test {
namespace {

// θ = 0.5 sin 3t from the horizontal: T = (I + m l²/4) θ̈ + m g (l/2) cos θ, and the driver's reaction is the same
// torque.
TEST(InverseDynamics, GivesTheTorqueOfADrivenPendulum) {
  const Recording r = run_text(R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  arm: {mass: 2, inertia: 0.3, at: [0, 0], center: [0.5, 0]}
joints:
  A: {type: revolute, between: [ground, arm], at: [0, 0]}
drivers:
  motor: {type: rotation, joint: A, function: 0.5*sin(3*t)}
analysis: {type: inverse-dynamics, until: 2}
output: {every: 0.02, quantities: [motor.effort]}
)");
  double error = 0;
  for (const analysis::Frame& f : r.frames) {
    const double theta = 0.5 * std::sin(3 * f.t), second = -4.5 * std::sin(3 * f.t);
    const double torque = (0.3 + 2 * 0.25) * second + 2 * 9.81 * 0.5 * std::cos(theta);
    error = std::max(error, std::abs(r.at("motor.effort", f.t) - torque));
    EXPECT_NEAR(r.at("motor.effort", f.t), r.at("motor.reaction.tz", f.t), 1e-12);
    EXPECT_NEAR(f.quantities[0], torque, 1e-10);
  }
  report("driven pendulum", r, error);
  EXPECT_LT(error, 1e-11);
}

// A distance that is pushed apart by its driver: a vertical lift, F = m (f̈ + g); a slider and a coordinate likewise.
TEST(InverseDynamics, GivesForcesOfDriversAlongWhatTheyDrive) {
  for (const char* driver :
       {"{type: distance, between: [ground, box], function: 1 + 0.2*t^2}",
        "{type: coordinate, body: box, coordinate: y, function: 1 + 0.2*t^2}",
        "{type: translation, joint: guide, function: 0.2*t^2}", "{type: speed, joint: guide, function: 0.4*t}"}) {
    SCOPED_TRACE(driver);
    const Recording r = run_text(fmt::format(R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  box: {{mass: 3, inertia: 1, at: [0, 1]}}
joints:
  guide: {{type: prismatic, between: [ground, box], axis: [0, 1]}}
drivers:
  lift: {}
analysis: {{type: inverse-dynamics, until: 1}}
output: {{every: 0.1}}
)",
                                             driver));
    EXPECT_NEAR(r.at("lift.effort", 0.5), 3 * (0.4 + 9.81), 1e-9);
  }
}

// Spatial, the second body being the ground: an axis of the first, the effort turns the ground forward and the arm
// back.
TEST(InverseDynamics, CountsEffortsAlongTheDrivenCoordinateInSpaceToo) {
  const std::string text = R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 2, inertia: [0.1, 0.3, 0.3], at: [0, 0, 0], center: [0.5, 0, 0]}
joints:
  A: {type: revolute, between: BETWEEN, at: [0, 0, 0], axis: [0, -1, 0]}
drivers:
  motor: {type: rotation, joint: A, function: 0.3*t^2}
analysis: {type: inverse-dynamics, until: 1}
output: {every: 0.5}
)";
  const auto with = [&](const char* between) {
    std::string copy = text;
    copy.replace(copy.find("BETWEEN"), 7, between);
    return run_text(copy).at("motor.effort", 1);
  };
  // About −y the arm rises as the angle grows: (0.3 + 2·0.25)·0.6 + 2·9.81·0.5·cos 0.3.
  EXPECT_NEAR(with("[ground, arm]"), 0.8 * 0.6 + 9.81 * std::cos(0.3), 1e-10);
  // The ground turns by 0.3 t² against the arm, so the arm by −0.3 t².
  EXPECT_NEAR(with("[arm, ground]"), -(0.8 * -0.6 + 9.81 * std::cos(0.3)), 1e-10);
}

std::string table_of(const Recording& r, const std::string& quantity) {
  std::string x, y;
  for (const analysis::Frame& f : r.frames) {
    x += fmt::format("{}{:.17g}", x.empty() ? "" : ", ", f.t);
    y += fmt::format("{}{:.17g}", y.empty() ? "" : ", ", r.at(quantity, f.t));
  }
  return fmt::format("{{x: [{}], y: [{}]}}", x, y);
}

std::string driven_five_bar(const std::string& tables, const std::string& actuators, const std::string& analysis) {
  return R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
parameters: {start: -40 deg}
bodies:
  left:    {mass: 1, inertia: 0.1, at: [-1, 0], center: [0.5, 0], angle: start, points: {end: [1, 0]}, angular_velocity: 0.6}
  middle:  {mass: 1, inertia: 0.1, at: [0, 0], center: [0.5, 0], angle: start, points: {end: [1, 0]}, angular_velocity: 0.6}
  right:   {mass: 1, inertia: 0.1, at: [1, 0], center: [0.5, 0], angle: start, points: {end: [1, 0]}, angular_velocity: 0.6}
  coupler: {mass: 2, inertia: 0.2, at: [cos(start), sin(start)], points: {first: [-1, 0], last: [1, 0]}}
joints:
  A: {type: revolute, between: [ground, left], at: [-1, 0]}
  B: {type: revolute, between: [ground, middle], at: [0, 0]}
  C: {type: revolute, between: [ground, right], at: [1, 0]}
  D: {type: revolute, between: [left.end, coupler.first]}
  E: {type: revolute, between: [middle.end, coupler]}
  F: {type: revolute, between: [right.end, coupler.last]}
)" + tables +
         actuators + analysis;
}

// The efforts as torques, through a C² spline of 801 points: the motion comes back to the tolerance of the integrator.
// The loop is closed and one of its rows redundant.
TEST(InverseDynamics, GivesTorquesThatReproduceTheMotionOfARedundantLoop) {
  const Recording driven =
      run_text(driven_five_bar("", "drivers:\n  motor: {type: rotation, joint: A, function: start + 0.3*sin(2*t)}\n",
                               "analysis: {type: inverse-dynamics, until: 4}\noutput: {every: 0.005}\n"));
  EXPECT_EQ(driven.result.rank.redundant(), 1);
  const Recording free = run_text(driven_five_bar("tables:\n  T: " + table_of(driven, "motor.effort") + "\n",
                                                  "forces:\n  motor: {type: torque, body: left, value: T(t)}\n",
                                                  "analysis: {until: 4, tolerance: 1e-11}\noutput: {every: 0.1}\n"));
  double error = 0;
  for (const analysis::Frame& f : free.frames)
    error = std::max(error, std::abs(free.at("right.angle", f.t) - (-40 * M_PI / 180 + 0.3 * std::sin(2 * f.t))));
  report("five-bar by its own torques", free, error);
  EXPECT_LT(error, 1e-8);
}

// Three windows with one motor, in space: three redundant rows a window.
TEST(InverseDynamics, GivesTorquesThatReproduceTheMotionOfManySpatialLoops) {
  const Settings common{"N=3", "speed=-0.4", "analysis.until=2"};
  const auto with = [&](Settings more) {
    more.insert(more.end(), common.begin(), common.end());
    return run_example("n-four-bar-spatial", more);
  };
  const auto error_of = [](const Recording& r) {
    double error = 0;
    for (const analysis::Frame& f : r.frames)
      for (const char* joint : {"foot0.angle", "foot3.angle"})
        error = std::max(error, std::abs(r.at(joint, f.t) - 0.2 * std::sin(2 * f.t)));
    return error;
  };
  const Recording driven = with({"analysis.type=inverse-dynamics", "output.every=0.005",
                                 "drivers={motor: {type: rotation, joint: foot0, function: 0.2*sin(2*t)}}"});
  EXPECT_EQ(driven.result.rank.redundant(), 9);
  EXPECT_LT(error_of(driven), 1e-12);
  const Recording free =
      with({"tables={T: " + table_of(driven, "motor.effort") + "}", "analysis.tolerance=1e-11", "output.every=0.1",
            "forces={motor: {type: torsional-spring-damper-actuator, joint: foot0, torque: -T(t)}}"});
  report("windows by their own torques", free, error_of(free));
  EXPECT_LT(error_of(free), 1e-8);
}

// Two motors of one motion: of T = 3.05 θ̈ + 3.5 g cos θ a motor gives w²/Σw².
TEST(InverseDynamics, SharesTheEffortOfMotorsByTheirWeights) {
  struct Case {
    Settings settings;
    double left;
  };
  for (const Case& c : {Case{{}, 0.2}, Case{{"analysis.weights={left-motor: 1, right-motor: 1}"}, 0.5},
                        Case{{"analysis.weights={left-motor: 3, right-motor: 1}"}, 0.9}}) {
    const Recording r = run_example("inverse-dynamics-five-bar", c.settings);
    double error = 0;
    for (const analysis::Frame& f : r.frames) {
      const double theta = -40 * M_PI / 180 + 0.3 * std::sin(2 * f.t), second = -1.2 * std::sin(2 * f.t);
      const double torque = 3.05 * second + 3.5 * 9.81 * std::cos(theta);
      error = std::max({error, std::abs(r.at("left-motor.effort", f.t) - c.left * torque),
                        std::abs(r.at("right-motor.effort", f.t) - (1 - c.left) * torque)});
    }
    report("two motors", r, error);
    EXPECT_LT(error, 1e-9);
    ASSERT_EQ(r.result.remarks.size(), 1u);
    EXPECT_NE(r.result.remarks[0].find("1 combination of efforts moves nothing"), std::string::npos);
  }
  EXPECT_NEAR(run_example("inverse-dynamics-five-bar").at("left-motor.effort", 0.5), 27.90114197 / 5, 1e-7);
}

// A cart is driven, the pendulum on it is not: it swings as dynamics says, and the force is what the cart's driver
// feels there.
TEST(InverseDynamics, LeavesWhatIsNotDrivenToDynamics) {
  const std::string text = R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  cart: {mass: 2, inertia: 1, at: [0, 0]}
  bob: {mass: 1, inertia: 0.05, at: [0, 0], center: [0, -0.5], angle: 0.2, points: {c: [0, -0.5]}}
joints:
  guide: {type: prismatic, between: [ground, cart], axis: [1, 0]}
  A: {type: revolute, between: [cart, bob], at: [0, 0]}
drivers:
  pull: {type: translation, joint: guide, function: 0.1*sin(4*t)}
analysis: {until: 2}
output: {every: 0.1}
)";
  const Recording inverse = run_text(text, {"analysis.type=inverse-dynamics"}), dynamics = run_text(text);
  double error = 0;
  for (const analysis::Frame& f : dynamics.frames)
    error = std::max({error, std::abs(inverse.at("pull.effort", f.t) - dynamics.at("pull.reaction.fx", f.t)),
                      std::abs(inverse.at("bob.angle", f.t) - dynamics.at("bob.angle", f.t))});
  EXPECT_LT(error, 1e-10);
  EXPECT_GT(dynamics.spread("bob.angle"), 0.1);
  ASSERT_EQ(inverse.result.remarks.size(), 1u);
  // Newton for the whole: F = Σ m a_x, the bob's at its centre of mass.
  const double force = 2 * inverse.at("cart.ax", 1) + inverse.at("bob.c.ax", 1);
  EXPECT_NEAR(inverse.at("pull.effort", 1), force, 1e-10);
}

// The driver alone says how a bar without mass turns: without it nothing does.
TEST(InverseDynamics, RefusesMotionsThatOnlyDriversHold) {
  const std::string text = R"(
mortise: 1
dimension: planar
bodies:
  arm: {mass: 0, inertia: 0, at: [0.5, 0]}
joints:
  A: {type: revolute, between: [ground, arm], at: [0, 0]}
drivers:
  motor: {type: rotation, joint: A, function: t}
analysis: {type: inverse-dynamics, until: 1, formulation: direct}
)";
  try {
    run_text(text);
    FAIL() << "was not refused";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S471");
    EXPECT_EQ(error.report().advice, "give mass to every body that drivers hold");
  }
}

TEST(InverseDynamics, NamesWrongWeightsAndMissingDrivers) {
  const auto code = [](const std::string& example, const Settings& settings) {
    try {
      run_example(example, settings);
    } catch (const ModelError& error) {
      return error.diagnostics().front();
    }
    return Diagnostic{};
  };
  const Diagnostic weight = code("inverse-dynamics-five-bar", {"analysis.weights={left-moter: 1}"});
  EXPECT_EQ(weight.code, "M470");
  EXPECT_EQ(weight.hint, "did you mean 'left-motor'?");
  EXPECT_TRUE(weight.place.known());
  EXPECT_EQ(code("five-bar", {"analysis.type=inverse-dynamics"}).code, "M471");
  EXPECT_EQ(code("inverse-dynamics-five-bar", {"analysis.weights={left-motor: -1}"}).code, "M308");
}

}  // namespace
}  // namespace mortise::test
