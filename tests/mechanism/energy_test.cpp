// Energies and powers: what the mechanism reports adds up along every motion.
#include <gtest/gtest.h>

#include "mechanism/part_samples.h"
#include "mechanism/workbench.h"
#include "mortise/analysis/observe.h"
#include "mortise/analysis/quantity.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::test {
namespace {

const char* const planar_machine = R"(
joints:
  hinge: {type: revolute, between: [ground, first], at: [0.1, 0.2]}
  slide: {type: prismatic, between: [first, second], at: [1, 1], axis: [3, 4]}
  rod: {type: distance, between: [second.P, bead]}
drivers:
  motor: {type: rotation, joint: hinge, function: 0.1*t + t^2}
forces:
  push: {type: force, body: second.P, value: [3*cos(t), -5], in: body}
  spring: {type: spring, between: [bead, first.P], stiffness: 10, damping: 3, length: 0.5, force: sin(3*t)}
  twist: {type: torsional-spring, joint: hinge, stiffness: 10, damping: 3, torque: 2}
)";
const char* const spatial_machine = R"(
joints:
  hinge: {type: revolute, between: [ground, first], at: [0.1, 0.2, 0.1], axis: [1, 1, 2]}
  tube: {type: cylindrical, between: [first, second], at: [1, 1, 0.3], axis: [1, 2, 3]}
  rod: {type: distance, between: [second.P, bead]}
drivers:
  motor: {type: translation, joint: tube, function: 0.1*t + t^2}
forces:
  push: {type: force, body: second.P, value: [3*cos(t), -5, 1], in: body}
  moment: {type: torque, body: first, value: [1, t, 2]}
  spring: {type: spring, between: [bead, first.P], stiffness: 10, damping: 3, length: 0.5, force: sin(3*t)}
  twist: {type: torsional-spring, joint: hinge, stiffness: 10, damping: 3, torque: 2}
)";

std::string machine(int dimension) {
  return dimension == 2
             ? std::string("mortise: 1\ndimension: planar\ngravity: [0.3, -9.81]") + planar_bodies + planar_machine
             : std::string("mortise: 1\ndimension: spatial\ngravity: [0.3, 0.2, -9.81]") + spatial_bodies +
                   spatial_machine;
}

struct EnergySolver {
  std::unique_ptr<gauss::Formulation> formulation = gauss::make_formulation("udwadia-kalaba");
  std::unique_ptr<Stabilizer> stabilizer = stabilize::make_stabilizer("none", {});
  Motion motion;
  gauss::GaussSolution solution;
  explicit EnergySolver(const Mechanism& m) : motion(m, *formulation, *stabilizer, {}) { solution.resize(m.pattern()); }
};

TEST(Energy, ChangesByThePowersOfForcesAndConstraints) {
  for (int dimension : {2, 3}) {
    Workbench bench(machine(dimension));
    const Mechanism& m = *bench.mechanism;
    EnergySolver solver(m);
    Random random(17);
    double worst = 0;
    for (int trial = 0; trial < 50; ++trial) {
      State state = random_state(m, random, 0.1, 0.1);
      state.t = uniform(random, 0, 0.5);
      solver.motion.project(state, Motion::Start::fresh);
      solver.motion.accelerate(state, solver.solution, need_energy);
      const Evaluation e = solver.motion.evaluation();
      const double rate = derivative(
          [&](double h) {
            const Evaluation& then = bench.evaluate(along(m, state, solver.solution.a, h));
            return Vector::Constant(1, then.kinetic + then.potential).eval();
          },
          1e-3)[0];
      Vector Av(m.pattern().m());
      e.problem.multiply_A(as_span(state.v), as_span(Av));
      const double power = e.power_applied - e.power_dissipated - solver.solution.lambda.dot(Av);
      worst = std::max(worst, std::abs(rate - power) / std::max(1.0, std::abs(power)));
      // The flow integrates the same powers.
      Vector y(solver.motion.size()), ydot(solver.motion.size());
      solver.motion.pack(state, as_span(y));
      solver.motion.rates(state.t, as_span(y), as_span(ydot));
      EXPECT_NEAR(ydot.tail<3>()[work_applied] - ydot.tail<3>()[work_dissipated] + ydot.tail<3>()[work_constraint],
                  power, 1e-9 * std::max(1.0, std::abs(power)));
    }
    RecordProperty(dimension == 2 ? "planar" : "spatial", testing::PrintToString(worst));
    EXPECT_LT(worst, 1e-9) << dimension;
  }
}

TEST(Energy, KineticIsHalfVMV) {
  for (int dimension : {2, 3}) {
    Workbench bench(machine(dimension));
    Random random(19);
    const State state = random_state(*bench.mechanism, random);
    const Evaluation& e = bench.evaluate(state);
    EXPECT_NEAR(e.kinetic, 0.5 * state.v.dot(e.problem.dense_M() * state.v), 1e-14 * e.kinetic);
  }
}

// On the constraints only drivers do work: torque (or force) times rate.
TEST(Energy, DriverWorksWithItsReactionTimesItsRate) {
  struct Case {
    int dimension;
    const char *joint, *driver, *function;
    bool turns;
  };
  for (const Case& c :
       {Case{2, "{type: revolute, between: [ground, first], at: [0.1, 0.2]}", "rotation", "0.4*t + t^2", true},
        Case{2, "{type: prismatic, between: [ground, first], axis: [3, 4]}", "translation", "0.4*t + t^2", false},
        Case{3, "{type: revolute, between: [ground, first], at: [0.1, 0.2, 0.1], axis: [1, 2, 2]}", "rotation",
             "0.4*t + t^2", true},
        Case{3, "{type: prismatic, between: [first, ground], axis: [1, 2, 2]}", "translation", "0.4*t + t^2", false}}) {
    const auto m = compile(std::string("mortise: 1\ndimension: ") +
                           (c.dimension == 2 ? "planar\ngravity: [0, -9.81]" : "spatial\ngravity: [0, 0, -9.81]") +
                           (c.dimension == 2 ? planar_bodies : spatial_bodies) + "joints:\n  H: " + c.joint +
                           "\ndrivers:\n  D: {type: " + c.driver + ", joint: H, function: " + c.function + "}\n");
    EnergySolver solver(*m);
    analysis::Observer observer(*m, solver.motion, false);
    analysis::Frame frame;
    observer.resize(frame);
    State state = m->initial_state();
    state.t = 0.3;
    solver.motion.project(state, Motion::Start::fresh);
    observer.observe(state, frame);
    const Evaluation& e = solver.motion.evaluation();
    const double power = -frame.lambda.dot(e.phidot - e.c_t), rate = 0.4 + 2 * state.t;
    const auto value = [&](const std::string& name) {
      return analysis::find_quantity(*m, name).value(frame, observer.motions());
    };
    const double torque = value("D.reaction.local.first.tz");
    const double pull = value(c.dimension == 2 ? "D.reaction.local.first.fx" : "D.reaction.local.first.fz");
    EXPECT_NEAR(power, -(c.turns ? torque : pull) * rate, 1e-11 * std::abs(power)) << c.driver << ' ' << c.dimension;
    EXPECT_GT(std::abs(power), 1e-2);
  }
}

}  // namespace
}  // namespace mortise::test
