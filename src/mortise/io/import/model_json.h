// A model's text (YAML) as JSON, which the strict reader reads back to the same model: numbers as numbers, formulas as
// texts, keys in their order.
#pragma once

#include <string>

namespace mortise::io {

std::string model_json(const std::string& yaml);

}  // namespace mortise::io
