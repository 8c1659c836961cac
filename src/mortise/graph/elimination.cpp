#include "mortise/graph/elimination.h"

#include <algorithm>
#include <set>
#include <utility>

namespace mortise::graph {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// a ← (a ∪ b) without v and w; all sorted.
void join(std::vector<int>& a, const std::vector<int>& b, int v, int w, std::vector<int>& scratch) {
  scratch.clear();
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(scratch));
  std::erase_if(scratch, [&](int x) { return x == v || x == w; });
  a.swap(scratch);
}

}  // namespace

Elimination eliminate(int vertices, const std::vector<std::vector<int>>& hyperedges) {
  Elimination out;
  out.position.assign(index(vertices), -1);
  out.parent.assign(index(vertices), -1);
  out.separator.resize(index(vertices));
  std::vector<std::vector<int>> neighbours(index(vertices));
  for (const std::vector<int>& edge : hyperedges)
    for (const int v : edge)
      for (const int w : edge)
        if (v != w) neighbours[index(v)].push_back(w);
  for (std::vector<int>& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  std::set<std::pair<std::size_t, int>> queue;  // (neighbours, vertex)
  for (int v = 0; v < vertices; ++v) queue.insert({neighbours[index(v)].size(), v});
  std::vector<int> scratch;
  while (!queue.empty()) {
    const int v = queue.begin()->second;
    queue.erase(queue.begin());
    std::vector<int> around = std::move(neighbours[index(v)]);
    out.position[index(v)] = static_cast<int>(out.order.size());
    out.order.push_back(v);
    for (const int w : around) {
      queue.erase({neighbours[index(w)].size(), w});
      join(neighbours[index(w)], around, v, w, scratch);
      queue.insert({neighbours[index(w)].size(), w});
    }
    out.width = std::max(out.width, static_cast<int>(around.size()));
    out.separator[index(v)] = std::move(around);
  }
  for (int v = 0; v < vertices; ++v) {
    std::vector<int>& separator = out.separator[index(v)];
    std::sort(separator.begin(), separator.end(),
              [&](int a, int b) { return out.position[index(a)] < out.position[index(b)]; });
    if (!separator.empty()) out.parent[index(v)] = separator.front();
  }
  return out;
}

}  // namespace mortise::graph
