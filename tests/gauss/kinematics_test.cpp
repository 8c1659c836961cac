// Pure kinematics by the formulations of dynamics: specs/gigsp-and-genetic.md §6, E1 and E2.
#include "mortise/gauss/kinematics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gauss/linkages.h"
#include "mortise/gauss/gigsp.h"
#include "mortise/integrate/integrator.h"
#include "mortise/motion/motion.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::gauss::testing {
namespace {

constexpr double degrees = std::numbers::pi / 180, pi = std::numbers::pi;

TEST(FourBarKinematics, IsTheSameByEveryFormulation) {
  const FourBar swapped(6, 2, 7, 9, 30 * degrees, 10, 1.55, 2.05), printed(9, 2, 7, 6, 30 * degrees, 10, 0.8, 1.8);
  EXPECT_NEAR(swapped.angle[1], 88.83724130 * degrees, 1e-10);
  EXPECT_NEAR(swapped.angle[2], 117.28606786 * degrees, 1e-10);
  EXPECT_NEAR(swapped.rate[1], -5.99096572, 1e-8);
  EXPECT_NEAR(swapped.rate[2], -3.99173479, 1e-8);
  for (const auto& entry : formulations()) {
    const auto formulation = make_formulation(entry.name);
    if (formulation->can().search) continue;
    const Vector a = solve(*formulation, swapped).a;
    EXPECT_NEAR(a[0], 0, 1e-10) << entry.name;
    EXPECT_NEAR(a[1], 26.0800166, 1e-7) << entry.name;
    EXPECT_NEAR(a[2], 53.3305883, 1e-7) << entry.name;
    const Vector as_printed = solve(*formulation, printed).a;
    EXPECT_NEAR(as_printed[1], 8.639, 5e-4) << entry.name;
    EXPECT_NEAR(as_printed[2], 46.481, 5e-4) << entry.name;
  }
}

TEST(FiveBarKinematics, HasRankTwoWhereRowsVanish) {
  const ParallelFiveBar linkage;
  for (const double theta : {0.0, pi / 2, 1.0}) {
    const GaussProblem p = linkage.at(theta, 2 * pi);
    for (const auto& entry : formulations()) {
      const auto formulation = make_formulation(entry.name);
      if (!formulation->can().gives_rank || !formulation->can().redundant_rows) continue;
      const auto factor = formulation->prepare(linkage.pattern());
      ASSERT_TRUE(factor->factor(p, {})) << entry.name;
      GaussSolution s;
      factor->solve(as_span(p.Q), as_span(p.b), s);
      EXPECT_EQ(s.rank.rank, 2) << entry.name << " at " << theta;
      EXPECT_NEAR(s.a[1], s.a[0], 1e-12) << entry.name;
    }
    EXPECT_NO_THROW(check_driven(p, {}));
  }
}

// max |θ₄ − 2π sin t| with rk4 at a millisecond.
double worst_error(const Formulation& formulation, const std::string& stabilization, const linalg::RankPolicy& policy,
                   double until = 10) {
  const ParallelFiveBar linkage;
  const auto stabilizer = stabilize::make_stabilizer(stabilization);
  Motion motion(linkage, formulation, *stabilizer, policy);
  const auto integrator = integrate::make_integrator("rk4", {1e-8, 1e-3, 0, 0});
  Vector y = Vector::Zero(motion.size());
  y[2] = y[3] = 2 * pi;
  integrator->start(motion, 0, as_span(y));
  double worst = 0;
  while (integrator->t() < until) {
    integrator->step(until);
    worst = std::max(worst, std::abs(integrator->y()[1] - 2 * pi * std::sin(integrator->t())));
  }
  return worst;
}

TEST(FiveBarKinematics, IsDrivenForTenSecondsThroughAllVanishingRows) {
  for (const double relative : {1e-6, 1e-10}) {
    linalg::RankPolicy policy;
    policy.relative = relative;
    const double baumgarte = worst_error(Gigsp(), "baumgarte", policy);
    const double projection = worst_error(Gigsp(), "projection", policy);
    EXPECT_LT(baumgarte, 1e-10);
    EXPECT_LT(projection, 1e-13);
    RecordProperty("baumgarte", fmt::format("{:.1e}", baumgarte));
    RecordProperty("projection", fmt::format("{:.1e}", projection));
  }
}

// The source's form: the two loop rows come first, drift makes them look independent, and the driver is left out. With
// pivoting rounding grows, too (unstabilised, about tenfold each quarter turn), but the driver holds.
TEST(FiveBarKinematics, IsLostInTheGivenOrderWithoutStabilisation) {
  for (const double tolerance : {1e-6, 1e-10}) {
    const auto policy = linalg::RankPolicy::of_tolerance(tolerance);
    EXPECT_GT(worst_error(Gigsp(Gigsp::Order::given), "none", policy, 4), 1);
    EXPECT_LT(worst_error(Gigsp(), "none", policy, 4), 1e-9);
  }
}

TEST(FiveBarKinematics, SaysWhichMotionNobodyDrives) {
  const ParallelFiveBar linkage;
  GaussProblem p = linkage.at(1, 2);
  p.active[4] = 0;
  try {
    check_driven(p, {});
    FAIL() << "without its driver the linkage swings freely";
  } catch (const NotDriven& error) {
    EXPECT_EQ(error.report().code, "S425");
    ASSERT_EQ(error.motions().cols(), 1);
    EXPECT_NEAR(std::abs(error.motions()(0, 0)), std::sqrt(0.5), 1e-14);
    EXPECT_NEAR(error.motions()(0, 0), error.motions()(1, 0), 1e-14);
    EXPECT_LT((p.dense_A() * error.motions()).norm(), 1e-14);
  }
  p.active = {0, 0, 0, 0, 0};
  EXPECT_EQ(free_motions(p, {}).cols(), 2);
}

}  // namespace
}  // namespace mortise::gauss::testing
