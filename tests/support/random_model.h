// Random physical models, drawn from the registry of parts by their FieldSpecs alone: a new part takes part without an
// edit here. Bodies hang in a random tree (with a few loops) whose joints sit at modelled points, so that most models
// assemble; some have copies of a joint, some items that contradict others, some a mistake.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "mortise/model/builder.h"

namespace mortise::test {

// The model of a seed as YAML: planar, spatial, mixed in turn. `accepts` is asked after every item; one that it
// refuses is mostly drawn anew.
using Accepts = std::function<bool(const model::ModelBuilder& so_far)>;
std::string random_model(std::uint64_t seed, const Accepts& accepts);

}  // namespace mortise::test
