// Panels: whatever the data, the picture is well-formed and its curves lie inside.
#include "mortise/view/plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "view/xml_check.h"

namespace mortise::view {
namespace {

using test::occurrences;
using test::XmlCheck;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

std::string drawn_plot(const std::vector<double>& time, const std::vector<double>& y, bool log = false) {
  Svg svg(600, 300, "test");
  Panel panel{"Title", "m", {{"a", y, ""}, {"b & c", y, "", 3}}, log, true};
  draw(svg, panel, time, {0, 0, 600, 300});
  const std::string text = svg.finish();
  EXPECT_EQ(XmlCheck::complaint(text), "");
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_EQ(text.find("inf"), std::string::npos);
  return text;
}

TEST(Plot, DrawsConstantData) {
  for (const double value : {0.0, 1.0, -9.81, 1e-300, 1e300})
    EXPECT_EQ(occurrences(drawn_plot({0, 1, 2}, {value, value, value}), "<path"), 2u);
}

TEST(Plot, DrawsOneFrameAsADot) { EXPECT_EQ(occurrences(drawn_plot({3}, {1}), "h0\""), 2u); }

TEST(Plot, SaysWhenThereIsNothing) {
  EXPECT_NE(drawn_plot({}, {}).find("no finite value"), std::string::npos);
  EXPECT_NE(drawn_plot({0, 1}, {nan, inf}).find("no finite value"), std::string::npos);
  EXPECT_NE(drawn_plot({0, 1}, {0, -1}, true).find("no value above zero"), std::string::npos);
}

TEST(Plot, LeavesGapsAtWhatIsNotFinite) {
  const std::string text = drawn_plot({0, 1, 2, 3, 4, 5}, {0, 1, nan, 2, inf, 3});
  // A line, and a dot on either side of the infinite value; twice for the two series.
  EXPECT_EQ(occurrences(text, "h0"), 4u);
}

TEST(Plot, DrawsHugeAndTinyRanges) {
  drawn_plot({0, 1, 2}, {-1e308, 0, 1e308});
  drawn_plot({0, 1, 2}, {1e-320, 2e-320, 0});
  drawn_plot({0, 1e-9, 2e-9}, {1000, 1000 + 1e-9, 1000 - 1e-9});
  drawn_plot({0, 1, 2}, {1e-300, 1, 1e300}, true);
  drawn_plot({-1e300, 1e300}, {1, 2});
}

TEST(Plot, ThinsLongSeriesButKeepsPeaks) {
  std::vector<double> x, y;
  for (int k = 0; k < 200000; ++k) x.push_back(k * 500.0 / 200000), y.push_back(100 + (k % 7));
  y[77777] = 3;
  const std::string d = series_path(x, y, true);
  EXPECT_LT(d.size(), 40000u);
  double at = std::stod(d.substr(d.find(',') + 1)), lowest = at;
  for (auto l = d.find('l'); l != std::string::npos; l = d.find('l', l + 1)) {
    std::size_t used = 0;
    (void)std::stod(d.substr(l + 1), &used);
    at += std::stod(d.substr(l + 1 + used + (d[l + 1 + used] == ',')));
    lowest = std::min(lowest, at);
  }
  EXPECT_NEAR(lowest, 3, 1e-6);
  EXPECT_GT(series_path(x, y, false).size(), 400000u);
}

TEST(Plot, LegendsThatDoNotFitGoToMoreLines) {
  Panel few{"Energy", "J", {{"kinetic", {}, ""}, {"potential", {}, ""}}};
  Panel many{"Energy", "J", {}};
  for (int k = 0; k < 40; ++k) many.series.push_back({"a long name of a quantity " + std::to_string(k), {}, ""});
  EXPECT_GT(header_height(many, 500), 5 * header_height(few, 500));
}

}  // namespace
}  // namespace mortise::view
