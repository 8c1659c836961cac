// Echelon form of a few dependencies: each gets a row in which it alone takes part.
//
// N holds a basis of null vectors, one a column. Column operations bring it to the identity on as many rows, chosen by
// weight: the heaviest that give a pivot of at least a twentieth of the largest entry left. Of equal weights the
// largest pivot is taken, of equal pivots the row named last.
//
// Cost: O(m k²).
#pragma once

#include <vector>

#include "mortise/linalg/types.h"

namespace mortise::gauss {

// Returns the row of each column, in the order of the columns (which are permuted).
std::vector<int> to_echelon(Matrix& N, const Vector& weights);

}  // namespace mortise::gauss
