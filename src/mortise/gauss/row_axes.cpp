#include "mortise/gauss/row_axes.h"

#include <cmath>

namespace mortise::gauss {

namespace {

double length(const Matrix& T, int k) {
  double sum = 0;
  for (int j = 0; j < T.rows(); ++j) sum += T(j, k) * T(j, k);
  return std::sqrt(sum);
}

// Takes out of column k what the columns before it cover; returns the length that is left.
double orthogonalise(Matrix& T, int k) {
  const int n = static_cast<int>(T.rows());
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < k; ++i) {
      double c = 0;
      for (int j = 0; j < n; ++j) c += T(j, i) * T(j, k);
      for (int j = 0; j < n; ++j) T(j, k) -= c * T(j, i);
    }
  return length(T, k);
}

void normalise(Matrix& T, int k, double by) {
  for (int j = 0; j < T.rows(); ++j) T(j, k) /= by;
}

}  // namespace

void row_axes(const Matrix& A, const linalg::RankPolicy& policy, double violation, Matrix& T) {
  const int n = static_cast<int>(T.rows()), m = static_cast<int>(A.rows());
  int k = 0;
  for (int row = 0; row < m && k < n; ++row) {
    for (int j = 0; j < n; ++j) T(j, k) = A(row, j);
    const double whole = length(T, k), left = orthogonalise(T, k);
    if (!(left > policy.cut(whole, violation))) continue;
    normalise(T, k, left);
    ++k;
  }
  for (; k < n; ++k) {
    int least = 0;
    double covered_least = 2;
    for (int j = 0; j < n; ++j) {
      double covered = 0;
      for (int i = 0; i < k; ++i) covered += T(j, i) * T(j, i);
      if (covered < covered_least) {
        covered_least = covered;
        least = j;
      }
    }
    for (int j = 0; j < n; ++j) T(j, k) = j == least;
    normalise(T, k, orthogonalise(T, k));
  }
}

}  // namespace mortise::gauss
