// Random Gauss problems of a wanted shape and rank.
#pragma once

#include <array>

#include "gauss/problem_builder.h"

namespace mortise::gauss::testing {

// Draws block sizes, rows of items, and a Jacobian of the wanted rank with singular values of D between 1 and
// `smallest` (before row scaling). b is consistent.
void draw(OwnedProblem& p, std::mt19937& random, int n, int m, int rank, double smallest, bool scaled);

inline double relative_error(const Vector& got, const Vector& wanted) {
  return (got - wanted).norm() / (1e-300 + std::max(1.0, wanted.norm()));
}

}  // namespace mortise::gauss::testing
