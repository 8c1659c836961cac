// Forces: generalised forces as gradients of what they store, powers, axes and points of application.
#include <gtest/gtest.h>

#include "mechanism/part_samples.h"
#include "mechanism/workbench.h"
#include "mortise/motion/motion.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::test {
namespace {

using Eigen::Vector3d;

struct ForceSample {
  const char* type;
  int dimension;
  const char* pairing;
  const char* item;
  const char* joint;  // H, which it acts on; "" = none
  bool rests = true;  // at rest nothing but what is stored and the formulas acts (no wind, no moving ground)

  std::string name() const {
    std::string text = std::string(type) + (dimension == 2 ? "_planar_" : "_spatial_") + pairing;
    for (char& c : text)
      if (c == '-') c = '_';
    return text;
  }
  std::string text() const {
    std::string out = dimension == 2 ? "mortise: 1\ndimension: planar\ngravity: [0.3, -9.81]"
                                     : "mortise: 1\ndimension: spatial\ngravity: [0.3, 0.2, -9.81]";
    out += dimension == 2 ? planar_bodies : spatial_bodies;
    if (*joint) out += std::string("joints:\n  H: ") + joint + "\n";
    return out + "forces:\n  F: {type: " + type + ", " + item + "}\n";
  }
};

void PrintTo(const ForceSample& sample, std::ostream* out) { *out << sample.name(); }

const std::vector<ForceSample>& force_samples() {
  static const char* const all_three = "stiffness: 30, damping: 4, length: 0.8, force: 3*sin(2*t)";
  static const std::string bodies = std::string("between: [first.P, second.P], ") + all_three,
                           ground = std::string("between: [ground, second], ") + all_three,
                           bead = std::string("between: [bead, first.P], ") + all_three;
  static const char* const torsion = "joint: H, stiffness: 20, damping: 3, angle: 0.2, torque: 2*cos(t)";
  static const std::vector<ForceSample> all{
      {"force", 2, "world", "body: second.P, value: [3*cos(t), -5]", ""},
      {"force", 2, "body", "body: second.P, value: [3*cos(t), -5], in: body", ""},
      {"force", 2, "frame", "body: second.F, value: [3*cos(t), -5], in: body", ""},
      {"force", 2, "bead", "body: bead, value: [3*cos(t), -5]", ""},
      {"force", 3, "world", "body: second.P, value: [3*cos(t), -5, t]", ""},
      {"force", 3, "body", "body: second.P, value: [3*cos(t), -5, t], in: body", ""},
      {"force", 3, "frame", "body: second.F, value: [3*cos(t), -5, t], in: body", ""},
      {"force", 3, "bead", "body: bead, value: [3*cos(t), -5, t]", ""},
      {"contact-rigid", 2, "floor", "ground: {floor: {plane: [0, 1]}}", ""},
      {"contact-rigid", 3, "floor", "ground: {floor: {plane: [0, 0, 1]}}, friction: 0.3", ""},
      {"contact-spring", 2, "floor", "ground: {floor: {plane: [0, 1]}}, stiffness: 100", ""},
      {"contact-spring", 3, "floor", "ground: {floor: {plane: [0, 0, 1]}}, stiffness: 100, restitution: 0.5", ""},
      {"torque", 2, "world", "body: second, value: 3*cos(t)", ""},
      {"torque", 3, "world", "body: second.P, value: [3*cos(t), -5, t]", ""},
      {"torque", 3, "body", "body: second.P, value: [3*cos(t), -5, t], in: body", ""},
      {"torque", 3, "frame", "body: second.F, value: [3*cos(t), -5, t], in: body", ""},
      {"spring-damper-actuator", 2, "bodies", bodies.c_str(), ""},
      {"spring-damper-actuator", 2, "ground", ground.c_str(), ""},
      {"spring-damper-actuator", 2, "bead", bead.c_str(), ""},
      {"spring-damper-actuator", 3, "bodies", bodies.c_str(), ""},
      {"spring-damper-actuator", 3, "ground", ground.c_str(), ""},
      {"spring-damper-actuator", 3, "bead", bead.c_str(), ""},
      {"torsional-spring-damper-actuator", 2, "bodies", torsion,
       "{type: revolute, between: [first, second], at: [0.9, 0.8]}"},
      {"torsional-spring-damper-actuator", 2, "ground", torsion,
       "{type: revolute, between: [ground, second], at: [0.9, 0.8]}"},
      {"torsional-spring-damper-actuator", 3, "bodies", torsion,
       "{type: revolute, between: [first, second], at: [0.9, 0.8, 0.1], axis: [1, 2, 3]}"},
      {"torsional-spring-damper-actuator", 3, "ground", torsion,
       "{type: cylindrical, between: [second, ground], at: [0.9, 0.8, 0.1], axis: [1, 2, 3]}"},
      {"spring-damper-actuator", 2, "formulas",
       "between: [first.P, second.P], length: 0.8, spring: 20*x + 9*x^3, damper: 2*v + 3*v^3*(1 + x^2)", ""},
      {"spring-damper-actuator", 3, "formulas",
       "between: [bead, second.P], length: 0.8, spring: 20*sinh(x), damper: 5*tanh(2*v)", ""},
      {"spring-damper-actuator", 3, "quantities",
       "between: [bead, second.P], length: 0.8, spring: 20*x*(1 + first.x^2), force: 3*bead.vx*first.P.y", "", false},
      {"torsional-spring-damper-actuator", 2, "formulas", "joint: H, spring: 9*x + x^3, damper: v^3",
       "{type: revolute, between: [first, second], at: [0.9, 0.8]}"},
      {"torsional-spring-damper-actuator", 3, "formulas", "joint: H, angle: 0.2, spring: 9*sin(x), damper: v^3",
       "{type: revolute, between: [first, second], at: [0.9, 0.8, 0.1], axis: [1, 2, 3]}"},
      {"bushing", 2, "bodies", "between: [first, second], at: [0.9, 0.8], stiffness: [30, 20, 4], damping: [3, 2, 1]",
       ""},
      {"bushing", 2, "ground",
       "between: [ground, second.P], stiffness: [[30, 5, 2], [5, 20, -3], [2, -3, 4]], damping: [3, 2, 1]", ""},
      {"bushing", 2, "frames", "between: [first.F, second.F], stiffness: [30, 20, 4]", ""},
      {"bushing", 3, "bodies",
       "between: [first, second], at: [0.9, 0.8, 0.1], stiffness: [30, 20, 25, 4, 5, 6], damping: [3, 2, 1, 1, 2, 3]",
       ""},
      {"bushing", 3, "points", "between: [second.P, first.P], stiffness: [30, 20, 25, 4, 5, 6]", ""},
      {"bushing", 3, "frames",
       "between: [first.F, second.F], stiffness: [[30, 1, 2, 3, 0, 1], [1, 20, 0, 2, 1, 1], [2, 0, 25, 0, 1, 2],"
       " [3, 2, 0, 4, 1, 0], [0, 1, 1, 1, 5, 0.5], [1, 1, 2, 0, 0.5, 6]], damping: [1, 2, 3, 1, 1, 1]",
       ""},
      {"bushing", 3, "ground", "between: [second, ground], at: [0.9, 0.8, 0.1], stiffness: [30, 20, 25, 4, 5, 6]", ""},
      {"bump-stop", 2, "angle", "joint: H, lower: 2, upper: 3, stiffness: 90, damping: 0.3, depth: 0.2",
       "{type: revolute, between: [first, second], at: [0.9, 0.8]}"},
      {"bump-stop", 2, "displacement", "joint: H, upper: -2, stiffness: 90, damping: 0.3, depth: 9",
       "{type: prismatic, between: [first, second], at: [0.9, 0.8], axis: [3, 4]}"},
      {"bump-stop", 2, "length", "between: [first.P, bead], upper: 0.2, stiffness: 90, damping: 0.3, depth: 9", ""},
      {"bump-stop", 3, "angle", "joint: H, lower: -4, upper: -3, stiffness: 90, damping: 0.3, depth: 9",
       "{type: revolute, between: [second, ground], at: [0.9, 0.8, 0.1], axis: [1, 2, 3]}"},
      {"bump-stop", 3, "displacement",
       "joint: H, on: displacement, lower: 2, upper: 3, stiffness: 90, damping: 0.3, depth: 0.2",
       "{type: cylindrical, between: [first, second], at: [0.9, 0.8, 0.1], axis: [1, 2, 3]}"},
      {"bump-stop", 3, "length", "between: [ground, bead], lower: 6, upper: 7, stiffness: 90, depth: 0.2", ""},
      {"friction", 2, "turns",
       "joint: H, coefficient: 0.3, static_coefficient: 0.5, radius: 0.1, load: preload,"
       " preload: 20, speed: 0.2, viscous: 0.4",
       "{type: revolute, between: [first, second], at: [0.9, 0.8]}"},
      {"friction", 2, "slides", "joint: H, coefficient: 0.3, load: preload, preload: 20, speed: 0.2",
       "{type: prismatic, between: [first, second], at: [0.9, 0.8], axis: [3, 4]}"},
      {"friction", 3, "turns", "joint: H, coefficient: 0.3, radius: 0.1, load: preload, preload: 20, speed: 0.2",
       "{type: revolute, between: [ground, second], at: [0.9, 0.8, 0.1], axis: [1, 2, 3]}"},
      {"friction", 3, "both", "joint: H, coefficient: 0.3, radius: 0.1, load: preload, preload: 20, speed: 0.2",
       "{type: cylindrical, between: [first, second], at: [0.9, 0.8, 0.1], axis: [1, 2, 3]}"},
      {"drag", 2, "point", "body: second.P, area: 2, cd: 0.8, density: 1.2, linear: 0.3", ""},
      {"drag", 2, "wind", "body: bead, linear: 0.3, area: 1, cd: 1, wind: [3*cos(t), -1]", "", false},
      {"drag", 3, "wind", "body: second.P, area: 2, cd: 0.8, wind: [3*cos(t), -1, t]", "", false},
      {"drag", 3, "bead", "body: bead, linear: 2", ""},
      {"tyre", 2, "wheel",
       "body: second.P, radius: 1.2, stiffness: 90, damping: 0.1, friction: 0.8, slip_stiffness: 6,"
       " height: 4 + 0.2*sin(3*x) + 0.1*t",
       "", false},
      {"tyre", 2, "point", "body: bead, stiffness: 90, damping: 0.1, height: 5 + x^2/9", ""},
      {"tyre", 3, "wheel",
       "body: second.P, radius: 1.2, stiffness: 90, damping: 0.1, friction: 0.8, slip_stiffness: 6,"
       " height: 4 + 0.2*sin(3*x + y) + 0.1*t",
       "", false},
      {"tyre", 3, "point", "body: bead, stiffness: 90, friction: 0.8, slip_stiffness: 6, height: 4 + x*y/9", ""},
  };
  return all;
}

class Forces : public testing::TestWithParam<ForceSample> {
 protected:
  Forces() : bench_(GetParam().text()), m_(*bench_.mechanism) {}

  // On the joint's manifold where the force acts on a joint: an angle is that of the joint only there.
  State random() {
    State state = random_state(m_, random_);
    if (m_.pattern().m() > 0) motion_.project(state, Motion::Start::fresh);
    state.v = random_vector(random_, m_.v_size(), 1.5);
    return state;
  }

  Workbench bench_;
  const Mechanism& m_;
  std::unique_ptr<gauss::Formulation> formulation_ = gauss::make_formulation("udwadia-kalaba");
  std::unique_ptr<Stabilizer> stabilizer_ = stabilize::make_stabilizer("none", {});
  Motion motion_{m_, *formulation_, *stabilizer_, {}};
  Random random_{11};
};

// At rest and with no formula acting (the formulas are taken out by a difference) the force is −∂V/∂q.
TEST_P(Forces, AtRestAreMinusTheGradientOfTheEnergyStoredPlusTheFormula) {
  if (!GetParam().rests) GTEST_SKIP() << "acts on a body at rest by more than what it stores";
  double worst = 0;
  for (int trial = 0; trial < 50; ++trial) {
    State state = random();
    state.v.setZero();
    const Vector Q = bench_.evaluate(state).problem.Q;
    Vector gradient(m_.v_size());
    for (int k = 0; k < m_.v_size(); ++k)
      gradient[k] = derivative(
          [&](double h) { return Vector::Constant(1, bench_.evaluate(moved(m_, state, k, h)).potential).eval(); },
          2e-3)[0];
    // What formulas apply: the power at unit velocities without damping is linear in v.
    Vector applied(m_.v_size());
    for (int k = 0; k < m_.v_size(); ++k) {
      state.v.setZero();
      state.v[k] = 1;
      applied[k] = bench_.evaluate(state).power_applied;
    }
    worst = std::max(worst, difference(Q, applied - gradient));
  }
  RecordProperty("worst", testing::PrintToString(worst));
  EXPECT_LT(worst, 1e-9);
}

TEST_P(Forces, DoTheWorkThatTheirPowersSay) {
  double worst = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const State state = random();
    const Vector a = Vector::Zero(m_.v_size());
    const double stored = derivative(
        [&](double h) { return Vector::Constant(1, bench_.evaluate(along(m_, state, a, h)).potential).eval(); },
        2e-3)[0];
    const Evaluation& e = bench_.evaluate(state);
    const double power = e.problem.Q.dot(state.v), expected = e.power_applied - e.power_dissipated - stored;
    EXPECT_GE(e.power_dissipated, 0);
    worst = std::max(worst, std::abs(power - expected) / std::max(1.0, std::abs(power)));
  }
  RecordProperty("worst", testing::PrintToString(worst));
  EXPECT_LT(worst, 1e-9);
}

// Between two bodies, whatever they are: no force and no moment on both together.
TEST_P(Forces, ActAndReact) {
  const std::string where = std::string(GetParam().item) + GetParam().joint;
  const bool pair = where.find("between: [") != std::string::npos && where.find("ground") == std::string::npos;
  if (!pair) GTEST_SKIP() << "acts against the ground";
  double worst = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const State state = random();
    const Vector Q = bench_.evaluate(state).problem.Q;
    Vector3d force = Vector3d::Zero(), moment = Vector3d::Zero();
    double size = 1;
    for (std::size_t k = 0; k < m_.bodies().size(); ++k) {
      const mechanism::Body& b = m_.bodies()[k];
      const Pose p = pose(m_, state, static_cast<int>(k));
      const int d = m_.dimension();
      Vector3d f = Vector3d::Zero(), t = Vector3d::Zero();
      f.head(d) = Q.segment(b.v, d);
      f -= b.mass * m_.model().gravity;
      if (!b.particle && d == 2) t.z() = Q[b.v + 2];
      if (!b.particle && d == 3) {
        const Vector3d w = state.v.segment<3>(b.v + 3);
        t = p.R * (Q.segment<3>(b.v + 3) + w.cross(b.inertia * w));
      }
      force += f;
      moment += t + p.r.cross(f);
      size = std::max({size, f.norm(), t.norm()});
    }
    worst = std::max({worst, force.norm() / size, moment.norm() / size});
  }
  RecordProperty("worst", testing::PrintToString(worst));
  EXPECT_LT(worst, 1e-13);
}

INSTANTIATE_TEST_SUITE_P(Parts, Forces, testing::ValuesIn(force_samples()),
                         [](const testing::TestParamInfo<ForceSample>& info) { return info.param.name(); });

TEST(Registry, HasASampleOfEveryForceInEveryDimension) {
  for (const mechanism::Part& part : mechanism::parts()) {
    if (part.info.section != model::Section::force) continue;
    for (int dimension : {2, 3}) {
      if (!(dimension == 2 ? part.info.planar : part.info.spatial)) continue;
      int samples = 0;
      for (const ForceSample& sample : force_samples())
        samples += sample.type == part.info.type && sample.dimension == dimension;
      EXPECT_GE(samples, 1) << "add a ForceSample for '" << part.info.type << "' in dimension " << dimension;
    }
  }
}

// Force and torque about the centre of mass in body axes, written out, for each choice of axes and points.
TEST(Force, ActsAtItsPointInTheAxesNamed) {
  const Vector3d value(3, -5, 2), weight = 1.7 * Vector3d(0.3, 0.2, -9.81);
  const Vector3d center(-0.17, 0.08, 0.21), P(-0.3, 0.2, 0.1), F(0.5, 0.1, 0.3);
  const Eigen::Matrix3d E = (Eigen::AngleAxisd(0.1, Vector3d::UnitZ()) * Eigen::AngleAxisd(-0.4, Vector3d::UnitY()) *
                             Eigen::AngleAxisd(0.9, Vector3d::UnitX()))
                                .toRotationMatrix();
  struct Case {
    const char *body, *in;
    Vector3d arm;          // from the body's origin
    Eigen::Matrix3d axes;  // of the components, against the body
  };
  for (const char* type : {"force", "torque"})
    for (const Case& c : {Case{"second", "body", Vector3d::Zero(), Eigen::Matrix3d::Identity()},
                          Case{"second.P", "body", P, Eigen::Matrix3d::Identity()}, Case{"second.F", "body", F, E},
                          Case{"second.P", "world", P, Eigen::Matrix3d::Zero()}}) {
      Workbench bench(std::string("mortise: 1\ndimension: spatial\ngravity: [0.3, 0.2, -9.81]") + spatial_bodies +
                      "forces:\n  F: {type: " + type + ", body: " + c.body + ", in: " + c.in +
                      ", value: [3, -5, 2]}\n");
      Random random(2);
      State state = random_state(*bench.mechanism, random);
      state.v.setZero();
      const int body = bench.mechanism->find_body("second");
      const Eigen::Matrix3d R = pose(*bench.mechanism, state, body).R;
      const Vector3d acting = c.in == std::string("world") ? Vector3d(R.transpose() * value) : Vector3d(c.axes * value);
      const bool force = type == std::string("force");
      const Vector3d f = force ? Vector3d(R * acting) : Vector3d::Zero();
      const Vector3d t = force ? Vector3d((c.arm - center).cross(acting)) : acting;
      const Vector Q = bench.evaluate(state).problem.Q.segment<6>(bench.mechanism->bodies()[1].v);
      Vector expected(6);
      expected << weight + f, t;
      EXPECT_LT(difference(Q, expected), 1e-15) << type << ' ' << c.body << ' ' << c.in;
    }
}

TEST(Spring, WithoutFreeLengthHasNoDirectionToLoseWhereItsEndsMeet) {
  Workbench bench(R"(
mortise: 1
dimension: planar
bodies: {bob: {type: particle, mass: 1, velocity: [1, 2]}}
forces: {S: {type: spring, between: [ground, bob], stiffness: 5, damping: 2, length: 0}}
)");
  State state = bench.mechanism->initial_state();
  EXPECT_EQ(bench.evaluate(state).problem.Q, Eigen::Vector2d(-2, -4));
  EXPECT_EQ(bench.evaluation.power_dissipated, 10);
  state.q << 1e-3, 0;
  EXPECT_NEAR(bench.evaluate(state).problem.Q[0], -5e-3 - 2, 1e-15);
}

TEST(TorsionalSpring, CountsTurnsInThePlaneAndTakesTheNearestTurnInSpace) {
  Workbench plane(R"(
mortise: 1
dimension: planar
bodies: {arm: {mass: 1, inertia: 1}}
joints: {H: {type: revolute, between: [ground, arm], at: [0, 0]}}
forces: {S: {type: torsional-spring, joint: H, stiffness: 2}}
)");
  State state = plane.mechanism->initial_state();
  state.q[2] = 2 * M_PI + 0.1;
  EXPECT_NEAR(plane.evaluate(state).problem.Q[2], -2 * (2 * M_PI + 0.1), 1e-14);

  Workbench space(R"(
mortise: 1
dimension: spatial
bodies: {arm: {mass: 1, inertia: [1, 1, 1]}}
joints: {H: {type: revolute, between: [ground, arm], at: [0, 0, 0]}}
forces: {S: {type: torsional-spring, joint: H, stiffness: 2, angle: 170 deg}}
)");
  state = space.mechanism->initial_state();
  const double angle = -175 * M_PI / 180;
  state.q.tail<4>() << std::cos(angle / 2), 0, 0, std::sin(angle / 2);
  EXPECT_NEAR(space.evaluate(state).problem.Q[5], -2 * (15 * M_PI / 180), 1e-14);
}

}  // namespace
}  // namespace mortise::test
