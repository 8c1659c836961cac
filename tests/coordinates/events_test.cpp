// Events in other than absolute coordinates: the same ledger and the same motion, whatever the unknowns; joints that
// events switch are cut, all others may be fulfilled by the map.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "support/examples.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

// A pendulum that is caught, let go and meets a stop, a ball that bounces, skids and rolls, a rope that breaks.
const char* const all_kinds = R"(mortise: 1
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
output: {every: 0.05, checkpoint: {steps: 9}}
)";

// Three bars in space on a ball and two hinges; the middle hinge is braked and let go, the last one breaks off.
const char* const in_space = R"(mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  one: {mass: 2, inertia: [0.01, 0.2, 0.2], at: [0.5, 0, 0], angular_velocity: [0.3, 0, 1]}
  two: {mass: 1, inertia: [0.005, 0.1, 0.1], at: [1.5, 0, 0], velocity: [0, 1, 0], angular_velocity: [0, 0, 1]}
  three: {mass: 1, inertia: [0.005, 0.1, 0.1], at: [2.5, 0, 0], velocity: [0, 2, 0], angular_velocity: [0, 0, 1]}
joints:
  ball: {type: spherical, between: [ground, one], at: [0, 0, 0]}
  knee: {type: revolute, between: [one, two], at: [1, 0, 0], axis: [0, 0.6, 0.8]}
  ankle: {type: revolute, between: [two, three], at: [2, 0, 0], axis: [0, 1, 0]}
drivers:
  brake: {type: rotation, joint: knee, function: 0, active: false}
events:
  caught: {type: lock, joints: brake, when: two.z + 0.4}
  freed: {type: unlock, joints: brake, at: 0.6}
  torn: {type: unlock, joints: ankle, at: 0.8}
analysis: {until: 1.2, tolerance: 1e-10}
output: {every: 0.1}
)";

struct Choice {
  const char *name, *settings;
};

void expect_the_same(const char* text, const Choice& choice, std::initializer_list<const char*> quantities) {
  const Recording wanted = run_text(text), r = run_text(text, {choice.settings});
  ASSERT_EQ(r.result.events.size(), wanted.result.events.size()) << choice.name;
  double time = 0, impulse = 0, state = 0;
  for (std::size_t k = 0; k < r.result.events.size(); ++k) {
    const analysis::EventEntry &a = r.result.events[k], &b = wanted.result.events[k];
    EXPECT_EQ(a.what, b.what) << choice.name;
    EXPECT_EQ(a.event, b.event) << choice.name;
    EXPECT_EQ(a.joints, b.joints) << choice.name;
    time = std::max(time, std::abs(a.t - b.t));
    impulse = std::max({impulse, std::abs(a.impulse - b.impulse), std::abs(a.work - b.work)});
  }
  for (const char* q : quantities) state = std::max(state, std::abs(r.last(q) - wanted.last(q)));
  double violation = 0;
  for (const analysis::Frame& f : r.frames) violation = std::max({violation, f.position_error, f.velocity_error});
  std::printf("%-18s %zu events: times %.1e s, impulses %.1e, end state %.1e; violation %.1e, energy drift %.1e\n",
              choice.name, r.result.events.size(), time, impulse, state, violation, r.result.summary.energy_drift);
  EXPECT_LT(time, 1e-8) << choice.name;
  EXPECT_LT(impulse, 1e-6) << choice.name;
  EXPECT_LT(state, 1e-6) << choice.name;
  EXPECT_LT(violation, 1e-10) << choice.name;
  EXPECT_LT(r.result.summary.energy_drift, 1e-6) << choice.name;
}

TEST(EventsInOtherCoordinates, AreThoseOfAbsoluteOnesInThePlane) {
  for (const Choice& choice :
       {Choice{"tree", "analysis.coordinates=tree"}, Choice{"natural", "analysis.coordinates=natural"},
        Choice{"natural, formed",
               "analysis={coordinates: natural, formulation: udwadia-kalaba, until: 1.4, "
               "tolerance: 1e-10}"}})
    expect_the_same(all_kinds, choice,
                    {"arm.angle", "arm.wz", "ball.x", "ball.y", "ball.angle", "ball.vx", "bob.x", "bob.y", "bob.vy"});
}

TEST(EventsInOtherCoordinates, AreThoseOfAbsoluteOnesInSpace) {
  for (const Choice& choice :
       {Choice{"tree", "analysis.coordinates=tree"}, Choice{"natural", "analysis.coordinates=natural"},
        Choice{"euler-angles", "analysis.coordinates=euler-angles"},
        Choice{"euler-parameters",
               "analysis={coordinates: euler-parameters, formulation: udwadia-phohomsiri, until: "
               "1.2, tolerance: 1e-10}"}})
    expect_the_same(in_space, choice,
                    {"one.x", "one.z", "two.y", "two.z", "three.x", "three.y", "three.z", "three.wz"});
}

// Sheet of natural partitioning, check 13: bars that float keep their momentum when a joint between them locks.
TEST(EventsInOtherCoordinates, ALockedJointOfFloatingBarsLeavesMomentumAsItIs) {
  const char* const bars = R"(mortise: 1
dimension: planar
bodies:
  a: {mass: 1, inertia: 1/12, at: [0.5, 0], velocity: [0, 0.5], angular_velocity: 1}
  b: {mass: 2, inertia: 1/6, at: [1.5, 0], velocity: [0, 0], angular_velocity: -2}
  c: {mass: 1, inertia: 1/12, at: [2.5, 0], velocity: [0, 0.5], angular_velocity: 3}
joints:
  ab: {type: revolute, between: [a, b], at: [1, 0]}
  bc: {type: revolute, between: [b, c], at: [2, 0]}
drivers: {brake: {type: rotation, joint: bc, function: 0, active: false}}
events: {caught: {type: lock, joints: brake, at: 0.4}}
analysis: {until: 1, tolerance: 1e-10, coordinates: natural}
output: {every: 0.1}
)";
  const Recording r = run_text(bars);
  ASSERT_EQ(r.result.events.size(), 1u);
  const double mass[] = {1, 2, 1}, inertia[] = {1. / 12, 1. / 6, 1. / 12};
  const char* const names[] = {"a", "b", "c"};
  const auto momentum = [&](std::size_t frame) {
    Eigen::Vector3d out(0, 0, 0);
    for (int k = 0; k < 3; ++k) {
      const auto value = [&](const char* of) { return r.history(std::string(names[k]) + of)[frame]; };
      out.x() += mass[k] * value(".vx");
      out.y() += mass[k] * value(".vy");
      out.z() += inertia[k] * value(".wz") + mass[k] * (value(".x") * value(".vy") - value(".y") * value(".vx"));
    }
    return out;
  };
  const std::size_t after = r.result.events[0].frame;
  EXPECT_GT(std::abs(r.history("b.wz")[after] - r.history("b.wz")[after - 1]), 0.1);  // an impulse it was
  EXPECT_LT(std::abs(r.history("b.wz")[after] - r.history("c.wz")[after]), 1e-12);
  for (std::size_t k = 0; k < r.frames.size(); ++k) {
    EXPECT_LT((momentum(k) - momentum(0)).norm(), 1e-9) << "frame " << k;
    EXPECT_LT(r.frames[k].position_error, 1e-10);
    EXPECT_LT(r.frames[k].velocity_error, 1e-10);
  }
}

TEST(EventsInOtherCoordinates, GoOnWithTheSameBitsAfterACheckpoint) {
  for (const char* coordinates : {"tree", "natural"}) {
    const auto m = compile(all_kinds, {std::string("analysis.coordinates=") + coordinates, "analysis.max_step=0.05"});
    Recorder straight;
    run(*m, straight);
    ASSERT_GE(straight.events.size(), 8u);
    ASSERT_GE(straight.checkpoints.size(), 4u);
    for (std::size_t k = 0; k < straight.checkpoints.size(); k += 1 + straight.checkpoints.size() / 8) {
      Recorder resumed;
      resumed.frames = straight.frames;
      resumed.events = straight.events;
      run(*m, resumed, 0, &straight.checkpoints[k].bytes);
      ASSERT_EQ(resumed.frames.size(), straight.frames.size()) << "from t = " << straight.checkpoints[k].t;
      for (std::size_t j = 0; j < resumed.frames.size(); ++j)
        ASSERT_EQ(difference(resumed.frames[j], straight.frames[j]), "") << coordinates << ", frame " << j;
      EXPECT_EQ(difference(resumed.summary, straight.summary), "");
    }
  }
}

}  // namespace
}  // namespace mortise::test
