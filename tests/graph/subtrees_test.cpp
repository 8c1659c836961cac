// Parts of an elimination: no edge between two of them, and no more work than without.
#include "mortise/graph/subtrees.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "mortise/linalg/types.h"

namespace mortise::graph {
namespace {

struct Split {
  Elimination elimination;
  Parts parts;
  std::vector<int> sizes;  // of the parts; last: behind them

  Split(int vertices, const std::vector<std::vector<int>>& edges) {
    EliminationOptions options;
    options.late = middle(vertices, edges);
    elimination = eliminate(vertices, edges, options);
    parts = subtrees(elimination, std::vector<int>(index(vertices), 1));
    sizes.assign(index(parts.count) + 1, 0);
    for (const int part : parts.of) ++sizes[part < 0 ? index(parts.count) : index(part)];
  }

  // What is joined to a vertex when it is eliminated is of the same part, or behind all parts.
  bool is_apart() const {
    for (std::size_t v = 0; v < elimination.separator.size(); ++v)
      for (const int w : elimination.separator[v])
        if (parts.of[index(w)] >= 0 && parts.of[index(w)] != parts.of[v]) return false;
    return true;
  }
};

TEST(Subtrees, OfAPathAreItsHalves) {
  std::vector<std::vector<int>> edges;
  for (int k = 0; k + 1 < 10000; ++k) edges.push_back({k, k + 1});
  const Split split(10000, edges);
  ASSERT_EQ(split.parts.count, 2);
  EXPECT_TRUE(split.is_apart());
  EXPECT_NEAR(split.sizes[0], 5000, 600);
  EXPECT_LE(split.sizes[2], 1);
  EXPECT_EQ(split.elimination.width, 1);  // from both ends: no fill
}

TEST(Subtrees, OfALadderAreItsHalvesWithoutWiderFronts) {
  const int n = 3000;
  std::vector<std::vector<int>> edges;
  for (int k = 0; k < n; ++k) {
    edges.push_back({k, n + k});
    if (k + 1 < n) edges.push_back({k, k + 1}), edges.push_back({n + k, n + k + 1});
  }
  const Split split(2 * n, edges);
  ASSERT_GE(split.parts.count, 2);
  EXPECT_TRUE(split.is_apart());
  EXPECT_LE(split.elimination.width, 3);
  EXPECT_LE(split.sizes.back(), 10);
}

TEST(Subtrees, OfATreeAreItsBranches) {
  std::vector<std::vector<int>> edges;
  for (int k = 1; k < 8191; ++k) edges.push_back({(k - 1) / 2, k});
  const Split split(8191, edges);
  EXPECT_GE(split.parts.count, 4);
  EXPECT_TRUE(split.is_apart());
  const int largest = *std::max_element(split.sizes.begin(), split.sizes.end() - 1);
  EXPECT_LT(largest, 8191 / 3);
}

TEST(Subtrees, OfAnyGraphAreApart) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 200; ++trial) {
    const int vertices = 2 + static_cast<int>(random() % 300);
    std::vector<std::vector<int>> edges;
    for (int k = 1; k < vertices; ++k) {
      const unsigned reach = trial % 2 ? static_cast<unsigned>(k) : std::min(3u, static_cast<unsigned>(k));
      if (random() % 20 > 0) edges.push_back({k - 1 - static_cast<int>(random() % reach), k});
    }
    const Split split(vertices, edges);
    ASSERT_TRUE(split.is_apart()) << trial;
    ASSERT_EQ(std::accumulate(split.sizes.begin(), split.sizes.end(), 0), vertices);
    for (const int part : split.parts.of) ASSERT_LT(part, split.parts.count);
  }
}

}  // namespace
}  // namespace mortise::graph
