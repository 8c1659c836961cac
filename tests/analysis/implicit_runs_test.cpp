// Mechanisms under implicit steps and under a penalty: beside the default methods, with rows too many, with events,
// with friction, and what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "mortise/analysis/assemble.h"
#include "mortise/analysis/method_pairs.h"
#include "mortise/analysis/methods.h"
#include "mortise/analysis/stepper.h"
#include "mortise/integrate/trapezoidal/characteristic.h"
#include "support/allocation_counter.h"
#include "support/examples.h"

namespace mortise::test {
namespace {

// Largest distance of body coordinates between two recordings of the same frames.
double poses_apart(const Recording& a, const Recording& b) {
  double worst = 0;
  EXPECT_EQ(a.frames.size(), b.frames.size());
  for (std::size_t k = 0; k < std::min(a.frames.size(), b.frames.size()); ++k)
    worst = std::max(worst, (a.frames[k].pose - b.frames[k].pose).lpNorm<Eigen::Infinity>());
  return worst;
}

struct Mechanisms {
  const char* name;
  Settings settings;
};

TEST(ImplicitRuns, FollowMechanismsOfEveryKind) {
  const Mechanisms subjects[] = {
      {"five-bar", {}},   {"slider-crank", {}}, {"rolling-disc", {}},           {"spatial-slider-crank", {}},
      {"knife-edge", {}}, {"gear-train", {}},   {"spatial-double-pendulum", {}}};
  for (const Mechanisms& s : subjects) {
    SCOPED_TRACE(s.name);
    Settings common = s.settings;
    common.insert(common.end(), {"analysis.until=0.6", "output.every=0.1"});
    const auto with = [&](Settings more) {
      more.insert(more.begin(), common.begin(), common.end());
      return run_example(s.name, more);
    };
    const Recording exact = with({"analysis.tolerance=1e-11"});
    double before = 0;
    for (const double h : {0.004, 0.002}) {
      const Recording own = with({"analysis.integrator=trapezoidal", "analysis.step=" + std::to_string(h)});
      const double off = poses_apart(exact, own);
      EXPECT_LT(off, 5e-2);
      if (before > 1e-7) {
        EXPECT_GT(std::log2(before / off), 1.6) << before << " " << off;
      }
      before = off;
      EXPECT_FALSE(own.result.remarks.empty());
    }
    const Recording projected =
        with({"analysis.integrator=trapezoidal", "analysis.stabilize=projection", "analysis.step=0.004"});
    EXPECT_LT(poses_apart(exact, projected), 5e-2);
    EXPECT_LT(projected.result.summary.worst_position, 1e-12);
    const Recording damped =
        with({"analysis.integrator={type: backward-euler, correctors: converged}", "analysis.step=0.002"});
    EXPECT_LT(poses_apart(exact, damped), 0.5);
  }
}

// A hundred periods: nothing rings where states are projected, and backward Euler damps.
TEST(ImplicitRuns, GoOnForAsLongAsOneLikesWhenProjected) {
  const Recording own = run_example("five-bar", {"analysis.integrator=trapezoidal", "analysis.stabilize=projection",
                                                 "analysis.step=0.01", "analysis.until=60", "output.every=1"});
  EXPECT_LT(own.result.summary.worst_position, 1e-12);
  EXPECT_LT(own.result.summary.energy_drift, 5e-3);
}

const char* const two_pins = R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies: {rod: {mass: 1, inertia: 0.1, at: [0.5, 0]}}
joints:
  A: {type: revolute, between: [ground, rod], at: [0, 0]}
  B: {type: revolute, between: [ground, rod], at: [0, 0]}
analysis: {until: 2}
output: {every: 0.1}
)";

TEST(ImplicitRuns, DecideNoRank) {
  const Recording exact = run_text(two_pins, {"analysis.tolerance=1e-11"});
  const Recording soft = run_text(two_pins, {"analysis.integrator=trapezoidal", "analysis.step=0.002"});
  EXPECT_LT(poses_apart(exact, soft), 1e-3);
  try {
    run_text(two_pins, {"analysis.integrator=trapezoidal", "analysis.stabilize=baumgarte", "analysis.step=0.002"});
    FAIL() << "two pins where one would do: Baumgarte's S is singular";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S485");
    EXPECT_NE(std::string(error.what()).find("A.x"), std::string::npos) << error.what();
  }
}

// A joint that is let go and locked again while the run goes on.
TEST(ImplicitRuns, SwitchRowsAtEvents) {
  const char* text = R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  upper: {mass: 1, inertia: 0.1, at: [0.5, 0], points: {end: [0.5, 0]}}
  lower: {mass: 1, inertia: 0.1, at: [1.5, 0], points: {begin: [-0.5, 0]}}
joints:
  A: {type: revolute, between: [ground, upper], at: [0, 0]}
  B: {type: revolute, between: [upper.end, lower.begin]}
drivers: {hold: {type: rotation, joint: B, function: 0}}
events: {free: {type: unlock, joints: hold, at: 0.31}}
analysis: {until: 0.8}
output: {every: 0.1}
)";
  const Recording exact = run_text(text, {"analysis.tolerance=1e-11"});
  const Recording soft = run_text(text, {"analysis.integrator=trapezoidal", "analysis.step=0.002"});
  ASSERT_EQ(soft.result.events.size(), exact.result.events.size());
  EXPECT_GE(soft.result.events.size(), 1u);
  EXPECT_LT(poses_apart(exact, soft), 1e-3);
}

std::string refused(const std::string& text, const Settings& settings) {
  try {
    const auto m = text_mechanism(text, settings);
    analysis::check_settings(m->model().analysis);
    analysis::make_stabilizer(m->model().analysis, *m);
  } catch (const ModelError& error) {
    return error.diagnostics().front().code;
  }
  return "";
}

TEST(MethodPairs, ThatMakeNoSenseAreRefusedWithTheReason) {
  for (const char* integrator : {"adams", "rk4", "rk45"})
    EXPECT_EQ(refused(two_pins, {"analysis.stabilize=staggered", "analysis.step=0.01",
                                 std::string("analysis.integrator=") + integrator}),
              "M480");
  EXPECT_EQ(
      refused(two_pins, {"analysis.integrator={type: trapezoidal, scheme: baumgarte-implicit}", "analysis.step=0.01"}),
      "M481");
  EXPECT_EQ(refused(two_pins, {"analysis.integrator={type: trapezoidal, scheme: history}", "analysis.step=0.01",
                               "analysis.stabilize=baumgarte"}),
            "M481");
  for (const char* stabilize : {"penalty", "partition"})
    for (const char* integrator : {"trapezoidal", "backward-euler", "staggered-explicit-implicit"})
      EXPECT_EQ(refused(two_pins, {std::string("analysis.stabilize=") + stabilize, "analysis.step=0.01",
                                   std::string("analysis.integrator=") + integrator}),
                "M482");
  EXPECT_EQ(refused(two_pins, {"analysis.stabilize={type: baumgarte, joints: {A: {alpha: 3}}}", "analysis.step=0.01",
                               "analysis.integrator=trapezoidal"}),
            "M482");
  EXPECT_EQ(refused(two_pins, {"analysis.type=kinematics", "analysis.integrator=trapezoidal", "analysis.step=0.01"}),
            "M484");
  for (const char* stabilize : {"staggered", "projection", "baumgarte", "none"})
    EXPECT_TRUE(analysis::go_together("trapezoidal", stabilize)) << stabilize;
  EXPECT_TRUE(analysis::go_together("adams", "penalty"));
}

const char* const rubbing = R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies: {rod: {mass: 1, inertia: 0.1, at: [0.5, 0]}}
joints: {A: {type: revolute, between: [ground, rod], at: [0, 0]}}
forces: {rub: {type: friction, joint: A, coefficient: 0.2, radius: 0.05, speed: 0.05}}
analysis: {until: 1}
output: {every: 0.1}
)";

TEST(ImplicitRuns, CloseTheLoopOfFrictionAndReactions) {
  const Recording exact = run_text(rubbing, {"analysis.tolerance=1e-10"});
  const Recording soft = run_text(rubbing, {"analysis.integrator=trapezoidal", "analysis.step=0.002"});
  EXPECT_LT(poses_apart(exact, soft), 1e-3);
  EXPECT_EQ(refused(rubbing, {"analysis.stabilize=penalty"}), "M483");
}

// λ = φ/ε: what is left of a row is ε|λ|, any integrator may follow, and no rank is decided.
TEST(Penalty, HoldsRowsToEpsilonLambdaUnderEveryIntegrator) {
  const Recording exact = run_text(two_pins, {"analysis.tolerance=1e-11"});
  for (const char* method : {"adams", "rk45", "rk78", "bdf"}) {
    SCOPED_TRACE(method);
    const Recording soft =
        run_text(two_pins, {"analysis.stabilize={type: penalty, epsilon: 1e-6}", "analysis.tolerance=1e-7",
                            std::string("analysis.integrator=") + method});
    EXPECT_EQ(soft.result.summary.status, "done");
    EXPECT_LT(poses_apart(exact, soft), 2e-4);
    // |λ| reaches 24 N in each of two pins that share the load; ringing doubles what is left. Scaled by the length 0.5.
    double missed = 0;
    for (const analysis::Frame& f : soft.frames) missed = std::max(missed, f.position_error);
    EXPECT_GT(missed, 1e-6);
    EXPECT_LT(missed, 1e-4);
  }
}

TEST(ImplicitRuns, AllocateNothingInAStep) {
  if (!allocations_are_counted()) GTEST_SKIP() << "not counted here";
  for (const char* name : {"five-bar", "spatial-slider-crank", "rolling-disc"})
    for (const char* integrator : {"trapezoidal", "backward-euler"})
      for (const char* stabilize : {"staggered", "projection", "baumgarte"}) {
        const auto m = example_mechanism(name);
        model::AnalysisSettings settings = m->model().analysis;
        settings.integrator = integrator;
        settings.stabilize = stabilize;
        settings.step = 1e-3;
        if (std::string(stabilize) == "baumgarte" && std::string(name) == "five-bar") continue;  // redundant rows
        analysis::Stepper stepper(*m, settings);
        State state = m->initial_state();
        analysis::assemble(*m, state, {});
        stepper.start(state);
        for (int k = 0; k < 20; ++k) stepper.step(1e6);
        const AllocationCounter heap;
        for (int k = 0; k < 200; ++k) stepper.step(1e6);
        EXPECT_EQ(heap.count(), 0) << name << ", " << integrator << ", " << stabilize;
      }
}

// The eigenproblem of the rows at a pose: the five-bar has a row too many, and one mode that nothing decays in.
TEST(ImplicitRuns, KnowTheModesOfTheRows) {
  const auto m = example_mechanism("five-bar");
  State state = m->initial_state();
  analysis::assemble(*m, state, {});
  Evaluation e;
  e.resize(m->pattern());
  m->evaluate(state, need_dynamics, *m->make_scratch(), e);
  const integrate::ConstraintModes modes = integrate::constraint_modes(e.problem, {});
  ASSERT_EQ(modes.s.size(), 12);
  EXPECT_LT(modes.s[0], 1e-14 * modes.s[11]);
  EXPECT_GT(modes.s[1], 1e-4 * modes.s[11]);
}

}  // namespace
}  // namespace mortise::test
