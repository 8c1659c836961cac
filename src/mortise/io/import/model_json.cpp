#include "mortise/io/import/model_json.h"

#include <nlohmann/json.hpp>

#include "mortise/io/yaml.h"

namespace mortise::io {

namespace {

using nlohmann::ordered_json;

ordered_json json_of(const model::Node& node) {
  switch (node.kind) {
    case model::Node::Kind::null:
      return nullptr;
    case model::Node::Kind::list: {
      ordered_json list = ordered_json::array();
      for (const model::Node& item : node.items) list.push_back(json_of(item));
      return list;
    }
    case model::Node::Kind::map: {
      ordered_json map = ordered_json::object();
      for (const model::Entry& entry : node.entries) map[entry.key] = json_of(entry.value);
      return map;
    }
    case model::Node::Kind::scalar:
      break;
  }
  if (!node.quoted && (node.text == "true" || node.text == "false")) return node.text == "true";
  // A number as JSON writes it; 1_000, .5 or a formula stay texts, which the reader takes as well.
  const ordered_json number = node.quoted ? ordered_json() : ordered_json::parse(node.text, nullptr, false);
  return number.is_number() && number.dump() == node.text ? number : ordered_json(node.text);
}

}  // namespace

std::string model_json(const std::string& yaml) { return json_of(read_yaml_text(yaml, "model")).dump(2) + "\n"; }

}  // namespace mortise::io
