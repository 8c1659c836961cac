// The JSON Schema (draft 2020-12) of model files, written from the catalogue: editors complete and check with it. It
// knows forms and names, not numbers: what a formula gives is checked by `build`.
#pragma once

#include <string>

#include "mortise/model/catalogue.h"

namespace mortise::model {

std::string json_schema(const Catalogue& catalogue);

}  // namespace mortise::model
