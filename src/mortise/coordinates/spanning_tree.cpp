#include "mortise/coordinates/spanning_tree.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace mortise::coordinates {

namespace {

using mechanism::Constraint;
using mechanism::ground;
using mechanism::Mechanism;

struct Kind {
  std::string_view type;
  Freedom freedom;
  int rows_planar, rows_spatial;  // 0: not in this dimension
};

constexpr std::array<Kind, 7> kinds{{{"fixed", Freedom::fixed, 3, 6},
                                     {"revolute", Freedom::revolute, 2, 5},
                                     {"prismatic", Freedom::prismatic, 2, 5},
                                     {"cylindrical", Freedom::cylindrical, 0, 4},
                                     {"planar", Freedom::planar, 0, 3},
                                     {"spherical", Freedom::spherical, 0, 3},
                                     {"universal", Freedom::universal, 0, 4}}};

const Kind* kind_of(const Mechanism& m, const Constraint& c, const std::vector<unsigned char>& active) {
  if (c.driver || c.over_several()) return nullptr;
  for (int row = c.row; row < c.row + c.rows; ++row)
    if (!active[static_cast<std::size_t>(row)]) return nullptr;
  const std::string& type = m.model().items[static_cast<std::size_t>(c.ref.item)].part->type;
  for (const Kind& kind : kinds)
    if (kind.type == type && c.rows == (m.dimension() == 2 ? kind.rows_planar : kind.rows_spatial)) return &kind;
  return nullptr;
}

void size(const Mechanism& m, Branch& branch) {
  const mechanism::Body& body = m.bodies()[static_cast<std::size_t>(branch.body)];
  const auto set = [&](int slides, int turns) {
    branch.slides = slides;
    branch.v_size = branch.q_size = slides + turns;
  };
  switch (branch.freedom) {
    case Freedom::free:
      set(body.translations(), body.v_size() - body.translations());
      branch.q_size = body.q_size();
      break;
    case Freedom::fixed:
      set(0, 0);
      break;
    case Freedom::revolute:
      set(0, 1);
      break;
    case Freedom::prismatic:
      set(1, 0);
      break;
    case Freedom::cylindrical:
      set(1, 1);
      break;
    case Freedom::planar:
      set(2, 1);
      break;
    case Freedom::spherical:
      set(0, 3);
      branch.q_size = 4;
      break;
    case Freedom::universal:
      set(0, 2);
      break;
  }
}

std::vector<Branch> grow(const Mechanism& m, bool weld_all) {
  const std::vector<unsigned char> active = m.initial_state().active;
  const std::vector<mechanism::Body>& bodies = m.bodies();
  const std::vector<Constraint>& constraints = m.constraints();
  std::vector<const Kind*> kind(constraints.size());
  std::vector<std::vector<int>> at(bodies.size() + 1);  // joints of each body, the ground first
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    kind[k] = kind_of(m, constraints[k], active);
    if (!kind[k]) continue;
    for (const int body : {constraints[k].a.body, constraints[k].b.body})
      at[static_cast<std::size_t>(body + 1)].push_back(static_cast<int>(k));
  }
  std::vector<unsigned char> seen(bodies.size(), 0);
  std::vector<Branch> tree;
  std::size_t next = 0;  // in the tree: whose joints come next
  const auto visit = [&](int parent) {
    for (const int k : at[static_cast<std::size_t>(parent + 1)]) {
      const Constraint& c = constraints[static_cast<std::size_t>(k)];
      const bool forward = c.a.body == parent;
      const int body = forward ? c.b.body : c.a.body;
      if (body == ground || seen[static_cast<std::size_t>(body)]) continue;
      const mechanism::Body& b = bodies[static_cast<std::size_t>(body)];
      if (b.particle || b.plane) continue;
      if (!weld_all && kind[static_cast<std::size_t>(k)]->freedom == Freedom::fixed) continue;
      seen[static_cast<std::size_t>(body)] = 1;
      tree.push_back({body, parent, k, kind[static_cast<std::size_t>(k)]->freedom, forward ? c.a : c.b,
                      forward ? c.b : c.a, 0, 0, 0, 0, 0});
    }
  };
  visit(ground);
  for (std::size_t root = 0;; ++root) {
    while (next < tree.size()) visit(tree[next++].body);
    while (root < bodies.size() && seen[root]) ++root;
    if (root == bodies.size()) break;
    seen[root] = 1;
    tree.push_back({static_cast<int>(root), ground, -1, Freedom::free, {}, {}, 0, 0, 0, 0, 0});
  }
  int q = 0, v = 0;
  for (Branch& branch : tree) {
    size(m, branch);
    branch.q = q, branch.v = v;
    q += branch.q_size, v += branch.v_size;
  }
  return tree;
}

}  // namespace

// Where everything is welded to the ground no coordinate would be left, and nothing to solve for: welds are cuts then.
std::vector<Branch> spanning_tree(const Mechanism& mechanism) {
  std::vector<Branch> tree = grow(mechanism, true);
  const bool moves = std::any_of(tree.begin(), tree.end(), [](const Branch& b) { return b.v_size > 0; });
  return moves ? tree : grow(mechanism, false);
}

}  // namespace mortise::coordinates
