// Projection: to rounding, by the shortest way in the metric of M, or a refusal that names the rows.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>

#include "mechanism/machines.h"
#include "mechanism/part_samples.h"
#include "mortise/motion/motion.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::test {
namespace {

std::unique_ptr<Mechanism> example(const std::string& name) {
  return Mechanism::compile(std::make_shared<const model::Model>(
      io::load_model(std::string(MORTISE_SOURCE_DIR "/examples/") + name + ".yaml", mechanism::catalogue())));
}

struct Case {
  std::string name;
  std::unique_ptr<Mechanism> mechanism;
};

std::vector<Case> mechanisms() {
  std::vector<Case> all;
  all.push_back({"pendulum", example("pendulum")});
  all.push_back({"five-bar", example("five-bar")});
  all.push_back({"n-four-bar", example("n-four-bar")});
  all.push_back({"spatial four-bar", compile(SpatialFourBar{}.text())});
  all.push_back({"spatial chain",
                 compile(std::string("mortise: 1\ndimension: spatial\ngravity: [0, 0, -9.81]") + spatial_bodies + R"(
joints:
  cross: {type: universal, between: [ground, first], at: [0.1, 0.2, 0.1]}
  tube: {type: cylindrical, between: [second, first], at: [1, 1, 0.3], axis: [1, 2, 3]}
  plane: {type: point-on-plane, between: [second.P, ground], axis: [1, 0, 2]}
  rod: {type: distance, between: [second.P, bead]}
  edge: {type: knife-edge, between: [ground, second], at: [1.5, 1, 0.2], axis: [0, 1, 1]}
drivers:
  motor: {type: translation, joint: tube, function: 0.1*t + t^2}
)")});
  return all;
}

struct Solver {
  std::unique_ptr<gauss::Formulation> formulation = gauss::make_formulation("udwadia-kalaba");
  std::unique_ptr<Stabilizer> stabilizer = stabilize::make_stabilizer("projection", {});
  Motion motion;
  explicit Solver(const Mechanism& m) : motion(m, *formulation, *stabilizer, {}) {}
};

State perturbed(const Mechanism& m, const State& state, Random& random, double size) {
  State out = state;
  const Vector step = random_vector(random, m.v_size(), size * m.characteristic_length());
  m.retract(as_span(state.q), as_span(step), as_span(out.q));
  out.v += random_vector(random, m.v_size(), size);
  return out;
}

TEST(Project, BringsAPerturbedStateToRoundingInPositionsAndVelocities) {
  for (const Case& c : mechanisms()) {
    const Mechanism& m = *c.mechanism;
    Solver solver(m);
    State start = m.initial_state();
    solver.motion.project(start, Motion::Start::fresh);
    Random random(1);
    Violation worst;
    for (int trial = 0; trial < 20; ++trial) {
      State state = perturbed(m, start, random, 1e-3);
      EXPECT_TRUE(solver.motion.project(state, Motion::Start::fresh));
      Evaluation e;
      e.resize(m.pattern());
      m.evaluate(state, need_constraints, *m.make_scratch(), e);
      worst.position = std::max(worst.position, solver.motion.violation(e).position);
      worst.velocity = std::max(worst.velocity, solver.motion.violation(e).velocity);
      const Vector q = state.q;
      solver.motion.project(state, Motion::Start::fresh);
      EXPECT_LT((state.q - q).cwiseAbs().maxCoeff(), 1e-13) << "what is on the constraints stays";
    }
    RecordProperty(c.name, testing::PrintToString(std::max(worst.position, worst.velocity)));
    EXPECT_LE(worst.position, 1e-14) << c.name;
    EXPECT_LE(worst.velocity, 1e-14) << c.name;
  }
}

// In the metric of plain squares the way back is A⁺ itself; tangential momentum is not kept there, in that of M it is.
TEST(Project, MayMeasureByPlainSquaresInstead) {
  const auto m = compile(SpatialFourBar{}.text());
  const auto formulation = gauss::make_formulation("udwadia-kalaba");
  Random random(5);
  for (const Metric metric : {Metric::mass, Metric::identity}) {
    const auto stabilizer = stabilize::make_stabilizer("projection", {.metric = metric});
    Motion motion(*m, *formulation, *stabilizer, {});
    State start = m->initial_state();
    motion.project(start, Motion::Start::fresh);
    State state = start;
    state.v += random_vector(random, m->v_size(), 1e-2);
    Evaluator bench(*m);
    const Evaluation& e = bench.evaluate(state);
    const Matrix A = e.problem.dense_A(), M = e.problem.dense_M();
    const Vector off = e.phidot, before = state.v;
    const Matrix N = Eigen::FullPivLU<Matrix>(A).setThreshold(1e-9).kernel();
    motion.project(state, Motion::Start::fresh);
    Eigen::CompleteOrthogonalDecomposition<Matrix> plain;
    plain.setThreshold(1e-9);
    plain.compute(A);
    const Vector shortest = -plain.solve(off), went = state.v - before;
    const double momentum = (N.transpose() * M * went).norm() / (N.transpose() * M * before).norm();
    if (metric == Metric::identity) {
      EXPECT_LT((went - shortest).norm(), 1e-13);
      EXPECT_GT(momentum, 1e-4);
    } else {
      EXPECT_GT((went - shortest).norm(), 1e-4);
      EXPECT_LT(momentum, 1e-13);
    }
    EXPECT_LT(motion.violation(bench.evaluate(state)).velocity, 1e-14);
  }
}

// Of a mechanism without redundant rows: off the positions, velocities of redundant ones contradict one another.
TEST(Project, MayBeLimitedToPositionsOrVelocities) {
  const auto m = example("pendulum");
  Solver solver(*m);
  State start = m->initial_state();
  solver.motion.project(start, Motion::Start::fresh);
  Random random(6);
  const State off = perturbed(*m, start, random, 1e-3);
  State positions = off, velocities = off;
  solver.motion.project(positions, Motion::Start::fresh, true, false);
  solver.motion.project(velocities, Motion::Start::fresh, false, true);
  EXPECT_EQ((positions.v - off.v).norm(), 0);
  EXPECT_EQ((velocities.q - off.q).norm(), 0);
  Evaluator bench(*m);
  EXPECT_LT(solver.motion.violation(bench.evaluate(positions)).position, 1e-14);
  EXPECT_LT(solver.motion.violation(bench.evaluate(velocities)).velocity, 1e-14);
  EXPECT_GT(solver.motion.violation(bench.evaluate(velocities)).position, 1e-5);
}

TEST(Project, BringsAccelerationsToTheRows) {
  const auto m = compile(SpatialFourBar{}.text());
  for (const Metric metric : {Metric::mass, Metric::identity}) {
    const auto formulation = gauss::make_formulation("udwadia-kalaba");
    const auto stabilizer = stabilize::make_stabilizer("projection", {.metric = metric});
    Motion motion(*m, *formulation, *stabilizer, {});
    State state = m->initial_state();
    gauss::GaussSolution solution;
    solution.resize(m->pattern());
    motion.accelerate(state, solution);
    const Vector right = solution.a;
    Random random(7);
    solution.a += random_vector(random, m->v_size(), 1);
    motion.project_acceleration(solution);
    Vector rows(m->pattern().m());
    motion.evaluation().problem.multiply_A(as_span(solution.a), as_span(rows));
    EXPECT_LT((rows - motion.evaluation().problem.b).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_GT((solution.a - right).norm(), 0.1) << "the part along the constraints stays as it was";
  }
}

// The nearest velocity, by dense algebra: v − M⁻¹Aᵀ(A M⁻¹Aᵀ)⁺(A v + c_t).
Vector nearest_velocity(const Mechanism& m, const State& state) {
  Evaluator bench(m);
  const Evaluation& e = bench.evaluate(state);
  const Matrix A = e.problem.dense_A(), MA = e.problem.dense_M().llt().solve(A.transpose());
  Eigen::CompleteOrthogonalDecomposition<Matrix> S;
  S.setThreshold(1e-9);
  S.compute(A * MA);
  return state.v - MA * S.solve(e.phidot);
}

// The nearest pose, by Lagrange-Newton on  min ½ δᵀMδ  s.t.  φ(q ⊕ δ) = 0  with differences for the Jacobian in δ.
Vector nearest_step(const Mechanism& m, const State& state) {
  Evaluator bench(m);
  const Matrix M = bench.evaluate(state).problem.dense_M();
  const int n = m.v_size();
  Vector delta = Vector::Zero(n);
  const auto at = [&](const Vector& d) {
    State out = state;
    m.retract(as_span(state.q), as_span(d), as_span(out.q));
    return bench.evaluate(out).phi;
  };
  for (int iteration = 0; iteration < 12; ++iteration) {
    Matrix J(m.pattern().m(), n);
    for (int k = 0; k < n; ++k)
      J.col(k) = derivative([&](double h) -> Vector { return at(delta + h * Vector::Unit(n, k)); }, 1e-3);
    const Matrix MJ = M.llt().solve(J.transpose());
    Eigen::CompleteOrthogonalDecomposition<Matrix> S;
    S.setThreshold(1e-6);
    S.compute(J * MJ);
    // With M δ⁺ + Jᵀμ = 0 and J (δ⁺ − δ) = −φ.
    const Vector next = MJ * S.solve(J * delta - at(delta));
    if ((next - delta).norm() < 1e-14) return next;
    delta = next;
  }
  return delta;
}

TEST(Project, MovesVelocitiesByTheShortestWayInTheMetricOfMass) {
  for (const Case& c : mechanisms()) {
    const Mechanism& m = *c.mechanism;
    Solver solver(m);
    State state = m.initial_state();
    solver.motion.project(state, Motion::Start::fresh);
    Random random(2);
    for (int trial = 0; trial < 10; ++trial) {
      State moved = state;
      moved.v += random_vector(random, m.v_size(), 1e-3);
      const Vector expected = nearest_velocity(m, moved);
      solver.motion.project(moved, Motion::Start::fresh);
      EXPECT_LT((moved.v - expected).cwiseAbs().maxCoeff(), 1e-13) << c.name;
    }
  }
}

// Newton steps of least norm end beside the nearest pose by a second-order distance.
TEST(Project, MovesPosesByTheShortestWayToSecondOrder) {
  for (const Case& c : mechanisms()) {
    const Mechanism& m = *c.mechanism;
    // Its rows depend on one another on the manifold only: near it the dense solve sees a matrix of full rank.
    if (c.name == "five-bar") continue;
    Solver solver(m);
    State start = m.initial_state();
    solver.motion.project(start, Motion::Start::fresh);
    for (double size : {1e-3, 1e-5}) {
      Random random(3);
      double worst = 0;
      for (int trial = 0; trial < 3; ++trial) {
        State state = perturbed(m, start, random, size);
        State nearest = state;
        const Vector step = nearest_step(m, state);
        m.retract(as_span(state.q), as_span(step), as_span(nearest.q));
        solver.motion.project(state, Motion::Start::fresh);
        worst = std::max(worst, (state.q - nearest.q).cwiseAbs().maxCoeff());
      }
      RecordProperty(c.name + testing::PrintToString(size), testing::PrintToString(worst / (size * size)));
      EXPECT_LT(worst, 20 * size * size + 1e-13) << c.name;
    }
  }
}

TEST(Project, WithTheFactorOfAPoseNearbyEndsAtTheSamePlaceToSecondOrder) {
  for (const Case& c : mechanisms()) {
    const Mechanism& m = *c.mechanism;
    Solver solver(m);
    gauss::GaussSolution solution;
    solution.resize(m.pattern());
    State start = m.initial_state();
    solver.motion.project(start, Motion::Start::fresh);
    Random random(4);
    State fresh = perturbed(m, start, random, 1e-4), reused = fresh;
    solver.motion.project(fresh, Motion::Start::fresh);
    solver.motion.accelerate(start, solution);
    solver.motion.project(reused, Motion::Start::reuse);
    EXPECT_LE(solver.motion.violation(solver.motion.evaluation()).position, 1e-14) << c.name;
    EXPECT_LE(solver.motion.violation(solver.motion.evaluation()).velocity, 1e-14) << c.name;
    EXPECT_LT((fresh.q - reused.q).cwiseAbs().maxCoeff(), 100 * 1e-8) << c.name;
  }
}

// A blade along a rail: the rail holds the place, the blade forbids the speed that the rail forbids, too. The blade
// must not hinder the way back to the rail.
TEST(Project, VelocityRowsDoNotStandInTheWayOfPositions) {
  const auto m = compile(R"(
mortise: 1
dimension: planar
bodies: {sledge: {mass: 2, inertia: 0.5, center: [0.2, 0], velocity: [0, 1]}}
joints:
  blade: {type: knife-edge, between: [ground, sledge], at: [0, 0], axis: [0, 1]}
  rail: {type: coordinate, body: sledge, coordinate: x, value: 0.1}
  upright: {type: coordinate, body: sledge, coordinate: angle, value: 0}
)");
  Solver solver(*m);
  State state = m->initial_state(), assembled = state;
  EXPECT_NO_THROW(solver.motion.project(state, Motion::Start::fresh));
  EXPECT_NEAR(state.q[0], 0.3, 1e-15);
  EXPECT_NEAR(state.v[1], 1, 1e-15);
  EXPECT_NO_THROW(analysis::assemble(*m, assembled, {}));
  EXPECT_NEAR(assembled.q[0], 0.3, 1e-13);
}

void expect_refusal(const std::string& items, const std::vector<std::string>& names, const std::string& what) {
  const auto m = compile("mortise: 1\ndimension: planar\nbodies: {bob: {mass: 1, inertia: 1, at: [1, 0]}}\n" + items);
  Solver solver(*m);
  State state = m->initial_state();
  try {
    solver.motion.project(state, Motion::Start::fresh);
    FAIL() << "accepted contradictory rows";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S431");
    EXPECT_EQ(error.report().exit, ExitCode::conflict);
    EXPECT_NE(error.report().message.find(what), std::string::npos) << error.report().message;
    std::string details;
    for (const std::string& line : error.report().details) details += line + "\n";
    for (const std::string& name : names) EXPECT_NE(details.find(name), std::string::npos) << details;
    EXPECT_EQ(details.find("innocent"), std::string::npos) << details;
  }
}

TEST(Project, RefusesContradictoryPositionsByTheNamesOfTheirRows) {
  expect_refusal(R"(joints:
  here: {type: coordinate, body: bob, coordinate: x, value: 1}
  there: {type: coordinate, body: bob, coordinate: x, value: 2}
  innocent: {type: coordinate, body: bob, coordinate: y}
)",
                 {"here.coordinate", "there.coordinate"}, "positions");
}

TEST(Project, RefusesContradictoryVelocitiesByTheNamesOfTheirRows) {
  expect_refusal(R"(joints:
  innocent: {type: coordinate, body: bob, coordinate: y}
drivers:
  slow: {type: coordinate, body: bob, coordinate: x, function: 1 + t}
  fast: {type: coordinate, body: bob, coordinate: x, function: 1 + 3*t}
)",
                 {"slow.coordinate", "fast.coordinate"}, "velocities");
}

}  // namespace
}  // namespace mortise::test
