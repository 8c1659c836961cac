// A Simulation meets the same events as a run, lands on its times exactly, and branches across them.
#include <gtest/gtest.h>

#include <cmath>

#include "mortise/analysis/simulation.h"
#include "mortise/model/builder.h"
#include "support/examples.h"
#include "support/frames.h"

namespace mortise::test {
namespace {

const char* const model_text = R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
inputs: {push: 0}
bodies:
  ball: {mass: 0.5, inertia: 0.002, at: [0, 0.6], velocity: [1, 0]}
forces:
  wind: {type: force, body: ball, value: [input.push, 0]}
events:
  floor: {type: contact, between: [ground, ball], normal: [0, 1], radius: 0.1, restitution: 0.5, coefficient: 0.2}
  tick: {type: mark, at: 0.25, every: 0.25}
analysis: {until: 1.6, tolerance: 1e-10}
)";

TEST(EventsInASimulation, AreThoseOfARun) {
  const Recording r = run_text(model_text);
  analysis::Simulation sim(std::shared_ptr<const mechanism::Mechanism>(text_mechanism(model_text)));
  sim.advance_to(1.6);
  ASSERT_EQ(sim.events().size(), r.result.events.size());
  for (std::size_t k = 0; k < sim.events().size(); ++k) {
    EXPECT_NEAR(sim.events()[k].t, r.result.events[k].t, 1e-10);
    EXPECT_EQ(sim.events()[k].what, r.result.events[k].what);
    EXPECT_NEAR(sim.events()[k].work, r.result.events[k].work, 1e-10);
  }
  EXPECT_EQ(sim.t(), 1.6);
  EXPECT_NEAR(sim.get("ball.x"), r.last("ball.x"), 1e-8);
  EXPECT_EQ(sim.get("floor.state"), r.last("floor.state"));
}

// A state taken between bounces and restored elsewhere goes on with the same bits; an input changed there does not
// disturb the modes.
TEST(EventsInASimulation, BranchWithTheSameBits) {
  const std::shared_ptr<const mechanism::Mechanism> m = text_mechanism(model_text);
  analysis::Simulation one(m), two(m);
  one.advance_to(0.7);
  const State kept = one.state();
  one.advance_to(1.2);
  one.set("push", 3);
  one.advance_to(1.6);
  two.restore(kept);
  two.advance_to(1.2);
  two.set("push", 3);
  two.advance_to(1.6);
  for (const char* quantity : {"ball.x", "ball.vx", "ball.wz", "floor.reaction.fy", "energy.balance"})
    EXPECT_TRUE(same_bits(one.get(quantity), two.get(quantity))) << quantity;
  EXPECT_GT(one.get("ball.vx"), 1);  // it was pushed
}

// The same section in code.
TEST(EventsInASimulation, AreBuiltInCode) {
  const model::Model model = model::ModelBuilder::planar("Drop")
                                 .gravity({0, -9.81})
                                 .body("ball", "particle", {{"mass", 1}, {"at", {0, 1}}})
                                 .event("floor", "limit", {{"of", model::Map{{"ball.y", 1}}}, {"minimum", 0}})
                                 .build(mechanism::catalogue());
  analysis::Simulation sim(model);
  sim.advance_to(1);
  ASSERT_EQ(sim.events().size(), 1u);
  EXPECT_EQ(sim.events()[0].what, "rests");
  EXPECT_NEAR(sim.events()[0].t, std::sqrt(2 / 9.81), 1e-9);
  EXPECT_NEAR(sim.get("floor.reaction.fy"), 9.81, 1e-12);
}

}  // namespace
}  // namespace mortise::test
