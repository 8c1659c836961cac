// The genetic search at length: a hundred seeds a variant, and longer motions.
#include <gtest/gtest.h>

#include "gauss/pendulum_motion.h"
#include "mortise/gauss/genetic.h"
#include "mortise/gauss/genetic_search.h"
#include "mortise/gauss/udwadia_kalaba.h"

namespace mortise::gauss::testing {
namespace {

using Variant = GeneticSettings::Variant;

struct Bar {
  Variant variant;
  int runs;
  double median, worst;
};

class HundredSeeds : public ::testing::TestWithParam<Bar> {};

TEST_P(HundredSeeds, FindTheDoublePendulumFromFifty) {
  const DoublePendulum p;
  GaussFunction f(4, 2);
  f.set_matrices(p.problem.dense_M(), p.problem.dense_A());
  f.set_right_sides(p.problem.Q, p.problem.b);
  GeneticSettings settings;
  settings.variant = GetParam().variant;
  settings.range = 50;
  settings.runs = GetParam().runs;
  std::vector<double> errors;
  for (settings.seed = 1; settings.seed <= 100; ++settings.seed) {
    const std::vector<SearchRun> table = table_of_runs(f, settings);
    errors.push_back(
        (table[static_cast<std::size_t>(settings.runs)].a - DoublePendulum::exact()).cwiseAbs().maxCoeff());
  }
  std::sort(errors.begin(), errors.end());
  RecordProperty("median", std::to_string(errors[50]));
  RecordProperty("worst", std::to_string(errors.back()));
  EXPECT_LT(errors[50], GetParam().median);
  EXPECT_LT(errors.back(), GetParam().worst);
}

INSTANTIATE_TEST_SUITE_P(, HundredSeeds,
                         ::testing::Values(Bar{Variant::global, 8, 1e-3, 1e-2}, Bar{Variant::cellular, 8, 3e-4, 1e-2},
                                           Bar{Variant::island, 10, 1e-5, 1e-3}));

TEST(Genetic, FollowsTheDoublePendulumForThreeSecondsWithAnySeed) {
  const Eigen::Vector2d truth = swing(UdwadiaKalaba(), 1e-3, 3000).angles();
  for (unsigned seed = 1; seed <= 5; ++seed) {
    FormulationSettings settings;
    settings.seed = seed;
    const Eigen::Vector2d off = swing(Genetic(settings), 1e-2, 300).angles() - truth;
    const Eigen::Vector2d turned(std::remainder(off[0], 2 * EIGEN_PI), std::remainder(off[1], 2 * EIGEN_PI));
    RecordProperty("angle_error_" + std::to_string(seed), std::to_string(turned.cwiseAbs().maxCoeff()));
    EXPECT_LT(turned.cwiseAbs().maxCoeff(), 1e-2) << seed;
  }
}

TEST(Genetic, CellsAndIslandsFollowItToo) {
  const Eigen::Vector2d truth = swing(UdwadiaKalaba(), 1e-3, 1000).angles();
  FormulationSettings settings;
  const double cells = (swing(*make_cellular(settings), 1e-2, 100).angles() - truth).cwiseAbs().maxCoeff();
  settings.islands = 3;
  const double islands = (swing(Genetic(settings), 1e-2, 100).angles() - truth).cwiseAbs().maxCoeff();
  EXPECT_LT(cells, 1e-3);
  EXPECT_LT(islands, 1e-3);
}

}  // namespace
}  // namespace mortise::gauss::testing
