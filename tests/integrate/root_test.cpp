// Events are found where they are, in the order in which they happen.
#include "mortise/integrate/root.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "integrate/problems.h"
#include "mortise/error.h"
#include "support/allocation_counter.h"

namespace mortise::integrate {
namespace {

using namespace test;

constexpr double pi = std::numbers::pi;

Witness on_time(double at, Direction direction = Direction::any) {
  return {"time", [at](double t, ConstSpan) { return t - at; }, direction};
}
Witness on_component(int i, Direction direction = Direction::any) {
  return {"component", [i](double, ConstSpan y) { return y[i]; }, direction};
}

// All roots until the end: (time, witness).
std::vector<std::pair<double, int>> all_roots(Integrator& integrator, Problem& p, RootFinder& finder) {
  std::vector<std::pair<double, int>> found;
  integrator.start(*p.flow, 0, p.y0);
  finder.arm(0, p.y0);
  while (integrator.t() < p.until) {
    integrator.step(p.until);
    while (const auto root = finder.search(integrator))
      for (const int k : root->witnesses) found.emplace_back(root->t, k);
  }
  return found;
}

class Roots : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Names, Roots, testing::Values("adams", "rk45"), [](const auto& info) { return info.param; });

TEST_P(Roots, OfACosineAreFoundToTheAccuracyOfTheMotion) {
  Problem p = oscillator(40);
  const auto integrator = make_integrator(GetParam(), with_tolerance(1e-11));
  RootFinder finder({on_component(0)});
  const auto found = all_roots(*integrator, p, finder);
  ASSERT_EQ(found.size(), 13u);
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k].first, (static_cast<double>(k) + 0.5) * pi, 2e-8);
}

TEST_P(Roots, HaveADirection) {
  for (const Direction direction : {Direction::rising, Direction::falling}) {
    Problem p = oscillator(40);
    const auto integrator = make_integrator(GetParam(), with_tolerance(1e-9));
    RootFinder finder({on_component(0, direction)});
    const auto found = all_roots(*integrator, p, finder);
    const double first = direction == Direction::falling ? 0.5 * pi : 1.5 * pi;
    ASSERT_EQ(found.size(), direction == Direction::falling ? 7u : 6u);
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_NEAR(found[k].first, first + 2 * pi * static_cast<double>(k), 1e-6);
  }
}

TEST_P(Roots, AreFoundToAFewUnitsOfRoundingOfTime) {
  for (const double at : {1e-9, 0.1, 1.0, pi, 7.7, 19.999}) {
    Problem p = oscillator(20);
    const auto integrator = make_integrator(GetParam(), with_tolerance(1e-6));
    RootFinder finder({{"cubed", [at](double t, ConstSpan) { return std::pow(t - at, 3); }}, on_time(at)});
    const auto found = all_roots(*integrator, p, finder);
    ASSERT_EQ(found.size(), 2u);
    for (const auto& [t, k] : found) EXPECT_NEAR(t, at, 4 * 2.3e-16 * at) << k;
  }
}

TEST_P(Roots, ComeInTheOrderOfTimeAndTiesInTheOrderOfWitnesses) {
  Problem p = oscillator(1);
  const auto integrator = make_integrator(GetParam(), with_tolerance(1e-3));
  RootFinder finder({on_time(0.75), on_time(0.5), on_time(0.25), on_time(0.5), on_time(2), on_time(0.5)});
  const auto found = all_roots(*integrator, p, finder);
  const std::vector<int> order = {2, 1, 3, 5, 0};
  ASSERT_EQ(found.size(), order.size());
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(found[i].second, order[i]);
  EXPECT_EQ(found[1].first, found[2].first);
  EXPECT_EQ(found[1].first, found[3].first);
}

TEST_P(Roots, AtTheStartAreNotFoundUntilTheWitnessHasLeftZero) {
  Problem p = oscillator(7);
  const auto integrator = make_integrator(GetParam(), with_tolerance(1e-8));
  RootFinder finder({on_component(1), on_time(0)});  // −sin t: zero at 0, π, 2π
  const auto found = all_roots(*integrator, p, finder);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].first, pi, 1e-6);
  EXPECT_NEAR(found[1].first, 2 * pi, 1e-6);
}

TEST_P(Roots, AtTheEndOfAStepBelongToThatStep) {
  Problem p = oscillator(3);
  const auto integrator = make_integrator(GetParam(), with_tolerance(1e-8));
  RootFinder finder({on_time(3)});
  const auto found = all_roots(*integrator, p, finder);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].first, 3);
}

// A ball dropped from 1 m with gravity 10 and restitution 1/2 hits the floor at t₁, t₁ + t₁, t₁ + 3/2 t₁, …
TEST_P(Roots, LetABallBounce) {
  TestFlow flow(2, [](double, ConstSpan y, Span f) {
    f[0] = y[1];
    f[1] = -10;
  });
  const auto integrator = make_integrator(GetParam(), with_tolerance(1e-10));
  RootFinder finder({{"floor", [](double, ConstSpan y) { return y[0]; }, Direction::falling}});
  std::vector<double> y = {1, 0};
  integrator->start(flow, 0, y);
  finder.arm(0, y);
  const double first = std::sqrt(0.2);
  double expected = first, flight = first;
  for (int bounces = 0; bounces < 12;) {
    integrator->step(10);
    if (const auto root = finder.search(*integrator)) {
      EXPECT_NEAR(root->t, expected, 1e-9);
      EXPECT_FALSE(root->rising(0));
      integrator->dense(root->t, y);
      y[1] *= -0.5;
      integrator->start(flow, root->t, y);
      finder.arm(root->t, y);
      finder.disarm(0);
      expected += flight;
      flight *= 0.5;
      ++bounces;
    }
  }
}

TEST_P(Roots, InPairsWithinAStepAreSeenBySamples) {
  // Below zero only for 0.3 of a step, in its middle.
  TestFlow flow(1, [](double, ConstSpan, Span f) { f[0] = 1; });
  const auto count = [&](int samples) {
    Settings s = with_tolerance(1e-3);
    s.step = s.max_step = 1;
    const auto integrator = make_integrator(GetParam(), s);
    const double y0[] = {0};
    RootFinder finder({{"dip", [](double, ConstSpan y) { return (y[0] - 1.35) * (y[0] - 1.65); }}}, samples);
    integrator->start(flow, 0, y0);
    finder.arm(0, y0);
    int found = 0;
    while (integrator->t() < 3) {
      integrator->step(3);
      while (finder.search(*integrator)) ++found;
    }
    return found;
  };
  EXPECT_EQ(count(0), 0);  // the documented limit
  EXPECT_EQ(count(4), 2);
}

TEST(RootFinder, NamesAWitnessThatIsNotFinite) {
  Problem p = oscillator();
  const auto integrator = make_integrator("adams", with_tolerance(1e-8));
  RootFinder finder({on_component(0), {"gap of pad", [](double t, ConstSpan) { return std::sqrt(0.001 - t); }}});
  integrator->start(*p.flow, 0, p.y0);
  finder.arm(0, p.y0);
  try {
    while (integrator->t() < 20) {
      integrator->step(20);
      finder.search(*integrator);
    }
    FAIL();
  } catch (const SolveError& e) {
    EXPECT_EQ(e.report().code, "S403");
    EXPECT_NE(e.report().message.find("gap of pad"), std::string::npos);
  }
}

TEST(RootFinder, ResumesWithTheSameSigns) {
  const auto run_it = [](bool resume) {
    Problem p = oscillator(30);
    const auto integrator = make_integrator("adams", with_tolerance(1e-8));
    const auto fresh = [] { return std::make_unique<RootFinder>(std::vector{on_component(0), on_component(1)}); };
    auto finder = fresh();
    std::vector<double> times;
    integrator->start(*p.flow, 0, p.y0);
    finder->arm(0, p.y0);
    while (integrator->t() < p.until) {
      integrator->step(p.until);
      while (const auto root = finder->search(*integrator)) {
        times.push_back(root->t);
        if (resume) {
          Memory memory;
          finder->save(memory);
          finder = fresh();
          finder->load(memory, p.y0.size());
        }
      }
    }
    return times;
  };
  EXPECT_EQ(run_it(false), run_it(true));
}

TEST(RootFinder, AllocatesNothing) {
  if (!mortise::test::allocations_are_counted()) GTEST_SKIP();
  Problem p = oscillator(200);
  const auto integrator = make_integrator("adams", with_tolerance(1e-8));
  RootFinder finder({on_component(0), on_component(1, Direction::rising)});
  integrator->start(*p.flow, 0, p.y0);
  finder.arm(0, p.y0);
  const mortise::test::AllocationCounter heap;
  int found = 0;
  while (integrator->t() < p.until) {
    integrator->step(p.until);
    while (finder.search(*integrator)) ++found;
  }
  EXPECT_EQ(heap.count(), 0);
  EXPECT_GT(found, 90);
}

TEST(RootFinder, ConvergesFast) {
  Problem p = oscillator(40);
  const auto integrator = make_integrator("adams", with_tolerance(1e-10));
  RootFinder finder({on_component(0)});
  const auto found = all_roots(*integrator, p, finder);
  const double samples = 5.0 * static_cast<double>(integrator->counters().steps);
  EXPECT_LT((static_cast<double>(finder.evaluations()) - samples) / static_cast<double>(found.size()), 20);
}

}  // namespace
}  // namespace mortise::integrate
