// Joints and drivers in machines whose motion has a closed form, over many turns.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/examples.h"

namespace mortise::test {
namespace {

const std::string planar = "mortise: 1\ndimension: planar\n", spatial = "mortise: 1\ndimension: spatial\n";

double worst(const Recording& r, const std::string& quantity, const std::function<double(double)>& exact) {
  const std::vector<double> values = r.history(quantity);
  double error = 0;
  for (std::size_t k = 0; k < values.size(); ++k) error = std::max(error, std::abs(values[k] - exact(r.frames[k].t)));
  return error;
}

// Five turns and back to three and a half; the angle of the nut is only known modulo a turn.
TEST(Screw, AdvancesByItsPitchATurnOverManyTurns) {
  const Recording r = run_text(spatial + R"yaml(
parameters: {turns: 5}
bodies: {nut: {mass: 1, inertia: [0.1, 0.2, 0.3], at: [0.2, 0.1, 0.3], center: [0.1, 0, 0]}}
joints: {J: {type: screw, between: [ground, nut], at: [0, 0, 0.1], axis: [0, 0, 1], pitch: -0.02, angle: 10 deg}}
drivers: {M: {type: rotation, joint: J, function: "10 deg + 2*pi*turns*sin(t)"}}
analysis: {until: 2.4, tolerance: 1e-10}
)yaml");
  const double error = worst(r, "J.displacement", [](double t) { return -0.02 * 5 * std::sin(t); });
  report("screw, 5 turns", r, error);
  EXPECT_LT(error, 1e-10);
  EXPECT_NEAR(r.at("J.angle", 0), M_PI / 18, 1e-12);
}

// Free of drivers: a force F along the axis gives m z̈ + J z̈ (2π/p)² = F.
TEST(Screw, TurnsAForceIntoSpin) {
  const Recording r = run_text(spatial + R"yaml(
bodies: {nut: {mass: 2, inertia: [0.1, 0.2, 0.3]}}
joints: {J: {type: screw, between: [ground, nut], at: [0, 0, 0], pitch: 0.5}}
forces: {F: {type: force, body: nut, value: [0, 0, 100]}}
analysis: {until: 2, tolerance: 1e-12}
)yaml");
  const double k = 2 * M_PI / 0.5, a = 100 / (2 + 0.3 * k * k);
  const double error = worst(r, "nut.z", [&](double t) { return a * t * t / 2; });
  report("screw under a force", r, error);
  EXPECT_LT(error, 1e-10);
}

TEST(RackPinion, MovesTheRackByTheArcOverManyTurns) {
  // The pinion turns in a fixed bearing, the rack slides below it: x = +ρ θ for a rack below the pinion.
  const char* bodies = "bodies: {rack: {mass: 1, inertia: %1, at: [0.3, -0.25%2]}, pinion: {mass: 1, inertia: %1}}";
  for (const bool plane : {true, false}) {
    std::string text = bodies;
    const auto put = [&](const std::string& mark, const std::string& value) {
      for (std::size_t at; (at = text.find(mark)) != std::string::npos;) text.replace(at, mark.size(), value);
    };
    put("%1", plane ? "0.1" : "[0.1, 0.1, 0.1]");
    put("%2", plane ? "" : ", 0");
    const std::string zero = plane ? "[0, 0]" : "[0, 0, 0]", x = plane ? "[1, 0]" : "[1, 0, 0]";
    text = (plane ? planar : spatial) + text +
           "\njoints:\n  A: {type: revolute, between: [ground, pinion], at: " + zero +
           "}\n  B: {type: prismatic, between: [ground, rack], at: " + zero + ", axis: " + x +
           "}\n  J: {type: rack-pinion, between: [rack, pinion], radius: 0.25, axis: " + x +
           "}\ndrivers: {M: {type: rotation, joint: A, function: 30*t*t - 4*t}}\nanalysis: {until: 1.5, tolerance: "
           "1e-10}\n";
    const Recording r = run_text(text);
    const double error = worst(r, "rack.x", [](double t) { return 0.3 + 0.25 * (30 * t * t - 4 * t); });
    report(plane ? "rack and pinion, planar, 10 turns" : "rack and pinion, spatial, 10 turns", r, error);
    EXPECT_LT(error, 1e-10);
  }
}

// One shaft is driven over two turns, the other, bent by 45°, turns by the same angle at each instant; a universal
// joint at the same place does not.
TEST(ConstantVelocity, TurnsBothShaftsAlikeAtFortyFiveDegrees) {
  const auto run_with = [](const std::string& joint) {
    return run_text(spatial + R"yaml(
parameters: {c: sqrt(0.5)}
bodies:
  first: {mass: 1, inertia: [0.1, 0.2, 0.3]}
  second: {mass: 1, inertia: [0.3, 0.2, 0.4]}
joints:
  A: {type: revolute, between: [ground, first], at: [0, 0, -1], axis: [0, 0, 1]}
  J: {between: [first, second], at: [0, 0, 0], )yaml" +
                    joint + R"yaml(}
  B: {type: revolute, between: [ground, second], at: [c, 0, c], axis: [c, 0, c]}
drivers: {M: {type: rotation, joint: A, function: 2*pi*t + 0.3*sin(5*t)}}
analysis: {until: 2, tolerance: 1e-10}
)yaml");
  };
  const auto angle = [](double t) { return 2 * M_PI * t + 0.3 * std::sin(5 * t); };
  const auto ratio = [&](const Recording& r, double& turned, double& speed) {
    const auto first = r.history("A.angle"), second = r.history("B.angle");
    const auto wz = r.history("second.wz");
    turned = speed = 0;
    for (std::size_t k = 0; k < first.size(); ++k) {
      turned = std::max(turned, std::abs(std::remainder(second[k] - angle(r.frames[k].t), 2 * M_PI)));
      const double rate = 2 * M_PI + 1.5 * std::cos(5 * r.frames[k].t);
      speed = std::max(speed, std::abs(wz[k] / std::sqrt(0.5) / rate - 1));
    }
  };
  const Recording cv = run_with("type: constant-velocity, axis: [0, 0, 1], axis_second: [c, 0, c]");
  double turned = 0, speed = 0;
  ratio(cv, turned, speed);
  report("constant velocity at 45 deg: angle", cv, turned);
  report("constant velocity at 45 deg: ratio", cv, speed);
  EXPECT_EQ(cv.result.rank.rank, 12);
  EXPECT_LT(turned, 1e-12);
  EXPECT_LT(speed, 1e-12);
  ratio(run_with("type: universal, axis: [0, 1, 0], axis_second: [c, 0, -c]"), turned, speed);
  EXPECT_GT(speed, 0.2) << "Cardan's error at 45 deg is 41 %";
}

TEST(RollingLine, RollsDownASlope) {
  // a = g sin α / (1 + J/mρ²), on either side of the line.
  const Recording r = run_text(planar + R"yaml(
gravity: [0, -9.81]
parameters: {alpha: 20 deg, R: 0.3}
bodies: {disc: {mass: 2, inertia: 0.05, at: [-R*sin(alpha), R*cos(alpha)]}}
joints: {J: {type: rolling-line, between: [ground, disc], axis: [cos(alpha), sin(alpha)], radius: R}}
analysis: {until: 2, tolerance: 1e-12}
)yaml");
  const double a = -9.81 * std::sin(M_PI / 9) / (1 + 0.05 / (2 * 0.09));
  const double error = worst(r, "J.displacement", [&](double t) { return a * t * t / 2; });
  const double turn = worst(r, "disc.angle", [&](double t) { return -a * t * t / 2 / 0.3; });
  report("disc on a slope", r, std::max(error, turn));
  EXPECT_LT(error, 1e-10);
  EXPECT_LT(turn, 1e-10);
}

// The centre goes around on an arm by ψ: a disc outside turns by (R+ρ)/ρ ψ, one inside by −(R−ρ)/ρ ψ, and a ring that
// rolls around a disc inside it by (ρ−R)/ρ ψ.
TEST(RollingCircle, TurnsByTheRatioOfTheRadii) {
  const struct {
    double first, second;
    bool internal;
    double ratio;
  } cases[] = {{0.7, 0.2, false, 0.9 / 0.2}, {0.7, 0.2, true, -0.5 / 0.2}, {0.2, 0.7, true, 0.5 / 0.7}};
  for (const auto& c : cases) {
    const double D = c.internal ? std::abs(c.first - c.second) : c.first + c.second;
    const std::string at = std::to_string(D);
    const Recording r =
        run_text(planar + "bodies: {arm: {mass: 1, inertia: 1}, disc: {mass: 1, inertia: 0.1, at: [" + at +
                 ", 0]}}\njoints:\n  A: {type: revolute, between: [ground, arm], at: [0, 0]}\n"
                 "  B: {type: revolute, between: [arm, disc], at: [" +
                 at + ", 0]}\n" +
                 "  J: {type: rolling-circle, between: [ground, disc], radius_first: " + std::to_string(c.first) +
                 ", radius_second: " + std::to_string(c.second) + ", internal: " + (c.internal ? "true" : "false") +
                 "}\ndrivers: {M: {type: rotation, joint: A, function: 25*t^2 - t}}\n"
                 "analysis: {until: 1, tolerance: 1e-10}\n");
    const double error = worst(r, "disc.angle", [&](double t) { return c.ratio * (25 * t * t - t); });
    report("disc on a disc, ratio " + std::to_string(c.ratio), r, error);
    EXPECT_LT(error, 1e-10);
  }
}

// A bead on a circular wire is a pendulum; one on a cycloid swings with the same period from any height.
TEST(PointOnCurve, BeadOnACycloidIsIsochronous) {
  const double T = 2 * M_PI * std::sqrt(4 * 0.5 / 9.81);  // radius 0.5 of the rolling circle
  for (const double start : {0.3, 2.0}) {
    // x = ρ (s + sin s), y = ρ (1 − cos s); along the arc l = 4 ρ sin(s/2) the motion is harmonic.
    const Recording r = run_text(planar + "gravity: [0, -9.81]\nparameters: {s0: " + std::to_string(start) + R"yaml(}
bodies: {bead: {type: particle, mass: 2, at: [0.5*(s0 + sin(s0)), 0.5*(1 - cos(s0))]}}
joints: {J: {type: point-on-curve, between: [ground, bead], curve: [0.5*(s + sin(s)), 0.5*(1 - cos(s))], from: -3, to: 3}}
analysis: {until: 10, tolerance: 1e-12}
)yaml");
    // y = l²/(8ρ), l = l0 cos(2πt/T)
    const double l0 = 2 * std::sin(start / 2);
    const double error = worst(r, "bead.y", [&](double t) { return std::pow(l0 * std::cos(2 * M_PI * t / T), 2) / 4; });
    report("bead on a cycloid", r, error);
    EXPECT_LT(error, 1e-9);
    EXPECT_LT(r.result.summary.energy_drift, 1e-10);
    EXPECT_LT(r.result.summary.worst_position, 1e-12);
  }
}

TEST(PointOnCurve, BeadSlidesDownAHelixWithConstantAcceleration) {
  // z̈ = −g h²/(1 + h²), h = rise a radian over the radius; three rounds.
  const Recording r = run_text(spatial + R"yaml(
gravity: [0, 0, -9.81]
bodies: {bead: {type: particle, mass: 2, at: [1, 0, 0]}}
joints: {J: {type: point-on-curve, between: [ground, bead], curve: [cos(s), sin(s), 0.2*s], from: -24, to: 3}}
analysis: {until: 4.5, tolerance: 1e-12}
)yaml");
  const double a = -9.81 * 0.04 / 1.04;
  const double error = worst(r, "bead.z", [&](double t) { return a * t * t / 2; });
  report("bead on a helix", r, error);
  EXPECT_LT(r.last("bead.z"), -0.2 * 18) << "three rounds";
  EXPECT_LT(error, 1e-9);
}

// A plate that spins about its centre carries a closed groove, given by points of a circle of radius 1: the bead in it
// follows the spline, which is the circle within 1e-5, and keeps energy and momentum.
TEST(PointOnCurve, ClosedSplineOnAFreePlateKeepsEnergyAndMomentum) {
  std::string points;
  for (int k = 0; k < 24; ++k)
    points += (k ? ", [" : "[") + std::to_string(std::cos(k * M_PI / 12)) + ", " +
              std::to_string(std::sin(k * M_PI / 12)) + "]";
  const Recording r = run_text(planar + R"yaml(
bodies:
  plate: {mass: 3, inertia: 0.7, center: [0.2, 0.1], angular_velocity: 2}
  bead: {type: particle, mass: 0.5, at: [1, 0], velocity: [0, 5]}
joints: {J: {type: point-on-curve, between: [plate, bead], closed: true, through: [)yaml" +
                               points + R"yaml(]}}
analysis: {until: 5, tolerance: 1e-11}
)yaml");
  const auto x = r.history("J.distance");
  for (double d : x) EXPECT_NEAR(d, 1, 1e-4);
  double turned = 0;
  for (std::size_t k = 1; k < r.frames.size(); ++k) {
    const auto angle = [&](const analysis::Frame& f) {
      return std::atan2(f.pose[4] - f.pose[1], f.pose[3] - f.pose[0]) - f.pose[2];
    };
    turned += std::remainder(angle(r.frames[k]) - angle(r.frames[k - 1]), 2 * M_PI);
  }
  report("bead in a closed spline", r, r.result.summary.energy_drift);
  EXPECT_GT(std::abs(turned), 2 * M_PI) << "over the seam";
  EXPECT_LT(r.result.summary.energy_drift, 1e-7);
  const auto vx = [&](const analysis::Frame& f) { return 3 * f.v[0] + 0.5 * f.v[3]; };
  EXPECT_NEAR(vx(r.frames.back()), vx(r.frames.front()), 1e-9);
}

TEST(PathDriver, LeadsAPointAlongAPathInTheAxesOfAnotherBody) {
  const Recording r = run_text(planar + R"yaml(
tables: {cam: {x: [0, 0.5, 1], y: [1, 1.5, 1.2], ends: clamped, slopes: [0, 1]}}
bodies:
  table: {mass: 1, inertia: 1}
  tool: {mass: 1, inertia: 1, points: {tip: [0.2, 0]}}
joints:
  A: {type: revolute, between: [ground, table], at: [0, 0]}
  T: {type: coordinate, body: tool, coordinate: angle}
drivers:
  M: {type: rotation, joint: A, function: 3*t}
  P: {type: path, body: tool.tip, relative_to: table, path: [cam(t), 0.1*t^2]}
analysis: {until: 1, tolerance: 1e-10}
)yaml");
  // At t = 0.5 the table has turned by 1.5 rad, the path is at (1.5, 0.025).
  EXPECT_NEAR(r.at("tool.tip.x", 0.5), 1.5 * std::cos(1.5) - 0.025 * std::sin(1.5), 1e-12);
  EXPECT_NEAR(r.at("tool.tip.y", 0.5), 1.5 * std::sin(1.5) + 0.025 * std::cos(1.5), 1e-12);
  EXPECT_LT(r.result.summary.worst_position, 1e-12);
}

TEST(SpeedDriver, PrescribesARateAndLeavesTheStart) {
  const Recording r = run_text(planar + R"yaml(
bodies: {wheel: {mass: 1, inertia: 1, angle: 0.7}, cart: {mass: 1, inertia: 1, at: [0.4, 1]}}
joints:
  A: {type: revolute, between: [ground, wheel], at: [0, 0]}
  S: {type: prismatic, between: [ground, cart], at: [0, 1], axis: [1, 0]}
drivers:
  V: {type: speed, joint: A, function: 2 + cos(3*t)}
  W: {type: speed, body: cart, coordinate: x, function: "if(t < 1, t, 1)"}
analysis: {until: 3, tolerance: 1e-11}
)yaml");
  const double angle = worst(r, "wheel.angle", [](double t) { return 0.7 + 2 * t + std::sin(3 * t) / 3; });
  const double way = worst(r, "cart.x", [](double t) { return 0.4 + (t < 1 ? t * t / 2 : t - 0.5); });
  report("speed drivers", r, std::max(angle, way));
  EXPECT_LT(worst(r, "wheel.wz", [](double t) { return 2 + std::cos(3 * t); }), 1e-12);
  EXPECT_LT(angle, 1e-9);
  EXPECT_LT(way, 1e-8);
}

// A scotch yoke: the pin of a turning crank in a slot of a slider gives a pure sine.
TEST(PointOnLine, MakesAScotchYoke) {
  const Recording r = run_text(planar + R"yaml(
bodies:
  crank: {mass: 1, inertia: 1, points: {pin: [0.3, 0]}}
  yoke: {mass: 1, inertia: 1, at: [0.3, 0]}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0]}
  S: {type: prismatic, between: [ground, yoke], at: [0, 0], axis: [1, 0]}
  J: {type: point-on-line, between: [yoke, crank.pin], axis: [0, 1]}
drivers: {M: {type: rotation, joint: A, function: 7*t}}
analysis: {until: 2, tolerance: 1e-10}
)yaml");
  EXPECT_LT(worst(r, "yoke.x", [](double t) { return 0.3 * std::cos(7 * t); }), 1e-12);
  EXPECT_LT(worst(r, "J.displacement", [](double t) { return 0.3 * std::sin(7 * t); }), 1e-12);
}

// The axis primitives and points make the same hinge and slider as the joints: the planar joint with a point on a line
// is a slider that turns; parallel axes with a point on a line are a cylindrical joint.
TEST(AxisPrimitives, MakeACylindricalJoint) {
  const auto run_with = [](const std::string& joints) {
    return run_text(spatial + R"yaml(
gravity: [0, 0, -9.81]
bodies: {b: {mass: 1, inertia: [0.1, 0.2, 0.3], center: [0.3, 0, 0], at: [0.1, 0.2, 0], angular_velocity: [1, 1, 1]}}
joints:
)yaml" + joints + "analysis: {until: 1, tolerance: 1e-11}\n");
  };
  const std::string place = "between: [ground, b], axis: [1, 1, 1]";
  const Recording one = run_with("  C: {type: cylindrical, at: [0, 0, 0], " + place + "}\n");
  const Recording other =
      run_with("  P: {type: parallel-axes, " + place + "}\n  L: {type: point-on-line, at: [0, 0, 0], " + place + "}\n");
  const Recording third = run_with(
      "  U: {type: perpendicular-axes, between: [ground, b], axis: [1, -1, 0], axis_second: [1, 1, 1]}\n"
      "  V: {type: perpendicular-axes, between: [ground, b], axis: [1, 1, -2], axis_second: [1, 1, 1]}\n"
      "  L: {type: point-on-line, at: [0, 0, 0], " +
      place + "}\n");
  for (const char* q : {"b.x", "b.y", "b.z", "b.qw", "b.qx"}) {
    EXPECT_NEAR(one.last(q), other.last(q), 1e-9) << q;
    EXPECT_NEAR(one.last(q), third.last(q), 1e-9) << q;
  }
  EXPECT_GT(one.spread("b.x"), 0.1);
}

// A puck on a tilted table: parabola, steady spin.
TEST(PlanarJoint, LetsAPuckSlideAndSpin) {
  const Recording r = run_text(spatial + R"yaml(
gravity: [0, 0, -9.81]
bodies: {puck: {mass: 1, inertia: [0.1, 0.1, 0.2], velocity: [0.6, 1, 0.8], angular_velocity: [-2.4, 0, 3.2]}}
joints: {J: {type: planar, between: [ground, puck], at: [0, 0, 0], axis: [-0.6, 0, 0.8]}}
analysis: {until: 2, tolerance: 1e-11}
)yaml");
  // Down the slope: −g·0.6 along (0.8, 0, 0.6); the velocity given lies in the plane up to its part 0.28 along the
  // normal.
  const double u = 0.6 * 0.8 + 0.8 * 0.6;
  const double error = worst(r, "puck.x", [&](double t) { return 0.8 * (u * t - 9.81 * 0.6 * t * t / 2); });
  report("puck on a tilted table", r, error);
  EXPECT_LT(error, 1e-9);
  EXPECT_LT(worst(r, "puck.y", [](double t) { return t; }), 1e-9);
  EXPECT_LT(worst(r, "J.angle", [](double t) { return std::remainder(4 * t, 2 * M_PI); }), 1e-8);
}

}  // namespace
}  // namespace mortise::test
