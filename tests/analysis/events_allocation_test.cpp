// Between events a step allocates nothing, with witnesses of every kind looked at.
#include <gtest/gtest.h>

#include "mortise/analysis/events.h"
#include "mortise/stabilize/stabilizer.h"
#include "support/allocation_counter.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

// A pendulum that swings for ever between stops it does not reach, a box that stays on a rough slope, a disc that
// slides on a belt, a rope that never breaks, formulas of the state, of a force and of a reaction.
const char* const falling = R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.083, at: [0, -0.5], angle: -90 deg, angular_velocity: 1}
  box: {mass: 1, inertia: 0.1, at: [3, -0.3]}
  disc: {mass: 1, inertia: 0.1, at: [5, 0], velocity: [1, 0]}
joints:
  hinge: {type: revolute, between: [ground, arm], at: [0, 0]}
  upright: {type: coordinate, body: box, coordinate: angle, value: 0}
  rail: {type: coordinate, body: disc, coordinate: y, value: 0}
  belt: {type: row, coefficients: {disc.vx: 1}, constant: 5}
forces:
  tether: {type: spring-damper-actuator, between: [ground, disc], stiffness: 1, length: 5}
events:
  stop: {type: limit, of: {arm.angle: 1}, minimum: -3, maximum: 0}
  slope: {type: contact, between: [ground, box], normal: [0.1, 1], coefficient: 0.5}
  grip: {type: slip-stick, joint: belt, coefficient: 0.1, normal: rail.reaction.fy}
  snap: {type: break, joints: hinge, force: 1e6}
  one: {type: mark, when: arm.x - 9}
  two: {type: mark, when: tether.force - 1e4 + hinge.reaction.fx}
)";

TEST(EventAllocation, NoneInTheStepsBetweenEvents) {
  if (!allocations_are_counted()) GTEST_SKIP() << "not counted here";
  const auto m = compile(falling);
  const auto formulation = gauss::make_formulation("auto");
  const auto stabilizer = stabilize::make_stabilizer("projection", {});
  Motion motion(*m, *formulation, *stabilizer, {});
  const auto integrator = integrate::make_integrator("adams", {1e-8, 0, 0, 0});
  State state = m->initial_state();
  analysis::assemble(*m, state, {});
  analysis::EventRun events(*m, {});
  std::vector<analysis::EventEntry> ledger;
  events.begin(state, ledger);
  motion.set_active(state.active);
  motion.set_inputs(state.inputs);
  Vector y(motion.size());
  motion.pack(state, as_span(y));
  integrator->start(motion, 0, as_span(y));
  events.arm(0, as_span(y), state);
  const auto step = [&] {
    integrator->step(events.stop(integrator->t(), 1e6));
    ASSERT_FALSE(events.search(*integrator)) << "at t = " << integrator->t();
  };
  for (int k = 0; k < 50; ++k) step();
  const AllocationCounter heap;
  for (int k = 0; k < 300; ++k) step();
  EXPECT_EQ(heap.count(), 0);
}

}  // namespace
}  // namespace mortise::test
