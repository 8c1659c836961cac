// `sparse` against the dense `udwadia-kalaba`: accelerations and multipliers at poses of all examples and of random
// redundant mechanisms, hubs among them; and what it costs in memory and allocation.
#include "mortise/gauss/sparse.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "coordinates/random_machines.h"
#include "mortise/analysis/methods.h"
#include "mortise/gauss/udwadia_kalaba.h"
#include "mortise/motion/motion.h"
#include "mortise/stabilize/stabilizer.h"
#include "support/compile.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

struct Differences {
  double a = 0, lambda = 0;
};

// At the assembled start and at a few poses on the way of its motion.
Differences compare_solutions(const mechanism::Mechanism& m, int poses, double until) {
  const gauss::UdwadiaKalaba dense;
  const gauss::Sparse sparse;
  const auto stabilizer = stabilize::make_stabilizer("projection", {});
  Motion reference(m, dense, *stabilizer, {}), motion(m, sparse, *stabilizer, {});
  State state = m.initial_state();
  analysis::assemble(m, state, {});
  const auto integrator = integrate::make_integrator("rk45", {1e-6, 0, 0, 0});
  Vector y(reference.size());
  reference.set_active(state.active);
  reference.set_inputs(state.inputs);
  motion.set_active(state.active);
  motion.set_inputs(state.inputs);
  reference.pack(state, as_span(y));
  integrator->start(reference, state.t, as_span(y));
  Differences worst;
  gauss::GaussSolution expected, found;
  expected.resize(m.pattern());
  found.resize(m.pattern());
  for (int k = 0; k < poses; ++k) {
    State there = state;
    reference.project(there, Motion::Start::fresh);
    State same = there;
    reference.accelerate(there, expected);
    motion.accelerate(same, found);
    EXPECT_EQ(found.rank.rank, expected.rank.rank) << "pose " << k;
    worst.a = std::max(worst.a, (found.a - expected.a).norm() / (0.01 + expected.a.norm()));
    // Multipliers in their scaled rows; where all are rounding of the loads, by those.
    Vector scaled = expected.lambda;
    Vector difference = found.lambda - expected.lambda;
    for (int i = 0; i < m.pattern().m(); ++i) {
      scaled[i] /= m.pattern().row_scale[index(i)];
      difference[i] /= m.pattern().row_scale[index(i)];
    }
    worst.lambda = std::max(worst.lambda, difference.norm() / (scaled.norm() + 1e-6));
    if (k + 1 == poses) break;
    const double end = until * (k + 1) / (poses - 1);
    while (integrator->t() < end) integrator->step(end);
    reference.unpack(integrator->t(), integrator->y(), state);
    m.normalize(as_span(state.q));
  }
  return worst;
}

TEST(Sparse, AgreesWithTheDenseSolutionOnAllExamples) {
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MORTISE_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string name = entry.path().stem().string();
    const auto m = compile_example(name);
    if (m->model().analysis.type != "dynamics" || !m->events().empty()) continue;
    SCOPED_TRACE(name);
    const Differences d = compare_solutions(*m, 3, std::min(0.3, m->model().analysis.until));
    EXPECT_LT(d.a, 1e-9);
    EXPECT_LT(d.lambda, 1e-8);
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

// What factors and solves at once, in fewer passes, gives the bits of both one after the other: at the modelled poses,
// then with a row switched off, and with all of them again.
TEST(Sparse, FactorsAndSolvesAtOnceWithTheSameBits) {
  int compared = 0;
  const auto compare = [&](const mechanism::Mechanism& m) {
    for (const char* name : {"sparse", "auto"}) {
      const auto formulation = gauss::make_formulation(name);
      const auto apart = formulation->prepare(m.pattern()), at_once = formulation->prepare(m.pattern());
      const auto scratch = m.make_scratch();
      Evaluation e;
      e.resize(m.pattern());
      State state = m.initial_state();
      for (const unsigned char first : {1, 0, 1}) {
        if (!state.active.empty()) state.active[0] = first;
        m.evaluate(state, need_dynamics, *scratch, e);
        gauss::GaussSolution expected, found;
        expected.resize(m.pattern());
        found.resize(m.pattern());
        const bool regular = apart->factor(e.problem, {});
        ASSERT_EQ(at_once->factor_and_solve(e.problem, {}, found), regular);
        if (!regular) continue;
        apart->solve(as_span(e.problem.Q), as_span(e.problem.b), expected);
        EXPECT_TRUE((found.a.array() == expected.a.array()).all());
        EXPECT_TRUE((found.lambda.array() == expected.lambda.array()).all());
        EXPECT_EQ(found.residual, expected.residual);
        EXPECT_EQ(found.rank.rank, expected.rank.rank);
        EXPECT_EQ(found.rank.smallest_kept, expected.rank.smallest_kept);
        EXPECT_EQ(found.verdicts, expected.verdicts);
        ++compared;
      }
    }
  };
  for (const auto& entry : std::filesystem::directory_iterator(MORTISE_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path().stem().string());
    compare(*compile_example(entry.path().stem().string()));
  }
  for (const char* example : {"chain", "chain-spatial", "n-four-bar"}) {
    SCOPED_TRACE(example);
    compare(*compile_example(example, {"N=5000"}));  // in parts
  }
  EXPECT_GT(compared, 250);
}

// Loops of planar links in space, each with redundancies of its own, on a common hub or in a row.
TEST(Sparse, AgreesOnLaddersAndOnAHubWithManyLoops) {
  for (const char* n : {"3", "12"})
    for (const char* example : {"n-four-bar", "n-four-bar-spatial"}) {
      SCOPED_TRACE(std::string(example) + " " + n);
      const Differences d = compare_solutions(*compile_example(example, {std::string("N=") + n}), 3, 0.2);
      EXPECT_LT(d.a, 1e-9);
      EXPECT_LT(d.lambda, 1e-8);
    }
  std::string text =
      "mortise: 1\ndimension: planar\ngravity: [0, -9.81]\nbodies:\n"
      "  hub: {mass: 5, inertia: 2, at: [0, 0], angular_velocity: 1}\n";
  std::string joints = "joints:\n  axle: {type: revolute, between: [ground, hub], at: [0, 0]}\n";
  for (int k = 0; k < 60; ++k) {  // more than are eliminated on paper
    const double angle = 0.1 * k, x = std::cos(angle), y = std::sin(angle);
    text += fmt::format("  arm{}: {{mass: 1, inertia: 0.1, at: [{}, {}]}}\n", k, x, y);
    joints += fmt::format("  in{}: {{type: revolute, between: [hub, arm{}], at: [{}, {}]}}\n", k, k, 0.5 * x, 0.5 * y);
    if (k % 3 == 0)  // welded twice: rows that repeat others
      joints += fmt::format("  weld{}: {{type: fixed, between: [hub, arm{}], at: [{}, {}]}}\n", k, k, x, y);
  }
  const Differences d = compare_solutions(*compile(text + joints), 3, 0.2);
  EXPECT_LT(d.a, 1e-9);
  EXPECT_LT(d.lambda, 1e-8);
}

// The first hinge of a long chain has a pivot like a redundant row's, since all of the chain hangs on it. That no row
// is one is found once, and is then no reason to eliminate thrice.
TEST(Sparse, KnowsThatALongChainHasNoRedundantRow) {
  const auto m = compile_example("chain-spatial", {"N=3000"});
  const auto factor = gauss::Sparse().prepare(m->pattern());
  const auto scratch = m->make_scratch();
  Evaluation e;
  e.resize(m->pattern());
  m->evaluate(m->initial_state(), need_dynamics, *scratch, e);
  e.problem.violation = 1e-5;  // of a run that drifts: such pivots are looked at
  gauss::GaussSolution first, again;
  first.resize(m->pattern());
  again.resize(m->pattern());
  ASSERT_TRUE(factor->factor(e.problem, {}));
  const double deciding = factor->flops();
  factor->solve(as_span(e.problem.Q), as_span(e.problem.b), first);
  EXPECT_EQ(first.rank.rank, m->pattern().m());
  ASSERT_TRUE(factor->factor(e.problem, {}));
  EXPECT_LT(factor->flops(), 0.5 * deciding);
  factor->solve(as_span(e.problem.Q), as_span(e.problem.b), again);
  EXPECT_EQ(again.rank.rank, m->pattern().m());
  EXPECT_LT((again.a - first.a).norm(), 1e-12 * first.a.norm());
  Vector left(m->pattern().m());
  e.problem.multiply_A(as_span(again.a), as_span(left));
  EXPECT_LT((left - e.problem.b).lpNorm<Eigen::Infinity>(), 1e-14 * again.lambda.lpNorm<Eigen::Infinity>());
}

// Joints that stand there twice: welds and slides a second time elsewhere on the same two bodies, others at their
// place.
std::string doubled(const std::string& machine, Random& random, int dimension) {
  std::string out;
  std::istringstream lines(machine);
  for (std::string line; std::getline(lines, line);) {
    out += line + "\n";
    const auto at = line.find(", at: [");
    if (!line.starts_with("  j") || at == std::string::npos || uniform(random, 0, 1) < 0.4) continue;
    std::string again = line;
    if (line.find("fixed") != std::string::npos || line.find("prismatic") != std::string::npos)
      again.replace(at, line.find(']', at) + 1 - at, ", at: " + numbers(random, dimension, 1.5));
    again.insert(again.find(':'), "-again");
    out += again + "\n";
  }
  return out;
}

TEST(Sparse, AgreesOnFiveHundredRandomRedundantMechanisms) {
  Random random(611);
  int compared = 0, drawn = 0, redundant = 0;
  Differences worst;
  for (; compared < 500 && drawn < 1500; ++drawn) {
    const int dimension = 2 + drawn % 2, bodies = 2 + drawn % 9;
    const auto m = compile(doubled(random_machine(random, dimension, bodies, drawn % 3), random, dimension));
    const gauss::UdwadiaKalaba dense;
    const gauss::Sparse sparse;
    const auto stabilizer = stabilize::make_stabilizer("none", {});
    Motion reference(*m, dense, *stabilizer, {}), motion(*m, sparse, *stabilizer, {});
    State state = m->initial_state();
    try {
      state = admissible_state(*m, random);
    } catch (const SolveError&) {  // a rod that no longer reaches
      continue;
    }
    gauss::GaussSolution expected, found;
    expected.resize(m->pattern());
    found.resize(m->pattern());
    State same = state;
    reference.accelerate(state, expected);
    // Of what is redundant, and not nearly singular: there the squares that `sparse` forms cost digits.
    if (expected.rank.redundant() == 0 || expected.rank.smallest_kept < 1e-2) continue;
    motion.accelerate(same, found);
    ASSERT_EQ(found.rank.rank, expected.rank.rank) << "mechanism " << drawn;
    Vector wanted = expected.lambda, off = found.lambda - expected.lambda;
    for (int i = 0; i < m->pattern().m(); ++i) {
      wanted[i] /= m->pattern().row_scale[index(i)];
      off[i] /= m->pattern().row_scale[index(i)];
    }
    const Differences d{(found.a - expected.a).norm() / (0.01 + expected.a.norm()),
                        off.norm() / (wanted.norm() + 1e-6)};
    EXPECT_LT(d.a, 1e-9) << "mechanism " << drawn;
    EXPECT_LT(d.lambda, 1e-8) << "mechanism " << drawn;
    worst = {std::max(worst.a, d.a), std::max(worst.lambda, d.lambda)};
    redundant += expected.rank.redundant();
    ++compared;
  }
  EXPECT_EQ(compared, 500);
  std::printf("%d of %d mechanisms, %d redundant rows: a %.1e, lambda %.1e\n", compared, drawn, redundant, worst.a,
              worst.lambda);
}

}  // namespace
}  // namespace mortise::test
