// What the words of `mortise plot` stand for, and that the curves drawn are those of the numbers.
#include "mortise/view/curves.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"
#include "mortise/view/interactive.h"
#include "view/xml_check.h"

namespace mortise::view {
namespace {

const char* const arm_text = R"yaml(
mortise: 1
name: arm
dimension: planar
bodies:
  arm: {mass: 1, inertia: 0.1, at: [0, 0], points: {tip: [1, 0]}}
  arm-2: {mass: 1, inertia: 0.1, at: [1, 0]}
joints:
  A: {type: revolute, between: [ground, arm], at: [0, 0]}
analysis: {until: 1}
)yaml";

struct Arm {
  std::unique_ptr<mechanism::Mechanism> mechanism = mechanism::Mechanism::compile(
      std::make_shared<const model::Model>(io::load_model_text(arm_text, "test.yaml", mechanism::catalogue())));
  analysis::RunHeader header;
  std::vector<Curve> curves(const std::vector<std::string>& words, const std::string& against = "") {
    return find_curves(*mechanism, header, words, against);
  }
  std::vector<std::string> names(const std::vector<std::string>& words) {
    std::vector<std::string> out;
    for (const Curve& c : curves(words)) out.push_back((c.x ? c.x->name + ":" : "") + c.y.name);
    return out;
  }
  std::string complaint(const std::string& word) {
    try {
      curves({word});
    } catch (const ModelError& error) {
      return error.diagnostics().front().code + " " + error.diagnostics().front().hint;
    }
    return "";
  }
  // The arm turns at 1 rad/s.
  Run turning_arm(std::uint64_t count) {
    Run run;
    run.header.model_name = "arm";
    run.frames.count = count;
    run.frames.read = [this](std::uint64_t k, analysis::Frame& f) {
      const State state = mechanism->initial_state();
      f.t = 0.01 * static_cast<double>(k);
      f.q = state.q, f.v = state.v;
      f.q[2] = f.t, f.v[2] = 1;
      f.work.setZero(work_count);
      f.position_error = 1e-15;
    };
    return run;
  }
};

using Words = std::vector<std::string>;

TEST(Curves, GroupsAreWhatIsOneLevelBelow) {
  Arm arm;
  EXPECT_EQ(arm.names({"arm"}),
            (Words{"arm.x", "arm.y", "arm.angle", "arm.vx", "arm.vy", "arm.wz", "arm.ax", "arm.ay", "arm.alphaz"}));
  EXPECT_EQ(arm.names({"A.reaction"}), (Words{"A.reaction.fx", "A.reaction.fy", "A.reaction.tz"}));
  EXPECT_EQ(arm.names({"constraint"}).size(), 3u);
  EXPECT_EQ(arm.names({"energy"}).size(), 7u);
  EXPECT_EQ(arm.names({"arm.tip.x", "t"}), (Words{"arm.tip.x", "t"}));
}

TEST(Curves, PairsAndAgainstArePhasePlots) {
  Arm arm;
  EXPECT_EQ(arm.names({"arm.angle:arm.wz"}), Words{"arm.angle:arm.wz"});
  const std::vector<Curve> curves = arm.curves({"arm.wz", "arm.x:arm.y"}, "arm.angle");
  EXPECT_EQ(curves[0].x->name, "arm.angle");
  EXPECT_EQ(curves[1].x->name, "arm.x");
}

TEST(Curves, ViolationsHaveLogAxes) {
  Arm arm;
  EXPECT_TRUE(arm.curves({"constraint.position"})[0].log);
  EXPECT_FALSE(arm.curves({"energy.total"})[0].log);
}

TEST(Curves, FormulasAreOfQuantities) {
  Arm arm;
  const view::Run run = arm.turning_arm(101);
  std::vector<analysis::Quantity> quantities;
  for (const char* text : {"sin(arm.angle)^2 + 3*t", "arm.angle-arm.wz", "2*'arm-2.x'", "arm-2.x"})
    quantities.push_back(arm.curves({text})[0].y);
  const Table table = tabulate(*arm.mechanism, run.frames, quantities, {0.25, 0.5});
  ASSERT_EQ(table.time.size(), 26u);
  for (std::size_t k = 0; k < table.time.size(); ++k) {
    const double t = table.time[k];
    EXPECT_NEAR(table.columns[0][k], std::pow(std::sin(t), 2) + 3 * t, 1e-14);
    EXPECT_NEAR(table.columns[1][k], t - 1, 1e-14);
    EXPECT_NEAR(table.columns[2][k], 2, 1e-14);
    EXPECT_NEAR(table.columns[3][k], 1, 1e-14);
  }
}

TEST(Curves, MistakesNameTheNearest) {
  Arm arm;
  EXPECT_EQ(arm.complaint("arm.angel"), "M160 did you mean 'arm.angle'?");
  EXPECT_EQ(arm.complaint("enrgy"), "M160 did you mean 'energy'?");
  EXPECT_EQ(arm.complaint("A.recation"), "M160 did you mean 'A.reaction'?");
  EXPECT_EQ(arm.complaint("2*arm.agle"), "M160 did you mean 'arm.angle'?");
  EXPECT_EQ(arm.complaint("arm:arm.y"), "M160 take one of it, such as 'arm.x'");
  EXPECT_EQ(arm.complaint("arm.x +").substr(0, 4), "M401");
}

TEST(Curves, OfSeveralRunsShareAPanelEach) {
  Arm arm;
  std::vector<PlottedRun> runs;
  for (const char* name : {"first", "second"})
    runs.push_back({name, arm.mechanism.get(), arm.turning_arm(name == std::string("first") ? 101 : 31),
                    arm.curves({"arm.angle", "arm.tip.x:arm.tip.y"})});
  Readings readings;
  const std::string page = curve_page(runs, {}, &readings);
  EXPECT_EQ(test::XmlCheck::complaint(page), "");
  EXPECT_EQ(test::occurrences(page, "class=\"panel\""), 2u);
  EXPECT_NE(page.find(">second</text>"), std::string::npos);
  ASSERT_EQ(readings.size(), 2u);
  ASSERT_EQ(readings[0].series.size(), 2u);
  EXPECT_EQ(readings[0].series[1].x.size(), 31u);
  // A metre is as long in both directions, and scales bring values to where they are drawn.
  const Reading& circle = readings[1];
  EXPECT_NEAR(circle.x.per, -circle.y.per, 1e-9 * circle.x.per);
  for (std::size_t k = 0; k < circle.series[0].x.size(); ++k) {
    const double px = circle.x.at + circle.x.per * circle.series[0].x[k];
    const double py = circle.y.at + circle.y.per * circle.series[0].y[k];
    EXPECT_TRUE(px >= circle.area.x && px <= circle.area.right() && py >= circle.area.y && py <= circle.area.bottom());
  }
}

TEST(Curves, LongSeriesAreReadThinned) {
  Arm arm;
  Readings readings;
  curve_page({{"", arm.mechanism.get(), arm.turning_arm(20001), arm.curves({"arm.angle"})}}, {}, &readings);
  const Series& s = readings.at(0).series.at(0);
  EXPECT_LE(s.x.size(), most_readings);
  EXPECT_GT(s.x.size(), most_readings / 2);
  for (std::size_t k = 0; k < s.x.size(); ++k) EXPECT_NEAR(s.x[k], s.y[k], 1e-12);
}

TEST(Curves, LogarithmicScalesReadBack) {
  Svg svg(600, 300, "test");
  Panel panel{"work", "", {{"a", {10, 1000}, ""}}, true, true};
  panel.series[0].x = {1e-8, 1e-4};
  panel.log_x = panel.curve = true;
  panel.x_name = "error";
  Readings readings;
  draw(svg, panel, {}, {0, 0, 600, 300}, &readings);
  EXPECT_EQ(test::XmlCheck::complaint(svg.finish()), "");
  const Reading& r = readings.at(0);
  EXPECT_NEAR(r.x.at + r.x.per * -8, r.area.x, 1e-9);
  EXPECT_NEAR(r.x.at + r.x.per * -4, r.area.right(), 1e-9);
  EXPECT_NEAR(r.y.at + r.y.per * 1, r.area.bottom(), 1e-9);
  EXPECT_NEAR(r.y.at + r.y.per * 3, r.area.y, 1e-9);
}

TEST(Curves, NamesCannotEndTheScriptOfAPage) {
  Readings readings(1);
  readings[0].series.push_back({"</script><b>\xff", {1}, "#000"});
  readings[0].series[0].x = {1};
  const std::string page = html_page("<title>", "<svg></svg>", readings);
  EXPECT_EQ(test::occurrences(page, "</script>"), 2u);
  EXPECT_NE(page.find("<title>&lt;title&gt;</title>"), std::string::npos);
}

}  // namespace
}  // namespace mortise::view
