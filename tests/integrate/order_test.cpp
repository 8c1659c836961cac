// The order that a method has on paper is the order it shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "integrate/problems.h"
#include "mortise/integrate/adams.h"
#include "mortise/integrate/rk4.h"
#include "mortise/integrate/rk45.h"
#include "mortise/integrate/tableau_pair.h"

namespace mortise::integrate {
namespace {

using namespace test;

// Smooth, neither linear nor autonomous: y = e^{sin t} drives z through y e^{−sin t} = 1, so that z = e^{−t²}.
Problem coupled() {
  Problem p;
  p.name = "coupled";
  p.flow = std::make_unique<TestFlow>(2, [](double t, ConstSpan y, Span f) {
    const double ratio = y[0] * std::exp(-std::sin(t));
    f[0] = y[0] * std::cos(t);
    f[1] = -2 * t * y[1] * ratio * ratio;
  });
  p.y0 = {1, 1};
  p.until = 2;
  p.exact = [](double t, Span y) {
    y[0] = std::exp(std::sin(t));
    y[1] = std::exp(-t * t);
  };
  return p;
}

template <typename Method>
Method fixed(double h) {
  Method method(with_step(h));
  if constexpr (std::is_base_of_v<EmbeddedPair, Method>) method.take_every_step();
  return method;
}

template <typename Method>
double end_error(double h) {
  Problem p = coupled();
  Method method = fixed<Method>(h);
  return run(method, p);
}

// The largest miss of dense output inside the first step, the start being exact.
template <typename Method>
double dense_error_of_one_step(double h) {
  Problem p = coupled();
  double y[2], exact[2], worst = 0;
  p.exact(0.3, exact);
  Method method = fixed<Method>(h);
  method.start(*p.flow, 0.3, exact);
  method.step(0.3 + h);
  for (int i = 1; i < 20; ++i) {
    const double t = 0.3 + h * i / 20;
    method.dense(t, y);
    p.exact(t, exact);
    worst = std::max({worst, std::abs(y[0] - exact[0]), std::abs(y[1] - exact[1])});
  }
  return worst;
}

// The mean slope of the error from h to h/4.
template <typename Error>
double observed_order(Error error, double h) {
  return std::log2(error(h) / error(h / 4)) / 2;
}

TEST(Rk4, HasOrderFour) { EXPECT_NEAR(observed_order(end_error<Rk4>, 1.0 / 64), 4.0, 0.1); }

TEST(Rk4, DenseOutputMissesByTheFourthPowerOfTheStep) {
  EXPECT_NEAR(observed_order(dense_error_of_one_step<Rk4>, 1.0 / 64), 4.0, 0.1);
}

TEST(Rk45, HasOrderFive) { EXPECT_NEAR(observed_order(end_error<Rk45>, 1.0 / 32), 5.0, 0.1); }

// The estimate e of one step, the start being exact.
template <typename Method>
double estimate_of_one_step(double h) {
  Problem p = coupled();
  double y[2];
  p.exact(0.3, y);
  Method method = fixed<Method>(h);
  method.start(*p.flow, 0.3, y);
  method.step(0.3 + h);
  return method.last_error_estimate();
}

// The local error of a method of order 4 falls with h⁵.
TEST(Rk45, EstimatesTheErrorOfAnEmbeddedMethodOfOrderFour) {
  EXPECT_NEAR(observed_order(estimate_of_one_step<Rk45>, 1.0 / 32), 5.0, 0.15);
}

TEST(Rk45, DenseOutputHasOrderFour) {
  // The local error falls with h⁵.
  EXPECT_NEAR(observed_order(dense_error_of_one_step<Rk45>, 1.0 / 32), 5.0, 0.2);
}

TEST(Rkv56, HasOrderSix) { EXPECT_NEAR(observed_order(end_error<Rkv56>, 1.0 / 16), 6.0, 0.25); }

TEST(Rkv56, EstimatesTheErrorOfAnEmbeddedMethodOfOrderFive) {
  EXPECT_NEAR(observed_order(estimate_of_one_step<Rkv56>, 1.0 / 16), 6.0, 0.2);
}

TEST(Rkv56, DenseOutputHasOrderFive) {
  EXPECT_NEAR(observed_order(dense_error_of_one_step<Rkv56>, 1.0 / 16), 6.0, 0.2);
}

// The slope comes down to 8 from above (9.2, 8.8, 8.5 …) and meets rounding at h = 1/32; that the order is not 9 is
// proved with the table.
TEST(Rk78, HasOrderEight) { EXPECT_NEAR(observed_order(end_error<Rk78>, 1.0 / 4), 8.4, 0.4); }

TEST(Rk78, EstimatesTheErrorOfAnEmbeddedMethodOfOrderSeven) {
  EXPECT_NEAR(observed_order(estimate_of_one_step<Rk78>, 1.0 / 8), 8.0, 0.3);
}

TEST(Rk78, DenseOutputHasOrderSeven) { EXPECT_NEAR(observed_order(dense_error_of_one_step<Rk78>, 1.0 / 4), 8.4, 0.4); }

// Frames cost evaluations only in the steps that hold one.
TEST(Rk78, EvaluatesForDenseOutputOnlyWhereItIsAsked) {
  Problem p = oscillator(20);
  Rk78 method(with_tolerance(1e-9));
  run(method, p);
  EXPECT_EQ(method.counters().evaluations, 13 * method.counters().steps + 12 * method.counters().failed_steps + 2);
  const long before = method.counters().evaluations;
  double y[2];
  for (const double part : {0.3, 0.7}) method.dense(method.t_old() + part * (method.t() - method.t_old()), y);
  EXPECT_EQ(method.counters().evaluations, before + 7);
}

// With the order held at k, local extrapolation makes it a method of order k + 1: the error falls with that power of
// the number of steps, whatever the tolerance that chose them.
class AdamsOfOrder : public testing::TestWithParam<int> {};

TEST_P(AdamsOfOrder, ErrorFallsWithOneMoreThanTheOrder) {
  const int k = GetParam();
  const auto work = [&](double tolerance) {
    Problem p = oscillator(30);
    Adams method(with_tolerance(tolerance), k);
    const double error = run(method, p);
    return std::pair(std::log(static_cast<double>(method.counters().steps)), std::log(error));
  };
  const auto [few, large] = work(1e-4);
  const auto [many, small] = work(k == 1 ? 1e-8 : 1e-10);
  EXPECT_NEAR((large - small) / (many - few), k + 1, 0.15 * (k + 1));
}

INSTANTIATE_TEST_SUITE_P(Orders, AdamsOfOrder, testing::Values(1, 2, 3, 4, 5, 6));

TEST(Adams, ReachesOrderTwelveAtTheFinestTolerance) {
  Problem p = oscillator(100);
  Adams method(with_tolerance(1e-13));
  method.start(*p.flow, 0, p.y0);
  int highest = 0;
  while (method.t() < p.until) highest = std::max(highest, method.step(p.until).order);
  EXPECT_EQ(highest, 12);
}

// A corrector of order k + 1 integrates polynomials of degree k + 1 without error once the history is long enough; with
// a generous tolerance the starting phase raises the order each step, so degree 1, 2, … are exact from the start.
TEST(Adams, IntegratesAConstantAndALinearRateExactly) {
  TestFlow flow(2, [](double t, ConstSpan, Span f) {
    f[0] = 3;
    f[1] = 1 - 2 * t;
  });
  Adams method(with_tolerance(1e-6));
  const double y0[] = {1, 2};
  method.start(flow, 0, y0);
  while (method.t() < 5) {
    method.step(5);
    const double t = method.t();
    EXPECT_NEAR(method.y()[0], 1 + 3 * t, 1e-14 * (1 + 3 * t));
    EXPECT_NEAR(method.y()[1], 2 + t - t * t, 1e-13);
  }
}

TEST(AdamsCoefficients, AreTheClassicalOnesAtConstantStep) {
  // Adams-Bashforth weights of backward differences: 1, 1/2, 5/12, 3/8, 251/720, 95/288.
  AdamsCoefficients::Scalars psi{};
  for (int i = 1; i < AdamsCoefficients::count; ++i) psi[i] = i * 0.25;
  AdamsCoefficients c;
  c.form(0.25, 6, psi);
  const double expected[] = {1, 1.0 / 2, 5.0 / 12, 3.0 / 8, 251.0 / 720, 95.0 / 288, 19087.0 / 60480};
  for (int i = 0; i < 7; ++i) EXPECT_NEAR(c.g[i + 1], expected[i], 1e-15);
  for (int i = 1; i <= 6; ++i) EXPECT_EQ(c.beta[i], 1);
  for (int i = 1; i <= 7; ++i) EXPECT_NEAR(c.sigma[i], 1, 1e-15);
  const double moulton[] = {1.0 / 2, 1.0 / 12, 1.0 / 24, 19.0 / 720, 3.0 / 160, 863.0 / 60480};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(adams_error_constants()[i + 1], moulton[i], 1e-16);
}

}  // namespace
}  // namespace mortise::integrate
