#include "mortise/gauss/udwadia_phohomsiri.h"

#include <gtest/gtest.h>

#include "gauss/random_problems.h"
#include "mortise/gauss/udwadia_kalaba.h"

namespace mortise::gauss::testing {
namespace {

// a − a_ideal = N(NᵀMN)⁻¹Nᵀc for constraint forces C = E c that do work.
TEST(UdwadiaPhohomsiri, MovesAlongTheTangentByConstraintForcesThatDoWork) {
  std::mt19937 random(331);
  for (int rank : {5, 3}) {
    OwnedProblem p;
    draw(p, random, {.n = 9, .m = 5, .rank = rank, .smallest = 0.1});
    const Matrix M = p.problem.dense_M(), A = p.problem.dense_A();
    const GaussSolution ideal = solve(UdwadiaPhohomsiri(), p);
    EXPECT_LT(relative(ideal.a, solve(UdwadiaKalaba(), p).a), 1e-11) << "without C the two are one";

    const Matrix N = Eigen::FullPivLU<Matrix>(A).setThreshold(1e-9).kernel();
    ASSERT_EQ(N.cols(), 9 - rank);
    const Vector c = random_matrix(random, 9, 1);
    const Vector C = N * (N.transpose() * N).ldlt().solve(N.transpose() * c);
    const Vector Q = p.problem.Q;
    p.problem.Q += C;
    const GaussSolution pushed = solve(UdwadiaPhohomsiri(), p);
    const Vector expected = N * (N.transpose() * M * N).ldlt().solve(N.transpose() * c);
    EXPECT_LT((pushed.a - ideal.a - expected).norm(), 1e-11 * (1 + expected.norm()));
    // The whole constraint force is M a − Q, of which C is the part that works.
    const Vector force = M * pushed.a - Q;
    EXPECT_LT((N.transpose() * (force - C)).norm(), 1e-11 * (1 + force.norm()));
    EXPECT_LT((force - C + A.transpose() * pushed.lambda).norm(), 1e-11 * (1 + force.norm()));
  }
}

}  // namespace
}  // namespace mortise::gauss::testing
