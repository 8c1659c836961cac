#include "mortise/gauss/loops.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace mortise::gauss {

bool has_loops(const Pattern& pattern) {
  struct Ends {
    int a = -1, b = -1;
  };
  int items = 0;
  for (const Row& row : pattern.rows) items = std::max(items, row.item + 1);
  std::vector<Ends> ends(index(items));
  for (const RowBlock& e : pattern.A)
    for (int i = 0; i < e.rows; ++i) {
      Ends& item = ends[index(pattern.rows[index(e.row + i)].item)];
      if (item.a < 0 || item.a == e.block)
        item.a = e.block;
      else if (item.b < 0 || item.b == e.block)
        item.b = e.block;
      else
        return true;
    }

  const int ground = pattern.columns.count();
  std::vector<int> parent(index(ground) + 1);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int v) {
    while (parent[index(v)] != v) v = parent[index(v)] = parent[index(parent[index(v)])];
    return v;
  };
  for (const Ends& item : ends) {
    if (item.a < 0) continue;  // no row of its own
    const int a = root(item.a), b = root(item.b >= 0 ? item.b : ground);
    if (a == b) return true;
    parent[index(a)] = b;
  }
  return false;
}

}  // namespace mortise::gauss
