// The error follows the tolerance, on and off a manifold.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "integrate/problems.h"

namespace mortise::integrate {
namespace {

using namespace test;

struct Claim {
  std::string integrator;
  std::string problem;
  Problem (*make)();
  double factor;  // error at the end ≤ factor · tolerance, for tolerances 1e-4 … 1e-12
};

void PrintTo(const Claim& claim, std::ostream* out) { *out << claim.integrator << " on " << claim.problem; }

class ErrorFollowsTolerance : public testing::TestWithParam<Claim> {};

TEST_P(ErrorFollowsTolerance, FromTenToTheMinusFourToMinusTwelve) {
  const Claim& claim = GetParam();
  double log_sum = 0;
  double first = 0, last = 0;
  for (int digits = 4; digits <= 12; ++digits) {
    const double tolerance = std::pow(10.0, -digits);
    Problem p = claim.make();
    const auto integrator = make_integrator(claim.integrator, with_tolerance(tolerance));
    const double error = run(*integrator, p);
    EXPECT_LE(error, claim.factor * tolerance) << "tolerance " << tolerance;
    EXPECT_EQ(integrator->t(), p.until);
    EXPECT_EQ(integrator->counters().evaluations, p.flow->evaluations);
    EXPECT_LE(p.flow->latest, p.until);
    log_sum += std::log10(error / tolerance);
    if (digits == 4) first = error;
    if (digits == 12) last = error;
  }
  // Proportional: over eight decades of tolerance the error falls by eight, give or take one and a half.
  EXPECT_NEAR(std::log10(first / last), 8, 1.5) << "mean log10(error/tolerance) " << log_sum / 9;
}

INSTANTIATE_TEST_SUITE_P(Problems, ErrorFollowsTolerance,
                         testing::Values(Claim{"adams", "oscillator", +[] { return oscillator(); }, 30},
                                         Claim{"adams", "growth", +[] { return growth(); }, 2e3},  // e⁵ = 148
                                         Claim{"adams", "kepler", +[] { return kepler(); }, 1e4},
                                         Claim{"adams", "top", +[] { return top(true); }, 20},
                                         Claim{"adams", "circle", +[] { return circle(true); }, 3e3},
                                         Claim{"rk45", "oscillator", +[] { return oscillator(); }, 10},
                                         Claim{"rk45", "growth", +[] { return growth(); }, 500},
                                         Claim{"rk45", "kepler", +[] { return kepler(); }, 1e4},
                                         Claim{"rk45", "top", +[] { return top(true); }, 10},
                                         Claim{"rk45", "circle", +[] { return circle(true); }, 5e3},
                                         Claim{"rkv56", "oscillator", +[] { return oscillator(); }, 10},
                                         Claim{"rkv56", "growth", +[] { return growth(); }, 500},
                                         Claim{"rkv56", "kepler", +[] { return kepler(); }, 1e4},
                                         Claim{"rkv56", "top", +[] { return top(true); }, 10},
                                         Claim{"rkv56", "circle", +[] { return circle(true); }, 5e3},
                                         Claim{"rk78", "oscillator", +[] { return oscillator(); }, 10},
                                         Claim{"rk78", "growth", +[] { return growth(); }, 500},
                                         Claim{"rk78", "kepler", +[] { return kepler(); }, 1e4},
                                         Claim{"rk78", "top", +[] { return top(true); }, 10},
                                         Claim{"rk78", "circle", +[] { return circle(true); }, 5e3}),
                         [](const auto& info) { return info.param.integrator + "_" + info.param.problem; });

// 100 periods of a pendulum from 2 rad; the class to be in is that of CVODE's Adams: 5.2e-7 with 24,246 evaluations at
// 1e-9. (The comparison itself is in sundials_test.cpp.)
TEST(Adams, SwingsAPendulumAHundredPeriods) {
  struct Row {
    double tolerance, error;
    long evaluations;
  };
  for (const Row& row : {Row{1e-6, 1e-2, 14000}, Row{1e-9, 3e-6, 25000}, Row{1e-12, 2e-9, 40000}}) {
    Problem p = pendulum();
    const auto adams = make_integrator("adams", with_tolerance(row.tolerance));
    EXPECT_LE(run(*adams, p), row.error) << row.tolerance;
    EXPECT_LE(adams->counters().evaluations, row.evaluations) << row.tolerance;
  }
}

TEST(Adams, NeedsTwoEvaluationsAStep) {
  Problem p = pendulum();
  const auto adams = make_integrator("adams", with_tolerance(1e-9));
  run(*adams, p);
  const Counters& c = adams->counters();
  EXPECT_EQ(c.evaluations, 2 * c.steps + c.failed_steps + 2);  // + ẏ at the start, + the look at ÿ
  EXPECT_LT(c.failed_steps, c.steps / 100);
}

TEST(Adams, SettlingKeepsQuaternionsAtUnitLengthForNoFurtherEvaluation) {
  for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
    Problem settled = top(true), free = top(false);
    const auto a = make_integrator("adams", with_tolerance(tolerance));
    const auto b = make_integrator("adams", with_tolerance(tolerance));
    const double error_settled = run(*a, settled), error_free = run(*b, free);
    const ConstSpan y = a->y();
    EXPECT_NEAR(std::sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3]), 1, 5e-16);
    EXPECT_LE(error_settled, 3 * error_free);
    EXPECT_LE(a->counters().evaluations, 1.3 * static_cast<double>(b->counters().evaluations));
    EXPECT_EQ(settled.flow->settles, a->counters().steps);
  }
}

class Projection : public testing::TestWithParam<const char*> {};

TEST_P(Projection, HoldsTheCircleAtRoundingAndCostsLittle) {
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
    Problem on = circle(true), off = circle(false);
    const auto projected = make_integrator(GetParam(), with_tolerance(tolerance));
    const auto drifting = make_integrator(GetParam(), with_tolerance(tolerance));
    projected->start(*on.flow, 0, on.y0);
    double worst = 0;
    while (projected->t() < on.until) {
      projected->step(on.until);
      worst = std::max(worst, off_the_circle(projected->y()));
    }
    const double error = on.error_at_end(projected->y()), error_off = run(*drifting, off);
    EXPECT_LE(worst, 5e-16);
    EXPECT_LE(error, 1.5 * error_off);
    EXPECT_LE(projected->counters().evaluations, 1.3 * static_cast<double>(drifting->counters().evaluations));
  }
}

INSTANTIATE_TEST_SUITE_P(Explicit, Projection, testing::Values("adams", "rk45", "rkv56", "rk78"));

TEST(ErrorNorm, LeavesOutComponentsOfInfiniteSize) {
  // A component that jumps about does not cost steps when it is not controlled.
  const auto steps = [](double size) {
    TestFlow flow(3, [](double t, ConstSpan y, Span f) {
      f[0] = y[1];
      f[1] = -y[0];
      f[2] = std::sin(200 * t);
    });
    flow.typical = {1, 1, size};
    const auto adams = make_integrator("adams", with_tolerance(1e-8));
    const double y0[] = {1, 0, 0};
    adams->start(flow, 0, y0);
    while (adams->t() < 10) adams->step(10);
    EXPECT_NEAR(adams->y()[0], std::cos(10.0), 1e-6);
    return adams->counters().steps;
  };
  EXPECT_LT(10 * steps(std::numeric_limits<double>::infinity()), steps(1));
}

TEST(ErrorNorm, DoesNotDependOnHowManyBodiesAreAtRest) {
  const auto steps = [](int others) {
    TestFlow flow(2 + others, [](double, ConstSpan y, Span f) {
      std::fill(f.begin(), f.end(), 0.0);
      f[0] = y[1];
      f[1] = -y[0];
    });
    const auto adams = make_integrator("adams", with_tolerance(1e-8));
    std::vector<double> y0(2 + others, 0.0);
    y0[0] = 1;
    adams->start(flow, 0, y0);
    while (adams->t() < 10) adams->step(10);
    return adams->counters().steps;
  };
  EXPECT_EQ(steps(0), steps(1000));
}

}  // namespace
}  // namespace mortise::integrate
