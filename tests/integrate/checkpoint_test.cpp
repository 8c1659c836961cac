// A run that is saved, thrown away, loaded and continued is the straight run, bit by bit; and nothing is allocated on
// the way.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "integrate/problems.h"
#include "support/allocation_counter.h"

namespace mortise::integrate {
namespace {

using namespace test;

std::vector<std::uint64_t> bits(ConstSpan y) {
  std::vector<std::uint64_t> out;
  for (const double v : y) out.push_back(std::bit_cast<std::uint64_t>(v));
  return out;
}

struct Trace {
  std::vector<std::uint64_t> end, dense, rates;
  Counters counters;
  Memory memory;
};

Settings settings_of(const std::string& name) {
  Settings s = with_tolerance(1e-8);
  if (name == "rk4") s.step = 0.013;
  return s;
}

// Runs to the end through a checkpoint after `at` steps (negative: none): `resume` replaces the integrator and the flow
// by new ones there; a method that does not remember is started anew in either case.
Trace run_through(const std::string& name, Problem (*make)(), long at, bool resume) {
  Problem p = make();
  auto integrator = make_integrator(name, settings_of(name));
  integrator->start(*p.flow, 0, p.y0);
  Trace trace;
  std::vector<double> y(p.y0.size());
  long steps = 0;
  while (integrator->t() < p.until) {
    integrator->step(p.until);
    if (++steps == at) {
      Memory memory;
      integrator->save(memory);
      if (resume) {
        integrator.reset();
        p = make();
        integrator = make_integrator(name, settings_of(name));
        integrator->load(*p.flow, memory);
      } else if (!integrator->remembers()) {
        const std::vector<double> here(integrator->y().begin(), integrator->y().end());
        integrator->start(*p.flow, integrator->t(), here);
      }
    }
    if (steps == at && !integrator->remembers()) continue;  // its dense output begins with the next step
    for (int i = 0; i <= 3; ++i) {
      const double a = integrator->t_old(), b = integrator->t();
      integrator->dense(i == 3 ? b : a + (b - a) * i / 3, y);
      const auto more = bits(y);
      trace.dense.insert(trace.dense.end(), more.begin(), more.end());
    }
  }
  trace.end = bits(integrator->y());
  trace.rates = bits(integrator->ydot());
  trace.counters = integrator->counters();
  integrator->save(trace.memory);
  return trace;
}

class Checkpoint : public testing::TestWithParam<std::string> {};

TEST_P(Checkpoint, ContinuesBitByBit) {
  for (Problem (*make)() :
       {+[] { return kepler(0.5, 2); }, +[] { return circle(true, 3); }, +[] { return pushed(); }}) {
    const bool remembers = make_integrator(GetParam(), settings_of(GetParam()))->remembers();
    Trace straight = run_through(GetParam(), make, -1, false);
    std::mt19937 random(11);
    std::uniform_int_distribution<long> any(1, straight.counters.steps - 2);
    for (int k = 0; k < 20; ++k) {
      const long at = k < 3 ? k + 1 : any(random);  // the starting phase, too
      if (!remembers) straight = run_through(GetParam(), make, at, false);
      const Trace resumed = run_through(GetParam(), make, at, true);
      ASSERT_EQ(straight.end, resumed.end) << "at step " << at;
      ASSERT_EQ(straight.rates, resumed.rates);
      ASSERT_EQ(straight.dense, resumed.dense) << "at step " << at;
      ASSERT_EQ(straight.counters.steps, resumed.counters.steps);
      if (remembers) {
        ASSERT_EQ(straight.counters.evaluations, resumed.counters.evaluations);
        ASSERT_EQ(straight.memory, resumed.memory);
      }
    }
  }
}

TEST_P(Checkpoint, HoldsAStartThatHasNotStepped) {
  Problem p = kepler(0.5, 1);
  const auto first = make_integrator(GetParam(), settings_of(GetParam()));
  first->start(*p.flow, 0, p.y0);
  Memory memory;
  first->save(memory);
  const auto second = make_integrator(GetParam(), settings_of(GetParam()));
  second->load(*p.flow, memory);
  for (int i = 0; i < 20; ++i) {
    first->step(p.until);
    second->step(p.until);
    ASSERT_EQ(first->t(), second->t());
    ASSERT_EQ(bits(first->y()), bits(second->y()));
  }
}

TEST_P(Checkpoint, OfAnotherSizeIsRefused) {
  Problem p = kepler(), other = oscillator();
  const auto integrator = make_integrator(GetParam(), settings_of(GetParam()));
  EXPECT_THROW(integrator->load(*p.flow, Memory{}), std::invalid_argument);
  integrator->start(*p.flow, 0, p.y0);
  Memory memory;
  integrator->save(memory);
  EXPECT_THROW(integrator->load(*other.flow, memory), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Names, Checkpoint, testing::ValuesIn(flow_integrators()),
                         [](const auto& info) { return info.param; });

class Heap : public testing::TestWithParam<std::string> {};

TEST_P(Heap, IsNotTouchedByStepsDenseOutputAndRepeatedSaves) {
  if (!mortise::test::allocations_are_counted()) GTEST_SKIP() << "allocations are not counted in this build";
  Problem p = circle(true, 1000);
  const auto integrator = make_integrator(GetParam(), settings_of(GetParam()));
  integrator->start(*p.flow, 0, p.y0);
  std::vector<double> y(4);
  Memory memory;
  integrator->save(memory);
  const mortise::test::AllocationCounter heap;
  for (int i = 0; i < 1000; ++i) {
    integrator->step(p.until);
    for (int j = 0; j < 5; ++j)
      integrator->dense(integrator->t_old() + (integrator->t() - integrator->t_old()) * j / 5, y);
    integrator->save(memory);
    integrator->load(*p.flow, memory);
  }
  EXPECT_EQ(heap.count(), 0);
}

INSTANTIATE_TEST_SUITE_P(Names, Heap, testing::Values("adams", "rk45", "rkv56", "rk78", "rk4"),
                         [](const auto& info) { return info.param; });

TEST(AllocationCounter, SeesNewAndEigen) {
  if (!mortise::test::allocations_are_counted()) GTEST_SKIP();
  const mortise::test::AllocationCounter heap;
  const auto value = std::make_unique<double>(1);
  const Vector v = Vector::Zero(100);
  EXPECT_GE(heap.count(), 2) << *value << v[0];
}

}  // namespace
}  // namespace mortise::integrate
