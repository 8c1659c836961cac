// Natural partitioning on several threads: branches are really done at the same time, and neither the number of threads
// nor the order of branches changes a bit of the null-space matrix, of the mass matrix, or of what conjugate gradients
// and the staggered integrator make of them. Checks 5, 6 of specs/nasa-3-natural-partitioning.md §5.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <cmath>
#include <cstdio>

#include "mortise/coordinates/natural.h"
#include "mortise/linalg/parallel.h"
#include "support/compile.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

using coordinates::CoordinateSettings;
using coordinates::Natural;

// A free root with equal branches of hinged bars: more than 512 bodies, so that branches are tasks.
std::string tree_of_hinges(int branches, int length) {
  std::string text = "mortise: 1\ndimension: spatial\ngravity: [0, 0, -9.81]\nbodies:\n";
  text += "  root: {mass: 20, inertia: [3, 3, 5], at: [0, 0, 0], angular_velocity: [0.1, 0.2, 0.3]}\n";
  std::string joints = "joints:\n";
  for (int b = 0; b < branches; ++b) {
    const double turn = 2 * M_PI * b / branches, x = std::cos(turn), y = std::sin(turn);
    for (int k = 0; k < length; ++k) {
      text += fmt::format(
          "  b{}_{}: {{mass: 1, inertia: [0.02, 0.08, 0.09], at: [{}, {}, 0.1], orientation: {{rpy: [{}, "
          "0, {}]}}}}\n",
          b, k, (k + 1.5) * x, (k + 1.5) * y, 0.1 * k, turn);
      joints += fmt::format(
          "  h{}_{}: {{type: revolute, between: [{}, b{}_{}], at: [{}, {}, 0], axis: [{}, {}, {}]}}\n", b, k,
          k == 0 ? "root" : fmt::format("b{}_{}", b, k - 1), b, k, (k + 1) * x, (k + 1) * y, -y, x, 0.3 * (k % 3));
    }
  }
  return text + joints + "analysis: {until: 0.002, coordinates: natural}\noutput: {every: 0.002}\n";
}

// Calls with that many threads really there, whatever the machine has.
template <class Call>
auto on_threads(int threads, const Call& call) {
  const oneapi::tbb::global_control most(oneapi::tbb::global_control::max_allowed_parallelism, index(threads));
  oneapi::tbb::task_arena arena(threads);
  return arena.execute(call);
}

State stirred(const Natural& natural) {
  State state;
  State start = natural.mechanism().initial_state();
  natural.lower(start, state);
  for (Eigen::Index k = 0; k < state.v.size(); ++k) state.v[k] += 0.3 * std::sin(3.0 * static_cast<double>(k) + 1);
  return state;
}

TEST(NaturalThreads, NullSpaceAndMassMatrixHaveTheSameBitsOnAnyNumberOfThreads) {
  const auto m = compile(tree_of_hinges(26, 20));
  const Natural natural(*m, m->initial_state(), {});  // A and M* as matrices
  ASSERT_GT(natural.shape().tasks(), 4u);
  ASSERT_EQ(natural.v_size(), 6 + 520);
  const State state = stirred(natural);
  struct Found {
    Matrix A;
    Vector M, Q;
  };
  const auto find = [&] {
    Found out;
    const auto scratch = natural.make_scratch();
    Evaluation e;
    e.resize(natural.pattern());
    natural.evaluate(state, need_dynamics, *scratch, e);
    out.M = e.problem.M, out.Q = e.problem.Q;
    out.A.resize(m->v_size(), 40);
    State one = state, lifted;
    for (int k = 0; k < 40; ++k) {
      one.v.setZero();
      one.v[13 * k] = 1;
      natural.lift(one, lifted);
      out.A.col(k) = lifted.v;
    }
    return out;
  };
  const Found wanted = on_threads(1, find);
  EXPECT_GT(wanted.A.norm(), 1);
  for (const int threads : {2, 4, 8}) {
    const Found found = on_threads(threads, find);
    EXPECT_TRUE(found.A == wanted.A) << threads;
    EXPECT_TRUE(found.M == wanted.M) << threads;
    EXPECT_TRUE(found.Q == wanted.Q) << threads;
  }
}

TEST(NaturalThreads, ConjugateGradientsHaveTheSameBitsOnAnyNumberOfThreads) {
  const auto m = compile(tree_of_hinges(26, 20));
  for (const char* preconditioner : {"none", "branches", "lagged"}) {
    CoordinateSettings settings;
    settings.accelerations = "conjugate-gradients";
    settings.preconditioner = preconditioner;
    const auto solve = [&] {
      const Natural natural(*m, m->initial_state(), settings);
      State state = stirred(natural);
      const auto scratch = natural.make_scratch();
      Evaluation e;
      e.resize(natural.pattern());
      const auto factor = natural.formulation()->prepare(natural.pattern());
      gauss::GaussSolution solution;
      solution.resize(natural.pattern());
      for (int pass = 0; pass < 2; ++pass) {  // the second with what the first left
        natural.evaluate(state, need_dynamics, *scratch, e);
        EXPECT_TRUE(factor->factor(e.problem, {}));
        factor->solve(as_span(e.problem.Q), as_span(e.problem.b), solution);
        const Vector moved = 0.01 * state.v, q = state.q;
        natural.retract(as_span(q), as_span(moved), as_span(state.q));
      }
      const auto* way = static_cast<const gauss::TreeFormulation*>(natural.formulation());
      return std::make_pair(solution.a, way->counters().steps.load());
    };
    const auto wanted = on_threads(1, solve);
    std::printf("%s: %ld steps\n", preconditioner, wanted.second);
    if (std::string(preconditioner) == "branches") {
      EXPECT_LE(wanted.second, 2 * (2 * 6 + 1));
    }
    for (const int threads : {2, 4, 8}) {
      const auto found = on_threads(threads, solve);
      EXPECT_TRUE(found.first == wanted.first) << preconditioner << " " << threads;
      EXPECT_EQ(found.second, wanted.second);
    }
  }
}

TEST(NaturalThreads, StaggeredStepsHaveTheSameBitsOnAnyNumberOfThreads) {
  const auto run_it = [](const char* accelerations) {
    const auto m = compile(tree_of_hinges(26, 20),
                           {"analysis.integrator=staggered-explicit-implicit", "analysis.step=0.0005",
                            fmt::format("analysis.coordinates={{type: natural, accelerations: {}}}", accelerations)});
    Recorder recorder;
    run(*m, recorder);
    return std::make_pair(recorder.frames.back().q, recorder.frames.back().v);
  };
  for (const char* accelerations : {"recursion", "conjugate-gradients"}) {
    const auto wanted = on_threads(1, [&] { return run_it(accelerations); });
    for (const int threads : {2, 4}) {
      const auto found = on_threads(threads, [&] { return run_it(accelerations); });
      EXPECT_TRUE(found.first == wanted.first && found.second == wanted.second) << accelerations << " " << threads;
    }
  }
}

}  // namespace
}  // namespace mortise::test
