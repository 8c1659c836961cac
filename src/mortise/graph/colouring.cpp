#include "mortise/graph/colouring.h"

#include <algorithm>

#include "mortise/linalg/types.h"

namespace mortise::graph {

Colouring colour(int vertices, const std::vector<std::vector<int>>& hyperedges) {
  Colouring out;
  out.neighbours.resize(index(vertices));
  for (int v = 0; v < vertices; ++v) out.neighbours[index(v)].push_back(v);
  for (const std::vector<int>& edge : hyperedges)
    for (const int v : edge)
      for (const int w : edge)
        if (v != w) out.neighbours[index(v)].push_back(w);
  for (std::vector<int>& list : out.neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  out.colour.assign(index(vertices), -1);
  std::vector<int> taken_by;  // of each colour: the vertex that last found it taken
  for (int v = 0; v < vertices; ++v) {
    for (const int near : out.neighbours[index(v)])
      for (const int far : out.neighbours[index(near)])
        if (out.colour[index(far)] >= 0) taken_by[index(out.colour[index(far)])] = v;
    int free = 0;
    while (free < static_cast<int>(taken_by.size()) && taken_by[index(free)] == v) ++free;
    if (free == static_cast<int>(taken_by.size())) {
      taken_by.push_back(-1);
      out.members.emplace_back();
    }
    out.colour[index(v)] = free;
    out.members[index(free)].push_back(v);
  }
  return out;
}

}  // namespace mortise::graph
