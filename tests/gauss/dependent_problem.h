// Random problems with rows that depend on one another.
#pragma once

#include <algorithm>

#include "gauss/problem_builder.h"

namespace mortise::gauss::testing {

inline double relative(const Vector& got, const Vector& wanted) {
  return (got - wanted).norm() / std::max(1.0, wanted.norm());
}

// m rows of rank r over bodies of 3 and 6 coordinates, singular values of A L⁻ᵀ between 1 and 0.3; consistent.
inline void draw_of_rank(OwnedProblem& p, std::mt19937& random, int n, int m, int rank, bool scaled) {
  std::vector<int> sizes, items;
  for (int left = n; left > 0; left -= sizes.back()) sizes.push_back(std::min(left, random() % 2 ? 3 : 6));
  for (int left = m; left > 0; left -= items.back())
    items.push_back(std::min<int>(left, 1 + static_cast<int>(random() % 5)));
  lay_out(p, sizes, items);
  const Matrix M = random_mass(random, p.pattern.columns);
  Vector sigma(rank);
  for (int k = 0; k < rank; ++k) sigma[k] = std::pow(0.3, rank > 1 ? double(k) / (rank - 1) : 0);
  const Matrix D =
      random_orthogonal(random, m, rank) * sigma.asDiagonal() * random_orthogonal(random, n, rank).transpose();
  const Matrix L = Eigen::LLT<Matrix>(M).matrixL();
  const Matrix A = D * L.transpose();
  p.fill(M, A);
  p.problem.Q = 10 * random_matrix(random, n, 1);
  p.problem.b = A * random_matrix(random, n, 1);
  if (scaled)
    for (double& s : p.pattern.row_scale) s = std::pow(2.0, random_matrix(random, 1, 1)(0, 0));
}

}  // namespace mortise::gauss::testing
