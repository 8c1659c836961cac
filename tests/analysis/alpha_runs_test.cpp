// Whole runs by generalized-alpha: events, redundant rows, rolling, change points, other coordinates, flexible chains.
// Its order, roots and refusals are in tests/integrate/alpha_test.cpp.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "mortise/analysis/methods.h"
#include "support/examples.h"

namespace mortise::test {
namespace {

Settings alpha(double h, const char* level = "position", double rho = 0.8) {
  return {fmt::format("analysis.integrator={{type: generalized-alpha, level: {}, rho: {}}}", level, rho),
          fmt::format("analysis.step={}", h)};
}

Settings operator+(Settings a, const Settings& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const std::string both_levels[] = {"position", "velocity"};

// A pendulum that is caught, let go and meets a stop, a ball that bounces, skids and rolls, a rope that breaks.
const char* const many_events = R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.083, at: [0.5, 0]}
  ball: {mass: 0.5, inertia: 0.002, at: [2, 0.3], velocity: [1, 0]}
  bob: {mass: 1, inertia: 0.02, at: [-1, 0]}
joints:
  hinge: {type: revolute, between: [ground, arm], at: [0, 0]}
  rope: {type: distance, between: [ground, bob], points: [[-2, 0], [0, 0]]}
drivers:
  brake: {type: rotation, joint: hinge, function: 0, active: false}
events:
  stop: {type: limit, joint: hinge, minimum: -2, restitution: 0.4}
  caught: {type: lock, joints: brake, at: 0.9}
  freed: {type: unlock, joints: brake, at: 1.1}
  floor: {type: contact, between: [ground, ball], normal: [0, 1], radius: 0.1, restitution: 0.4, coefficient: 0.1}
  snap: {type: break, joints: rope, force: 25}
analysis: {until: 1.4, tolerance: 1e-10}
output: {every: 0.05}
)";

// The same events in the same order; the largest distance of their times.
double events_apart(const Recording& a, const Recording& b) {
  EXPECT_EQ(a.result.events.size(), b.result.events.size());
  double worst = 0;
  for (std::size_t k = 0; k < std::min(a.result.events.size(), b.result.events.size()); ++k) {
    EXPECT_EQ(a.result.events[k].what, b.result.events[k].what) << k;
    EXPECT_EQ(a.result.events[k].joints, b.result.events[k].joints) << k;
    worst = std::max(worst, std::abs(a.result.events[k].t - b.result.events[k].t));
  }
  return worst;
}

TEST(AlphaRuns, HaveTheEventsOfAdamsAtTheirTimesToSecondOrder) {
  const Recording wanted = run_text(many_events);
  ASSERT_GE(wanted.result.events.size(), 10u);
  for (const std::string& level : both_levels) {
    std::vector<double> times;
    for (const double h : {2e-3, 1e-3, 5e-4}) {
      const Recording r = run_text(many_events, alpha(h, level.c_str()));
      times.push_back(events_apart(r, wanted));
      double state = 0;
      for (const char* q : {"arm.angle", "ball.x", "ball.vx", "bob.y"})
        state = std::max(state, std::abs(r.last(q) - wanted.last(q)));
      std::printf("%s, h = %g: %zu events, times off by %.1e s, end by %.1e\n", level.c_str(), h,
                  r.result.events.size(), times.back(), state);
      EXPECT_LT(state, 100 * h * h) << level;
    }
    EXPECT_LT(times[0], 1e-4) << level;
    EXPECT_LT(times[2], 0.25 * times[0]) << level;
  }
}

TEST(AlphaRuns, FindWhereSlipEndsAndWhereTheWheelLiesStill) {
  const Recording disc = run_example("slip-to-roll", alpha(5e-4));
  ASSERT_EQ(disc.result.events.size(), 1u);
  EXPECT_EQ(disc.result.events[0].what, "sticks");
  EXPECT_NEAR(disc.result.events[0].t, 0.10003717, 1e-6);
  EXPECT_NEAR(disc.last("crank.angle"), 2.04930928, 1e-5);
  EXPECT_NEAR(disc.last("disc.vx") + 0.1 * disc.last("disc.wz"), 0, 1e-12);

  const Recording wheel = run_example("skidding-wheel", alpha(1e-3)), wanted = run_example("skidding-wheel");
  EXPECT_LT(events_apart(wheel, wanted), 1e-6);
  EXPECT_NEAR(wheel.last("wheel.vx"), 2, 1e-9);
}

// Ten of the 33 rows follow from the others; speeds grow in proportion to time.
TEST(AlphaRuns, DriveTheGearTrainThroughItsRedundantRows) {
  for (const std::string& level : both_levels) {
    double off[2] = {};
    for (const int k : {0, 1}) {
      const Recording r = run_example(
          "gear-train", alpha(k == 0 ? 4e-3 : 2e-3, level.c_str()) + Settings{"analysis.until=3", "output.every=1"});
      EXPECT_LT(r.result.rank.rank, r.result.rank.rows);
      off[k] = std::max({std::abs(r.last("motor.wz") - 60), std::abs(r.last("carrier.wz") + 7.5),
                         std::abs(r.last("planet.wz") - 15)});
      EXPECT_NEAR(r.last("spur.reaction.tz"), -0.8, 1e-9);
      for (const analysis::Frame& f : r.frames) EXPECT_LT(f.position_error, 1e-11);
    }
    std::printf("gear train, %s: speeds off by %.1e and %.1e rad/s\n", level.c_str(), off[0], off[1]);
    EXPECT_LT(off[1], 3e-4) << level;
    EXPECT_LT(off[1], 0.3 * off[0]) << level;
  }
}

// Rows of rolling hold velocities at either level: closed form of the track.
TEST(AlphaRuns, RollABallAlongItsTrackToSecondOrder) {
  for (const std::string& level : both_levels) {
    std::vector<double> errors;
    for (const double h : {0.02, 0.01, 0.005}) {
      const Recording r = run_example("rolling-ball", alpha(h, level.c_str()) + Settings{"output.every=1"});
      errors.push_back(std::max({std::abs(r.at("ball.x", 2) - 2.4098716), std::abs(r.at("ball.x", 5) - 5.8750634),
                                 std::abs(r.at("ball.x", 10) - 11.7144536)}));
      for (const analysis::Frame& f : r.frames) EXPECT_LT(f.velocity_error, 1e-10);
    }
    std::printf("rolling ball, %s: %.1e %.1e %.1e\n", level.c_str(), errors[0], errors[1], errors[2]);
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.2) << level;
    EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.2) << level;
  }
}

TEST(AlphaRuns, PassChangePointsAlongTheBranchTheyAreOn) {
  const Recording four = run_example("change-point-four-bar", alpha(5e-4));
  std::printf("change point: angle off by %.1e, speed by %.1e\n", std::abs(four.last("crank.angle") - 6.47403432),
              std::abs(four.last("rocker.wz") + 1.59023807));
  EXPECT_NEAR(four.last("crank.angle"), 6.47403432, 1e-3);
  EXPECT_NEAR(four.last("rocker.wz"), -1.59023807, 1e-3);
  EXPECT_LT(four.result.summary.worst_position, 1e-9);
  const Recording five = run_example("five-bar-crossing", alpha(2e-3) + Settings{"analysis.until=5", "output.every=5"});
  EXPECT_NEAR(five.last("left.angle"), 0.42454152, 1e-3);
  EXPECT_NEAR(five.last("coupler.angle"), 0, 1e-9);
}

// Rows of velocities lose their rank near the pose, not at it: that level ends there, and says what to do.
TEST(AlphaRuns, AtVelocityLevelEndAtAChangePointAndNameTheOtherLevel) {
  try {
    run_example("change-point-four-bar", alpha(1e-3, "velocity"));
    FAIL() << "passed";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S498");
    EXPECT_NEAR(error.report().time, 0.8635, 0.01);
    EXPECT_NE(error.report().advice.find("level: position"), std::string::npos) << error.report().advice;
  }
}

TEST(AlphaRuns, AreTheSameMotionInTreeAndNaturalCoordinates) {
  struct Case {
    const char* model;
    std::vector<const char*> quantities;
    const char* until;
    double h;
  };
  for (const Case& c : {Case{"five-bar", {"left.angle", "coupler.x"}, "2", 2e-3},
                        Case{"bricard", {"rod3.end.x", "rod3.end.z"}, "1", 2e-3},
                        Case{"vehicle-drop", {"chassis.z", "fl_wheel.z", "rl_wheel.z"}, "0.6", 1e-3},
                        Case{"triple-pendulum", {"bar1.z", "bar3.z"}, "0.5", 1e-3}}) {
    const Settings until{std::string("analysis.until=") + c.until, "output.every=0.1"};
    const Recording wanted =
        run_example(c.model, until + Settings{"analysis.coordinates=absolute", "analysis.tolerance=1e-10"});
    for (const char* coordinates : {"absolute", "tree", "natural"}) {
      double off[2] = {};
      for (const int k : {0, 1}) {
        const Settings settings =
            until + alpha(k == 0 ? c.h : c.h / 2) + Settings{std::string("analysis.coordinates=") + coordinates};
        const auto m = example_mechanism(c.model, settings);
        analysis::check_settings(m->model().analysis);  // as the command line does
        const Recording r = run_example(c.model, settings);
        for (const char* q : c.quantities) off[k] = std::max(off[k], std::abs(r.last(q) - wanted.last(q)));
      }
      std::printf("%-16s %-9s off by %.1e and %.1e\n", c.model, coordinates, off[0], off[1]);
      EXPECT_LT(off[0], 1e-3) << c.model << " " << coordinates;
      EXPECT_LT(off[1], 0.4 * off[0] + 1e-9) << c.model << " " << coordinates;
    }
  }
}

// A clamped beam as sixteen bars with springs of bending between them: it swings with 12.16 rad/s (beam theory: 12.18),
// and its fastest motions fade with 7.3e4 1/s, 290 times in a step of 4 ms (`--set analysis.type=modes`).
const char* const beam = R"(mortise: 1
name: Flexible arm
dimension: planar
gravity: [0, -9.81]
parameters: {N: 16, L: 1/N, m: 1/N, k: 12*N, c: 0.002*k}
bodies:
  bar$i: {repeat: {i: N}, mass: m, inertia: m*L^2/12, at: [(i + 1/2)*L, 0], points: {tip: [L/2, 0]}}
joints:
  pin0: {type: revolute, between: [ground, bar0], at: [0, 0]}
  pin$(i+1): {repeat: {i: N-1}, type: revolute, between: [bar$i, bar$(i+1)], at: [(i+1)*L, 0]}
forces:
  root: {type: torsional-spring-damper-actuator, joint: pin0, stiffness: 2*k, damping: c, angle: 0}
  bend$(i+1): {repeat: {i: N-1}, type: torsional-spring-damper-actuator, joint: pin$(i+1), stiffness: k, damping: c, angle: 0}
analysis: {until: 1, tolerance: 1e-9}
output: {every: 0.05}
)";

TEST(AlphaRuns, SwingAFlexibleArmThatAdamsMustFollowThroughItsFastVibrations) {
  const Recording wanted = run_text(beam);
  for (const std::string& level : both_levels) {
    double off[2] = {};
    for (const int k : {0, 1}) {
      const Recording r = run_text(beam, alpha(k == 0 ? 4e-3 : 2e-3, level.c_str(), 0.6));
      const auto a = r.history("bar15.tip.y"), b = wanted.history("bar15.tip.y");
      for (std::size_t i = 0; i < a.size(); ++i) off[k] = std::max(off[k], std::abs(a[i] - b[i]));
      std::printf("flexible arm, %s: off by %.1e m, %ld evaluations; adams %ld\n", level.c_str(), off[k],
                  r.result.summary.evaluations, wanted.result.summary.evaluations);
      EXPECT_LT(10 * r.result.summary.evaluations, wanted.result.summary.evaluations);
    }
    EXPECT_LT(off[1], 2e-3);
    EXPECT_LT(off[1], 0.4 * off[0]);
  }
}

// Four parallel hinges in space, three rows too many, and a spring at one of them a thousand times stiffer than needed.
const char* const stiff_loop = R"(mortise: 1
dimension: spatial
gravity: [0, -9.81, 0]
bodies:
  left: {mass: 1, inertia: [0.1, 0.01, 0.1], at: [0, 0.5, 0]}
  right: {mass: 1, inertia: [0.1, 0.01, 0.1], at: [1, 0.5, 0]}
  top: {mass: 2, inertia: [0.01, 0.2, 0.2], at: [0.5, 1, 0], velocity: [1, 0, 0]}
  mast: {mass: 0.2, inertia: [0.002, 0.0001, 0.002], at: [0.5, 1.2, 0]}
joints:
  A: {type: revolute, between: [ground, left], at: [0, 0, 0], axis: [0, 0, 1]}
  B: {type: revolute, between: [left, top], at: [0, 1, 0], axis: [0, 0, 1]}
  C: {type: revolute, between: [top, right], at: [1, 1, 0], axis: [0, 0, 1]}
  D: {type: revolute, between: [ground, right], at: [1, 0, 0], axis: [0, 0, 1]}
  foot: {type: revolute, between: [top, mast], at: [0.5, 1, 0], axis: [0, 0, 1]}
forces:
  stay: {type: torsional-spring-damper-actuator, joint: foot, stiffness: 2e4, damping: 20, angle: 0}
analysis: {until: 0.5, tolerance: 1e-10}
output: {every: 0.1}
)";

TEST(AlphaRuns, HoldRedundantRowsBesideAStiffSpring) {
  const Recording wanted = run_text(stiff_loop);
  EXPECT_LT(wanted.result.rank.rank, wanted.result.rank.rows);
  for (const std::string& level : both_levels) {
    double off[2] = {};
    for (const int k : {0, 1}) {
      const Recording r = run_text(stiff_loop, alpha(k == 0 ? 4e-3 : 2e-3, level.c_str(), 0.6));
      for (const char* q : {"left.x", "top.x", "top.y"})
        off[k] = std::max(off[k], std::abs(r.last(q) - wanted.last(q)));
      EXPECT_NEAR(r.last("A.reaction.fy"), wanted.last("A.reaction.fy"), 0.05) << level;
      EXPECT_LT(level == "position" ? r.result.summary.worst_position : r.result.summary.worst_velocity, 1e-11);
    }
    std::printf("stiff loop, %s: off by %.1e and %.1e\n", level.c_str(), off[0], off[1]);
    EXPECT_LT(off[1], 1e-5) << level;
    EXPECT_LT(off[1], 0.4 * off[0]) << level;
  }
}

}  // namespace
}  // namespace mortise::test
