// Motions with a closed form, or with equations in least coordinates that are integrated on their own (references.h).
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/references.h"
#include "support/examples.h"

namespace mortise::test {
namespace {

const Settings tight{"analysis.tolerance=1e-12"};

TEST(Jacobi, FunctionsHaveTheirTabulatedValues) {
  // Abramowitz, Stegun, example 16.4: sn(0.20 | 0.81) = 0.19762; and the identities.
  const Jacobi j = jacobi(0.2, 0.81);
  EXPECT_NEAR(j.sn, 0.19762, 5e-6);
  EXPECT_NEAR(j.sn * j.sn + j.cn * j.cn, 1, 1e-15);
  EXPECT_NEAR(jacobi(0.7, 0).sn, std::sin(0.7), 1e-15);
}

// Euler's equations solved by elliptic functions (Landau, Lifshitz I §37).
TEST(FreeBody, TumblesByEllipticFunctionsAndKeepsItsAngularMomentum) {
  const Recording r = run_example("torque-free-body", tight);
  const Eigen::Vector3d I(1, 2, 2.5), momentum(4, 0, 9.25);
  double rates = 0, drift = 0;
  for (const analysis::Frame& f : r.frames) {
    const auto exact = free_body_rates({1, 2, 2.5}, 4, 3.7, f.t);
    for (int k = 0; k < 3; ++k) rates = std::max(rates, std::abs(f.v[3 + k] - exact[static_cast<std::size_t>(k)]));
    const geometry::Quaternion p{f.q[3], f.q[4], f.q[5], f.q[6]};
    const Eigen::Vector3d w = f.v.tail<3>();
    drift = std::max(drift, (geometry::matrix(p) * I.cwiseProduct(w) - momentum).norm());
  }
  report("free body at 1e-12: rates", r, rates);
  report("free body at 1e-12: momentum", r, drift);
  EXPECT_LT(rates, 1e-9);
  EXPECT_LT(drift, 1e-10 * momentum.norm());
}

// Reference: Lagrange's two equations, order-16 extrapolation; 1000 and 2000 steps agree to 3e-12.
TEST(DoublePendulum, FollowsItsLagrangeEquations) {
  const Recording r = run_example("double-pendulum", tight);
  const auto y = extrapolate<4>(double_pendulum_rate, {-M_PI / 4, -M_PI / 2, 0, 0}, 10, 2000);
  const double error = std::max(std::abs(r.at("upper.angle", 10) - y[0]), std::abs(r.at("lower.angle", 10) - y[1]));
  report("double pendulum at 1e-12", r, error);
  EXPECT_LT(error, 1e-9);
}

// Reference: the equation of the crank angle; 2000 and 4000 steps agree to 6e-11.
TEST(FourBar, FollowsTheEquationOfItsCrankAngle) {
  const Recording r = run_example("four-bar", tight);
  const auto y = extrapolate<2>(four_bar_rate, {M_PI / 6, 0}, 10, 8000);
  report("four-bar at 1e-12", r, std::abs(r.at("crank.angle", 10) - y[0]));
  EXPECT_NEAR(r.at("crank.angle", 10), y[0], 1e-8);
  EXPECT_NEAR(r.at("crank.wz", 10), y[1], 1e-7);
}

// The same four-bar with hinges in space: 20 rows of rank 17, no option set.
TEST(FourBar, MovesTheSameWithHingesInSpace) {
  const Recording planar = run_example("four-bar", tight);
  const Recording spatial = run_text(R"yaml(
mortise: 1
name: Four-bar in space
dimension: spatial
gravity: [0, -9.81, 0]
parameters: {a: 0.4, b: 1, c: 0.8, d: 1, start: 30 deg, Ax: a*cos(start), Ay: a*sin(start), s: "hypot(d - Ax, Ay)",
             to: "atan2(-Ay, d - Ax) + acos((b^2 + s^2 - c^2)/(2*b*s))", Bx: Ax + b*cos(to), By: Ay + b*sin(to)}
bodies:
  crank:   {mass: a, inertia: [0.001, a^3/12, a^3/12], center: [a/2, 0, 0], orientation: {axis: [0, 0, 1], angle: start}}
  coupler: {mass: b, inertia: [0.001, b^3/12, b^3/12], at: [Ax, Ay, 0], center: [b/2, 0, 0],
            orientation: {axis: [0, 0, 1], angle: to}, points: {middle: [b/2, 0, 0]}}
  rocker:  {mass: c, inertia: [0.001, c^3/12, c^3/12], at: [d, 0, 0], center: [c/2, 0, 0],
            orientation: {axis: [0, 0, 1], angle: "atan2(By, Bx - d)"}}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0, 0]}
  B: {type: revolute, between: [crank, coupler], at: [Ax, Ay, 0]}
  C: {type: revolute, between: [coupler, rocker], at: [Bx, By, 0]}
  D: {type: revolute, between: [rocker, ground], at: [d, 0, 0]}
analysis: {until: 10}
output: {every: 0.01}
)yaml",
                                     tight);
  EXPECT_EQ(spatial.result.rank.rows, 20);
  EXPECT_EQ(spatial.result.rank.rank, 17);
  double error = 0;
  for (const char* name : {"coupler.middle.x", "coupler.middle.y"}) {
    const auto one = planar.history(name), other = spatial.history(name);
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t k = 0; k < one.size(); ++k) error = std::max(error, std::abs(one[k] - other[k]));
  }
  report("four-bar in space at 1e-12", spatial, error);
  EXPECT_LT(error, 1e-9);
}

// The axis against its own equation (1000 and 2000 steps agree to 1e-12); spin, energy and vertical momentum stay.
TEST(HeavyTop, PrecessesLikeItsAxisEquation) {
  const Recording r = run_example("heavy-top", tight);
  const auto e = extrapolate<6>(HeavyTop{}, {0, 1, 0, 4.61538, 0, 0}, 2, 2000);
  double error = 0;
  for (int k = 0; k < 3; ++k)
    error = std::max(error, std::abs(r.at(std::string("top.center.") + "xyz"[k], 2) - e[static_cast<std::size_t>(k)]));
  report("heavy top at 1e-12", r, error);
  EXPECT_LT(error, 1e-9);

  const Eigen::Vector3d I(15.234375, 0.46875, 15.234375);  // about the fixed point
  double spin = 0, vertical = 0;
  for (const analysis::Frame& f : r.frames) {
    const geometry::Quaternion p{f.q[3], f.q[4], f.q[5], f.q[6]};
    const Eigen::Vector3d w = f.v.tail<3>(), L = geometry::matrix(p) * I.cwiseProduct(w);
    spin = std::max(spin, std::abs(w.y() - 150));
    vertical = std::max(vertical, std::abs(L.z() + 15.234375 * 4.61538));
  }
  EXPECT_LT(spin, 1e-9);
  EXPECT_LT(vertical, 1e-8 * 70.3);
  EXPECT_LT(r.result.summary.energy_drift, 1e-10);
}

// Steady rolling: the relation between lean, turn and spin is derived in the example's comment.
TEST(RollingDisc, StaysOnItsCircle) {
  const Recording r = run_example("rolling-disc", tight);
  const double spin = (0.25 * 0.25 * 4 * std::sin(M_PI / 3) - gravity * 0.5) * 0.5 / (2 * std::sin(M_PI / 3) * 0.375);
  const double R = -0.5 * spin / 2;
  double error = 0;
  const auto x = r.history("coin.x"), y = r.history("coin.y"), z = r.history("coin.z");
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double t = r.frames[k].t;
    error = std::max({error, std::abs(x[k] - R * std::sin(2 * t)), std::abs(y[k] + R * std::cos(2 * t)),
                      std::abs(z[k] - 0.5 * std::sin(M_PI / 3))});
  }
  report("rolling disc at 1e-12", r, error);
  EXPECT_LT(error, 1e-9);
  EXPECT_LT(r.result.summary.worst_velocity, 1e-12) << "it does not slip";
  // A disc that rolls steadily needs m (g + 0) from below and m v²/R towards the middle of its circle.
  EXPECT_NEAR(r.at("rim.reaction.fz", 10), gravity, 1e-8);
  EXPECT_NEAR(std::hypot(r.at("rim.reaction.fx", 10), r.at("rim.reaction.fy", 10)), 4 * R, 1e-8);
}

// x = k sin²ωt, y = k (ωt − ½ sin 2ωt), k = g sin α / 2ω²; side force 2 m g sin α sin ωt: derived in the example's
// comment.
TEST(KnifeEdge, DriftsSidewaysOnACycloid) {
  const Recording r = run_example("knife-edge", tight);
  double error = 0, force = 0;
  const auto x = r.history("skate.x"), y = r.history("skate.y"), f = r.history("blade.reaction.local.fy");
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double a = 1.5 * r.frames[k].t;
    error = std::max(
        {error, std::abs(x[k] - 1.09 * std::pow(std::sin(a), 2)), std::abs(y[k] - 1.09 * (a - std::sin(2 * a) / 2))});
    force = std::max(force, std::abs(f[k] - 2 * 2 * gravity * 0.5 * std::sin(a)));
  }
  report("knife edge at 1e-12", r, error);
  EXPECT_LT(error, 1e-9);
  EXPECT_LT(force, 1e-8);
}

// A prescribed crank leaves nothing to integrate: position, velocity and acceleration are those of the closed form.
TEST(SliderCrank, HasTheClosedFormKinematics) {
  const Recording r = run_example("slider-crank");
  constexpr double rr = 0.1, l = 0.3, w = 10;
  double position = 0, velocity = 0, acceleration = 0;
  const auto x = r.history("slider.x"), v = r.history("slider.vx"), a = r.history("slider.ax");
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double p = w * r.frames[k].t, c = std::cos(p), s = std::sin(p), root = std::sqrt(l * l - rr * rr * s * s);
    const double u = -rr * rr * s * c / root;  // d root / d angle
    const double du = -rr * rr * ((c * c - s * s) / root - s * c * u / (root * root));
    position = std::max(position, std::abs(x[k] - rr * c - root));
    velocity = std::max(velocity, std::abs(v[k] - w * (u - rr * s)));
    acceleration = std::max(acceleration, std::abs(a[k] - w * w * (du - rr * c)));
  }
  report("slider-crank at 1e-8", r, position);
  EXPECT_LT(position, 1e-12);
  EXPECT_LT(velocity, 1e-11);
  EXPECT_LT(acceleration, 1e-10);
  // No degree of freedom is left, so no error of the motion either: steps are still short enough for the motor's work.
  EXPECT_LT(r.result.summary.energy_drift, 1e-6);
  EXPECT_GT(r.result.summary.steps, 100);
}

// Two links at full reach between two fixed hinges: counted by rank they could move, but there is nowhere to go.
TEST(StretchedLinks, StayWhereTheyAre) {
  const Recording r = run_text(R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  left: {mass: 1, inertia: 0.1, at: [0.5, 0]}
  right: {mass: 1, inertia: 0.1, at: [1.5, 0]}
joints:
  A: {type: revolute, between: [ground, left], at: [0, 0]}
  B: {type: revolute, between: [left, right], at: [1, 0]}
  C: {type: revolute, between: [right, ground], at: [2, 0]}
analysis: {until: 1}
)");
  EXPECT_LT(r.spread("left.angle"), 1e-6);  // √rounding: the length changes with its square
  EXPECT_LT(r.result.summary.energy_drift, 1e-6);
}

}  // namespace
}  // namespace mortise::test
