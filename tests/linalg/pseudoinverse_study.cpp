// Accuracy of the pseudoinverses against the condition of the matrix: the worst Penrose residual over wide and tall
// matrices with and without dependent rows, singular values in equal ratios.
#include <gtest/gtest.h>

#include <cstdio>

#include "linalg/pseudoinverse_matrices.h"
#include "mortise/linalg/pseudoinverse.h"

namespace mortise::linalg::testing {
namespace {

// Worst residual at one condition; negative when a rank was misjudged.
double worst_residual(Pseudoinverse& pseudoinverse, double condition) {
  RankPolicy fine;
  fine.relative = 1e-12;  // far from the smallest singular value of this table, 1e-10, and from rounding
  std::mt19937 random(7);
  double worst = 0;
  for (const auto& [m, n, r] : {std::tuple{20, 30, 20}, {30, 20, 20}, {20, 30, 13}, {30, 20, 13}})
    for (int trial = 0; trial < 5; ++trial) {
      const Matrix A = graded(random, m, n, r, condition);
      Matrix P;
      pseudoinverse.invert(A, fine, 0, P);
      if (pseudoinverse.rank().rank != r) return -1;
      worst = std::max(worst, penrose_residual(A, P));
    }
  return worst;
}

TEST(Pseudoinverses, AccuracyTable) {
  std::printf("\nworst Penrose residual by condition (–: the rank was not found)\n%-16s", "");
  for (int power = 1; power <= 10; ++power) std::printf("    1e%-3d", power);
  for (const auto& entry : pseudoinverses()) {
    std::printf("\n%-16s", entry.name.c_str());
    const auto pseudoinverse = entry.make();
    // The augmented matrix sees 1e-12 at a condition of 1e6 and cannot see 1e-14; Greville's rows lose one another.
    const int last = !entry.squares ? 10 : entry.name == "greville" ? 7 : 6;
    for (int power = 1; power <= 10; ++power) {
      const double condition = std::pow(10.0, power), residual = worst_residual(*pseudoinverse, condition);
      if (residual < 0)
        std::printf("        –");
      else
        std::printf("  %7.1e", residual);
      if (power > last) continue;
      EXPECT_GE(residual, 0) << entry.name << " misjudges a rank at " << condition;
      EXPECT_LE(residual, entry.squares ? 1e-12 + 3e-15 * condition * condition : 1e-14 * condition)
          << entry.name << " at " << condition;
      // `squares` in the registry is not said without need.
      if (entry.squares && power >= 4) {
        EXPECT_GT(residual, 1e-14 * condition) << entry.name << " at " << condition;
      }
    }
  }
  std::printf("\n\n");
}

}  // namespace
}  // namespace mortise::linalg::testing
