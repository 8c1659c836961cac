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
  std::string text;      // of a scalar
  bool quoted = false;   // '…' or "…" in the file
  bool verbatim = true;  // `text` stands in the source letter by letter (no escapes, no folded lines)
  Place place;
  std::vector<Node> items;     // of a list
  std::vector<Entry> entries;  // of a map, in file order, keys unique

  const Node* find(std::string_view key) const;  // nullptr when absent
  Node* find(std::string_view key);

  // The place of `length` characters of a scalar's text from `offset` on; of the whole scalar when it is not verbatim.
  Place inside(int offset, int length) const;
};

struct Entry {
  std::string key;
  Place place;  // of the key
  Node value;
};

// "a number", "a list", …: what a node is, in the words of a message.
std::string_view kind_name(const Node& node);

}  // namespace mortise::model
