#include <gtest/gtest.h>

#include <set>

#include "gauss/random_problem.h"
#include "mortise/gauss/lagrange.h"
#include "mortise/gauss/udwadia_kalaba.h"

namespace mortise::gauss::testing {
namespace {

// A search approaches the answer: its accuracy has tests and bars of its own.
bool computes(const FormulationEntry& entry) { return !make_formulation(entry.name)->can().search; }

TEST(UdwadiaKalaba, AgreesWithTheSingularValueOracleOnAnyShapeAndRank) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 3 + static_cast<int>(random() % 58), m = static_cast<int>(random() % (n + 10));
    const int rank = m == 0 ? 0 : static_cast<int>(random() % (static_cast<unsigned>(std::min(n, m)) + 1));
    OwnedProblem p;
    draw(p, random, n, m, rank, trial % 2 ? 1e-1 : 1e-3, trial % 3 == 0);
    const Oracle truth = oracle(p);
    const GaussSolution solution = solve(UdwadiaKalaba(), p);
    ASSERT_EQ(solution.rank.rank, rank) << "trial " << trial << " n " << n << " m " << m;
    ASSERT_EQ(solution.rank.rows, m);
    ASSERT_LT(relative_error(solution.a, truth.a), 1e-9) << trial;
    ASSERT_LT(relative_error(solution.lambda, truth.lambda), 1e-8) << trial;
    ASSERT_LT(equation_residual(p, solution), 1e-11) << trial;
    ASSERT_LT(solution.residual, 1e-9) << trial;
    ASSERT_EQ(std::count(solution.verdicts.begin(), solution.verdicts.end(), RowVerdict::independent), rank);
    ASSERT_EQ(std::count(solution.verdicts.begin(), solution.verdicts.end(), RowVerdict::conflicting), 0) << trial;
  }
}

TEST(UdwadiaKalaba, GivesTheShortestMultipliersOfTheScaledRows) {
  std::mt19937 random(11);
  OwnedProblem p;
  draw(p, random, 20, 15, 9, 0.1, true);
  const GaussSolution solution = solve(UdwadiaKalaba(), p);
  // Shortest ⇔ λ/s is orthogonal to every combination that exerts no force: diag(s)A's left null space.
  const Vector s = Eigen::Map<const Vector>(p.pattern.row_scale.data(), 15);
  const Matrix scaled = s.asDiagonal() * p.problem.dense_A();
  const Matrix null = Eigen::FullPivLU<Matrix>(scaled.transpose()).setThreshold(1e-9).kernel();
  ASSERT_EQ(null.cols(), 6);
  EXPECT_LT((null.transpose() * solution.lambda.cwiseQuotient(s)).norm(), 1e-9 * solution.lambda.norm());
}

TEST(Lagrange, EqualsUdwadiaKalabaOnFullRank) {
  std::mt19937 random(13);
  for (int trial = 0; trial < 100; ++trial) {
    const int n = 3 + static_cast<int>(random() % 58), m = 1 + static_cast<int>(random() % static_cast<unsigned>(n));
    OwnedProblem p;
    draw(p, random, n, m, m, 0.1, trial % 3 == 0);
    const GaussSolution a = solve(Lagrange(), p), b = solve(UdwadiaKalaba(), p);
    ASSERT_LT(relative_error(a.a, b.a), 1e-10) << trial;
    ASSERT_LT(relative_error(a.lambda, b.lambda), 1e-10) << trial;
    ASSERT_LT(equation_residual(p, a), 1e-13) << trial;
    ASSERT_EQ(a.rank.rank, m);
  }
}

TEST(Formulations, TreatInactiveRowsAsAbsent) {
  std::mt19937 random(17);
  for (const auto& entry : formulations()) {
    if (!computes(entry)) continue;
    OwnedProblem p;
    draw(p, random, 24, 14, 14, 0.1, true);
    for (std::size_t off : {0u, 5u, 6u, 13u}) {
      p.problem.active[off] = 0;
      p.problem.b[static_cast<int>(off)] = std::numeric_limits<double>::quiet_NaN();
    }
    const Oracle truth = oracle(p);
    const GaussSolution solution = solve(*make_formulation(entry.name), p);
    EXPECT_LT(relative_error(solution.a, truth.a), 1e-9) << entry.name;
    EXPECT_LT(relative_error(solution.lambda, truth.lambda), 1e-9) << entry.name;
    EXPECT_EQ(solution.rank.rank, 10);
    EXPECT_EQ(solution.rank.rows, 10);
    EXPECT_EQ(solution.verdicts[5], RowVerdict::inactive);
    EXPECT_EQ(solution.lambda[5], 0);
    EXPECT_EQ(solution.verdicts[4], RowVerdict::independent);
  }
}

TEST(Formulations, SolveTheFreeMotionWithoutRows) {
  std::mt19937 random(19);
  for (const auto& entry : formulations()) {
    if (!computes(entry)) continue;
    OwnedProblem p;
    draw(p, random, 12, 0, 0, 1, false);
    const GaussSolution solution = solve(*make_formulation(entry.name), p);
    EXPECT_LT(relative_error(solution.a, p.problem.dense_M().ldlt().solve(p.problem.Q)), 1e-13) << entry.name;
    EXPECT_EQ(solution.rank.rank, 0);
  }
}

TEST(Formulations, OneFactorServesManyRightHandSides) {
  std::mt19937 random(23);
  for (const auto& entry : formulations()) {
    if (!computes(entry)) continue;
    OwnedProblem p;
    draw(p, random, 18, 9, 9, 0.1, false);
    const auto factor = make_formulation(entry.name)->prepare(p.pattern);
    ASSERT_TRUE(factor->factor(p.problem, {}));
    for (int k = 0; k < 3; ++k) {
      p.problem.Q = random_matrix(random, 18, 1);
      p.problem.b = random_matrix(random, 9, 1);
      GaussSolution solution;
      factor->solve(as_span(p.problem.Q), as_span(p.problem.b), solution);
      EXPECT_LT(relative_error(solution.a, oracle(p).a), 1e-10) << entry.name;
    }
  }
}

TEST(Formulations, AFreshWorkspaceGivesTheSameBits) {
  std::mt19937 random(29);
  for (const auto& entry : formulations()) {
    OwnedProblem p, other;
    draw(p, random, 21, 13, 13, 0.1, false);
    const auto formulation = make_formulation(entry.name);
    if (formulation->can().remembers) continue;
    const auto used = formulation->prepare(p.pattern);
    GaussSolution first, second;
    const Vector M = p.problem.M, A = p.problem.A;
    p.problem.M *= 1.5;
    p.problem.A *= -0.7;
    ASSERT_TRUE(used->factor(p.problem, {}));
    used->solve(as_span(p.problem.Q), as_span(p.problem.b), first);
    p.problem.M = M;
    p.problem.A = A;
    used->forget();
    ASSERT_TRUE(used->factor(p.problem, {}));
    used->solve(as_span(p.problem.Q), as_span(p.problem.b), first);
    second = solve(*formulation, p);
    EXPECT_EQ(first.a, second.a) << entry.name;
    EXPECT_EQ(first.lambda, second.lambda) << entry.name;
  }
}

TEST(Formulations, RefuseASingularMassByBlockOrSolveWithIt) {
  std::mt19937 random(31);
  for (const auto& entry : formulations()) {
    if (!computes(entry)) continue;
    const auto formulation = make_formulation(entry.name);
    OwnedProblem p;
    lay_out(p, {3, 6, 2, 1}, {2, 3});
    Matrix M = random_mass(random, p.pattern.columns);
    const auto factor = formulation->prepare(p.pattern);
    const auto check = [&](int block) {
      p.fill(M, random_matrix(random, 5, 12));
      p.problem.Q = random_matrix(random, 12, 1);
      p.problem.b = random_matrix(random, 5, 1);
      if (formulation->can().singular_mass) {
        ASSERT_TRUE(factor->factor(p.problem, {})) << entry.name;
        GaussSolution solution;
        factor->solve(as_span(p.problem.Q), as_span(p.problem.b), solution);
        EXPECT_LT(equation_residual(p, solution), 1e-12) << entry.name;
        EXPECT_LT(solution.residual, 1e-12) << entry.name;
      } else {
        EXPECT_FALSE(factor->factor(p.problem, {}));
        EXPECT_EQ(factor->refusal().kind, Refusal::Kind::singular_mass);
        EXPECT_EQ(factor->refusal().block, block);
        EXPECT_EQ(why_not(formulation->can(), factor->refusal()), "mass matrix singular");
      }
    };
    M.block<6, 6>(3, 3) = Matrix::Identity(6, 6);
    M(8, 8) = 0;  // the last coordinate of the second body has no inertia
    check(1);

    const Vector u = random_matrix(random, 2, 1);  // rank one and not diagonal
    M.block<6, 6>(3, 3) = Matrix::Identity(6, 6);
    M.block<2, 2>(9, 9) = u * u.transpose();
    check(2);

    M.block<2, 2>(9, 9).setIdentity();
    p.fill(M, random_matrix(random, 5, 12));
    EXPECT_TRUE(factor->factor(p.problem, {})) << "a refusal leaves no trace";
    EXPECT_EQ(factor->refusal().kind, Refusal::Kind::none);
    EXPECT_EQ(why_not(formulation->can(), factor->refusal()), "");
  }
}

TEST(Lagrange, NamesARowAndItsCopy) {
  std::mt19937 random(37);
  OwnedProblem p;
  lay_out(p, {3, 3, 6}, {2, 2, 3});
  Matrix A = random_matrix(random, 7, 12);
  A.row(5) = -3 * A.row(2);
  p.fill(random_mass(random, p.pattern.columns), A);
  const auto factor = Lagrange().prepare(p.pattern);
  EXPECT_FALSE(factor->factor(p.problem, {}));
  EXPECT_EQ(factor->refusal().rows, (std::vector<int>{2, 5}));

  A = random_matrix(random, 7, 12);
  A.row(6) = A.row(0) - 2 * A.row(3) + 0.1 * A.row(4);
  p.fill(random_mass(random, p.pattern.columns), A);
  EXPECT_FALSE(factor->factor(p.problem, {}));
  EXPECT_EQ(factor->refusal().rows, (std::vector<int>{0, 3, 4, 6}));

  A.row(6).setZero();
  p.fill(random_mass(random, p.pattern.columns), A);
  EXPECT_FALSE(factor->factor(p.problem, {}));
  EXPECT_EQ(factor->refusal().rows, (std::vector<int>{6}));
}

TEST(UdwadiaKalaba, DropsTheCopyAndKeepsTheOriginal) {
  std::mt19937 random(41);
  for (int trial = 0; trial < 20; ++trial) {
    OwnedProblem p;
    lay_out(p, {6, 6, 6}, {5, 5});
    Matrix A = random_matrix(random, 10, 18);
    A.bottomRows(5) = A.topRows(5);
    p.fill(random_mass(random, p.pattern.columns), A);
    const GaussSolution solution = solve(UdwadiaKalaba(), p);
    EXPECT_EQ(solution.rank.rank, 5);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(solution.verdicts[i], RowVerdict::independent);
      EXPECT_EQ(solution.verdicts[i + 5], RowVerdict::redundant);
      EXPECT_NEAR(solution.lambda[static_cast<int>(i)], solution.lambda[static_cast<int>(i) + 5], 1e-10);
    }
  }
}

TEST(UdwadiaKalaba, TellsTheContradictingCopyFromTheConsistentOne) {
  std::mt19937 random(43);
  OwnedProblem p;
  lay_out(p, {3, 3, 3}, {2, 2, 2, 1});
  Matrix A = random_matrix(random, 7, 9);
  A.row(2) = A.row(0);
  A.row(4) = A.row(0);
  A.row(6).setZero();
  p.fill(random_mass(random, p.pattern.columns), A);
  p.problem.Q = random_matrix(random, 9, 1);
  p.problem.b << 1, 2, 1, 3, 1.5, -1, 0;
  const Oracle truth = oracle(p);
  GaussSolution solution = solve(UdwadiaKalaba(), p);
  using enum RowVerdict;
  EXPECT_EQ(solution.verdicts, (std::vector<RowVerdict>{independent, independent, redundant, independent, conflicting,
                                                        independent, vanished}));
  EXPECT_LT(relative_error(solution.a, truth.a), 1e-11);
  Vector miss = p.problem.dense_A() * solution.a - p.problem.b;
  EXPECT_NEAR(miss.norm(), truth.distance, 1e-11);
  EXPECT_NEAR(solution.residual, miss.cwiseAbs().maxCoeff(), 1e-11);

  p.problem.b << 1, 2, 1, 3, 1, -1, 0.25;  // a zero row that asks for something
  solution = solve(UdwadiaKalaba(), p);
  EXPECT_EQ(solution.verdicts[4], redundant);
  EXPECT_EQ(solution.verdicts[6], conflicting);
  EXPECT_NEAR(solution.residual, 0.25, 1e-12);
}

TEST(UdwadiaKalaba, TellsHowARedundantRowFollowsFromTheOthers) {
  std::mt19937 random(59);
  OwnedProblem p;
  lay_out(p, {3, 6}, {2, 3, 1});
  Matrix A = random_matrix(random, 6, 9);
  A.row(5) = 0.03 * A.row(1) - 0.02 * A.row(4);
  p.fill(random_mass(random, p.pattern.columns), A);
  p.pattern.row_scale = {1, 2, 3, 0.5, 0.7, 1.3};
  const auto factor = UdwadiaKalaba().prepare(p.pattern);
  ASSERT_TRUE(factor->factor(p.problem, {}));
  Vector expected = Vector::Zero(6);
  expected[1] = 0.03;
  expected[4] = -0.02;
  EXPECT_LT((factor->dependency(5) - expected).norm(), 1e-13);
  EXPECT_EQ(Lagrange().prepare(p.pattern)->dependency(5).size(), 0);
}

TEST(UdwadiaKalaba, ComesAsNearToContradictingRowsAsTheOracle) {
  std::mt19937 random(47);
  for (int trial = 0; trial < 50; ++trial) {
    const int n = 6 + static_cast<int>(random() % 20), m = 4 + static_cast<int>(random() % 20);
    const int rank = 1 + static_cast<int>(random() % static_cast<unsigned>(std::min(n, m) - 1));
    OwnedProblem p;
    draw(p, random, n, m, rank, 0.1, true);
    p.problem.b += random_matrix(random, m, 1);
    const Oracle truth = oracle(p);
    const GaussSolution solution = solve(UdwadiaKalaba(), p);
    const Vector s = Eigen::Map<const Vector>(p.pattern.row_scale.data(), m);
    const Vector miss = s.cwiseProduct(p.problem.dense_A() * solution.a - p.problem.b);
    EXPECT_NEAR(miss.norm(), truth.distance, 1e-9);
    EXPECT_LT(relative_error(solution.a, truth.a), 1e-9);
    EXPECT_GE(std::count(solution.verdicts.begin(), solution.verdicts.end(), RowVerdict::conflicting), 1);
  }
}

TEST(UdwadiaKalaba, RowsThatAreOnlyNoiseHaveNoRank) {
  std::mt19937 random(53);
  OwnedProblem p;
  lay_out(p, {3, 3}, {2, 2});
  p.fill(Matrix::Identity(6, 6), 1e-16 * random_matrix(random, 4, 6));
  p.problem.Q = random_matrix(random, 6, 1);
  const GaussSolution solution = solve(UdwadiaKalaba(), p);
  EXPECT_EQ(solution.rank.rank, 0);
  EXPECT_EQ(solution.verdicts, std::vector<RowVerdict>(4, RowVerdict::vanished));
  EXPECT_EQ(solution.a, p.problem.Q);
}

TEST(Registry, KnowsItsFormulationsByName) {
  std::vector<std::string> names;
  for (const auto& entry : formulations()) {
    names.push_back(entry.name);
    EXPECT_FALSE(entry.help.empty());
    EXPECT_EQ(make_formulation(entry.name)->name(), entry.name);
  }
  EXPECT_EQ(names.front(), "auto");
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_THROW(make_formulation("langrange"), std::invalid_argument);
  EXPECT_FALSE(make_formulation("lagrange")->can().redundant_rows);
  EXPECT_TRUE(make_formulation("auto")->can().redundant_rows);
  FormulationSettings unknown;
  unknown.pseudoinverse = "penrose";
  for (const auto& entry : formulations()) {
    if (make_formulation(entry.name)->can().pseudoinverse) {
      EXPECT_THROW(make_formulation(entry.name, unknown), std::invalid_argument) << entry.name;
    }
  }
}

}  // namespace
}  // namespace mortise::gauss::testing
