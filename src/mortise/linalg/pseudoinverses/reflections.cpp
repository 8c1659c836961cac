#include "mortise/linalg/pseudoinverses/reflections.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mortise/linalg/pivoting.h"

namespace mortise::linalg {

void Reflections::resize(Eigen::Index rows, Eigen::Index columns) {
  F_.resize(rows, columns);
  tau_.resize(std::min(rows, columns));
  norm2_.resize(columns);
  reference2_.resize(columns);
  order_.resize(static_cast<std::size_t>(columns));
}

double Reflections::longest_column() {
  for (Eigen::Index j = 0; j < F_.cols(); ++j) norm2_[j] = reference2_[j] = F_.col(j).squaredNorm();
  return F_.cols() > 0 ? std::sqrt(norm2_.maxCoeff()) : 0;
}

// u = x − R_kk e_k with R_kk = −sign(x_k)|x|, divided by its head; τ = 2/|u|².
void Reflections::reduce_step(Eigen::Index k, Eigen::Index columns, Flops& flops) {
  const Eigen::Index rows = F_.rows(), below = rows - k - 1;
  auto tail = F_.col(k).tail(below);
  const double head = F_(k, k), tail2 = tail.squaredNorm();
  if (tail2 == 0) {
    tau_[k] = 0;
  } else {
    const double norm = std::sqrt(head * head + tail2);
    const double R_kk = head > 0 ? -norm : norm;
    tail /= head - R_kk;
    tau_[k] = (R_kk - head) / R_kk;
    F_(k, k) = R_kk;
  }
  for (Eigen::Index j = k + 1; j < columns; ++j) reflect(k, F_.col(j));
  flops.add(static_cast<double>(4 * (rows - k) * (columns - k)));
}

void Reflections::reflect(Eigen::Index k, Eigen::Ref<Vector> column) const {
  const Eigen::Index below = F_.rows() - k - 1;
  const auto u = F_.col(k).tail(below);
  const double s = tau_[k] * (column[k] + u.dot(column.tail(below)));
  column[k] -= s;
  column.tail(below) -= s * u;
}

void Reflections::reduce_pivoted(double cut, Flops& flops) {
  const Eigen::Index rows = F_.rows(), columns = F_.cols(), most = std::min(rows, columns);
  for (std::size_t j = 0; j < order_.size(); ++j) order_[j] = static_cast<int>(j);
  smallest_ = std::numeric_limits<double>::infinity();
  longest_ = 0;
  Eigen::Index k = 0;
  for (; k < most; ++k) {
    Eigen::Index pivot = k;
    for (Eigen::Index j = k + 1; j < columns; ++j)
      if (norm2_[j] > norm2_[pivot]) pivot = j;
    longest_ = std::sqrt(norm2_[pivot]);
    if (!(longest_ > cut)) break;
    if (pivot != k) {
      F_.col(k).swap(F_.col(pivot));
      std::swap(norm2_[k], norm2_[pivot]);
      std::swap(reference2_[k], reference2_[pivot]);
      std::swap(order_[static_cast<std::size_t>(k)], order_[static_cast<std::size_t>(pivot)]);
    }
    reduce_step(k, columns, flops);
    smallest_ = std::min(smallest_, std::abs(F_(k, k)));
    longest_ = 0;
    for (Eigen::Index j = k + 1; j < columns; ++j) {
      norm2_[j] -= F_(k, j) * F_(k, j);
      if (norm2_[j] > cancelled * reference2_[j]) continue;
      norm2_[j] = reference2_[j] = F_.col(j).tail(rows - k - 1).squaredNorm();
      flops.dot(static_cast<double>(rows - k - 1));
    }
  }
  steps_ = static_cast<int>(k);
}

void Reflections::reduce_in_order(int steps, Flops& flops) {
  for (std::size_t j = 0; j < order_.size(); ++j) order_[j] = static_cast<int>(j);
  smallest_ = std::numeric_limits<double>::infinity();
  longest_ = 0;
  steps_ = steps;
  for (Eigen::Index k = 0; k < steps; ++k) {
    reduce_step(k, steps, flops);
    smallest_ = std::min(smallest_, std::abs(F_(k, k)));
  }
}

void Reflections::apply(Eigen::Ref<Matrix> B, Flops& flops) const {
  for (Eigen::Index j = 0; j < B.cols(); ++j)
    for (Eigen::Index k = steps_ - 1; k >= 0; --k) reflect(k, B.col(j));
  flops.reflect(static_cast<double>(F_.rows()), static_cast<double>(B.cols()), steps_);
}

void Reflections::apply_transposed(Eigen::Ref<Matrix> B, Flops& flops) const {
  for (Eigen::Index j = 0; j < B.cols(); ++j)
    for (Eigen::Index k = 0; k < steps_; ++k) reflect(k, B.col(j));
  flops.reflect(static_cast<double>(F_.rows()), static_cast<double>(B.cols()), steps_);
}

// From the last reflection to the first: column j is still e_j, and untouched, by those after the j-th.
void Reflections::form(Eigen::Ref<Matrix> Q, Flops& flops) const {
  Q.setIdentity();
  for (Eigen::Index j = 0; j < steps_; ++j)
    for (Eigen::Index k = j; k >= 0; --k) reflect(k, Q.col(j));
  flops.qr(static_cast<double>(F_.rows()), steps_);
}

void Reflections::solve(Eigen::Ref<Matrix> X, Flops& flops) const {
  const auto R = F_.topLeftCorner(steps_, steps_).triangularView<Eigen::Upper>();
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    auto x = X.col(j).head(steps_);
    R.solveInPlace(x);
  }
  flops.triangular(steps_, static_cast<double>(X.cols()));
}

void Reflections::solve_transposed(Eigen::Ref<Matrix> X, Flops& flops) const {
  const auto R = F_.topLeftCorner(steps_, steps_).triangularView<Eigen::Upper>();
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    auto x = X.col(j).head(steps_);
    R.transpose().solveInPlace(x);
  }
  flops.triangular(steps_, static_cast<double>(X.cols()));
}

}  // namespace mortise::linalg
