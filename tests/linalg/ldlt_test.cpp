#include "mortise/linalg/ldlt.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

namespace mortise::linalg {
namespace {

bool factor_ldlt(Ldlt& ldlt, const Matrix& S, double threshold = 1e-13) {
  const int m = static_cast<int>(S.rows());
  ldlt.resize(m);
  for (int j = 0; j < m; ++j)
    for (int i = j; i < m; ++i) ldlt.column(j)[i] = S(i, j);
  return ldlt.factor(threshold);
}

TEST(Ldlt, SolvesPositiveDefiniteSystemsOfAnySize) {
  for (int m = 0; m <= 40; ++m) {
    const Matrix D = Matrix::Random(m, m + 5), S = D * D.transpose();
    Ldlt ldlt;
    ASSERT_TRUE(factor_ldlt(ldlt, S)) << m;
    const Vector x = Vector::Random(m);
    Vector y = S * x;
    ldlt.solve(as_span(y));
    EXPECT_LT((x - y).norm(), 1e-10 * (1 + x.norm())) << m;
  }
}

TEST(Ldlt, ThePivotIsTheSquaredSineOfTheAngleToTheRowsBefore) {
  const double angle = 1e-3;
  Matrix D(2, 2);
  D << 1, 0, 5 * std::cos(angle), 5 * std::sin(angle);
  Ldlt ldlt;
  ASSERT_TRUE(factor_ldlt(ldlt, D * D.transpose()));
  EXPECT_NEAR(std::sqrt(ldlt.pivot()), std::sin(angle), 1e-10);
  EXPECT_FALSE(factor_ldlt(ldlt, D * D.transpose(), 1e-5));
  EXPECT_EQ(ldlt.failed_row(), 1);
}

TEST(Ldlt, NamesTheRowsThatDependOnOneAnother) {
  Matrix D = Matrix::Random(9, 12);
  D.row(1) *= 1e-2;  // scales do not matter
  D.row(7) = 1e2 * (D.row(1) * 1e2 - 0.5 * D.row(4));
  Ldlt ldlt;
  EXPECT_FALSE(factor_ldlt(ldlt, D * D.transpose(), 1e-12));
  EXPECT_EQ(ldlt.failed_row(), 7);
  std::vector<int> rows;
  ldlt.dependent_rows(1e-6, rows);
  EXPECT_EQ(rows, (std::vector<int>{1, 4, 7}));
}

TEST(Ldlt, ARowOfZerosDependsOnNothing) {
  Matrix D = Matrix::Random(5, 7);
  D.row(3).setZero();
  Ldlt ldlt;
  EXPECT_FALSE(factor_ldlt(ldlt, D * D.transpose()));
  std::vector<int> rows;
  ldlt.dependent_rows(1e-6, rows);
  EXPECT_EQ(rows, (std::vector<int>{3}));
  EXPECT_EQ(ldlt.pivot(), 0);
}

}  // namespace
}  // namespace mortise::linalg
