#include "mortise/gauss/singh_likins.h"

#include <gtest/gtest.h>

#include "gauss/random_problems.h"

namespace mortise::gauss::testing {
namespace {

TEST(SinghLikins, TellsTheSingularValuesItDecidedBy) {
  std::mt19937 random(337);
  OwnedProblem p;
  lay_out(p, {4, 4}, {3, 2});
  const Eigen::Vector4d sigma(1, 0.4, 0.02, 1e-12);  // the last is below the threshold
  p.fill(Matrix::Identity(8, 8),
         random_orthogonal(random, 5, 4) * sigma.asDiagonal() * random_orthogonal(random, 8, 4).transpose());
  p.problem.Q = random_matrix(random, 8, 1);
  const GaussSolution solution = solve(SinghLikins(), p);
  EXPECT_EQ(solution.rank.rank, 3);
  EXPECT_NEAR(solution.rank.smallest_kept, 0.02, 1e-14);
  EXPECT_NEAR(solution.rank.largest_dropped, 1e-12, 1e-15);
  EXPECT_LT(equation_residual(p, solution), 1e-12);
}

}  // namespace
}  // namespace mortise::gauss::testing
