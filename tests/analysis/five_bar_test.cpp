// The parallelogram with a redundant link: below the flat pose (S) and through both flat poses (X), nothing set.
#include <gtest/gtest.h>

#include <cmath>

#include "support/examples.h"

namespace mortise::test {
namespace {

struct Reference {
  double t, theta;
};

void expect_angles(const std::string& example, std::initializer_list<Reference> table, double last_rate) {
  for (const auto& [tolerance, allowed] : {std::pair{"1e-8", 2e-5}, {"1e-11", 2e-8}}) {
    const Recording r = run_example(example, {std::string("analysis.tolerance=") + tolerance});
    double error = 0;
    for (const Reference& row : table)
      for (const char* link : {"left.angle", "middle.angle", "right.angle"})
        error = std::max(error, std::abs(r.at(link, row.t) - row.theta));
    report(example + " at " + tolerance, r, error);
    EXPECT_LT(error, allowed) << tolerance;
    EXPECT_NEAR(r.at("left.wz", 20), last_rate, 10 * allowed);
    EXPECT_LT(r.spread("coupler.angle"), 1e-11) << "it stays parallel to the ground";
    EXPECT_LT(r.result.summary.energy_drift, 1e-6);
    EXPECT_LT(r.result.summary.worst_position, 1e-12);
    EXPECT_LT(r.result.summary.worst_velocity, 1e-12);
    EXPECT_EQ(r.result.rank.rank, 11);
    EXPECT_EQ(r.result.rank.rows, 12);
  }
}

// References: θ̈ = −(3.5/3.05) g cos θ, the closed form of all three links together, integrated on its own.
TEST(FiveBar, SwingsBelowTheFlatPoseLikeItsClosedForm) {
  expect_angles("five-bar", {{5, -2.61511877}, {10, -0.53508961}, {15, -2.59217573}, {20, -0.56940663}}, 0.93864592);
}

TEST(FiveBar, SwingsThroughTheFlatPosesLikeItsClosedForm) {
  expect_angles("five-bar-crossing", {{5, 0.42454152}, {10, 0.11809129}, {15, -0.41061855}, {20, -1.13880634}},
                5.63061270);
}

// Where rows become dependent for an instant rounding grows by 1/s², s the weakest direction's singular value: no
// tolerance may stall there, nor leave on another branch.
TEST(FlatPoses, ArePassedAtEveryToleranceByEveryIntegrator) {
  struct Case {
    const char *integrator, *tolerance;
    double allowed;
  };
  for (const Case& c : {Case{"adams", "1e-7", 1e-3}, Case{"adams", "1e-9", 1e-6}, Case{"adams", "1e-11", 1e-8},
                        Case{"adams", "3e-12", 1e-8}, Case{"adams", "1e-13", 1e-8}, Case{"rk45", "1e-8", 1e-4},
                        Case{"rk45", "1e-9", 1e-5}, Case{"rk45", "1e-10", 1e-6}, Case{"rk45", "1e-12", 1e-7}}) {
    const Settings settings{std::string("analysis.tolerance=") + c.tolerance,
                            std::string("analysis.integrator=") + c.integrator};
    SCOPED_TRACE(settings[0] + " " + settings[1]);
    const Recording windows = run_example("n-four-bar", settings);
    const double error = std::abs(windows.at("vertical0.B0.x", 10) - 0.32845811154081538);
    report(std::string("flat poses, ") + c.integrator + " at " + c.tolerance, windows, error);
    EXPECT_LT(error, c.allowed);
    EXPECT_LT(windows.result.summary.evaluations, 40000);
    const Recording links = run_example("five-bar-crossing", settings);
    EXPECT_NEAR(links.at("left.angle", 20), -1.13880634, c.allowed + 1e-8);
    EXPECT_LT(links.spread("coupler.angle"), std::max(1e-9, 1e-3 * c.allowed));
    EXPECT_LT(links.result.summary.evaluations, 80000);
  }
}

// Constraints held at every one of 10,000 fixed steps; 100,000 in five_bar_full.cpp.
TEST(FiveBar, HoldsItsConstraintsOverTenThousandSteps) {
  for (const char* example : {"five-bar", "five-bar-crossing"}) {
    const Recording r = run_example(example, {"analysis.integrator=rk4", "analysis.step=0.002", "output.every=0.02"});
    EXPECT_GE(r.result.summary.steps, 10000);
    report(example, r, r.result.summary.worst_velocity);
    EXPECT_LE(r.result.summary.worst_position, 1e-12);
    EXPECT_LE(r.result.summary.worst_velocity, 1e-12);
    EXPECT_LE(r.spread("constraint.position"), 1e-12);
    EXPECT_LE(r.spread("constraint.velocity"), 1e-12);
  }
}

// With bodies and hinges in space each window adds three rows that follow from the others.
TEST(FourBarsInSpace, MoveLikeThePlanarOnesWithoutBeingToldWhatIsRedundant) {
  for (const auto& [N, x, y] : {std::tuple{2, 0.32845811154081538, 0.94451853817860096}}) {
    const Recording r = run_example("n-four-bar-spatial", {"N=" + std::to_string(N), "analysis.tolerance=1e-12"});
    const double error = std::hypot(r.at("vertical0.B0.x", 10) - x, r.at("vertical0.B0.y", 10) - y);
    report("A02 in space, N=2 at 1e-12", r, error);
    EXPECT_LT(error, 1e-8);
    EXPECT_LT(std::abs(r.at("vertical0.B0.z", 10)), 1e-11);
    EXPECT_EQ(r.result.rank.rows, 15 * N + 5);
    EXPECT_EQ(r.result.rank.rank, 12 * N + 5);
  }
}

}  // namespace
}  // namespace mortise::test
