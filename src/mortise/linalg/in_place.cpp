#include "mortise/linalg/in_place.h"

#include <cmath>
#include <limits>
#include <utility>

namespace mortise::linalg {

int cholesky_in_place(Eigen::Ref<Matrix> K, double relative) {
  const Eigen::Index d = K.rows();
  const double largest = d > 0 ? K.diagonal().maxCoeff() : 0;
  int zeros = 0;
  for (Eigen::Index j = 0; j < d; ++j) {
    const double original = K(j, j);
    const Eigen::Index below = d - j;
    if (j > 0) K.col(j).tail(below).noalias() -= K.block(j, 0, below, j) * K.row(j).head(j).transpose();
    const double pivot = K(j, j);
    if (!(original > relative * largest) || !(pivot > relative * original)) {
      ++zeros;
      K.col(j).tail(below).setZero();  // takes no part in what follows
      continue;
    }
    K.col(j).tail(below) /= std::sqrt(pivot);
  }
  return zeros;
}

void cholesky_solve(const Eigen::Ref<const Matrix>& L, Eigen::Ref<Vector> x) {
  if (x.size() == 0) return;
  L.triangularView<Eigen::Lower>().solveInPlace(x);
  L.transpose().triangularView<Eigen::Upper>().solveInPlace(x);
}

bool lu_in_place(Eigen::Ref<Matrix> B, std::span<int> swaps) {
  const Eigen::Index d = B.rows();
  for (Eigen::Index k = 0; k < d; ++k) {
    Eigen::Index pivot = 0;
    const double size = B.col(k).tail(d - k).cwiseAbs().maxCoeff(&pivot);
    pivot += k;
    swaps[static_cast<std::size_t>(k)] = static_cast<int>(pivot);
    if (!(size > 0)) return false;
    if (pivot != k) B.row(k).swap(B.row(pivot));
    const Eigen::Index below = d - k - 1;
    B.col(k).tail(below) /= B(k, k);
    B.bottomRightCorner(below, below).noalias() -= B.col(k).tail(below) * B.row(k).tail(below);
  }
  return true;
}

void lu_solve_from_the_right(const Eigen::Ref<const Matrix>& LU, std::span<const int> swaps, Eigen::Ref<Matrix> X) {
  const Eigen::Index d = LU.rows();
  if (d == 0) return;
  LU.triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(X);
  LU.triangularView<Eigen::UnitLower>().solveInPlace<Eigen::OnTheRight>(X);
  for (Eigen::Index k = d - 1; k >= 0; --k)
    if (const Eigen::Index other = swaps[static_cast<std::size_t>(k)]; other != k) X.col(k).swap(X.col(other));
}

double lu_inverse_norm(const Eigen::Ref<const Matrix>& LU, std::span<const int> swaps, Eigen::Ref<Vector> x,
                       Eigen::Ref<Vector> y) {
  const Eigen::Index d = LU.rows();
  if (d == 0) return 0;
  x.setConstant(1.0 / static_cast<double>(d));
  double norm = 0;
  for (int pass = 0; pass < 5; ++pass) {
    for (Eigen::Index k = 0; k < d; ++k) std::swap(x[k], x[swaps[static_cast<std::size_t>(k)]]);
    LU.triangularView<Eigen::UnitLower>().solveInPlace(x);
    LU.triangularView<Eigen::Upper>().solveInPlace(x);
    const double now = x.lpNorm<1>();
    if (!std::isfinite(now)) return std::numeric_limits<double>::infinity();
    if (now <= norm) break;
    norm = now;
    for (Eigen::Index i = 0; i < d; ++i) y[i] = x[i] < 0 ? -1 : 1;
    LU.transpose().triangularView<Eigen::Lower>().solveInPlace(y);
    LU.transpose().triangularView<Eigen::UnitUpper>().solveInPlace(y);
    for (Eigen::Index k = d - 1; k >= 0; --k) std::swap(y[k], y[swaps[static_cast<std::size_t>(k)]]);
    Eigen::Index at = 0;
    y.cwiseAbs().maxCoeff(&at);
    x.setZero();
    x[at] = 1;
  }
  return norm;
}

}  // namespace mortise::linalg
