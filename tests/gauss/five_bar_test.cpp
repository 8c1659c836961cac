#include "gauss/five_bar.h"

#include <gtest/gtest.h>

#include <numbers>

#include "mortise/gauss/lagrange.h"
#include "mortise/gauss/udwadia_kalaba.h"

namespace mortise::gauss::testing {
namespace {

constexpr double one_degree = std::numbers::pi / 180;

TEST(FiveBar, HasOneRedundantRowInEveryRegularPose) {
  for (double theta : {30, 60, 90, 135, -30, -120}) {
    const FiveBar p(theta * one_degree);
    const GaussSolution solution = solve(UdwadiaKalaba(), p);
    EXPECT_EQ(solution.rank.rank, 11) << theta;
    EXPECT_EQ(solution.rank.rows, 12);
    EXPECT_GT(solution.rank.gap(), 1e12);
    EXPECT_EQ(std::count(solution.verdicts.begin(), solution.verdicts.end(), RowVerdict::redundant), 1);
  }
}

TEST(FiveBar, LosesAnotherRowWithAllBarsInLine) {
  for (double theta : {0.0, std::numbers::pi}) EXPECT_EQ(solve(UdwadiaKalaba(), FiveBar(theta)).rank.rank, 10);
}

TEST(FiveBar, SwingsAsThePendulumItIs) {
  for (double theta : {30, 60, 90, 135, 0, 180})
    for (double rate : {0.0, 2.0}) {
      const FiveBar p(theta * one_degree, rate);
      const GaussSolution solution = solve(UdwadiaKalaba(), p);
      const double expected = -(3.5 / 3.05) * FiveBar::g * std::cos(theta * one_degree);
      for (int link : {2, 5, 8}) EXPECT_NEAR(solution.a[link], expected, 1e-12) << theta << " at rate " << rate;
      EXPECT_NEAR(solution.a[11], 0, 1e-12);
      EXPECT_LT(solution.residual, 1e-13);
      EXPECT_LT(equation_residual(p, solution), 1e-14);
    }
}

TEST(FiveBar, SharesTheLoadEquallyAmongTheLinksUpright) {
  const GaussSolution solution = solve(UdwadiaKalaba(), FiveBar(90 * one_degree));
  for (int link = 0; link < 3; ++link) {
    EXPECT_NEAR(solution.lambda[4 * link], 0, 1e-12);
    EXPECT_NEAR(solution.lambda[4 * link + 1], -16.35, 1e-12);
    EXPECT_NEAR(solution.lambda[4 * link + 2], 0, 1e-12);
    EXPECT_NEAR(solution.lambda[4 * link + 3], 6.54, 1e-12);
  }
}

TEST(FiveBar, KeepsItsFreedomOffTheManifoldWhenTheViolationIsTold) {
  for (double off : {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3})
    for (double theta : {30, 60, 90, 135}) {
      FiveBar p(theta * one_degree, 0, off);
      EXPECT_EQ(solve(UdwadiaKalaba(), p).rank.rank, 12) << "drift alone locks the mechanism";
      p.problem.violation = off;
      const GaussSolution solution = solve(UdwadiaKalaba(), p);
      EXPECT_EQ(solution.rank.rank, 11) << off << ' ' << theta;
      EXPECT_NEAR(solution.a[2], -(3.5 / 3.05) * FiveBar::g * std::cos(theta * one_degree), 100 * off);
      EXPECT_EQ(std::count(solution.verdicts.begin(), solution.verdicts.end(), RowVerdict::conflicting), 0);
    }
}

TEST(FiveBar, ShowsTheJumpOfAccelerationAtTheSingularPose) {
  FiveBar in_line(0), near(0.01);
  in_line.problem.Q[11] = near.problem.Q[11] = 1;
  EXPECT_NEAR(solve(UdwadiaKalaba(), in_line).a[11], 1 / 0.9, 1e-10);
  EXPECT_NEAR(solve(UdwadiaKalaba(), near).a[11], 0, 1e-10);
}

TEST(FiveBar, CouplerTurningInLineIsReportedAsConflict) {
  // Velocity along the second null vector: Ṗ = 1, link rates −1, 0, 1. A v = 0 holds, yet no acceleration exists.
  FiveBar p(0);
  for (int i = 0; i < 3; ++i) {
    const double rate2 = i == 1 ? 0 : 1, o = i - 1;
    p.problem.b.segment<4>(4 * i) << -0.5 * rate2, 0, 0.5 * rate2 - o, 0;
  }
  const GaussSolution solution = solve(UdwadiaKalaba(), p);
  EXPECT_EQ(solution.rank.rank, 10);
  EXPECT_GE(std::count(solution.verdicts.begin(), solution.verdicts.end(), RowVerdict::conflicting), 1);
  EXPECT_GT(solution.residual, 0.1);
}

TEST(FiveBar, LagrangeNamesTheRowsAlongTheLinks) {
  const auto rows = [](double theta) {
    const FiveBar p(theta * one_degree);
    const auto factor = Lagrange().prepare(p.pattern);
    EXPECT_FALSE(factor->factor(p.problem, {}));
    EXPECT_EQ(factor->refusal().kind, Refusal::Kind::dependent_rows);
    EXPECT_LT(factor->refusal().pivot, 1e-7);
    return factor->refusal().rows;
  };
  EXPECT_EQ(rows(90), (std::vector<int>{1, 3, 5, 7, 9, 11}));
  EXPECT_EQ(rows(30), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST(FiveBar, UnitsDoNotChangeRankVerdictsOrMotion) {
  for (double theta : {30, 90, 0}) {
    FiveBar metres(theta * one_degree), millimetres(theta * one_degree, 0, 0, 1000, 1e-3);
    metres.scale_rows_to_one();
    millimetres.scale_rows_to_one();
    const GaussSolution a = solve(UdwadiaKalaba(), metres), b = solve(UdwadiaKalaba(), millimetres);
    EXPECT_EQ(a.rank.rank, b.rank.rank);
    EXPECT_EQ(a.verdicts, b.verdicts);
    EXPECT_NEAR(a.rank.smallest_kept, b.rank.smallest_kept, 1e-12);
    EXPECT_NEAR(a.a[2], b.a[2], 1e-11);
    // Tonnes and millimetres: forces are in newtons in both.
    for (int i = 0; i < 12; ++i) EXPECT_NEAR(a.lambda[i], b.lambda[i], 1e-10);
  }
}

}  // namespace
}  // namespace mortise::gauss::testing
