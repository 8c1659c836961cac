// A comparison of methods as JSON: every number of its table, in full. `mortise plot` draws it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "mortise/analysis/compare.h"

namespace mortise::cli {

nlohmann::ordered_json to_json(const std::string& model, const analysis::Comparison& comparison,
                               const analysis::CompareOptions& options);

}  // namespace mortise::cli
