// Writes a node tree as YAML text that the strict reader reads back to the same tree: what results store as "the model"
// after includes and `--set`.
#pragma once

#include <string>

#include "mortise/model/node.h"

namespace mortise::model {

// Sections and their items stand on lines of their own, everything deeper in flow style.
std::string emit_yaml(const Node& root);

}  // namespace mortise::model
