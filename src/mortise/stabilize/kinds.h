// One maker per file of this room; listed in stabilizer.cpp.
#pragma once

#include "mortise/stabilize/stabilizer.h"

namespace mortise::stabilize {

std::unique_ptr<Stabilizer> make_none(const Settings&);
std::unique_ptr<Stabilizer> make_baumgarte(const Settings&);
std::unique_ptr<Stabilizer> make_projection(const Settings&);
std::unique_ptr<Stabilizer> make_partition(const Settings&);
std::unique_ptr<Stabilizer> make_staggered(const Settings&);
std::unique_ptr<Stabilizer> make_penalty(const Settings&);

}  // namespace mortise::stabilize
