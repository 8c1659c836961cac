// The orthogonal complement on problems of any shape and rank, and what it says where its choice or its coordinates
// fail. The examples of its source are in blajer_test.cpp.
#include "mortise/gauss/orthogonal_complement.h"

#include <gtest/gtest.h>

#include "gauss/dependent_problem.h"
#include "gauss/five_bar.h"
#include "mortise/gauss/udwadia_kalaba.h"
#include "support/allocation_counter.h"

namespace mortise::gauss::testing {
namespace {

using Form = OrthogonalComplement::Form;

TEST(OrthogonalComplement, EqualsTheOracleInBothForms) {
  std::mt19937 random(61);
  double worst = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const int n = 4 + static_cast<int>(random() % 30), m = 2 + static_cast<int>(random() % (n + 4));
    const int rank = 1 + static_cast<int>(random() % static_cast<unsigned>(std::min(n, m)));
    OwnedProblem p;
    draw_of_rank(p, random, n, m, rank, trial % 3 == 0);
    const Oracle truth = oracle(p);
    const GaussSolution minimal = solve(OrthogonalComplement(), p),
                        stacked = solve(OrthogonalComplement(Form::stacked), p);
    ASSERT_EQ(minimal.rank.rank, rank);
    for (const double error :
         {relative_or_absolute(minimal.a, truth.a), relative_or_absolute(minimal.lambda, truth.lambda),
          relative_or_absolute(stacked.a, truth.a), relative_or_absolute(stacked.lambda, truth.lambda)})
      worst = std::max(worst, error);
    ASSERT_LT(worst, 1e-10) << trial << " n " << n << " m " << m << " rank " << rank;
    ASSERT_LT(equation_residual(p, minimal), 1e-11);
  }
}

TEST(OrthogonalComplement, BasisIsCompleteAndOrthogonalToTheRows) {
  std::mt19937 random(63);
  for (int trial = 0; trial < 50; ++trial) {
    OwnedProblem p;
    draw_of_rank(p, random, 16, 10, 7, false);
    OrthogonalComplementFactor factor(p.pattern, Form::minimal);
    ASSERT_TRUE(factor.factor(p.problem, {}));
    const Matrix N = factor.basis();
    ASSERT_EQ(N.cols(), 9);
    ASSERT_EQ(Eigen::FullPivLU<Matrix>(N).setThreshold(1e-9).rank(), 9);
    ASSERT_LT((p.problem.dense_A() * N).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST(OrthogonalComplement, DropsTheRedundantRowOfTheFiveBar) {
  for (const double degrees : {30.0, 60.0, 90.0, 135.0, 0.0}) {
    const FiveBar p(degrees * std::numbers::pi / 180, 2);
    const int rank = degrees == 0 ? 10 : 11;
    OrthogonalComplementFactor factor(p.pattern, Form::minimal);
    ASSERT_TRUE(factor.factor(p.problem, {}));
    GaussSolution s;
    factor.solve(as_span(p.problem.Q), as_span(p.problem.b), s);
    EXPECT_EQ(s.rank.rank, rank);
    EXPECT_EQ(std::count(s.verdicts.begin(), s.verdicts.end(), RowVerdict::redundant), 12 - rank);
    EXPECT_EQ(factor.basis().cols(), 12 - rank);
    EXPECT_LT((p.problem.dense_A() * factor.basis()).cwiseAbs().maxCoeff(), 1e-13) << "all twelve rows";
    EXPECT_LT(s.residual, 1e-12) << "of the dropped rows too";
    const GaussSolution uk = solve(UdwadiaKalaba(), p);
    EXPECT_LT((s.a - uk.a).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((s.lambda - uk.lambda).cwiseAbs().maxCoeff(), 1e-11);
  }
}

TEST(OrthogonalComplement, NeedsNoMassWhereConstraintsHold) {
  OwnedProblem p;
  lay_out(p, {3}, {1});
  Matrix M = Matrix::Identity(3, 3), A(1, 3);
  M(2, 2) = 0;
  A << 0, 1, 2;
  p.fill(M, A);
  p.problem.Q << 1, 2, 3;
  p.problem.b << 4;
  const GaussSolution s = solve(OrthogonalComplement(), p);
  EXPECT_LT(equation_residual(p, s), 1e-15);
  EXPECT_LT(s.residual, 1e-15);

  A << 0, 1, 0;  // nothing holds the third
  p.fill(M, A);
  const auto factor = OrthogonalComplement().prepare(p.pattern);
  EXPECT_FALSE(factor->factor(p.problem, {}));
  EXPECT_EQ(factor->refusal().kind, Refusal::Kind::not_unique);
  EXPECT_EQ(factor->refusal().missing, 1);
}

// A body on a surface and on a line at once, with all its rows in local coordinates of two points.
struct TwoPoints : OwnedProblem {
  LocalRows local;
  explicit TwoPoints(std::mt19937& random) {
    lay_out(*this, {6, 3}, {1, 2});
    local.points = {{0, 0, point_on_surface(0.3, -0.8)}, {1, 3, {LocalMatrix(2, 3), LocalMatrix(0, 3)}}};
    local.points[1].at.C << 1, 0.5, -0.2, 0.1, 2, 0.7;
    local.J = random_matrix(random, 6, 9);
    fill(random_mass(random, pattern.columns), local.A(3));
    problem.Q = random_matrix(random, 9, 1);
    problem.b = random_matrix(random, 3, 1);
    problem.local = &local;
  }
};

TEST(OrthogonalComplement, UsesTheLocalDescription) {
  std::mt19937 random(67);
  for (int trial = 0; trial < 20; ++trial) {
    TwoPoints p(random);
    if (trial % 2) {
      p.local.scale = {2, 0.5, 3, 1, 0.2, 1.5};
      p.pattern.row_scale = {0.3, 2, 1.2};
    }
    OrthogonalComplementFactor factor(p.pattern, Form::minimal);
    ASSERT_TRUE(factor.factor(p.problem, {}));
    ASSERT_EQ(factor.complementary().size(), 3u) << "six local coordinates, three of q";
    const Matrix N = factor.basis();
    ASSERT_EQ(N.cols(), 6);
    ASSERT_LT((p.problem.dense_A() * N).cwiseAbs().maxCoeff(), 1e-12 * N.cwiseAbs().maxCoeff());
    Matrix J(9, 9), D = Matrix::Zero(9, 6);  // J′ and D̂′ᵀ
    J.topRows(6) = p.local.J;
    J.bottomRows(3).setZero();
    for (int i = 0; i < 3; ++i) J(6 + i, factor.complementary()[static_cast<std::size_t>(i)]) = 1;
    D.block<3, 2>(0, 0) = p.local.points[0].at.D.transpose();
    D.block<3, 3>(6, 3).setIdentity();
    const Matrix full = J.inverse();
    ASSERT_LT((N.leftCols(2) - full * D.leftCols(2)).norm(), 1e-12 * N.norm());
    ASSERT_LT((N.rightCols(3) - full * D.rightCols(3)).norm(), 1e-12 * N.norm());

    GaussSolution s;
    factor.solve(as_span(p.problem.Q), as_span(p.problem.b), s);
    const Oracle truth = oracle(p);
    ASSERT_LT(relative_or_absolute(s.a, truth.a), 1e-11);
    ASSERT_LT(relative_or_absolute(s.lambda, truth.lambda), 1e-11);
    // A row that is off takes its point's complement along.
    p.problem.active = {1, 0, 1};
    ASSERT_TRUE(factor.factor(p.problem, {}));
    factor.solve(as_span(p.problem.Q), as_span(p.problem.b), s);
    ASSERT_LT(relative_or_absolute(s.a, oracle(p).a), 1e-11);
    ASSERT_EQ(factor.basis().cols(), 7);
  }
}

TEST(OrthogonalComplement, AllocatesNothingWithLocalRows) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "a sanitizer owns malloc here";
  std::mt19937 random(69);
  TwoPoints p(random);
  for (const Form form : {Form::minimal, Form::stacked}) {
    OrthogonalComplementFactor factor(p.pattern, form);
    GaussSolution s;
    s.resize(p.pattern);
    const test::AllocationCounter heap;
    ASSERT_TRUE(factor.factor(p.problem, {}));
    factor.solve(as_span(p.problem.Q), as_span(p.problem.b), s);
    EXPECT_EQ(heap.count(), 0);
  }
}

TEST(OrthogonalComplement, RefusesALocalMatrixWithoutFullRankAndAWrongOne) {
  std::mt19937 random(71);
  TwoPoints p(random);
  p.local.points[1].at.C.row(1) = -2 * p.local.points[1].at.C.row(0);
  p.fill(p.problem.dense_M(), p.local.A(3));
  OrthogonalComplementFactor factor(p.pattern, Form::minimal);
  EXPECT_FALSE(factor.factor(p.problem, {}));
  EXPECT_EQ(factor.refusal().kind, Refusal::Kind::dependent_rows);
  EXPECT_EQ(factor.refusal().rows, (std::vector<int>{1, 2}));

  TwoPoints other(random);
  other.local.J(0, 0) += 1e-3;
  OrthogonalComplementFactor second(other.pattern, Form::minimal);
  EXPECT_THROW(second.factor(other.problem, {}), std::invalid_argument);
}

// Local coordinates that depend on one another where the rows do not: the rows themselves take their place.
TEST(OrthogonalComplement, FallsBackToTheRowsWhenLocalCoordinatesDepend) {
  std::mt19937 random(73);
  TwoPoints p(random);
  p.local.J.row(2) = p.local.J.row(0) + p.local.J.row(1);
  p.fill(p.problem.dense_M(), p.local.A(3));
  OrthogonalComplementFactor factor(p.pattern, Form::minimal);
  ASSERT_TRUE(factor.factor(p.problem, {}));
  EXPECT_EQ(factor.complementary().size(), 6u);
  GaussSolution s;
  factor.solve(as_span(p.problem.Q), as_span(p.problem.b), s);
  EXPECT_LT(relative_or_absolute(s.a, oracle(p).a), 1e-12);
}

// The best choice changes a little with the pose; the remembered one is kept while it is nearly as good.
TEST(OrthogonalComplement, RemembersItsChoiceUntilItIsBad) {
  OwnedProblem p;
  lay_out(p, {2}, {1});
  OrthogonalComplementFactor factor(p.pattern, Form::minimal);
  const auto y = [&](double first, double second) {
    Matrix A(1, 2);
    A << first, second;
    p.fill(Matrix::Identity(2, 2), A);
    EXPECT_TRUE(factor.factor(p.problem, {}));
    return factor.complementary()[0];
  };
  EXPECT_EQ(y(1, 0.9), 1);
  EXPECT_EQ(y(0.9, 1), 1) << "not the best, but good";
  EXPECT_EQ(y(0.15, 1), 1);
  EXPECT_EQ(y(0.05, 1), 0) << "twenty times worse";
  EXPECT_EQ(y(1, 0.9), 0);
  EXPECT_EQ(y(1, 0), 1);
  EXPECT_EQ(y(0, 1), 0);
  factor.forget();
  EXPECT_EQ(y(1, 0.9), 1);
}

}  // namespace
}  // namespace mortise::gauss::testing
