// One-file pages: nothing from outside, nothing that runs but what is named by its hash, and never too large.
#include "mortise/view/html_page.h"

#include <gtest/gtest.h>

#include <regex>

#include "mortise/view/web_assets.h"
#include "support/compile.h"
#include "support/examples.h"

namespace mortise::view {
namespace {

struct Page {
  mortise::test::Recording recording;
  Run run;
  Scene scene;
  HtmlInput input(const std::string& label) const { return {recording.mechanism.get(), &run, scene, label}; }
};

std::unique_ptr<Page> page_of(const std::string& example, const mortise::test::Settings& settings,
                              const std::string& name = "") {
  auto page = std::make_unique<Page>();
  page->recording = mortise::test::run_example(example, settings);
  const mortise::test::Recording& r = page->recording;
  page->run.header.model_name = name.empty() ? r.mechanism->model().name : name;
  page->run.header.dimension = r.mechanism->dimension();
  page->run.frames.count = r.frames.size();
  page->run.frames.read = [&r](std::uint64_t k, analysis::Frame& f) { f = r.frames[static_cast<std::size_t>(k)]; };
  page->scene = make_scene(*r.mechanism, page->run, first_diagnosis(*r.mechanism, page->run));
  return page;
}

std::size_t times_in(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(HtmlPage, AsksForNothingAndNamesItsScriptsByHash) {
  const auto page = page_of("five-bar", {"analysis.until=0.2"});
  const std::string html = html_page({page->input("out.h5")});
  EXPECT_EQ(html.find("src="), std::string::npos);
  for (const char* address : {"href=\"http", "url(http", "@import"}) EXPECT_EQ(html.find(address), std::string::npos);
  const std::size_t policy = html.find("Content-Security-Policy");
  ASSERT_NE(policy, std::string::npos);
  EXPECT_LT(policy, html.find("<style>"));
  const std::string rules = html.substr(policy, html.find('>', policy) - policy);
  EXPECT_NE(rules.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(times_in(rules, "'sha256-"), 3u);
  EXPECT_EQ(rules.find("unsafe"), std::string::npos);
}

TEST(HtmlPage, IsNotEndedByNamesThatLookLikeScripts) {
  const std::string evil = "</script><script>window.hurt = 1</script><!--";
  const auto page = page_of("five-bar", {"analysis.until=0.05"}, evil);
  const std::string plain = html_page({page_of("five-bar", {"analysis.until=0.05"})->input("out.h5")});
  const std::string html = html_page({page->input(evil)});
  EXPECT_EQ(html.find("<script>window.hurt"), std::string::npos);
  EXPECT_EQ(times_in(html, "<script"), times_in(plain, "<script"));
  EXPECT_EQ(times_in(html, "</script"), times_in(plain, "</script"));
  EXPECT_EQ(times_in(html, "<!--"), times_in(plain, "<!--"));
}

TEST(HtmlPage, LeavesFramesOutWhereItWouldBeTooLargeAndSaysSo) {
  const auto page = page_of("five-bar", {"analysis.until=20"});
  std::ostringstream whole, small;
  const HtmlReport all = write_html(whole, {page->input("out.h5")});
  EXPECT_EQ(all.kept, all.total);
  EXPECT_EQ(all.bytes, whole.str().size());
  const std::uint64_t limit = all.bytes - 250'000;
  const HtmlReport part = write_html(small, {page->input("out.h5")}, limit);
  EXPECT_LE(part.bytes, limit);
  EXPECT_LT(part.kept[0], part.total[0]);
  EXPECT_GT(part.kept[0], part.total[0] / 5);
  EXPECT_NE(small.str().find("\"count\":" + std::to_string(part.kept[0])), std::string::npos);
}

TEST(HtmlPage, HoldsTwoResultsSideBySide) {
  const auto one = page_of("five-bar", {"analysis.until=0.1"});
  const auto two = page_of("four-bar", {"analysis.until=0.1"});
  const std::string html = html_page({one->input("one.h5"), two->input("two.h5")});
  EXPECT_EQ(times_in(html, "/scene.json\""), 2u);
  EXPECT_NE(html.find("two.h5"), std::string::npos);
}

TEST(WebAssets, StandInAPageWithoutEndingTheirScript) {
  for (const WebAsset& asset : web_assets()) {
    EXPECT_FALSE(asset.content.empty()) << asset.name;
    EXPECT_EQ(asset.sha256.size(), 64u);
    if (!asset.type.starts_with("text/javascript")) continue;
    EXPECT_EQ(asset.content.find("</script"), std::string_view::npos) << asset.name;
    EXPECT_EQ(asset.content.find("<!--"), std::string_view::npos) << asset.name;
    EXPECT_EQ(asset.content.find("eval("), std::string_view::npos) << asset.name;
  }
  EXPECT_THROW(web_asset("../secret"), std::out_of_range);
}

}  // namespace
}  // namespace mortise::view
