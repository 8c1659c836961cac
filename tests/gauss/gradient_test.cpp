// Projected conjugate gradients against the oracle by singular values, and the penalty function they are a way around.
#include "mortise/gauss/gradient.h"

#include <gtest/gtest.h>

#include "gauss/double_pendulum.h"
#include "gauss/random_problem.h"
#include "mortise/gauss/penalty.h"
#include "mortise/gauss/udwadia_kalaba.h"

namespace mortise::gauss::testing {
namespace {

GaussFunction gauss_function(const OwnedProblem& p) {
  GaussFunction f(p.pattern.n(), p.pattern.m());
  f.set_matrices(p.problem.dense_M(), p.problem.dense_A());
  f.set_right_sides(p.problem.Q, p.problem.b);
  return f;
}

double value(const GaussFunction& f, const Vector& a, double w) {
  Vector work(f.n() + f.m());
  return f.value(a.data(), w, work.data());
}

TEST(Penalty, IsTheFunctionOfItsDefinition) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 20; ++trial) {
    OwnedProblem p;
    draw(p, random, 3 + trial, 2 + trial / 2, 1 + trial / 3, 0.1, false);
    GaussFunction f = gauss_function(p);
    const Matrix M = p.problem.dense_M(), A = p.problem.dense_A();
    const Vector free = M.ldlt().solve(p.problem.Q), a = random_matrix(random, f.n(), 1);
    const double w = 37, Z1 = 0.5 * (a - free).dot(M * (a - free)) + w * (A * a - p.problem.b).squaredNorm();
    EXPECT_NEAR(value(f, a, w) + f.constant().value(), Z1, 1e-11 * (1 + Z1));
    EXPECT_EQ(f.flops(), 2.0 * f.n() * f.n() + 2.0 * f.n() * f.m());
  }
}

TEST(Penalty, MinimiserApproachesTheDoublePendulumLikeOneOverTheWeight) {
  const DoublePendulum p;
  const Vector exact = DoublePendulum::exact();
  EXPECT_NEAR(exact[1], -9.86965056, 5e-9);
  EXPECT_NEAR(exact[3], -32.07636432, 5e-9);
  EXPECT_LT((solve(UdwadiaKalaba(), p).a - exact).cwiseAbs().maxCoeff(), 1e-13);

  GaussFunction f = gauss_function(p);
  EXPECT_NEAR(value(f, exact, 1e8) + f.constant().value(), 1070.2625, 5e-5);
  struct Line {
    double w, error;
  };
  for (const Line& line : {Line{1e6, 5.2e-5}, {1e8, 5.2e-7}, {1e9, 5.2e-8}}) {
    Vector a;
    ASSERT_TRUE(f.minimise(line.w, a));
    const double error = (a - exact).cwiseAbs().maxCoeff();
    RecordProperty("penalty_error_at_" + std::to_string(line.w), std::to_string(error));
    EXPECT_NEAR(error, line.error, 0.02 * line.error) << line.w;
    // The penalty's own multipliers: as near as its accelerations.
    const Vector lambda = 2 * line.w * (p.problem.dense_A() * a - p.problem.b);
    EXPECT_LT((lambda - Eigen::Vector2d(61.546015, 41.876364)).cwiseAbs().maxCoeff(),
              1e-6 + 200 / line.w + 2e-14 * line.w)
        << line.w;
  }
}

TEST(Penalty, GrowsLikeTheWeightWhenRowsContradictOneAnother) {
  DoublePendulum p;
  EXPECT_NEAR(gauss_function(p).growth(1e8).value(), 1, 1e-4);

  OwnedProblem q;
  lay_out(q, {2, 2}, {1, 1, 1});
  Matrix A(3, 4);
  A.topRows(2) = p.problem.dense_A();
  A.row(2) = A.row(0) + A.row(1);
  q.fill(Matrix::Identity(4, 4), A);
  q.problem.Q = p.problem.Q;
  q.problem.b << p.problem.b, p.problem.b.sum();
  EXPECT_NEAR(gauss_function(q).growth(1e8).value(), 1, 1e-4) << "a redundant row adds nothing";
  q.problem.b[2] += 0.3;
  EXPECT_GT(gauss_function(q).growth(1e8).value(), 9.9);
  q.problem.b[2] -= 0.28;  // a smaller fault shows when w ρ² exceeds Z
  EXPECT_GT(gauss_function(q).growth(1e10).value(), 9.9);
}

TEST(Penalty, CountsMotionsThatNeitherMassNorRowsHold) {
  GaussFunction f(3, 1);
  Matrix M = Matrix::Zero(3, 3), A(1, 3);
  M(0, 0) = 2;
  A << 0, 1, 1;
  f.set_matrices(M, A);
  EXPECT_EQ(f.undetermined_motions({}), 1);
  EXPECT_FALSE(f.constant().has_value());
  A << 0, 0, 0;
  f.set_matrices(M, A);
  EXPECT_EQ(f.undetermined_motions({}), 2);
  M(1, 1) = 1e-6;
  M(2, 2) = 1e6;
  f.set_matrices(M, A);
  EXPECT_EQ(f.undetermined_motions({}), 0) << "light is not massless";
}

TEST(Gradient, SolvesTheDoublePendulumToRounding) {
  const DoublePendulum p;
  const GaussSolution solution = solve(Gradient(), p);
  EXPECT_LT((solution.a - DoublePendulum::exact()).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((solution.lambda - Eigen::Vector2d(61.546015, 41.876364)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(Gradient, AgreesWithTheSingularValueOracleOnAnyShapeAndRank) {
  std::mt19937 random(7);
  double worst_a = 0, worst_lambda = 0, worst_equation = 0, worst_row = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 3 + static_cast<int>(random() % 40), m = static_cast<int>(random() % (n + 10));
    const int rank = m == 0 ? 0 : static_cast<int>(random() % (static_cast<unsigned>(std::min(n, m)) + 1));
    OwnedProblem p;
    draw(p, random, n, m, rank, trial % 2 ? 1e-1 : 1e-3, trial % 3 == 0);
    const Oracle truth = oracle(p);
    const GaussSolution solution = solve(Gradient(), p);
    ASSERT_EQ(solution.rank.rank, rank) << trial;
    worst_a = std::max(worst_a, relative_error(solution.a, truth.a));
    worst_lambda = std::max(worst_lambda, relative_error(solution.lambda, truth.lambda));
    worst_equation = std::max(worst_equation, equation_residual(p, solution));
    worst_row = std::max(worst_row, solution.residual);
    ASSERT_EQ(std::count(solution.verdicts.begin(), solution.verdicts.end(), RowVerdict::conflicting), 0) << trial;
  }
  EXPECT_LT(worst_a, 4e-12);  // measured 3.3e-13
  EXPECT_LT(worst_lambda, 2e-11);
  EXPECT_LT(worst_equation, 5e-13);
  EXPECT_LT(worst_row, 1e-13);
}

TEST(Gradient, ComesAsNearToContradictingRowsAsTheOracle) {
  std::mt19937 random(47);
  for (int trial = 0; trial < 50; ++trial) {
    const int n = 6 + static_cast<int>(random() % 20), m = 4 + static_cast<int>(random() % 20);
    const int rank = 1 + static_cast<int>(random() % static_cast<unsigned>(std::min(n, m) - 1));
    OwnedProblem p;
    draw(p, random, n, m, rank, 0.1, true);
    p.problem.b += random_matrix(random, m, 1);
    const Oracle truth = oracle(p);
    const GaussSolution solution = solve(Gradient(), p);
    EXPECT_LT(relative_error(solution.a, truth.a), 1e-9) << trial;
    EXPECT_GE(std::count(solution.verdicts.begin(), solution.verdicts.end(), RowVerdict::conflicting), 1) << trial;
  }
}

TEST(Gradient, NeedsNoMassWhereTheConstraintsHold) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 30; ++trial) {
    const int n = 8, m = 5;
    OwnedProblem p;
    lay_out(p, {n}, {m});
    const Matrix G = random_matrix(random, n, n - 3);
    const Matrix M = G * G.transpose(), A = random_matrix(random, m, n);
    p.fill(M, A);
    p.problem.Q = random_matrix(random, n, 1);
    p.problem.b = random_matrix(random, m, 1);
    const GaussSolution solution = solve(Gradient(), p);
    Matrix K = Matrix::Zero(n + m, n + m);
    K << M, A.transpose(), A, Matrix::Zero(m, m);
    Vector right(n + m);
    right << p.problem.Q, p.problem.b;
    const Vector truth = K.fullPivLu().solve(right);
    EXPECT_LT(relative_error(solution.a, truth.head(n)), 1e-9) << trial;
    EXPECT_LT(relative_error(solution.lambda, truth.tail(m)), 1e-9) << trial;
  }
}

TEST(Gradient, RefusesMotionsWithNeitherMassNorConstraint) {
  OwnedProblem p;
  lay_out(p, {3}, {1});
  Matrix M = Matrix::Zero(3, 3), A(1, 3);
  M(0, 0) = 1;
  A << 1, 1, 0;
  p.fill(M, A);
  const auto factor = Gradient().prepare(p.pattern);
  EXPECT_FALSE(factor->factor(p.problem, {}));
  EXPECT_EQ(factor->refusal().kind, Refusal::Kind::not_unique);
  EXPECT_EQ(factor->refusal().missing, 1);
  M(2, 2) = 1;
  p.fill(M, A);
  EXPECT_TRUE(factor->factor(p.problem, {})) << "a refusal leaves no trace";
}

TEST(Gradient, TakesOneStepForPointMasses) {
  // Diagonal M of any masses is the identity in scaled coordinates.
  std::mt19937 random(9);
  OwnedProblem p;
  lay_out(p, {3, 3, 3}, {2, 2});
  Matrix M = Matrix::Zero(9, 9);
  for (int j = 0; j < 9; ++j) M(j, j) = std::pow(10.0, j / 3 * 3 - 3);
  p.fill(M, random_matrix(random, 4, 9));
  p.scale_rows_to_one();
  p.problem.Q = random_matrix(random, 9, 1);
  p.problem.b = random_matrix(random, 4, 1);
  const auto factor = Gradient().prepare(p.pattern);
  ASSERT_TRUE(factor->factor(p.problem, {}));
  GaussSolution solution;
  factor->solve(as_span(p.problem.Q), as_span(p.problem.b), solution);
  const Oracle truth = oracle(p);
  for (int j = 0; j < 9; ++j) EXPECT_NEAR(solution.a[j], truth.a[j], 1e-9 * std::max(1.0, std::abs(truth.a[j]))) << j;
  EXPECT_GT(factor->flops(), 0);
  EXPECT_LT(factor->flops(), 40000);
}

}  // namespace
}  // namespace mortise::gauss::testing
