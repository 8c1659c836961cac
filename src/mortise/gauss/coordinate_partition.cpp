#include "mortise/gauss/coordinate_partition.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "mortise/gauss/null_space_factor.h"

namespace mortise::gauss {

namespace {

double norm_1(const Eigen::Ref<const Matrix>& R) {
  double largest = 0;
  for (Eigen::Index j = 0; j < R.cols(); ++j) largest = std::max(largest, R.col(j).head(j + 1).lpNorm<1>());
  return largest;
}

class CoordinatePartitionFactor final : public NullSpaceFactor {
 public:
  explicit CoordinatePartitionFactor(const Pattern& pattern) : NullSpaceFactor(pattern), qr_(pattern.m(), pattern.n()) {
    const int most = std::min(n(), m());
    H_.setZero(m(), n());
    R_inverse_.setZero(most, most);
    N_dependent_.setZero(most, n());
    tau_.setZero(most);
    t_.setZero(m());
    work_.setZero(std::max(n(), m()) + 1);
    order_.resize(index(n()));
  }

  void forget() override { chosen_ = false; }

 private:
  bool decompose() override {
    if (chosen_) rank_ = known_rank_;
    if (!chosen_ || !split(false)) {
      choose();
      split(true);
      known_rank_ = rank_;
      chosen_ = true;
    }
    const int r = rank_.rank;
    set_freedoms(n() - r);
    auto basis = N();
    auto dependent = N_dependent_.topLeftCorner(r, n() - r);
    if (r > 0) {
      dependent = -H_.topRightCorner(r, n() - r);
      H_.topLeftCorner(r, r).triangularView<Eigen::Upper>().solveInPlace(dependent);
      factor_flops_.triangular(r, n() - r);
    }
    for (int k = 0; k < n(); ++k)
      if (k < r)
        basis.row(order_[index(k)]) = dependent.row(k);
      else
        basis.row(order_[index(k)]).setZero();
    for (int k = r; k < n(); ++k) basis(order_[index(k)], k - r) = 1;
    return factor_tangent();
  }

  // The dependent columns in the order of their pivots, then the independent ones in their own order.
  void choose() {
    rank_ = {};
    rank_.smallest_kept = 1;
    for (int k = 0; k < n(); ++k) order_[index(k)] = k;
    if (A_.size() == 0) return;
    qr_.compute(A_);
    decide_rank(qr_.matrixQR());
    const int r = rank_.rank;
    for (int k = 0; k < n(); ++k) order_[index(k)] = static_cast<int>(qr_.colsPermutation().indices()[k]);
    std::sort(order_.begin() + r, order_.end());
    factor_flops_.qr(m(), n());
  }

  // r reflections make the dependent columns triangular. False: another partition is due.
  bool split(bool fresh) {
    const int r = rank_.rank;
    for (int k = 0; k < n(); ++k) H_.col(k) = A_.col(order_[index(k)]);
    for (int k = 0; k < r; ++k) {
      double beta = 0;
      auto column = H_.col(k).tail(m() - k);
      column.makeHouseholderInPlace(tau_[k], beta);
      column[0] = beta;
      H_.bottomRightCorner(m() - k, n() - k - 1)
          .applyHouseholderOnTheLeft(column.tail(m() - k - 1), tau_[k], work_.data());
      factor_flops_.add(4.0 * (m() - k) * (n() - k));
    }
    auto R = H_.topLeftCorner(r, r);
    auto inverse = R_inverse_.topLeftCorner(r, r);
    inverse.setIdentity();
    if (r > 0) R.triangularView<Eigen::Upper>().solveInPlace(inverse);
    factor_flops_.cholesky(r);  // a triangular inverse costs as much
    const double condition = r > 0 ? norm_1(R) * norm_1(inverse) : 1;
    if (fresh) {
      condition_ = condition;
      return true;
    }
    const double worst = std::min({1e4, 10 * condition_, 1 / policy_.threshold(violation_)});
    if (!(condition <= worst)) return false;
    return r == m() || r == n() || H_.bottomRightCorner(m() - r, n() - r).colwise().norm().maxCoeff() <= cut();
  }

  // t ← Hᵀt, or H t backwards.
  void reflect(int k) {
    t_.tail(m() - k).applyHouseholderOnTheLeft(H_.col(k).tail(m() - k - 1), tau_[k], work_.data());
  }

  void resolve(const Vector& Q, const Vector& e, Vector& a, Vector& mu) override {
    const int r = rank_.rank;
    const auto inverse = R_inverse_.topLeftCorner(r, r).triangularView<Eigen::Upper>();
    a.setZero();
    mu.setZero();
    if (r > 0) {
      t_ = e;
      for (int k = 0; k < r; ++k) reflect(k);
      auto dependent = work_.head(r);
      dependent.noalias() = inverse * t_.head(r);
      for (int k = 0; k < r; ++k) a[order_[index(k)]] = dependent[k];
    }
    move_along_tangent(Q, a);
    if (r == 0) return;
    const Vector& force = reaction(Q, a);
    for (int k = 0; k < r; ++k) work_[k] = force[order_[index(k)]];
    t_.setZero();
    t_.head(r).noalias() = inverse.transpose() * work_.head(r);
    for (int k = r - 1; k >= 0; --k) reflect(k);
    mu = t_;
    solve_flops_.add(8.0 * m() * r + 2.0 * r * r);
  }

  Eigen::ColPivHouseholderQR<Matrix> qr_;
  linalg::Rank known_rank_;
  Matrix H_, R_inverse_, N_dependent_;  // H: R above, reflections below the diagonal, R₁₂ to the right
  Vector tau_, t_, work_;
  std::vector<int> order_;
  double condition_ = 1;
  bool chosen_ = false;
};

}  // namespace

Capabilities CoordinatePartition::can() const {
  Capabilities c;
  c.redundant_rows = c.singular_mass = c.gives_rank = c.remembers = true;
  return c;
}

std::unique_ptr<Factor> CoordinatePartition::prepare(const Pattern& pattern) const {
  return std::make_unique<CoordinatePartitionFactor>(pattern);
}

}  // namespace mortise::gauss
