// Steps end where they must, survive what they can, and leave a clean state behind when they cannot.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "integrate/problems.h"
#include "mortise/error.h"

namespace mortise::integrate {
namespace {

using namespace test;

Settings settings_for(const std::string& name, double tolerance = 1e-8) {
  Settings s;
  s.tolerance = tolerance;
  if (name == "rk4") s.step = 0.01;
  return s;
}

SolveError failure(const char* code, double t) {
  SolveReport report;
  report.code = code;
  report.time = t;
  report.message = "made to fail";
  return SolveError(report);
}

class EveryIntegrator : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Integrator> make(double tolerance = 1e-8) const {
    return make_integrator(GetParam(), settings_for(GetParam(), tolerance));
  }
};
INSTANTIATE_TEST_SUITE_P(Names, EveryIntegrator, testing::ValuesIn(flow_integrators()),
                         [](const auto& info) { return info.param; });

TEST_P(EveryIntegrator, LandsExactlyOnStopsAndNeverEvaluatesBeyond) {
  Problem p = oscillator();
  const auto integrator = make(1e-7);
  integrator->start(*p.flow, 0, p.y0);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> gap(0.0005, 0.7);
  double stop = 0;
  for (int k = 0; k < 60; ++k) {
    stop += gap(random);
    while (integrator->t() < stop) {
      const double before = integrator->t();
      const StepReport report = integrator->step(stop);
      EXPECT_EQ(integrator->t_old(), before);
      EXPECT_EQ(report.t, integrator->t());
      EXPECT_GT(integrator->t(), before);
      EXPECT_LE(p.flow->latest, stop);
    }
    ASSERT_EQ(integrator->t(), stop);
  }
  EXPECT_NEAR(integrator->y()[0], std::cos(stop), 2e-5);
  EXPECT_NEAR(integrator->ydot()[0], integrator->y()[1], 1e-15);
}

TEST_P(EveryIntegrator, TakesAStopWithinRounding) {
  Problem p = oscillator();
  const auto integrator = make();
  integrator->start(*p.flow, 0, p.y0);
  while (integrator->t() < 3) integrator->step(3);
  const double next = std::nextafter(3.0, 4.0);
  integrator->step(next);
  EXPECT_EQ(integrator->t(), next);
  EXPECT_EQ(integrator->t_old(), 3);
  double y[2];
  integrator->dense(3, y);
  EXPECT_NEAR(y[0], std::cos(3.0), 1e-6);
  while (integrator->t() < 5) integrator->step(5);
  EXPECT_NEAR(integrator->y()[0], std::cos(5.0), 1e-6);
}

TEST_P(EveryIntegrator, RefusesAStopThatIsNotAhead) {
  Problem p = oscillator();
  const auto integrator = make();
  EXPECT_THROW(integrator->step(1), std::logic_error);  // not started
  integrator->start(*p.flow, 1, p.y0);
  EXPECT_THROW(integrator->step(1), std::invalid_argument);
  EXPECT_THROW(integrator->step(0.5), std::invalid_argument);
  EXPECT_THROW(integrator->step(std::nan("")), std::invalid_argument);
}

TEST_P(EveryIntegrator, KnowsTheRateOfTheSettledMotion) {
  Problem p = circle(true, 1);
  const auto integrator = make(1e-5);
  integrator->start(*p.flow, 0, p.y0);
  double rate[4];
  while (integrator->t() < p.until) {
    integrator->step(p.until);
    p.flow->rates(integrator->t(), integrator->y(), rate);
    for (int i = 0; i < 4; ++i) ASSERT_EQ(integrator->ydot()[i], rate[i]);
  }
}

TEST_P(EveryIntegrator, MovesTheClockOfAFlowWithoutState) {
  TestFlow flow(0, [](double, ConstSpan, Span) {});
  const auto integrator = make();
  if (GetParam() == "bdf") {
    EXPECT_THROW(integrator->start(flow, 0, {}), std::invalid_argument);
    return;
  }
  integrator->start(flow, 0, {});
  while (integrator->t() < 1) integrator->step(1);
  EXPECT_EQ(integrator->t(), 1);
}

TEST_P(EveryIntegrator, RefusesATypicalSizeOfZero) {
  Problem p = oscillator();
  p.flow->typical = {1, 0};
  EXPECT_THROW(make()->start(*p.flow, 0, p.y0), std::invalid_argument);
}

TEST_P(EveryIntegrator, BeginsAnewFromItsOwnState) {
  Problem p = oscillator();
  const auto integrator = make();
  integrator->start(*p.flow, 0, p.y0);
  while (integrator->t() < 2) integrator->step(2);
  integrator->start(*p.flow, integrator->t(), integrator->y());  // the view of its own y
  while (integrator->t() < 4) integrator->step(4);
  EXPECT_NEAR(integrator->y()[0], std::cos(4.0), 1e-6);
}

TEST_P(EveryIntegrator, StaysAtTheLastGoodStepWhenTheFlowThrows) {
  bool broken = false;
  TestFlow flow(2, [&](double t, ConstSpan y, Span f) {
    if (broken && t > 1.5) throw failure("S401", t);
    f[0] = y[1];
    f[1] = -y[0];
  });
  const double y0[] = {1, 0};
  const auto integrator = make();
  integrator->start(flow, 0, y0);
  while (integrator->t() < 1) integrator->step(10);
  broken = true;
  double t = 0, t_old = 0, middle[2], y[2];
  std::vector<double> last;
  try {
    for (int i = 0; i < 100000; ++i) {
      t = integrator->t();
      t_old = integrator->t_old();
      last.assign(integrator->y().begin(), integrator->y().end());
      integrator->dense(0.5 * (t_old + t), middle);
      integrator->step(10);
    }
    FAIL() << "no exception";
  } catch (const SolveError& e) {
    EXPECT_EQ(e.report().code, "S401");
  }
  EXPECT_EQ(integrator->t(), t);
  EXPECT_EQ(integrator->t_old(), t_old);
  EXPECT_EQ(std::vector<double>(integrator->y().begin(), integrator->y().end()), last);
  integrator->dense(0.5 * (t_old + t), y);
  EXPECT_EQ(y[0], middle[0]);
  EXPECT_EQ(y[1], middle[1]);
  // Repaired, it goes on from there.
  broken = false;
  while (integrator->t() < 4) integrator->step(4);
  EXPECT_NEAR(integrator->y()[0], std::cos(4.0), 2e-6);
}

TEST_P(EveryIntegrator, StaysAtTheLastGoodStepWhenSettlingThrows) {
  TestFlow flow(
      2,
      [](double, ConstSpan y, Span f) {
        f[0] = y[1];
        f[1] = -y[0];
      },
      [](double t, Span) -> bool {
        if (t > 1) throw failure("S301", t);
        return false;
      });
  const double y0[] = {1, 0};
  const auto integrator = make();
  integrator->start(flow, 0, y0);
  EXPECT_THROW(while (true) integrator->step(10), SolveError);
  EXPECT_LE(integrator->t(), 1);
  EXPECT_NEAR(integrator->y()[0], std::cos(integrator->t()), 1e-6);
}

class AdaptiveIntegrator : public EveryIntegrator {};
INSTANTIATE_TEST_SUITE_P(Names, AdaptiveIntegrator, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const IntegratorEntry& entry : integrators())
                             if (entry.make && entry.adaptive && entry.any_flow) names.push_back(entry.name);
                           return names;
                         }()),
                         [](const auto& info) { return info.param; });

TEST_P(AdaptiveIntegrator, CrossesKinksAndJumpsOfTheRate) {
  // A square wave of period 2 and a kink |sin|: exact integrals are known.
  for (const double tolerance : {1e-5, 1e-8}) {
    TestFlow flow(2, [](double t, ConstSpan, Span f) {
      f[0] = std::fmod(t, 2.0) < 1 ? 1.0 : -1.0;
      f[1] = std::abs(std::sin(3 * t));
    });
    const auto integrator = make(tolerance);
    const double y0[] = {0, 0};
    integrator->start(flow, 0, y0);
    const double until = 10 + 1 / std::numbers::pi;
    while (integrator->t() < until) integrator->step(until);
    const double rest = 3 * until / std::numbers::pi;
    const double arcs = 2 * std::floor(rest) + 1 - std::cos(std::numbers::pi * (rest - std::floor(rest)));
    EXPECT_NEAR(integrator->y()[0], 1 / std::numbers::pi, 1000 * tolerance);
    EXPECT_NEAR(integrator->y()[1], arcs / 3, 1000 * tolerance);
    EXPECT_LT(flow.evaluations, 20000);
  }
}

TEST_P(AdaptiveIntegrator, GivesUpAtASingularityWithS402) {
  TestFlow flow(1, [](double, ConstSpan y, Span f) { f[0] = y[0] * y[0]; });  // y = 1/(1 − t)
  const auto integrator = make(1e-8);
  const double y0[] = {1};
  integrator->start(flow, 0, y0);
  try {
    for (int i = 0; i < 200000 && integrator->t() < 2; ++i) integrator->step(2);
    FAIL() << "went through to t = " << integrator->t() << " after " << flow.evaluations << " evaluations";
  } catch (const SolveError& e) {
    EXPECT_EQ(e.report().code, "S402");
    EXPECT_NEAR(e.report().time, 1, 1e-3);
    EXPECT_FALSE(e.report().advice.empty());
  }
  EXPECT_LT(integrator->t(), 1 + 1e-6);
  EXPECT_LT(flow.evaluations, 100000);
}

TEST_P(AdaptiveIntegrator, GivesUpWhereTheRateIsNoise) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 1e6);
  TestFlow flow(1, [&](double t, ConstSpan, Span f) { f[0] = t < 1 ? 1 : noise(random); });
  Settings s = settings_for(GetParam(), 1e-10);
  s.min_step = 1e-9;
  const auto integrator = make_integrator(GetParam(), s);
  const double y0[] = {0};
  integrator->start(flow, 0, y0);
  EXPECT_THROW(while (integrator->t() < 2) integrator->step(2), SolveError);
  EXPECT_LT(flow.evaluations, 20000);
}

TEST_P(AdaptiveIntegrator, KeepsWithinTheLongestStep) {
  Problem p = growth(5);
  Settings s = settings_for(GetParam(), 1e-3);
  s.max_step = 0.01;
  const auto integrator = make_integrator(GetParam(), s);
  integrator->start(*p.flow, 0, p.y0);
  while (integrator->t() < 5) EXPECT_LE(integrator->step(5).h, 0.01 * (1 + 1e-9));
}

TEST_P(AdaptiveIntegrator, StartsFromRestWhereNothingMoves) {
  TestFlow flow(2, [](double, ConstSpan, Span f) { f[0] = f[1] = 0; });
  const auto integrator = make();
  const double y0[] = {1, 0};
  integrator->start(flow, 0, y0);
  while (integrator->t() < 100) integrator->step(100);
  EXPECT_EQ(integrator->y()[0], 1);
  EXPECT_LT(integrator->counters().steps, 60);
}

TEST_P(AdaptiveIntegrator, DoesNotDependOnTheUnitOfTime) {
  const auto steps = [&](double scale) {
    TestFlow flow(2, [scale](double, ConstSpan y, Span f) {
      f[0] = scale * y[1];
      f[1] = -scale * y[0];
    });
    const auto integrator = make();
    const double y0[] = {1, 0}, until = 16 / scale;
    integrator->start(flow, 0, y0);
    while (integrator->t() < until) integrator->step(until);
    EXPECT_NEAR(integrator->y()[0], std::cos(16.0), 1e-5);
    return integrator->counters().steps;
  };
  EXPECT_NEAR(static_cast<double>(steps(1)), static_cast<double>(steps(1024)), 3);
  EXPECT_NEAR(static_cast<double>(steps(1)), static_cast<double>(steps(1.0 / 1024)), 3);
}

// Twenty thousand steps on a clock that rounds each of them by up to 1e-13.
TEST(Adams, LosesNothingToTheRoundingOfTime) {
  TestFlow flow(1, [](double, ConstSpan, Span f) { f[0] = 1; });
  Settings s = with_tolerance(1e-10);
  s.max_step = 0.01;
  const auto adams = make_integrator("adams", s);
  const double y0[] = {0}, begin = 1000.1;
  adams->start(flow, begin, y0);
  double worst = 0;
  while (adams->t() < 1200) {
    adams->step(1200);
    worst = std::max(worst, std::abs(adams->y()[0] - (adams->t() - begin)));
  }
  EXPECT_LE(worst, 1e-13);
}

TEST(Rk4, NeedsAStep) {
  try {
    make_integrator("rk4", Settings{});
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("set step"), std::string::npos) << e.what();
  }
}

TEST(Rk4, TakesExactlyTheStepsOfItsGrid) {
  TestFlow flow(1, [](double, ConstSpan, Span f) { f[0] = 1; });
  const auto rk4 = make_integrator("rk4", with_step(0.1));
  const double y0[] = {0};
  rk4->start(flow, 0, y0);
  while (rk4->t() < 1000) rk4->step(1000);
  EXPECT_EQ(rk4->counters().steps, 10000);
  EXPECT_EQ(rk4->counters().evaluations, 40001);
  EXPECT_NEAR(rk4->y()[0], 1000, 1e-9);
}

TEST(Rk4, ReturnsToItsGridAfterAStop) {
  TestFlow flow(1, [](double, ConstSpan, Span f) { f[0] = 1; });
  const auto rk4 = make_integrator("rk4", with_step(0.25));
  const double y0[] = {0};
  rk4->start(flow, 1, y0);
  EXPECT_EQ(rk4->step(1.3).t, 1.25);
  EXPECT_EQ(rk4->step(1.3).t, 1.3);
  EXPECT_EQ(rk4->step(9).t, 1.5);
  EXPECT_EQ(rk4->step(9).t, 1.75);
}

TEST(Rk45, EvaluatesAgainOnlyWhereSettlingMoved) {
  Problem still = top(false), moved = top(true);
  const auto a = make_integrator("rk45", with_tolerance(1e-6));
  const auto b = make_integrator("rk45", with_tolerance(1e-6));
  run(*a, still);
  run(*b, moved);
  EXPECT_EQ(a->counters().evaluations, 6 * (a->counters().steps + a->counters().failed_steps) + 2);
  EXPECT_EQ(b->counters().evaluations, 7 * b->counters().steps + 6 * b->counters().failed_steps + 2);
}

TEST(Settings, ThatMakeNoSenseAreRefused) {
  const auto refused = [](Settings s) {
    EXPECT_THROW(make_integrator("adams", s), std::invalid_argument);
    EXPECT_THROW(make_integrator("rk45", s), std::invalid_argument);
  };
  refused({.tolerance = 0});
  refused({.tolerance = -1e-6});
  refused({.tolerance = std::nan("")});
  refused({.tolerance = 1e-6, .step = -1});
  refused({.tolerance = 1e-6, .step = 0, .max_step = -1});
  refused({.tolerance = 1e-6, .step = 0, .max_step = 1e-3, .min_step = 1e-2});
}

TEST(Registry, NamesTheNearestIntegrator) {
  try {
    make_integrator("adms", Settings{});
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'adams'?"), std::string::npos) << e.what();
  }
}

TEST(Registry, HelpsInOneLine) {
  ASSERT_FALSE(integrators().empty());
  EXPECT_EQ(integrators()[0].name, "adams");
  for (const IntegratorEntry& entry : integrators()) {
    EXPECT_FALSE(entry.help.empty());
    EXPECT_EQ(entry.help.find('\n'), std::string::npos);
    if (!entry.make) {
      EXPECT_THROW(make_integrator(entry.name, Settings{}), std::invalid_argument);
    }
  }
}

}  // namespace
}  // namespace mortise::integrate
