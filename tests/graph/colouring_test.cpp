// Vertices of one colour share no neighbour.
#include "mortise/graph/colouring.h"

#include <gtest/gtest.h>

#include <random>

#include "mortise/linalg/types.h"

namespace mortise::graph {
namespace {

void expect_apart(const Colouring& c) {
  for (const std::vector<int>& members : c.members) {
    std::vector<int> touched_by(c.colour.size(), -1);
    for (const int v : members)
      for (const int w : c.neighbours[index(v)]) {
        EXPECT_EQ(touched_by[index(w)], -1);
        touched_by[index(w)] = v;
      }
  }
}

TEST(Colouring, NeedsThreeColoursForAChainOfAnyLength) {
  std::vector<std::vector<int>> edges;
  for (int k = 0; k + 1 < 1000; ++k) edges.push_back({k, k + 1});
  const Colouring c = colour(1000, edges);
  EXPECT_EQ(c.members.size(), 3u);
  expect_apart(c);
}

TEST(Colouring, KeepsBlocksOfOneColourApartInRandomGraphs) {
  std::mt19937 random(3);
  for (int n : {1, 2, 17, 80}) {
    std::uniform_int_distribution<int> any(0, n - 1);
    std::vector<std::vector<int>> edges;
    for (int k = 0; k < 2 * n; ++k) edges.push_back({any(random), any(random), any(random)});
    const Colouring c = colour(n, edges);
    expect_apart(c);
    std::size_t members = 0;
    for (const auto& list : c.members) members += list.size();
    EXPECT_EQ(members, index(n));
  }
}

}  // namespace
}  // namespace mortise::graph
