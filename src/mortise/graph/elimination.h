// In which order to eliminate the vertices of a graph so that what is in hand stays small: a tree decomposition.
//
// Vertices are bodies, hyperedges the joints between them. Eliminating a vertex joins all its neighbours, its
// *separator*, by one hyperedge. The vertex with the fewest neighbours goes first (of equals the one named first):
// leaves, then links of chains, then the rungs of ladders, so that separators have one or two vertices wherever loops
// are small. The first vertex of a separator to be eliminated is the parent: the fronts form a forest, children before
// parents.
//
// Source: minimum degree; Rose, Tarjan, Lueker, SIAM J. Comput. 5 (1976) 266-283 for elimination as a tree.
// Cost: O(Σ s² log n) over the separators' sizes s: linear for graphs of small loops, whatever their number.
#pragma once

#include <vector>

namespace mortise::graph {

struct Elimination {
  std::vector<int> order;                   // vertices, first eliminated first
  std::vector<int> position;                // of each vertex in `order`
  std::vector<std::vector<int>> separator;  // of each vertex: those joined to it then, in the order of elimination
  std::vector<int> parent;                  // of each vertex; −1: its separator is empty
  int width = 0;                            // the largest separator
};

// Hyperedges list their vertices (any order, each once); those of one vertex join nothing. `sizes`: what each vertex
// counts among neighbours, 1 by default. A vertex that `waits` is not eliminated before a neighbour that does not wait,
// or that did and is gone. One that is `late` is eliminated after all that are not.
struct EliminationOptions {
  std::vector<int> sizes;
  std::vector<unsigned char> waits, late;
};
Elimination eliminate(int vertices, const std::vector<std::vector<int>>& hyperedges,
                      const EliminationOptions& options = {});

}  // namespace mortise::graph
