#include "mortise/gauss/kim_vanderploeg.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "mortise/gauss/null_space_factor.h"
#include "mortise/gauss/reuse.h"
#include "mortise/linalg/in_place.h"

namespace mortise::gauss {

namespace {

class KimVanderploegFactor final : public NullSpaceFactor {
 public:
  KimVanderploegFactor(const Pattern& pattern, int reuse)
      : NullSpaceFactor(pattern), reuse_(reuse), qr_(pattern.n(), pattern.m()) {
    const int most = std::min(n(), m());
    At_.setZero(n(), m());
    Q_.setIdentity(n(), n());
    A_kept_.setZero(most, n());
    A_dropped_.setZero(m(), n());
    B_.setZero(most, most);
    Q1_.setZero(n(), most);
    AQ2_.setZero(m(), n());
    T_.setZero(m(), most);
    G_.setZero(m(), m());
    for (Vector* v : {&kept_, &kept_work_}) v->setZero(most);
    dropped_.setZero(m());
    work_.setZero(n());
    order_.resize(index(m()));
    swaps_.resize(index(most));
    reuse_.reserve(index(m()));
  }

  void step_accepted() override { reuse_.step_accepted(); }
  void forget() override { reuse_.forget(); }

 private:
  int dropped() const { return m() - rank_.rank; }

  bool decompose() override {
    const bool due = reuse_.due(active_rows());
    if (!due) rank_ = known_rank_;
    if (due || !follow(false)) {
      decompose_anew();
      reuse_.refreshed(active_rows());
      known_rank_ = rank_;
      follow(true);
    }
    for (int k = 0; k < m(); ++k) {
      const int row = order_[index(k)];
      fate_[index(row)] = k < rank_.rank ? Fate::kept : A_.row(row).norm() <= cut() ? Fate::vanished : Fate::dropped;
    }
    return factor_tangent();
  }

  // QR of Aᵀ; the rows in the order of their pivots, then the dropped ones in their own order.
  void decompose_anew() {
    rank_ = {};
    rank_.smallest_kept = 1;
    if (A_.size() == 0) return;
    At_ = A_.transpose();
    qr_.compute(At_);
    decide_rank(qr_.matrixQR());
    const int r = rank_.rank;
    for (int k = 0; k < m(); ++k) order_[index(k)] = static_cast<int>(qr_.colsPermutation().indices()[k]);
    std::sort(order_.begin() + r, order_.end());
    qr_.householderQ().setLength(r).evalTo(Q_, work_);
    factor_flops_.qr(n(), r);
    factor_flops_.add(4.0 * (1.0 * n() * n() * r - 1.0 * n() * r * r + r * r * r / 3.0));
  }

  // Q̃₁, Q̃₂ and T for the present A. False: the QR is too old for it.
  bool follow(bool fresh) {
    const int r = rank_.rank, free = n() - r;
    auto Q1 = Q1_.leftCols(r);
    auto Q2 = Q_.rightCols(free);
    auto kept = A_kept_.topRows(r);
    auto rest = A_dropped_.topRows(dropped());
    auto T = T_.topLeftCorner(dropped(), r);
    set_freedoms(free);
    for (int k = 0; k < m(); ++k)
      if (k < r)
        kept.row(k) = A_.row(order_[index(k)]);
      else
        rest.row(k - r) = A_.row(order_[index(k)]);
    if (r > 0 && !invert_kept(fresh)) return false;
    N() = Q2;
    if (!fresh && r > 0 && free > 0) {
      auto AQ2 = AQ2_.topLeftCorner(r, free);
      AQ2.noalias() = kept * Q2;
      N().noalias() -= Q1 * AQ2;
      factor_flops_.product(2 * n(), r, free);
    }
    if (dropped() == 0) return true;
    if (!fresh && free > 0) {
      auto excess = AQ2_.topLeftCorner(dropped(), free);
      excess.noalias() = rest * N();
      factor_flops_.product(dropped(), n(), free);
      if (excess.rowwise().norm().maxCoeff() > cut()) return false;
    }
    auto G = G_.topLeftCorner(dropped(), dropped());
    G.setIdentity();
    if (r > 0) {
      T.noalias() = rest * Q1;
      G.noalias() += T * T.transpose();
      factor_flops_.product(dropped(), n(), r);
      factor_flops_.gram(dropped(), r);
    }
    linalg::cholesky_in_place(G, 0);
    factor_flops_.cholesky(dropped());
    return true;
  }

  bool invert_kept(bool fresh) {
    const int r = rank_.rank;
    auto B = B_.topLeftCorner(r, r);
    auto Q1 = Q1_.leftCols(r);
    const std::span<int> swaps(swaps_.data(), index(r));
    B.noalias() = A_kept_.topRows(r) * Q_.leftCols(r);
    const double norm = B.cwiseAbs().colwise().sum().maxCoeff();
    factor_flops_.product(r, n(), r);
    factor_flops_.lu(r);
    const bool regular = linalg::lu_in_place(B, swaps);
    if (!fresh) {
      const double worst = std::min(1e6, 1 / policy_.threshold(violation_));
      if (!regular || !(norm * linalg::lu_inverse_norm(B, swaps, kept_.head(r), kept_work_.head(r)) < worst))
        return false;
    }
    Q1 = Q_.leftCols(r);
    linalg::lu_solve_from_the_right(B, swaps, Q1);
    factor_flops_.product(n(), r, r);
    return true;
  }

  void resolve(const Vector& Q, const Vector& e, Vector& a, Vector& mu) override {
    const int r = rank_.rank;
    const auto Q1 = Q1_.leftCols(r);
    const auto T = T_.topLeftCorner(dropped(), r);
    auto kept = kept_.head(r);
    auto rest = dropped_.head(dropped());
    for (int k = 0; k < r; ++k) kept[k] = e[order_[index(k)]];
    rest.setZero();
    if (r > 0) {
      a.noalias() = Q1 * kept;
      rest.noalias() = T * kept;
    } else {
      a.setZero();
    }
    for (int k = r; k < m(); ++k) excess_[order_[index(k)]] = e[order_[index(k)]] - rest[k - r];
    move_along_tangent(Q, a);
    mu.setZero();
    if (r == 0) return;
    kept.noalias() = Q1.transpose() * reaction(Q, a);
    if (dropped() > 0) {
      rest.noalias() = T * kept;
      linalg::cholesky_solve(G_.topLeftCorner(dropped(), dropped()), rest);
      kept.noalias() -= T.transpose() * rest;
    }
    for (int k = 0; k < m(); ++k) mu[order_[index(k)]] = k < r ? kept[k] : rest[k - r];
    solve_flops_.product(2 * n() + 3 * dropped(), r, 1);
  }

  Reuse reuse_;
  Eigen::ColPivHouseholderQR<Matrix> qr_;
  linalg::Rank known_rank_;
  Matrix At_, Q_, A_kept_, A_dropped_, B_, Q1_, AQ2_, T_, G_;
  Vector kept_, kept_work_, dropped_, work_;
  std::vector<int> order_, swaps_;
};

}  // namespace

Capabilities KimVanderploeg::can() const {
  Capabilities c;
  c.redundant_rows = c.singular_mass = c.gives_rank = true;
  c.remembers = reuse_ > 1;
  return c;
}

std::unique_ptr<Factor> KimVanderploeg::prepare(const Pattern& pattern) const {
  return std::make_unique<KimVanderploegFactor>(pattern, reuse_);
}

}  // namespace mortise::gauss
