// Gears, rolling and the machines made of them against closed forms, published figures and equations in least
// coordinates.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <complex>

#include "mortise/analysis/observe.h"
#include "mortise/stabilize/stabilizer.h"
#include "support/examples.h"
#include "support/extrapolation.h"

namespace mortise::test {
namespace {

using Eigen::Vector3d;

const Settings tightly{"analysis.tolerance=1e-12"};

double largest(const Recording& r, const std::string& quantity, double (*exact)(double)) {
  double error = 0;
  const auto values = r.history(quantity);
  for (std::size_t k = 0; k < values.size(); ++k) error = std::max(error, std::abs(values[k] - exact(r.frames[k].t)));
  return error;
}

TEST(GearTrain, TurnsByItsTeethOverManyTurns) {
  const Recording r = run_example("gear-train", {"analysis.tolerance=1e-12", "analysis.until=3"});
  double turns = 0;
  const auto motor = r.history("M.angle"), carrier = r.history("C.angle"), planet = r.history("P.angle");
  for (std::size_t k = 0; k < motor.size(); ++k) {
    const double t = r.frames[k].t, angle = 10 * t * t;  // 14 turns of the motor
    turns = std::max(turns, std::abs(std::remainder(motor[k] - angle, 2 * M_PI)));
    turns = std::max(turns, std::abs(std::remainder(carrier[k] + angle / 8, 2 * M_PI)));
    turns = std::max(turns, std::abs(std::remainder(planet[k] - angle * 3 / 8, 2 * M_PI)));
  }
  report("gear train at 1e-12: angles", r, turns);
  EXPECT_LT(turns, 1e-10);
  double rates = largest(r, "motor.wz", [](double t) { return 20 * t; });
  rates = std::max(rates, largest(r, "sun.wz", [](double t) { return -10 * t; }));
  rates = std::max(rates, largest(r, "carrier.wz", [](double t) { return -2.5 * t; }));
  rates = std::max(rates, largest(r, "planet.wz", [](double t) { return 5 * t; }));
  EXPECT_LT(rates, 1e-10);
  EXPECT_LT(largest(r, "spur.reaction.tz", [](double) { return -0.8; }), 1e-10);
  EXPECT_LT(largest(r, "spur.reaction.fx", [](double) { return 0.0; }), 1e-10) << "a gear row is a torque";
}

TEST(Differential, SharesTheTorqueBetweenItsShafts) {
  const Recording r = run_example("differential", {"analysis.tolerance=1e-12", "analysis.until=3"});
  double rates = largest(r, "left.wy", [](double t) { return 6.002 * t; });
  rates = std::max(rates, largest(r, "right.wy", [](double t) { return 2.002 * t; }));
  rates = std::max(rates, largest(r, "cage.wy", [](double t) { return 4.002 * t; }));
  report("differential at 1e-12", r, rates);
  EXPECT_LT(rates, 1e-10);
  EXPECT_LT(largest(r, "side2.reaction.ty", [](double) { return 6.006; }), 1e-10);
}

// A ratio that no teeth have: held by its rates.
TEST(SpeedCoupling, HoldsAnyRatio) {
  const Recording r = run_text(R"(
mortise: 1
dimension: spatial
bodies:
  a: {mass: 1, inertia: [1, 1, 2]}
  b: {mass: 1, inertia: [3, 2, 2], at: [1, 0, 0]}
joints:
  A: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}
  B: {type: revolute, between: [ground, b], at: [1, 0, 0], axis: [1, 0, 0]}
  belt: {type: speed-coupling, terms: {A.angle: 1, B.angle: -pi}}
forces:
  drive: {type: torque, body: a, value: [0, 0, 10]}
analysis: {until: 5, tolerance: 1e-12}
output: {every: 0.1}
)");
  const double rate = 10 / (2 + 3 / (M_PI * M_PI));  // 8 turns in 5 s
  double angles = 0;
  const auto a = r.history("A.angle"), b = r.history("B.angle");
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double t = r.frames[k].t, angle = rate * t * t / 2;
    angles = std::max({angles, std::abs(std::remainder(a[k] - angle, 2 * M_PI)),
                       std::abs(std::remainder(b[k] - angle / M_PI, 2 * M_PI))});
  }
  report("speed coupling at 1e-12", r, angles);
  EXPECT_LT(angles, 1e-10);
}

// A homogeneous ball on a turntable runs on circles, at 2/7 of the table's speed, wherever and however it starts.
TEST(RollingSphere, RunsOnCirclesOnATurntable) {
  const Recording r = run_text(R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
parameters: {W: 3, r: 0.2}
bodies:
  table: {mass: 10, inertia: [3, 3, 5], angular_velocity: [0, 0, W]}
  ball: {mass: 2, inertia: [2*2*r^2/5, 2*2*r^2/5, 2*2*r^2/5], at: [1, 0, r], velocity: [0, W, 0]}
joints:
  axle: {type: revolute, between: [ground, table], at: [0, 0, 0]}
  roll: {type: rolling-sphere, body: ball, radius: r, plane: table}
drivers:
  motor: {type: rotation, joint: axle, function: W*t}
analysis: {until: 10, tolerance: 1e-12}
output: {every: 0.1}
)");
  double error = 0;
  for (const analysis::Frame& f : r.frames) {
    const double angle = 2.0 / 7 * 3 * f.t;
    error = std::max(
        {error, std::abs(f.pose[7] - (1 - 3.5 + 3.5 * std::cos(angle))), std::abs(f.pose[8] - 3.5 * std::sin(angle))});
  }
  report("ball on a turntable at 1e-12", r, error);
  EXPECT_LT(error, 1e-9);
}

TEST(RollingSphere, AcceleratesByFiveSeventhsDownAnIncline) {
  const Recording r = run_text(R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
parameters: {r: 0.2, slope: 20 deg}
bodies:
  ball: {mass: 2, inertia: [2*2*r^2/5, 2*2*r^2/5, 2*2*r^2/5], at: [r*sin(slope), 0, r*cos(slope)]}
joints:
  roll: {type: rolling-sphere, body: ball, radius: r, normal: [sin(slope), 0, cos(slope)]}
analysis: {until: 2, tolerance: 1e-12}
output: {every: 0.1}
)");
  const double slope = 20 * M_PI / 180, way = 5.0 / 7 * 9.81 * std::sin(slope) * 4 / 2;
  EXPECT_NEAR(r.last("ball.x"), 0.2 * std::sin(slope) + way * std::cos(slope), 1e-9);
  EXPECT_NEAR(r.last("ball.z"), 0.2 * std::cos(slope) - way * std::sin(slope), 1e-9);
  EXPECT_NEAR(std::hypot(r.last("roll.reaction.local.first.fx"), r.last("roll.reaction.local.first.fy")),
              2.0 / 7 * 2 * 9.81 * std::sin(slope), 1e-9)
      << "friction";
}

// t(x) = 1/V ∫ √(1 + cos²) by Gauss' rule on short pieces; x by Newton's method.
double ball_position(double t) {
  const double V = std::sqrt(2.0);
  const auto time = [&](double x) {
    constexpr double node[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
    constexpr double weight[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
    constexpr int pieces = 64;
    double sum = 0;
    for (int k = 0; k < pieces; ++k)
      for (int j = 0; j < 4; ++j)
        for (const double side : {-1.0, 1.0}) {
          const double c = std::cos(x / pieces * (k + 0.5 + 0.5 * side * node[j]));
          sum += weight[j] * std::sqrt(1 + c * c);
        }
    return sum * x / pieces / 2 / V;
  };
  double x = t;
  for (int k = 0; k < 30; ++k) x -= (time(x) - t) * V / std::sqrt(1 + std::cos(x) * std::cos(x));
  return x;
}

// specs/nasa-5-explicit-implicit.md §4.1, exact solution.
TEST(RollingBall, FollowsTheExactSolutionOnItsTrack) {
  EXPECT_NEAR(ball_position(10), 11.7144536, 5e-8);
  const Recording r = run_example("rolling-ball", tightly);
  double position = 0, spin = 0, track = 0, multipliers = 0;
  for (std::size_t k = 0; k < r.frames.size(); k += 10) {
    const analysis::Frame& f = r.frames[k];
    const double x = ball_position(f.t), c = std::cos(x), s = std::sin(x), q = 1 + c * c;
    position = std::max(position, std::abs(f.pose[0] - x));
    track = std::max(track, std::abs(f.pose[1] - std::sin(f.pose[0])));
    spin = std::max(spin, std::abs(f.velocity[5]));
    const double ax = 2 * c * s / (q * q), ay = -2 * s / (q * q);
    multipliers = std::max({multipliers, std::abs(f.lambda[0] + 90), std::abs(f.lambda[1] - 0.4 * ax),
                            std::abs(f.lambda[2] - 0.4 * ay), std::abs(f.lambda[3] + 1.4 * ay)});
  }
  report("rolling ball at 1e-12: x", r, position);
  report("rolling ball at 1e-12: multipliers", r, multipliers);
  EXPECT_LT(position, 1e-9);
  EXPECT_LT(track, 1e-13);
  EXPECT_LT(spin, 1e-10);
  EXPECT_LT(multipliers, 1e-8);
}

// The table of the same section: another integrator at 1e-12, printed to six figures.
TEST(RollingBall, WithItsMassOffTheMiddleFollowsTheTableOfTheSheet) {
  const double table[][9] = {{1, 1.274141, .956319, -1.01119, 1.46176, .82564, -.24586, -1.96838, -4.86207},
                             {2, 3.062857, .078654, -1.21376, -.17770, 1.54358, -.33515, -1.09865, -.79538},
                             {5, 8.004054, .988760, -.45130, -1.10660, -1.34103, .46216, -.40532, -3.39250},
                             {10, 15.552876, .154466, -1.39210, -.13069, 1.47610, -.29175, -1.11204, -.87168}};
  const Recording r = run_example("rolling-ball-offset", tightly);
  double error = 0;
  for (const auto& row : table) {
    const analysis::Frame& f = r.frame(row[0]);
    EXPECT_NEAR(f.pose[0], row[1], 1e-6);
    EXPECT_NEAR(f.pose[1], row[2], 1e-6);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(f.v[3 + k], row[3 + k], 1e-5) << "w" << k + 1 << " at " << row[0];
    // The sheet's steering row has the opposite sign.
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR((k == 2 ? -1 : 1) * f.lambda[1 + k], row[6 + k], 1e-5) << "lambda " << k + 1 << " at " << row[0];
    error = std::max(error, std::abs(f.pose[0] - row[1]));
  }
  report("rolling ball off the middle at 1e-12", r, error);
}

// ---- bicycle ----------------------------------------------------------------------------------------------

struct Bicycle {
  std::unique_ptr<mechanism::Mechanism> m;
  std::unique_ptr<gauss::Formulation> formulation = gauss::make_formulation("udwadia-kalaba");
  std::unique_ptr<Stabilizer> stabilizer = stabilize::make_stabilizer("projection", {});
  Motion motion;
  analysis::Observer observer;
  analysis::Frame frame;

  explicit Bicycle(const std::string& speed)
      : m(example_mechanism("bicycle", {"v=" + speed, "roll=0"})),
        motion(*m, *formulation, *stabilizer, {}),
        observer(*m, motion, false) {
    observer.resize(frame);
  }

  // Lean, steer and their rates, and the rates of these four.
  struct Sample {
    Eigen::Vector4d x, rate;
  };
  // The upright motion with the whole bicycle leaning, the handlebar turned and both turning on, brought back to the
  // constraints. What lean and steer it then has is measured, not assumed.
  Sample sample(double lean, double steer, double lean_rate, double steer_rate) {
    const Vector3d axis0(-std::sin(M_PI / 10), 0, std::cos(M_PI / 10)), foot(1.1, 0, 0);
    const Eigen::Quaterniond Q(Eigen::AngleAxisd(lean, Vector3d::UnitX()));
    State state = m->initial_state();
    for (const char* name : {"rear", "frame", "handlebar", "front"}) {
      const mechanism::Body& b = m->bodies()[static_cast<std::size_t>(m->find_body(name))];
      const bool turns = std::string(name) == "handlebar" || std::string(name) == "front";
      const Eigen::Quaterniond S = Q * Eigen::Quaterniond(Eigen::AngleAxisd(turns ? steer : 0, axis0));
      const Vector3d r = Q * foot + S * (state.q.segment<3>(b.q) - foot);
      state.q.segment<3>(b.q) = r;
      state.q.segment<4>(b.q + 3) << S.w(), S.x(), S.y(), S.z();
      const Vector3d spin = lean_rate * Vector3d::UnitX() + (turns ? steer_rate : 0) * (Q * axis0);
      state.v.segment<3>(b.v) += lean_rate * Vector3d::UnitX().cross(r);
      if (turns) state.v.segment<3>(b.v) += steer_rate * (Q * axis0).cross(r - Q * foot);
      state.v.segment<3>(b.v + 3) += S.conjugate() * spin;
    }
    motion.project(state, Motion::Start::fresh);
    observer.observe(state, frame);
    const auto rotation = [&](const char* name) {
      const mechanism::Body& b = m->bodies()[static_cast<std::size_t>(m->find_body(name))];
      const Eigen::Vector4d q = state.q.segment<4>(b.q + 3);
      return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
    };
    const auto spin = [&](const char* name, const Vector& of) -> Vector3d {
      return rotation(name) * of.segment<3>(m->bodies()[static_cast<std::size_t>(m->find_body(name))].v + 3);
    };
    const Eigen::Matrix3d F = rotation("frame"), H = rotation("handlebar");
    const Vector3d y = F.col(1), u = F * axis0;
    const Vector3d w = spin("frame", state.v), wh = spin("handlebar", state.v), a = spin("frame", frame.a),
                   ah = spin("handlebar", frame.a);
    Sample out;
    const double turned = std::atan2(u.cross(y).dot(H.col(1)), y.dot(H.col(1)));
    out.x << y.z(), turned, w.cross(y).z(), u.dot(wh - w);
    out.rate << out.x[2], out.x[3], (a.cross(y) + w.cross(w.cross(y))).z(), u.dot(ah - a) + w.cross(u).dot(wh - w);
    return out;
  }

  // ẋ = L x of the linearised motion.
  Eigen::Matrix4d linearised() {
    constexpr double h = 1e-4;
    Eigen::Matrix4d X, R;
    for (int k = 0; k < 4; ++k) {
      Eigen::Vector4d d = Eigen::Vector4d::Unit(k) * h;
      const Sample plus = sample(d[0], d[1], d[2], d[3]), minus = sample(-d[0], -d[1], -d[2], -d[3]);
      X.col(k) = (plus.x - minus.x) / (2 * h);
      R.col(k) = (plus.rate - minus.rate) / (2 * h);
    }
    return R * X.inverse();
  }
};

// Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007), Table 2, and the two speeds between which the
// bicycle is stable.
TEST(Bicycle, HasThePublishedEigenvalues) {
  const auto eigenvalues = [](const std::string& speed) {
    Bicycle bicycle(speed);
    const Eigen::Vector4cd values = bicycle.linearised().eigenvalues();
    std::vector<std::complex<double>> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end(),
              [](auto a, auto b) { return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag(); });
    return sorted;
  };
  const auto five = eigenvalues("5");
  double error = std::abs(five[0] - -14.07838969279822);
  error = std::max(error, std::abs(five[1] - std::complex<double>(-0.77534188219585, -4.46486771378823)));
  error = std::max(error, std::abs(five[2] - std::complex<double>(-0.77534188219585, 4.46486771378823)));
  error = std::max(error, std::abs(five[3] - -0.32286642900409));
  RecordProperty("error", testing::PrintToString(error));
  EXPECT_LT(error, 1e-6);
  EXPECT_NEAR(eigenvalues("4.29238253634111")[2].real(), 0, 1e-6) << "weave begins";
  EXPECT_NEAR(eigenvalues("6.02426201538837")[3].real(), 0, 1e-6) << "capsize begins";
}

TEST(Bicycle, RightsItselfAndKeepsItsEnergy) {
  const Recording r = run_example("bicycle", {"analysis.tolerance=1e-11", "analysis.until=10"});
  EXPECT_LT(r.result.summary.energy_drift, 1e-8);
  const auto roll = r.history("frame.wx");
  double late = 0;
  for (std::size_t k = roll.size() - 100; k < roll.size(); ++k) late = std::max(late, std::abs(roll[k]));
  EXPECT_LT(late, 0.05 * 0.5);
}

// ---- flyball governor ---------------------------------------------------------------------------------------

// Shaft angle ψ is cyclic: β of the rods below the horizontal and z of the slider remain. y = (β, z, β̇, ż).
std::array<double, 4> governor_rate(const std::array<double, 4>& y) {
  constexpr double e = 0.05, K = 8e5, C = 4e4, m = 5.3, g = 9.81, ms = 3;
  const double s = 2.5 / 5.3, d = 0.5 + s, Jx = 0.3 * 2e-4 / 12, J = 0.3 * (1 + 1e-4) / 12;
  const double Jr = J + 0.3 * s * s + 5 * (0.5 - s) * (0.5 - s);
  const auto inertia = [&](double b) {
    const double rho = e + d * std::cos(b), c = std::cos(b), sn = std::sin(b);
    return Jx + 0.005 + 2 * (m * rho * rho + Jr * c * c + Jx * sn * sn);
  };
  const double momentum = 2 * M_PI * inertia(M_PI / 6);
  const double b = y[0], c = std::cos(b), sn = std::sin(b), spin = momentum / inertia(b);
  const double slope = 2 * (-2 * m * (e + d * c) * d * sn + (Jx - Jr) * std::sin(2 * b));
  const double h = 1 - 0.5 * sn - y[1], l = std::sqrt(0.25 * c * c + h * h);
  const double lb = (-0.25 * c * sn - 0.5 * h * c) / l, lz = -h / l;
  const double F = K * (l - 0.5) + C * (lb * y[2] + lz * y[3]);
  return {y[2], y[3], (0.5 * slope * spin * spin + 2 * m * g * d * c - 2 * F * lb) / (2 * m * d * d + 2 * Jr),
          -g - 2 * F * lz / ms};
}

TEST(Governor, FollowsItsEquationsInLeastCoordinates) {
  const std::array<double, 4> start{M_PI / 6, 0.5, 0, 0};
  const auto coarse = extrapolate<4>(governor_rate, start, 10, 100'000);
  const auto fine = extrapolate<4>(governor_rate, start, 10, 150'000);
  ASSERT_NEAR(coarse[1], fine[1], 1e-11);
  const Recording r = run_example("flyball-governor", {"analysis.tolerance=1e-10"});
  const double error = std::abs(r.at("slider.z", 10) - fine[1]);
  report("flyball governor at 1e-10", r, error);
  EXPECT_LT(error, 1e-9);
}

}  // namespace
}  // namespace mortise::test
