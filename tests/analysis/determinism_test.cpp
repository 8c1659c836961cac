// The same bits every time: from run to run, and with any number of threads.
#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include "mortise/gauss/formulation.h"
#include "mortise/motion/motion.h"
#include "mortise/stabilize/stabilizer.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

TEST(Determinism, TwoRunsGiveTheSameBits) {
  for (const char* name : {"five-bar", "five-bar-crossing", "n-four-bar", "pendulum"}) {
    Recorder first, second;
    run(*compile_example(name, {"analysis.until=2"}), first);
    run(*compile_example(name, {"analysis.until=2"}), second);
    ASSERT_EQ(first.frames.size(), second.frames.size());
    for (std::size_t k = 0; k < first.frames.size(); ++k)
      ASSERT_EQ(difference(first.frames[k], second.frames[k]), "") << name << ", frame " << k;
    EXPECT_EQ(difference(first.summary, second.summary), "") << name;
  }
}

struct Numbers {
  Evaluation evaluation;
  Vector pose, velocity, reaction;
};

Numbers evaluate(const mechanism::Mechanism& m, int threads) {
  const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism,
                                          static_cast<std::size_t>(threads));
  Numbers n;
  State state = m.initial_state();
  state.t = 0.1;
  for (Eigen::Index k = 0; k < state.q.size(); ++k) state.q[k] += 0.01 * std::sin(static_cast<double>(k));
  for (Eigen::Index k = 0; k < state.v.size(); ++k) state.v[k] = std::cos(3.0 * static_cast<double>(k));
  m.normalize(as_span(state.q));
  const auto scratch = m.make_scratch();
  n.evaluation.resize(m.pattern());
  m.evaluate(state, need_dynamics | need_energy, *scratch, n.evaluation);
  mechanism::Motions motions;
  m.motions(as_span(state.q), as_span(state.v), motions);
  const bool planar = m.dimension() == 2;
  n.pose.setZero(static_cast<Eigen::Index>(m.bodies().size()) * (planar ? 3 : 7));
  n.velocity.setZero(static_cast<Eigen::Index>(m.bodies().size()) * (planar ? 3 : 6));
  n.reaction.setZero(static_cast<Eigen::Index>(m.constraints().size()) * (planar ? 3 : 6));
  m.poses(motions, as_span(state.q), as_span(n.pose));
  m.velocities(motions, as_span(n.velocity));
  const Vector lambda = Vector::LinSpaced(m.pattern().m(), -1, 1);
  m.reactions(motions, state.t, as_span(lambda), as_span(n.reaction));
  return n;
}

void expect_same(const mechanism::Mechanism& m) {
  const Numbers one = evaluate(m, 1);
  for (int round = 0; round < 5; ++round)
    for (const int threads : {2, 4}) {
      const Numbers many = evaluate(m, threads);
      const Evaluation &a = one.evaluation, &b = many.evaluation;
      EXPECT_TRUE(same_bits(a.problem.M, b.problem.M));
      EXPECT_TRUE(same_bits(a.problem.A, b.problem.A));
      EXPECT_TRUE(same_bits(a.problem.Q, b.problem.Q));
      EXPECT_TRUE(same_bits(a.problem.b, b.problem.b));
      EXPECT_TRUE(same_bits(a.phi, b.phi));
      EXPECT_TRUE(same_bits(a.phidot, b.phidot));
      EXPECT_TRUE(same_bits(a.c_t, b.c_t));
      EXPECT_TRUE(same_bits(a.kinetic, b.kinetic) && same_bits(a.potential, b.potential));
      EXPECT_TRUE(same_bits(a.power_applied, b.power_applied) && same_bits(a.power_dissipated, b.power_dissipated));
      EXPECT_TRUE(same_bits(one.pose, many.pose) && same_bits(one.velocity, many.velocity));
      EXPECT_TRUE(same_bits(one.reaction, many.reaction));
    }
}

TEST(Determinism, ThreadsDoNotChangeBitsInThePlane) {
  const auto m = compile_example("n-four-bar", {"N=3000"});
  ASSERT_GT(m->bodies().size(), 4096u);
  expect_same(*m);
}

TEST(Determinism, ThreadsDoNotChangeBitsInSpace) {
  const auto m = compile(R"(mortise: 1
name: Chain
dimension: spatial
gravity: [0, 0, -9.81]
parameters: {N: 4500}
bodies:
  link$i: {repeat: {i: N}, mass: 1 + i/N, inertia: [0.01, 0.1, 0.1], at: [i + 1/2, 0, 0]}
joints:
  joint$i: {repeat: {i: N-1}, type: spherical, between: [link$i, link$(i+1)], at: [i+1, 0, 0]}
forces:
  spring$i: {repeat: {i: N-1}, type: spring-damper-actuator, between: [link$i, link$(i+1)], stiffness: 10, damping: 1,
             length: 0.9, force: sin(t + i)}
)");
  ASSERT_GT(m->bodies().size(), 4096u);
  expect_same(*m);
}

// Long enough to be eliminated in parts: a chain, and windows with redundant rows.
TEST(Determinism, TheSparseSolutionHasTheSameBitsOnAnyNumberOfThreads) {
  struct {
    const char *name, *size;
  } const cases[] = {{"chain", "N=6000"}, {"n-four-bar-spatial", "N=600"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto m = compile_example(c.name, {c.size});
    const auto stabilizer = stabilize::make_stabilizer("none", {});
    gauss::GaussSolution first;
    for (const std::size_t threads : {1u, 2u, 4u}) {
      const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism, threads);
      Motion motion(*m, *gauss::make_formulation("sparse"), *stabilizer, {});
      State state = m->initial_state();
      gauss::GaussSolution solution;
      solution.resize(m->pattern());
      motion.accelerate(state, solution);
      if (threads == 1) first = solution;
      EXPECT_TRUE(same_bits(first.a, solution.a)) << threads;
      EXPECT_TRUE(same_bits(first.lambda, solution.lambda)) << threads;
    }
  }
}

}  // namespace
}  // namespace mortise::test
