// What an exported unit offers: its variables with their numbers, and what its resources say.
//
//     value references    inputs 0, 1, …      parameters 1000000, …      outputs 2000000, …
//
// resources/model.yaml is the model as one text, resources/outputs.txt the guid and then one output a line.
#pragma once

#include <string>
#include <vector>

#include "mortise/model/model.h"

namespace mortise::io {

inline constexpr unsigned first_parameter = 1'000'000, first_output = 2'000'000;
inline constexpr const char* fmu_model_file = "model.yaml";
inline constexpr const char* fmu_outputs_file = "outputs.txt";

// The same model and outputs of the same version of Mortise have the same guid.
std::string fmu_guid(const std::string& model_text, const std::vector<std::string>& outputs);

}  // namespace mortise::io
