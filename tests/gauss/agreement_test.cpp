// All formulations give one answer: on random problems of any rank, on ill-conditioned ones as far as their kind of
// arithmetic reaches, and on rows that contradict one another as far as they mean to.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <numbers>

#include "gauss/candidates.h"
#include "gauss/five_bar.h"
#include "gauss/random_problems.h"

namespace mortise::gauss::testing {
namespace {

bool applies(const Candidate& c, const Order& order) { return c.can().redundant_rows || order.rank == order.m; }

TEST(Agreement, AllFormulationsSolveAThousandRandomProblemsAlike) {
  std::mt19937 random(101);
  const std::vector<Candidate> all = candidates();
  std::map<std::string, std::array<double, 3>> worst;
  for (int trial = 0; trial < 1000; ++trial) {
    Order order;
    order.n = trial % 50 == 0 ? 30 + static_cast<int>(random() % 31) : 3 + static_cast<int>(random() % 14);
    order.m = static_cast<int>(random() % static_cast<unsigned>(order.n + 4));
    order.rank = std::min(order.m, order.n);
    if (trial % 2 == 1 && order.rank > 0)
      order.rank = static_cast<int>(random() % static_cast<unsigned>(order.rank + 1));
    order.off = trial % 3 == 0 ? 1 + static_cast<int>(random() % 3) : 0;
    order.smallest = std::pow(10.0, -3.0 * double(random() % 1000) / 999.0);
    order.mass_condition = std::pow(10.0, 4.0 * double(random() % 1000) / 999.0);
    order.scaled = trial % 5 == 0;
    OwnedProblem p;
    const Known known = draw(p, random, order);
    for (const Candidate& c : all) {
      if (!applies(c, order)) continue;
      // Squares of squares have lost half of their digits at a condition of a hundred: held to what is left.
      const double tolerance = c.power < 4 ? 1e-9 : std::max(1e-9, 1e-14 / std::pow(order.smallest, 4));
      if (tolerance > 1e-3) continue;
      const GaussSolution solution = solve(*c.formulation, p);
      ASSERT_EQ(solution.rank.rank, order.rank) << c.name << " in trial " << trial;
      ASSERT_EQ(solution.rank.rows, order.m);
      const double error = relative(solution.a, known.a);
      // Where no row is left, multipliers are rounding of the loads.
      const double multipliers =
          (solution.lambda - known.lambda).norm() / (known.lambda.norm() + 1e-3 * p.problem.Q.norm());
      ASSERT_LT(error, tolerance) << c.name << " in trial " << trial << ", n " << order.n << ", m " << order.m;
      ASSERT_LT(multipliers, (c.power < 2 ? 10 : 100) * tolerance) << c.name << " in trial " << trial;
      ASSERT_EQ(std::count(solution.verdicts.begin(), solution.verdicts.end(), RowVerdict::conflicting), 0)
          << c.name << " in trial " << trial;
      auto& w = worst[c.name];
      w = {std::max(w[0], error), std::max(w[1], multipliers), w[2] + 1};
    }
  }
  std::printf("%-40s %10s %10s %8s\n", "formulation", "a", "lambda", "problems");
  for (const auto& [name, w] : worst) {
    std::printf("%-40s %10.1e %10.1e %8.0f\n", name.c_str(), w[0], w[1], w[2]);
    EXPECT_GT(w[2], 300) << name;
  }
}

TEST(Agreement, AccuracyFallsWithTheConditionOrItsSquare) {
  std::mt19937 random(103);
  linalg::RankPolicy policy;
  policy.relative = 1e-13;
  std::printf("%-40s", "largest relative error of a, condition");
  for (int digits = 4; digits <= 10; digits += 2) std::printf("      1e%02d", digits);
  std::printf("\n");
  for (const Candidate& c : candidates()) {
    std::printf("%-40s", c.name.c_str());
    for (int digits = 4; digits <= 10; digits += 2) {
      const double condition = std::pow(10.0, digits), bound = 1e-13 * std::pow(condition, c.power);
      if (bound > 0.2) {
        std::printf("%10s", "-");
        continue;
      }
      double worst = 0;
      for (int trial = 0; trial < 10; ++trial) {
        OwnedProblem p;
        Order order;
        order.rank = trial % 2 == 0 || !c.can().redundant_rows ? 8 : 6;
        order.smallest = 1 / condition;
        const Known known = draw(p, random, order);
        const GaussSolution solution = solve(*c.formulation, p, policy);
        ASSERT_EQ(solution.rank.rank, order.rank) << c.name << " at condition " << condition;
        worst = std::max(worst, relative(solution.a, known.a));
      }
      EXPECT_LT(worst, bound) << c.name << " at condition " << condition;
      std::printf("%10.1e", worst);
    }
    std::printf("\n");
  }
}

TEST(Agreement, FiveBarMovesAlikeInAllFormulations) {
  for (double theta : {30, 60, 90, 135}) {
    const FiveBar p(theta * std::numbers::pi / 180, 1.5);
    const Oracle truth = oracle(p);
    for (const Candidate& c : candidates()) {
      if (!c.can().redundant_rows) continue;
      const GaussSolution solution = solve(*c.formulation, p);
      EXPECT_EQ(solution.rank.rank, 11) << c.name;
      EXPECT_LT(relative(solution.a, truth.a), 1e-10) << c.name << " at " << theta;
      EXPECT_LT(relative(solution.lambda, truth.lambda), 1e-10) << c.name << " at " << theta;
    }
  }
}

TEST(Agreement, FiveBarKeepsItsFreedomOffTheManifoldInAllFormulations) {
  for (double off : {1e-7, 1e-5, 1e-3}) {
    FiveBar p(1.0, 0, off);
    p.problem.violation = off;
    for (const Candidate& c : candidates()) {
      if (!c.can().redundant_rows) continue;
      const GaussSolution solution = solve(*c.formulation, p);
      EXPECT_EQ(solution.rank.rank, 11) << c.name << " at " << off;
      EXPECT_NEAR(solution.a[2], -(3.5 / 3.05) * FiveBar::g * std::cos(1.0), 100 * off) << c.name;
    }
  }
}

// The least-squares group and those which follow the rows that they keep.
TEST(Agreement, ContradictingRowsAreMetByLeastSquaresOrNamed) {
  std::mt19937 random(107);
  for (int trial = 0; trial < 30; ++trial) {
    OwnedProblem p;
    Order order{.n = 8, .m = 6, .rank = 4, .off = trial % 2, .scaled = trial % 3 == 0, .consistent = false};
    draw(p, random, order);
    for (int i = 0; i < p.pattern.m(); ++i)
      if (!p.problem.active[static_cast<std::size_t>(i)]) p.problem.b[i] = 0;
    const Oracle truth = oracle(p);
    ASSERT_GT(truth.distance, 1e-2);
    const Vector s = Eigen::Map<const Vector>(p.pattern.row_scale.data(), p.pattern.m());
    for (const Candidate& c : candidates()) {
      if (!c.can().redundant_rows) {
        EXPECT_THROW(solve(*c.formulation, p), std::runtime_error);
        continue;
      }
      const GaussSolution solution = solve(*c.formulation, p);
      EXPECT_GE(std::count(solution.verdicts.begin(), solution.verdicts.end(), RowVerdict::conflicting), 1) << c.name;
      EXPECT_GT(solution.residual, 1e-3) << c.name;
      Vector miss = s.cwiseProduct(p.problem.dense_A() * solution.a - p.problem.b);
      if (std::count(solution.verdicts.begin(), solution.verdicts.end(), RowVerdict::independent) == 4 &&
          miss.norm() > truth.distance + 1e-6) {
        // Follows as many rows to the letter as there are independent ones. Which, pivoting decides: the report may
        // name another row of the same circuit, the one met last.
        int followed = 0;
        for (int i = 0; i < p.pattern.m(); ++i)
          followed += p.problem.active[static_cast<std::size_t>(i)] && std::abs(miss[i]) < 1e-8;
        EXPECT_GE(followed, 3) << c.name << " misses by " << miss.transpose() << " (" << truth.rank << ")";
        continue;
      }
      EXPECT_NEAR(miss.norm(), truth.distance, 1e-10) << c.name;
      EXPECT_LT(relative(solution.a, truth.a), 1e-10) << c.name;
    }
  }
}

// Table 2.1 of specs/gigsp-and-genetic.md §5: full rank, redundant or vanished, inconsistent.
TEST(Agreement, TableOfWhatEachKindOfInverseDoesWithBadRows) {
  std::mt19937 random(109);
  OwnedProblem p;
  lay_out(p, {3, 3, 3}, {2, 2, 1});
  Matrix A = random_matrix(random, 5, 9);
  const Matrix M = random_mass(random, p.pattern.columns);
  p.problem.Q = random_matrix(random, 9, 1);
  p.problem.b << 1, 2, -1, 0.5, 0.3;
  const auto answer = [&](const char* name, const char* inverse, GaussSolution& solution) {
    FormulationSettings settings;
    settings.pseudoinverse = inverse;
    const auto factor = make_formulation(name, settings)->prepare(p.pattern);
    solution.resize(p.pattern);
    if (!factor->factor(p.problem, {})) return factor->refusal().kind;
    factor->solve(as_span(p.problem.Q), as_span(p.problem.b), solution);
    return Refusal::Kind::none;
  };
  const auto conflicting = [](const GaussSolution& s, int row) {
    return s.verdicts[static_cast<std::size_t>(row)] == RowVerdict::conflicting;
  };
  GaussSolution regular, svd, rows;
  p.fill(M, A);
  EXPECT_EQ(answer("lagrange", "", regular), Refusal::Kind::none);
  EXPECT_EQ(answer("udwadia-kalaba", "svd", svd), Refusal::Kind::none);
  EXPECT_EQ(answer("kim-vanderploeg", "", rows), Refusal::Kind::none);
  EXPECT_LT(relative(regular.a, oracle(p).a), 1e-12);
  EXPECT_LT(relative(svd.a, oracle(p).a), 1e-12);
  EXPECT_LT(relative(rows.a, oracle(p).a), 1e-12);

  A.row(4) = 0.5 * A.row(0) - 0.1 * A.row(3);
  p.problem.b[4] = 0.5 * 1 - 0.1 * 0.5;
  p.fill(M, A);
  EXPECT_EQ(answer("lagrange", "", regular), Refusal::Kind::dependent_rows);
  EXPECT_EQ(answer("udwadia-kalaba", "svd", svd), Refusal::Kind::none);
  EXPECT_EQ(answer("kim-vanderploeg", "", rows), Refusal::Kind::none);
  EXPECT_LT(relative(svd.a, oracle(p).a), 1e-12);
  EXPECT_LT(relative(rows.a, oracle(p).a), 1e-12);
  EXPECT_EQ(std::count(rows.verdicts.begin(), rows.verdicts.end(), RowVerdict::redundant), 1);

  p.problem.b[4] += 0.3;
  EXPECT_EQ(answer("lagrange", "", regular), Refusal::Kind::dependent_rows);
  EXPECT_EQ(answer("udwadia-kalaba", "svd", svd), Refusal::Kind::none);
  // A compromise that fulfils none of the rows in question; the residual shows it, the acceleration does not.
  EXPECT_GT(svd.residual, 0.01);
  EXPECT_TRUE(conflicting(svd, 0) && conflicting(svd, 3) && conflicting(svd, 4));
  EXPECT_EQ(answer("kim-vanderploeg", "", rows), Refusal::Kind::none);
  EXPECT_EQ(std::count(rows.verdicts.begin(), rows.verdicts.end(), RowVerdict::conflicting), 1)
      << "one row is named, the others hold";
  EXPECT_EQ(std::count(rows.verdicts.begin(), rows.verdicts.end(), RowVerdict::independent), 4);
}

}  // namespace
}  // namespace mortise::gauss::testing
