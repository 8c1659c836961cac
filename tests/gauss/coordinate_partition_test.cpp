#include "mortise/gauss/coordinate_partition.h"

#include <gtest/gtest.h>

#include "gauss/five_bar.h"
#include "gauss/random_problems.h"

namespace mortise::gauss::testing {
namespace {

GaussSolution next(Factor& factor, const OwnedProblem& p) {
  GaussSolution solution;
  if (!factor.factor(p.problem, {})) throw std::runtime_error("refused");
  factor.solve(as_span(p.problem.Q), as_span(p.problem.b), solution);
  return solution;
}

TEST(CoordinatePartition, FollowsTheMotionAndTheRankThroughASingularPose) {
  const FiveBar first(1.4);
  const auto factor = CoordinatePartition().prepare(first.pattern);
  for (double theta : {1.4, 1.3, 1.0, 0.5, 0.1, 0.0, 0.1, 1.0, 3.0}) {
    const FiveBar p(theta, 0.7);
    const GaussSolution solution = next(*factor, p);
    EXPECT_EQ(solution.rank.rank, theta == 0 ? 10 : 11) << theta;
    EXPECT_LT(relative(solution.a, oracle(p).a), 1e-10) << theta;
    EXPECT_LT(relative(solution.lambda, oracle(p).lambda), 1e-10) << theta;
  }
}

// The largest column is dependent; when another grows past it the partition stays, which shows in the last bits only.
TEST(CoordinatePartition, KeepsItsChoiceUntilItIsForgottenOrIllConditioned) {
  std::mt19937 random(431);
  OwnedProblem p;
  lay_out(p, {3}, {1});
  Matrix A(1, 3);
  const Matrix M = Matrix::Identity(3, 3);
  p.problem.Q = random_matrix(random, 3, 1);
  p.problem.b << 0.7;
  const auto factor = CoordinatePartition().prepare(p.pattern);
  A << 1, 0.3, 0.2;
  p.fill(M, A);
  next(*factor, p);
  A << 0.3, 1, 0.7;
  p.fill(M, A);
  const GaussSolution kept = next(*factor, p), fresh = solve(CoordinatePartition(), p);
  EXPECT_LT(relative(kept.a, fresh.a), 1e-14);
  EXPECT_TRUE(CoordinatePartition().can().remembers);
  factor->forget();
  EXPECT_EQ(next(*factor, p).a, fresh.a);
  A << 1, 0, 0.2;  // the dependent column vanished
  p.fill(M, A);
  EXPECT_LT(relative(next(*factor, p).a, oracle(p).a), 1e-14);
}

}  // namespace
}  // namespace mortise::gauss::testing
