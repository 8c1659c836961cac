// `--set path=value`: edits of the tree before it is built. Paths name what is in the model ("L", "bodies.arm.mass",
// "joints.A.at.0"); only the last key of a path may be new (the checks of the model then judge it).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "mortise/io/yaml.h"
#include "mortise/io/yaml_reader.h"
#include "mortise/model/build_parts.h"

namespace mortise::io {

namespace {

using model::Entry;
using model::Node;

std::vector<std::string> keys_of(const Node& map) {
  std::vector<std::string> keys;
  for (const Entry& e : map.entries) keys.push_back(e.key);
  return keys;
}

struct Step {
  std::string key;
  Place place;
};

std::vector<Step> split(const std::string& path, const std::shared_ptr<const Source>& source) {
  std::vector<Step> steps;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const Place place{source, 1, static_cast<int>(begin) + 1, std::max(static_cast<int>(end - begin), 1)};
    if (end == begin) fail_model("M610", "a name is missing in the path", place, "write section.name.field=value");
    steps.push_back({path.substr(begin, end - begin), place});
    begin = end + 1;
  }
  return steps;
}

// The child of `node` called `step.key`; made when `may_be_new`.
Node& enter(Node& node, const Step& step, const std::string& where, bool may_be_new) {
  if (node.kind == Node::Kind::list) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(step.key.data(), step.key.data() + step.key.size(), index);
    if (error != std::errc() || end != step.key.data() + step.key.size() || index >= node.items.size())
      fail_model("M611",
                 fmt::format("'{}' is a list of {}; its items are 0 … {}", where, node.items.size(),
                             static_cast<long>(node.items.size()) - 1),
                 step.place);
    return node.items[index];
  }
  if (node.kind == Node::Kind::scalar)
    fail_model("M611", fmt::format("'{}' is a single value and has no '{}'", where, step.key), step.place);
  if (Node* child = node.find(step.key)) return *child;
  if (!may_be_new) {
    const std::vector<std::string> keys = keys_of(node);
    fail_model("M611",
               fmt::format("'{}' has no {}; it has: {}", where, model::quote(step.key), model::list_names(keys)),
               step.place, model::did_you_mean(step.key, keys));
  }
  node.kind = Node::Kind::map;
  node.entries.push_back({step.key, step.place, {}});
  node.entries.back().value.place = step.place;
  return node.entries.back().value;
}

Node& find_target(Node& root, const std::vector<Step>& steps) {
  const std::vector<std::string>& sections = model::model_keys();
  const Step& first = steps.front();
  const bool section = std::find(sections.begin(), sections.end(), first.key) != sections.end();
  Node* parameters = root.find("parameters");
  if (steps.size() == 1) {
    if (parameters)
      if (Node* parameter = parameters->find(first.key)) return *parameter;
    if (!section) {
      std::vector<std::string> known = parameters ? keys_of(*parameters) : std::vector<std::string>{};
      const std::string list = model::list_names(known);
      known.insert(known.end(), sections.begin(), sections.end());
      fail_model("M611",
                 fmt::format("there is no parameter {}; {}", model::quote(first.key),
                             list.empty() ? "the model has none" : "parameters: " + list),
                 first.place, model::did_you_mean(first.key, known));
    }
    return enter(root, first, "the model", true);
  }
  if (!section)
    fail_model("M611", fmt::format("the model has no section {}", model::quote(first.key)), first.place,
               model::did_you_mean(first.key, sections));
  if (first.key == "include") fail_model("M611", "includes cannot be set", first.place);
  // Names of parameters and items must exist; settings may be new.
  const bool named = first.key != "analysis" && first.key != "output";
  Node* node = &root;
  std::string where = "the model";
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const bool may_be_new = k == 0 || !(named && k == 1);
    node = &enter(*node, steps[k], where, may_be_new);
    where = k == 0 ? steps[k].key : where + "." + steps[k].key;
  }
  return *node;
}

}  // namespace

void apply_setting(Node& root, std::string_view setting) {
  const auto source = std::make_shared<Source>(Source{fmt::format("--set {}", setting), std::string(setting)});
  const Place whole{source, 1, 1, 1};
  if (root.kind != Node::Kind::map) return;  // build will say what is wrong
  const std::size_t equals = setting.find('=');
  if (equals == std::string_view::npos) fail_model("M610", "expected NAME=VALUE or section.name.field=VALUE", whole);
  // Spaces instead of the path: the value keeps its column.
  const std::string text = std::string(equals + 1, ' ') + std::string(setting.substr(equals + 1));
  if (text.find_first_not_of(' ') == std::string::npos)
    fail_model("M610", "the value behind '=' is missing", {source, 1, static_cast<int>(equals) + 1, 1});
  if (std::count(text.begin(), text.end(), '\n') > 0) fail_model("M610", "a setting is one line", whole);
  const std::vector<Step> steps = split(std::string(setting.substr(0, equals)), source);
  Node value = parse_yaml(text, source);
  if (steps.size() == 1 && steps[0].key == "include") fail_model("M611", "includes cannot be set", steps[0].place);
  find_target(root, steps) = std::move(value);
}

}  // namespace mortise::io
