// Reactions that rigid bodies do not decide: the rule's choice, and what does not depend on it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdio>
#include <random>

#include "mortise/analysis/assemble.h"
#include "mortise/analysis/reactions.h"
#include "support/allocation_counter.h"
#include "support/compile.h"
#include "support/examples.h"

namespace mortise::test {
namespace {

constexpr double weight = 30 * 9.81;

// The door on three hinges at z = 0.2, 1 and 1.8 m, its centre at x = 0.5 m, z = 1 m: an elastic system of its own, in
// the six displacements (u, θ) of the door at the origin. Hinge j holds the displacement u + θ × p_j with k and the
// tilt θ_x, θ_y with k l²; the swing θ_z is free, and the weight does not turn it.
Eigen::Matrix<double, 5, 3> elastic_shares(double length, const Eigen::Vector3d& k) {
  const double z[] = {0.2, 1, 1.8};
  Eigen::Matrix<double, 5, 5> K = Eigen::Matrix<double, 5, 5>::Zero();
  Eigen::Matrix<double, 5, 5> J[3];
  Eigen::Matrix<double, 5, 5> own[3];
  for (int j = 0; j < 3; ++j) {
    J[j].setIdentity();
    J[j](0, 4) = z[j];   // u_x + θ_y z
    J[j](1, 3) = -z[j];  // u_y − θ_x z
    own[j] = Eigen::Matrix<double, 5, 1>(1, 1, 1, length * length, length * length).asDiagonal() * k[j];
    K += J[j].transpose() * own[j] * J[j];
  }
  Eigen::Matrix<double, 5, 1> load;
  load << 0, 0, -weight, 0, 0.5 * weight;  // torque (0.5, 0, 1) × (0, 0, −w) = (0, 0.5 w, 0)
  const Eigen::Matrix<double, 5, 1> u = K.ldlt().solve(load);
  Eigen::Matrix<double, 5, 3> out;
  for (int j = 0; j < 3; ++j) out.col(j) = -own[j] * J[j] * u;  // of the hinge on the door
  return out;
}

void expect_elastic(const Recording& r, const Eigen::Vector3d& k) {
  const Eigen::Matrix<double, 5, 3> shares = elastic_shares(r.mechanism->characteristic_length(), k);
  const char* hinges[] = {"low", "middle", "high"};
  const char* components[] = {"fx", "fy", "fz", "tx", "ty"};
  for (int j = 0; j < 3; ++j)
    for (int c = 0; c < 5; ++c)
      EXPECT_NEAR(r.at(std::string(hinges[j]) + ".reaction." + components[c], 1), shares(c, j), 1e-6 * weight)
          << hinges[j] << " " << components[c];
}

TEST(ReactionRules, OfEqualStiffnessShareTheDoorAsElasticHingesDo) {
  const Recording r = run_example("gallery/door");
  for (const char* hinge : {"low", "middle", "high"})
    EXPECT_NEAR(r.at(std::string(hinge) + ".reaction.fz", 1), weight / 3, 1e-6 * weight);
  expect_elastic(r, {1e6, 1e6, 1e6});
}

TEST(ReactionRules, OfUnequalStiffnessShareTheDoorAsElasticHingesDo) {
  const Recording r = run_example("gallery/door", {"joints.low.stiffness=3e6", "joints.high.stiffness=5e5"});
  EXPECT_NEAR(r.at("low.reaction.fz", 1), weight * 3 / 4.5, 1e-6 * weight);
  expect_elastic(r, {3e6, 1e6, 5e5});
}

// With k = 1 for forces and l² for torques the elastic share is the minimum norm.
TEST(ReactionRules, MinimumNormIsThatOfEqualStiffnesses) {
  const Recording r = run_example("gallery/door", {"analysis.reactions=minimum-norm"});
  expect_elastic(r, {1, 1, 1});
}

TEST(ReactionRules, DoNotChangeWhatIsUnique) {
  for (const char* rule : {"minimum-norm", "mass-weighted", "stiffness-weighted", "minimum-norm-raw"}) {
    const Recording r = run_example("gallery/door", {std::string("analysis.reactions=") + rule});
    double sum = 0;
    for (const char* hinge : {"low", "middle", "high"}) sum += r.at(std::string(hinge) + ".reaction.fz", 1);
    EXPECT_NEAR(sum, weight, 1e-9 * weight) << rule;
    EXPECT_NEAR(r.at("door.x", 1), 0.5, 1e-12) << rule;
  }
}

// Newtons per metre or per millimetre: the shares are the same; the plain squares of the literature are not.
TEST(ReactionRules, MinimumNormDoesNotDependOnUnits) {
  const auto door = [](double unit, const std::string& rule) {
    return run_text(fmt::format(R"(mortise: 1
dimension: spatial
gravity: [0, 0, {0}*-9.81]
bodies:
  door: {{mass: 30, inertia: [{1}*10, {1}*12, {1}*2.5], at: [{0}*0.5, 0, {0}]}}
joints:
  low:  {{type: revolute, between: [ground, door], at: [0, 0, {0}*0.2], axis: [0, 0, 1]}}
  high: {{type: spherical, between: [ground, door], at: [0, 0, {0}*1.8]}}
analysis: {{until: 0.1, reactions: {2}}}
)",
                                unit, unit * unit, rule))
        .at("low.reaction.fx", 0);
  };
  EXPECT_NEAR(door(1000, "minimum-norm") / 1000, door(1, "minimum-norm"), 1e-9 * weight);
  EXPECT_GT(std::abs(door(1000, "minimum-norm-raw") / 1000 - door(1, "minimum-norm-raw")), 1e-3 * weight);
}

TEST(ReactionRules, AskForTheStiffnessOfAJointThatTakesPart) {
  try {
    run_example("mcpherson-overconstrained", {"analysis.reactions=stiffness-weighted"});
    FAIL() << "no error";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S450");
    EXPECT_NE(error.report().message.find("'P1A'"), std::string::npos);
  }
  try {
    run_example("gallery/door", {"joints.low.stiffness=0"});
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.diagnostics().front().code, "M450");
  }
}

// A slider on two guides, pressed by its weight, rubbing in one of them: the friction is by the share that the rule
// gives this guide. Equal guides bear half each; one three times as stiff bears three quarters: F = −µ·share·m g.
TEST(ReactionRules, AreWhatFrictionFeels) {
  const auto speed = [](double k) {
    return run_text(fmt::format(R"(mortise: 1
dimension: planar
gravity: [0, -10]
bodies:
  slider: {{mass: 2, inertia: 1, velocity: [3, 0]}}
joints:
  one: {{type: prismatic, between: [ground, slider], axis: [1, 0], stiffness: {}}}
  two: {{type: prismatic, between: [ground, slider], axis: [1, 0], stiffness: 1e6}}
forces:
  rubbing: {{type: friction, joint: one, coefficient: 0.2, speed: 1e-3}}
analysis: {{until: 0.5, reactions: stiffness-weighted}}
)",
                                k))
        .last("slider.vx");
  };
  EXPECT_NEAR(speed(1e6), 3 - 0.2 * 10 * 0.5 * 0.5, 1e-5);
  EXPECT_NEAR(speed(3e6), 3 - 0.2 * 10 * 0.75 * 0.5, 1e-5);
}

// Shares by the sparse elimination are those by self-stresses, and the load on the bodies is unchanged.
TEST(ReactionRules, AreTheSameBothWays) {
  int sparse = 0, looked = 0;
  double worst = 0;
  for (const char* example : {"gallery/door", "five-bar", "bricard", "mcpherson-overconstrained", "stewart-platform",
                              "n-four-bar", "n-four-bar-spatial", "car-suspension"})
    for (const char* rule : {"minimum-norm", "mass-weighted", "stiffness-weighted", "minimum-norm-raw"}) {
      SCOPED_TRACE(std::string(example) + " " + rule);
      const auto m = compile_example(example);
      if (rule == std::string("stiffness-weighted") && example != std::string("gallery/door")) continue;
      analysis::ReactionRule best(*m, rule, {}), stresses(*m, rule, {});
      stresses.set_way(analysis::ReactionRule::Way::fronts);
      State state = m->initial_state();
      analysis::assemble(*m, state, {});
      std::mt19937 random(7);
      std::normal_distribution<double> normal;
      Vector lambda(m->pattern().m());
      for (double& x : lambda) x = 100 * normal(random);
      for (int row = 0; row < m->pattern().m(); ++row)
        if (!state.active[static_cast<std::size_t>(row)]) lambda[row] = 0;
      Vector a = lambda, b = lambda;
      best.apply(state, a);
      stresses.apply(state, b);
      EXPECT_FALSE(stresses.was_sparse());
      sparse += best.was_sparse();
      ++looked;
      worst = std::max(worst, (a - b).norm() / lambda.norm());
      EXPECT_LT((a - b).norm(), 1e-9 * lambda.norm());
    }
  std::printf("%d of %d by the sparse elimination, worst %.1e\n", sparse, looked, worst);
  EXPECT_GT(sparse, looked / 2);
}

TEST(ReactionRules, AllocateNothingAfterTheFirstPose) {
  if (!allocations_are_counted()) GTEST_SKIP() << "allocations are not counted here";
  for (const char* example : {"n-four-bar-spatial", "gallery/door"}) {
    const auto m = compile_example(example);
    State state = m->initial_state();
    analysis::assemble(*m, state, {});
    analysis::ReactionRule rule(*m, "minimum-norm", {});
    Vector lambda = Vector::Constant(m->pattern().m(), 3);
    rule.apply(state, lambda);
    ASSERT_TRUE(rule.was_sparse());
    state.v *= 2;
    state.t += 1;  // another instant: everything anew
    lambda.setConstant(4);
    const AllocationCounter heap;
    rule.apply(state, lambda);
    EXPECT_EQ(heap.count(), 0) << example;
    EXPECT_TRUE(rule.was_sparse());
  }
}

}  // namespace
}  // namespace mortise::test
