// Exact derivatives against differences, and the conventions where derivatives are missing.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

#include "formula/formula_samples.h"
#include "mortise/formula/expression.h"

namespace mortise::formula {
namespace {

const std::vector<std::string> names = {"t", "a", "theta0"};
using Point = std::array<double, 3>;

struct Difference {
  double value, error;
};

// Ridders' extrapolation of central differences, with the error estimate of the best entry of the tableau.
Difference derivative(const std::function<double(double)>& f) {
  constexpr int rows = 8;
  double h = 0.05, table[rows][rows];
  Difference best{0, std::numeric_limits<double>::infinity()};
  for (int i = 0; i < rows; ++i, h /= 2) {
    table[0][i] = (f(h) - f(-h)) / (2 * h);
    double factor = 4;
    for (int j = 1; j <= i; ++j, factor *= 4) {
      table[j][i] = (table[j - 1][i] * factor - table[j - 1][i - 1]) / (factor - 1);
      const double error =
          std::max(std::fabs(table[j][i] - table[j - 1][i]), std::fabs(table[j][i] - table[j - 1][i - 1]));
      if (error < best.error) best = {table[j][i], error};
    }
  }
  return best;
}

constexpr double tolerance = 1e-7;
bool trustworthy(const Difference& d) { return d.error < 0.1 * tolerance * (1 + std::fabs(d.value)); }
void expect_near(double exact, const Difference& d, const std::string& what) {
  EXPECT_NEAR(exact, d.value, tolerance * (1 + std::fabs(d.value))) << what;
}

Point moved(const Point& x, const Point& dx, const Point& ddx, double s) {
  Point y;
  for (std::size_t i = 0; i < 3; ++i) y[i] = x[i] + s * dx[i] + s * s / 2 * ddx[i];
  return y;
}

// Compares `along` and `gradient` with differences; first derivatives with those of the value, second derivatives with
// those of the first. Returns how many of the 14 comparisons the differences were good enough for.
int compare(const std::string& text, const Point& x, const Point& dx, const Point& ddx) {
  const Expression f = Expression::parse(text, names);
  const auto along = [&](double s) {
    Point velocity;
    for (std::size_t i = 0; i < 3; ++i) velocity[i] = dx[i] + s * ddx[i];
    return f.along(moved(x, dx, ddx, s), velocity, ddx);
  };
  int compared = 0;
  const auto check = [&](double exact, const std::function<double(double)>& g, const char* what) {
    const Difference d = derivative(g);
    if (!trustworthy(d)) return;
    ++compared;
    expect_near(exact, d, text + ": " + what);
  };
  const Jet<double> jet = along(0);
  EXPECT_EQ(jet.value, f.value(x)) << text;
  check(
      jet.first, [&](double s) { return f.value(moved(x, dx, ddx, s)); }, "first along");
  check(
      jet.second, [&](double s) { return along(s).first; }, "second along");

  Point grad, alone;
  std::array<double, 9> hessian;
  EXPECT_EQ(f.gradient(x, grad, hessian), f.value(x)) << text;
  f.gradient(x, alone, {});
  EXPECT_EQ(grad, alone) << text;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto shifted = [&](double s) {
      Point y = x;
      y[i] += s;
      return y;
    };
    check(
        grad[i], [&](double s) { return f.value(shifted(s)); }, "gradient");
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(hessian[3 * i + j], hessian[3 * j + i]) << text;
      check(
          hessian[3 * i + j],
          [&](double s) {
            Point g;
            f.gradient(shifted(s), g, {});
            return g[j];
          },
          "Hessian");
    }
  }
  return compared;
}

TEST(FormulaDerivatives, AreExactForEveryFunction) {
  const Point x = {0.37, 0.61, 1.3}, dx = {1.1, -0.7, 0.4}, ddx = {0.3, 0.9, -0.8};
  for (const char* argument : {"t", "t*a", "t/theta0 + a*t"})
    for (const FunctionInfo& f : functions()) {
      std::string call = f.name + "(" + argument;
      for (int i = 1; i < f.min_arguments; ++i) call += i == 1 ? ", a^2 + theta0" : ", theta0*t";
      EXPECT_EQ(compare(call + ")", x, dx, ddx), 14) << call;
    }
  for (const char* text : {"t + a",
                           "t - a",
                           "t*a",
                           "t/a",
                           "t^a",
                           "t^3",
                           "t^-2.5",
                           "2^t",
                           "-t",
                           "t deg",
                           "t < a",
                           "t and a",
                           "mod(-5*t, a)",
                           "mod(5*t, -a)",
                           "atan2(-t, -a)",
                           "hypot(-t, a)",
                           "(-t)^3",
                           "clamp(t, 1, 2)",
                           "clamp(theta0, 0, 1)",
                           "abs(-t)",
                           "ramp(-t)"})
    EXPECT_EQ(compare(text, x, dx, ddx), 14) << text;
}

TEST(FormulaDerivatives, AgreeWithDifferencesOnRandomFormulas) {
  Samples samples(20240611);
  int compared = 0;
  constexpr int formulas = 500;
  for (int i = 0; i < formulas; ++i) {
    const std::string text = samples.formula(1 + i % 4);
    Point x, dx, ddx;
    for (std::size_t k = 0; k < 3; ++k)
      x[k] = samples.between(0.2, 1.8), dx[k] = samples.between(-1, 1), ddx[k] = samples.between(-1, 1);
    compared += compare(text, x, dx, ddx);
    if (HasFailure()) FAIL() << "formula " << i << ": " << text;
  }
  // The differences fail where a kink or jump lies within their step, which no exact derivative is to blame for.
  EXPECT_GT(compared, 0.95 * 14 * formulas);
}

TEST(FormulaDerivatives, BoundFormulasGiveTheSameBits) {
  Samples samples(7);
  for (int i = 0; i < 500; ++i) {
    const Expression f = Expression::parse(samples.formula(4), names);
    const Point x = {samples.between(-2, 2), samples.between(-2, 2), samples.between(-2, 2)};
    for (unsigned mask = 0; mask < 8; ++mask) {
      bool bound[3];
      std::vector<double> rest, speed;
      Point dx{};
      for (unsigned k = 0; k < 3; ++k) {
        bound[k] = mask >> k & 1u;
        if (bound[k]) continue;
        dx[k] = samples.between(-1, 1);
        rest.push_back(x[k]), speed.push_back(dx[k]);
      }
      const Expression g = f.bind(x, bound);
      const Jet<double> direct = f.along(x, dx, {}), after = g.along(rest, speed, {});
      EXPECT_EQ(std::bit_cast<std::uint64_t>(g.value(rest)), std::bit_cast<std::uint64_t>(f.value(x))) << f.text();
      EXPECT_EQ(after.first, direct.first) << f.text();
      EXPECT_EQ(after.second, direct.second) << f.text();
      EXPECT_EQ(g.is_constant(), rest.empty() || f.is_constant() || (!g.uses(0) && !g.uses(1) && !g.uses(2)));
    }
  }
}

Jet<double> at(const char* text, double t) {
  const Point x = {t, 0, 0}, dx = {1, 0, 0};
  return Expression::parse(text, names).along(x, dx, {});
}

void expect_jet(const char* text, double t, double value, double first, double second) {
  const Jet<double> j = at(text, t);
  EXPECT_EQ(j.value, value) << text;
  EXPECT_EQ(j.first, first) << text;
  EXPECT_EQ(j.second, second) << text;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(FormulaDerivatives, OfPowersAreExactAtZero) {
  expect_jet("t^0", 0, 1, 0, 0);
  expect_jet("t^1", 0, 0, 1, 0);
  expect_jet("t^2", 0, 0, 0, 2);
  expect_jet("t^3", 0, 0, 0, 0);
  expect_jet("t**2", -3, 9, -6, 2);
  expect_jet("(-t)^3", 2, -8, -12, -12);
  expect_jet("t^2.5", 0, 0, 0, 0);
  expect_jet("t^1.5", 0, 0, 0, infinity);
  expect_jet("0^(t + 2)", 0, 0, 0, 0);
  expect_jet("t^(t + 2)", 0, 0, 0, 2);
  expect_jet("(-2)^2*t", 0, 0, 4, 0);
}

TEST(FormulaDerivatives, FollowTheDocumentedConventions) {
  expect_jet("abs(t)", 0, 0, 0, 0);
  expect_jet("sign(t)", 0, 0, 0, 0);
  expect_jet("step(t)", 0, 1, 0, 0);
  expect_jet("ramp(t)", 0, 0, 1, 0);
  expect_jet("floor(t)", 1, 1, 0, 0);
  expect_jet("min(t, 2*t)", 0, 0, 1, 0);
  expect_jet("max(2*t, t)", 0, 0, 2, 0);
  expect_jet("hypot(t, 0)", 0, 0, 0, 0);
  expect_jet("atan2(t, 0*t)", 0, 0, 0, 0);
  expect_jet("sqrt(t)", 0, 0, infinity, -infinity);
  expect_jet("sqrt(0) + t", 0, 0, 1, 0);
  expect_jet("sqrt(a) + t", 0, 0, 1, 0);
  expect_jet("smoothstep(t)", 0, 0, 0, 0);
  expect_jet("smoothstep(t)", 1, 1, 0, 0);
  expect_jet("mod(t, 2)", 5, 1, 1, 0);
}

TEST(FormulaDerivatives, OfTheBranchNotTakenDoNotLeak) {
  expect_jet("if(t > 0, sqrt(t), 0)", -1, 0, 0, 0);
  expect_jet("if(t > 0, sin(t)/t, 1)", 0, 1, 0, 0);
  expect_jet("if(t > 0, log(t), 3*t)", 0, 0, 3, 0);
  expect_jet("max(t, -1)", 0, 0, 1, 0);
  expect_jet("min(1, 1/t)", 0, 1, 0, 0);
  expect_jet("step(sqrt(t))", 0, 1, 0, 0);
  expect_jet("sqrt(t) > 1", 0, 0, 0, 0);
  Point grad;
  std::array<double, 9> hessian;
  const Point x = {-1, 2, 3};
  Expression::parse("if(t > 0, sqrt(t)*a, a*theta0)", names).gradient(x, grad, hessian);
  EXPECT_EQ(grad, (Point{0, 3, 2}));
  EXPECT_EQ(hessian, (std::array<double, 9>{0, 0, 0, 0, 0, 1, 0, 1, 0}));
}

}  // namespace
}  // namespace mortise::formula
