// Rigid contacts by `contact-stepping` against what is known in closed form.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/contact_piles.h"
#include "support/examples.h"

namespace mortise::test {
namespace {

const double gravity = 9.81;

double energy(const analysis::Frame& f) { return f.kinetic + f.potential; }

// The largest rise of the energy from one frame to the next, and how far the ledger is from balance.
void expect_energy_to_fall(const Recording& r, double scale, double rise = 1e-12, double balance = 1e-9) {
  double worst = 0, off = 0;
  for (std::size_t k = 1; k < r.frames.size(); ++k) {
    worst = std::max(worst, energy(r.frames[k]) - energy(r.frames[k - 1]));
    const analysis::Frame& f = r.frames[k];
    off = std::max(off, std::abs(energy(f) + f.dissipated - f.applied - f.constraint_work - energy(r.frames[0])));
  }
  EXPECT_LE(worst, rise * scale);
  EXPECT_LE(off, balance * scale);
}

std::vector<double> peaks(const std::vector<double>& height) {
  std::vector<double> out;
  for (std::size_t k = 1; k + 1 < height.size(); ++k)
    if (height[k] > height[k - 1] && height[k] >= height[k + 1]) out.push_back(height[k]);
  return out;
}

const char* const bouncing = R"(mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  ball: {mass: 2, inertia: [0.008, 0.008, 0.008], at: [0, 0, 1.1], geometry: {skin: {sphere: 0.1}}}
forces:
  touch: {type: contact-rigid, ground: {floor: {plane: [0, 0, 1]}}, restitution: 0.5}
analysis: {until: 2.2, integrator: contact-stepping, step: 1e-3}
output: {every: 1e-3}
)";

TEST(ContactStepping, BallBouncesToTheHeightsOfItsRestitution) {
  for (const double e : {1.0, 0.5}) {
    const Recording r = run_text(bouncing, {"forces.touch.restitution=" + std::to_string(e)});
    const std::vector<double> found = peaks(r.history("ball.z"));
    ASSERT_GE(found.size(), 2u);
    for (std::size_t k = 0; k < std::min<std::size_t>(found.size(), 3); ++k)
      EXPECT_NEAR(found[k] - 0.1, std::pow(e, 2.0 * (static_cast<double>(k) + 1)), 1e-3) << e << " " << k;
    expect_energy_to_fall(r, 2 * gravity);
    if (e == 1) {
      EXPECT_NEAR(energy(r.frames.back()), energy(r.frames.front()), 1e-9);
    }
  }
  const Recording r = run_text(bouncing, {"forces.touch.restitution=0"});
  double rebound = -1, lowest = 1;
  for (const analysis::Frame& f : r.frames)
    if (f.t > 0.47) rebound = std::max(rebound, f.q[2] - 0.1), lowest = std::min(lowest, f.q[2] - 0.1);
  EXPECT_NEAR(rebound, 0, 1e-3);
  EXPECT_GT(lowest, -1e-6);
  EXPECT_NEAR(r.last("touch.force"), 2 * gravity, 1e-9);
  EXPECT_NEAR(r.last("touch.fz"), 2 * gravity, 1e-9);
  EXPECT_NEAR(r.frames.back().a[2], 0, 1e-9);  // frames feel the contact
  expect_energy_to_fall(r, 2 * gravity);
}

TEST(ContactStepping, TwoSpheresLeaveOneAnotherByNewtonsLaw) {
  for (const double e : {1.0, 0.5, 0.0}) {
    const Recording r = run_text(R"(mortise: 1
dimension: spatial
bodies:
  a: {mass: 1, inertia: [0.004, 0.004, 0.004], at: [0, 0, 0], velocity: [3, 0, 0], geometry: {skin: {sphere: 0.1}}}
  b: {mass: 3, inertia: [0.012, 0.012, 0.012], at: [0.5, 0, 0], velocity: [-1, 0, 0], geometry: {skin: {sphere: 0.1}}}
forces:
  touch: {type: contact-rigid, bodies: "a, b"}
analysis: {until: 0.2, integrator: contact-stepping, step: 1e-3}
)",
                                 {"forces.touch.restitution=" + std::to_string(e)});
    const double mean = 0, relative = 4, mu = 0.75;
    EXPECT_NEAR(r.last("a.vx"), mean - 3 * e * relative / 4, 1e-12);
    EXPECT_NEAR(r.last("b.vx"), mean + 1 * e * relative / 4, 1e-12);
    EXPECT_NEAR(r.last("a.vx") + 3 * r.last("b.vx"), 0, 1e-12);
    EXPECT_NEAR(r.last("energy.dissipated"), (1 - e * e) * 0.5 * mu * relative * relative, 1e-12);
  }
}

const char* const incline = R"(mortise: 1
dimension: planar
parameters: {slope: 30 deg, m: 2}
gravity: [9.81*sin(slope), -9.81*cos(slope)]
bodies:
  block: {mass: m, inertia: 0.02, at: [0, 0.1], geometry: {skin: {box: [0.4, 0.2]}}}
forces:
  touch: {type: contact-rigid, ground: {incline: {plane: [0, 1]}}, friction: 0.5}
analysis: {until: 1, integrator: contact-stepping, step: 2e-3}
output: {every: 0.01}
)";

TEST(ContactStepping, BlockOnAnInclineSticksAndSlipsAtTheRightAngle) {
  const double angle = std::atan(0.5);
  for (const double off : {-1e-3, 1e-3}) {
    const double slope = angle + off;
    const Recording r = run_text(incline, {"parameters.slope=" + std::to_string(slope)});
    if (off < 0) {
      EXPECT_LT(std::abs(r.last("block.x")), 1e-9);
    } else {
      EXPECT_NEAR(r.last("block.vx"), gravity * (std::sin(slope) - 0.5 * std::cos(slope)), 1e-5);
    }
    EXPECT_NEAR(r.last("block.y"), 0.1, 1e-9);
    expect_energy_to_fall(r, 2 * gravity, 1e-9);
  }
  // At 30 degrees it slides with g (sin − µ cos), pushed by m g cos and µ m g cos.
  const Recording r = run_text(incline);
  const double a = gravity * (0.5 - 0.5 * std::sqrt(0.75));
  EXPECT_NEAR(r.last("block.vx"), a, 1e-8);
  EXPECT_NEAR(r.last("touch.fy"), 2 * gravity * std::sqrt(0.75), 1e-6);
  EXPECT_NEAR(r.last("touch.fx"), -gravity * std::sqrt(0.75), 1e-6);
  EXPECT_NEAR(r.frames.back().a[0], a, 1e-6);
  EXPECT_NEAR(r.last("block.angle"), 0, 1e-9);
  // Thrown uphill it stops after v²/2(g sin + µ g cos) and, at a smaller slope, stays there.
  const Recording up = run_text(incline, {"parameters.slope=20 deg", "bodies.block.velocity=[-1, 0]"});
  const double way = 1 / (2 * gravity * (std::sin(M_PI / 9) + 0.5 * std::cos(M_PI / 9)));
  EXPECT_NEAR(-up.last("block.x"), way, 2e-3);
  EXPECT_EQ(up.last("block.vx") < 1e-9, true);
}

TEST(ContactStepping, BlockInSpaceSlidesToRestAcrossTheSlope) {
  // Sideways on an incline below the angle of friction: it comes to rest, wherever its path has bent to.
  const Recording r = run_text(R"(mortise: 1
dimension: spatial
parameters: {slope: 20 deg}
gravity: [9.81*sin(slope), 0, -9.81*cos(slope)]
bodies:
  block: {mass: 2, inertia: [0.02, 0.03, 0.04], at: [0, 0, 0.1], velocity: [0, 2, 0], geometry: {skin: {box: [0.4, 0.3, 0.2]}}}
forces:
  touch: {type: contact-rigid, ground: {incline: {plane: [0, 0, 1]}}, friction: 0.5}
analysis: {until: 1.5, integrator: contact-stepping, step: 2e-3}
output: {every: 0.01}
)");
  EXPECT_GT(r.last("block.x"), 0.01);
  EXPECT_NEAR(r.last("block.vy"), 0, 1e-7);
  EXPECT_NEAR(r.last("block.z"), 0.1, 1e-5);
  expect_energy_to_fall(r, 2 * gravity, 1e-9);
}

TEST(ContactStepping, BallThatSkidsRollsWithFiveSeventhsOfItsSpeed) {
  const Recording r = run_text(R"(mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  ball: {mass: 2, inertia: [0.008, 0.008, 0.008], at: [0, 0, 0.1], velocity: [3, 0, 0], geometry: {skin: {sphere: 0.1}}}
forces:
  touch: {type: contact-rigid, ground: {floor: {plane: [0, 0, 1]}}, friction: 0.2}
analysis: {until: 1, integrator: contact-stepping, step: 1e-3}
)");
  EXPECT_NEAR(r.last("ball.vx"), 15.0 / 7, 1e-8);
  EXPECT_NEAR(r.last("ball.wy"), 150.0 / 7, 1e-7);
  EXPECT_NEAR(r.at("ball.vx", 0.2), 3 - 0.2 * gravity * 0.2, 1e-8);
}

const char* const cradle = R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
parameters: {lifted: 30 deg}
bodies:
  ball0: {type: particle, mass: 0.3, at: [-sin(lifted), -cos(lifted)], geometry: {skin: {sphere: 0.05}}}
  ball$(i+1): {repeat: {i: 4}, type: particle, mass: 0.3, at: [0.1*(i+1), -1], geometry: {skin: {sphere: 0.05}}}
joints:
  string$i: {repeat: {i: 5}, type: distance, between: [ground, ball$i], points: [[0.1*i, 0], [0, 0]]}
forces:
  touch: {type: contact-rigid, restitution: 1}
analysis: {until: 2.2, integrator: contact-stepping, step: 5e-4}
output: {every: 2e-3}
)";

TEST(ContactStepping, NewtonsCradleHandsTheMotionFromOneEndToTheOther) {
  const Recording r = run_text(cradle);
  const double top = 1 - std::cos(M_PI / 6);
  const auto first = r.history("ball0.y"), middle = r.history("ball2.y"), last = r.history("ball4.y");
  const double swing = *std::max_element(last.begin(), last.end()) + 1;
  EXPECT_NEAR(swing, top, 2e-3 * top);
  EXPECT_LT(*std::max_element(middle.begin(), middle.end()) + 1, 1e-4 * top);
  // Back at the first ball after two half swings.
  double back = -1;
  for (std::size_t k = 0; k < first.size(); ++k)
    if (r.frames[k].t > 1.5) back = std::max(back, first[k]);
  EXPECT_NEAR(back + 1, top, 5e-3 * top);
  expect_energy_to_fall(r, 0.3 * gravity * top, 1e-4, 1e-3);
}

TEST(ContactStepping, ImpactsGoThroughJointsRedundantOnesToo) {
  // A door of two links on doubled hinges is struck; angular momentum about the hinge is that of the ball alone before.
  const Recording r = run_text(R"(mortise: 1
dimension: planar
bodies:
  door: {mass: 3, inertia: 0.25, at: [0, 0.5], geometry: {leaf: {box: [0.04, 1]}}}
  ball: {mass: 1, inertia: 0.001, at: [-0.4, 0.8], velocity: [2, 0], geometry: {skin: {sphere: 0.05}}}
joints:
  hinge: {type: revolute, between: [ground, door], at: [0, 0]}
  again: {type: revolute, between: [ground, door], at: [0, 0]}
forces:
  touch: {type: contact-rigid, restitution: 0.6}
analysis: {until: 0.4, integrator: contact-stepping, step: 1e-3}
)");
  const double inertia = 0.25 + 3 * 0.25, arm = 0.8, v = 2, e = 0.6;
  const double w = (1 + e) * v * arm / (arm * arm + inertia);
  EXPECT_NEAR(r.last("door.wz"), -w, 1e-5);
  EXPECT_NEAR(r.last("ball.vx"), v - w * inertia / arm, 1e-9);
  EXPECT_LT(r.last("constraint.position"), 1e-12);
  EXPECT_EQ(r.result.rank.rank, 2);
}

// What is a handful of lines in a model, and thousands of sweeps without roles: weight passed on by light bodies.
TEST(ContactStepping, TowersStandAndHeavyBodiesRestOnLightOnes) {
  const char* tower = R"(mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
parameters: {heavy: 1, a: 0.2}
bodies:
  light$i: {repeat: {i: 5}, mass: 0.1, inertia: [6.7e-4, 6.7e-4, 6.7e-4], at: [0, 0, a*(i + 0.5)], geometry: {skin: {box: [a, a, a]}}}
  top: {mass: heavy, inertia: [heavy/100, heavy/100, heavy/100], at: [0, 0, 1.15], geometry: {skin: {box: [0.3, 0.3, 0.3]}}}
forces:
  touch: {type: contact-rigid, friction: 0.5, ground: {floor: {plane: [0, 0, 1]}}}
analysis: {until: 1, integrator: contact-stepping, step: 2e-3}
output: {every: 0.01}
)";
  for (const double heavy : {0.1, 20.0, 2000.0}) {
    SCOPED_TRACE(heavy);
    const Recording r = run_text(tower, {"parameters.heavy=" + std::to_string(heavy)});
    EXPECT_NEAR(r.last("top.z"), 1.15, 1e-9);
    EXPECT_NEAR(r.last("top.x"), 0, 1e-9);
    EXPECT_NEAR(r.last("light0.z"), 0.1, 1e-9);
    EXPECT_NEAR(r.last("touch.fz"), (heavy + 0.5) * gravity, 1e-6 * (heavy + 0.5));
    EXPECT_TRUE(r.result.remarks.empty()) << r.result.remarks.front();
    expect_energy_to_fall(r, (heavy + 0.5) * gravity);
  }
}

TEST(ContactStepping, ABoxOverAnEdgeTipsWhenItsCentreIsBeyondIt) {
  for (const double off : {-1e-3, 1e-3}) {
    const Recording r = run_text(R"(mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
parameters: {off: 0}
bodies:
  table: {mass: 5, inertia: [0.1, 0.1, 0.1], at: [0, 0, 0.1], geometry: {skin: {box: [0.4, 0.4, 0.2]}}}
  plank: {mass: 1, inertia: [0.005, 0.005, 0.005], at: [0.2 + off, 0, 0.25], geometry: {skin: {box: [0.2, 0.2, 0.1]}}}
forces:
  touch: {type: contact-rigid, ground: {floor: {plane: [0, 0, 1]}}, friction: 0.5}
analysis: {until: 1, integrator: contact-stepping, step: 2e-3}
)",
                                 {"parameters.off=" + std::to_string(off)});
    if (off < 0)
      EXPECT_NEAR(r.last("plank.z"), 0.25, 1e-6);
    else
      EXPECT_LT(r.last("plank.z"), 0.15);
  }
}

TEST(ContactStepping, ShapesOfAllKindsRestOnOneAnother) {
  const Recording r = run_text(R"(mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  table: {mass: 5, inertia: [0.1, 0.1, 0.1], at: [0, 0, 0.1], geometry: {skin: {box: [1, 0.4, 0.2]}}}
  rod: {mass: 1, inertia: [0.02, 0.02, 0.001], at: [0, 0, 0.25], orientation: {axis: [0, 1, 0], angle: 90 deg},
        geometry: {skin: {capsule: [0.05, 0.4]}}}
  cross: {mass: 1, inertia: [0.02, 0.02, 0.001], at: [0, 0, 0.35], orientation: {axis: [1, 0, 0], angle: 90 deg},
          geometry: {skin: {capsule: [0.05, 0.4]}}}
  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], at: [0.4, 0, 0.3], geometry: {skin: {sphere: 0.1}}}
  lid: {mass: 1, inertia: [0.01, 0.01, 0.01], at: [-0.4, 0, 0.25], geometry: {skin: {box: [0.1, 0.1, 0.1]}}}
  pin: {mass: 0.5, inertia: [0.001, 0.001, 0.0002], at: [-0.4, 0, 0.33], orientation: {axis: [1, 0, 0], angle: 90 deg},
        geometry: {skin: {capsule: [0.03, 0.06]}}}
forces:
  touch: {type: contact-rigid, ground: {floor: {plane: [0, 0, 1]}}, friction: 0.5}
analysis: {until: 1, integrator: contact-stepping, step: 2e-3}
output: {every: 0.01}
)");
  const std::pair<const char*, double> heights[] = {{"table.z", 0.1}, {"rod.z", 0.25}, {"cross.z", 0.35},
                                                    {"ball.z", 0.3},  {"lid.z", 0.25}, {"pin.z", 0.33}};
  for (const auto& [name, z] : heights) EXPECT_NEAR(r.last(name), z, 1e-7) << name;
  EXPECT_NEAR(r.last("touch.fz"), 9.5 * gravity, 1e-5);
  EXPECT_LT(r.last("energy.kinetic"), 1e-12);
}

// Friction works against the velocity, whatever its direction: v²/2µg far, in a straight line.
TEST(ContactStepping, ABoxSlidesStraightToRest) {
  for (const double angle : {0.0, 0.5236, 2.0}) {
    const Recording r = run_text(R"(mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
parameters: {psi: 0}
bodies:
  box: {mass: 2, inertia: [0.02, 0.03, 0.04], at: [0, 0, 0.1], velocity: [3*cos(psi), 3*sin(psi), 0], geometry: {skin: {box: [0.4, 0.3, 0.2]}}}
forces:
  touch: {type: contact-rigid, ground: {floor: {plane: [0, 0, 1]}}, friction: 0.4}
analysis: {until: 1.2, integrator: contact-stepping, step: 5e-4}
)",
                                 {"parameters.psi=" + std::to_string(angle)});
    const double x = r.last("box.x"), y = r.last("box.y");
    EXPECT_NEAR(std::hypot(x, y), 9 / (2 * 0.4 * gravity), 1e-3);
    EXPECT_NEAR(y * std::cos(angle) - x * std::sin(angle), 0, 1e-6);
    EXPECT_NEAR(r.last("box.qz"), 0, 1e-6);
    EXPECT_EQ(std::abs(r.last("box.vx")) + std::abs(r.last("box.vy")) < 1e-9, true);
  }
}

// Fingers slide on a palm that a driver lifts on doubled rails; what they squeeze is held by friction alone.
TEST(ContactStepping, FingersOnJointsHoldWhatTheySqueeze) {
  const char* gripper = R"(mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
parameters: {mu: 0.6}
bodies:
  palm: {mass: 2, inertia: [0.02, 0.02, 0.02], at: [0, 0, 0.6]}
  left: {mass: 0.3, inertia: [0.001, 0.001, 0.001], at: [-0.08, 0, 0.45], geometry: {pad: {box: [0.02, 0.1, 0.3]}}}
  right: {mass: 0.3, inertia: [0.001, 0.001, 0.001], at: [0.08, 0, 0.45], geometry: {pad: {box: [0.02, 0.1, 0.3]}}}
  load: {mass: 1, inertia: [0.0017, 0.0017, 0.0017], at: [0, 0, 0.36], geometry: {skin: {box: [0.12, 0.1, 0.1]}}}
joints:
  rail: {type: prismatic, between: [ground, palm], at: [0, 0, 0.6], axis: [0, 0, 1]}
  again: {type: prismatic, between: [ground, palm], at: [0, 0, 0.6], axis: [0, 0, 1]}
  l: {type: prismatic, between: [palm, left], at: [-0.08, 0, 0.6], axis: [1, 0, 0]}
  r: {type: prismatic, between: [palm, right], at: [0.08, 0, 0.6], axis: [1, 0, 0]}
drivers:
  lift: {type: translation, joint: rail, function: "0.1*t^2"}
forces:
  touch: {type: contact-rigid, friction: mu, ground: {floor: {plane: [0, 0, 1]}}}
  squeeze: {type: spring-damper-actuator, between: [left, right], length: 0.02, stiffness: 300, damping: 5}
analysis: {until: 0.6, integrator: contact-stepping, step: 1e-3}
output: {every: 0.01}
)";
  const Recording r = run_text(gripper);
  EXPECT_EQ(r.result.rank.rank, 16);
  // It fell 0.8 mm before the fingers closed; first order: 0.1 h a step of creep.
  EXPECT_NEAR(r.last("load.z") - r.last("palm.z"), -0.24 - 8.2e-4, 2e-4);
  EXPECT_NEAR(r.last("load.y"), 0, 1e-5);
  EXPECT_NEAR(r.last("load.qw"), 1, 1e-6);
  EXPECT_LT(r.spread("energy.balance"), 5e-3);
  EXPECT_LT(r.last("constraint.position"), 1e-12);
  const Recording slippery = run_text(gripper, {"parameters.mu=0.1"});  // 2 · 0.1 · 36 N is less than its weight
  EXPECT_LT(slippery.last("load.z"), 0.2);
}

// Everything that gives or takes energy while bodies touch is in the ledger: forces, dampers, drivers, joints hit.
TEST(ContactStepping, LedgerHoldsForcesDampersDriversAndImpactsThroughJoints) {
  const Recording pushed = run_text(R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  block: {mass: 1, inertia: 0.0067, at: [0, 0.1], velocity: [0.5, 0], geometry: {skin: {box: [0.2, 0.2]}}}
forces:
  touch: {type: contact-rigid, friction: 0.2, restitution: 0.3,
          ground: {floor: {plane: [0, 1]}, wall: {plane: [-1, 0], at: [0.5, 0]}}}
  push: {type: force, body: block, value: [100, 0]}
  oil: {type: spring-damper-actuator, between: [ground, block], points: [[-1, 0.1], [0, 0]], length: 1, stiffness: 10, damping: 5}
analysis: {until: 1, integrator: contact-stepping, step: 1e-3}
output: {every: 0.01}
)");
  EXPECT_NEAR(pushed.last("energy.applied"), 40, 0.01);  // 100 N over 0.4 m, and none once it rests at the wall
  EXPECT_LT(pushed.spread("energy.balance"), 1e-2);
  const Recording shaken = run_text(R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  table: {mass: 5, inertia: 1, at: [0, 0], geometry: {skin: {box: [2, 0.1]}}}
  box: {mass: 1, inertia: 0.0067, at: [0, 0.15], geometry: {skin: {box: [0.2, 0.2]}}}
joints:
  rail: {type: prismatic, between: [ground, table], at: [0, 0], axis: [1, 0]}
drivers:
  shake: {type: translation, joint: rail, function: 0.2*sin(pi*t)^2}
forces:
  touch: {type: contact-rigid, friction: 0.3}
analysis: {until: 2, integrator: contact-stepping, step: 1e-3}
output: {every: 0.01}
)");
  EXPECT_GT(shaken.last("energy.dissipated"), 0.1);
  EXPECT_LT(shaken.spread("energy.balance"), 1e-10);
}

// A joint to the ground does not keep a body from the shapes of the ground: a beam falls on its hinge to the floor.
TEST(ContactStepping, WhatAJointFixesToTheGroundRunsIntoItsShapes) {
  const Recording r = run_text(R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.08, at: [0.5, 0], geometry: {skin: {box: [1, 0.05]}}}
joints:
  A: {type: revolute, between: [ground, arm], at: [0, 0]}
forces:
  touch: {type: contact-rigid, ground: {floor: {plane: [0, 1], at: [0, -0.6]}}, restitution: 0.3}
analysis: {until: 2, integrator: contact-stepping, step: 1e-3}
output: {every: 0.01}
)");
  const double angle = r.last("arm.angle");
  EXPECT_NEAR(std::sin(angle) - 0.025 * std::cos(angle), -0.6, 1e-4);
  EXPECT_NEAR(r.last("arm.wz"), 0, 1e-6);
  // m g · (its lever) = the force of the floor · (that of the corner).
  EXPECT_NEAR(r.last("touch.fy"), gravity * 0.5 * std::cos(angle) / (std::cos(angle) + 0.025 * std::sin(angle)), 0.05);
  EXPECT_LT(r.spread("energy.balance"), 1e-4);
}

TEST(ContactStepping, PileOfAHundredBallsStaysBoundedAndNeverGainsEnergy) {
  const Recording r = run_text(pile_text(5, 4, 0.8));
  const PileFigures f = figures(r);
  EXPECT_LT(f.deepest, 0.005);
  EXPECT_LE(f.growth, 1e-12 * f.first);
  EXPECT_LE(f.balance, 1e-11 * f.first);
  EXPECT_NEAR(r.last("pile.fz"), 100 * gravity, 0.1 * 100 * gravity);
}

TEST(ContactStepping, TumblingBoxesAndCapsulesNeverGainEnergy) {
  for (const double e : {0.0, 0.4}) {
    const Recording r = run_text(R"(mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  box$i: {repeat: {i: 6}, mass: 1, inertia: [0.01, 0.013, 0.008], at: [0.05*i, 0.02*i, 0.4 + 0.35*i], angular_velocity: [3, 2 - i, i],
          geometry: {skin: {box: [0.2, 0.25, 0.3]}}}
  rod: {mass: 1, inertia: [0.02, 0.02, 0.003], at: [0.1, 0.1, 3], angular_velocity: [1, 5, 2], geometry: {skin: {capsule: [0.08, 0.4]}}}
forces:
  touch: {type: contact-rigid, ground: {floor: {plane: [0, 0, 1]}}, restitution: 0, friction: 0.4}
analysis: {until: 1.5, integrator: contact-stepping, step: 2e-3}
output: {every: 2e-3}
)",
                                 {"forces.touch.restitution=" + std::to_string(e)});
    expect_energy_to_fall(r, 70, 1e-12, 1e-9);
    for (const analysis::Frame& f : r.frames)
      for (int k = 0; k < 6; ++k) ASSERT_GT(f.q[7 * k + 2], 0.05);
    EXPECT_LT(r.last("touch.penetration"), 0.01);
  }
}

}  // namespace
}  // namespace mortise::test
