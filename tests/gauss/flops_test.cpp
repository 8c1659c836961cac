// G-A14: counted operations against the cost models of specs/gigsp-and-genetic.md §4.
#include <gtest/gtest.h>

#include "gauss/problem_builder.h"

namespace mortise::gauss::testing {
namespace {

double counted(const char* name, int n, int m, bool full) {
  std::mt19937 random(443);
  OwnedProblem p;
  lay_out(p, {n}, {m});
  Matrix M = Matrix::Identity(n, n);
  if (full) {
    const Matrix G = random_matrix(random, n, n);
    M += 0.1 * G * G.transpose();
  }
  p.fill(M, random_matrix(random, m, n));
  p.problem.Q = random_matrix(random, n, 1);
  const auto factor = make_formulation(name)->prepare(p.pattern);
  EXPECT_TRUE(factor->factor(p.problem, {}));
  const double flops = factor->flops();  // the models leave out what is linear in the size of A
  GaussSolution solution;
  factor->solve(as_span(p.problem.Q), as_span(p.problem.b), solution);
  EXPECT_LT(equation_residual(p, solution), 1e-12);
  EXPECT_GT(factor->flops(), flops);
  return flops;
}

TEST(Flops, FollowTheCostModels) {
  const double n = 200;
  for (double m : {50.0, 100.0})
    for (bool full : {true, false}) {
      const double cholesky = full ? n * n * n / 3 + n * n * m : 0, MN = full ? 2 * n * n * (n - m) : 0;
      const double lagrange = cholesky + n * m * m + m * m * m / 3;
      const double kim_vanderploeg = MN + 4 * n * n * n / 3 + n * n * m + 4 * n * m * m + m * m * m;
      const double l = counted("lagrange", 200, static_cast<int>(m), full) / lagrange;
      const double k = counted("kim-vanderploeg", 200, static_cast<int>(m), full) / kim_vanderploeg;
      std::printf("m/n %.2f, M %-8s counted/model: lagrange %.3f, kim-vanderploeg %.3f\n", m / n,
                  full ? "full" : "diagonal", l, k);
      EXPECT_NEAR(l, 1, 0.15);
      EXPECT_NEAR(k, 1, 0.15);
    }
}

}  // namespace
}  // namespace mortise::gauss::testing
