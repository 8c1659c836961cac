// Splines pass through their points, are twice continuously differentiable, and are exact where a cubic is.
#include "mortise/formula/spline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/allocation_counter.h"

namespace mortise::formula {
namespace {

using Ends = Spline::Ends;
using Outside = Spline::Outside;

const std::vector<double> uneven{-1, -0.4, 0.1, 0.9, 1.3, 2.2, 3};

template <class Function>
std::vector<double> at(const std::vector<double>& x, const Function& f) {
  std::vector<double> y;
  for (double value : x) y.push_back(f(value));
  return y;
}

// Largest jump of value, slope and curvature over the knots inside, seen from both sides: what changes over a distance
// of 2e below the knots' scale is at most e times the next derivative.
double largest_jump(const Spline& s, const std::vector<double>& knots) {
  double worst = 0;
  for (double x : knots) {
    const double e = 1e-9;
    const Jet<double> left = s(x - e), right = s(x + e);
    worst = std::max({worst, std::abs(left.value - right.value), std::abs(left.first - right.first),
                      std::abs(left.second - right.second)});
  }
  return worst;
}

TEST(Spline, PassesThroughItsPointsWithContinuousCurvature) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<double> x{number(random)}, y;
    for (int k = 0; k < 3 + trial % 9; ++k) x.push_back(x.back() + 0.1 + std::abs(number(random)));
    for (std::size_t k = 0; k < x.size(); ++k) y.push_back(number(random));
    for (const Ends ends : {Ends::natural, Ends::clamped, Ends::periodic}) {
      if (ends == Ends::periodic) y.back() = y.front();
      const Spline s(x, y, ends, Outside::extend, 0.3, -0.7);
      for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(s(x[k]).value, y[k], 1e-14);
      EXPECT_LT(largest_jump(s, {x.begin() + 1, x.end() - 1}), 1e-4) << "slopes of the curvature are below 1e4";
      // The derivatives are those of the value.
      for (int k = 0; k < 20; ++k) {
        const double p = x.front() + (x.back() - x.front()) * (k + 0.5) / 20, h = 1e-4;
        if (std::any_of(x.begin(), x.end(), [&](double knot) { return std::abs(knot - p) < 2 * h; })) continue;
        const Jet<double> j = s(p);
        EXPECT_NEAR((s(p + h).value - s(p - h).value) / (2 * h), j.first, 1e-4);
        EXPECT_NEAR((s(p + h).first - s(p - h).first) / (2 * h), j.second, 1e-8);
      }
    }
  }
}

TEST(Spline, IsExactForACubicWithItsEndSlopes) {
  const auto f = [](double x) { return 1 - 2 * x + 3 * x * x - 0.5 * x * x * x; };
  const auto df = [](double x) { return -2 + 6 * x - 1.5 * x * x; };
  const Spline s(uneven, at(uneven, f), Ends::clamped, Outside::extend, df(-1), df(3));
  for (double x = -1; x <= 3; x += 0.01) {
    EXPECT_NEAR(s(x).value, f(x), 1e-13);
    EXPECT_NEAR(s(x).first, df(x), 1e-12);
    EXPECT_NEAR(s(x).second, 6 - 3 * x, 1e-11);
  }
}

TEST(Spline, PeriodicGoesOnOverTheSeamWithTheSameCurvature) {
  std::vector<double> x;
  for (int k = 0; k <= 40; ++k) x.push_back(2 * M_PI * k / 40);
  std::vector<double> y = at(x, [](double p) { return std::sin(p) + 0.3 * std::cos(2 * p); });
  y.back() = y.front();
  const Spline s(x, y, Ends::periodic);
  EXPECT_LT(largest_jump(s, {0, 2 * M_PI, -6 * M_PI}), 1e-7);
  double error = 0;
  for (double p = -20; p < 20; p += 0.037)
    error = std::max(error, std::abs(s(p).value - std::sin(p) - 0.3 * std::cos(2 * p)));
  EXPECT_LT(error, 4e-5) << "fourth order in the width of 0.157";
  EXPECT_NEAR(s(1 + 2e4 * M_PI).value, s(1).value, 1e-11);
  const Spline three({0, 1, 2}, {0, 1, 0}, Ends::periodic);
  EXPECT_NEAR(three(0.5).value, 0.5, 1e-15);
  EXPECT_NEAR(three(0).first, 0, 1e-15);
}

TEST(Spline, OutsideItExtendsHoldsOrIsNotANumber) {
  const std::vector<double> x{0, 1, 2, 4}, y{1, 2, 0, 3};
  const Spline extend(x, y), hold(x, y, Ends::natural, Outside::hold), error(x, y, Ends::natural, Outside::error);
  const Jet<double> end = extend(4);
  EXPECT_DOUBLE_EQ(extend(7).value, 3 + 3 * end.first);
  EXPECT_EQ(extend(7).first, end.first);
  EXPECT_EQ(extend(7).second, 0);
  EXPECT_NEAR(extend(4).second, 0, 1e-15) << "natural: extended without a jump of the curvature";
  EXPECT_EQ(hold(7).value, 3);
  EXPECT_EQ(hold(-1).first, 0);
  EXPECT_TRUE(std::isnan(error(-1e-9).value));
  EXPECT_EQ(error(4).value, 3);
  EXPECT_TRUE(std::isnan(extend(NAN).value));
}

TEST(Spline, RefusesWhatIsNoTable) {
  EXPECT_THROW(Spline({0, 1}, {0, 1}), std::invalid_argument);
  EXPECT_THROW(Spline({0, 1, 2}, {0, 1}), std::invalid_argument);
  EXPECT_THROW(Spline({0, 1, 1}, {0, 1, 2}), std::invalid_argument);
  EXPECT_THROW(Spline({0, NAN, 1}, {0, 1, 2}), std::invalid_argument);
  EXPECT_THROW(Spline({0, 1, 2}, {0, INFINITY, 2}), std::invalid_argument);
  EXPECT_THROW(Spline({0, 1, 2}, {0, 1, 2}, Ends::periodic), std::invalid_argument);
  EXPECT_THROW(Spline({0, 1e-300, 2}, {0, 1e300, -1e300}), std::invalid_argument);
}

// ---- in formulas ------------------------------------------------------------------------------------------------

const std::vector<std::string> names{"t", "a"};

std::vector<Table> tables() {
  return {{"cam", std::make_shared<const Spline>(uneven, at(uneven, [](double x) { return std::cos(2 * x); }))},
          {"rise", std::make_shared<const Spline>(std::vector<double>{0, 1, 2}, std::vector<double>{0, 1, 4})}};
}

TEST(TableInAFormula, FollowsTheChainRule) {
  const Expression f = Expression::parse("2*cam(a*t - 0.3)^2 + if(t < 1, rise(t), rise(1)*t)", names, tables());
  const Spline cam = *tables()[0].spline, rise = *tables()[1].spline;
  const double t = 0.7, a = 1.1;
  const Jet<double> c = cam(a * t - 0.3), r = rise(t);
  const double x[] = {t, a}, dx[] = {1, 0};
  const Jet<double> j = f.along(x, dx, {});
  EXPECT_NEAR(j.value, 2 * c.value * c.value + r.value, 1e-14);
  EXPECT_NEAR(j.first, 4 * c.value * c.first * a + r.first, 1e-13);
  EXPECT_NEAR(j.second, 4 * a * a * (c.first * c.first + c.value * c.second) + r.second, 1e-12);
  std::vector<double> grad(2), hessian(4);
  EXPECT_EQ(f.gradient(x, grad, hessian), j.value);
  EXPECT_NEAR(grad[1], 4 * c.value * c.first * t, 1e-13);
  EXPECT_NEAR(hessian[1], 4 * a * t * (c.first * c.first + c.value * c.second) + 4 * c.value * c.first, 1e-12);
}

TEST(TableInAFormula, SurvivesTheTableAndBindsLikeAnyFunction) {
  Expression f;
  double expected = 0;
  {
    const auto all = tables();
    expected = (*all[0].spline)(0.25).value;
    const double values[] = {0.25, 0};
    const bool bound[] = {true, true};
    f = Expression::parse("cam(t) + a", names, all);
    EXPECT_EQ(f.bind(values, bound).value({}), expected);
    EXPECT_TRUE(Expression::parse("rise(0.5)", names, all).is_constant());
  }
  const Expression copy = f;
  const double x[] = {0.25, 0};
  EXPECT_EQ(copy.value(x), expected);
}

TEST(TableInAFormula, AllocatesNothing) {
  const Expression f = Expression::parse("cam(rise(t))*a", names, tables());
  const double x[] = {0.4, 2}, dx[] = {1, 0};
  if (!test::allocations_are_counted()) GTEST_SKIP();
  const test::AllocationCounter heap;
  double sum = 0;
  for (int k = 0; k < 100; ++k) sum += f.along(x, dx, {}).second;
  EXPECT_EQ(heap.count(), 0);
  EXPECT_TRUE(std::isfinite(sum));
}

TEST(TableInAFormula, IsNamedInMistakes) {
  const auto hint = [](const char* text) -> std::string {
    try {
      Expression::parse(text, names, tables());
    } catch (const FormulaError& e) {
      return std::string(e.what()) + "; " + e.hint;
    }
    return "";
  };
  EXPECT_EQ(hint("cma(t)"), "unknown function 'cma'; did you mean 'cam'?");
  EXPECT_EQ(hint("cam"), "the table 'cam' needs its arguments in brackets; write cam(...)");
  EXPECT_EQ(hint("cam(t, 2)"), "'cam' takes 1 argument, found 2; ");
}

}  // namespace
}  // namespace mortise::formula
