#include "mortise/gauss/row_axes.h"

#include <algorithm>
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

linalg::Rank row_basis(const Matrix& A, const linalg::RankPolicy& policy, double violation, Matrix& T,
                       std::span<linalg::RowFate> fates) {
  const int n = static_cast<int>(T.rows()), m = static_cast<int>(A.rows());
  linalg::Rank rank;
  for (int row = 0; row < m; ++row) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += A(row, j) * A(row, j);
    rank.largest = std::max(rank.largest, std::sqrt(sum));
  }
  const double cut = policy.cut(rank.largest, violation);
  double smallest = rank.largest, dropped = 0;
  for (int row = 0; row < m; ++row) {
    linalg::RowFate& fate = fates[static_cast<std::size_t>(row)];
    if (rank.rank == n) {
      fate = linalg::RowFate::dropped;
      continue;
    }
    const int k = rank.rank;
    for (int j = 0; j < n; ++j) T(j, k) = A(row, j);
    const double whole = length(T, k), left = orthogonalise(T, k);
    if (left > cut) {
      fate = linalg::RowFate::kept;
      normalise(T, k, left);
      smallest = std::min(smallest, left);
      ++rank.rank;
    } else {
      fate = whole > cut ? linalg::RowFate::dropped : linalg::RowFate::vanished;
      dropped = std::max(dropped, left);
    }
  }
  rank.smallest_kept = rank.rank > 0 ? smallest / rank.largest : 1;
  rank.largest_dropped = rank.largest > 0 ? dropped / rank.largest : 0;
  rank.threshold = rank.largest > 0 ? cut / rank.largest : 0;
  return rank;
}

void complete_axes(int rank, Matrix& T) {
  const int n = static_cast<int>(T.rows());
  for (int k = rank; k < n; ++k) {
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
