// Vertices of one colour do not touch one another, nor a common neighbour: what each of them changes can be told apart
// when all of them change at once.
//
// With such colours the Jacobian of n blocks, of which each feels its neighbours only, costs as many evaluations as
// there are colours, not n: three for a chain, whatever its length. A vertex with d neighbours needs d + 1 colours.
//
// Source: Curtis, Powell, Reid, IMA J. Appl. Math. 13 (1974) 117-119; greedy in the order of the names.
// Cost: O(Σ d²) over the vertices' numbers of neighbours d.
#pragma once

#include <vector>

namespace mortise::graph {

struct Colouring {
  std::vector<int> colour;                   // of each vertex
  std::vector<std::vector<int>> members;     // of each colour
  std::vector<std::vector<int>> neighbours;  // of each vertex, itself included; sorted
};
// Hyperedges list vertices that touch one another.
Colouring colour(int vertices, const std::vector<std::vector<int>>& hyperedges);

}  // namespace mortise::graph
