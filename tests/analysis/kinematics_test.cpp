// Kinematics: the motion that joints and drivers dictate, against dynamics, closed forms and differences; what is
// driven too little or too much is told by name.
#include "mortise/analysis/kinematics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "support/examples.h"

namespace mortise::test {
namespace {

double largest_of(const Vector& x) { return x.size() ? x.cwiseAbs().maxCoeff() : 0; }

SolveReport failure(const std::string& text, const Settings& settings = {}) {
  try {
    run_text(text, settings);
  } catch (const SolveError& error) {
    return error.report();
  }
  ADD_FAILURE() << "it ran";
  return {};
}

std::string joined(const SolveReport& report) {
  std::string text = report.message;
  for (const std::string& detail : report.details) text += "\n" + detail;
  return text + "\n" + report.advice;
}

// Both know positions to rounding, so accelerations differ by rounding only; scaled by the largest of the run.
TEST(Kinematics, GivesTheAccelerationsOfDynamicsWithTheSameDrivers) {
  struct Case {
    const char* example;
    Settings settings;
  };
  for (const Case& c :
       {Case{"slider-crank", {"analysis.until=0.5"}}, Case{"stewart-platform", {"analysis.until=1"}},
        Case{"geneva-cam", {"analysis.until=1"}}, Case{"kinematics-four-bar", {}},
        Case{"kinematics-five-bar", {"analysis.until=2"}}, Case{"inverse-dynamics-five-bar", {"analysis.until=1"}}}) {
    SCOPED_TRACE(c.example);
    Settings driven = c.settings, free = c.settings;
    driven.push_back("analysis.type=kinematics");
    free.push_back("analysis.type=dynamics");
    const Recording k = run_example(c.example, driven), d = run_example(c.example, free);
    ASSERT_EQ(k.frames.size(), d.frames.size());
    double positions = 0, velocities = 0, accelerations = 0, v = 0, a = 0;
    for (std::size_t i = 0; i < k.frames.size(); ++i) {
      positions = std::max(positions, largest_of(k.frames[i].q - d.frames[i].q));
      velocities = std::max(velocities, largest_of(k.frames[i].v - d.frames[i].v));
      accelerations = std::max(accelerations, largest_of(k.frames[i].a - d.frames[i].a));
      v = std::max(v, largest_of(d.frames[i].v));
      a = std::max(a, largest_of(d.frames[i].a));
    }
    report(c.example, k, accelerations / a);
    EXPECT_LT(positions, 1e-12);
    EXPECT_LT(velocities / v, 1e-11);
    EXPECT_LT(accelerations / a, 1e-10);
  }
}

// E1 of the sheet: θ̈ = (0, 26.0800166, 53.3305883).
TEST(Kinematics, OfTheFourBarIsThatOfTheTextbook) {
  const Recording r = run_example("kinematics-four-bar");
  EXPECT_NEAR(r.at("coupler.angle", 0), 88.83724130 * M_PI / 180, 1e-9);
  EXPECT_NEAR(r.at("rocker.angle", 0), 117.28606786 * M_PI / 180, 1e-9);
  EXPECT_NEAR(r.at("coupler.wz", 0), -5.99096572, 1e-8);
  EXPECT_NEAR(r.at("rocker.wz", 0), -3.99173479, 1e-8);
  EXPECT_NEAR(r.at("crank.alphaz", 0), 0, 1e-10);
  EXPECT_NEAR(r.at("coupler.alphaz", 0), 26.0800166, 1e-6);
  EXPECT_NEAR(r.at("rocker.alphaz", 0), 53.3305883, 1e-6);
  // After a full turn of the crank everything is where it was.
  EXPECT_NEAR(r.last("rocker.angle"), r.at("rocker.angle", 0), 1e-12);
  EXPECT_NEAR(r.last("coupler.alphaz"), r.at("coupler.alphaz", 0), 1e-9);
}

// E2: every link turns by 2π sin t, at all poses; the rows that are redundant change on the way.
TEST(Kinematics, OfTheFiveBarFollowsItsDriverToRounding) {
  const Recording r = run_example("kinematics-five-bar");
  double angle = 0, rate = 0, second = 0;
  for (const analysis::Frame& f : r.frames) {
    for (const char* link : {"middle", "right"}) {
      angle = std::max(angle, std::abs(r.at(std::string(link) + ".angle", f.t) - 2 * M_PI * std::sin(f.t)));
      rate = std::max(rate, std::abs(r.at(std::string(link) + ".wz", f.t) - 2 * M_PI * std::cos(f.t)));
      second = std::max(second, std::abs(r.at(std::string(link) + ".alphaz", f.t) + 2 * M_PI * std::sin(f.t)));
    }
  }
  report("five-bar, driven", r, angle);
  EXPECT_LT(angle, 1e-13);
  EXPECT_LT(rate, 1e-12);
  EXPECT_LT(second, 1e-10);
  EXPECT_EQ(r.result.rank.rank, 12);
  EXPECT_EQ(r.result.rank.rows, 14);
}

// v = V ḟ and a = V f̈ + γ, with two drivers of a five-bar linkage; V against differences of the velocities by the
// rates.
TEST(Kinematics, MapsTheRatesOfDriversToVelocitiesAndAccelerations) {
  const std::string text = R"(
mortise: 1
dimension: planar
parameters: {w1: 2, w2: -1}
bodies:
  a: {mass: 1, inertia: 1, at: [0, 0], angle: 120 deg, points: {end: [1, 0]}}
  b: {mass: 1, inertia: 1, at: [-0.5, 0.87], angle: 40 deg, points: {end: [1.5, 0]}}
  c: {mass: 1, inertia: 1, at: [1.7, 0.87], angle: 140 deg, points: {end: [1.5, 0]}}
  d: {mass: 1, inertia: 1, at: [1.2, 0], angle: 60 deg, points: {end: [1, 0]}}
joints:
  A: {type: revolute, between: [ground, a], at: [0, 0]}
  B: {type: revolute, between: [a.end, b]}
  C: {type: revolute, between: [b.end, c.end]}
  D: {type: revolute, between: [d.end, c]}
  E: {type: revolute, between: [ground, d], at: [1.2, 0]}
drivers:
  left: {type: rotation, joint: A, function: 120 deg + w1*t + 0.7*t^2}
  right: {type: rotation, joint: E, function: 60 deg + w2*t - 0.4*t^2}
analysis: {type: kinematics, until: 0.1}
)";
  const auto m = text_mechanism(text);
  State state = m->initial_state();
  analysis::assemble(*m, state, {});
  analysis::Kinematics kinematics(*m, {});
  kinematics.start(state);
  Vector a;
  kinematics.accelerate(state, a);
  const analysis::DriverMaps maps = analysis::driver_maps(*m, state, {});
  ASSERT_EQ(maps.rows.size(), 2u);
  EXPECT_NEAR(maps.rates[0], 2, 1e-14);
  EXPECT_NEAR(maps.second[1], -0.8, 1e-14);
  EXPECT_LT(largest_of(maps.V * maps.rates - state.v), 1e-13);
  EXPECT_LT(largest_of(maps.V * maps.second + maps.gamma - a), 1e-12);
  for (int k = 0; k < 2; ++k) {
    const auto faster = text_mechanism(text, {k == 0 ? "w1=3" : "w2=0"});
    State there = faster->initial_state();
    analysis::assemble(*faster, there, {});
    EXPECT_LT(largest_of(there.v - state.v - maps.V.col(k)), 1e-12) << "velocities are linear in the rates";
  }
}

const char* const crank_and_disc = R"(
mortise: 1
dimension: planar
bodies:
  disc: {mass: 1, inertia: 1, at: [0, 0.3]}
joints:
  roll: {type: rolling-line, between: [ground, disc], points: [[0, 0], [0, 0]], axis: [1, 0], radius: 0.3}
drivers:
  push: {type: speed, joint: roll, of: angle, function: 2*t}
analysis: {type: kinematics, until: 2}
output: {every: 0.5}
)";

// Rates alone are prescribed: θ̇ = 2t, so θ = t², and the disc has rolled by 0.3 t². To the integrator's tolerance.
TEST(Kinematics, IntegratesWhereOnlyRatesArePrescribed) {
  const Recording r = run_text(crank_and_disc);
  EXPECT_NEAR(std::abs(r.at("disc.angle", 2)), 4, 1e-6);
  EXPECT_NEAR(std::abs(r.at("disc.x", 2)), 1.2, 1e-6);
  EXPECT_NEAR(std::abs(r.at("disc.ax", 2)), 0.6, 1e-12);
}

TEST(Kinematics, NamesTheMotionsThatNothingDrives) {
  const SolveReport none = failure(R"(
mortise: 1
dimension: planar
bodies:
  arm: {mass: 1, inertia: 1, at: [0, 0], points: {end: [1, 0]}}
  sled: {mass: 1, inertia: 1, at: [0, 2]}
joints:
  A: {type: revolute, between: [ground, arm], at: [0, 0]}
  guide: {type: prismatic, between: [ground, sled], axis: [1, 0]}
analysis: {type: kinematics}
)");
  EXPECT_EQ(none.code, "S425");
  EXPECT_NE(joined(none).find("2 motions are neither driven nor held"), std::string::npos) << joined(none);
  EXPECT_NE(joined(none).find("no driver"), std::string::npos) << joined(none);
  const SolveReport one = failure(R"(
mortise: 1
dimension: planar
bodies:
  arm: {mass: 1, inertia: 1, at: [0, 0], points: {end: [1, 0]}}
  sled: {mass: 1, inertia: 1, at: [0, 2]}
joints:
  A: {type: revolute, between: [ground, arm], at: [0, 0]}
  guide: {type: prismatic, between: [ground, sled], axis: [1, 0]}
drivers:
  motor: {type: rotation, joint: A, function: t}
analysis: {type: kinematics}
)");
  EXPECT_EQ(one.code, "S425");
  EXPECT_NE(joined(one).find("sled moves along (1, 0)"), std::string::npos) << joined(one);
  EXPECT_EQ(joined(one).find("arm"), std::string::npos) << joined(one);
}

const char* const two_motors = R"(
mortise: 1
dimension: planar
bodies:
  left: {mass: 1, inertia: 1, at: [0, 0], angle: 1, points: {end: [1, 0]}}
  right: {mass: 1, inertia: 1, at: [2, 0], angle: 1, points: {end: [1, 0]}}
  bar: {mass: 1, inertia: 1, at: [cos(1), sin(1)], points: {end: [2, 0]}}
joints:
  A: {type: revolute, between: [ground, left], at: [0, 0]}
  B: {type: revolute, between: [ground, right], at: [2, 0]}
  C: {type: revolute, between: [left.end, bar]}
  D: {type: revolute, between: [right.end, bar.end]}
drivers:
  first: {type: rotation, joint: A, function: 1 + t}
  second: {type: rotation, joint: B, function: "1 + t + bend*max(0, t - 0.2)^3"}
parameters: {bend: 0}
analysis: {type: kinematics, until: 0.5}
output: {every: 0.01}
)";

// Two drivers of one motion are redundant as long as they agree, and named when they no longer do.
TEST(Kinematics, NamesDriversThatDisagree) {
  EXPECT_NEAR(run_text(two_motors).last("bar.x"), std::cos(1.5), 1e-12);
  const SolveReport over = failure(two_motors, {"bend=1"});
  EXPECT_EQ(over.code, "S470");
  EXPECT_EQ(over.exit, ExitCode::conflict);
  EXPECT_GT(over.time, 0.19);
  EXPECT_LT(over.time, 0.5);
  for (const char* name : {"driver 'first'", "driver 'second'"})
    EXPECT_NE(joined(over).find(name), std::string::npos) << joined(over);
}

// The rod is too short for a full turn: at the limit the velocities grow without bound.
TEST(Kinematics, SaysWhereADriverAsksForAPoseOutOfReach) {
  const SolveReport limit = failure(R"(
mortise: 1
dimension: planar
bodies:
  slider: {mass: 1, inertia: 1, at: [3, 0]}
  rod: {mass: 1, inertia: 1, at: [0, 1], angle: -0.32175055439664219, points: {end: [sqrt(10), 0]}}
  post: {mass: 1, inertia: 1, at: [0, 1]}
joints:
  guide: {type: prismatic, between: [ground, slider], axis: [1, 0]}
  rail: {type: prismatic, between: [ground, post], axis: [0, 1]}
  A: {type: revolute, between: [post, rod], at: [0, 1]}
  B: {type: revolute, between: [rod.end, slider]}
drivers:
  pull: {type: translation, joint: guide, function: 0.4*t}
analysis: {type: kinematics, until: 2}
)");
  EXPECT_EQ(limit.code, "S470") << joined(limit);
  // √10 − 3 = 0.16227766 m at 0.4 m/s.
  EXPECT_NEAR(limit.time, (std::sqrt(10.0) - 3) / 0.4, 1e-3);
}

// The parallelogram through its flat poses, with frames exactly there (t = 1, 7): all links turn alike, v and a too. A
// start there needs velocities.
TEST(Kinematics, GoesStraightOnThroughChangePoints) {
  const std::string drivers = "drivers={m: {type: rotation, joint: A, function: (30*t - 30)*pi/180}}";
  const Recording r =
      run_example("five-bar", {"analysis.type=kinematics", drivers, "analysis.until=8", "output.every=0.25"});
  ASSERT_EQ(r.result.remarks.size(), 1u);
  double angle = 0, rate = 0, second = 0;
  for (const analysis::Frame& f : r.frames)
    for (const std::string link : {"middle", "right"}) {
      angle = std::max(angle, std::abs(r.at(link + ".angle", f.t) - (30 * f.t - 30) * M_PI / 180));
      rate = std::max(rate, std::abs(r.at(link + ".wz", f.t) - M_PI / 6));
      second = std::max(second, std::abs(r.at(link + ".alphaz", f.t)));
    }
  report("five-bar through flat poses", r, std::max({angle, rate, second}));
  EXPECT_LT(angle, 1e-11);
  EXPECT_LT(rate, 1e-10);
  EXPECT_LT(second, 1e-8);
  const std::string from_flat = "drivers={m: {type: rotation, joint: A, function: t}}";
  try {
    run_example("five-bar", {"theta=0", "analysis.type=kinematics", from_flat});
    FAIL() << "it began";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S474");
  }
  const Recording stated =
      run_example("five-bar", {"theta=0", "analysis.type=kinematics", from_flat, "bodies.left.angular_velocity=1",
                               "bodies.middle.angular_velocity=1", "bodies.right.angular_velocity=1",
                               "bodies.left.velocity=[0, 0.5]", "bodies.middle.velocity=[0, 0.5]",
                               "bodies.right.velocity=[0, 0.5]", "bodies.coupler.velocity=[0, 1]"});
  EXPECT_NEAR(stated.last("right.angle"), 20, 1e-11);
}

// What events switch on and off is not there for a motion that is dictated from the start.
TEST(Kinematics, RefusesModelsWithEvents) {
  std::ifstream file(MORTISE_SOURCE_DIR "/examples/kinematics-four-bar.yaml");
  std::stringstream text;
  text << file.rdbuf() << "events:\n  noon: {type: mark, at: 0.5}\n";
  const auto m = text_mechanism(text.str());
  try {
    analysis::run_kinematics(*m, {});
    FAIL() << "it ran";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.diagnostics().front().code, "M472");
  }
}

TEST(Kinematics, HasNoReactionsToShow) {
  const Recording r = run_example("kinematics-four-bar");
  EXPECT_TRUE(std::isnan(r.at("A.reaction.fx", 0)));
  EXPECT_TRUE(std::isnan(r.at("motor.effort", 0)));
  EXPECT_FALSE(std::isnan(r.at("energy.kinetic", 0)));
}

}  // namespace
}  // namespace mortise::test
