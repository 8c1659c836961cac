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
  void fill(const Matrix& M, const Matrix& A) {
    for (int k = 0; k < pattern.columns.count(); ++k) {
      const int size = pattern.columns.size(k), begin = pattern.columns.begin(k);
      for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j)
          problem.M[pattern.M_offset[static_cast<std::size_t>(k)] + i * size + j] = M(begin + i, begin + j);
    }
    for (const RowBlock& e : pattern.A) {
      const int size = pattern.columns.size(e.block), begin = pattern.columns.begin(e.block);
      for (int i = 0; i < e.rows; ++i)
        for (int j = 0; j < size; ++j) problem.A[e.offset + i * size + j] = A(e.row + i, begin + j);
    }
  }

  // Row scales as a mechanism would declare them: one over the norm of each row in the inverse-mass metric, here and
  // now.
  void scale_rows_to_one() {
    const Matrix A = problem.dense_A(), M = problem.dense_M();
    const Matrix S = A * M.ldlt().solve(A.transpose());
    for (int i = 0; i < pattern.m(); ++i)
      pattern.row_scale[static_cast<std::size_t>(i)] = S(i, i) > 1e-20 ? 1 / std::sqrt(S(i, i)) : 1;
  }
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

inline Matrix random_orthogonal(std::mt19937& random, int rows, int columns) {
  return Eigen::HouseholderQR<Matrix>(random_matrix(random, rows, rows)).householderQ() *
         Matrix::Identity(rows, columns);
}

// Block-diagonal, symmetric, condition about 10.
inline Matrix random_mass(std::mt19937& random, const Blocks& columns) {
  Matrix M = Matrix::Zero(columns.total(), columns.total());
  for (int k = 0; k < columns.count(); ++k) {
    const int size = columns.size(k), begin = columns.begin(k);
    const Matrix G = random_matrix(random, size, size);
    M.block(begin, begin, size, size) = G * G.transpose() + 0.5 * Matrix::Identity(size, size);
    if (k % 2 == 1)
      M.block(begin, begin, size, size) = Matrix(M.block(begin, begin, size, size).diagonal().asDiagonal());
  }
  return M;
}

struct Oracle {
  Vector a, lambda;
  int rank = 0;
  double distance = 0;  // Euclidean, of the scaled rows
};

// By singular values of D = diag(s) A L⁻ᵀ, with a threshold in the middle of the gap asked for.
inline Oracle oracle(const OwnedProblem& p, double threshold = 1e-10) {
  const Matrix M = p.problem.dense_M(), A = p.problem.dense_A();
  const Matrix L = Eigen::LLT<Matrix>(M).matrixL();
  Vector s = Eigen::Map<const Vector>(p.pattern.row_scale.data(), p.pattern.m()), b = p.problem.b;
  for (int i = 0; i < p.pattern.m(); ++i)
    if (!p.problem.active[static_cast<std::size_t>(i)]) b[i] = 0;
  const Vector w = L.triangularView<Eigen::Lower>().solve(p.problem.Q);
  Matrix D(p.pattern.m(), p.pattern.n());
  if (D.size() > 0) D = s.asDiagonal() * L.triangularView<Eigen::Lower>().solve(A.transpose()).transpose();
  const Vector e = s.cwiseProduct(b) - D * w;
  Oracle out;
  Vector y = Vector::Zero(p.pattern.n()), mu = Vector::Zero(p.pattern.m());
  if (D.size() > 0 && D.norm() > 0) {
    const Eigen::JacobiSVD<Matrix> svd(D, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Vector& sigma = svd.singularValues();
    while (out.rank < sigma.size() && sigma[out.rank] > threshold * sigma[0]) ++out.rank;
    const Matrix U = svd.matrixU().leftCols(out.rank), V = svd.matrixV().leftCols(out.rank);
    const Vector t = (U.transpose() * e).cwiseQuotient(sigma.head(out.rank));
    y = V * t;
    mu = U * t.cwiseQuotient(sigma.head(out.rank));
  }
  out.a = L.transpose().triangularView<Eigen::Upper>().solve(w + y);
  out.lambda = -s.cwiseProduct(mu);
  out.distance = (D * y - e).norm();
  return out;
}

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
inline double equation_residual(const OwnedProblem& p, const GaussSolution& solution) {
  const Vector inertia = p.problem.dense_M() * solution.a, reaction = p.problem.dense_A().transpose() * solution.lambda;
  return (inertia + reaction - p.problem.Q).norm() / (1 + inertia.norm() + reaction.norm() + p.problem.Q.norm());
}

}  // namespace mortise::gauss::testing
