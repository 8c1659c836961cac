// What assembly and motion both say of a system: how far off a vector of rows is, and that a mass is missing.
#pragma once

#include <string>
#include <vector>

#include "mortise/system/system.h"

namespace mortise {

// max |errorᵢ| / sizeᵢ: free of units.
double scaled_max(const Vector& error, const std::vector<double>& sizes);

// S420: the mass matrix is singular at a block; `why` says what needs it.
SolveReport singular_mass(const System& system, double t, int block, std::string why);
// S423: so many motions have neither mass nor constraint.
SolveReport not_unique(double t, int missing);

}  // namespace mortise
