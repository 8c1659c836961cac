// Massless motions: solved by the formulations that say they can, refused by name by the others.
#include <gtest/gtest.h>

#include "gauss/candidates.h"
#include "gauss/random_problems.h"

namespace mortise::gauss::testing {
namespace {

// One dense block of rank 5 of 8, five rows of the given rank.
void draw_massless(OwnedProblem& p, std::mt19937& random, int rank) {
  lay_out(p, {8}, {2, 3});
  const Matrix G = random_matrix(random, 8, 5);
  const Matrix A = random_matrix(random, 5, rank) * random_matrix(random, rank, 8);
  p.fill(G * G.transpose(), A);
  p.problem.Q = random_matrix(random, 8, 1);
  p.problem.b = A * random_matrix(random, 8, 1);
}

TEST(SingularMass, IsSolvedOrRefusedAsTheFormulationSays) {
  std::mt19937 random(211);
  double worst = 0;
  for (int rank : {5, 4, 3}) {
    for (int trial = 0; trial < 20; ++trial) {
      OwnedProblem p;
      draw_massless(p, random, rank);
      Vector first;
      for (const Candidate& c : candidates()) {
        if (!c.can().redundant_rows && rank < 5) continue;
        const auto factor = c.formulation->prepare(p.pattern);
        if (!c.can().singular_mass) {
          EXPECT_FALSE(factor->factor(p.problem, {})) << c.name;
          EXPECT_EQ(factor->refusal().kind, Refusal::Kind::singular_mass) << c.name;
          continue;
        }
        if (c.power == 4) continue;
        ASSERT_TRUE(factor->factor(p.problem, {})) << c.name << ": " << why_not(c.can(), factor->refusal());
        GaussSolution solution;
        factor->solve(as_span(p.problem.Q), as_span(p.problem.b), solution);
        EXPECT_EQ(solution.rank.rank, rank) << c.name;
        const double residual = std::max(equation_residual(p, solution), solution.residual / (1 + solution.a.norm()));
        EXPECT_LT(residual, c.power == 1 ? 1e-11 : 1e-9) << c.name;
        worst = std::max(worst, residual);
        if (first.size() == 0) first = solution.a;
        EXPECT_LT(relative(solution.a, first), c.power == 1 ? 1e-9 : 1e-7) << c.name;
      }
      EXPECT_EQ(first.size(), 8);
    }
  }
  std::printf("largest KKT residual %.1e\n", worst);
}

TEST(SingularMass, MotionsWithNeitherMassNorConstraintAreCountedAndRefused) {
  std::mt19937 random(223);
  for (int missing : {1, 2}) {
    OwnedProblem p;
    lay_out(p, {6, 3}, {2, 2});
    Matrix M = random_mass(random, p.pattern.columns), A = random_matrix(random, 4, 9);
    A.row(3) = A.row(0);  // redundant rows are not missing motions
    M.block<3, 3>(6, 6).setZero();
    M(6, 6) = 2;
    for (int k = 0; k < missing; ++k) A.col(7 + k).setZero();
    p.fill(M, A);
    for (const Candidate& c : candidates()) {
      if (!c.can().singular_mass) continue;
      const auto factor = c.formulation->prepare(p.pattern);
      EXPECT_FALSE(factor->factor(p.problem, {})) << c.name;
      EXPECT_EQ(factor->refusal().kind, Refusal::Kind::not_unique) << c.name;
      EXPECT_EQ(factor->refusal().missing, missing) << c.name;
      EXPECT_EQ(why_not(c.can(), factor->refusal()), missing == 1
                                                         ? "not unique: 1 motion has neither mass nor constraint"
                                                         : "not unique: 2 motions have neither mass nor constraint");
    }
  }
}

// Two rows hold a massless coordinate between two masses; units of a million of each other change nothing.
TEST(SingularMass, IsSolvedInAnyUnits) {
  for (double unit : {1.0, 1e3, 1e-3}) {
    OwnedProblem p;
    lay_out(p, {1, 1, 1}, {1, 1});
    Matrix A(2, 3);
    A << 1, -unit, 0, 0, unit, -1;  // x = u y, u y = z
    p.fill(Vector(Eigen::Vector3d(2, 0, 3)).asDiagonal(), A);
    p.problem.Q << 5, 0, 5;
    for (const Candidate& c : candidates()) {
      if (!c.can().singular_mass) continue;
      const GaussSolution solution = solve(*c.formulation, p);
      EXPECT_NEAR(solution.a[0], 2, 1e-12) << c.name;
      EXPECT_NEAR(solution.a[1] * unit, 2, 1e-12) << c.name;
      EXPECT_NEAR(solution.lambda[0], 1, 1e-11) << c.name;  // 2·2 + λ = 5
    }
  }
}

}  // namespace
}  // namespace mortise::gauss::testing
