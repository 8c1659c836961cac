// Small Gauss problems written down by hand or drawn at random, and their dense oracle.
#pragma once

#include <Eigen/Dense>
#include <random>
#include <vector>

#include "mortise/gauss/formulation.h"

namespace mortise::gauss::testing {

// A problem that owns its pattern. Not copied: the problem points into it.
struct OwnedProblem {
  Pattern pattern;
  GaussProblem problem;

  OwnedProblem() = default;
  OwnedProblem(const OwnedProblem&) = delete;
  OwnedProblem& operator=(const OwnedProblem&) = delete;

  // The values of dense M and A, of which only what the pattern holds is taken.
  void fill(const Matrix& M, const Matrix& A);

  // Row scales as a mechanism would declare them: one over the norm of each row in the inverse-mass metric, here and
  // now.
  void scale_rows_to_one();
};

// Lays out columns of the given block sizes and m rows, one row block per (item, column block) over `rows_per_item`.
inline void lay_out(OwnedProblem& p, const std::vector<int>& sizes, const std::vector<int>& items) {
  for (int size : sizes) p.pattern.columns.append(size);
  p.pattern.layout_mass();
  int row = 0, item = 0;
  for (int count : items) {
    for (int i = 0; i < count; ++i) p.pattern.rows.push_back({item, i});
    for (int k = 0; k < p.pattern.columns.count(); ++k) p.pattern.append_block(row, count, k);
    row += count;
    ++item;
  }
  p.pattern.row_scale.assign(static_cast<std::size_t>(row), 1.0);
  p.pattern.version = 1;
  p.problem.resize(p.pattern);
}

inline Matrix random_matrix(std::mt19937& random, int rows, int columns) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Matrix out(rows, columns);
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) out(i, j) = uniform(random);
  return out;
}

Matrix random_orthogonal(std::mt19937& random, int rows, int columns);

// Block-diagonal, symmetric, condition about 10.
Matrix random_mass(std::mt19937& random, const Blocks& columns);

struct Oracle {
  Vector a, lambda;
  int rank = 0;
  double distance = 0;  // Euclidean, of the scaled rows
};

// By singular values of D = diag(s) A L⁻ᵀ, with a threshold in the middle of the gap asked for.
Oracle oracle(const OwnedProblem& p, double threshold = 1e-10);

inline GaussSolution solve(const Formulation& formulation, const OwnedProblem& p,
                           const linalg::RankPolicy& policy = {}) {
  const auto factor = formulation.prepare(p.pattern);
  GaussSolution solution;
  solution.resize(p.pattern);
  if (!factor->factor(p.problem, policy)) throw std::runtime_error("refused");
  factor->solve(as_span(p.problem.Q), as_span(p.problem.b), solution);
  return solution;
}

// |M a + Aᵀλ − Q| relative to the forces at work.
double equation_residual(const OwnedProblem& p, const GaussSolution& solution);

}  // namespace mortise::gauss::testing
