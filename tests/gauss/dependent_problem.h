// Random problems with rows that depend on one another.
#pragma once

#include <algorithm>

#include "gauss/problem_builder.h"

namespace mortise::gauss::testing {

// To the size of what is wanted, or to one where that is less.
inline double relative_or_absolute(const Vector& got, const Vector& wanted) {
  return (got - wanted).norm() / std::max(1.0, wanted.norm());
}

// m rows of rank r over bodies of 3 and 6 coordinates, singular values of A L⁻ᵀ between 1 and 0.3; consistent.
void draw_of_rank(OwnedProblem& p, std::mt19937& random, int n, int m, int rank, bool scaled);

}  // namespace mortise::gauss::testing
