#include "mortise/graph/subtrees.h"

#include <algorithm>

#include "mortise/linalg/types.h"

namespace mortise::graph {

namespace {

constexpr int widest_middle = 8;  // vertices
constexpr int most_parts = 32;
constexpr double worth = 0.02;       // of the whole weight: lighter subtrees are not looked into
constexpr double most_behind = 0.1;  // of the whole weight, left behind the parts

// Breadth first from `start` over those not `seen`: vertices level by level, and where levels begin.
struct Levels {
  std::vector<int> order;
  std::vector<std::size_t> begin;
};
Levels breadth_first(int start, const std::vector<std::vector<int>>& around, std::vector<unsigned char>& seen) {
  Levels out;
  out.order = {start};
  seen[index(start)] = 1;
  for (std::size_t done = 0; done < out.order.size();) {
    out.begin.push_back(done);
    for (const std::size_t end = out.order.size(); done < end; ++done)
      for (const int w : around[index(out.order[done])])
        if (!seen[index(w)]) {
          seen[index(w)] = 1;
          out.order.push_back(w);
        }
  }
  out.begin.push_back(out.order.size());
  return out;
}

}  // namespace

std::vector<unsigned char> middle(int vertices, const std::vector<std::vector<int>>& edges) {
  std::vector<unsigned char> late(index(vertices), 0);
  std::vector<std::vector<int>> around(index(vertices));
  for (const std::vector<int>& edge : edges)
    for (const int v : edge)
      for (const int w : edge)
        if (v != w) around[index(v)].push_back(w);
  std::vector<unsigned char> seen(index(vertices), 0), again;
  for (int v = 0; v < vertices; ++v) {
    if (seen[index(v)]) continue;
    again = seen;
    const Levels there = breadth_first(v, around, seen);
    if (there.order.size() < index(vertices) / 4) continue;  // other components are parts already
    const Levels back = breadth_first(there.order.back(), around, again);
    const std::size_t half = back.order.size() / 2, near = back.order.size() / 20;
    std::size_t best = 0, width = widest_middle + 1;
    for (std::size_t level = 1; level + 2 < back.begin.size(); ++level) {
      const std::size_t at = back.begin[level], size = back.begin[level + 1] - at;
      if (at + near >= half && at <= half + near && size < width) best = level, width = size;
    }
    if (best > 0)
      for (std::size_t k = back.begin[best]; k < back.begin[best + 1]; ++k) late[index(back.order[k])] = 1;
  }
  return late;
}

Parts subtrees(const Elimination& e, const std::vector<int>& weight) {
  const int vertices = static_cast<int>(e.order.size());
  std::vector<long> total(weight.begin(), weight.end());
  std::vector<std::vector<int>> children(index(vertices));
  std::vector<int> heads;  // of subtrees, heaviest split first
  long all = 0;
  for (const int v : e.order) {
    const int parent = e.parent[index(v)];
    all += weight[index(v)];
    if (parent < 0) {
      heads.push_back(v);
    } else {
      total[index(parent)] += total[index(v)];
      children[index(parent)].push_back(v);
    }
  }
  Parts out;
  out.of.assign(index(vertices), 0);
  const auto heavy = [&](int v) { return static_cast<double>(total[index(v)]) > worth * static_cast<double>(all); };
  double behind = 0;
  std::vector<int> whole;  // heads that stay
  while (!heads.empty()) {
    const int head = heads.back();
    heads.pop_back();
    // Down to where it branches.
    std::vector<int> path;
    double path_weight = 0;
    int v = head;
    bool branches = false;
    while (heavy(head)) {
      path.push_back(v);
      path_weight += weight[index(v)];
      if (behind + path_weight > most_behind * static_cast<double>(all)) break;
      const auto count = std::count_if(children[index(v)].begin(), children[index(v)].end(), heavy);
      branches = count > 1;
      if (count != 1) break;
      v = *std::find_if(children[index(v)].begin(), children[index(v)].end(), heavy);
    }
    if (!branches || static_cast<int>(whole.size() + heads.size()) >= most_parts) {
      whole.push_back(head);
      continue;
    }
    behind += path_weight;
    for (const int p : path) out.of[index(p)] = -1;
    for (const int p : path)
      for (const int child : children[index(p)])
        if (out.of[index(child)] >= 0) heads.push_back(child);
  }
  // Light subtrees share a part with the one before.
  out.count = 0;
  double load = 0;
  const double enough = static_cast<double>(all) / most_parts;
  std::vector<int> part(index(vertices), -1);
  for (const int head : whole) {
    if (out.count == 0 || load >= enough) {
      ++out.count;
      load = 0;
    }
    part[index(head)] = out.count - 1;
    load += static_cast<double>(total[index(head)]);
  }
  for (auto v = e.order.rbegin(); v != e.order.rend(); ++v) {
    if (out.of[index(*v)] < 0) continue;
    const int parent = e.parent[index(*v)];
    out.of[index(*v)] = part[index(*v)] >= 0 || parent < 0 ? part[index(*v)] : out.of[index(parent)];
  }
  if (out.count < 2) {
    out.count = 1;
    std::fill(out.of.begin(), out.of.end(), 0);
  }
  return out;
}

}  // namespace mortise::graph
