#include "mortise/coordinates/spanning_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "mortise/mechanism/event.h"

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

// Constraints whose rows are off at the start or are switched by an event: a map cannot fulfil them.
std::vector<unsigned char> switched(const Mechanism& m) {
  const std::vector<unsigned char> active = m.initial_state().active;
  std::vector<unsigned char> out(m.constraints().size(), 0);
  for (std::size_t k = 0; k < out.size(); ++k) {
    const Constraint& c = m.constraints()[k];
    for (int row = c.row; row < c.row + c.rows; ++row) out[k] |= !active[static_cast<std::size_t>(row)];
  }
  for (const mechanism::Event& event : m.events())
    for (const int c : event.constraints) out[static_cast<std::size_t>(c)] = 1;
  return out;
}

const Kind* kind_of(const Mechanism& m, const Constraint& c) {
  if (c.driver || c.over_several()) return nullptr;
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

// Every subtree in one piece, children in the order they were found.
std::vector<Branch> preorder(const std::vector<Branch>& found) {
  std::vector<std::vector<int>> children(found.size() + 1);  // of the ground last
  std::vector<int> place(found.size());
  for (std::size_t k = 0; k < found.size(); ++k) place[static_cast<std::size_t>(found[k].body)] = static_cast<int>(k);
  for (std::size_t k = found.size(); k-- > 0;) {
    const int parent = found[k].parent;
    children[parent == ground ? found.size() : static_cast<std::size_t>(place[static_cast<std::size_t>(parent)])]
        .push_back(static_cast<int>(k));
  }
  std::vector<Branch> out;
  std::vector<int> open = children.back();
  while (!open.empty()) {
    const auto k = static_cast<std::size_t>(open.back());
    open.pop_back();
    out.push_back(found[k]);
    open.insert(open.end(), children[k].begin(), children[k].end());
  }
  return out;
}

std::vector<Branch> grow(const Mechanism& m, bool weld_all, Growth growth) {
  const std::vector<unsigned char> off = switched(m);
  const std::vector<mechanism::Body>& bodies = m.bodies();
  const std::vector<Constraint>& constraints = m.constraints();
  std::vector<const Kind*> kind(constraints.size());
  std::vector<std::vector<int>> at(bodies.size() + 1);  // joints of each body, the ground first
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    kind[k] = off[k] ? nullptr : kind_of(m, constraints[k]);
    if (!kind[k]) continue;
    for (const int body : {constraints[k].a.body, constraints[k].b.body})
      at[static_cast<std::size_t>(body + 1)].push_back(static_cast<int>(k));
  }
  if (growth == Growth::natural)
    for (std::vector<int>& joints : at)
      std::stable_sort(joints.begin(), joints.end(), [&](int a, int b) {
        return constraints[static_cast<std::size_t>(a)].rows > constraints[static_cast<std::size_t>(b)].rows;
      });
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
                      forward ? c.b : c.a, 0, 0, 0, 0, 0,
                      growth == Growth::natural && kind[static_cast<std::size_t>(k)]->freedom == Freedom::spherical});
    }
  };
  visit(ground);
  for (std::size_t root = 0;; ++root) {
    while (next < tree.size()) visit(tree[next++].body);
    while (root < bodies.size() && seen[root]) ++root;
    if (root == bodies.size()) break;
    seen[root] = 1;
    tree.push_back({static_cast<int>(root), ground, -1, Freedom::free, {}, {}, 0, 0, 0, 0, 0, false});
  }
  if (growth == Growth::natural) tree = preorder(tree);
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
std::vector<Branch> spanning_tree(const Mechanism& mechanism, Growth growth) {
  std::vector<Branch> tree = grow(mechanism, true, growth);
  const bool moves = std::any_of(tree.begin(), tree.end(), [](const Branch& b) { return b.v_size > 0; });
  return moves ? tree : grow(mechanism, false, growth);
}

std::string describe_tree(const Mechanism& m, const std::vector<Branch>& tree) {
  constexpr std::size_t most = 12;
  std::string list;
  int total = 0;
  std::size_t named = 0;
  for (const Branch& b : tree) {
    total += b.v_size;
    if (b.v_size == 0 || ++named > most) continue;
    const std::string name = b.joint >= 0 ? m.name(m.constraints()[static_cast<std::size_t>(b.joint)].ref)
                                          : m.name(m.bodies()[static_cast<std::size_t>(b.body)].ref) + " (free)";
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", name, b.v_size);
  }
  if (named > most) list += fmt::format(" and {} more", named - most);
  return fmt::format("{} independent velocities: {}", total, list);
}

std::vector<std::string> describe_cuts(const Mechanism& m, const std::vector<Branch>& tree) {
  const std::vector<unsigned char> off = switched(m);
  std::vector<unsigned char> kept(m.constraints().size(), 0);
  for (const Branch& b : tree)
    if (b.joint >= 0) kept[static_cast<std::size_t>(b.joint)] = 1;
  std::map<std::string, std::pair<int, std::vector<std::string>>> by_reason;  // rows, names
  for (std::size_t k = 0; k < kept.size(); ++k) {
    if (kept[k]) continue;
    const Constraint& c = m.constraints()[k];
    const auto body = [&](int of) { return of == ground ? nullptr : &m.bodies()[static_cast<std::size_t>(of)]; };
    std::string reason = "closes a loop";
    const std::string& type = m.model().items[static_cast<std::size_t>(c.ref.item)].part->type;
    bool light = false;
    for (const mechanism::Body* b : {body(c.a.body), body(c.b.body)}) light = light || (b && (b->particle || b->plane));
    if (c.driver)
      reason = "driven";
    else if (c.over_several())
      reason = "couples several bodies";
    else if (std::any_of(kinds.begin(), kinds.end(), [&](const Kind& kind) { return kind.type == type; }) == false)
      reason = "no joint coordinates for " + type;
    else if (off[k])
      reason = "may be switched off";
    else if (light)
      reason = "holds a particle, or a body held in a plane";
    auto& [rows, names] = by_reason[reason];
    rows += c.rows;
    names.push_back(m.name(c.ref));
  }
  std::vector<std::string> out;
  constexpr std::size_t most = 12;
  for (auto& [reason, group] : by_reason) {
    auto& [rows, names] = group;
    std::string list;
    for (std::size_t k = 0; k < std::min(names.size(), most); ++k) list += (list.empty() ? "" : ", ") + names[k];
    if (names.size() > most) list += fmt::format(" and {} more", names.size() - most);
    out.push_back(fmt::format("cut, {} row{}, {}: {}", rows, rows == 1 ? "" : "s", reason, list));
  }
  return out;
}

}  // namespace mortise::coordinates
