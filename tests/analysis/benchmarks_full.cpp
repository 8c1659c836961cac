// A02 with forty windows at the tightest tolerance, through every flat pose for ten seconds.
#include <gtest/gtest.h>

#include <cmath>

#include "support/examples.h"

namespace mortise::test {
namespace {

// Reference: exact reduction to one degree of freedom (see benchmarks_test.cpp).
TEST(A02FourBars, ConvergeWithFortyWindows) {
  double before = 1;
  for (const char* tolerance : {"1e-8", "1e-10", "1e-12"}) {
    const Recording r =
        run_example("n-four-bar", {"N=40", "output.every=1", std::string("analysis.tolerance=") + tolerance});
    const double error =
        std::hypot(r.at("vertical0.B0.x", 10) - 0.18051222668672839, r.at("vertical0.B0.y", 10) - 0.98357274058231157);
    report(std::string("A02 N=40 at ") + tolerance, r, error);
    EXPECT_LT(error, before / 3);
    before = error;
  }
  EXPECT_LT(before, 1e-8);
}

}  // namespace
}  // namespace mortise::test
