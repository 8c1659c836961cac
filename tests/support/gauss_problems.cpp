// Bodies of the problem builders of tests/gauss: decompositions that every test would else instantiate for itself.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "gauss/dependent_problem.h"
#include "gauss/random_problem.h"
#include "gauss/random_problems.h"

namespace mortise::gauss::testing {

Matrix random_orthogonal(std::mt19937& random, int rows, int columns) {
  return Eigen::HouseholderQR<Matrix>(random_matrix(random, rows, rows)).householderQ() *
         Matrix::Identity(rows, columns);
}

Matrix random_mass(std::mt19937& random, const Blocks& columns) {
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

Oracle oracle(const OwnedProblem& p, double threshold) {
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

double equation_residual(const OwnedProblem& p, const GaussSolution& solution) {
  const Vector inertia = p.problem.dense_M() * solution.a, reaction = p.problem.dense_A().transpose() * solution.lambda;
  return (inertia + reaction - p.problem.Q).norm() / (1 + inertia.norm() + reaction.norm() + p.problem.Q.norm());
}

void OwnedProblem::scale_rows_to_one() {
  const Matrix A = problem.dense_A(), M = problem.dense_M();
  const Matrix S = A * M.ldlt().solve(A.transpose());
  for (int i = 0; i < pattern.m(); ++i)
    pattern.row_scale[static_cast<std::size_t>(i)] = S(i, i) > 1e-20 ? 1 / std::sqrt(S(i, i)) : 1;
}

void OwnedProblem::fill(const Matrix& M, const Matrix& A) {
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

void draw(OwnedProblem& p, std::mt19937& random, int n, int m, int rank, double smallest, bool scaled) {
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

Matrix conditioned_mass(std::mt19937& random, const Blocks& columns, double condition) {
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

Known draw(OwnedProblem& p, std::mt19937& random, const Order& order) {
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

void draw_of_rank(OwnedProblem& p, std::mt19937& random, int n, int m, int rank, bool scaled) {
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
