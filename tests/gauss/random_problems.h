// Gauss problems with a solution known beforehand and conditions as ordered, for comparing formulations.
#pragma once

#include "gauss/problem_builder.h"

namespace mortise::gauss::testing {

struct Order {
  int n = 12, m = 8, rank = 8;  // of the rows that are on
  double smallest = 0.1;        // singular values of the scaled rows in the mass metric: from 1 down to this
  double mass_condition = 10;   // of the largest block
  int off = 0;                  // rows that are off, in between
  bool scaled = false;          // nominal row norms other than one
  bool consistent = true;
};

// Block by block, eigenvalues from 1 down to 1/condition; every other block diagonal.
inline Matrix conditioned_mass(std::mt19937& random, const Blocks& columns, double condition) {
  Matrix M = Matrix::Zero(columns.total(), columns.total());
  for (int k = 0; k < columns.count(); ++k) {
    const int size = columns.size(k), begin = columns.begin(k);
    Vector values(size);
    for (int i = 0; i < size; ++i) values[i] = std::pow(condition, -double(random() % 1000) / 999.0);
    const Matrix V = k % 2 == 1 ? Matrix(Matrix::Identity(size, size)) : random_orthogonal(random, size, size);
    const Matrix block = V * values.asDiagonal() * V.transpose();
    M.block(begin, begin, size, size) = 0.5 * (block + block.transpose());
  }
  return M;
}

// What is drawn: a and the shortest λ with M a + Aᵀλ = Q, A a = b.
struct Known {
  Vector a, lambda;
};

inline Known draw(OwnedProblem& p, std::mt19937& random, const Order& order) {
  const int n = order.n, m = order.m + order.off, choice[]{1, 2, 3, 6};
  std::vector<int> sizes, items;
  for (int left = n; left > 0; left -= sizes.back()) sizes.push_back(std::min(left, choice[random() % 4]));
  for (int left = m; left > 0; left -= items.back())
    items.push_back(std::min(left, 1 + static_cast<int>(random() % 5)));
  lay_out(p, sizes, items);
  std::vector<int> on(static_cast<std::size_t>(m));
  for (int i = 0; i < m; ++i) on[static_cast<std::size_t>(i)] = i;
  std::shuffle(on.begin(), on.end(), random);
  for (int i = order.m; i < m; ++i) p.problem.active[static_cast<std::size_t>(on[static_cast<std::size_t>(i)])] = 0;
  on.resize(static_cast<std::size_t>(order.m));

  const Matrix M = conditioned_mass(random, p.pattern.columns, order.mass_condition);
  const Matrix L = Eigen::LLT<Matrix>(M).matrixL();
  Vector sigma(order.rank);
  for (int k = 0; k < order.rank; ++k)
    sigma[k] = std::pow(order.smallest, order.rank > 1 ? double(k) / (order.rank - 1) : 0);
  const Matrix U = random_orthogonal(random, order.m, order.rank), V = random_orthogonal(random, n, order.rank);
  const Matrix D = U * sigma.asDiagonal() * V.transpose();
  if (order.scaled)
    for (double& s : p.pattern.row_scale) s = std::pow(10.0, random_matrix(random, 1, 1)(0, 0));
  Matrix A = random_matrix(random, m, n);  // rows that are off hold anything
  const Vector mu = U * random_matrix(random, order.rank, 1);
  Known known{random_matrix(random, n, 1), Vector::Zero(m)};
  for (int i = 0; i < order.m; ++i) {
    const int row = on[static_cast<std::size_t>(i)];
    const double s = p.pattern.row_scale[static_cast<std::size_t>(row)];
    A.row(row) = D.row(i) * L.transpose() / s;
    known.lambda[row] = s * mu[i];
  }
  p.fill(M, A);
  p.problem.Q = M * known.a + p.problem.dense_A().transpose() * known.lambda;
  p.problem.b = A * known.a;
  if (!order.consistent) p.problem.b += random_matrix(random, m, 1);
  for (int i = 0; i < m; ++i)
    if (!p.problem.active[static_cast<std::size_t>(i)]) p.problem.b[i] = std::numeric_limits<double>::quiet_NaN();
  return known;
}

inline double relative(const Vector& got, const Vector& wanted) {
  return (got - wanted).norm() / std::max(wanted.norm(), 1e-12);
}

}  // namespace mortise::gauss::testing
