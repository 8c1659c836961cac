#include "mortise/model/node.h"

#include <algorithm>

namespace mortise::model {

const Node* Node::find(std::string_view key) const {
  const auto it = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.key == key; });
  return it == entries.end() ? nullptr : &it->value;
}

Node* Node::find(std::string_view key) { return const_cast<Node*>(static_cast<const Node*>(this)->find(key)); }

Place Node::inside(int offset, int length) const {
  if (!verbatim || place.line == 0) return place;
  Place part = place;
  part.column += offset + (quoted ? 1 : 0);
  part.length = std::max(length, 1);
  return part;
}

std::string_view kind_name(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::scalar:
      return "a single value";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a map";
  }
  return "";
}

}  // namespace mortise::model
