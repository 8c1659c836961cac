#include "mortise/io/import/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mortise/model/names.h"
#include "mortise/model/report.h"

namespace mortise::io {

namespace {

using model::Map;
using model::Node;
using model::Value;

void set_places(Node& node, const Place& place) {
  node.place = place;
  node.verbatim = false;
  for (Node& item : node.items) set_places(item, place);
  for (model::Entry& entry : node.entries) {
    entry.place = place;
    set_places(entry.value, place);
  }
}

// Letters, digits, '_' and '-', a letter first; '/' and '.' of foreign names become '_'.
std::string fit(const std::string& wanted) {
  std::string out;
  for (const char c : wanted.substr(0, 90)) out += model::is_letter(c) || model::is_digit(c) || c == '-' ? c : '_';
  if (out.empty() || !model::is_letter(out.front())) out.insert(0, "_");
  return out;
}

double without_negative_zero(double x) { return x == 0 ? 0 : x; }

}  // namespace

Value vector_value(const Eigen::Vector3d& v) {
  return {without_negative_zero(v.x()), without_negative_zero(v.y()), without_negative_zero(v.z())};
}

Value orientation_value(const geometry::Quaternion& q) {
  return Map{{"quaternion", Map{{"w", without_negative_zero(q.w)},
                                {"x", without_negative_zero(q.x)},
                                {"y", without_negative_zero(q.y)},
                                {"z", without_negative_zero(q.z)}}}};
}

bool is_identity(const geometry::Quaternion& q) { return q.x == 0 && q.y == 0 && q.z == 0; }

std::string Draft::free_name(std::string name, Names& taken) {
  int& next = taken.try_emplace(name, 1).first->second;
  if (next++ == 1) return name;
  std::string twin;
  for (int k = next; taken.contains(twin = fmt::format("{}_{}", name, k - 1)); ++k) {
  }
  taken.emplace(twin, 2);
  return twin;
}

std::string Draft::name(const std::string& wanted, const Place& place) {
  std::string name = fit(wanted);
  if (model::is_reserved(name)) name += "_";
  name = free_name(name, taken_);
  if (name != wanted)
    note("M721", fmt::format("{} is called '{}' in the model", model::quote(wanted), name), place,
         fit(wanted) != wanted             ? "names have letters, digits, '_' and '-'"
         : model::is_reserved(fit(wanted)) ? "this name is reserved"
                                           : "bodies, joints and forces share one set of names");
  return name;
}

std::string Draft::point_name(const std::string& body, const std::string& wanted, const Place& place) {
  const std::string name = free_name(fit(wanted), points_[body]);
  if (name != wanted)
    note("M721", fmt::format("{} is called '{}.{}' in the model", model::quote(wanted), body, name), place);
  return name;
}

Node& Draft::section(const std::string& key, const Place& place) {
  root_.kind = Node::Kind::map;
  if (Node* found = root_.find(key)) return *found;
  Node node;
  node.kind = Node::Kind::map;
  node.place = place;
  root_.entries.push_back({key, place, std::move(node)});
  return root_.entries.back().value;
}

void Draft::set(const std::string& key, const Value& value, const Place& place) {
  Node& node = section(key, place);
  node = value.node();
  set_places(node, place);
}

void Draft::add(const std::string& section_name, const std::string& item, const Value& value, const Place& place) {
  Node node = value.node();
  set_places(node, place);
  std::vector<model::Entry>& entries = section(section_name, place).entries;
  position_[section_name + "." + item] = entries.size();
  entries.push_back({item, place, std::move(node)});
}

void Draft::add(const std::string& section_name, const std::string& item, const Map& fields, const Place& place,
                const std::map<std::string, Place>& places) {
  add(section_name, item, Value(fields), place);
  for (model::Entry& field : section(section_name, place).entries.back().value.entries)
    if (const auto found = places.find(field.key); found != places.end()) set_places(field.value, found->second);
}

void Draft::add_inside(const std::string& section_name, const std::string& item, const std::string& field,
                       const std::string& key, const Value& value, const Place& place) {
  Node* owner = &section(section_name, place).entries.at(position_.at(section_name + "." + item)).value;
  Node* map = owner->find(field);
  if (!map) {
    Node node;
    node.kind = Node::Kind::map;
    node.place = place;
    owner->entries.push_back({field, place, std::move(node)});
    map = &owner->entries.back().value;
  }
  Node node = value.node();
  set_places(node, place);
  map->entries.push_back({key, place, std::move(node)});
}

void Draft::note(std::string code, std::string message, const Place& place, std::string hint) {
  notes_.push_back({std::move(code), std::move(message), place, std::move(hint), true});
}

Node Draft::finish() {
  static constexpr std::array<std::string_view, 13> order{"mortise", "name",   "dimension", "gravity", "parameters",
                                                          "inputs",  "tables", "bodies",    "joints",  "drivers",
                                                          "forces",  "events", "analysis"};
  const auto rank = [](const model::Entry& e) { return std::find(order.begin(), order.end(), e.key) - order.begin(); };
  std::stable_sort(root_.entries.begin(), root_.entries.end(),
                   [&](const model::Entry& a, const model::Entry& b) { return rank(a) < rank(b); });
  return std::move(root_);
}

}  // namespace mortise::io
