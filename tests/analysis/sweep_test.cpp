// Sweeps: grids and samples, the same table for any number of jobs, failed cases with their reason, interruption.
#include "mortise/analysis/sweep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"
#include "support/examples.h"

namespace mortise::test {
namespace {

using analysis::SweepCase;
using analysis::SweepTable;

const char* const pendulum = R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
parameters: {L: 1, start: 0.5}
bodies:
  rod: {mass: 1, inertia: L^2/12, at: [0, 0], center: [0, -L/2], angle: start}
joints:
  A: {type: revolute, between: [ground, rod], at: [0, 0]}
analysis: {type: sweep, until: 1, sweep: {vary: {L: [1]}, quantities: [rod.angle]}}
output: {every: 0.01}
)";

SweepTable sweep(const std::string& text, const Settings& settings, const analysis::SweepOptions& options = {}) {
  const auto base = text_mechanism(text, settings);
  const std::string resolved = base->model().text;
  return analysis::run_sweep(
      base->model().analysis.sweep, [&](const Settings& more) { return text_mechanism(resolved, more); }, options);
}

TEST(Sweep, CoversAGridWithTheLastPathFastest) {
  const SweepTable t = sweep(
      pendulum, {"analysis.sweep={vary: {start: [0.1, 0.2], L: {from: 1, to: 2, count: 3}}, quantities: [rod.angle, "
                 "max(rod.wz), min(rod.wz), mean(t)]}"});
  ASSERT_EQ(t.cases.size(), 6u);
  EXPECT_EQ(t.cases[1].values, (std::vector<double>{0.1, 1.5}));
  EXPECT_EQ(t.cases[3].values, (std::vector<double>{0.2, 1}));
  for (const SweepCase& c : t.cases) {
    ASSERT_EQ(c.status, SweepCase::Status::done) << c.reason;
    const double start = c.values[0], L = c.values[1];
    // The same case on its own gives the same bits.
    const Recording own = run_text(
        pendulum, {"analysis.type=dynamics", fmt::format("L={:.17g}", L), fmt::format("start={:.17g}", start)});
    EXPECT_EQ(c.results[0], own.last("rod.angle"));
    // Speed at the bottom, by energy; at most a frame away from a frame.
    const double fastest = std::sqrt(3 * 9.81 / L * (1 - std::cos(start)));
    EXPECT_NEAR(std::max(c.results[1], -c.results[2]), fastest, 1e-3 * fastest);
    EXPECT_NEAR(c.results[3], 0.5, 1e-12);
  }
  EXPECT_EQ(t.units, (std::vector<std::string>{"rad", "rad/s", "rad/s", "s"}));
}

TEST(Sweep, GivesTheSameTableForAnyNumberOfJobs) {
  const std::string how =
      "analysis.sweep={vary: {start: {between: [0.1, 3]}, L: {between: [0.5, 2]}, "
      "bodies.rod.mass: [1, 2, 3]}, samples: 12, seed: 7, quantities: [rod.angle, A.reaction.fy], jobs: ";
  const SweepTable one = sweep(pendulum, {how + "1}"}), two = sweep(pendulum, {how + "2}"}),
                   all = sweep(pendulum, {how + "0}"});
  ASSERT_EQ(one.cases.size(), 12u);
  EXPECT_EQ(one.count(SweepCase::Status::done), 12);
  EXPECT_EQ(analysis::sweep_csv(one), analysis::sweep_csv(two));
  EXPECT_EQ(analysis::sweep_csv(one), analysis::sweep_csv(all));
  EXPECT_EQ(analysis::sweep_text(one), analysis::sweep_text(two));
  const SweepTable other = sweep(pendulum, {how + "1}", "analysis.sweep.seed=8"});
  EXPECT_NE(analysis::sweep_csv(one), analysis::sweep_csv(other));
  for (const SweepCase& c : one.cases) {
    EXPECT_GE(c.values[0], 0.1);
    EXPECT_LT(c.values[0], 3);
  }
}

// Whether it can be closed depends on the length: cases that cannot are listed with what went wrong, and the rest is
// there.
TEST(Sweep, ListsFailedCasesWithTheirReason) {
  const SweepTable t = sweep(R"(
mortise: 1
dimension: planar
parameters: {l: 2}
bodies:
  rod: {mass: 1, inertia: 1, at: [0, 0], angle: 0.6, points: {end: [l, 0]}}
joints:
  A: {type: revolute, between: [ground, rod], at: [0, 0]}
  B: {type: point-on-line, between: [ground, rod], points: [[1.5, 0], [l, 0]], axis: [0, 1]}
analysis: {type: sweep, sweep: {of: assemble, vary: {l: [1, 2, -3, 4]}, quantities: [rod.angle]}}
)",
                             {});
  ASSERT_EQ(t.cases.size(), 4u);
  EXPECT_EQ(t.cases[0].status, SweepCase::Status::failed);
  EXPECT_TRUE(t.cases[0].reason.starts_with("S431: these cannot hold together")) << t.cases[0].reason;
  ASSERT_EQ(t.cases[1].status, SweepCase::Status::done) << t.cases[1].reason;
  EXPECT_NEAR(std::abs(t.cases[1].results[0]), std::acos(1.5 / 2), 1e-10);
  EXPECT_EQ(t.cases[3].status, SweepCase::Status::done) << t.cases[3].reason;
  const std::string text = analysis::sweep_text(t);
  EXPECT_NE(text.find("case 1: S431"), std::string::npos) << text;
  EXPECT_NE(analysis::sweep_csv(t).find("\"S431: "), std::string::npos);
}

TEST(Sweep, RepeatsEveryKindOfAnalysis) {
  const SweepTable modes =
      sweep(pendulum, {"analysis.sweep={of: modes, vary: {L: [0.5, 2]}, quantities: [mode1.frequency, mode1.damping, "
                       "mode2.frequency]}"});
  for (const SweepCase& c : modes.cases) {
    ASSERT_EQ(c.status, SweepCase::Status::done) << c.reason;
    EXPECT_NEAR(c.results[0], std::sqrt(1.5 * 9.81 / c.values[0]) / (2 * M_PI), 1e-9);
    EXPECT_NEAR(c.results[1], 0, 1e-12);
    EXPECT_TRUE(std::isnan(c.results[2]));
  }
  const SweepTable statics =
      sweep(pendulum, {"analysis.sweep={of: statics, vary: {start: [-1, 1]}, quantities: [rod.angle, A.reaction.fy]}"});
  for (const SweepCase& c : statics.cases) {
    ASSERT_EQ(c.status, SweepCase::Status::done) << c.reason;
    EXPECT_NEAR(c.results[0], 0, 1e-12);
    EXPECT_NEAR(c.results[1], 9.81, 1e-12);
  }
  std::ifstream file(MORTISE_SOURCE_DIR "/examples/kinematics-four-bar.yaml");
  std::ostringstream four_bar;
  four_bar << file.rdbuf();
  const SweepTable kinematics = sweep(
      four_bar.str(), {"analysis.sweep={of: kinematics, vary: {speed: [10, 20]}, quantities: [max(rocker.alphaz)]}",
                       "analysis.until=0.05", "output.every=0.01"});
  ASSERT_EQ(kinematics.count(SweepCase::Status::done), 2);
}

TEST(Sweep, KeepsWhatIsDoneWhenInterrupted) {
  std::atomic<int> interrupt{0};
  analysis::SweepOptions options;
  options.interrupt = &interrupt;
  options.progress = [&](long done, long) {
    if (done == 3) interrupt = 2;
  };
  const SweepTable t = sweep(
      pendulum, {"analysis.sweep={vary: {L: {from: 1, to: 2, count: 8}}, jobs: 1, quantities: [rod.angle]}"}, options);
  EXPECT_TRUE(t.interrupted);
  EXPECT_EQ(t.count(SweepCase::Status::done), 3);
  EXPECT_EQ(t.count(SweepCase::Status::waiting), 5);
  EXPECT_NE(analysis::sweep_text(t).find("not run: 5 of 8"), std::string::npos);
}

TEST(Sweep, NamesMistakesAtTheirPlace) {
  const auto mistake = [](const std::string& sweep_text) {
    try {
      sweep(pendulum, {"analysis.sweep=" + sweep_text});
    } catch (const ModelError& error) {
      const Diagnostic& d = error.diagnostics().front();
      EXPECT_TRUE(d.place.known() || d.code == "M611") << d.message;
      return d.code;
    }
    return std::string("none");
  };
  EXPECT_EQ(mistake("{vary: {L: [1, 2]}}"), "M473") << "no quantities";
  EXPECT_EQ(mistake("{quantities: [rod.x]}"), "M206") << "nothing to vary";
  EXPECT_EQ(mistake("{vary: {}, quantities: [rod.x]}"), "M473");
  EXPECT_EQ(mistake("{vary: {L: 3}, quantities: [rod.x]}"), "M473");
  EXPECT_EQ(mistake("{vary: {L: {between: [2, 1]}}, samples: 3, quantities: [rod.x]}"), "M473");
  EXPECT_EQ(mistake("{vary: {L: {between: [1, 2]}}, quantities: [rod.x]}"), "M473") << "no number of samples";
  EXPECT_EQ(mistake("{vary: {L: [1]}, quantities: [rod.z]}"), "M160");
  EXPECT_EQ(mistake("{vary: {K: [1]}, quantities: [rod.x]}"), "M611");
  EXPECT_EQ(mistake("{vary: {L: [1]}, of: modes, quantities: [rod.x]}"), "M474");
  EXPECT_EQ(mistake("{vary: {L: [1]}, of: sweep, quantities: [rod.x]}"), "M475");
  EXPECT_EQ(mistake("{vary: {L: [1]}, of: statik, quantities: [rod.x]}"), "M207");
  EXPECT_EQ(mistake("{vary: {L: [1]}, sample: 3, quantities: [rod.x]}"), "M103");
}

TEST(Sweep, RunsMotionsByRk4SideBySideWithTheSameResults) {
  const std::string vary = "vary: {start: {from: 0.1, to: 1, count: 3}, L: [1, 1.5, 2]}";
  const std::string quantities = "quantities: [rod.angle, max(rod.wz), mean(A.reaction.fy), energy.kinetic]";
  const Settings rk4{"analysis.integrator=rk4", "analysis.step=0.001", "analysis.until=0.3"};
  const auto with = [&](const std::string& sweep_text, const Settings& more = {}) {
    Settings all = rk4;
    all.push_back("analysis.sweep={" + sweep_text + "}");
    all.insert(all.end(), more.begin(), more.end());
    return sweep(pendulum, all);
  };
  const SweepTable lanes = with(vary + ", " + quantities),
                   alone = with(vary + ", " + quantities, {"analysis.formulation=lagrange"});
  EXPECT_EQ(lanes.in_lanes, 9);
  EXPECT_EQ(alone.in_lanes, 0);
  ASSERT_EQ(lanes.cases.size(), alone.cases.size());
  for (std::size_t k = 0; k < lanes.cases.size(); ++k) {
    ASSERT_EQ(lanes.cases[k].status, SweepCase::Status::done) << lanes.cases[k].reason;
    for (std::size_t j = 0; j < lanes.columns.size(); ++j)
      EXPECT_NEAR(lanes.cases[k].results[j], alone.cases[k].results[j],
                  1e-10 * std::max(1.0, std::abs(alone.cases[k].results[j])))
          << lanes.columns[j];
  }
  EXPECT_EQ(sweep_csv(lanes), sweep_csv(with(vary + ", jobs: 1, " + quantities)));
  // Frames between the steps: one by one; without frames they do not matter.
  EXPECT_EQ(with(vary + ", " + quantities, {"output.every=0.0125"}).in_lanes, 0);
  EXPECT_EQ(with(vary + ", quantities: [rod.angle]", {"output.every=0.0125"}).in_lanes, 9);
  // A case that cannot be loaded keeps its line and its reason, the others are not disturbed.
  const SweepTable some = with("vary: {bodies.rod.mass: [1, -1, 2]}, quantities: [rod.angle]");
  EXPECT_EQ(some.in_lanes, 2);
  EXPECT_EQ(some.cases[1].status, SweepCase::Status::failed);
  EXPECT_NE(some.cases[1].reason, "");
}

}  // namespace
}  // namespace mortise::test
