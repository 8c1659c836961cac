// Whether velocity blocks, joined by the items whose rows touch them, form loops. The ground is one more block: an item
// with a single block joins that one to it. Items of three blocks and more count as loops.
//
// Without loops rows of different items cannot come to depend on one another: each item's are independent of all others
// if they are so among themselves, at every pose, whatever small pivots a long chain may show.
//
// Cost: O(rows), once a pattern.
#pragma once

#include "mortise/gauss/pattern.h"

namespace mortise::gauss {

bool has_loops(const Pattern& pattern);

}  // namespace mortise::gauss
