// Coordinate partitioning: dependent coordinates follow the independent ones through the constraints, and these are
// never touched.
#include <gtest/gtest.h>

#include <cmath>

#include "mechanism/machines.h"
#include "mortise/integrate/integrator.h"
#include "mortise/motion/motion.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::test {
namespace {

std::unique_ptr<Mechanism> example(const std::string& name) {
  return Mechanism::compile(std::make_shared<const model::Model>(
      io::load_model(std::string(MORTISE_SOURCE_DIR "/examples/") + name + ".yaml", mechanism::catalogue())));
}

struct Solver {
  std::unique_ptr<gauss::Formulation> formulation = gauss::make_formulation("udwadia-kalaba");
  std::unique_ptr<Stabilizer> stabilizer;
  Motion motion;
  Solver(const Mechanism& m, const std::string& how, const stabilize::Settings& settings = {})
      : stabilizer(stabilize::make_stabilizer(how, settings)), motion(m, *formulation, *stabilizer, {}) {}
};

struct End {
  State state;
  Violation worst;
  long evaluations = 0;
};

End follow_partition(const Mechanism& m, const State& start, const std::string& how, double until, double tolerance,
                     const stabilize::Settings& settings = {}) {
  Solver solver(m, how, settings);
  Vector y(solver.motion.size());
  solver.motion.pack(start, as_span(y));
  auto integrator = integrate::make_integrator("rk45", {.tolerance = tolerance});
  integrator->start(solver.motion, 0, as_span(y));
  End end{start, {}, 0};
  Evaluator evaluator(m);
  while (integrator->t() < until) {
    integrator->step(until);
    solver.motion.unpack(integrator->t(), integrator->y(), end.state);
    const Violation now = solver.motion.violation(evaluator.evaluate(end.state));
    end.worst.position = std::max(end.worst.position, now.position);
    end.worst.velocity = std::max(end.worst.velocity, now.velocity);
  }
  end.evaluations = integrator->counters().evaluations;
  return end;
}

// In planar mechanisms coordinates are velocities' integrals: those that did not move are the independent ones.
TEST(Partition, CompletesTheDependentCoordinatesAndLeavesTheOthersAlone) {
  for (const char* name : {"five-bar", "four-bar", "slider-crank", "n-four-bar"}) {
    const auto m = example(name);
    Solver solver(*m, "projection");
    State start = m->initial_state();
    solver.motion.project(start, Motion::Start::fresh);
    gauss::GaussSolution solution;
    solution.resize(m->pattern());
    solver.motion.accelerate(start, solution);
    const int freedoms = m->v_size() - solution.rank.rank;
    Random random(3);
    for (int trial = 0; trial < 10; ++trial) {
      State off = start;
      off.q += random_vector(random, m->q_size(), 1e-3);
      off.v += random_vector(random, m->v_size(), 1e-3);
      Solver partition(*m, "partition");
      State state = off;
      partition.stabilizer->complete(state, partition.motion);
      const Violation left = partition.motion.violation(Evaluator(*m).evaluate(state));
      EXPECT_LT(left.position, 1e-14) << name;
      EXPECT_LT(left.velocity, 1e-14) << name;
      EXPECT_GE(((state.q - off.q).array() == 0).count(), freedoms) << name;
      EXPECT_GE(((state.v - off.v).array() == 0).count(), freedoms) << name;
      EXPECT_GT((state.q - off.q).norm(), 1e-5) << name << ": something had to move";
    }
  }
}

TEST(Partition, FollowsTheSameMotionAsProjection) {
  for (const char* name : {"spatial four-bar", "five-bar"}) {
    const auto m = name[0] == 's' ? compile(SpatialFourBar{}.text()) : example(name);
    const State start = m->initial_state();
    const double tolerance = 1e-10;
    const End projected = follow_partition(*m, start, "projection", 3, tolerance);
    for (const bool once : {false, true}) {
      const End partition = follow_partition(*m, start, "partition", 3, tolerance, {.partition_once = once});
      EXPECT_LT((partition.state.q - projected.state.q).cwiseAbs().maxCoeff(), 1e-7) << name << once;
      EXPECT_LT(partition.worst.position, 1e-13) << name;
      EXPECT_LT(partition.worst.velocity, 1e-13) << name;
    }
  }
}

TEST(Partition, KeepsTheNormAskedFor) {
  const auto m = compile(SpatialFourBar{}.text());
  const End loose = follow_partition(*m, m->initial_state(), "partition", 3, 1e-6, {.norm_tolerance = 1e-9});
  EXPECT_LT(loose.worst.position, 1e-9);
  EXPECT_LT(loose.worst.velocity, 1e-9);
}

TEST(Partition, HoldsRollingRowsInVelocitiesOnly) {
  const auto m = compile(R"(
mortise: 1
dimension: planar
bodies: {sledge: {mass: 2, inertia: 0.5, center: [0.2, 0], velocity: [1, 0], angular_velocity: 0.7}}
joints: {blade: {type: knife-edge, between: [ground, sledge], at: [0, 0], axis: [1, 0]}}
)");
  const End projected = follow_partition(*m, m->initial_state(), "projection", 5, 1e-11);
  const End partition = follow_partition(*m, m->initial_state(), "partition", 5, 1e-11);
  EXPECT_LT(partition.worst.velocity, 1e-14);
  EXPECT_LT((partition.state.q - projected.state.q).cwiseAbs().maxCoeff(), 1e-8);
}

// A bead on a circle: at the start y depends on x, and a quarter of a turn later x on y.
TEST(Partition, RepartitionsWhereAChoiceMadeOnceWouldBeSingular) {
  const auto m = compile(R"(
mortise: 1
dimension: planar
bodies: {bead: {type: particle, mass: 1, at: [0, -1], velocity: [2, 0]}}
joints: {wire: {type: distance, between: [ground, bead], length: 1}}
)");
  const End round = follow_partition(*m, m->initial_state(), "partition", 10, 1e-10);
  EXPECT_NEAR(round.state.q[0], std::sin(20.0), 1e-7);
  EXPECT_NEAR(round.state.q[1], -std::cos(20.0), 1e-7);
  try {
    follow_partition(*m, m->initial_state(), "partition", 10, 1e-10, {.partition_once = true});
    FAIL() << "a choice made once must fail at the end of the x-axis";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S433");
    EXPECT_NEAR(error.report().time, M_PI / 4, 0.1);
  }
}

}  // namespace
}  // namespace mortise::test
