// Soft rows: (diag(κ) + A M⁻¹Aᵀ) λ = r by the sparse elimination, against dense Cholesky, for any rank.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "gauss/random_problems.h"
#include "mortise/gauss/sparse.h"

namespace mortise::gauss::testing {
namespace {

TEST(SoftRows, AgreeWithDenseCholeskyForAnyRank) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  double worst = 0;
  for (int k = 0; k < 100; ++k) {
    OwnedProblem p;
    Order order;
    order.n = 12 + k % 7;
    order.m = 6 + k % 9;
    order.rank = 1 + k % std::min(order.m, 6);
    order.off = k % 3;
    order.scaled = k % 2 == 1;
    draw(p, random, order);
    const GaussProblem& problem = p.problem;
    const int m = problem.pattern->m();
    Vector kappa(m), r(m), lambda(m), divided(problem.pattern->n());
    for (int i = 0; i < m; ++i) {
      kappa[i] = std::pow(10.0, -1 - 6 * std::abs(uniform(random)));
      r[i] = uniform(random);
    }
    const auto factor = make_sparse_factor(*problem.pattern);
    ASSERT_TRUE(factor->factor_soft(problem, {}, as_span(kappa)));
    factor->solve_soft(as_span(r), as_span(lambda));
    const Matrix M = problem.dense_M(), A = problem.dense_A();
    Matrix K = A * M.llt().solve(A.transpose());
    K.diagonal() += kappa;
    Vector wanted = r;
    for (int i = 0; i < m; ++i)
      if (!problem.active[static_cast<std::size_t>(i)]) {
        K.row(i).setZero();
        K.col(i).setZero();
        K(i, i) = 1;
        wanted[i] = 0;
      }
    // Backwards: λ solves a system that differs by rounding; where κ is small λ itself is large and may differ by more.
    worst = std::max(worst, (K * lambda - wanted).norm() / (K.norm() * lambda.norm()));
    factor->divide_by_mass(as_span(problem.Q), as_span(divided));
    EXPECT_LT((M * divided - problem.Q).norm(), 1e-12 * (1 + problem.Q.norm()));
  }
  EXPECT_LT(worst, 1e-14);
}

TEST(SoftRows, DoNotDisturbTheRankDecisionsOfTheSameFactor) {
  std::mt19937 random(3);
  OwnedProblem p;
  Order order;
  order.rank = 5;
  const Known known = draw(p, random, order);
  const auto factor = make_sparse_factor(*p.problem.pattern);
  GaussSolution before, after;
  before.resize(*p.problem.pattern);
  after.resize(*p.problem.pattern);
  ASSERT_TRUE(factor->factor(p.problem, {}));
  factor->solve(as_span(p.problem.Q), as_span(p.problem.b), before);
  const Vector kappa = Vector::Constant(p.problem.pattern->m(), 1e-3);
  ASSERT_TRUE(factor->factor_soft(p.problem, {}, as_span(kappa)));
  EXPECT_THROW(factor->solve(as_span(p.problem.Q), as_span(p.problem.b), after), std::logic_error);
  ASSERT_TRUE(factor->factor(p.problem, {}));
  Vector lambda = kappa;
  EXPECT_THROW(factor->solve_soft(as_span(lambda), as_span(lambda)), std::logic_error);
  factor->solve(as_span(p.problem.Q), as_span(p.problem.b), after);
  EXPECT_EQ(before.a, after.a);
  EXPECT_EQ(before.lambda, after.lambda);
  EXPECT_LT(relative(after.lambda, known.lambda), 1e-9);
}

}  // namespace
}  // namespace mortise::gauss::testing
