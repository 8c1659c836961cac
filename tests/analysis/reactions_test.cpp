// Forces in the joints, and the account of energy.
#include <gtest/gtest.h>

#include <cmath>

#include "support/examples.h"

namespace mortise::test {
namespace {

// Tension m (g cos φ + v²/L) with φ from the hanging position: here L = m = 1, cos φ = −y.
TEST(Reactions, OfThePendulumAreItsTension) {
  const Recording r = run_example("pendulum", {"analysis.tolerance=1e-12"});
  for (double t : {0.0, 1.0, 2.5, 7.0, 10.0}) {
    const double x = r.at("bob.x", t), y = r.at("bob.y", t), v = std::hypot(r.at("bob.vx", t), r.at("bob.vy", t));
    const double tension = 9.81 * -y + v * v;
    EXPECT_NEAR(r.at("rod.reaction.fx", t), -tension * x, 1e-10) << t;
    EXPECT_NEAR(r.at("rod.reaction.fy", t), -tension * y, 1e-10) << t;
  }
}

TEST(Reactions, OfAHangingChainAreTheWeightBelow) {
  const Recording r = run_text(R"yaml(
mortise: 1
name: Hanging chain
dimension: planar
gravity: [0, -9.81]
parameters: {N: 8}
bodies:
  link$i: {repeat: {i: N}, mass: 1 + i, inertia: 0.1, at: [0, -i - 1/2], angle: -90 deg}
joints:
  top: {type: revolute, between: [ground, link0], at: [0, 0]}
  pin$i: {repeat: {i: N - 1}, type: revolute, between: [link$i, link$(i+1)], at: [0, -i - 1]}
analysis: {until: 1}
output: {every: 0.5}
)yaml");
  double below = 0;
  for (int i = 7; i >= 0; --i) {
    below += (1 + i) * 9.81;
    const std::string joint = i == 0 ? "top" : "pin" + std::to_string(i - 1);
    EXPECT_NEAR(r.at(joint + ".reaction.fy", 1), below, 1e-9);
    EXPECT_NEAR(r.at(joint + ".reaction.fx", 1), 0, 1e-9);
    EXPECT_NEAR(r.at(joint + ".reaction.first.fy", 1), -below, 1e-9);
  }
  EXPECT_LT(r.spread("link7.y"), 1e-13);
}

struct Wrench {
  Eigen::Vector3d force, torque;
};

Wrench reaction_of(const Recording& r, const std::string& joint, const std::string& form, double t) {
  Wrench w;
  for (int k = 0; k < 3; ++k) {
    w.force[k] = r.at(joint + ".reaction." + form + "f" + "xyz"[k], t);
    w.torque[k] = r.at(joint + ".reaction." + form + "t" + "xyz"[k], t);
  }
  return w;
}

// Newton and Euler for each rod of Bricard's mechanism from what its two joints do to it; the sixth redundant row
// leaves the single forces undetermined, yet together they must move the rods.
TEST(Reactions, MoveEveryBodyOfARedundantMechanism) {
  const Recording r = run_example("bricard");
  const std::array<std::pair<const char*, Eigen::Vector3d>, 6> ends{{{"A", {-0.5, 0, 0}},
                                                                     {"B", {-0.5, 0, 0}},
                                                                     {"C", {-0.5, 0, 0}},
                                                                     {"D", {-0.5, 0, 0}},
                                                                     {"E", {-0.5, 0, 0}},
                                                                     {"F", {0.5, 0, 0}}}};
  const Eigen::Vector3d inertia(0.01 / 6, 1.01 / 12, 1.01 / 12);
  for (double t : {0.0, 1.0, 3.3}) {
    const analysis::Frame& f = r.frame(t);
    for (std::size_t k = 0; k < 5; ++k) {
      const auto body = static_cast<Eigen::Index>(k);
      const geometry::Quaternion p{f.pose[7 * body + 3], f.pose[7 * body + 4], f.pose[7 * body + 5],
                                   f.pose[7 * body + 6]};
      const Eigen::Matrix3d R = geometry::matrix(p);
      // The rod is the second body of its first joint and the first body of the next; rod 5 is the first body of F.
      const Wrench in = reaction_of(r, ends[k].first, "", t), out = reaction_of(r, ends[k + 1].first, "first.", t);
      const Eigen::Vector3d arm = R * Eigen::Vector3d(0.5, 0, 0);
      const Eigen::Vector3d force = in.force + out.force + Eigen::Vector3d(0, -9.81, 0);
      const Eigen::Vector3d torque = in.torque + out.torque - arm.cross(in.force) + arm.cross(out.force);
      const Eigen::Vector3d a = f.acceleration.segment<3>(6 * body), alpha = f.acceleration.segment<3>(6 * body + 3);
      const Eigen::Vector3d w = f.velocity.segment<3>(6 * body + 3);
      const Eigen::Matrix3d J = R * inertia.asDiagonal() * R.transpose();
      EXPECT_LT((force - a).norm(), 1e-9) << "rod " << k + 1 << " at " << t;
      EXPECT_LT((torque - J * alpha - w.cross(J * w)).norm(), 1e-9) << "rod " << k + 1 << " at " << t;
    }
  }
}

// What one body feels the other gives back, in world axes and in the joint's own; a hinge passes no torque about
// itself.
TEST(Reactions, ActOnBothBodiesAndReadTheSameInJointAxes) {
  const Recording r = run_example("bricard");
  for (const char* joint : {"A", "B", "C", "D", "E", "F"}) {
    const Wrench second = reaction_of(r, joint, "", 1), first = reaction_of(r, joint, "first.", 1);
    EXPECT_LT((second.force + first.force).norm(), 1e-12) << joint;
    EXPECT_LT((second.torque + first.torque).norm(), 1e-10) << joint;
    const Wrench local = reaction_of(r, joint, "local.", 1);
    EXPECT_NEAR(local.force.norm(), second.force.norm(), 1e-10) << joint;
    EXPECT_NEAR(local.torque.norm(), second.torque.norm(), 1e-10) << joint;
    EXPECT_NEAR(local.torque.z(), 0, 1e-10) << joint;
  }
}

// Kinetic + potential + dissipated − applied − driver's work stays, with a damper, a driver and a force at work.
TEST(EnergyBalance, ClosesWithDampingDriverAndAppliedForce) {
  const std::string planar = R"yaml(
mortise: 1
name: Shaken pendulum with a damped arm
dimension: planar
gravity: [0, -9.81]
bodies:
  cart: {mass: 2, inertia: 0.1, at: [0, 0]}
  arm:  {mass: 1, inertia: 0.1, at: [0.5, 0], angle: 0, points: {tip: [0.5, 0]}}
  bob:  {type: particle, mass: 0.5, at: [1, -1]}
joints:
  rail: {type: prismatic, between: [ground, cart], axis: [1, 0]}
  hinge: {type: revolute, between: [cart, arm], at: [0, 0]}
drivers:
  shake: {type: translation, joint: rail, function: "0.3*sin(4*t)"}
forces:
  string: {type: spring-damper-actuator, between: [arm.tip, bob], stiffness: 200, damping: 1.5, force: 2*sin(3*t)}
  friction: {type: torsional-spring-damper-actuator, joint: hinge, damping: 0.2, torque: 0.5*cos(t)}
  wind: {type: force, body: bob, value: [3*cos(2*t), 0]}
analysis: {until: 5}
)yaml";
  const std::string spatial = R"yaml(
mortise: 1
name: The same in space
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 1, inertia: [0.03, 0.1, 0.12], center: [0.5, 0, 0], angular_velocity: [0, 0, 3], points: {tip: [1, 0, 0]}}
  top: {mass: 0.5, inertia: [0.02, 0.03, 0.04], at: [1, 0, 0], center: [0.1, 0.2, 0.05], points: {p: [0.2, 0, 0]}}
joints:
  hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 3]}
  ball: {type: spherical, between: [arm.tip, top]}
drivers:
  motor: {type: rotation, joint: hinge, function: 3*t + 0.2*sin(5*t)}
forces:
  string: {type: spring-damper-actuator, between: [ground, top.p], stiffness: 50, damping: 0.5, force: sin(3*t)}
  push: {type: force, body: top, value: ["cos(t)", 1, 0]}
  twist: {type: torque, body: top, value: [0.01, "0.02*sin(t)", 0], in: body}
analysis: {until: 3, assemble: true}
)yaml";
  for (const std::string& text : {planar, spatial})
    for (const auto& [tolerance, allowed] : {std::pair{"1e-8", 1e-5}, {"1e-12", 1e-9}}) {
      const Recording r = run_text(text, {std::string("analysis.tolerance=") + tolerance});
      double largest = 0;
      for (const analysis::Frame& f : r.frames) largest = std::max(largest, f.kinetic);
      report(std::string("energy balance at ") + tolerance, r, r.spread("energy.balance") / largest);
      EXPECT_LT(r.spread("energy.balance"), allowed * largest);
      EXPECT_GT(r.last("energy.dissipated"), 1e-2 * largest);
      EXPECT_GT(std::abs(r.last("energy.applied")), 1e-3 * largest);
      EXPECT_GT(std::abs(r.last("energy.constraint_work")), 1e-2 * largest);
    }
}

}  // namespace
}  // namespace mortise::test
