// A run with events that is stopped anywhere goes on with the same bits: frames, ledger, modes.
#include <gtest/gtest.h>

#include "support/memory_run.h"

namespace mortise::test {
namespace {

// Everything at once: a pendulum that is caught and let go and hits a stop, a ball that bounces, skids and rolls, a
// rope that breaks.
const char* const resumed = R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.083, at: [0.5, 0]}
  ball: {mass: 0.5, inertia: 0.002, at: [2, 0.3], velocity: [1, 0]}
  bob: {type: particle, mass: 1, at: [-1, 0]}
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
analysis: {until: 1.4, tolerance: 1e-7, step: 0.01}
output: {every: 0.05, checkpoint: {steps: 4}}
)";

class EventResume : public testing::TestWithParam<std::string> {};

TEST_P(EventResume, GoesOnWithTheSameBitsAcrossEvents) {
  const auto m = compile(resumed, {"analysis.integrator=" + GetParam(), "analysis.max_step=0.05"});
  Recorder straight;
  run(*m, straight);
  ASSERT_GE(straight.events.size(), 8u);
  ASSERT_GE(straight.checkpoints.size(), 10u);
  for (std::size_t k = 0; k < straight.checkpoints.size(); k += 1 + straight.checkpoints.size() / 12) {
    Recorder resumed;
    resumed.frames = straight.frames;
    resumed.events = straight.events;
    run(*m, resumed, 0, &straight.checkpoints[k].bytes);
    ASSERT_EQ(resumed.frames.size(), straight.frames.size()) << "from t = " << straight.checkpoints[k].t;
    for (std::size_t j = 0; j < resumed.frames.size(); ++j) {
      ASSERT_EQ(difference(resumed.frames[j], straight.frames[j]), "") << "frame " << j;
      ASSERT_TRUE(same_bits(resumed.frames[j].active, straight.frames[j].active));
      ASSERT_TRUE(same_bits(resumed.frames[j].inputs, straight.frames[j].inputs));
    }
    ASSERT_EQ(resumed.events.size(), straight.events.size());
    for (std::size_t j = 0; j < resumed.events.size(); ++j) {
      const analysis::EventEntry &a = resumed.events[j], &b = straight.events[j];
      EXPECT_TRUE(same_bits(a.t, b.t) && same_bits(a.impulse, b.impulse) && same_bits(a.work, b.work));
      EXPECT_EQ(a.what, b.what);
      EXPECT_EQ(a.frame, b.frame);
    }
    EXPECT_EQ(difference(resumed.summary, straight.summary), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Integrators, EventResume, testing::Values("adams", "rk45", "rk78", "rk4"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace mortise::test
