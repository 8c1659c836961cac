// Bodies without mass: carried by joints they run, held by nothing they are refused.
#include <gtest/gtest.h>

#include "support/examples.h"

namespace mortise::test {
namespace {

// A rod that is light, or nothing at all, carries a plate.
std::string swing(const std::string& formulation) {
  return "mortise: 1\ndimension: planar\ngravity: [0, -9.81]\nparameters: {light: 0}\n"
         "bodies:\n"
         "  rod: {mass: light, inertia: light/12, center: [0.5, 0], angle: -40 deg, points: {tip: [1, 0]}}\n"
         "  plate: {mass: 2, inertia: 0.3, center: [0.4, 0.1], at: [cos(40 deg), -sin(40 deg)], angle: -80 deg}\n"
         "joints:\n"
         "  hinge: {type: revolute, between: [ground, rod], at: [0, 0]}\n"
         "  elbow: {type: revolute, between: [rod.tip, plate]}\n"
         "analysis: {until: 2, tolerance: 1e-11, formulation: " +
         formulation + "}\noutput: {every: 0.5}\n";
}

TEST(Massless, RodCarriedByJointsMovesAsTheLimitOfLightOnes) {
  const auto angles = [](const std::string& formulation, const char* light) {
    const Recording r = run_text(swing(formulation), {std::string("parameters.light=") + light});
    return Eigen::Vector2d(r.last("rod.angle"), r.last("plate.angle"));
  };
  const Eigen::Vector2d none = angles("least-squares-2", "0");
  const Eigen::Vector2d coarse = angles("udwadia-kalaba", "2e-4"), fine = angles("udwadia-kalaba", "1e-4");
  const double first = (coarse - none).norm(), second = (fine - none).norm(), limit = (2 * fine - coarse - none).norm();
  std::printf("light rods: off by %.2e, %.2e at half the mass, their limit by %.1e\n", first, second, limit);
  EXPECT_GT(second, 1e-6);
  EXPECT_NEAR(first / second, 2, 0.02);
  EXPECT_LT(limit, 1e-2 * second);
  for (const char* other : {"direct", "udwadia-phohomsiri", "singh-likins", "kim-vanderploeg", "coordinate-partition"})
    EXPECT_LT((angles(other, "0") - none).norm(), 1e-8) << other;
}

SolveReport refusal(const std::string& text) {
  try {
    run_text(text);
  } catch (const SolveError& error) {
    return error.report();
  }
  return {};
}

TEST(Massless, BodyThatNothingHoldsIsRefused) {
  const std::string head = "mortise: 1\ndimension: planar\ngravity: [0, -9.81]\n",
                    end = "analysis: {until: 1, formulation: udwadia-phohomsiri}\n";
  SolveReport report =
      refusal(head + "bodies:\n  ghost: {mass: 0, inertia: 0}\n  block: {mass: 1, inertia: 1}\n" + end);
  EXPECT_EQ(report.code, "S423");
  EXPECT_EQ(report.message.substr(0, 14), "3 motions have");
  // Hinged, it may still turn without inertia; found by the assembly here, which has to move it.
  const std::string hinged =
      "bodies:\n  ghost: {mass: 0, inertia: 0, at: [0.1, 0]}\n  block: {mass: 1, inertia: 1}\n"
      "joints:\n  pin: {type: revolute, between: [ground, ghost], points: [[0, 0], [0, 0]]}\n";
  report = refusal(head + hinged + end);
  EXPECT_EQ(report.code, "S423");
  EXPECT_EQ(report.message.substr(0, 12), "1 motion has");
  EXPECT_EQ(refusal(head + hinged + "analysis: {until: 1}\n").code, "S420") << "the default formulation needs mass";
}

}  // namespace
}  // namespace mortise::test
