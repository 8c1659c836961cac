// The rivals of the genetic search, on its own example and with its number of values. Skipped where the module with
// pagmo2 was not built; then the error that a user meets is what is tested (tests/analysis/methods_test.cpp).
#include "mortise/gauss/rivals.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gauss/pendulum_motion.h"
#include "mortise/gauss/genetic_search.h"
#include "mortise/gauss/udwadia_kalaba.h"

namespace mortise::gauss::testing {
namespace {

class Rivals : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!rivals_missing().empty()) GTEST_SKIP() << rivals_missing();
  }
};

// In 8 runs of 6400 values from ±50, for 20 seeds: what is left, 5e-7, is the penalty's own error at w = 1e8.
TEST_P(Rivals, BeatTheBinaryCodeOnTheDoublePendulum) {
  const DoublePendulum p;
  GaussFunction f(p.pattern.n(), p.pattern.m());
  f.set_matrices(p.problem.dense_M(), p.problem.dense_A());
  f.set_right_sides(p.problem.Q, p.problem.b);
  GeneticSettings settings;
  settings.range = 50;
  std::vector<double> errors;
  for (settings.seed = 1; settings.seed <= 20; ++settings.seed) {
    const auto search = make_rival_search(GetParam(), f.n(), f.m(), settings);
    const std::vector<SearchRun> table = table_of_runs(f, *search, settings);
    errors.push_back((table.back().a - DoublePendulum::exact()).cwiseAbs().maxCoeff());
    EXPECT_LE(search->values(), 1.01 * settings.evaluations * static_cast<double>(table.size() - 1));
  }
  std::sort(errors.begin(), errors.end());
  RecordProperty("worst", fmt::format("{:.1e}", errors.back()));
  EXPECT_LT(errors.back(), 2e-6);
}

TEST_P(Rivals, TheSameSeedGivesTheSameBits) {
  const DoublePendulum p;
  GaussSolution first, second;
  for (GaussSolution* solution : {&first, &second}) {
    const auto factor = make_formulation(GetParam())->prepare(p.pattern);
    ASSERT_TRUE(factor->factor(p.problem, {}));
    solution->resize(p.pattern);
    factor->solve(as_span(p.problem.Q), as_span(p.problem.b), *solution);
  }
  EXPECT_EQ(first.a, second.a);
  EXPECT_LT((first.a - DoublePendulum::exact()).cwiseAbs().maxCoeff(), 1e-2);
}

INSTANTIATE_TEST_SUITE_P(Pagmo, Rivals, ::testing::Values("gauss-de", "gauss-cmaes"),
                         [](const auto& info) { return std::string(info.param).substr(6); });

}  // namespace
}  // namespace mortise::gauss::testing
