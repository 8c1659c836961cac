// Parts of an elimination that do not need one another: subtrees of its forest, and what comes after all of them.
//
// A path is eliminated from both ends towards its middle, which costs nothing more than from one end; a vertex set that
// does this for any graph whose breadth-first levels are narrow is `middle`. The rest follows from the forest: subtrees
// hang below vertices where it branches.
#pragma once

#include <vector>

#include "mortise/graph/elimination.h"

namespace mortise::graph {

// Vertices of a narrow level halfway through the graph, to be eliminated late; all 0 where there is none.
std::vector<unsigned char> middle(int vertices, const std::vector<std::vector<int>>& edges);

// The part of each vertex, 0 …; −1: after all parts. One part where splitting would leave too much behind them. Depends
// on the forest alone.
struct Parts {
  std::vector<int> of;
  int count = 1;
};
Parts subtrees(const Elimination& elimination, const std::vector<int>& weight);

}  // namespace mortise::graph
