// Assembly: from what is modelled to what the joints allow, or a refusal that says why.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mortise/analysis/assemble.h"
#include "support/examples.h"

namespace mortise::test {
namespace {

struct Assembled {
  std::unique_ptr<mechanism::Mechanism> mechanism;
  State before, after;
  analysis::AssemblyReport report;
};

Assembled assemble(const std::string& text, bool allow_flip = false) {
  Assembled out;
  out.mechanism = text_mechanism(text);
  out.before = out.after = out.mechanism->initial_state();
  analysis::AssemblyOptions options;
  options.allow_flip = allow_flip;
  out.report = analysis::assemble(*out.mechanism, out.after, options);
  return out;
}

SolveReport refusal(const std::string& text) {
  try {
    assemble(text);
  } catch (const SolveError& error) {
    return error.report();
  }
  ADD_FAILURE() << "was assembled";
  return {};
}

// Crank 1 m upright, coupler 2 m, rocker 1.5 m, ground 2 m, all modelled 10 % off.
std::string four_bar(const std::string& coupler_length = "2") {
  return R"yaml(
mortise: 1
name: Four-bar
dimension: planar
parameters: {f: 1.1, l: )yaml" +
         coupler_length + R"yaml(}
bodies:
  crank:   {mass: 1, inertia: 0.1, at: [0, 0.05], center: [0.5, 0], angle: 90*f deg}
  coupler: {mass: 2, inertia: 0.7, at: [0, f], center: [1, 0], angle: 10 deg}
  rocker:  {mass: 1.5, inertia: 0.3, at: [2*f, 0], center: [0.75, 0], angle: 90*f deg}
joints:
  A: {type: revolute, between: [ground, crank], points: [[0, 0], [0, 0]]}
  B: {type: revolute, between: [crank, coupler], points: [[1, 0], [0, 0]]}
  C: {type: revolute, between: [coupler, rocker], points: [[l, 0], [1.5, 0]]}
  D: {type: revolute, between: [ground, rocker], points: [[2, 0], [0, 0]]}
)yaml";
}

TEST(Assembly, BringsAFourBarTogetherThatIsTenPercentWrongAndSaysHowFarEachBodyMoved) {
  const Assembled a = assemble(four_bar());
  EXPECT_LT(a.report.position_error, 1e-12);
  EXPECT_LT(a.report.iterations, 20);
  ASSERT_EQ(a.report.moves.size(), 3u);
  const auto origin = [&](const State& s, const mechanism::Body& b) {
    const double c = std::cos(s.q[b.q + 2]), sn = std::sin(s.q[b.q + 2]);
    return Eigen::Vector2d(s.q[b.q] - c * b.center.x(), s.q[b.q + 1] - sn * b.center.x());
  };
  for (const analysis::BodyMove& move : a.report.moves) {
    const mechanism::Body& b = a.mechanism->bodies()[static_cast<std::size_t>(move.body)];
    EXPECT_NEAR(move.turn, std::abs(a.after.q[b.q + 2] - a.before.q[b.q + 2]), 1e-14);
    EXPECT_NEAR(move.distance, (origin(a.after, b) - origin(a.before, b)).norm(), 1e-14) << "of the body's origin";
    EXPECT_LT(move.distance, 0.4);
    EXPECT_LT(move.turn, 0.4);
  }
}

TEST(Assembly, LeavesWhatFitsAlone) {
  const Assembled a = assemble(four_bar());
  State again = a.after;
  const auto report = analysis::assemble(*a.mechanism, again, {});
  EXPECT_TRUE(report.moves.empty());
  EXPECT_LT((again.q - a.after.q).norm(), 1e-13);
}

// A rod of 0.8 m cannot be pinned to two points 1 m apart.
TEST(Assembly, NamesTheJointsThatCannotHoldTogether) {
  const SolveReport r = refusal(R"yaml(
mortise: 1
name: Rod too short
dimension: planar
bodies:
  rod: {mass: 1, inertia: 0.1, at: [0, 0], points: {A: [0, 0], B: [0.8, 0]}}
  far: {mass: 1, inertia: 0.1, at: [5, 5]}
joints:
  left:  {type: revolute, between: [ground, rod], points: [[0, 0], [0, 0]]}
  right: {type: revolute, between: [ground, rod], points: [[1, 0], [0.8, 0]]}
  other: {type: revolute, between: [ground, far], at: [5, 5]}
)yaml");
  EXPECT_EQ(r.code, "S431");
  EXPECT_EQ(r.exit, ExitCode::conflict);
  EXPECT_NE(r.message.find("left"), std::string::npos) << r.message;
  EXPECT_NE(r.message.find("right"), std::string::npos) << r.message;
  EXPECT_EQ(r.message.find("other"), std::string::npos) << r.message;
  // 0.2 m are missing; the best compromise is 0.1 m at either end.
  ASSERT_EQ(r.details.size(), 2u);
  EXPECT_NE(r.details[0].find("100 mm"), std::string::npos) << r.details[0];
}

// Coupler 5 m: longer than crank, rocker and ground together.
TEST(Assembly, RefusesAFourBarWhoseCouplerIsTooLong) {
  const SolveReport r = refusal(four_bar("5"));
  EXPECT_EQ(r.code, "S431");
  for (const char* joint : {"A", "B", "C", "D"}) EXPECT_NE(r.message.find(joint), std::string::npos) << r.message;
}

const std::string flipped = R"yaml(
mortise: 1
name: Turned round
dimension: planar
bodies:
  rod: {mass: 1, inertia: 0.1, at: [0, 0], angle: 150 deg}
joints:
  left:  {type: revolute, between: [ground, rod], points: [[0, 0], [0, 0]]}
  right: {type: revolute, between: [ground, rod], points: [[1, 0], [1, 0]]}
)yaml";

TEST(Assembly, RefusesToTurnABodyRoundUnlessToldTo) {
  const SolveReport r = refusal(flipped);
  EXPECT_EQ(r.code, "S432");
  EXPECT_NE(r.message.find("'rod'"), std::string::npos) << r.message;
  EXPECT_NE(r.message.find("150 deg"), std::string::npos) << r.message;
  const Assembled a = assemble(flipped, true);
  EXPECT_NEAR(a.after.q[2], 0, 1e-12);
}

// One link's rate is stated: the other links and the coupler follow, the stated rate stays.
TEST(Assembly, LetsOtherBodiesFollowTheVelocityOfOne) {
  const Recording r = run(example_mechanism("five-bar", {"bodies.left.angular_velocity=2", "analysis.until=0.01"}));
  EXPECT_LT(r.result.assembly.largest_velocity_change, 1e-12);
  for (const char* link : {"left.wz", "middle.wz", "right.wz"}) EXPECT_NEAR(r.at(link, 0), 2, 1e-12) << link;
  EXPECT_NEAR(r.at("coupler.wz", 0), 0, 1e-12);
  EXPECT_NEAR(r.at("coupler.vx", 0), 2 * std::sin(M_PI / 6), 1e-12);
  EXPECT_NEAR(r.at("coupler.vy", 0), 2 * std::cos(M_PI / 6), 1e-12);
  EXPECT_LT(r.at("constraint.velocity", 0), 1e-12);
}

// A velocity that the rod forbids is not kept, and the report says so.
TEST(Assembly, SaysWhenAStatedVelocityCannotBeKept) {
  const Recording r = run(example_mechanism("pendulum", {"bodies.bob.velocity=[1, 1]", "analysis.until=0.01"}));
  EXPECT_GT(r.result.assembly.largest_velocity_change, 0.1);
  EXPECT_NEAR(r.at("bob.vx", 0), 0, 1e-12);
  EXPECT_NEAR(r.at("bob.vy", 0), 1, 1e-12) << "what the rod allows is kept";
}

}  // namespace
}  // namespace mortise::test
