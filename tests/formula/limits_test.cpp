// Bounds that hold for any input: size, nesting, stack, time, and no allocation while evaluating.
#include <gtest/gtest.h>

#include <chrono>

#include "mortise/formula/expression.h"
#include "support/allocation_counter.h"

namespace mortise::formula {
namespace {

const std::vector<std::string> names = {"t", "a"};

std::string repeated(const std::string& part, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += part;
  return all;
}

std::string message_of(const std::string& text) {
  const auto start = std::chrono::steady_clock::now();
  std::string message;
  try {
    Expression::parse(text, names);
  } catch (const FormulaError& e) {
    message = e.what();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  return message;
}

TEST(FormulaLimits, TenThousandOperationsAreEnough) {
  const double x[] = {2, 0};
  const std::string sum = "t" + repeated("+t", 4999);  // 5000 names, 4999 operators
  EXPECT_EQ(Expression::parse(sum, names).value(x), 10000);
  EXPECT_EQ(message_of(sum + "+t+t"), "the formula has more than 10000 operations");
  EXPECT_EQ(message_of("1" + repeated("+1", 1000000)), "the formula has more than 10000 operations");
}

TEST(FormulaLimits, NestsTwoHundredDeep) {
  const double x[] = {2, 0};
  EXPECT_EQ(Expression::parse(repeated("(", 200) + "t" + repeated(")", 200), names).value(x), 2);
  EXPECT_EQ(Expression::parse(repeated("-", 200) + "t", names).value(x), 2);
  EXPECT_EQ(Expression::parse(repeated("1+(", 200) + "t" + repeated(")", 200), names).value(x), 202);
}

TEST(FormulaLimits, RefusesDeeperNestingQuickly) {
  for (const char* part : {"(", "-", "+", "2^", "2**-", "not ", "sin(", "max(1,", "1+("})
    EXPECT_EQ(message_of(repeated(part, 100000)), "nested more than 200 deep") << part;
}

TEST(FormulaLimits, RefusesMoreOperandsThanTheStackHolds) {
  EXPECT_EQ(message_of(repeated("t or t < t + t*(", 100) + "t" + repeated(")", 100)),
            "more than 256 operands wait for their operators");
  EXPECT_EQ(message_of(repeated("if(1,2,", 100000)), "more than 256 operands wait for their operators");
  const double x[] = {1, 0};
  const Expression deep = Expression::parse(repeated("t + t*(", 127) + "t" + repeated(")", 127), names);
  EXPECT_EQ(deep.value(x), 128);
  EXPECT_EQ(deep.along(x, x, x).first, 1 + 127 + 127 * 128 / 2);
}

TEST(FormulaLimits, SurvivesLongWords) {
  EXPECT_NE(message_of(std::string(1000000, 'x')), "");
  EXPECT_NE(message_of(std::string(1000000, 'x') + "(1)"), "");
  EXPECT_NE(message_of(std::string(1000000, '9')), "");
  EXPECT_EQ(message_of("0." + std::string(100000, '9')), "");
  EXPECT_EQ(message_of(std::string(1000000, ' ') + "1"), "");
}

TEST(FormulaLimits, EvaluationDoesNotAllocate) {
  const Expression f = Expression::parse(
      "if(t < 1, smoothstep(t)*30 deg, sin(t)^2/hypot(t, a) + max(t, a, 1)^a) + mod(t, 2)*exp(-t)", names);
  const double x[] = {1.5, 2}, dx[] = {1, 0}, ddx[] = {0, 1};
  double grad[2], hessian[4], sum = 0;
  const long before = test::allocations_so_far();
  sum += f.value(x);
  sum += f.along(x, dx, ddx).second;
  sum += f.gradient(x, grad, hessian);
  sum += f.is_constant() + f.uses(1);
  const long after = test::allocations_so_far();
  EXPECT_EQ(after - before, 0);
  EXPECT_GT(sum, 0);
}

TEST(FormulaLimits, CopiesShareTheProgram) {
  const Expression f = Expression::parse("t + a", names);
  const long before = test::allocations_so_far();
  const Expression g = f;
  const long after = test::allocations_so_far();
  EXPECT_EQ(after - before, 0);
  EXPECT_EQ(&g.text(), &f.text());
}

}  // namespace
}  // namespace mortise::formula
