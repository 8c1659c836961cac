#include "mortise/gauss/penalty.h"

#include <algorithm>
#include <cmath>

#include "mortise/linalg/householder_cod.h"

namespace mortise::gauss {

GaussFunction::GaussFunction(int n, int m) : cholesky_(n) {
  M_.setZero(n, n);
  A_.setZero(m, n);
  H_.setZero(n, n);
  for (Vector* v : {&Q_, &x_}) v->setZero(n);
  e_.setZero(m);
  work_.setZero(n + m);
}

void GaussFunction::set_matrices(const Matrix& M, const Matrix& A) {
  M_ = M;
  A_ = A;
}

void GaussFunction::scale_coordinates(const Vector& d) {
  for (int j = 0; j < n(); ++j) {
    for (int i = 0; i < n(); ++i) M_(i, j) *= d[i] * d[j];
    for (int i = 0; i < m(); ++i) A_(i, j) *= d[j];
  }
}

// In the order of the indices, for the same bits everywhere.
void GaussFunction::rotate_coordinates(const Matrix& T) {
  H_.setZero();
  for (int j = 0; j < n(); ++j)
    for (int k = 0; k < n(); ++k)
      for (int i = 0; i < n(); ++i) H_(i, j) += M_(i, k) * T(k, j);
  for (int j = 0; j < n(); ++j)
    for (int i = 0; i < n(); ++i) {
      double sum = 0;
      for (int k = 0; k < n(); ++k) sum += T(k, i) * H_(k, j);
      M_(i, j) = sum;
    }
  for (int i = 0; i < m(); ++i) {
    for (int j = 0; j < n(); ++j) {
      double sum = 0;
      for (int k = 0; k < n(); ++k) sum += A_(i, k) * T(k, j);
      x_[j] = sum;
    }
    for (int j = 0; j < n(); ++j) A_(i, j) = x_[j];
  }
}

void GaussFunction::set_right_sides(const Vector& Q, const Vector& e) {
  Q_ = Q;
  e_ = e;
}

double GaussFunction::value(const double* a, double w, double* work) const {
  const int n = this->n(), m = this->m();
  double* y = work;      // M a
  double* r = work + n;  // A a − e
  for (int i = 0; i < n; ++i) y[i] = 0;
  for (int i = 0; i < m; ++i) r[i] = -e_[i];
  for (int j = 0; j < n; ++j) {
    const double x = a[j];
    const double* column = M_.data() + static_cast<std::ptrdiff_t>(j) * n;
    for (int i = 0; i < n; ++i) y[i] += x * column[i];
    column = A_.data() + static_cast<std::ptrdiff_t>(j) * m;
    for (int i = 0; i < m; ++i) r[i] += x * column[i];
  }
  double Z = 0, off = 0;
  for (int i = 0; i < n; ++i) Z += a[i] * (0.5 * y[i] - Q_[i]);
  for (int i = 0; i < m; ++i) off += r[i] * r[i];
  return Z + w * off;
}

std::optional<double> GaussFunction::constant() {
  cholesky_.compute(M_);
  if (cholesky_.info() != Eigen::Success) return std::nullopt;
  x_ = Q_;
  cholesky_.solveInPlace(x_);
  return 0.5 * Q_.dot(x_);
}

bool GaussFunction::minimise(double w, Vector& a) {
  H_ = M_;
  if (m() > 0) H_.noalias() += (2 * w) * (A_.transpose() * A_);
  cholesky_.compute(H_);
  if (cholesky_.info() != Eigen::Success) return false;
  a = Q_;
  if (m() > 0) a.noalias() += (2 * w) * (A_.transpose() * e_);
  cholesky_.solveInPlace(a);
  return true;
}

std::optional<double> GaussFunction::growth(double w) {
  const std::optional<double> offset = constant();
  Vector a(n());
  if (!offset || !minimise(w, a)) return std::nullopt;
  const double before = value(a.data(), w, work_.data()) + *offset;
  if (!minimise(10 * w, a)) return std::nullopt;
  return (value(a.data(), 10 * w, work_.data()) + *offset) / before;
}

int GaussFunction::undetermined_motions(const linalg::RankPolicy& policy) {
  // Neither units nor the size of a row may decide: coordinates are scaled by their mass, where they have one, and rows
  // to length one. Then no sum of the two hides the smaller.
  const double heaviest = n() > 0 ? M_.diagonal().maxCoeff() : 0;
  for (int j = 0; j < n(); ++j) {
    const double mass = M_(j, j) > policy.mass * heaviest ? M_(j, j) : heaviest;
    x_[j] = mass > 0 ? 1 / std::sqrt(mass) : 1;
  }
  for (int j = 0; j < n(); ++j)
    for (int i = 0; i < n(); ++i) H_(i, j) = M_(i, j) * x_[i] * x_[j];
  for (int k = 0; k < m(); ++k) {
    double length2 = 0;
    for (int j = 0; j < n(); ++j) length2 += (A_(k, j) * x_[j]) * (A_(k, j) * x_[j]);
    if (!(length2 > policy.noise * policy.noise)) continue;
    for (int j = 0; j < n(); ++j)
      for (int i = 0; i < n(); ++i) H_(i, j) += (A_(k, i) * x_[i]) * (A_(k, j) * x_[j]) / length2;
  }
  cholesky_.compute(H_);
  if (cholesky_.info() == Eigen::Success) {
    double smallest = 1;
    for (int i = 0; i < n(); ++i) smallest = std::min(smallest, cholesky_.matrixLLT()(i, i));
    if (smallest * smallest > policy.mass * std::max(1, n())) return 0;
  }
  linalg::CompleteOrthogonal decomposition;
  decomposition.resize(n(), n());
  decomposition.clear();
  for (int j = 0; j < n(); ++j)
    std::copy_n(H_.data() + static_cast<std::ptrdiff_t>(j) * n(), n(), decomposition.column(j));
  linalg::RankPolicy of_mass;
  of_mass.relative = policy.mass * std::max(1, n());
  decomposition.factor(of_mass, 0);
  return n() - decomposition.rank().rank;
}

}  // namespace mortise::gauss
