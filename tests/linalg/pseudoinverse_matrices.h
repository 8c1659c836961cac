// Seeded matrices of known rank and condition for the tests of the pseudoinverses, and the measure of their errors.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "mortise/linalg/types.h"

namespace mortise::linalg::testing {

inline Matrix random_matrix(std::mt19937& random, int rows, int columns) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Matrix out(rows, columns);
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) out(i, j) = uniform(random);
  return out;
}

inline Matrix orthogonal(std::mt19937& random, int rows, int columns) {
  return Eigen::HouseholderQR<Matrix>(random_matrix(random, rows, rows)).householderQ() *
         Matrix::Identity(rows, columns);
}

// Singular values 1 … 1/condition in equal ratios, r of them.
inline Matrix graded(std::mt19937& random, int m, int n, int r, double condition) {
  Vector sigma(r);
  for (int k = 0; k < r; ++k) sigma[k] = r > 1 ? std::pow(condition, -static_cast<double>(k) / (r - 1)) : 1;
  const Matrix U = orthogonal(random, m, r), V = orthogonal(random, n, r);
  return U * sigma.asDiagonal() * V.transpose();
}

// The worst of Penrose's four conditions, relative to A and P in the first two: a measure that does not change with the
// units of A. (Absolute residuals would grow with |A|: rows of length 1e6 cannot be met to 1e-12.)
inline double penrose_residual(const Matrix& A, const Matrix& P) {
  if (A.norm() == 0) return P.norm();
  const Matrix AP = A * P, PA = P * A;
  return std::max({(AP * A - A).norm() / A.norm(), (PA * P - P).norm() / P.norm(), (AP - AP.transpose()).norm(),
                   (PA - PA.transpose()).norm()});
}

struct Sample {
  std::string name;
  Matrix A;
  int rank = 0;
  double condition = 1;  // σ_1/σ_rank

  Sample(std::string name_, Matrix A_, int rank_) : name(std::move(name_)), A(std::move(A_)), rank(rank_) {
    if (rank == 0) return;
    const Vector sigma = Eigen::JacobiSVD<Matrix>(A).singularValues();
    condition = sigma[0] / sigma[rank - 1];
  }
};

// Shapes from 1×1 to 40×60 and 60×40 and ranks from none to all, each as it comes, with rows twice, with rows of zeros,
// with every third row scaled by 1e6 and by 1e-6, and with singular values from 1 to 1e-4.
inline std::vector<Sample> family() {
  std::mt19937 random(2024);
  std::vector<Sample> out;
  for (const auto& [m, n] :
       {std::pair{1, 1}, {1, 5}, {5, 1}, {3, 3}, {7, 5}, {5, 8}, {12, 12}, {17, 30}, {40, 60}, {60, 40}}) {
    const int most = std::min(m, n);
    for (int r = 0; r <= most; r += most <= 12 || r == 0 || r == most - 1 ? 1 : (most - 1) / 3) {
      const std::string name = std::to_string(m) + "×" + std::to_string(n) + " rank " + std::to_string(r);
      const Matrix left = random_matrix(random, m, r), right = random_matrix(random, r, n);
      const Matrix A = left * right;
      out.emplace_back(name, A, r);
      if (r == 0) continue;
      out.emplace_back(name + " graded", graded(random, m, n, r, 1e4), r);
      for (double scale : {1e6, 1e-6}) {
        Matrix S = A;
        for (int i = 0; i < m; i += 3) S.row(i) *= scale;
        out.emplace_back(name + (scale > 1 ? " long rows" : " short rows"), S, r);
      }
      if (m <= r) continue;  // there is room for rows that add nothing
      Matrix L = left;
      L.bottomRows(m - r) = left.topRows(r)(Eigen::seqN(0, std::min(m - r, r)), Eigen::all)
                                .replicate((m - r + r - 1) / r, 1)
                                .topRows(m - r);
      out.emplace_back(name + " rows twice", L * right, r);
      L.bottomRows(m - r).setZero();
      out.emplace_back(name + " zero rows", L * right, r);
    }
  }
  return out;
}

}  // namespace mortise::linalg::testing
