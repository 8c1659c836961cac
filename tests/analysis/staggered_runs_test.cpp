// Whole mechanisms by the staggered explicit-implicit procedure: the tables of specs/nasa-1-staggered.md and
// nasa-5-explicit-implicit.md, joints that lock on the way, checkpoints, threads.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include "mortise/analysis/equivalent_motor.h"
#include "mortise/analysis/methods.h"
#include "mortise/integrate/staggered/staggered.h"
#include "mortise/stabilize/stabilizer.h"
#include "support/compile.h"
#include "support/examples.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

std::string number(double x) { return fmt::format("{}", x); }

struct Bars {
  double t;
  Eigen::Vector3d upper, lower;
};
const Bars reference[] = {
    {0.5, {0.188110, 0.167266, -0.432014}, {0.730535, 0.557728, -1.137242}},
    {1, {-0.439229, -0.172810, -0.164969}, {-1.252765, -0.402136, -0.656587}},
    {2, {0.135854, -0.188443, -0.442756}, {0.496437, -0.129743, -1.257557}},
    {3, {-0.082701, 0.189371, -0.455301}, {-0.606298, 0.611263, -0.871304}},
};

double off_reference(const Recording& r) {
  double worst = 0;
  for (const Bars& known : reference)
    for (int axis = 0; axis < 3; ++axis) {
      const std::string end(1, "xyz"[axis]);
      worst = std::max({worst, std::abs(r.at("upper." + end, known.t) - known.upper[axis]),
                        std::abs(r.at("lower." + end, known.t) - known.lower[axis])});
    }
  return worst;
}

TEST(StaggeredRuns, DoublePendulumMeetsItsReferenceWithSecondOrder) {
  // Velocities by another method altogether; the sheet has none.
  const Recording exact =
      run_example("double-pendulum-spatial", {"analysis.integrator=rk78", "analysis.stabilize=projection",
                                              "analysis.tolerance=1e-11", "analysis.until=3", "output.every=0.5"});
  EXPECT_LT(off_reference(exact), 1e-6);
  for (const char* how : {"merge=0", "merge=10", "chains=one"}) {
    SCOPED_TRACE(how);
    std::vector<double> errors, speeds;
    for (const double h : {0.01, 0.005, 0.0025}) {
      const Recording r =
          run_example("double-pendulum-spatial", {"analysis.step=" + number(h), "analysis.until=3", "output.every=0.5",
                                                  std::string("analysis.integrator.") + how});
      errors.push_back(off_reference(r));
      double worst = 0;
      for (std::size_t k = 0; k < r.frames.size(); ++k)
        worst = std::max(worst, (r.frames[k].v - exact.frames[k].v).lpNorm<Eigen::Infinity>());
      speeds.push_back(worst);
      EXPECT_LT(r.result.summary.worst_position, 20 * h * h);
    }
    EXPECT_LT(errors[1], 1e-3);
    for (std::size_t k = 1; k < 3; ++k) {
      EXPECT_NEAR(std::log2(errors[k - 1] / errors[k]), 2, 0.1);
      EXPECT_NEAR(std::log2(speeds[k - 1] / speeds[k]), 2, 0.1);
    }
  }
}

// Twenty seconds of a chaotic motion: what is bounded is the energy and the constraints.
TEST(StaggeredRuns, DoublePendulumStaysBoundedWhereChainsAreMerged) {
  for (const double h : {0.01, 0.005}) {
    const Recording r = run_example(
        "double-pendulum-spatial",
        {"analysis.step=" + number(h), "analysis.until=20", "output.every=0.1", "analysis.integrator.epsilon=1e-8"});
    EXPECT_LT(r.spread("energy.total"), 200 * h * h);
    EXPECT_LT(r.result.summary.worst_position, 5e-3);
  }
}

TEST(StaggeredRuns, ProjectionInEveryStationIsHarmlessWhereAllRowsAreHolonomic) {
  const Recording r = run_example("double-pendulum-spatial", {"analysis.stabilize=projection", "analysis.until=10"});
  EXPECT_LT(r.result.summary.worst_position, 1e-7);
  EXPECT_LT(r.spread("energy.total"), 1e-2);
}

// Mirror images of one another: first and fourth bar, second and third.
TEST(StaggeredRuns, ClosedLoopKeepsItsSymmetryAndItsPlane) {
  const double known[][4] = {{1, .231844, .196746, .129839},    {2, .528368, .236000, .528613},
                             {3, .933431, -.256502, 1.238691},  {4, -.158909, -2.256627, .910345},
                             {6, -.627612, .218949, -1.303015}, {8, .139204, -.134798, -1.599426}};
  std::vector<double> errors, places;
  for (const double h : {0.05, 0.025, 0.0125}) {
    const Recording r =
        run_example("loop-of-balls", {"analysis.step=" + number(h), "analysis.until=8", "output.every=0.5"});
    double worst = 0, symmetry = 0, plane = 0, place = 0;
    for (const auto& [t, outer, inner, height] : known) {
      place = std::max(place, std::abs(r.at("second.end.y", t) - height));
      worst = std::max({worst, std::abs(r.at("first.wz", t) - outer), std::abs(r.at("second.wz", t) - inner)});
      symmetry = std::max({symmetry, std::abs(r.at("first.wz", t) + r.at("fourth.wz", t)),
                           std::abs(r.at("second.wz", t) + r.at("third.wz", t))});
      for (const char* body : {"first", "second", "third", "fourth"})
        plane = std::max(plane, std::abs(r.at(std::string(body) + ".z", t)));
    }
    errors.push_back(worst);
    places.push_back(place);
    EXPECT_LT(symmetry, 1e-10);
    EXPECT_LT(plane, 1e-10);
    // What the forces gave is what the bars have.
    EXPECT_LT(r.spread("energy.balance"), 4 * h * h);
  }
  EXPECT_LT(errors[2], 5e-3);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.1);
  EXPECT_NEAR(std::log2(places[0] / places[1]), 2, 0.1);
  EXPECT_NEAR(std::log2(places[1] / places[2]), 2, 0.1);
}

// The row along the straight chain repeats what pins and locks say at a pose where its own part vanishes.
TEST(StaggeredRuns, LinksLockWhenStraightWithARedundantRow) {
  const Recording r = run_example("three-link-lock");
  const Recording fine = run_example("three-link-lock", {"analysis.step=0.00125"});
  const Recording other =
      run_example("three-link-lock", {"analysis.integrator=adams", "analysis.stabilize=projection"});
  EXPECT_EQ(r.result.summary.status, "done");
  for (const char* q : {"link1.angle", "link3.tip.x", "link3.tip.y"}) {
    EXPECT_NEAR(r.at(q, 1.8), other.at(q, 1.8), 5e-3) << q;
    EXPECT_NEAR(fine.at(q, 1.8), other.at(q, 1.8), 1e-3) << q;
  }
  double largest = 0;
  for (const analysis::Frame& f : r.frames)
    if (f.t > 1.12) largest = std::max(largest, f.lambda.cwiseAbs().maxCoeff());
  EXPECT_LT(largest, 10);
}

// Three links whose tip is told its velocity; one free motion is left. specs/nasa-1-staggered.md §4C.
const char* const manipulator = R"yaml(mortise: 1
name: Tip on a course
dimension: planar
parameters: {l: 10}
bodies:
  upper: {mass: 1, inertia: l^2/12, at: [0, 5], angle: 90 deg}
  middle: {mass: 1, inertia: l^2/12, at: ["5*cos(30 deg)", 12.5], angle: 30 deg}
  outer: {mass: 1, inertia: l^2/12, at: ["15*cos(30 deg)", 12.5], angle: -30 deg, points: {tip: [5, 0]}}
joints:
  wall: {type: revolute, between: [ground, upper], at: [0, 0]}
  elbow: {type: revolute, between: [upper, middle], at: [0, 10]}
  wrist: {type: revolute, between: [middle, outer], at: ["10*cos(30 deg)", 15]}
  along: {type: row, coefficients: {outer.tip.vx: 1}, constant: -6*sin(pi*t/2)^2}
  across: {type: row, coefficients: {outer.tip.vy: 1}, constant: 0}
analysis: {until: 2, tolerance: 1e-11}
output: {every: 0.005}
)yaml";

// Torques of motors at wall, elbow and wrist that stand for the two rows of the tip.
Eigen::Vector3d torques(const mechanism::Mechanism& m, const State& state, const Vector& lambda) {
  Eigen::Vector3d out;
  const char* joints[] = {"wall", "elbow", "wrist"};
  for (int k = 0; k < 3; ++k)
    out[k] =
        analysis::equivalent_motor(m, state, as_span(lambda), m.find_constraint("along"), m.find_constraint(joints[k]))
            .torque.z() +
        analysis::equivalent_motor(m, state, as_span(lambda), m.find_constraint("across"), m.find_constraint(joints[k]))
            .torque.z();
  return out;
}

State state_of(const mechanism::Mechanism& m, const analysis::Frame& f) {
  State s = m.initial_state();
  s.t = f.t, s.q = f.q, s.v = f.v, s.lambda = f.lambda;
  return s;
}

const double reported_torques[][4] = {
    {0.6, -244.952, -108.847, 3.466}, {1.0, -153.675, -55.941, -6.275}, {1.4, 86.357, -2.502, 1.846}};

TEST(EquivalentMotor, RecoversTheTorquesBehindATipThatIsToldItsVelocity) {
  const Recording r = run_text(manipulator);
  EXPECT_NEAR(r.at("outer.tip.x", 2), 23.32051, 1e-5);
  EXPECT_NEAR(r.at("outer.tip.y", 2), 10, 1e-8);
  const double degree = M_PI / 180;
  EXPECT_NEAR(r.at("upper.angle", 2), 60.0161 * degree, 1e-6);
  EXPECT_NEAR(r.at("middle.angle", 2), -19.1020 * degree, 1e-6);
  EXPECT_NEAR(r.at("outer.angle", 2), 27.4571 * degree, 1e-6);
  for (const auto& [t, wall, elbow, wrist] : reported_torques) {
    const analysis::Frame& f = r.frame(t);
    const Eigen::Vector3d tau = torques(*r.mechanism, state_of(*r.mechanism, f), f.lambda);
    EXPECT_NEAR(tau[0], wall, 2e-3) << t;
    EXPECT_NEAR(tau[1], elbow, 2e-3) << t;
    EXPECT_NEAR(tau[2], wrist, 2e-3) << t;
  }
}

// The torques, put on the joints of the chain without the rows, move it as the rows did.
TEST(EquivalentMotor, DrivesTheSameMotionFromTheJoints) {
  const Recording r = run_text(manipulator, {"output.every=0.001"});
  std::string tables = "tables:\n";
  const char* joints[] = {"wall", "elbow", "wrist"};
  for (int k = 0; k < 3; ++k) {
    std::string x, y;
    for (const analysis::Frame& f : r.frames) {
      const double torque = torques(*r.mechanism, state_of(*r.mechanism, f), f.lambda)[k];
      x += fmt::format("{}{}", x.empty() ? "" : ", ", f.t);
      y += fmt::format("{}{}", y.empty() ? "" : ", ", torque);
    }
    tables += fmt::format("  of_{}: {{x: [{}], y: [{}]}}\n", joints[k], x, y);
  }
  std::string text = manipulator;
  const std::size_t rows = text.find("  along:");
  text.erase(rows, text.find("analysis:") - rows);
  std::string motors = "forces:\n";
  for (const char* joint : joints)
    motors += std::string("  motor-") + joint + ": {type: torsional-spring-damper-actuator, joint: " + joint +
              ", torque: -of_" + joint + "(t)}\n";
  text.insert(text.find("analysis:"), motors + tables);
  const Recording again = run_text(text);
  for (const char* q : {"upper.angle", "middle.angle", "outer.angle"})
    EXPECT_NEAR(again.at(q, 2), r.at(q, 2), 1e-8) << q << " " << again.at(q, 2) - r.at(q, 2);
}

TEST(EquivalentMotor, IsRefusedOnALoop) {
  const auto m = compile_example("five-bar");
  const State s = m->initial_state();
  const Vector lambda = Vector::Zero(m->pattern().m());
  EXPECT_THROW(analysis::equivalent_motor(*m, s, as_span(lambda), m->find_constraint("F"), m->find_constraint("A")),
               std::invalid_argument);
}

// A run by hand, for what frames do not show: the multipliers of the scheme itself.
struct Hand {
  std::unique_ptr<mechanism::Mechanism> m;
  std::unique_ptr<gauss::Formulation> formulation = gauss::make_formulation("auto");
  std::unique_ptr<Stabilizer> stabilizer = stabilize::make_stabilizer("none", {});
  Motion motion;
  integrate::Staggered integrator;
  State state;
  Vector y;
  Hand(std::unique_ptr<mechanism::Mechanism> made, double h, integrate::StaggeredSettings own)
      : m(std::move(made)),
        motion(*m, *formulation, *stabilizer, {}),
        integrator(with(h, own)),
        state(m->initial_state()) {
    y.setZero(motion.size());
    motion.pack(state, as_span(y));
    motion.set_active(state.active);
    motion.set_inputs(state.inputs);
    integrator.start(motion, 0, as_span(y));
  }
  static integrate::Settings with(double h, const integrate::StaggeredSettings& own) {
    integrate::Settings s;
    s.step = h;
    s.staggered = own;
    return s;
  }
  void to(double t) {
    while (integrator.t() < t - 1e-12) integrator.step(t);
    motion.unpack(integrator.t(), integrator.y(), state);
  }
};

TEST(StaggeredRuns, TorquesAreOfFirstOrderAsTheyAreAndOfSecondFiltered) {
  std::vector<double> raw, filtered, angle;
  for (const double h : {0.02, 0.01, 0.005}) {
    integrate::StaggeredSettings own;
    own.relative = 1e-6;
    own.merge = 0;
    Hand hand(compile(manipulator), h, own);
    double worst_raw = 0, worst_filtered = 0;
    for (const auto& [t, wall, elbow, wrist] : reported_torques) {
      hand.to(t);
      const Eigen::Vector3d known(wall, elbow, wrist);
      worst_raw = std::max(worst_raw,
                           (torques(*hand.m, hand.state, hand.integrator.multipliers()) - known).cwiseAbs().maxCoeff());
      // The mean of the stations around t: half a step further on.
      const Vector before = hand.integrator.filtered_multipliers();
      hand.to(t + h);
      const Vector after = hand.integrator.filtered_multipliers();
      State at = hand.state;
      hand.motion.unpack(t, hand.integrator.y(), at);
      Vector y(hand.motion.size());
      hand.integrator.dense(t, as_span(y));
      hand.motion.unpack(t, as_span(y), at);
      const Vector mean = 0.5 * (before + after);  // at t − h/2 and t + h/2
      worst_filtered = std::max(worst_filtered, (torques(*hand.m, at, mean) - known).cwiseAbs().maxCoeff());
    }
    hand.to(2);
    angle.push_back(std::abs(hand.state.q[2] - 60.0161 * M_PI / 180));
    raw.push_back(worst_raw), filtered.push_back(worst_filtered);
  }
  EXPECT_LT(angle[2], 2e-5);
  EXPECT_NEAR(std::log2(raw[0] / raw[1]), 1, 0.2);
  EXPECT_NEAR(std::log2(raw[1] / raw[2]), 1, 0.2);
  EXPECT_NEAR(std::log2(filtered[0] / filtered[1]), 2, 0.3);
  EXPECT_LT(filtered[2], 0.1 * raw[2]);
}

TEST(StaggeredRuns, ThreadsDoNotChangeABit) {
  Vector first;
  for (const std::size_t threads : {1u, 2u, 4u}) {
    const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism, threads);
    Hand hand(compile_example("n-four-bar-spatial", {"N=600"}), 1e-3, {});
    hand.to(0.012);  // past a merge
    if (threads == 1) first = hand.y = as_vector(hand.integrator.y());
    EXPECT_EQ(first, as_vector(hand.integrator.y())) << threads;
  }
}

// The automatic ε leaves a small share of the step's own error, however weakly the rows of a long chain hold together:
// next to rigid rows nothing changes.
TEST(StaggeredRuns, AutomaticSoftnessFollowsTheConditionOfTheRows) {
  for (const char* links : {"N=10", "N=60"}) {
    SCOPED_TRACE(links);
    const auto off = [&](const char* epsilon) {
      const Settings common{links, "analysis.until=0.5", "output.every=0.5"};
      Settings own = common, other = common;
      own.insert(own.end(), {"analysis.integrator={type: staggered-explicit-implicit, " + std::string(epsilon) + "}",
                             "analysis.step=0.001"});
      other.push_back("analysis.tolerance=1e-10");
      return (run_example("chain", own).frames.back().pose - run_example("chain", other).frames.back().pose)
          .lpNorm<Eigen::Infinity>();
    };
    const double automatic = off("epsilon_share: 0.01"), rigid = off("epsilon_share: 1e-5");
    EXPECT_LT(rigid, 1e-5);
    EXPECT_NEAR(automatic, rigid, 0.05 * rigid);
  }
}

// Loops with rows too many, planar and spatial: nothing is eliminated, no rank decided, and the motion is that of
// adams.
TEST(StaggeredRuns, RedundantLoopsMoveAsTheyDoByOtherMethods) {
  for (const char* name : {"five-bar", "bricard", "gear-train"}) {
    SCOPED_TRACE(name);
    const Recording exact = run_example(name, {"analysis.until=0.6", "output.every=0.1", "analysis.tolerance=1e-10"});
    double before = 0;
    for (const double h : {0.004, 0.002, 0.001}) {
      const Recording own = run_example(name, {"analysis.until=0.6", "output.every=0.1", "analysis.step=" + number(h),
                                               "analysis.integrator=staggered-explicit-implicit"});
      ASSERT_EQ(own.frames.size(), exact.frames.size());
      double off = 0;
      for (std::size_t k = 0; k < own.frames.size(); ++k)
        off = std::max(off, (own.frames[k].pose - exact.frames[k].pose).lpNorm<Eigen::Infinity>());
      if (before > 1e-7) {
        EXPECT_NEAR(std::log2(before / off), 2, 0.2);
      }
      before = off;
    }
    EXPECT_LT(before, 1e-3);
  }
}

TEST(StaggeredRuns, StabilisationsThatDoNotGoWithItAreRefused) {
  for (const char* other : {"baumgarte", "partition"}) {
    try {
      const auto m = compile_example("loop-of-balls", {std::string("analysis.stabilize=") + other});
      analysis::check_settings(m->model().analysis);
      FAIL() << other;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find("M482"), std::string::npos) << error.what();
    }
  }
}

// Strong dampers cannot be had by an explicit method: said, not suffered.
TEST(StaggeredRuns, ForcesThatDoNotSettleAreAnError) {
  try {
    run_text(R"(mortise: 1
dimension: planar
bodies:
  block: {mass: 1, inertia: 1, at: [1, 0], velocity: [1, 0]}
forces:
  dashpot: {type: spring-damper-actuator, between: [ground, block], length: 1, damping: 1e5}
analysis: {until: 1, integrator: staggered-explicit-implicit, step: 0.01}
)");
    FAIL();
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S481") << error.what();
  }
}

}  // namespace
}  // namespace mortise::test
