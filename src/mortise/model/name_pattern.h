// A name with numbers to fill in, as a repeated item and the references to its copies have it: "link$i", "bar$(i+1)".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mortise/formula/expression.h"

namespace mortise::model {

// literal, number, literal, number, …, literal
struct NamePattern {
  std::vector<std::string> literals{""};     // one more than numbers
  std::vector<formula::Expression> numbers;  // of (index, t) when `indexed`, else of (t)
  bool indexed = false;
  bool affine = true;  // every number is a·i + b, so that two copies tell all others

  bool fixed() const { return numbers.empty(); }
  // The name of a copy; nothing when a number is not whole (or beyond ±10¹⁵).
  std::optional<std::string> at(int copy) const;
};

}  // namespace mortise::model
