// GIGSP against the singular value oracle, its multipliers and forces, what it says of dependent rows, what it costs.
#include "mortise/gauss/gigsp.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gauss/dependent_problem.h"
#include "gauss/five_bar.h"
#include "gauss/linkages.h"
#include "mortise/gauss/contradiction.h"
#include "mortise/gauss/lagrange.h"
#include "mortise/gauss/udwadia_kalaba.h"
#include "mortise/gauss/whitened_rows.h"

namespace mortise::gauss::testing {
namespace {

GaussSolution answer(const Formulation& formulation, const GaussProblem& problem,
                     const linalg::RankPolicy& policy = {}) {
  const auto factor = formulation.prepare(*problem.pattern);
  GaussSolution solution;
  EXPECT_TRUE(factor->factor(problem, policy));
  factor->solve(as_span(problem.Q), as_span(problem.b), solution);
  return solution;
}

long count_verdicts(const GaussSolution& s, RowVerdict v) {
  return std::count(s.verdicts.begin(), s.verdicts.end(), v);
}

TEST(Gigsp, EqualsTheOracleAndUdwadiaKalabaOnRankDeficientSystems) {
  std::mt19937 random(3);
  double worst = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 4 + static_cast<int>(random() % 40), m = 2 + static_cast<int>(random() % (n + 6));
    const int rank = 1 + static_cast<int>(random() % static_cast<unsigned>(std::min(n, m)));
    OwnedProblem p;
    draw_of_rank(p, random, n, m, rank, trial % 3 == 0);
    const Oracle truth = oracle(p);
    const GaussSolution s = solve(Gigsp(), p), uk = solve(UdwadiaKalaba(), p);
    ASSERT_EQ(s.rank.rank, rank);
    ASSERT_EQ(count_verdicts(s, RowVerdict::independent), rank);
    ASSERT_EQ(count_verdicts(s, RowVerdict::conflicting), 0) << trial;
    const Matrix M = p.problem.dense_M();
    const Vector a_f = M.ldlt().solve(p.problem.Q), force = M * (s.a - a_f);
    for (const double error : {relative_or_absolute(s.a, truth.a), relative_or_absolute(s.a, uk.a),
                               relative_or_absolute(s.lambda, truth.lambda),
                               relative_or_absolute(force, M * (truth.a - a_f)), equation_residual(p, s)})
      worst = std::max(worst, error);
    ASSERT_LT(worst, 1e-11) << trial << " n " << n << " m " << m << " rank " << rank;
  }
  RecordProperty("worst", fmt::format("{:.1e}", worst));
}

TEST(Gigsp, ConstraintForcesDoNoWorkOnMotionsThatTheRowsAllow) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 50; ++trial) {
    OwnedProblem p;
    draw_of_rank(p, random, 18, 10, 7, false);
    const GaussSolution s = solve(Gigsp(), p);
    const Matrix M = p.problem.dense_M(), A = p.problem.dense_A();
    const Vector force = M * (s.a - M.ldlt().solve(p.problem.Q));
    const Matrix N = Eigen::FullPivLU<Matrix>(A).setThreshold(1e-9).kernel();
    ASSERT_EQ(N.cols(), 11);
    ASSERT_LT((N.transpose() * force).norm() / (N.norm() * force.norm()), 1e-13);
    ASSERT_LT((force + A.transpose() * s.lambda).norm() / force.norm(), 1e-12);
  }
}

TEST(Gigsp, DuplicatedZeroAndPermutedRowsLeaveTheMotionUnchanged) {
  std::mt19937 random(9);
  for (int trial = 0; trial < 50; ++trial) {
    OwnedProblem plain, more;
    lay_out(plain, {3, 6, 2}, {2, 4});
    lay_out(more, {3, 6, 2}, {2, 4, 4});
    const Matrix M = random_mass(random, plain.pattern.columns), A = random_matrix(random, 6, 11);
    plain.fill(M, A);
    plain.problem.Q = more.problem.Q = random_matrix(random, 11, 1);
    plain.problem.b = random_matrix(random, 6, 1);
    std::vector<int> from{0, 1, 2, 3, 4, 5, -1, 2, 5, -1};  // −1: a zero row
    std::shuffle(from.begin(), from.end(), random);
    Matrix B = Matrix::Zero(10, 11);
    for (int i = 0; i < 10; ++i)
      if (const int k = from[static_cast<std::size_t>(i)]; k >= 0) {
        B.row(i) = A.row(k);
        more.problem.b[i] = plain.problem.b[k];
      }
    more.fill(M, B);
    const GaussSolution s = solve(Gigsp(), plain), t = solve(Gigsp(), more);
    ASSERT_EQ(t.rank.rank, 6);
    ASSERT_EQ(count_verdicts(t, RowVerdict::redundant), 2);
    ASSERT_EQ(count_verdicts(t, RowVerdict::vanished), 2);
    ASSERT_LT((s.a - t.a).norm(), 1e-11 * s.a.norm());
  }
}

TEST(Gigsp, LeavesOutTheRowThatContradictsEarlierOnesAndFulfilsTheRest) {
  std::mt19937 random(15);
  OwnedProblem p;
  lay_out(p, {3, 3, 3}, {2, 2, 2, 1});
  Matrix A = random_matrix(random, 7, 9);
  A.row(2) = A.row(0);
  A.row(4) = -2 * A.row(0) + 0.5 * A.row(3);
  A.row(6).setZero();
  p.fill(random_mass(random, p.pattern.columns), A);
  p.problem.Q = random_matrix(random, 9, 1);
  p.problem.b << 1, 2, 1, 3, 0.25, -1, 0;
  const auto factor = Gigsp().prepare(p.pattern);
  ASSERT_TRUE(factor->factor(p.problem, {}));
  GaussSolution s;
  factor->solve(as_span(p.problem.Q), as_span(p.problem.b), s);
  using enum RowVerdict;
  EXPECT_EQ(s.verdicts, (std::vector<RowVerdict>{independent, independent, redundant, independent, conflicting,
                                                 independent, vanished}));
  Vector miss = A * s.a - p.problem.b;
  EXPECT_NEAR(miss[4], -0.75, 1e-12) << "−2 + 1.5 instead of 0.25";
  miss[4] = 0;
  EXPECT_LT(miss.norm(), 1e-12);
  Vector expected = Vector::Zero(7);
  expected[0] = -2;
  expected[3] = 0.5;
  EXPECT_LT((factor->dependency(4) - expected).norm(), 1e-13);
  EXPECT_EQ(factor->dependency(6), Vector::Zero(7));
}

// Table 2.1 of the source: full rank, redundant, inconsistent.
TEST(Gigsp, ReportsWhereInversesFailAndSingularValuesCompromise) {
  FourBar full(6, 2, 7, 9, std::numbers::pi / 6, 10, 1.55, 2.05);
  EXPECT_LT(relative_or_absolute(solve(Lagrange(), full).a, solve(Gigsp(), full).a), 1e-12);

  const ParallelFiveBar linkage, wrong(0.02);
  const GaussProblem redundant = linkage.at(1, 2), inconsistent = wrong.at(1, 2);
  const auto lagrange = Lagrange().prepare(linkage.pattern());
  EXPECT_FALSE(lagrange->factor(redundant, {}));
  EXPECT_EQ(lagrange->refusal().kind, Refusal::Kind::dependent_rows);
  EXPECT_FALSE(lagrange->factor(inconsistent, {}));

  FormulationSettings svd;
  svd.pseudoinverse = "svd";
  const UdwadiaKalaba by_svd(svd);
  const Vector right = answer(Gigsp(), redundant).a;
  EXPECT_LT(relative_or_absolute(answer(by_svd, redundant).a, right), 1e-12);

  // The compromise spreads the fault over all rows of the loop, the right ones too; none is told from the others.
  const GaussSolution compromise = answer(by_svd, inconsistent);
  const Vector missed = inconsistent.dense_A() * compromise.a - inconsistent.b;
  for (int row : {0, 1, 2, 3}) EXPECT_GT(std::abs(missed[row]), 1e-4) << row;
  const GaussSolution reported = answer(Gigsp(), inconsistent);
  EXPECT_LT(relative_or_absolute(reported.a, right), 1e-12);
  EXPECT_EQ(count_verdicts(reported, RowVerdict::conflicting), 1);
  EXPECT_EQ(reported.verdicts[3], RowVerdict::conflicting);
}

// The double pendulum (E5) with its second rod demanded twice, once with another acceleration of its length.
TEST(Gigsp, NamesTheInconsistentRowOfTheDoublePendulum) {
  OwnedProblem p;
  lay_out(p, {4}, {1, 1, 1});
  const double pi = 3.1416;
  Matrix A = Matrix::Zero(3, 4);
  A.row(0) << 0, 1, 0, 0;
  A.row(1) << 0, -1, 0, 1;
  A.row(2) = A.row(1);
  p.fill(Matrix::Identity(4, 4), A);
  p.problem.Q << 0, 9.8, 0, 9.8;
  p.problem.b << -pi * pi, -2.25 * pi * pi, -2.25 * pi * pi;
  const Vector exact = Eigen::Vector4d(0, -9.86965056, 0, -32.07636432);
  EXPECT_LT((solve(Gigsp(), p).a - exact).cwiseAbs().maxCoeff(), 1e-8);
  p.problem.b[2] += 0.1;
  const GaussSolution s = solve(Gigsp(), p);
  using enum RowVerdict;
  EXPECT_EQ(s.verdicts, (std::vector<RowVerdict>{independent, independent, conflicting}));
  EXPECT_LT((s.a - exact).cwiseAbs().maxCoeff(), 1e-8);
}

// Drift of 1e-7 makes the two loop rows look independent; in the given order the driver, which comes last, is lost.
TEST(Gigsp, KeepsTheDriverWhichTheGivenOrderLoses) {
  const ParallelFiveBar linkage;
  const GaussProblem p = linkage.at(1.2, 0.5, 1.0, 1e-7);
  const double driven = -2 * std::numbers::pi * std::sin(1.0);
  const GaussSolution pivoted = answer(Gigsp(), p), given = answer(Gigsp(Gigsp::Order::given), p);
  EXPECT_EQ(pivoted.verdicts[4], RowVerdict::independent);
  EXPECT_NEAR(pivoted.a[0], driven, 1e-12);
  EXPECT_NE(given.verdicts[4], RowVerdict::independent);
  EXPECT_GT(std::abs(given.a[0] - driven), 0.1);
}

// Block by block, as the source's six formulas for a body do it.
TEST(Gigsp, BlockCholeskyEqualsTheDenseOneAndRefusesABadInertiaTensor) {
  std::mt19937 random(21);
  OwnedProblem p;
  lay_out(p, {6, 6, 3}, {1});
  Matrix M = Matrix::Zero(15, 15);
  for (int body = 0; body < 2; ++body) {
    const Matrix G = random_matrix(random, 3, 3);
    M.block<3, 3>(6 * body, 6 * body) = (1.5 + body) * Matrix::Identity(3, 3);
    M.block<3, 3>(6 * body + 3, 6 * body + 3) = G * G.transpose() + 0.5 * Matrix::Identity(3, 3);
  }
  M.bottomRightCorner<3, 3>() = Matrix(Eigen::Vector3d(2, 2, 0.1).asDiagonal());
  p.fill(M, Matrix::Ones(1, 15));
  WhitenedRows rows(p.pattern);
  ASSERT_EQ(rows.factor(p.problem, {}), -1);
  const Matrix L = Eigen::LLT<Matrix>(M).matrixL();
  const Matrix inverse = L.triangularView<Eigen::Lower>().solve(Matrix::Identity(15, 15));
  for (int k = 0; k < 15; ++k) {
    const Vector unit = Vector::Unit(15, k);
    Vector column(15);
    rows.whiten(unit.data(), column.data());
    EXPECT_LT((column - inverse.col(k)).norm() / inverse.col(k).norm(), 1e-15);
  }
  M.block<3, 3>(9, 9) << 1, 0, 2, 0, 1, 0, 2, 0, 1;  // a moment of inertia of −1 about one axis
  p.fill(M, Matrix::Ones(1, 15));
  const auto factor = Gigsp().prepare(p.pattern);
  EXPECT_FALSE(factor->factor(p.problem, {}));
  EXPECT_EQ(factor->refusal().kind, Refusal::Kind::singular_mass);
  EXPECT_EQ(factor->refusal().block, 1);
}

TEST(Gigsp, CountedOperationsAreThoseOfTheCostModel) {
  std::mt19937 random(27);
  constexpr double n = 200;
  for (const double m : {50.0, 100.0})
    for (const bool full : {true, false}) {
      OwnedProblem p;
      lay_out(p, {200}, {static_cast<int>(m)});
      const Matrix G = random_matrix(random, 200, 200);
      const Matrix M = full ? Matrix(G * G.transpose() + 20 * Matrix::Identity(200, 200)) : Matrix::Identity(200, 200);
      p.fill(M, random_matrix(random, static_cast<int>(m), 200));
      p.problem.Q = random_matrix(random, 200, 1);
      const auto factor = Gigsp().prepare(p.pattern);
      ASSERT_TRUE(factor->factor(p.problem, {}));
      GaussSolution s;
      factor->solve(as_span(p.problem.Q), as_span(p.problem.b), s);
      const double model = 2 * n * m * m + (full ? n * n * n / 3 + n * n * m : 0);
      EXPECT_NEAR(factor->flops() / model, 1, 0.15) << "m " << m << (full ? " full" : " diagonal");
      RecordProperty((full ? "full" : "diagonal") + std::to_string(static_cast<int>(m)),
                     std::to_string(factor->flops() / model));
    }
}

}  // namespace
}  // namespace mortise::gauss::testing
