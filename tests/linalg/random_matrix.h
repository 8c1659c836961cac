// Matrices for tests of decompositions.
#pragma once

#include <random>

#include "mortise/linalg/types.h"

namespace mortise::linalg {

inline Matrix random_matrix(std::mt19937& random, int rows, int columns) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  return Matrix::NullaryExpr(rows, columns, [&] { return uniform(random); });
}

}  // namespace mortise::linalg
