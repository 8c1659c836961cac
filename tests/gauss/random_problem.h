// Random Gauss problems of a wanted shape and rank.
#pragma once

#include <array>

#include "gauss/problem_builder.h"

namespace mortise::gauss::testing {

// Draws block sizes, rows of items, and a Jacobian of the wanted rank with singular values of D between 1 and
// `smallest` (before row scaling). b is consistent.
inline void draw(OwnedProblem& p, std::mt19937& random, int n, int m, int rank, double smallest, bool scaled) {
  const std::array<int, 4> choice{1, 2, 3, 6};
  std::vector<int> sizes, items;
  for (int left = n; left > 0;) {
    sizes.push_back(std::min(left, choice[random() % 4]));
    left -= sizes.back();
  }
  for (int left = m; left > 0;) {
    items.push_back(std::min<int>(left, 1 + static_cast<int>(random() % 5)));
    left -= items.back();
  }
  lay_out(p, sizes, items);
  const Matrix M = random_mass(random, p.pattern.columns);
  Vector sigma(rank);
  for (int k = 0; k < rank; ++k) sigma[k] = std::pow(smallest, rank > 1 ? double(k) / (rank - 1) : 0);
  const Matrix U = random_orthogonal(random, m, rank), V = random_orthogonal(random, n, rank);
  const Matrix D = U * sigma.asDiagonal() * V.transpose();
  const Matrix L = Eigen::LLT<Matrix>(M).matrixL();
  const Matrix A = D * L.transpose();
  p.fill(M, A);
  p.problem.Q = 10 * random_matrix(random, n, 1);
  p.problem.b = A * random_matrix(random, n, 1);
  if (scaled)
    for (double& s : p.pattern.row_scale) s = std::pow(10.0, random_matrix(random, 1, 1)(0, 0));
}

inline double relative_error(const Vector& got, const Vector& wanted) {
  return (got - wanted).norm() / (1e-300 + std::max(1.0, wanted.norm()));
}

}  // namespace mortise::gauss::testing
