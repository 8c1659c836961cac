// One maker per file of this room; listed in stabilizer.cpp.
#pragma once

#include "mortise/stabilize/stabilizer.h"

namespace mortise::stabilize {

std::unique_ptr<Stabilizer> make_none(const Gains&);
std::unique_ptr<Stabilizer> make_baumgarte(const Gains&);
std::unique_ptr<Stabilizer> make_projection(const Gains&);

}  // namespace mortise::stabilize
