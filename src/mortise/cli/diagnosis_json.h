// The diagnosis as JSON, in names.
#pragma once

#include <nlohmann/json.hpp>

#include "mortise/analysis/checkup.h"

namespace mortise::cli {

nlohmann::ordered_json to_json(const mechanism::Mechanism& mechanism, const analysis::Checkup& checkup);
nlohmann::ordered_json to_json(const mechanism::Mechanism& mechanism, const analysis::Diagnosis& diagnosis);

}  // namespace mortise::cli
