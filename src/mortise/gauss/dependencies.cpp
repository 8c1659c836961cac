#include "mortise/gauss/dependencies.h"

#include <algorithm>
#include <cmath>

namespace mortise::gauss {

namespace {
// The most by which granting may enlarge an error.
constexpr double most_enlargement = 10;

}  // namespace

void RowDependencies::resize(int m) {
  m_ = m;
  count_ = basis_ = 0;
  T_.setZero(m, m);
  N_.setZero(m, m);
  u_.setZero(m);
  c_.setZero(m);
  row_.assign(index(m), 0);
}

void RowDependencies::find(const linalg::RowGramSchmidt& rows, const linalg::RankPolicy& policy, double violation,
                           bool in_order) {
  significance_ = std::max(policy.significance, policy.threshold(violation));
  flops_ = 0;
  count_ = 0;
  const int r = rows.rank().rank;
  for (int i = 0; i < m_; ++i) {
    if (rows.fates()[index(i)] == linalg::RowFate::kept) continue;
    rows.dependency(i, c_.data());
    auto t = T_.col(count_);
    t.setZero();
    t[i] = 1;
    for (int k = 0; k < r; ++k) t[rows.kept(k)] = -c_[k];
    row_[index(count_++)] = i;
    flops_ += static_cast<double>(r) * r;
  }
  basis_ = count_;
  if (count_ == 0) return;
  N_.leftCols(count_) = T_.leftCols(count_);
  orthonormalize();
  if (in_order) order_rows();
}

// Two passes each: the combinations may be long and nearly parallel when the rows were kept in the given order.
void RowDependencies::orthonormalize() {
  for (int k = 0; k < count_; ++k) {
    for (int pass = 0; pass < 2; ++pass) {
      for (int j = 0; j < k; ++j) {
        const double c = N_.col(j).dot(N_.col(k));
        N_.col(k) -= c * N_.col(j);
      }
      N_.col(k) /= N_.col(k).norm();
    }
  }
  flops_ += 4.0 * m_ * count_ * count_;
}

// Echelon form from the last row up. The columns from `first` on are an orthonormal basis of the combinations that end
// before row i, so the length of their entries in row i says how much of it they hold; a reflection gathers it in one
// column, which row i then owns. Afterwards each column is freed of the rows that others own.
void RowDependencies::order_rows() {
  T_.leftCols(count_) = N_.leftCols(count_);
  int first = 0;
  for (int i = m_ - 1; i >= 0 && first < count_; --i) {
    const int left = count_ - first;
    auto entries = T_.row(i).segment(first, left);
    const double length = entries.norm();
    if (!(length > significance_)) {
      entries.setZero();
      continue;
    }
    auto u = u_.head(left);
    u = entries.transpose();
    const double head = u[0], target = head > 0 ? -length : length;
    u[0] -= target;
    const double tau = 1 / (length * length + std::abs(head) * length);
    for (int j = 0; j <= i; ++j) {
      auto row = T_.row(j).segment(first, left);
      const double s = tau * row.dot(u.transpose());
      row -= s * u.transpose();
    }
    flops_ += 4.0 * left * (i + 1);
    T_.row(i).segment(first + 1, left - 1).setZero();
    T_.col(first) /= T_(i, first);
    row_[index(first++)] = i;
  }
  count_ = first;
  for (int k = count_ - 1; k >= 0; --k)
    for (int l = k + 1; l < count_; ++l) {
      const int owned = row(l);
      const double c = T_(owned, k);
      T_.col(k) -= c * T_.col(l);
      T_(owned, k) = 0;
      flops_ += 2.0 * m_;
    }
}

void RowDependencies::grant(const Vector& e, double bound, Vector& excess, Vector& granted) const {
  granted = e;
  for (int k = 0; k < count_; ++k) {
    const double rho = residual(k, e), size = enlargement(k);
    excess[row(k)] = rho / size;
    if (std::abs(rho / size) > bound && size <= most_enlargement) granted[row(k)] -= rho;
  }
}

bool RowDependencies::takes_part(int k, int j) const {
  return j == row(k) || std::abs(T_(j, k)) > significance_ * T_.col(k).cwiseAbs().maxCoeff();
}

Vector RowDependencies::coefficients(int row, const std::vector<double>& s) const {
  Vector c = Vector::Zero(m_);
  for (int k = 0; k < count_; ++k) {
    if (this->row(k) != row) continue;
    for (int j = 0; j < m_; ++j)
      if (j != row && takes_part(k, j)) c[j] = -T_(j, k) * s[index(j)] / s[index(row)];
    return c;
  }
  c[row] = 1;
  return c;
}

void RowDependencies::shorten(Vector& mu) const {
  for (int k = 0; k < basis_; ++k) {
    const double c = N_.col(k).dot(mu);
    mu -= c * N_.col(k);
  }
}

}  // namespace mortise::gauss
