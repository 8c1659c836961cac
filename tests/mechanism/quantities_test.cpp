// Named quantities: in formulas of forces, of joints, forces and inputs; and what is said when a name is wrong.
#include "mortise/mechanism/quantities.h"

#include <gtest/gtest.h>

#include "mechanism/part_samples.h"
#include "mechanism/workbench.h"
#include "mortise/io/checkpoint.h"

namespace mortise::test {
namespace {

std::string planar_model(const std::string& more) {
  return std::string("mortise: 1\ndimension: planar\ngravity: [0.3, -9.81]") + planar_bodies + more;
}

// The first mistake of a model.
Diagnostic mistake(const std::string& text) {
  try {
    compile(text);
  } catch (const ModelError& error) {
    return error.diagnostics().front();
  }
  return {};
}

// The text that a diagnostic points at.
std::string pointed(const std::string& text, const Diagnostic& d) {
  std::size_t begin = 0;
  for (int line = 1; line < d.place.line; ++line) begin = text.find('\n', begin) + 1;
  return text.substr(begin + static_cast<std::size_t>(d.place.column) - 1, static_cast<std::size_t>(d.place.length));
}

// Q of two models at the same random states.
double apart(const std::string& one, const std::string& other) {
  Workbench a(one), b(other);
  Random random(5);
  double worst = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const State state = random_state(*a.mechanism, random);
    worst = std::max(worst, difference(a.evaluate(state).problem.Q, b.evaluate(state).problem.Q));
  }
  return worst;
}

TEST(Formulas, OfSpeedsOfPointsMakeADamper) {
  EXPECT_LT(apart(planar_model("forces: {F: {type: force, body: second.P, value: [-3*second.P.vx, -3*second.P.vy]}}\n"),
                  planar_model("forces: {F: {type: drag, body: second.P, linear: 3}}\n")),
            1e-14);
}

TEST(Formulas, OfAJointsAngleAndRateMakeATorsionSpring) {
  const std::string joints = "joints: {H: {type: revolute, between: [ground, second], at: [0.9, 0.8]}}\n";
  EXPECT_LT(
      apart(planar_model(joints + "forces: {F: {type: torque, body: second, value: -7*(H.angle - 0.1) - 2*H.rate}}\n"),
            planar_model(joints +
                         "forces: {F: {type: torsional-spring, joint: H, stiffness: 7, angle: 0.1, damping: 2}}\n")),
      1e-14);
}

// In any order of the file; a chain of three.
TEST(Formulas, MayUseOtherForces) {
  EXPECT_LT(apart(planar_model("forces:\n  C: {type: torque, body: first, value: 2*B.fy + S.rate}\n"
                               "  B: {type: force, body: bead, value: [0, S.force/3]}\n"
                               "  S: {type: spring, between: [first, second], stiffness: 5, damping: 1}\n"),
                  planar_model("forces:\n  S: {type: spring, between: [first, second], stiffness: 5, damping: 1}\n"
                               "  B: {type: force, body: bead, value: [0, S.force/3]}\n"
                               "  C: {type: torque, body: first, value: 2*S.force/3 + S.rate}\n")),
            1e-15);
}

TEST(Formulas, MayUseEnergiesAndInputs) {
  Workbench bench(
      planar_model("inputs: {u: 3, w: -1}\nforces:\n"
                   "  S: {type: spring, between: [first, second], stiffness: 5, length: 0.3}\n"
                   "  F: {type: force, body: bead, value: [energy.kinetic + input.u, energy.potential*input.w]}\n"));
  Random random(7);
  State state = random_state(*bench.mechanism, random);
  state.inputs[0] = 11;
  const Evaluation& e = bench.evaluate(state);
  const int v = bench.mechanism->bodies()[2].v;
  EXPECT_NEAR(e.problem.Q[v], e.kinetic + 11 + 0.6 * 0.3, 1e-12);
  EXPECT_NEAR(e.problem.Q[v + 1], -e.potential - 0.6 * 9.81, 1e-12);
}

TEST(Formulas, NameItemsWithHyphensInQuotesAndCopiesByTheirNumbers) {
  Workbench bench(R"(
mortise: 1
dimension: planar
bodies:
  left-arm: {mass: 1, inertia: 1, velocity: [3, 0]}
  bead$i: {type: particle, repeat: {i: 3}, mass: 1, velocity: [i, 2*i]}
forces:
  A: {type: force, body: left-arm, value: ["2*'left-arm.vx' - 1", 0]}
  F$i: {type: force, repeat: {i: 2}, body: bead$i, value: [bead$i.vy, bead$(i+1).vy]}
)");
  const Vector Q = bench.evaluate(bench.mechanism->initial_state()).problem.Q;
  EXPECT_EQ(Q[0], 5);
  EXPECT_EQ(Q[3], 0);
  EXPECT_EQ(Q[4], 2);
  EXPECT_EQ(Q[5], 2);
  EXPECT_EQ(Q[6], 4);
}

TEST(Formulas, InACircleAreReportedWithTheCircle) {
  const std::string text = planar_model(
      "forces:\n  A: {type: force, body: bead, value: [B.fx, 0]}\n"
      "  B: {type: force, body: first, value: [C.torque, 0]}\n"
      "  C: {type: torque, body: first, value: 2*A.force}\n");
  const Diagnostic d = mistake(text);
  EXPECT_EQ(d.code, "M161");
  EXPECT_NE(d.message.find("A → B → C → A"), std::string::npos) << d.message;
  EXPECT_EQ(pointed(text, d), "A.force");
  const Diagnostic own = mistake(planar_model("forces:\n  A: {type: force, body: bead, value: [A.fy, 0]}\n"));
  EXPECT_EQ(own.code, "M161");
  EXPECT_NE(own.message.find("A → A"), std::string::npos) << own.message;
}

TEST(Formulas, WithWrongNamesAreReportedWithTheNearestOne) {
  struct Case {
    const char *code, *item, *pointed, *hint;
  };
  for (const Case& c :
       {Case{"M160", "forces: {F: {type: force, body: bead, value: [0, 2*second.P.vz]}}", "second.P.vz", "second.P.v"},
        Case{"M160", "forces: {F: {type: torque, body: first, value: secnd.x}}", "secnd.x", "second.x"},
        Case{"M160", "output: {quantities: [first.x, bead.xx]}", "bead.xx", "bead."},
        Case{"M162", "forces: {F: {type: torque, body: first, value: constraint.position}}", "constraint.position", ""},
        Case{"M406",
             "parameters: {a: 1}\njoints: {J: {type: coordinate, body: bead, coordinate: x, value: a + first.x}}",
             "first.x", "forces"},
        Case{"M406", "drivers: {D: {type: coordinate, body: bead, coordinate: x, function: first.x}}", "first.x",
             "forces"},
        Case{"M401", "parameters: {a: first.x}", "first.x", "forces"}}) {
    const std::string text = planar_model(std::string(c.item) + "\n");
    const Diagnostic d = mistake(text);
    EXPECT_EQ(d.code, c.code) << c.item << d.message;
    EXPECT_EQ(pointed(text, d), c.pointed) << c.item;
    EXPECT_NE(d.hint.find(c.hint), std::string::npos) << d.hint;
  }
}

TEST(Formulas, AreLimitedInTheNumberOfTheirQuantities) {
  const auto with = [](int count) {
    std::string sum = "0", bodies;
    for (int k = 0; k < count; ++k) {
      sum += " + dot" + std::to_string(k) + ".x";
      bodies += "  dot" + std::to_string(k) + ": {type: particle, mass: 1}\n";
    }
    return "mortise: 1\ndimension: planar\nbodies:\n" + bodies + "forces: {F: {type: force, body: dot0, value: [" +
           sum + ", 0]}}\n";
  };
  EXPECT_EQ(mistake(with(40)).code, "");
  EXPECT_EQ(mistake(with(41)).code, "M163");
}

TEST(Inputs, AreInTheStateAndInCheckpoints) {
  const auto m = compile(planar_model("parameters: {a: 2}\ninputs: {u: 3*a, w: -1}\n"));
  State state = m->initial_state();
  ASSERT_EQ(state.inputs.size(), 2);
  EXPECT_EQ(state.inputs[0], 6);
  state.inputs[1] = 0.125;
  std::vector<std::byte> bytes;
  io::encode(state, 0, 0, {1, 2}, bytes);
  const auto read = io::decode(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->state.inputs, state.inputs);
}

// Rates of joint coordinates, in the plane and in space.
TEST(Quantities, OfJointRatesAreTheDerivativesOfJointCoordinates) {
  for (const int dimension : {2, 3}) {
    const bool plane = dimension == 2;
    const auto m =
        compile(std::string("mortise: 1\ndimension: ") + (plane ? "planar" : "spatial") +
                (plane ? planar_bodies : spatial_bodies) +
                (plane ? "joints:\n  R: {type: revolute, between: [first, second], at: [0.9, 0.8]}\n"
                         "  P: {type: prismatic, between: [first, second], at: [0.9, 0.8], axis: [3, 4]}\n"
                       : "joints:\n  R: {type: cylindrical, between: [ground, second], at: [0.9, 0.8, 0.1]}\n"
                         "  P: {type: prismatic, between: [first, second], axis: [1, 2, 3]}\n"));
    Random random(3);
    for (const auto& [coordinate, rate] : {std::pair{"R.angle", "R.rate"}, std::pair{"P.displacement", "P.speed"}}) {
      const mechanism::Quantity x = mechanism::find_quantity(*m, coordinate), v = mechanism::find_quantity(*m, rate);
      State state = m->initial_state();  // on the manifold, where an angle is that of the joint
      state.v = random_vector(random, m->v_size(), 1.5);
      const auto value = [&](const mechanism::Quantity& q, const State& s) {
        mechanism::Motions motions;
        m->motions(as_span(s.q), as_span(s.v), motions);
        mechanism::Instant i;
        i.motions = &motions;
        return q.value(i);
      };
      const Vector zero = Vector::Zero(m->v_size());
      const double expected = derivative(
          [&](double h) { return Vector::Constant(1, value(x, along(*m, state, zero, h))).eval(); }, 2e-3)[0];
      EXPECT_NEAR(value(v, state), expected, 1e-9) << rate << ' ' << dimension;
    }
  }
}

TEST(Quantities, AllHaveAValue) {
  const auto m =
      compile(planar_model("inputs: {u: 1}\njoints: {H: {type: revolute, between: [first, second], at: [0.9, 0.8]}}\n"
                           "forces: {S: {type: spring, between: [first, bead], stiffness: 3}}\n"));
  const auto names = mechanism::quantity_names(*m);
  for (const std::string& name : names) EXPECT_EQ(mechanism::find_quantity(*m, name).name, name);
  for (const char* name : {"S.force", "S.power", "S.length", "S.rate", "H.rate", "input.u"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

}  // namespace
}  // namespace mortise::test
