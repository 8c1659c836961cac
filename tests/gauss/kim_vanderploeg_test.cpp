#include "mortise/gauss/kim_vanderploeg.h"

#include <gtest/gtest.h>

#include "gauss/five_bar.h"
#include "gauss/random_problems.h"

namespace mortise::gauss::testing {
namespace {

KimVanderploeg reusing(int steps) {
  FormulationSettings settings;
  settings.reuse = steps;
  return KimVanderploeg(settings);
}

GaussSolution next_problem(Factor& factor, const OwnedProblem& p) {
  GaussSolution solution;
  if (!factor.factor(p.problem, {})) throw std::runtime_error("refused");
  factor.solve(as_span(p.problem.Q), as_span(p.problem.b), solution);
  return solution;
}

// G-A10: the tilde form is exact for the rows of now, whatever instant the QR comes from.
TEST(KimVanderploeg, AnOldFactorisationIsExactForTheRowsOfNow) {
  std::mt19937 random(401);
  for (int trial = 0; trial < 20; ++trial) {
    OwnedProblem p;
    draw(p, random, {.n = 14, .m = 8, .rank = trial % 2 ? 8 : 6, .smallest = 0.1});
    const auto factor = reusing(3).prepare(p.pattern);
    next_problem(*factor, p);
    // All rows turn together, so that dependent ones stay dependent.
    const Matrix turn = Matrix::Identity(14, 14) + 0.05 * random_matrix(random, 14, 14);
    const Matrix A = p.problem.dense_A() * turn;
    p.fill(p.problem.dense_M(), A);
    p.problem.b = A * random_matrix(random, 14, 1);
    const GaussSolution old = next_problem(*factor, p), fresh = solve(KimVanderploeg(), p);
    const Oracle truth = oracle(p);
    EXPECT_NE(old.a, fresh.a) << "the old one was used";
    EXPECT_LT(relative(old.a, truth.a), 1e-10);
    EXPECT_LT(relative(old.lambda, truth.lambda), 1e-10);
    EXPECT_EQ(std::count(old.verdicts.begin(), old.verdicts.end(), RowVerdict::conflicting), 0);

    for (int step = 0; step < 2; ++step) factor->step_accepted();
    EXPECT_EQ(next_problem(*factor, p).a, old.a);
    factor->step_accepted();
    EXPECT_EQ(next_problem(*factor, p).a, fresh.a) << "its time is over";
  }
}

TEST(KimVanderploeg, GivesUpAnOldFactorisationThatNoLongerFits) {
  std::mt19937 random(409);
  OwnedProblem p;
  lay_out(p, {4, 4}, {2, 2});
  const Matrix M = random_mass(random, p.pattern.columns);
  Matrix A = Matrix::Zero(4, 8);
  A.leftCols(4).setIdentity();
  A.row(3) = A.row(0);
  p.problem.Q = random_matrix(random, 8, 1);
  p.fill(M, A);
  const auto factor = reusing(100).prepare(p.pattern);
  EXPECT_EQ(next_problem(*factor, p).rank.rank, 3);

  A.row(3) = random_matrix(random, 1, 8);  // a dropped row becomes independent
  p.fill(M, A);
  EXPECT_EQ(next_problem(*factor, p).rank.rank, 4);
  EXPECT_LT(relative(next_problem(*factor, p).a, oracle(p).a), 1e-12);

  A = Matrix::Zero(4, 8);  // nothing is as it was
  A.rightCols(4).setIdentity();
  p.fill(M, A);
  EXPECT_LT(relative(next_problem(*factor, p).a, oracle(p).a), 1e-12);

  p.problem.active[1] = 0;  // a row is switched off, and on again
  EXPECT_EQ(next_problem(*factor, p).rank.rank, 3);
  EXPECT_LT(relative(next_problem(*factor, p).a, oracle(p).a), 1e-12);
  p.problem.active[1] = 1;
  EXPECT_EQ(next_problem(*factor, p).rank.rank, 4);
}

TEST(KimVanderploeg, FollowsTheRankThroughASingularPose) {
  const FiveBar first(1.0);
  const auto factor = reusing(1000).prepare(first.pattern);
  for (double theta : {1.0, 0.5, 0.1, 0.0, 0.1, 1.0}) {
    const FiveBar p(theta, 0.7);
    const GaussSolution solution = next_problem(*factor, p);
    EXPECT_EQ(solution.rank.rank, theta == 0 ? 10 : 11) << theta;
    EXPECT_LT(relative(solution.a, oracle(p).a), 1e-10) << theta;
  }
}

TEST(KimVanderploeg, NamesTheRowsThatItDrops) {
  std::mt19937 random(419);
  OwnedProblem p;
  lay_out(p, {3, 3, 3}, {2, 2, 1});
  Matrix A = random_matrix(random, 5, 9);
  A.row(3) = 0.5 * A.row(1);
  A.row(4).setZero();
  p.fill(random_mass(random, p.pattern.columns), A);
  p.problem.Q = random_matrix(random, 9, 1);
  p.problem.b << 1, 2, 3, 1, 0;
  using enum RowVerdict;
  EXPECT_EQ(solve(KimVanderploeg(), p).verdicts,
            (std::vector<RowVerdict>{independent, independent, independent, redundant, vanished}));
  p.problem.b << 1, 2, 3, 1.2, 0.1;
  const GaussSolution solution = solve(KimVanderploeg(), p);
  EXPECT_EQ(solution.verdicts,
            (std::vector<RowVerdict>{independent, independent, independent, conflicting, conflicting}));
  EXPECT_LT((A.topRows(3) * solution.a - p.problem.b.head(3)).norm(), 1e-13) << "the kept rows hold";
}

}  // namespace
}  // namespace mortise::gauss::testing
