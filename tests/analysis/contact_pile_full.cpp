// A thousand balls fall into a tray: penetration stays bounded, energy never grows.
#include <gtest/gtest.h>

#include "analysis/contact_piles.h"

namespace mortise::test {
namespace {

TEST(ContactPile, OfAThousandBallsStaysBoundedAndNeverGainsEnergy) {
  const Recording r = run_text(pile_text(10, 10, 1.0));
  const PileFigures f = figures(r);
  RecordProperty("deepest", std::to_string(f.deepest));
  RecordProperty("growth", std::to_string(f.growth / f.first));
  std::printf("deepest %.3e m of radius 0.1, growth %.1e and balance %.1e of %.4g J, at the end %.6g J\n", f.deepest,
              f.growth / f.first, f.balance / f.first, f.first, f.last);
  EXPECT_LT(f.deepest, 0.005);
  EXPECT_LE(f.growth, 1e-12 * f.first);
  EXPECT_LE(f.balance, 1e-10 * f.first);
}

}  // namespace
}  // namespace mortise::test
