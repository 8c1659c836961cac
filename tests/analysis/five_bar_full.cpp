// Constraints held at every one of 100,000 fixed steps.
#include <gtest/gtest.h>

#include "support/examples.h"

namespace mortise::test {
namespace {

TEST(FiveBar, HoldsItsConstraintsOverAHundredThousandSteps) {
  for (const char* example : {"five-bar", "five-bar-crossing"}) {
    const Recording r = run_example(example, {"analysis.integrator=rk4", "analysis.step=0.0002", "output.every=0.02"});
    EXPECT_GE(r.result.summary.steps, 100000);
    report(example, r, r.result.summary.worst_velocity);
    EXPECT_LE(r.result.summary.worst_position, 1e-12);
    EXPECT_LE(r.result.summary.worst_velocity, 1e-12);
    EXPECT_LE(r.spread("constraint.position"), 1e-12);
    EXPECT_LE(r.spread("constraint.velocity"), 1e-12);
  }
}

}  // namespace
}  // namespace mortise::test
