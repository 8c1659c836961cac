// Orders of elimination: separators stay as small as the mechanism's loops.
#include "mortise/graph/elimination.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "mortise/linalg/types.h"

namespace mortise::graph {
namespace {

TEST(Elimination, OfAChainHasSeparatorsOfOneBody) {
  std::vector<std::vector<int>> edges;
  for (int k = 0; k + 1 < 100; ++k) edges.push_back({k, k + 1});
  const Elimination e = eliminate(100, edges);
  EXPECT_EQ(e.width, 1);
  EXPECT_EQ(e.order.size(), 100u);
}

// Two rails of 1000 bodies each, a rung at every one of them: one biconnected component, no cut vertex at all.
TEST(Elimination, OfALadderHasSeparatorsOfTwoBodies) {
  const int n = 1000;
  std::vector<std::vector<int>> edges;
  for (int k = 0; k < n; ++k) {
    edges.push_back({k, n + k});
    if (k + 1 < n) edges.push_back({k, k + 1}), edges.push_back({n + k, n + k + 1});
  }
  EXPECT_EQ(eliminate(2 * n, edges).width, 2);
}

TEST(Elimination, OfABodyThatCarriesThousandsLeavesItToTheEnd) {
  std::vector<std::vector<int>> edges;
  for (int k = 1; k < 5000; ++k) edges.push_back({0, k});
  const Elimination e = eliminate(5000, edges);
  EXPECT_EQ(e.width, 1);
  EXPECT_GE(e.position[0], 4998);
}

// What makes it a tree decomposition: the bodies of every joint are in the front of the one that goes first.
TEST(Elimination, KeepsTheBodiesOfEveryJointTogether) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const int n = 12;
    std::vector<std::vector<int>> edges;
    for (int k = 0; k < 18; ++k) {
      std::set<int> edge;
      const int size = 1 + static_cast<int>(random() % 3);
      while (static_cast<int>(edge.size()) < size) edge.insert(static_cast<int>(random() % n));
      edges.emplace_back(edge.begin(), edge.end());
    }
    const Elimination e = eliminate(n, edges);
    for (const auto& edge : edges) {
      const int first = *std::min_element(edge.begin(), edge.end(),
                                          [&](int a, int b) { return e.position[index(a)] < e.position[index(b)]; });
      for (const int other : edge)
        EXPECT_EQ(std::count(e.separator[index(first)].begin(), e.separator[index(first)].end(), other),
                  other == first ? 0 : 1);
    }
    for (int v = 0; v < n; ++v)  // and what is handed on fits into the parent's front
      for (const int other : e.separator[index(v)]) {
        const int parent = e.parent[index(v)];
        EXPECT_EQ(std::count(e.separator[index(parent)].begin(), e.separator[index(parent)].end(), other),
                  other == parent ? 0 : 1);
      }
  }
}

// A star: the centre has many neighbours and would go last; its rays go first unless they have to wait for it.
TEST(Elimination, LetsVerticesWaitAndWeighsSizes) {
  const std::vector<std::vector<int>> star{{0, 1}, {0, 2}, {0, 3}, {0, 4}};
  EXPECT_EQ(eliminate(5, star).order.front(), 1);
  EliminationOptions options;
  options.waits = {0, 1, 1, 1, 1};
  EXPECT_EQ(eliminate(5, star, options).order.front(), 0);
  // All wait, for nothing: the one named first begins.
  options.waits = {1, 1, 1, 1, 1};
  EXPECT_EQ(eliminate(5, star, options).order.size(), 5u);
  // A path whose ends are large neighbours: the middle one goes first.
  options = {};
  options.sizes = {1, 9, 1};
  EXPECT_EQ(eliminate(3, {{0, 1}, {1, 2}}, options).order.front(), 1);
}

}  // namespace
}  // namespace mortise::graph
