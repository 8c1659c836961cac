// Pages of the documentation, written from the registry: none can be missing, none can be out of date.
#pragma once

#include <string>

#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {

// One part: what it is, its rows, fields, signs and an example, as Markdown. `level`: of its headline.
std::string page(const Part& part, int level = 1);
// All parts of a section, with a list of them at the top; figures are looked for in `figures/`.
std::string pages(model::Section section);

}  // namespace mortise::mechanism
