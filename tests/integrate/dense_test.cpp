// Between the ends of a step the motion is known as well as at the ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "integrate/problems.h"

namespace mortise::integrate {
namespace {

using namespace test;

struct DenseClaim {
  std::string integrator;
  Problem (*make)();
  std::string problem;
};

// gtest shows a claim by its name.
void PrintTo(const DenseClaim& claim, std::ostream* out) { *out << claim.integrator << " on " << claim.problem; }

class DenseOutput : public testing::TestWithParam<DenseClaim> {};

// The step alone: compared with the motion that leaves from its own beginning.
TEST_P(DenseOutput, ErrsInsideAStepByNoMoreThanTenTolerances) {
  const DenseClaim& claim = GetParam();
  const auto reference = make_integrator("rk45", with_tolerance(1e-13));
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
    Problem p = claim.make();
    const auto integrator = make_integrator(claim.integrator, with_tolerance(tolerance));
    integrator->start(*p.flow, 0, p.y0);
    std::vector<double> y(p.y0.size()), exact(p.y0.size());
    double worst = 0;
    while (integrator->t() < p.until) {
      integrator->step(p.until);
      const double a = integrator->t_old(), b = integrator->t();
      integrator->dense(a, y);
      reference->start(*p.flow, a, y);
      for (int i = 1; i <= 50; ++i) {
        const double t = a + (b - a) * i / 51;
        while (reference->t() < t) reference->step(b);
        reference->dense(t, exact);
        integrator->dense(t, y);
        for (std::size_t k = 0; k < y.size(); ++k)
          worst = std::max(worst, std::abs(y[k] - exact[k]) / std::max(1.0, std::abs(exact[k])));
      }
    }
    EXPECT_LE(worst, 10 * tolerance) << "tolerance " << tolerance;
  }
}

INSTANTIATE_TEST_SUITE_P(Claims, DenseOutput,
                         testing::Values(DenseClaim{"adams", +[] { return oscillator(); }, "oscillator"},
                                         DenseClaim{"adams", +[] { return growth(); }, "growth"},
                                         DenseClaim{"adams", +[] { return kepler(0.5, 3); }, "kepler"},
                                         DenseClaim{"adams", +[] { return top(true); }, "top"},
                                         DenseClaim{"rk45", +[] { return oscillator(); }, "oscillator"},
                                         DenseClaim{"rk45", +[] { return growth(); }, "growth"},
                                         DenseClaim{"rk45", +[] { return kepler(0.5, 3); }, "kepler"},
                                         DenseClaim{"rk45", +[] { return top(true); }, "top"},
                                         DenseClaim{"rkv56", +[] { return oscillator(); }, "oscillator"},
                                         DenseClaim{"rkv56", +[] { return growth(); }, "growth"},
                                         DenseClaim{"rkv56", +[] { return kepler(0.5, 3); }, "kepler"},
                                         DenseClaim{"rkv56", +[] { return top(true); }, "top"},
                                         DenseClaim{"rk78", +[] { return oscillator(); }, "oscillator"},
                                         DenseClaim{"rk78", +[] { return growth(); }, "growth"},
                                         DenseClaim{"rk78", +[] { return kepler(0.5, 3); }, "kepler"},
                                         DenseClaim{"rk78", +[] { return top(true); }, "top"}),
                         [](const auto& info) { return info.param.integrator + "_" + info.param.problem; });

class DenseOutputOf : public testing::TestWithParam<std::string> {};

TEST_P(DenseOutputOf, ReturnsBothEndsExactlyAndIsContinuousThere) {
  Problem p = circle(true, 2);
  Settings s = with_tolerance(1e-6);
  if (GetParam() == "rk4") s.step = 0.02;
  const auto integrator = make_integrator(GetParam(), s);
  integrator->start(*p.flow, 0, p.y0);
  std::vector<double> y(4), near(4), before = p.y0;
  integrator->dense(0, y);
  EXPECT_EQ(y, p.y0);
  while (integrator->t() < p.until) {
    const double h = integrator->step(p.until).h;
    integrator->dense(integrator->t_old(), y);
    EXPECT_EQ(y, before);
    integrator->dense(integrator->t_old() + 1e-10 * h, near);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(y[i], near[i], 1e-9 * h + 1e-14);
    integrator->dense(integrator->t(), y);
    before.assign(integrator->y().begin(), integrator->y().end());
    EXPECT_EQ(y, before);
    integrator->dense(integrator->t() - 1e-10 * h, near);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(y[i], near[i], 1e-9 * h + 1e-14);
  }
  EXPECT_THROW(integrator->dense(integrator->t() + 1e-3, y), std::out_of_range);
  EXPECT_THROW(integrator->dense(integrator->t_old() - 1e-3, y), std::out_of_range);
}

INSTANTIATE_TEST_SUITE_P(Names, DenseOutputOf, testing::ValuesIn(flow_integrators()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace mortise::integrate
