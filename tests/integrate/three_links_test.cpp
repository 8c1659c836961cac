// Three links that deploy and lock straight, where a row comes to depend on others: specs/nasa-4-stabilization.md §4.3,
// specs/nasa-1-staggered.md §4A.
#include <gtest/gtest.h>

#include "integrate/three_links_run.h"

namespace mortise::test {
namespace {

TEST(ThreeLinks, LockStraightUnderSoftMultipliers) {
  for (const double h : {0.01, 0.005})
    for (const double tolerance : {1e-4, 1e-6}) {
      SCOPED_TRACE(testing::Message() << "h " << h << ", tolerance " << tolerance);
      const Deployment d = deploy(scheme("anchored-iterated", 1e-6, converged), h, tolerance);
      EXPECT_EQ(d.end, "");
      EXPECT_EQ(d.t, 2);
      EXPECT_NEAR(d.lock[2], 0.73, 0.011);
      EXPECT_NEAR(d.lock[1], 1.11, 0.011);
      EXPECT_LE(d.most_ever, 10);
      EXPECT_NEAR(d.largest_lambda, 4e3, 1e3);
      EXPECT_LT(d.worst_phi, 1.05e-6 * d.largest_lambda);
      EXPECT_GT(d.worst_condition, 1e7);
      if (h == 0.01) {
        EXPECT_NEAR(d.mean, tolerance == 1e-4 ? 2.9 : 4.6, 0.3);
      }
    }
}

// Explicit feedback gets through with multipliers that mean nothing, or is stopped; implicit feedback, which holds rows
// better, drives A M⁻¹Aᵀ to singular and is stopped soon after the second lock.
TEST(ThreeLinks, BaumgarteMeetsTheSingularRows) {
  for (const double h : {0.01, 0.005})
    for (const double tolerance : {1e-4, 1e-6}) {
      SCOPED_TRACE(testing::Message() << "h " << h << ", tolerance " << tolerance);
      const Deployment loose = deploy(baumgarte("explicit", 20, converged), h, tolerance);
      EXPECT_GT(loose.largest_lambda, 1e6);
      EXPECT_GT(loose.most_ever, 8);
      if (!loose.end.empty()) {
        EXPECT_EQ(loose.end, "S485");
      }
      const Deployment held = deploy(baumgarte("implicit", 50, converged), h, tolerance);
      EXPECT_EQ(held.end, "S485");
      EXPECT_GT(held.t, 1.11);
      EXPECT_LT(held.t, 1.5);
      EXPECT_GT(held.largest_lambda, 3e6);
    }
}

// Bodies with pins; the row of the tip depends on the locks exactly.
TEST(ThreeLinks, CarryARowTooMany) {
  for (const double tolerance : {1e-4, 1e-5, 1e-6}) {
    SCOPED_TRACE(testing::Message() << "tolerance " << tolerance);
    const Deployment soft = deploy_pinned(scheme("history", 1e-6, converged), 0.01, tolerance, true);
    EXPECT_EQ(soft.end, "");
    EXPECT_LT(soft.largest_lambda, 10);
    EXPECT_NEAR(soft.lock[2], 0.51, 0.015);
    EXPECT_NEAR(soft.lock[1], 1.10, 0.015);
    EXPECT_LE(soft.mean_ever, 4.5);
    const Deployment stopped = deploy_pinned(baumgarte("explicit", 70, converged), 0.01, tolerance, true);
    // At the loosest tolerance the links are so far off that S is regular by rounding: the step then ends in numbers
    // that are none.
    EXPECT_EQ(stopped.end, tolerance > 1e-5 ? "S410" : "S485");
    EXPECT_EQ(stopped.t, stopped.lock[1]) << "at the first step with the row too many";
    if (tolerance == 1e-6) {
      EXPECT_GE(stopped.mean_ever, 3 * soft.mean_ever);
    }
  }
}

}  // namespace
}  // namespace mortise::test
