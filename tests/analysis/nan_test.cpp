// Formulas that stop being numbers during a run: caught by the evaluation that meets them, named with their place, and
// never written into a frame. Every kind of item that has a formula, every formulation, every integrator.
#include <gtest/gtest.h>

#include "mortise/gauss/formulation.h"
#include "mortise/motion/motion.h"
#include "mortise/stabilize/stabilizer.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

// What goes wrong at t = 0.3, in line 13 of the model.
struct Injection {
  const char* name;
  const char* section;
  const char* item;  // with % for the formula
  const char* formula;
  const char* names;  // what the message must name
};

// A jump into NaN or infinity: finite, and with finite derivatives, until then.
const char* const nan_formula = "\"if(t < 0.3, 0.1*t, sqrt(-1))\"";
const char* const infinite_formula = "\"if(t < 0.3, 0.1*t, 1/(t - t))\"";
// Ends in itself: the derivatives grow without bound before.
const char* const ending_formula = "sqrt(0.3 - t)";

const Injection injections[] = {
    {"force", "forces", "bad: {type: force, body: arm.tip, value: [%, 0]}", nan_formula, "'bad'"},
    {"force_infinite", "forces", "bad: {type: force, body: arm.tip, value: [0, %]}", infinite_formula, "'bad'"},
    {"force_ending", "forces", "bad: {type: force, body: arm.tip, value: [%, 0]}", ending_formula, "'bad'"},
    {"torque", "forces", "bad: {type: torque, body: arm, value: %}", nan_formula, "'bad'"},
    {"actuator", "forces", "bad: {type: spring-damper-actuator, between: [base, arm.tip], stiffness: 1, force: %}",
     nan_formula, "'bad'"},
    {"torsion", "forces", "bad: {type: torsional-spring-damper-actuator, joint: A, stiffness: 1, torque: %}",
     nan_formula, "'bad'"},
    {"rotation_driver", "drivers", "bad: {type: rotation, joint: A, function: %}", nan_formula, "'bad'"},
    {"rotation_driver_infinite", "drivers", "bad: {type: rotation, joint: A, function: %}", infinite_formula, "'bad'"},
    {"coordinate_driver", "drivers", "bad: {type: coordinate, body: base, coordinate: x, function: %}", nan_formula,
     "'bad'"},
    {"rotation_driver_ending", "drivers", "bad: {type: rotation, joint: A, function: %}", ending_formula, "'bad'"},
};

std::string model_with(const Injection& i) {
  std::string item = i.item;
  item.replace(item.find('%'), 1, i.formula);
  return std::string(R"(mortise: 1
name: Injection
dimension: planar
gravity: [0, -9.81]
bodies:
  base: {mass: 1, inertia: 0.1, at: [0, 0]}
  arm: {mass: 1, inertia: 0.1, at: [0.5, 0], points: {tip: [0.5, 0]}}
joints:
  S: {type: prismatic, between: [ground, base], at: [0, 0], axis: [1, 0]}
  A: {type: revolute, between: [base, arm], at: [0, 0]}
)") + "analysis: {until: 0.6}\n" +
         i.section + ":\n  " + item + "\noutput: {every: 0.01}\n";
}

struct Case {
  Injection injection;
  std::string formulation, integrator;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Injection& i : injections)
    for (const auto& formulation : gauss::formulations()) {
      // What is not a number is met before a formulation sees it; searches would only take longer to get there.
      if (gauss::make_formulation(formulation.name)->can().search) continue;
      for (const std::string& integrator : integrate::flow_integrators())
        all.push_back({i, formulation.name, integrator});
    }
  return all;
}

class NotFinite : public testing::TestWithParam<Case> {};

TEST_P(NotFinite, IsNamedAndNeverWritten) {
  const auto& [injection, formulation, integrator] = GetParam();
  const auto m =
      compile(model_with(injection), {"analysis.formulation=" + formulation, "analysis.integrator=" + integrator,
                                      "analysis.step=0.007", "analysis.max_step=0.05"});
  Recorder recorder;
  try {
    run(*m, recorder);
    FAIL() << "the run ended as if nothing had happened";
  } catch (const SolveError& error) {
    const SolveReport& r = error.report();
    EXPECT_EQ(r.exit, ExitCode::solve) << error.what();
    // Found where the formula ends, at most one step further (its last stage).
    EXPECT_GE(r.time, 0.3 - 1e-6) << error.what();
    EXPECT_LE(r.time, 0.36) << error.what();
    EXPECT_NE(std::string(error.what()).find(injection.names), std::string::npos) << error.what();
    EXPECT_EQ(r.place.line, 13) << error.what();
    EXPECT_GT(r.place.column, 10) << error.what();
  }
  EXPECT_EQ(recorder.ends, 1);
  EXPECT_EQ(recorder.summary.status.substr(0, 7), "failed:");
  ASSERT_GE(recorder.frames.size(), 20u) << "frames up to the failure are kept";
  for (const analysis::Frame& f : recorder.frames) {
    EXPECT_TRUE(finite(f)) << "t = " << f.t;
    EXPECT_LE(f.t, 0.3 + 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(, NotFinite, testing::ValuesIn(cases()), [](const auto& info) {
  std::string name =
      info.param.injection.name + std::string("_") + info.param.formulation + "_" + info.param.integrator;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

// Counts the evaluations after the first bad one: there must be none.
TEST(NotFiniteNumbers, StopsAtTheFirstBadEvaluation) {
  const auto m = compile(model_with(injections[0]));
  const auto formulation = gauss::make_formulation("auto");
  const auto stabilizer = stabilize::make_stabilizer("none", {});
  Motion motion(*m, *formulation, *stabilizer, {});
  State state = m->initial_state();
  gauss::GaussSolution solution;
  solution.resize(m->pattern());
  state.t = 0.29;
  EXPECT_NO_THROW(motion.accelerate(state, solution));
  state.t = 0.31;
  EXPECT_THROW(motion.accelerate(state, solution), SolveError);
  EXPECT_TRUE(solution.a.allFinite()) << "what was solved before is untouched";
}

// Masses are checked with the model: they are numbers, not functions of time.
TEST(NotFiniteNumbers, MassesAreRefusedWithTheModel) {
  for (const char* mass : {"sqrt(-1)", "1/0", "log(-1)", "0/0", "1e308*10", "t"}) {
    const std::string text =
        std::string("mortise: 1\ndimension: planar\nbodies:\n  arm: {mass: ") + mass + ", inertia: 1}\n";
    EXPECT_THROW(compile(text), ModelError) << mass;
  }
}

// Errors that no formula is to blame for still say where to look.
constexpr const char* two_pendulums = R"(
mortise: 1
dimension: planar
bodies:
  slow: {mass: 1, inertia: 1, at: [1, 0]}
  fast: {mass: 1, inertia: 1, at: [0, 1]}
joints:
  left: {type: revolute, between: [ground, slow], at: [0, 0]}
  right: {type: revolute, between: [ground, fast], at: [0, 0]}
forces:
  push: {type: force, body: slow, value: [0, input.u]}
inputs: {u: 0}
)";

TEST(LostStep, NamesWhatAsksForTheLargestAcceleration) {
  const auto m = test::compile(two_pendulums);
  const auto formulation = gauss::make_formulation("udwadia-kalaba");
  const auto stabilizer = stabilize::make_stabilizer("projection", {});
  Motion motion(*m, *formulation, *stabilizer, {});
  gauss::GaussSolution solution;
  solution.resize(m->pattern());
  State state = m->initial_state();
  const auto first_line = [&] {
    motion.accelerate(state, solution);
    SolveReport report;
    report.details = {"integrator"};
    return analysis::explain_lost_step(*m, motion, state, 1, report).details.front();
  };
  state.v.tail(3) << -1000, 0, 1000;  // turns about the origin: centripetal
  EXPECT_NE(first_line().find("joint 'right' asks for an acceleration of 1.0e+06"), std::string::npos) << first_line();
  state.inputs[0] = 1e9;
  EXPECT_NE(first_line().find("the forces on body 'slow' ask for an acceleration of 1.0e+09"), std::string::npos)
      << first_line();
}

TEST(NonFiniteAccelerations, NameTheFastestBodyWhereNothingElseIsToBlame) {
  const auto m = test::compile(two_pendulums);
  State state = m->initial_state();
  state.v[4] = 1e150;
  const SolveReport report = m->blame_non_finite(state);
  EXPECT_EQ(report.code, "S410");
  EXPECT_NE(report.message.find("body 'fast' is fastest"), std::string::npos) << report.message;
}

// The forces are finite, but the road that gives them rises at an infinite speed: energy that is not a number.
TEST(NonFinitePower, IsNamedAndNotWritten) {
  const auto m = test::compile(R"(
mortise: 1
dimension: spatial
bodies: {b: {mass: 1, inertia: [1, 1, 1], at: [0, 0, -1]}}
forces: {road: {type: tyre, body: b, height: 0.091*sqrt(t), stiffness: 1830}}
analysis: {until: 0.01, integrator: rk78, step: 0.000173}
)");
  test::Recorder recorder;
  try {
    test::run(*m, recorder);
    FAIL() << "ran";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S410");
    EXPECT_NE(error.report().message.find("'road'"), std::string::npos);
  }
  for (const analysis::Frame& frame : recorder.frames) EXPECT_TRUE(test::finite(frame));
}

}  // namespace
}  // namespace mortise::test
