// Which bodies feel one another by forces: for matrices of implicit steps, whose pattern the rows alone do not tell. A
// coupling too few costs iterations, never the answer.
#pragma once

#include <vector>

#include "mortise/system/system.h"

namespace mortise::analysis {

// Sets of velocity blocks: the bodies that a force holds on to, directly, by its joint, or by the quantities of its
// formulas. Of a system that is no mechanism: one set of all blocks.
std::vector<std::vector<int>> force_couplings(const System& system);

}  // namespace mortise::analysis
