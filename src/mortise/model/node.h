// A value as it stands in a model file, with its place: what the strict reader delivers and `--set` edits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mortise/error.h"

namespace mortise::model {

struct Entry;

struct Node {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  std::string text;     // of a scalar
  bool quoted = false;  // '…' or "…" in the file
  Place place;
  std::vector<Node> items;     // of a list
  std::vector<Entry> entries;  // of a map, in file order, keys unique

  const Node* find(std::string_view key) const;  // nullptr when absent
  Node* find(std::string_view key);
};

struct Entry {
  std::string key;
  Place place;  // of the key
  Node value;
};

}  // namespace mortise::model
