#include "mortise/gauss/gradient.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mortise/gauss/dense_factor.h"
#include "mortise/gauss/least_squares_cg.h"
#include "mortise/gauss/penalty.h"
#include "mortise/gauss/row_axes.h"

namespace mortise::gauss {

namespace {

using Side = LeastSquaresCg::Side;

class GradientFactor final : public DenseFactor {
 public:
  explicit GradientFactor(const Pattern& pattern)
      : DenseFactor(pattern, Form::raw), function_(pattern.n(), pattern.m()) {
    rows_.resize(pattern.m(), pattern.n());
    T_.setZero(pattern.n(), pattern.n());
    basis_.resize(static_cast<std::size_t>(pattern.m()));
    for (Vector* v : {&d_, &x_, &r_, &g_, &p_, &Mp_, &Q_}) v->setZero(pattern.n());
    for (Vector* v : {&y_, &off_}) v->setZero(pattern.m());
  }

 private:
  bool decompose() override {
    // Without mass the coordinate is scaled like the heaviest one: it has no length of its own.
    const double heaviest = n() > 0 ? M_.diagonal().maxCoeff() : 0;
    for (int j = 0; j < n(); ++j) {
      const double mass = M_(j, j) > policy_.mass * heaviest ? M_(j, j) : heaviest;
      d_[j] = mass > 0 ? 1 / std::sqrt(mass) : 1;
    }
    function_.set_matrices(M_, A_);
    function_.scale_coordinates(d_);
    refusal_.missing = function_.undetermined_motions(policy_);
    factor_flops_.cholesky(n());
    factor_flops_.gram(n(), m());
    if (refusal_.missing > 0) {
      refusal_.kind = Refusal::Kind::not_unique;
      return false;
    }
    rank_ = row_basis(function_.A(), policy_, violation_, T_, basis_);  // for the report; the search does not use it
    return true;
  }

  void resolve(const Vector& Q, const Vector& e, Vector& a, Vector& mu) override {
    rows_.flops.clear();
    Q_ = d_.cwiseProduct(Q);
    rows_.solve(function_.A(), Side::rows, e, x_);
    judge_rows(e);
    descend();
    // The least squares solution once more: what rounding of the steps left across the constraints.
    if (m() > 0) {
      off_ = e;
      off_.noalias() -= function_.A() * x_;
      rows_.solve(function_.A(), Side::rows, off_, g_);
      x_ += g_;
    }
    r_ = Q_;
    r_.noalias() -= function_.M() * x_;
    rows_.solve(function_.A(), Side::columns, r_, mu);
    a = d_.cwiseProduct(x_);
    solve_flops_.add(rows_.flops.count());
  }

  // Rows that even the nearest acceleration misses contradict the others.
  void judge_rows(const Vector& e) {
    const double bound =
        policy_.inconsistency(violation_, rank_.smallest_kept, m() > 0 ? e.lpNorm<Eigen::Infinity>() : 0);
    excess_ = rows_.residual();
    for (int i = 0; i < m(); ++i) {
      if (const linalg::RowFate basis = basis_[static_cast<std::size_t>(i)]; basis == linalg::RowFate::vanished)
        fate_[static_cast<std::size_t>(i)] = Fate::vanished;
      else
        fate_[static_cast<std::size_t>(i)] =
            basis == linalg::RowFate::dropped || std::abs(excess_[i]) > bound ? Fate::dropped : Fate::kept;
    }
  }

  // g ← P g: what of it the constraints leave free.
  void project(Vector& g) {
    if (m() == 0) return;
    for (int pass = 0; pass < 2; ++pass) {
      rows_.solve(function_.A(), Side::columns, g, y_);
      g = rows_.residual();
    }
  }

  void descend() {
    const double eps = std::numeric_limits<double>::epsilon(), mass = function_.M().norm();
    double before = std::numeric_limits<double>::infinity();
    // Begun anew from the gradient computed afresh, until that gains nothing: CG drifts off its own recursion.
    for (int sweep = 0; sweep < 6; ++sweep) {
      r_ = Q_;
      r_.noalias() -= function_.M() * x_;
      const double floor = eps * (Q_.norm() + mass * x_.norm());
      g_ = r_;
      project(g_);
      const double now = g_.norm();
      if (now <= floor || now > 0.5 * before) return;
      before = now;
      p_ = g_;
      double gamma = g_.squaredNorm();
      const double enough = gamma * eps * eps;
      for (int k = 0; k < 2 * n() + 10 && gamma > enough && gamma > floor * floor; ++k) {
        Mp_.noalias() = function_.M() * p_;
        solve_flops_.product(n(), n(), 1);
        const double curvature = p_.dot(Mp_);
        if (!(curvature > 0)) break;
        const double alpha = gamma / curvature;
        x_ += alpha * p_;
        g_ -= alpha * Mp_;
        project(g_);
        const double next = g_.squaredNorm();
        p_ = g_ + (next / gamma) * p_;
        gamma = next;
      }
    }
  }

  GaussFunction function_;
  LeastSquaresCg rows_;
  Vector d_;  // a = d ∘ x
  Matrix T_;
  std::vector<linalg::RowFate> basis_;
  Vector x_, r_, g_, p_, Mp_, Q_, y_, off_;
};

}  // namespace

Capabilities Gradient::can() const {
  Capabilities can;
  can.redundant_rows = true;
  can.singular_mass = true;
  can.search = true;
  return can;
}

std::unique_ptr<Factor> Gradient::prepare(const Pattern& pattern) const {
  return std::make_unique<GradientFactor>(pattern);
}

}  // namespace mortise::gauss
