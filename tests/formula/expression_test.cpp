// Values, precedence, binding and bookkeeping of formulas.
#include "mortise/formula/expression.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace mortise::formula {
namespace {

const std::vector<std::string> names = {"t", "a", "theta0"};
constexpr double pi = std::numbers::pi;

double value(const std::string& text, double t = 0, double a = 0, double theta0 = 0) {
  const double x[] = {t, a, theta0};
  return Expression::parse(text, names).value(x);
}

TEST(Formula, BindsOperatorsAsMathematicsDoes) {
  const std::pair<const char*, double> table[] = {
      {"1 + 2*3", 7},      {"(1 + 2)*3", 9},      {"10 - 4 - 3", 3},  {"16/4/2", 2},
      {"2^3^2", 512},      {"2**3**2", 512},      {"-2^2", -4},       {"(-2)^2", 4},
      {"2^-1", 0.5},       {"2*-3", -6},          {"--3", 3},         {"+3 - +2", 1},
      {"-3*-3", 9},        {"2*3^2", 18},         {"1 < 2", 1},       {"1 + 1 < 2", 0},
      {"2 <= 2", 1},       {"2 >= 3", 0},         {"2 > 1", 1},       {"1 == 1.0", 1},
      {"1 != 1", 0},       {"not 1 < 2", 0},      {"not 0 and 0", 0}, {"not (0 and 0)", 1},
      {"1 or 0 and 0", 1}, {"(1 or 0) and 0", 0}, {"not not 5", 1},   {"-1 < 0 and 3 > 2 or 0", 1},
      {"\t1\n+ 2 ", 3},
  };
  for (const auto& [text, expected] : table) EXPECT_EQ(value(text), expected) << text;
}

TEST(Formula, ReadsNumbersInEveryUsualForm) {
  EXPECT_EQ(value("1"), 1);
  EXPECT_EQ(value("1."), 1);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("1e3"), 1000);
  EXPECT_EQ(value("1.5E-3"), 0.0015);
  EXPECT_EQ(value("2e+2"), 200);
  EXPECT_EQ(value("0.1"), 0.1);
  EXPECT_EQ(value("1e308"), 1e308);
}

TEST(Formula, AgreesWithTheStandardLibrary) {
  for (const double t : {-2.5, -1.0, -0.3, 0.0, 0.4, 1.0, 3.7})
    for (const double a : {-1.5, 0.5, 2.0}) {
      const std::pair<const char*, double> table[] = {
          {"sin(t)", std::sin(t)},
          {"cos(t)", std::cos(t)},
          {"tan(t)", std::tan(t)},
          {"asin(t/4)", std::asin(t / 4)},
          {"acos(t/4)", std::acos(t / 4)},
          {"atan(t)", std::atan(t)},
          {"atan2(t, a)", std::atan2(t, a)},
          {"sinh(t)", std::sinh(t)},
          {"cosh(t)", std::cosh(t)},
          {"tanh(t)", std::tanh(t)},
          {"exp(t)", std::exp(t)},
          {"log(t + 4)", std::log(t + 4)},
          {"log10(t + 4)", std::log10(t + 4)},
          {"sqrt(t + 4)", std::sqrt(t + 4)},
          {"abs(t)", std::fabs(t)},
          {"floor(t)", std::floor(t)},
          {"ceil(t)", std::ceil(t)},
          {"hypot(t, a)", std::hypot(t, a)},
          {"min(t, a)", std::min(t, a)},
          {"max(t, a, 1)", std::max({t, a, 1.0})},
          {"(t + 4)^a", std::pow(t + 4, a)},
          {"pow(t + 4, a)", std::pow(t + 4, a)},
          {"t^2", t * t},
          {"t^3", std::pow(t, 3)},
          {"clamp(t, -1, 1)", std::clamp(t, -1.0, 1.0)},
      };
      for (const auto& [text, expected] : table) EXPECT_EQ(value(text, t, a), expected) << text << " at " << t;
    }
}

TEST(Formula, HasTheFunctionsThatDriversNeed) {
  EXPECT_EQ(value("step(t)", -1e-9), 0);
  EXPECT_EQ(value("step(t)", 0), 1);
  EXPECT_EQ(value("ramp(t)", -1), 0);
  EXPECT_EQ(value("ramp(t)", 2), 2);
  EXPECT_EQ(value("pulse(t, 2)", -0.1), 0);
  EXPECT_EQ(value("pulse(t, 2)", 0), 1);
  EXPECT_EQ(value("pulse(t, 2)", 2), 0);
  EXPECT_EQ(value("smoothstep(t)", -3), 0);
  EXPECT_EQ(value("smoothstep(t)", 0.5), 0.5);
  EXPECT_EQ(value("smoothstep(t)", 7), 1);
  EXPECT_EQ(value("sign(t)", -3), -1);
  EXPECT_EQ(value("sign(t)", 0), 0);
  EXPECT_EQ(value("sign(t)", 3), 1);
  EXPECT_EQ(value("mod(7, 3)"), 1);
  EXPECT_EQ(value("mod(-7, 3)"), 2);
  EXPECT_EQ(value("mod(7, -3)"), -2);
  EXPECT_EQ(value("if(t < 1, 10, 20)", 0), 10);
  EXPECT_EQ(value("if(t < 1, 10, 20)", 1), 20);
}

TEST(Formula, TurnsDegreesIntoRadians) {
  EXPECT_DOUBLE_EQ(value("30 deg"), pi / 6);
  EXPECT_EQ(value("180 deg"), pi);
  EXPECT_EQ(value("90 deg"), pi / 2);
  EXPECT_DOUBLE_EQ(value("-30 deg"), -pi / 6);
  EXPECT_DOUBLE_EQ(value("theta0 deg", 0, 0, 45), pi / 4);
  EXPECT_DOUBLE_EQ(value("(t + a) deg", 20, 25), pi / 4);
  EXPECT_DOUBLE_EQ(value("2*30 deg"), pi / 3);
  EXPECT_DOUBLE_EQ(value("sin(30 deg)"), 0.5);
  EXPECT_DOUBLE_EQ(value("max(30, 60) deg"), pi / 3);
}

TEST(Formula, KnowsWhetherItIsAnAngle) {
  const auto angle = [](const char* text) { return Expression::parse(text, names).has_angle_unit(); };
  EXPECT_TRUE(angle("30 deg"));
  EXPECT_TRUE(angle("-(t + 30 deg)"));
  EXPECT_TRUE(angle("sin(t) deg"));
  EXPECT_FALSE(angle("sin(30 deg)"));
  EXPECT_FALSE(angle("2*cos((30 deg))"));
  EXPECT_FALSE(angle("pi/6"));
}

TEST(Formula, DoesNotHideNotANumber) {
  for (const char* text : {"min(0/0, 1)", "min(1, 0/0)", "max(0/0, 1)", "max(1, 0/0)", "if(0/0, 1, 2)", "not (0/0)",
                           "1 and 0/0", "0 or 0/0", "step(0/0)", "smoothstep(0/0)", "ramp(0/0)", "sign(0/0)",
                           "abs(0/0)", "pulse(0/0, 1)", "clamp(0/0, 0, 1)"})
    EXPECT_TRUE(std::isnan(value(text))) << text;
  EXPECT_EQ(value("0 and 0/0"), 0);
  EXPECT_EQ(value("1 or 0/0"), 1);
}

TEST(Formula, FoldsWhatIsConstantAndKnowsWhatItUses) {
  const Expression constant = Expression::parse("2*pi + sin(30 deg)^2", names);
  EXPECT_TRUE(constant.is_constant());
  EXPECT_EQ(constant.value({}), 2 * pi + std::sin(30 * pi / 180) * std::sin(30 * pi / 180));
  const Expression one = Expression::parse("2*a + 1", names);
  EXPECT_FALSE(one.is_constant());
  EXPECT_FALSE(one.uses(0));
  EXPECT_TRUE(one.uses(1));
  EXPECT_FALSE(one.uses(2));
  EXPECT_FALSE(one.uses(17));
}

TEST(Formula, IsZeroUnlessToldOtherwise) {
  EXPECT_EQ(Expression().value({}), 0);
  EXPECT_TRUE(Expression().is_constant());
  EXPECT_EQ(Expression(2.5).value({}), 2.5);
  EXPECT_EQ(Expression(2.5).text(), "2.5");
  EXPECT_EQ(Expression(0.1).along({}, {}, {}).second, 0);
}

TEST(Formula, KeepsItsTextAsWritten) {
  const Expression f = Expression::parse(" 2 * a+t ", names);
  EXPECT_EQ(f.text(), " 2 * a+t ");
  const double values[] = {0, 3, 0};
  const bool bound[] = {false, true, false};
  EXPECT_EQ(f.bind(values, bound).text(), " 2 * a+t ");
}

TEST(Formula, BindRenumbersTheRemainingVariables) {
  const Expression f = Expression::parse("t + 10*a + 100*theta0", names);
  const double values[] = {0, 2, 0};
  const bool bound[] = {false, true, false};
  const Expression g = f.bind(values, bound);
  const double x[] = {1, 3};
  EXPECT_EQ(g.value(x), 321);
  EXPECT_TRUE(g.uses(0));
  EXPECT_TRUE(g.uses(1));
  EXPECT_FALSE(g.uses(2));
  const bool all[] = {true, true, true};
  EXPECT_TRUE(f.bind(values, all).is_constant());
}

TEST(Formula, RefusesTooFewValues) {
  const Expression f = Expression::parse("theta0", names);
  const double x[] = {1, 2};
  EXPECT_THROW(f.value(x), std::invalid_argument);
  EXPECT_THROW(f.along(x, {}, {}), std::invalid_argument);
}

TEST(Formula, VariablesShadowNothing) {
  const std::vector<std::string> greedy = {"pi", "sin", "x"};
  const double x[] = {1, 2, 3};
  EXPECT_EQ(Expression::parse("pi", greedy).value(x), pi);
  for (const char* word : {"pi", "e", "deg", "and", "or", "not", "sin", "if"}) EXPECT_TRUE(is_reserved(word)) << word;
  for (const char* word : {"t", "L", "E", "Sin", ""}) EXPECT_FALSE(is_reserved(word)) << word;
}

TEST(Formula, EveryFunctionIsDescribedAndCanBeCalled) {
  for (const FunctionInfo& f : functions()) {
    EXPECT_FALSE(f.help.empty()) << f.name;
    std::string call = f.name + "(t";
    for (int i = 1; i < f.min_arguments; ++i) call += ", a";
    EXPECT_NO_THROW(Expression::parse(call + ")", names)) << call;
  }
}

}  // namespace
}  // namespace mortise::formula
