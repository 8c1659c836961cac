#include "mortise/linalg/in_place.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>
#include <vector>

#include "linalg/random_matrix.h"

namespace mortise::linalg {
namespace {

TEST(InPlace, CholeskyOfALeadingBlockSolves) {
  std::mt19937 random(1);
  for (int d : {1, 2, 7, 20}) {
    Matrix array = random_matrix(random, 30, 30);
    const Matrix G = random_matrix(random, d, d + 2), K = G * G.transpose(), outside = array.rightCols(30 - d);
    array.topLeftCorner(d, d) = K;
    EXPECT_EQ(cholesky_in_place(array.topLeftCorner(d, d), 1e-13), 0);
    Vector x = random_matrix(random, d, 1);
    const Vector b = x;
    cholesky_solve(array.topLeftCorner(d, d), x);
    EXPECT_LT((K * x - b).norm(), 1e-11);
    EXPECT_EQ(array.rightCols(30 - d), outside);
  }
}

TEST(InPlace, CholeskyCountsThePivotsThatVanish) {
  std::mt19937 random(2);
  for (int rank : {0, 1, 4, 6}) {
    Matrix K = Matrix::Zero(6, 6);
    if (rank > 0) {
      const Matrix G = random_matrix(random, 6, rank);
      K = G * G.transpose();
    }
    EXPECT_EQ(cholesky_in_place(K, 1e-12), 6 - rank);
  }
}

TEST(InPlace, LuSolvesFromTheRightAndEstimatesTheInverse) {
  std::mt19937 random(3);
  for (int d : {1, 2, 9, 25}) {
    const Matrix B = random_matrix(random, d, d), X = random_matrix(random, 12, d);
    Matrix LU = B, Y = X;
    std::vector<int> swaps(static_cast<std::size_t>(d));
    ASSERT_TRUE(lu_in_place(LU, swaps));
    lu_solve_from_the_right(LU, swaps, Y);
    const Matrix inverse = B.inverse();
    EXPECT_LT((Y * B - X).norm(), 1e-12 * inverse.norm());
    Vector x(d), y(d);
    const double norm = inverse.cwiseAbs().colwise().sum().maxCoeff(), estimate = lu_inverse_norm(LU, swaps, x, y);
    EXPECT_LT(estimate, norm * (1 + 1e-10));
    EXPECT_GT(estimate, norm / 3);
  }
  Matrix singular = Matrix::Ones(3, 3);
  std::vector<int> swaps(3);
  EXPECT_FALSE(lu_in_place(singular, swaps));
}

}  // namespace
}  // namespace mortise::linalg
