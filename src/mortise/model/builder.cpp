#include "mortise/model/builder.h"

#include <fmt/format.h>

#include <unordered_set>

#include "mortise/model/report.h"

namespace mortise::model {

namespace {

Node scalar(std::string text, bool quoted = false) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.text = std::move(text);
  node.quoted = quoted;
  node.verbatim = false;
  return node;
}

Node map_node(const Map& map) {
  Node node;
  node.kind = Node::Kind::map;
  for (const Map::Field& field : map.fields()) node.entries.push_back({field.name, {}, field.value.node()});
  return node;
}

// Gives every value its path as its place, and looks for names that stand twice, which a file cannot have either.
void mark(Node& node, const std::string& model, const std::string& path, Report& report) {
  const auto place = [&](const std::string& where) {
    Place p;
    p.source = std::make_shared<const Source>(Source{model.empty() ? where : model + ": " + where, ""});
    return p;
  };
  node.place = place(path.empty() ? "the model" : path);
  for (std::size_t k = 0; k < node.items.size(); ++k)
    mark(node.items[k], model, fmt::format("{}[{}]", path, k), report);
  std::unordered_set<std::string> names;
  for (Entry& entry : node.entries) {
    const std::string inner = path.empty() ? entry.key : path + "." + entry.key;
    entry.place = place(inner);
    mark(entry.value, model, inner, report);
    if (!names.insert(entry.key).second)
      report.error("M508", fmt::format("the name {} stands here twice", quote(entry.key)), entry.place,
                   "rename or remove one");
  }
}

}  // namespace

// The shortest text that reads back to the same bits.
Value::Value(double number) : node_(scalar(fmt::format("{}", number))) {}
Value::Value(bool flag) : node_(scalar(flag ? "true" : "false")) {}
Value::Value(const char* text) : Value(std::string(text)) {}
Value::Value(std::string text) : node_(scalar(std::move(text))) {}

Value::Value(const std::vector<Value>& list) {
  node_.kind = Node::Kind::list;
  for (const Value& value : list) node_.items.push_back(value.node());
}

Value::Value(const Map& map) : node_(map_node(map)) {}

Map& Map::add(std::string name, Value value) {
  fields_.push_back({std::move(name), std::move(value)});
  return *this;
}

ModelBuilder::ModelBuilder(std::string name, std::string dimension) : name_(std::move(name)) {
  root_.kind = Node::Kind::map;
  set("mortise", 1);
  if (!name_.empty()) set("name", name_);
  set("dimension", std::move(dimension));
}

ModelBuilder& ModelBuilder::set(std::string key, Value value) {
  if (Node* there = root_.find(key))
    *there = value.node();
  else
    root_.entries.push_back({std::move(key), {}, value.node()});
  return *this;
}

ModelBuilder& ModelBuilder::add(std::string section, std::string name, Value value) {
  if (!root_.find(section)) set(section, Map{});
  root_.find(section)->entries.push_back({std::move(name), {}, value.node()});
  return *this;
}

ModelBuilder& ModelBuilder::parameter(std::string name, Value number) {
  return add("parameters", std::move(name), std::move(number));
}

ModelBuilder& ModelBuilder::input(std::string name, Value number) {
  return add("inputs", std::move(name), std::move(number));
}

ModelBuilder& ModelBuilder::item(std::string_view section, std::string name, std::string type, const Map& fields) {
  Map all;
  all.add("type", std::move(type));
  for (const Map::Field& field : fields.fields()) all.add(field.name, field.value);
  return add(std::string(section), std::move(name), all);
}

ModelBuilder& ModelBuilder::body(std::string name, const Map& fields) { return add("bodies", std::move(name), fields); }

ModelBuilder& ModelBuilder::body(std::string name, std::string type, const Map& fields) {
  return item("bodies", std::move(name), std::move(type), fields);
}

ModelBuilder& ModelBuilder::joint(std::string name, std::string type, const Map& fields) {
  return item("joints", std::move(name), std::move(type), fields);
}

ModelBuilder& ModelBuilder::driver(std::string name, std::string type, const Map& fields) {
  return item("drivers", std::move(name), std::move(type), fields);
}

ModelBuilder& ModelBuilder::force(std::string name, std::string type, const Map& fields) {
  return item("forces", std::move(name), std::move(type), fields);
}

ModelBuilder& ModelBuilder::event(std::string name, std::string type, const Map& fields) {
  return item("events", std::move(name), std::move(type), fields);
}

Node ModelBuilder::node() const {
  Node root = root_;
  Report report;
  mark(root, name_, "", report);
  report.throw_if_any();
  return root;
}

Model ModelBuilder::build(const Catalogue& catalogue) const { return model::build(node(), catalogue); }

}  // namespace mortise::model
