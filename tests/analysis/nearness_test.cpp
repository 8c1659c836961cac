// How near a pose is to a singular one.
#include "mortise/analysis/nearness.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mortise/analysis/diagnose.h"
#include "support/examples.h"

namespace mortise::test {
namespace {

// A parallelogram whose links stand at an angle; at 0 all pins are on one line and the rank falls.
std::unique_ptr<mechanism::Mechanism> near_parallelogram(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return text_mechanism(fmt::format(R"(mortise: 1
dimension: planar
bodies:
  left:  {{mass: 1, inertia: 0.1, at: [{0}/2, {1}/2]}}
  right: {{mass: 1, inertia: 0.1, at: [1 + {0}/2, {1}/2]}}
  bar:   {{mass: 1, inertia: 0.1, at: [0.5 + {0}, {1}]}}
joints:
  A: {{type: revolute, between: [ground, left], at: [0, 0]}}
  B: {{type: revolute, between: [ground, right], at: [1, 0]}}
  C: {{type: revolute, between: [left, bar], at: [{0}, {1}]}}
  D: {{type: revolute, between: [right, bar], at: [1 + {0}, {1}]}}
)",
                                    c, s));
}

TEST(SingularPoses, AreApproachedLinearlyAndNameTheirJoints) {
  const auto near = near_parallelogram(0.01), half = near_parallelogram(0.005), far = near_parallelogram(1.2);
  const analysis::Nearness n = analysis::nearness(*near, near->initial_state());
  const analysis::Nearness h = analysis::nearness(*half, half->initial_state());
  EXPECT_NEAR(h.distance / n.distance, 0.5, 0.01);
  EXPECT_EQ(n.joints, (std::vector<int>{0, 1, 2, 3}));
  const analysis::Nearness f = analysis::nearness(*far, far->initial_state());
  EXPECT_GT(f.distance, 0.1);
  EXPECT_TRUE(f.joints.empty());
}

TEST(SingularPoses, AreToldInTheDiagnosisWhenTheyAreNear) {
  const auto near = near_parallelogram(0.005), far = near_parallelogram(1.2);
  const analysis::Diagnosis d = analysis::diagnose(*near, near->initial_state());
  EXPECT_EQ(d.near_joints.size(), 4u);
  EXPECT_NE(analysis::describe(*near, d, "minimum-norm").find("near a singular pose"), std::string::npos);
  EXPECT_TRUE(analysis::diagnose(*far, far->initial_state()).near_joints.empty());
}

}  // namespace
}  // namespace mortise::test
