#include "mortise/graph/elimination.h"

#include <algorithm>
#include <set>
#include <utility>

#include "mortise/linalg/types.h"

namespace mortise::graph {

namespace {

// a ← (a ∪ b) without v and w; all sorted.
void join(std::vector<int>& a, const std::vector<int>& b, int v, int w, std::vector<int>& scratch) {
  scratch.clear();
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(scratch));
  std::erase_if(scratch, [&](int x) { return x == v || x == w; });
  a.swap(scratch);
}

}  // namespace

Elimination eliminate(int vertices, const std::vector<std::vector<int>>& hyperedges,
                      const EliminationOptions& options) {
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

  const auto size = [&](int v) { return options.sizes.empty() ? 1 : options.sizes[index(v)]; };
  std::vector<long> degree(index(vertices), 0);
  const auto count = [&](int v) {
    constexpr long behind_all = 1L << 40;
    long sum = !options.late.empty() && options.late[index(v)] ? behind_all : 0;
    for (const int w : neighbours[index(v)]) sum += size(w);
    return sum;
  };
  std::vector<unsigned char> waits = options.waits;
  waits.resize(index(vertices), 0);
  std::set<std::pair<long, int>> queue;  // (degree, vertex); of equals the one named first
  std::vector<int> held;
  for (int v = 0; v < vertices; ++v) {
    degree[index(v)] = count(v);
    if (waits[index(v)])
      held.push_back(v);
    else
      queue.insert({degree[index(v)], v});
  }
  std::vector<int> scratch;
  std::size_t next_held = 0;
  while (true) {
    if (queue.empty()) {  // nothing they could wait for
      while (next_held < held.size() && !waits[index(held[next_held])]) ++next_held;
      if (next_held == held.size()) break;
      const int v = held[next_held];
      waits[index(v)] = 0;
      queue.insert({degree[index(v)], v});
    }
    const int v = queue.begin()->second;
    queue.erase(queue.begin());
    std::vector<int> around = std::move(neighbours[index(v)]);
    out.position[index(v)] = static_cast<int>(out.order.size());
    out.order.push_back(v);
    for (const int w : around) {
      if (!waits[index(w)]) queue.erase({degree[index(w)], w});
      waits[index(w)] = 0;
      join(neighbours[index(w)], around, v, w, scratch);
      degree[index(w)] = count(w);
      queue.insert({degree[index(w)], w});
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
