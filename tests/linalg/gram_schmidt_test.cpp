#include "mortise/linalg/gram_schmidt.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "linalg/random_matrix.h"

namespace mortise::linalg {
namespace {

RowGramSchmidt factor_rows(const Matrix& D, RowGramSchmidt::Order order = RowGramSchmidt::Order::pivoted) {
  RowGramSchmidt g;
  const int m = static_cast<int>(D.rows()), n = static_cast<int>(D.cols());
  g.resize(m, n);
  g.begin(m, n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) g.row(i)[j] = D(i, j);
  g.factor({}, 0, order);
  return g;
}

Matrix H_of(const RowGramSchmidt& g) {
  Matrix H(g.rank().rank, g.n());
  for (int k = 0; k < g.rank().rank; ++k) H.row(k) = Eigen::Map<const Eigen::RowVectorXd>(g.H(k), g.n());
  return H;
}

double orthogonality(const Matrix& H) {
  return (H * H.transpose() - Matrix::Identity(H.rows(), H.rows())).cwiseAbs().maxCoeff();
}

double reproduction(const RowGramSchmidt& g, const Matrix& D) {
  Matrix R(g.m(), g.rank().rank);
  for (int i = 0; i < g.m(); ++i)
    for (int k = 0; k < g.rank().rank; ++k) R(i, k) = g.R(i, k);
  return (R * H_of(g) - D).cwiseAbs().maxCoeff();
}

TEST(RowGramSchmidt, RowsAreOrthonormalAndReproduceTheMatrix) {
  std::mt19937 random(1);
  double loss = 0, error = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 1 + static_cast<int>(random() % 40), m = 1 + static_cast<int>(random() % 40);
    const int rank = 1 + static_cast<int>(random() % static_cast<unsigned>(std::min(m, n)));
    const Matrix D = random_matrix(random, m, rank) * random_matrix(random, rank, n) / rank;
    for (const auto order : {RowGramSchmidt::Order::pivoted, RowGramSchmidt::Order::given}) {
      const RowGramSchmidt g = factor_rows(D, order);
      ASSERT_EQ(g.rank().rank, rank) << trial;
      loss = std::max(loss, orthogonality(H_of(g)));
      error = std::max(error, reproduction(g, D));
    }
  }
  EXPECT_LT(loss, 1e-14);
  EXPECT_LT(error, 1e-13);
}

// Hilbert's matrix of ten rows: one pass loses four digits and more (1.8e-4 of orthogonality, specs sheet §2).
TEST(RowGramSchmidt, TheSecondPassKeepsHilbertsMatrixOrthonormal) {
  Matrix hilbert(10, 10);
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j) hilbert(i, j) = 1.0 / (i + j + 1);
  const RowGramSchmidt g = factor_rows(hilbert);
  EXPECT_GE(g.rank().rank, 8);
  EXPECT_LT(orthogonality(H_of(g)), 1e-14);
  EXPECT_LT(reproduction(g, hilbert), 1e-9) << "what is below the threshold of rank is left out";
}

// Rows long against what they add to one another, with a condition of 1e8.
TEST(RowGramSchmidt, StaysOrthonormalForIllConditionedRows) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 50; ++trial) {
    Matrix D = Matrix::Ones(12, 1) * random_matrix(random, 1, 30) + 1e-8 * random_matrix(random, 12, 30);
    for (const auto order : {RowGramSchmidt::Order::pivoted, RowGramSchmidt::Order::given}) {
      const RowGramSchmidt g = factor_rows(D, order);
      ASSERT_EQ(g.rank().rank, 12);
      ASSERT_LT(orthogonality(H_of(g)), 1e-14);
    }
  }
}

TEST(RowGramSchmidt, SolvesWithItsTriangleAndTellsDependencies) {
  std::mt19937 random(4);
  Matrix D = random_matrix(random, 6, 9);
  D.row(3) = 2 * D.row(0) - D.row(5);
  D.row(4).setZero();
  const RowGramSchmidt g = factor_rows(D);
  ASSERT_EQ(g.rank().rank, 4);
  EXPECT_EQ(g.fates()[4], RowFate::vanished);
  for (int i = 0; i < 6; ++i) {
    Vector c(4);
    g.dependency(i, c.data());
    Vector row = D.row(i).transpose();
    for (int k = 0; k < 4; ++k) row -= c[k] * D.row(g.kept(k)).transpose();
    EXPECT_LT(row.norm(), 1e-14);
  }
  const Vector x = random_matrix(random, 9, 1);
  Vector y(4);
  for (int k = 0; k < 4; ++k) y[k] = D.row(g.kept(k)).dot(x);
  g.solve(y.data());
  EXPECT_LT((y - H_of(g) * x).norm(), 1e-13);
}

}  // namespace
}  // namespace mortise::linalg
