// The two McPherson struts against the figures of the literature's model (specs: formulations, section 4).
#include <gtest/gtest.h>

#include "support/examples.h"

namespace mortise::test {
namespace {

const char* const strut = "mcpherson";
const char* const overconstrained = "mcpherson-overconstrained";

TEST(McPherson, HasTheRankAndTheFreedomsOfTheSheet) {
  for (const auto& [name, rows] : {std::pair{strut, 26}, {overconstrained, 31}}) {
    const Recording r = run_example(name, {"analysis.until=0.01"});
    EXPECT_EQ(r.mechanism->pattern().m(), rows);
    EXPECT_EQ(r.mechanism->v_size(), 30);
    EXPECT_EQ(r.result.summary.rank, 26);
  }
}

TEST(McPherson, BeginsWithTheAccelerationsAndReactionsOfTheSheet) {
  const Recording one = run_example(strut, {"analysis.until=0.01"}),
                  two = run_example(overconstrained, {"analysis.until=0.01"});
  for (const Recording* r : {&one, &two}) {
    EXPECT_NEAR(r->at("arm.ay", 0), 2.3457e-5, 1e-9);
    EXPECT_NEAR(r->at("arm.az", 0), 2.43613e-4, 1e-9);
    EXPECT_NEAR(r->at("arm.alphax", 0), 1.6316e-3, 1e-7);
    EXPECT_NEAR(r->at("rack.ay", 0), 5.5107e-5, 1e-9);
  }
  // λ of the rows p_arm − ground is the opposite of the force on the arm. What two hinges carry together is what one
  // carries alone; along their axis they share evenly by any rule.
  const std::pair<const char*, double> forces[] = {{"fx", 0.838582044}, {"fy", 2.089886401}, {"fz", 13.895865274}};
  for (const auto& [axis, value] : forces) {
    const std::string name = std::string(".reaction.") + axis;
    EXPECT_NEAR(one.at("P1A" + name, 0), -value, 1e-8);
    EXPECT_NEAR(two.at("P1A" + name, 0) + two.at("P1B" + name, 0), -value, 1e-8);
  }
  EXPECT_NEAR(one.at("P1A.reaction.tz", 0), 0.198169254, 1e-8);
  EXPECT_NEAR(one.at("P1A.reaction.ty", 0), 0.371508990, 1e-8);
  EXPECT_NEAR(two.at("P1A.reaction.fx", 0), two.at("P1B.reaction.fx", 0), 1e-10);
}

TEST(McPherson, EndsWhereTheSheetSaysWithOneHingeAndWithTwo) {
  struct Case {
    const char* kick;
    double arm_y, arm_z, carrier_x, carrier_y, carrier_z, rack_y;
  };
  for (const Case& c : {Case{"kick=0", .149627854, -.010559603, -.032766128, .221428630, .234771197, -.374473817},
                        Case{"kick=1", .149926932, .004681367, -.031819252, .217468232, .263942220, -.358404595}}) {
    const Settings settings{c.kick, "analysis.tolerance=1e-11"};
    const Recording one = run_example(strut, settings), two = run_example(overconstrained, settings);
    double apart = 0;
    for (const char* name : {"arm.y", "arm.z", "carrier.x", "carrier.y", "carrier.z", "rack.y"}) {
      const auto first = one.history(name), second = two.history(name);
      for (std::size_t k = 0; k < first.size(); ++k) apart = std::max(apart, std::abs(first[k] - second[k]));
    }
    EXPECT_LT(apart, 1e-8) << c.kick;
    RecordProperty(c.kick, testing::PrintToString(apart));
    for (const Recording* r : {&one, &two}) {
      EXPECT_NEAR(r->at("arm.y", 10), c.arm_y, 2e-9);
      EXPECT_NEAR(r->at("arm.z", 10), c.arm_z, 2e-9);
      EXPECT_NEAR(r->at("carrier.x", 10), c.carrier_x, 2e-9);
      EXPECT_NEAR(r->at("carrier.y", 10), c.carrier_y, 2e-9);
      EXPECT_NEAR(r->at("carrier.z", 10), c.carrier_z, 2e-9);
      EXPECT_NEAR(r->at("rack.y", 10), c.rack_y, 2e-9);
    }
  }
}

// With a kick the strut works between 0.6391 and 0.7436 m, as the sheet says.
TEST(McPherson, StrutStaysWithinItsStroke) {
  const Recording r = run_example(strut, {"kick=1"});
  double low = 1, high = 0;
  const auto x = r.history("carrier.P3.x"), y = r.history("carrier.P3.y"), z = r.history("carrier.P3.z");
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double length =
        (Eigen::Vector3d(x[k], y[k], z[k]) - Eigen::Vector3d(-.086723904, .049000722, .655735502)).norm();
    low = std::min(low, length);
    high = std::max(high, length);
  }
  EXPECT_NEAR(low, 0.6391, 1e-4);
  EXPECT_NEAR(high, 0.7436, 1e-4);
}

}  // namespace
}  // namespace mortise::test
