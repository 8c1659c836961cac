// Strobe pictures and pages of models with hostile names, spatial ones, of one frame, of frames that are not finite.
#include "mortise/view/page.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"
#include "view/xml_check.h"

namespace mortise::view {
namespace {

using test::occurrences;
using test::XmlCheck;

std::unique_ptr<mechanism::Mechanism> compile(const std::string& text) {
  return mechanism::Mechanism::compile(
      std::make_shared<const model::Model>(io::load_model_text(text, "test.yaml", mechanism::catalogue())));
}

const std::string planar = R"yaml(
mortise: 1
name: "<script>alert('crank & rod')</script>"
dimension: planar
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, inertia: 0.1, at: [0.5, 0], points: {tip: [0.5, 0]}}
  plate: {mass: 1, inertia: 0.1, at: [1.5, 0], points: {a: [0, 1], b: [0, -1]}}
  bob: {type: particle, mass: 1, at: [3, 0]}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0]}
  B: {type: revolute, between: [crank, plate], at: [1, 0]}
  C: {type: distance, between: [plate, bob], length: 1.5}
analysis: {until: 1}
)yaml";

const std::string spatial = R"yaml(
mortise: 1
name: top
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  top: {mass: 1, inertia: [0.1, 0.1, 0.05], at: [0, 0, 1]}
joints:
  A: {type: spherical, between: [ground, top], at: [0, 0, 0]}
analysis: {until: 1}
)yaml";

// Turns the first body about the z axis; frame `bad` is not finite.
Run turning(const mechanism::Mechanism& m, std::uint64_t count, std::uint64_t bad = ~std::uint64_t{0}) {
  Run run;
  run.header.model_name = m.model().name;
  run.header.v_size = m.pattern().n();
  run.header.rows = m.pattern().m();
  run.summary.status = "done";
  run.summary.rank = m.pattern().m();
  run.finished = true;
  run.frames.count = count;
  run.frames.read = [&m, bad](std::uint64_t k, analysis::Frame& f) {
    const State state = m.initial_state();
    const auto bodies = static_cast<Eigen::Index>(m.bodies().size());
    f.t = 0.01 * static_cast<double>(k);
    f.q = state.q;
    f.v = state.v;
    if (m.dimension() == 2)
      f.q[2] = f.t, f.q[0] = 0.5 * std::cos(f.t), f.q[1] = 0.5 * std::sin(f.t);
    else
      f.q.segment<7>(0) << std::sin(f.t), 0, std::cos(f.t), std::cos(f.t / 2), 0, std::sin(f.t / 2), 0;
    f.pose.setZero(bodies * 7);
    f.work.setZero(work_count);
    f.kinetic = f.t;
    f.position_error = 1e-15;
    if (k == bad) f.q.setConstant(std::numeric_limits<double>::quiet_NaN()), f.kinetic = std::nan("");
  };
  return run;
}

std::string drawn(const Strobe& strobe) {
  Svg svg(600, 600, "test");
  draw(svg, strobe, {0, 0, 600, 600});
  const std::string text = svg.finish();
  EXPECT_EQ(XmlCheck::complaint(text), "");
  return text;
}

TEST(Strobe, HasOneGroupPerPoseAndBody) {
  const auto m = compile(planar);
  const Strobe strobe = make_strobe(*m, turning(*m, 300).frames);
  ASSERT_EQ(strobe.poses.size(), 14u);
  EXPECT_EQ(strobe.times.front(), 0);
  EXPECT_NEAR(strobe.times.back(), 2.99, 1e-12);
  EXPECT_TRUE(std::is_sorted(strobe.times.begin(), strobe.times.end()));
  const std::string text = drawn(strobe);
  EXPECT_EQ(occurrences(text, "class=\"pose\""), 14u);
  EXPECT_EQ(occurrences(text, "class=\"body\""), 14u * 3u);
  EXPECT_EQ(occurrences(text, "class=\"pivot\""), 1u);
  EXPECT_EQ(occurrences(text, "class=\"trace\""), 3u);
}

TEST(Strobe, TakesShapesFromJointsAndNamedPoints) {
  const Skeleton s = make_skeleton(*compile(planar));
  EXPECT_EQ(s.bodies[0].points.size(), 2u);  // A and B; tip coincides with B
  EXPECT_EQ(s.bodies[1].points.size(), 4u);  // B, C at the origin, a, b
  EXPECT_TRUE(s.bodies[2].particle);
  EXPECT_EQ(s.rods.size(), 1u);
  EXPECT_EQ(s.tracers.size(), 3u);
  EXPECT_EQ(s.tracers[0].name, "crank.tip");
}

TEST(Strobe, SpreadsItsPosesOverTheMotion) {
  // A swing whose phases equal times would meet again and again.
  std::vector<Eigen::VectorXd> columns;
  for (int k = 0; k <= 400; ++k) columns.push_back(Eigen::Vector3d(std::sin(M_PI * k / 100), 0, 0));
  const auto chosen = spread_choice(columns, 9);
  ASSERT_EQ(chosen.size(), 9u);
  std::vector<double> x;
  for (const std::size_t k : chosen) x.push_back(columns[k].x());
  std::sort(x.begin(), x.end());
  EXPECT_LT(x.front(), -0.99);
  EXPECT_GT(x.back(), 0.99);
  double widest = 0;
  for (std::size_t k = 1; k < x.size(); ++k) widest = std::max(widest, x[k] - x[k - 1]);
  EXPECT_LT(widest, 0.6);
}

TEST(Strobe, TracesEveryFrameOrSaysFromWhenOn) {
  const auto m = compile(planar);
  const Strobe brief = make_strobe(*m, turning(*m, 500).frames);
  EXPECT_EQ(brief.traces[0].size(), 500u);
  EXPECT_FALSE(brief.traced_from);
  const Strobe long_one = make_strobe(*m, turning(*m, 10000).frames);
  EXPECT_EQ(long_one.traces[0].size(), 3000u);
  EXPECT_NEAR(*long_one.traced_from, 70, 1e-9);
  EXPECT_NE(drawn(long_one).find("paths from t = 70 s on"), std::string::npos);
}

TEST(Strobe, OfARestShowsFirstAndLast) {
  EXPECT_EQ(spread_choice(std::vector<Eigen::VectorXd>(50, Eigen::Vector3d(1, 2, 3)), 9).size(), 2u);
  EXPECT_EQ(spread_choice({Eigen::Vector3d(1, 2, 3)}, 9).size(), 1u);
  EXPECT_TRUE(spread_choice({}, 9).empty());
}

TEST(Strobe, LooksAtSpatialModelsFromACornerWithGravityDown) {
  const auto m = compile(spatial);
  const Strobe strobe = make_strobe(*m, turning(*m, 100).frames);
  EXPECT_GT(strobe.camera.up.z(), 0.5);
  EXPECT_NEAR(strobe.camera.up.dot(strobe.camera.right), 0, 1e-12);
  const std::string text = drawn(strobe);
  EXPECT_NE(text.find("isometric, seen from ("), std::string::npos);
  EXPECT_NE(text.find("z up"), std::string::npos);
}

TEST(Strobe, HullsAreConvexAndFlatOnesAreBars) {
  EXPECT_EQ(convex_hull({{0, 0}, {2, 0}, {1, 0.5}, {2, 2}, {0, 2}, {1, 1}}).size(), 4u);
  EXPECT_EQ(convex_hull({{0, 0}, {1, 1}, {2, 2}}).size(), 2u);
  EXPECT_EQ(convex_hull({{1, 1}}).size(), 1u);
}

TEST(Page, OverviewIsWellFormedAndEscapesNames) {
  for (const std::string& text : {planar, spatial}) {
    const auto m = compile(text);
    const std::string page = overview_page(*m, turning(*m, 200));
    EXPECT_EQ(XmlCheck::complaint(page), "");
    EXPECT_EQ(page.find("<script"), std::string::npos);
    EXPECT_EQ(page.find("href"), std::string::npos);
    EXPECT_NE(page.find("Energy error"), std::string::npos);
    EXPECT_NE(page.find("degree"), std::string::npos);
  }
}

TEST(Page, OfOneFrameOfNoneAndOfBrokenOnes) {
  const auto m = compile(planar);
  for (const view::Run& run :
       {turning(*m, 1), turning(*m, 0), turning(*m, 1, 0), turning(*m, 50, 20), turning(*m, 2, 1)}) {
    const std::string page = overview_page(*m, run);
    EXPECT_EQ(XmlCheck::complaint(page), "");
    EXPECT_EQ(page.find("nan"), std::string::npos);
  }
}

TEST(Page, SaysThatARunIsUnfinished) {
  const auto m = compile(planar);
  view::Run run = turning(*m, 20);
  run.finished = false;
  run.summary = {};
  EXPECT_NE(overview_page(*m, run).find("unfinished run"), std::string::npos);
}

TEST(Page, HasOnePanelPerUnit) {
  const auto m = compile(planar);
  std::vector<analysis::Quantity> quantities;
  for (const char* name : {"crank.tip.x", "energy.kinetic", "crank.tip.y", "energy.total"})
    quantities.push_back(analysis::find_quantity(*m, name));
  const std::string page = quantity_page(*m, turning(*m, 20), quantities, false);
  EXPECT_EQ(XmlCheck::complaint(page), "");
  EXPECT_EQ(occurrences(page, "class=\"panel\""), 2u);
}

}  // namespace
}  // namespace mortise::view
