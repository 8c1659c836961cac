// Ticks: round numbers that enclose the data, few enough to read.
#include "mortise/view/axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace mortise::view {
namespace {

// 1, 2 or 5 times a power of ten.
bool is_nice(double step) {
  const double mantissa = step / std::pow(10.0, std::floor(std::log10(step) + 1e-9));
  for (const double nice : {1.0, 2.0, 5.0})
    if (std::abs(mantissa - nice) < 1e-6) return true;
  return false;
}

void expect_good(double low, double high, int most) {
  const std::vector<double> ticks = nice_ticks(low, high, most);
  SCOPED_TRACE(testing::Message() << low << " … " << high << ", at most " << most);
  ASSERT_GE(ticks.size(), 2u);
  EXPECT_LE(ticks.size(), static_cast<std::size_t>(most));
  const double step = ticks[1] - ticks[0], slack = 1e-8 * step;
  EXPECT_LE(ticks.front(), low + slack);
  EXPECT_GE(ticks.back(), high - slack);
  EXPECT_TRUE(is_nice(step)) << step;
  for (std::size_t k = 1; k < ticks.size(); ++k) EXPECT_NEAR(ticks[k] - ticks[k - 1], step, 1e-6 * step);
}

TEST(Ticks, EncloseAnyRangeWithAtMostEightRoundNumbers) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-250, 250), sign(-1, 1);
  for (int k = 0; k < 2000; ++k) {
    const double size = std::pow(10, exponent(random));
    const double a = size * sign(random), b = size * sign(random);
    for (const int most : {3, 5, 8}) expect_good(std::min(a, b), std::max(a, b), most);
  }
}

TEST(Ticks, AreTheNumbersThatPeopleWrite) {
  EXPECT_EQ(nice_ticks(0, 20, 6), (std::vector<double>{0, 5, 10, 15, 20}));
  EXPECT_EQ(nice_ticks(-0.3, 0.3, 8), (std::vector<double>{-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3}));
}

TEST(Ticks, ConstantDataHasAnAxisAround) {
  for (const double value : {0.0, 5.0, -1e-12, 1e300, -3e-300, 5e-324}) {
    const std::vector<double> ticks = nice_ticks(value, value, 7);
    ASSERT_GE(ticks.size(), 2u) << value;
    EXPECT_LE(ticks.front(), value);
    EXPECT_GE(ticks.back(), value);
  }
}

TEST(Ticks, SurviveWhatIsNotANumber) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const double bad : {inf, -inf, std::nan("")}) EXPECT_GE(nice_ticks(bad, 1, 5).size(), 2u);
  EXPECT_LE(nice_ticks(-1.7e308, 1.7e308, 7).size(), 7u);
}

TEST(Decades, EncloseAndAreFew) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponent(-300, 295), width(0, 5);
  for (int k = 0; k < 2000; ++k) {
    const double e = exponent(random);
    const double low = std::pow(10, e), high = std::pow(10, std::min(e + std::pow(10, width(random) / 2), 299.0));
    const std::vector<double> ticks = decade_ticks(low, high, 7);
    ASSERT_GE(ticks.size(), 2u);
    EXPECT_LE(ticks.size(), 8u);
    EXPECT_LE(ticks.front(), low * (1 + 1e-6));
    EXPECT_GE(ticks.back(), high * (1 - 1e-6));
  }
  EXPECT_EQ(decade_ticks(1e-16, 1e-14), (std::vector<double>{1e-16, 1e-15, 1e-14}));
}

TEST(Labels, TakeOutSharedPowersAndOffsets) {
  const TickLabels plain = tick_labels({-0.5, 0, 0.5});
  EXPECT_EQ(plain.labels, (std::vector<std::string>{"−0.5", "0.0", "0.5"}));
  EXPECT_EQ(scaled_unit(plain, "J"), "J");
  const TickLabels tiny = tick_labels({-2e-8, 0, 2e-8});
  EXPECT_EQ(tiny.labels, (std::vector<std::string>{"−2", "0", "2"}));
  EXPECT_EQ(scaled_unit(tiny, "J"), "10⁻⁸ J");
  const TickLabels shifted = tick_labels({1013.25, 1013.25 + 1e-6, 1013.25 + 2e-6});
  EXPECT_EQ(shifted.labels, (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(scaled_unit(shifted, "J"), "10⁻⁶ J above 1013.25 J");
  EXPECT_EQ(power_of_ten(-16), "10⁻¹⁶");
}

TEST(Axis, MapsTicksIntoItsPixels) {
  const Axis linear(0.3, 9.7, 100, 0, false, true);
  for (const double t : linear.ticks()) EXPECT_TRUE(linear.pixel(t) >= -1e-9 && linear.pixel(t) <= 100 + 1e-9);
  const Axis log(1e-17, 3e-9, 100, 0, true, true);
  EXPECT_TRUE(std::isnan(log.pixel(0)));
  EXPECT_TRUE(std::isnan(log.pixel(-1)));
  EXPECT_NEAR(log.pixel(log.ticks().front()), 100, 1e-9);
  const Axis exact(0.3, 9.7, 0, 100, false, false);
  EXPECT_NEAR(exact.pixel(0.3), 0, 1e-9);
  EXPECT_NEAR(exact.pixel(9.7), 100, 1e-9);
}

}  // namespace
}  // namespace mortise::view
