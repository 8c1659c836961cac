// Least squares block solutions 1 and 2, and the direct one, are pseudoinverses of the saddle matrix.
#include <gtest/gtest.h>

#include "gauss/random_problems.h"
#include "mortise/gauss/direct.h"
#include "mortise/gauss/least_squares_1.h"
#include "mortise/gauss/least_squares_2.h"
#include "mortise/gauss/tangent_projector.h"

namespace mortise::gauss::testing {
namespace {

Matrix saddle(const OwnedProblem& p) {
  const int n = p.pattern.n(), m = p.pattern.m();
  Matrix X = Matrix::Zero(n + m, n + m);
  X.topLeftCorner(n, n) = p.problem.dense_M();
  X.bottomLeftCorner(m, n) = p.problem.dense_A();
  X.topRightCorner(n, m) = p.problem.dense_A().transpose();
  return X;
}

// The matrix that a formulation applies to [Q; b], column by column.
Matrix applied(const Formulation& formulation, const OwnedProblem& p) {
  const int n = p.pattern.n(), m = p.pattern.m();
  const auto factor = formulation.prepare(p.pattern);
  if (!factor->factor(p.problem, {})) throw std::runtime_error("refused");
  Matrix out(n + m, n + m);
  GaussSolution solution;
  for (int k = 0; k < n + m; ++k) {
    const Vector unit = Vector::Unit(n + m, k), Q = unit.head(n), b = unit.tail(m);
    factor->solve(as_span(Q), as_span(b), solution);
    out.col(k) << solution.a, solution.lambda;
  }
  return out;
}

double penrose_residual(const Matrix& X, const Matrix& P) {
  const Matrix XP = X * P, PX = P * X;
  return std::max({(XP * X - X).norm() / X.norm(), (PX * P - P).norm() / P.norm(), (XP - XP.transpose()).norm(),
                   (PX - PX.transpose()).norm()});
}

TEST(LeastSquares1, IsThePseudoinverseOfTheSaddleMatrix) {
  std::mt19937 random(301);
  for (int rank : {0, 2, 4, 5}) {
    OwnedProblem p;
    draw(p, random, {.n = 8, .m = 5, .rank = rank, .smallest = 0.3});
    EXPECT_LT(penrose_residual(saddle(p), applied(LeastSquares1(), p)), 1e-12) << "rank " << rank;
  }
}

TEST(LeastSquares2, IsThePseudoinverseOfTheSaddleMatrixWithAndWithoutMass) {
  std::mt19937 random(307);
  for (int rank : {0, 2, 4, 5}) {
    OwnedProblem p;
    draw(p, random, {.n = 8, .m = 5, .rank = rank, .smallest = 0.3});
    EXPECT_LT(penrose_residual(saddle(p), applied(LeastSquares2(), p)), 1e-12) << "rank " << rank;
    EXPECT_LT(penrose_residual(saddle(p), applied(Direct(), p)), 1e-12) << "rank " << rank;
  }
  for (int rank : {3, 4, 5}) {
    OwnedProblem p;
    lay_out(p, {8}, {5});
    const Matrix G = random_orthogonal(random, 8, 5);
    p.fill(G * G.transpose(), random_orthogonal(random, 5, rank) * random_orthogonal(random, 8, rank).transpose());
    const Matrix P = applied(LeastSquares2(), p);
    EXPECT_LT(penrose_residual(saddle(p), P), 1e-12 * std::max(1.0, P.norm())) << "rank " << rank;
  }
}

TEST(LeastSquares2, MovesFreelyOnlyWhereTheRowsLeaveIt) {
  std::mt19937 random(311);
  for (int rank : {0, 1, 3, 4}) {
    OwnedProblem p;
    draw(p, random, {.n = 9, .m = 4, .rank = rank, .smallest = 0.1});
    const Matrix A = p.problem.dense_A();
    const Matrix W = applied(LeastSquares2(), p).topLeftCorner(9, 9);  // (E M E)⁺
    EXPECT_LT((A * W).norm(), 1e-12 * W.norm());
    EXPECT_EQ(Eigen::FullPivLU<Matrix>(W).setThreshold(1e-9).rank(), 9 - rank);

    TangentProjector tangent(9, 4, "svd");
    linalg::Flops flops;
    tangent.project(A, {}, 0, flops);
    const Matrix& E = tangent.E();
    EXPECT_NEAR(E.trace(), 9 - rank, 1e-13) << "rank of E";
    EXPECT_LT((E * E - E).norm(), 1e-14);
    EXPECT_LT((A * E).norm(), 1e-13 * std::max(1.0, A.norm()));
    EXPECT_GT(flops.count(), 0);
  }
}

// The projector stays one where A⁺A has lost its digits.
TEST(TangentProjector, IsAProjectorForIllConditionedRowsToo) {
  std::mt19937 random(313);
  linalg::RankPolicy policy;
  policy.relative = 1e-13;
  const Matrix A = random_orthogonal(random, 4, 4) * Vector(Eigen::Vector4d(1, 1e-3, 1e-6, 1e-9)).asDiagonal() *
                   random_orthogonal(random, 9, 4).transpose();
  TangentProjector tangent(9, 4, "svd");
  linalg::Flops flops;
  tangent.project(A, policy, 0, flops);
  EXPECT_LT((tangent.E() * tangent.E() - tangent.E()).norm(), 1e-14);
  EXPECT_NEAR(tangent.E().trace(), 5, 1e-13);
  EXPECT_LT((A * tangent.E()).norm(), 1e-7) << "rounding times the condition, as A⁺ has it";
}

TEST(Direct, AndLeastSquares1SeeSquaresOfSingularValues) {
  std::mt19937 random(317);
  linalg::RankPolicy policy;
  policy.relative = 1e-12;
  for (double weakest : {1e-6, 1e-9}) {
    OwnedProblem p;
    draw(p, random, {.n = 8, .m = 4, .rank = 4, .smallest = weakest, .mass_condition = 2});
    const int seen = weakest > 1e-7 ? 4 : 3;
    EXPECT_EQ(solve(Direct(), p, policy).rank.rank, seen) << weakest;
    EXPECT_EQ(solve(LeastSquares1(), p, policy).rank.rank, seen) << weakest;
    EXPECT_EQ(solve(LeastSquares2(), p, policy).rank.rank, 4) << weakest;
  }
}

}  // namespace
}  // namespace mortise::gauss::testing
