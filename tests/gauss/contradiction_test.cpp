// Rows that contradict one another are named: the one met last, what it misses, and the smallest set it is part of.
#include "mortise/gauss/contradiction.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

#include "gauss/dependent_problem.h"
#include "gauss/five_bar.h"
#include "gauss/linkages.h"
#include "mortise/gauss/gigsp.h"

namespace mortise::gauss::testing {
namespace {

int rank_of(const Matrix& A) { return static_cast<int>(Eigen::FullPivLU<Matrix>(A).setThreshold(1e-9).rank()); }

Matrix rows_of(const Matrix& A, const std::vector<int>& rows) {
  Matrix out(static_cast<Eigen::Index>(rows.size()), A.cols());
  for (std::size_t k = 0; k < rows.size(); ++k) out.row(static_cast<Eigen::Index>(k)) = A.row(rows[k]);
  return out;
}

// The oracle: of all subsets of the rows before `row` that do not follow from rows before them, the smallest which
// together with it is dependent. Empty: there is none.
std::vector<int> circuit_by_search(const Matrix& A, int row) {
  std::vector<int> free;
  for (int i = 0; i < row; ++i)
    if (rank_of(A.topRows(i + 1)) > (i == 0 ? 0 : rank_of(A.topRows(i)))) free.push_back(i);
  std::vector<int> best;
  for (unsigned mask = 0; mask < 1u << free.size(); ++mask) {
    if (!best.empty() && std::popcount(mask) + 1 >= static_cast<int>(best.size())) continue;
    std::vector<int> set;
    for (std::size_t k = 0; k < free.size(); ++k)
      if (mask >> k & 1) set.push_back(free[k]);
    set.push_back(row);
    if (rank_of(rows_of(A, set)) < static_cast<int>(set.size())) best = set;
  }
  return best;
}

struct Fault {
  int row;
  std::vector<int> set;
  double residual;
};

std::vector<Fault> faults_by_search(const Matrix& A, const Vector& b) {
  std::vector<Fault> out;
  for (int row = 0; row < A.rows(); ++row) {
    const std::vector<int> set = circuit_by_search(A, row);
    if (set.empty()) continue;
    double residual = b[row];
    if (set.size() > 1) {
      const std::vector<int> before(set.begin(), set.end() - 1);
      const Matrix S = rows_of(A, before).transpose();
      const Vector c = S.colPivHouseholderQr().solve(A.row(row).transpose());
      for (std::size_t k = 0; k < before.size(); ++k) residual -= c[static_cast<Eigen::Index>(k)] * b[before[k]];
    }
    if (std::abs(residual) > 1e-6) out.push_back({row, set, residual});
  }
  return out;
}

// Independent rows with combinations of one to three earlier ones among them, at random places.
void draw_combinations(OwnedProblem& p, std::mt19937& random, int m) {
  lay_out(p, {6, 3}, {m});
  Matrix A = random_matrix(random, m, 9);
  for (int i = 1; i < m; ++i) {
    if (random() % 5 > 1) continue;
    A.row(i).setZero();
    for (unsigned k = 0; k < 1 + random() % 3; ++k)
      A.row(i) += (1.0 + static_cast<double>(random() % 4)) / 2 * (random() % 2 ? 1 : -1) *
                  A.row(static_cast<int>(random() % static_cast<unsigned>(i)));
  }
  p.fill(random_mass(random, p.pattern.columns), A);
  p.problem.b = A * random_matrix(random, 9, 1);
}

TEST(Contradiction, IsTheCircuitFoundBySearchOverAllSubsets) {
  std::mt19937 random(33);
  int problems = 0, faults = 0;
  double worst = 0;
  while (problems < 50) {
    OwnedProblem p;
    const int m = 5 + static_cast<int>(random() % 4);
    draw_combinations(p, random, m);
    p.problem.b[static_cast<int>(random() % static_cast<unsigned>(m))] += 0.3;
    const Matrix A = p.problem.dense_A();
    const std::vector<Fault> expected = faults_by_search(A, p.problem.b);
    const auto found = contradictions(p.problem, as_span(p.problem.b), {});
    ASSERT_EQ(found.size(), expected.size());
    if (expected.empty()) continue;
    ++problems;
    for (std::size_t k = 0; k < found.size(); ++k, ++faults) {
      ASSERT_EQ(found[k].row, expected[k].row);
      ASSERT_EQ(found[k].rows, expected[k].set);
      worst = std::max(worst, std::abs(found[k].residual - expected[k].residual));
      ASSERT_LT((rows_of(A, found[k].rows).transpose() * found[k].coefficients).norm(), 1e-12);
    }
    const GaussSolution s = solve(Gigsp(), p);
    for (int i = 0; i < m; ++i) {
      const bool named = std::any_of(found.begin(), found.end(), [&](const DependentRow& d) { return d.row == i; });
      ASSERT_EQ(s.verdicts[static_cast<std::size_t>(i)] == RowVerdict::conflicting, named) << "the verdicts agree";
    }
  }
  EXPECT_LT(worst, 1e-12);
  EXPECT_GE(faults, 60);
  RecordProperty("worst", fmt::format("{:.1e}", worst));
}

TEST(Contradiction, IsNeverRaisedByConsistentRedundantRows) {
  std::mt19937 random(35);
  for (int trial = 0; trial < 300; ++trial) {
    OwnedProblem p;
    if (trial % 2) {
      draw_combinations(p, random, 9);
    } else {
      const int n = 6 + static_cast<int>(random() % 20), m = 4 + static_cast<int>(random() % 24);
      draw_of_rank(p, random, n, m, 1 + static_cast<int>(random() % static_cast<unsigned>(std::min(n, m))), true);
    }
    ASSERT_TRUE(contradictions(p.problem, as_span(p.problem.b), {}).empty()) << trial;
    const GaussSolution s = solve(Gigsp(), p);
    ASSERT_EQ(std::count(s.verdicts.begin(), s.verdicts.end(), RowVerdict::conflicting), 0) << trial;
  }
}

// E2: the half-length closure in y opens with Δ̈ = 0.02. Counted from one these are rows 2, 3 and 4.
TEST(Contradiction, IsTheFourthRowOfTheFiveBarWhoseClosureOpens) {
  const ParallelFiveBar linkage(0.02);
  const GaussProblem p = linkage.at(1, 2);
  const auto dependent = dependent_rows(p, as_span(p.b), {});
  ASSERT_EQ(dependent.size(), 3u);
  for (int k : {0, 1}) {
    EXPECT_EQ(dependent[static_cast<std::size_t>(k)].row, k + 1);
    EXPECT_EQ(dependent[static_cast<std::size_t>(k)].rows, (std::vector<int>{0, k + 1}));
    EXPECT_NEAR(dependent[static_cast<std::size_t>(k)].residual, 0, 1e-12);
    EXPECT_FALSE(dependent[static_cast<std::size_t>(k)].conflicting);
  }
  EXPECT_EQ(dependent[2].row, 3);
  EXPECT_EQ(dependent[2].rows, (std::vector<int>{0, 3}));
  EXPECT_NEAR(dependent[2].residual, 0.02, 1e-12);
  const auto found = contradictions(p, as_span(p.b), {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].row, 3);
}

TEST(Contradiction, SeesThroughDriftThatMakesRowsLookIndependent) {
  const ParallelFiveBar linkage(0.02);
  GaussProblem p = linkage.at(1.2, 0.5, 1.0, 1e-7);
  p.violation = 1e-7;
  const auto found = contradictions(p, as_span(p.b), {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].row, 3);
  EXPECT_NEAR(found[0].residual, 0.02, 1e-5);
}

TEST(Contradiction, KnowsZeroRowsAndSwitchedOffOnes) {
  std::mt19937 random(37);
  OwnedProblem p;
  lay_out(p, {6}, {4});
  Matrix A = random_matrix(random, 4, 6);
  A.row(1).setZero();
  A.row(3) = 2 * A.row(2);
  p.fill(Matrix::Identity(6, 6), A);
  p.problem.b << 1, 0.5, 1, 3;
  const auto found = contradictions(p.problem, as_span(p.problem.b), {});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].rows, (std::vector<int>{1})) << "nothing moves it, yet it asks for 0.5";
  EXPECT_NEAR(found[0].residual, 0.5, 1e-15);
  EXPECT_EQ(found[1].rows, (std::vector<int>{2, 3}));
  EXPECT_NEAR(found[1].residual, 1, 1e-13);
  p.problem.active = {1, 0, 1, 0};
  EXPECT_TRUE(dependent_rows(p.problem, as_span(p.problem.b), {}).empty());
}

TEST(Contradiction, IsFoundWithoutMass) {
  OwnedProblem p;
  lay_out(p, {3}, {2});
  Matrix A(2, 3);
  A << 1, 2, 3, 2, 4, 6;
  p.fill(Matrix::Zero(3, 3), A);
  p.problem.b << 1, 2.5;
  const auto found = contradictions(p.problem, as_span(p.problem.b), {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rows, (std::vector<int>{0, 1}));
  EXPECT_NEAR(found[0].residual, 0.5, 1e-13);
}

}  // namespace
}  // namespace mortise::gauss::testing
