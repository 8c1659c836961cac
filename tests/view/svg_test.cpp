// The SVG writer: well-formed whatever names it is given.
#include "mortise/view/svg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "view/xml_check.h"

namespace mortise::view {
namespace {

using test::XmlCheck;

TEST(XmlCheck, SeesWhatIsWrong) {
  EXPECT_EQ(XmlCheck::complaint("<a b=\"1\"><c/>x &lt; y</a>\n"), "");
  for (const char* bad : {"<a>", "<a></b>", "<a b=1/>", "<a>&nbsp;</a>", "<a b=\"<\"/>", "<a/><b/>",
                          "<a b=\"1\" b=\"2\"/>", "<a>\x01</a>", "x<a/>", ""})
    EXPECT_NE(XmlCheck::complaint(bad), "") << bad;
}

TEST(Svg, EscapesNames) {
  EXPECT_EQ(escape("<script>alert('1')</script>"), "&lt;script&gt;alert(&apos;1&apos;)&lt;/script&gt;");
  EXPECT_EQ(escape("a & \"b\""), "a &amp; &quot;b&quot;");
  EXPECT_EQ(escape("Kurbel – φ €𝛼"), "Kurbel – φ €𝛼");
}

TEST(Svg, ReplacesWhatXmlDoesNotAllow) {
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(escape(std::string("a\0b", 3)), "a" + mark + "b");
  EXPECT_EQ(escape("\x1b[1m"), mark + "[1m");
  EXPECT_EQ(escape("\xff"), mark);
  EXPECT_EQ(escape("\xc0\xaf"), mark + mark);             // an overlong '/'
  EXPECT_EQ(escape("\xed\xa0\x80"), mark + mark + mark);  // a surrogate
  EXPECT_EQ(escape("\xe2\x82"), mark + mark);             // cut short
  EXPECT_EQ(escape("\xef\xbf\xbf"), mark);                // U+FFFF
}

TEST(Svg, IsWellFormedWithHostileNames) {
  Svg svg(100, 50, "</title><script>x</script>");
  svg.open("g", {{"class", "\"><script>"}});
  svg.title("<&>\x02");
  svg.text(1, 2, "<b>\xfe&amp;");
  svg.line(0, 0, std::nan(""), 1e300, {{"stroke", "'\""}});
  const std::string text = svg.finish();
  EXPECT_EQ(XmlCheck::complaint(text), "") << text;
  EXPECT_EQ(text.find("<script"), std::string::npos);
}

TEST(Svg, WritesShortNumbers) {
  EXPECT_EQ(short_number(1), "1");
  EXPECT_EQ(short_number(1.50), "1.5");
  EXPECT_EQ(short_number(-0.001), "0");
  EXPECT_EQ(short_number(-12.346), "-12.35");
  EXPECT_EQ(short_number(std::numeric_limits<double>::infinity()), "0");
}

TEST(Svg, PathsAreRelativeAndDoNotDrift) {
  Path path;
  path.move(0, 0);
  for (int k = 1; k <= 1000; ++k) path.line(0.04 * k, -0.04 * k);
  path.line(40, -40);
  double x = 0;
  const std::string& d = path.str();
  for (auto at = d.find('l'); at != std::string::npos; at = d.find('l', at + 1)) x += std::stod(d.substr(at + 1));
  EXPECT_NEAR(x, 40, 1e-9);
}

TEST(Svg, ShortensTextToFit) {
  EXPECT_EQ(shorten("crank", 200, 12), "crank");
  const std::string cut = shorten(std::string(500, 'x'), 200, 12);
  EXPECT_LE(text_width(cut, 12), 200);
  EXPECT_TRUE(cut.ends_with("…"));
}

}  // namespace
}  // namespace mortise::view
