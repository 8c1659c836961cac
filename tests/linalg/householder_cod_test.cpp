#include "mortise/linalg/householder_cod.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "linalg/random_matrix.h"

namespace mortise::linalg {
namespace {

Matrix orthogonal(std::mt19937& random, int rows, int columns) {
  return Eigen::HouseholderQR<Matrix>(random_matrix(random, rows, rows)).householderQ() *
         Matrix::Identity(rows, columns);
}

Matrix with_singular_values(std::mt19937& random, int m, int n, const Vector& sigma) {
  const int r = static_cast<int>(sigma.size());
  const Matrix U = orthogonal(random, m, r), V = orthogonal(random, n, r);
  return U * sigma.asDiagonal() * V.transpose();
}

void factor(CompleteOrthogonal& cod, const Matrix& D, const RankPolicy& policy = {}, double violation = 0) {
  const int m = static_cast<int>(D.rows()), n = static_cast<int>(D.cols());
  cod.resize(n, m);
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i) cod.column(j)[i] = D(j, i);
  cod.factor(policy, violation);
}

// D⁺ column by column.
Matrix pseudoinverse(CompleteOrthogonal& cod) {
  Matrix out(cod.n(), cod.m());
  Vector e = Vector::Zero(cod.m()), y(cod.n()), mu(cod.m());
  for (int j = 0; j < cod.m(); ++j) {
    e.setZero();
    e[j] = 1;
    cod.solve(as_span(e), as_span(y), as_span(mu));
    out.col(j) = y;
  }
  return out;
}

double penrose_residual(const Matrix& A, const Matrix& P) {
  const Matrix AP = A * P, PA = P * A;
  return std::max(
      {(AP * A - A).norm(), (PA * P - P).norm(), (AP - AP.transpose()).norm(), (PA - PA.transpose()).norm()});
}

TEST(CompleteOrthogonal, FulfilsThePenroseConditionsForAnyShapeAndRank) {
  std::mt19937 random(1);
  for (const auto& [m, n] : {std::pair{1, 1},
                             {1, 5},
                             {5, 1},
                             {3, 3},
                             {4, 4},
                             {7, 5},
                             {5, 8},
                             {8, 9},
                             {13, 13},
                             {14, 15},
                             {16, 16},
                             {17, 30},
                             {40, 60},
                             {60, 40},
                             {33, 32}})
    for (int r = 0; r <= std::min(m, n); ++r) {
      const Matrix left = random_matrix(random, m, r), D = left * random_matrix(random, r, n);
      CompleteOrthogonal cod;
      factor(cod, D);
      ASSERT_EQ(cod.rank().rank, r) << m << "×" << n;
      const Matrix P = pseudoinverse(cod);
      ASSERT_LT(penrose_residual(D, P), 1e-12 * (1 + D.norm() * P.norm())) << m << "×" << n << " rank " << r;
    }
}

TEST(CompleteOrthogonal, TakesTheMatrixThatUnpivotedVargaFailsOn) {
  Matrix D(3, 3);
  D << 1, 1, 2, 1, 1, 3, 2, 2, 5;
  CompleteOrthogonal cod;
  factor(cod, D);
  EXPECT_EQ(cod.rank().rank, 2);
  const Matrix oracle = D.completeOrthogonalDecomposition().pseudoInverse();
  EXPECT_LT((pseudoinverse(cod) - oracle).norm(), 1e-13);
}

TEST(CompleteOrthogonal, GivesTheShortestMultipliers) {
  std::mt19937 random(2);
  for (int r : {0, 1, 4, 7, 9}) {
    const Matrix left = random_matrix(random, 9, r), D = left * random_matrix(random, r, 12);
    CompleteOrthogonal cod;
    factor(cod, D);
    const Vector e = random_matrix(random, 9, 1);
    Vector y(12), mu(9);
    cod.solve(as_span(e), as_span(y), as_span(mu));
    const Matrix P = r == 0 ? Matrix::Zero(12, 9) : Matrix(D.completeOrthogonalDecomposition().pseudoInverse());
    EXPECT_LT((y - P * e).norm(), 1e-11 * (1 + y.norm()));
    EXPECT_LT((mu - P.transpose() * (P * e)).norm(), 1e-10 * (1 + mu.norm())) << r;
  }
}

TEST(CompleteOrthogonal, FindsTheRankOfGradedMatricesAndReportsTheGap) {
  std::mt19937 random(3);
  for (int n : {20, 50}) {
    Vector sigma(16);
    for (int k = 0; k < 16; ++k) sigma[k] = std::pow(10.0, -1 - 7.0 * k / 15);  // 1e-1 … 1e-8
    const Matrix D = with_singular_values(random, 18, n, sigma);
    CompleteOrthogonal cod;
    factor(cod, D);
    EXPECT_EQ(cod.rank().rank, 16);
    EXPECT_EQ(cod.rank().redundant(), 2);
    EXPECT_GT(cod.rank().gap(), 1e5);
    EXPECT_GT(cod.rank().smallest_kept, 1e-9);
    EXPECT_LT(cod.rank().smallest_kept, 1e-6);
    EXPECT_LT(cod.rank().largest_dropped, 1e-14);

    RankPolicy coarse;
    coarse.relative = 2e-4;
    factor(cod, D, coarse);
    EXPECT_NEAR(cod.rank().rank, 8, 3) << "pivots follow singular values within a small factor";
    EXPECT_GT(cod.rank().smallest_kept, coarse.relative);
    EXPECT_LE(cod.rank().largest_dropped, coarse.relative);
    EXPECT_GT(cod.rank().largest_dropped, 1e-5) << "a small gap is shown as such";
  }
}

TEST(CompleteOrthogonal, FollowsTheShrinkingNormsOfKahansMatrix) {
  // Remaining columns always tie and shrink by sin(1.2) a step: norms that go astray would show in the last pivot. This
  // is also the matrix whose smallest singular value (5e-11 of the largest) no pivoted QR sees.
  const int m = 60;
  const double c = std::cos(1.2), s = std::sin(1.2);
  Matrix K = Matrix::Zero(m, m);
  for (int i = 0; i < m; ++i) {
    K(i, i) = std::pow(s, i);
    for (int j = i + 1; j < m; ++j) K(i, j) = -c * std::pow(s, i);
  }
  CompleteOrthogonal cod;
  factor(cod, K.transpose());
  EXPECT_EQ(cod.rank().rank, m);
  EXPECT_NEAR(cod.rank().smallest_kept, std::pow(s, m - 1), 1e-6);
  const Vector sigma = Eigen::JacobiSVD<Matrix>(K).singularValues();
  EXPECT_LT(sigma[m - 1], 1e-10 * sigma[0]);
}

TEST(CompleteOrthogonal, ViolationRaisesTheThreshold) {
  std::mt19937 random(4);
  Vector sigma = Vector::Ones(6);
  sigma[5] = 1e-6;
  const Matrix D = with_singular_values(random, 6, 8, sigma);
  CompleteOrthogonal cod;
  factor(cod, D);
  EXPECT_EQ(cod.rank().rank, 6);
  factor(cod, D, {}, 1e-6);
  EXPECT_EQ(cod.rank().rank, 5);
  EXPECT_DOUBLE_EQ(cod.rank().threshold, 1e-4);
}

TEST(CompleteOrthogonal, SaysWhatBecameOfEachRow) {
  std::mt19937 random(5);
  Matrix D = random_matrix(random, 6, 9);
  D.row(1).setZero();
  D.row(4) = D.row(0);
  D.row(5) = 0.1 * D.row(2) - 0.2 * D.row(3);
  CompleteOrthogonal cod;
  factor(cod, D);
  using enum RowFate;
  EXPECT_EQ(std::vector(cod.fates().begin(), cod.fates().end()),
            (std::vector{kept, vanished, kept, kept, dropped, dropped}));

  Vector expected = Vector::Zero(6);
  expected[0] = 1;
  EXPECT_LT((cod.dependency(4) - expected).norm(), 1e-13);
  expected.setZero();
  expected[2] = 0.1;
  expected[3] = -0.2;
  EXPECT_LT((cod.dependency(5) - expected).norm(), 1e-13);
  EXPECT_EQ(cod.dependency(1).norm(), 0);
}

TEST(CompleteOrthogonal, FindsTheRowsThatContradictTheKeptOnes) {
  std::mt19937 random(6);
  Matrix D = random_matrix(random, 6, 9);
  D.row(1).setZero();
  D.row(4) = D.row(0);
  D.row(5) = 0.1 * D.row(2) - 0.2 * D.row(3);
  CompleteOrthogonal cod;
  factor(cod, D);
  Vector e = D * random_matrix(random, 9, 1), excess(6);
  cod.contradiction(as_span(e), as_span(excess));
  EXPECT_LT(excess.norm(), 1e-13);
  e[5] += 0.5;
  e[1] = -2;
  cod.contradiction(as_span(e), as_span(excess));
  Vector expected = Vector::Zero(6);
  expected[5] = 0.5;
  expected[1] = -2;
  EXPECT_LT((excess - expected).norm(), 1e-13);
}

TEST(CompleteOrthogonal, TakesEmptyMatrices) {
  CompleteOrthogonal cod;
  factor(cod, Matrix(0, 4));
  EXPECT_EQ(cod.rank().rank, 0);
  Vector none, y = Vector::Ones(4);
  cod.solve(as_span(none), as_span(y), as_span(none));
  EXPECT_EQ(y.norm(), 0);
  factor(cod, Matrix(3, 0));
  EXPECT_EQ(cod.rank().rank, 0);
  EXPECT_EQ(cod.fates()[2], RowFate::vanished);
  factor(cod, Matrix::Zero(3, 5));
  EXPECT_EQ(cod.rank().rank, 0);
  EXPECT_TRUE(std::isinf(cod.rank().gap()));
}

TEST(CompleteOrthogonal, EndsOnNotANumber) {
  Matrix D = Matrix::Random(5, 7);
  D(2, 3) = std::numeric_limits<double>::quiet_NaN();
  CompleteOrthogonal cod;
  factor(cod, D);
  EXPECT_LE(cod.rank().rank, 5);
}

}  // namespace
}  // namespace mortise::linalg
