// A run that is stopped anywhere and goes on from its checkpoint ends as the straight run, to the last bit: every
// integrator with every stabilisation, in the plane and in space.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "mortise/analysis/method_pairs.h"
#include "mortise/stabilize/stabilizer.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

const char* const resumed_spatial = R"(mortise: 1
name: Spatial chain
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  upper: {mass: 1, inertia: [0.02, 0.1, 0.1], at: [0.5, 0, 0], points: {tip: [0.5, 0, 0]}}
  lower: {mass: 2, inertia: [0.1, 0.02, 0.1], at: [1, 0.5, 0], angular_velocity: [3, 0, 0]}
joints:
  A: {type: spherical, between: [ground, upper], at: [0, 0, 0]}
  B: {type: revolute, between: [upper, lower], at: [1, 0, 0], axis: [1, 0, 0]}
  twin: {type: revolute, between: [upper, lower], at: [1, 0, 0], axis: [1, 0, 0]}
forces:
  damper: {type: spring-damper-actuator, between: [ground, upper.tip], stiffness: 5, damping: 0.1, force: 0.5*sin(3*t)}
analysis: {until: 1.5}
output: {every: 0.013, checkpoint: {steps: 9}}
)";

const char* const planar_text = R"(mortise: 1
name: Driven parallelogram
dimension: planar
gravity: [0, -9.81]
bodies:
  left:    {mass: 1, inertia: 0.1, at: [-1, 0.5], angle: 90 deg}
  right:   {mass: 1, inertia: 0.1, at: [1, 0.5], angle: 90 deg}
  coupler: {mass: 2, inertia: 0.2, at: [0, 1]}
  bob:     {type: particle, mass: 0.5, at: [0, 0.2]}
joints:
  A: {type: revolute, between: [ground, left], at: [-1, 0]}
  C: {type: revolute, between: [ground, right], at: [1, 0]}
  D: {type: revolute, between: [left, coupler], at: [-1, 1]}
  F: {type: revolute, between: [right, coupler], at: [1, 1]}
  G: {type: revolute, between: [right, coupler], at: [1, 1]}
  rope: {type: distance, between: [coupler, bob], length: 0.8}
drivers:
  motor: {type: rotation, joint: A, function: 1.5707963267948966 + 0.4*sin(2*t)}
analysis: {until: 1.5}
output: {every: 0.013, checkpoint: {steps: 9}}
)";

struct ResumeCase {
  std::string integrator, stabilize, model;
};

// Rows of both models are redundant, and Baumgarte's feedback in implicit steps refuses that. A penalty rings faster
// than the steps given here, and two integrators that follow it are enough.
bool runs(const std::string& integrator, const std::string& stabilizer) {
  if (analysis::takes_implicit_steps(integrator) && (stabilizer == "baumgarte" || stabilizer == "none")) return false;
  if (stabilizer == "penalty" && integrator != "adams" && integrator != "rk45") return false;
  return analysis::go_together(integrator, stabilizer);
}

std::vector<ResumeCase> resume_cases() {
  std::vector<ResumeCase> all;
  for (const auto& integrator : integrate::integrators())
    if (integrator.make)
      for (const auto& stabilizer : stabilize::stabilizers())
        for (const char* model : {"planar", "spatial"})
          if (runs(integrator.name, stabilizer.name)) all.push_back({integrator.name, stabilizer.name, model});
  return all;
}

class Resume : public testing::TestWithParam<ResumeCase> {};

std::unique_ptr<mechanism::Mechanism> mechanism_of(const ResumeCase& c, const std::string& checkpoints) {
  return compile(c.model == "planar" ? planar_text : resumed_spatial,
                 {"analysis.integrator=" + c.integrator, "analysis.stabilize=" + c.stabilize, "analysis.step=0.02",
                  // Enough steps between the checkpoints for methods that take long ones.
                  c.integrator == "rkv56" || c.integrator == "rk78" ? "analysis.max_step=0.02" : "analysis.max_step=1",
                  c.integrator == "bdf" ? "analysis.tolerance=1e-5" : "analysis.tolerance=1e-7",
                  "output.checkpoint=" + checkpoints});
}

std::string difference(const Recorder& a, const Recorder& b) {
  if (a.frames.size() != b.frames.size())
    return std::to_string(a.frames.size()) + " and " + std::to_string(b.frames.size()) + " frames";
  for (std::size_t k = 0; k < a.frames.size(); ++k)
    if (const std::string what = test::difference(a.frames[k], b.frames[k]); !what.empty())
      return "frame " + std::to_string(k) + " at t = " + std::to_string(a.frames[k].t) + ": " + what;
  return test::difference(a.summary, b.summary);
}

bool same_state(const State& a, const State& b) {
  return same_bits(a.t, b.t) && same_bits(a.q, b.q) && same_bits(a.v, b.v) && same_bits(a.work, b.work);
}

// Stopped by the interrupt flag after a random number of steps, and again in the second leg.
TEST_P(Resume, AfterInterruptions) {
  const ResumeCase& c = GetParam();
  const auto m = mechanism_of(c, "{steps: 9}");
  Recorder straight;
  const auto reference = run(*m, straight);
  ASSERT_EQ(straight.summary.status, "done");
  ASSERT_GT(straight.checkpoints.size(), 2u);
  std::mt19937 random(7);
  for (int point = 0; point < 3; ++point) {
    Recorder broken;
    const long stop = 10 + static_cast<long>(random() % static_cast<unsigned>(straight.summary.steps - 14));
    auto result = run(*m, broken, stop);
    EXPECT_TRUE(result.interrupted);
    EXPECT_EQ(broken.summary.status, "interrupted");
    ASSERT_FALSE(broken.checkpoints.empty());
    const auto first = broken.checkpoints.back().bytes;
    // Fresh objects throughout, the mechanism too.
    const auto again = mechanism_of(c, "{steps: 9}");
    result = run(*again, broken, 1 + static_cast<long>(random() % 12), &first);
    if (result.interrupted) {
      const auto second = broken.checkpoints.back().bytes;
      result = run(*again, broken, 0, &second);
    }
    EXPECT_EQ(difference(straight, broken), "") << "stopped after step " << stop;
    EXPECT_TRUE(same_state(reference.state, result.state)) << "stopped after step " << stop;
  }
}

// As after a kill: whatever regular checkpoint is left, by model time here.
TEST_P(Resume, FromAnyRegularCheckpoint) {
  const ResumeCase& c = GetParam();
  const auto m = mechanism_of(c, "{every: 0.11}");
  Recorder straight;
  const auto reference = run(*m, straight);
  ASSERT_GT(straight.checkpoints.size(), 5u);
  std::mt19937 random(11);
  for (int point = 0; point < 3; ++point) {
    const auto& saved = straight.checkpoints[random() % straight.checkpoints.size()];
    Recorder resumed;
    resumed.frames = straight.frames;
    const auto result = run(*mechanism_of(c, "{every: 0.11}"), resumed, 0, &saved.bytes);
    EXPECT_EQ(difference(straight, resumed), "") << "from t = " << saved.t;
    EXPECT_TRUE(same_state(reference.state, result.state)) << "from t = " << saved.t;
    // The checkpoints that follow are those of the straight run, too.
    ASSERT_FALSE(straight.checkpoints.back().t > saved.t && resumed.checkpoints.empty());
    if (!resumed.checkpoints.empty()) {
      const auto left = io::decode(straight.checkpoints.back().bytes),
                 right = io::decode(resumed.checkpoints.back().bytes);
      EXPECT_TRUE(same_state(left->state, right->state));
      EXPECT_TRUE(left->state.memory == right->state.memory) << "from t = " << saved.t;
    }
  }
}

// Without anybody to keep checkpoints the run is the same: they must not leave a trace in the numbers.
TEST_P(Resume, CheckpointsLeaveNoTrace) {
  const auto m = mechanism_of(GetParam(), "{steps: 9}");
  Recorder with, without;
  run(*m, with);
  analysis::DynamicsOptions options;
  options.sink = &without;
  analysis::run_dynamics(*m, options);
  EXPECT_EQ(difference(with, without), "");
}

INSTANTIATE_TEST_SUITE_P(, Resume, testing::ValuesIn(resume_cases()), [](const auto& info) {
  std::string name = info.param.integrator + "_" + info.param.stabilize + "_" + info.param.model;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace mortise::test
