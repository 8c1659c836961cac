// Reactions: what joints do to bodies is what the equations of motion need, and action equals reaction.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mechanism/part_samples.h"
#include "mechanism/workbench.h"
#include "mortise/analysis/observe.h"
#include "mortise/analysis/quantity.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::test {
namespace {

using analysis::Frame;
using Eigen::Vector3d;
using mechanism::Anchor;
using mechanism::Constraint;

struct Wrench {
  Vector3d force = Vector3d::Zero(), torque = Vector3d::Zero();
};

// Reads JOINT.reaction.<which>fx … of a frame: at the joint point of the body named.
Wrench reaction(const Mechanism& m, const Frame& frame, const mechanism::Motions& motions, const std::string& joint,
                const std::string& which) {
  const auto value = [&](const char* column) {
    return analysis::find_quantity(m, joint + ".reaction." + which + column).value(frame, motions);
  };
  if (m.dimension() == 2) return {{value("fx"), value("fy"), 0}, {0, 0, value("tz")}};
  return {{value("fx"), value("fy"), value("fz")}, {value("tx"), value("ty"), value("tz")}};
}

// The generalised forces of one body (force; torque in body axes) as a wrench about the centre of mass.
Wrench of_body(const Mechanism& m, const State& state, int body, const Vector& forces) {
  Wrench w;
  const mechanism::Body& b = m.bodies()[static_cast<std::size_t>(body)];
  w.force.head(m.dimension()) = forces.segment(b.v, m.dimension());
  if (b.particle) return w;
  if (m.dimension() == 2)
    w.torque.z() = forces[b.v + 2];
  else
    w.torque = pose(m, state, body).R * forces.segment<3>(b.v + 3);
  return w;
}

Vector3d joint_point(const Mechanism& m, const State& state, const Anchor& anchor) {
  const Pose p = pose(m, state, anchor.body);
  return p.r + p.R * anchor.p;
}

struct ReactionSolver {
  std::unique_ptr<gauss::Formulation> formulation = gauss::make_formulation("udwadia-kalaba");
  std::unique_ptr<Stabilizer> stabilizer = stabilize::make_stabilizer("none", {});
  Motion motion;
  analysis::Observer observer;
  Frame frame;

  explicit ReactionSolver(const Mechanism& m) : motion(m, *formulation, *stabilizer, {}), observer(m, motion, false) {
    observer.resize(frame);
  }
};

// Wrenches of all joints on a body about its centre of mass: from the named quantities, for rows over several bodies
// body by body.
Wrench all_reactions(const Mechanism& m, const Frame& frame, const mechanism::Motions& motions, const State& state,
                     int body) {
  Wrench sum;
  for (const Constraint& c : m.constraints()) {
    if (c.over_several()) {
      Anchor center;
      center.body = body;
      const auto w = m.reaction_on(c, center, motions, state.t, as_span(frame.lambda));
      sum.force += w.head<3>();
      sum.torque += w.tail<3>();
      continue;
    }
    for (const bool first : {true, false}) {
      const Anchor& anchor = first ? c.a : c.b;
      if (anchor.body != body) continue;
      const Wrench w = reaction(m, frame, motions, m.name(c.ref), first ? "first." : "");
      sum.force += w.force;
      sum.torque += w.torque + (joint_point(m, state, anchor) - pose(m, state, body).r).cross(w.force);
    }
  }
  return sum;
}

void expect_equal(const Wrench& x, const Wrench& y, double scale, bool torque, const std::string& what) {
  EXPECT_LT((x.force - y.force).norm(), 1e-12 * scale) << what << ", force";
  if (torque) {
    EXPECT_LT((x.torque - y.torque).norm(), 1e-12 * scale) << what << ", torque";
  }
}

class Reactions : public testing::TestWithParam<PartSample> {};

// With multipliers at random: no dynamics between the claim and the rows.
TEST_P(Reactions, ActOnBothBodiesAsTheRowsDoAndBalance) {
  const auto m = compile(GetParam().text());
  ReactionSolver solver(*m);
  Random random(3);
  for (int trial = 0; trial < 20; ++trial) {
    State state = random_state(*m, random, 0.1, 0.2);
    state.t = uniform(random, 0, 0.01);
    solver.motion.project(state, Motion::Start::fresh);
    solver.observer.observe(state, solver.frame);
    Frame& frame = solver.frame;
    frame.lambda = random_vector(random, m->pattern().m(), 10);
    const Evaluation& e = solver.motion.evaluation();
    m->reactions(solver.observer.motions(), state.t, as_span(frame.lambda), as_span(frame.reaction));
    Vector forces(m->v_size());
    e.problem.multiply_At(as_span(frame.lambda), as_span(forces));
    forces = -forces;
    for (int body = 0; body < static_cast<int>(m->bodies().size()); ++body)
      expect_equal(all_reactions(*m, frame, solver.observer.motions(), state, body), of_body(*m, state, body, forces),
                   100, !m->bodies()[static_cast<std::size_t>(body)].particle,
                   m->name(m->bodies()[static_cast<std::size_t>(body)].ref));
    for (const Constraint& c : m->constraints()) {
      if (c.over_several()) {
        // What is reported is what the last body feels, at the point of the last term.
        const Wrench b = reaction(*m, frame, solver.observer.motions(), m->name(c.ref), "");
        const auto on = m->reaction_on(c, c.b, solver.observer.motions(), state.t, as_span(frame.lambda));
        EXPECT_LT((b.force - on.head<3>()).norm() + (b.torque - on.tail<3>()).norm(), 1e-12);
        EXPECT_THROW(analysis::find_quantity(*m, m->name(c.ref) + ".reaction.first.fx"), ModelError);
        continue;
      }
      const Wrench a = reaction(*m, frame, solver.observer.motions(), m->name(c.ref), "first.");
      const Wrench b = reaction(*m, frame, solver.observer.motions(), m->name(c.ref), "");
      const Vector3d pa = joint_point(*m, state, c.a), pb = joint_point(*m, state, c.b);
      EXPECT_LT((a.force + b.force).norm(), 1e-12);
      EXPECT_LT((a.torque + b.torque + pa.cross(a.force) + pb.cross(b.force)).norm(), 1e-10)
          << "moments about the origin";
      for (const bool first : {true, false}) {
        const Anchor& anchor = first ? c.a : c.b;
        const Wrench local =
            reaction(*m, frame, solver.observer.motions(), m->name(c.ref), first ? "local.first." : "local.");
        const Eigen::Matrix3d E = pose(*m, state, anchor.body).R * anchor.E;
        EXPECT_LT((E * local.force - (first ? a : b).force).norm(), 1e-12);
        EXPECT_LT((E * local.torque - (first ? a : b).torque).norm(), 1e-11);
      }
    }
  }
}

// Loads at random that the joints can carry: at rest nothing accelerates, and what the joints do to each body is the
// opposite of its load.
TEST_P(Reactions, BalanceRandomLoadsAtRest) {
  const auto m = compile(GetParam().text());
  ReactionSolver solver(*m);
  Random random(5);
  const auto factor = solver.formulation->prepare(m->pattern());
  gauss::GaussSolution solution;
  solution.resize(m->pattern());
  for (int trial = 0; trial < 20; ++trial) {
    State state = random_state(*m, random, 0.1, 0.2);
    state.t = uniform(random, 0, 0.01);
    solver.motion.project(state, Motion::Start::fresh);
    state.v.setZero();
    solver.observer.observe(state, solver.frame);
    Frame& frame = solver.frame;
    Vector loads(m->v_size()), at_rest = Vector::Zero(m->pattern().m());
    const gauss::GaussProblem& problem = solver.motion.evaluation().problem;
    problem.multiply_At(as_span(random_vector(random, m->pattern().m(), 10)), as_span(loads));
    ASSERT_TRUE(factor->factor(problem, {}));
    factor->solve(as_span(loads), as_span(at_rest), solution);
    EXPECT_LT(solution.a.norm(), 1e-10 * (1 + loads.norm()));
    frame.lambda = solution.lambda;
    m->reactions(solver.observer.motions(), state.t, as_span(frame.lambda), as_span(frame.reaction));
    loads = -loads;
    for (int body = 0; body < static_cast<int>(m->bodies().size()); ++body)
      expect_equal(all_reactions(*m, frame, solver.observer.motions(), state, body), of_body(*m, state, body, loads),
                   100 * (1 + loads.norm()), !m->bodies()[static_cast<std::size_t>(body)].particle,
                   m->name(m->bodies()[static_cast<std::size_t>(body)].ref));
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, Reactions, testing::ValuesIn(part_samples()),
                         [](const testing::TestParamInfo<PartSample>& info) { return info.param.name(); });

// Newton and Euler for each body of a mechanism of many joints: m r̈ − applied and J ω̇ + ω × J ω − applied.
void expect_newton_euler(const std::string& text, const std::map<std::string, std::pair<Vector3d, Vector3d>>& applied) {
  const auto m = compile(text);
  ReactionSolver solver(*m);
  Random random(5);
  for (int trial = 0; trial < 20; ++trial) {
    State state = random_state(*m, random, 0.05, 0.05);
    state.t = uniform(random, 0, 0.2);
    solver.motion.project(state, Motion::Start::fresh);
    solver.observer.observe(state, solver.frame);
    const Frame& frame = solver.frame;
    for (int body = 0; body < static_cast<int>(m->bodies().size()); ++body) {
      const mechanism::Body& b = m->bodies()[static_cast<std::size_t>(body)];
      const Wrench inertial = of_body(*m, state, body, frame.a), spin = of_body(*m, state, body, state.v);
      const Pose p = pose(*m, state, body);
      const Eigen::Matrix3d J = p.R * b.inertia * p.R.transpose();
      Wrench needed;
      needed.force = b.mass * (inertial.force - m->model().gravity);
      needed.torque = J * inertial.torque + spin.torque.cross(J * spin.torque);
      if (const auto found = applied.find(m->name(b.ref)); found != applied.end()) {
        // A constant world force at the body's origin.
        needed.force -= found->second.first;
        needed.torque -= (-p.R * b.center).cross(found->second.first) + found->second.second;
      }
      expect_equal(all_reactions(*m, frame, solver.observer.motions(), state, body), needed, 1e3, !b.particle,
                   m->name(b.ref));
    }
  }
}

TEST(NewtonEuler, IsFulfilledByTheReactionsOfAPlanarMechanism) {
  expect_newton_euler(std::string("mortise: 1\ndimension: planar\ngravity: [0.3, -9.81]") + planar_bodies + R"(
joints:
  hinge: {type: revolute, between: [ground, first], at: [0.1, 0.2]}
  slide: {type: prismatic, between: [first, second], at: [1, 1], axis: [3, 4]}
  rod: {type: distance, between: [second.P, bead]}
  held: {type: coordinate, body: bead, coordinate: x}
drivers:
  motor: {type: rotation, joint: hinge, function: 0.1*t + t^2}
forces:
  push: {type: force, body: second, value: [3, -5]}
  twist: {type: torque, body: second, value: 2}
)",
                      {{"second", {{3, -5, 0}, {0, 0, 2}}}});
}

TEST(NewtonEuler, IsFulfilledByTheReactionsOfASpatialMechanism) {
  expect_newton_euler(std::string("mortise: 1\ndimension: spatial\ngravity: [0.3, 0.2, -9.81]") + spatial_bodies + R"(
joints:
  cross: {type: universal, between: [ground, first], at: [0.1, 0.2, 0.1]}
  tube: {type: cylindrical, between: [second, first], at: [1, 1, 0.3], axis: [1, 2, 3]}
  plane: {type: point-on-plane, between: [second.P, ground], axis: [1, 0, 2]}
  ball: {type: distance, between: [second.P, bead]}
  edge: {type: knife-edge, between: [ground, second], at: [1.5, 1, 0.2], axis: [0, 1, 1]}
drivers:
  motor: {type: translation, joint: tube, function: 0.1*t + t^2}
forces:
  push: {type: force, body: second, value: [3, -5, 1]}
  twist: {type: torque, body: second, value: [2, 1, -1]}
)",
                      {{"second", {{3, -5, 1}, {2, 1, -1}}}});
}

TEST(NewtonEuler, RowsThatAreOffPushNothing) {
  const auto m = compile(std::string("mortise: 1\ndimension: planar\ngravity: [0, -9.81]") + planar_bodies + R"(
joints:
  hinge: {type: revolute, between: [ground, first], at: [0.1, 0.2]}
  weld: {type: fixed, between: [first, second], active: false}
)");
  ReactionSolver solver(*m);
  State state = m->initial_state();
  solver.observer.observe(state, solver.frame);
  EXPECT_EQ(solver.frame.lambda.tail(3).norm(), 0);
  EXPECT_EQ(solver.frame.reaction.tail(3).norm(), 0);
  EXPECT_NEAR(solver.frame.a[m->bodies()[1].v + 1], -9.81, 1e-14) << "the body that is not held falls freely";
}

}  // namespace
}  // namespace mortise::test
