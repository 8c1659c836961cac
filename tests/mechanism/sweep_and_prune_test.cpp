// The broad phase against all pairs.
#include "mortise/mechanism/contact/sweep_and_prune.h"

#include <gtest/gtest.h>

#include <random>

#include "support/allocation_counter.h"

namespace mortise::test {
namespace {

using mechanism::Bounds;
using mechanism::SweepAndPrune;

std::vector<Bounds> scene(unsigned seed, int count, const Eigen::Vector3d& size) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> place(-1, 1), extent(0, 0.1);
  std::vector<Bounds> out;
  for (int k = 0; k < count; ++k) {
    Eigen::Vector3d p, e;
    for (int i = 0; i < 3; ++i) p[i] = size[i] * place(engine), e[i] = extent(engine);
    out.push_back({p - e, p + e});
  }
  return out;
}

std::vector<SweepAndPrune::Pair> all_pairs(const std::vector<Bounds>& bounds) {
  std::vector<SweepAndPrune::Pair> out;
  for (std::size_t i = 0; i < bounds.size(); ++i)
    for (std::size_t j = i + 1; j < bounds.size(); ++j)
      if ((bounds[i].low.array() <= bounds[j].high.array()).all() &&
          (bounds[j].low.array() <= bounds[i].high.array()).all())
        out.emplace_back(static_cast<int>(i), static_cast<int>(j));
  return out;
}

TEST(SweepAndPrune, FindsTheSamePairsAsLookingAtAllOfThemInTheOrderOfTheirNumbers) {
  SweepAndPrune broad;
  std::size_t met = 0;
  for (unsigned seed = 1; seed <= 60; ++seed)
    for (const Eigen::Vector3d& size :
         {Eigen::Vector3d(1, 1, 1), Eigen::Vector3d(0.1, 3, 0.2), Eigen::Vector3d(1, 1, 0), Eigen::Vector3d(0, 0, 0)}) {
      const std::vector<Bounds> bounds = scene(seed, 1 + static_cast<int>(seed) * 3, size);
      const auto expected = all_pairs(bounds);
      ASSERT_EQ(broad.find(bounds), expected);
      met += expected.size();
    }
  EXPECT_GT(met, 10000u);
}

TEST(SweepAndPrune, CountsBoundsThatTouchAndForgetsWhatItSaw) {
  SweepAndPrune broad;
  const Eigen::Vector3d one = Eigen::Vector3d::Ones();
  EXPECT_TRUE(broad.find({}).empty());
  EXPECT_EQ(broad.find(std::vector<Bounds>{{one, 2 * one}, {2 * one, 3 * one}}).size(), 1u);
  const std::vector<Bounds> bounds = scene(7, 100, one);
  const auto first = broad.find(bounds);
  broad.find(scene(8, 300, one));
  EXPECT_EQ(broad.find(bounds), first);
}

TEST(SweepAndPrune, AllocatesNothingOnceItHasSeenTheScene) {
  if (!allocations_are_counted()) GTEST_SKIP();
  SweepAndPrune broad;
  const std::vector<Bounds> bounds = scene(9, 500, Eigen::Vector3d::Ones());
  broad.find(bounds);
  const AllocationCounter counter;
  for (int k = 0; k < 5; ++k) broad.find(bounds);
  EXPECT_EQ(counter.count(), 0);
}

}  // namespace
}  // namespace mortise::test
