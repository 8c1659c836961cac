#include "mortise/gauss/search_factor.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mortise/gauss/dense_factor.h"
#include "mortise/gauss/least_squares_cg.h"
#include "mortise/gauss/row_axes.h"

namespace mortise::gauss {

namespace {

// Of the natural range: what the acceleration may change by, though it has just stood still.
constexpr double least_warm_range = 1e-3;
// Of the natural range, while only one instant is known.
constexpr double second_range = 0.1;

class SearchFactor final : public DenseFactor {
 public:
  SearchFactor(const Pattern& pattern, const GeneticSettings& settings, std::unique_ptr<Search> search)
      : DenseFactor(pattern, Form::raw),
        settings_(settings),
        function_(pattern.n(), pattern.m()),
        search_(std::move(search)) {
    rows_.resize(pattern.m(), pattern.n());
    for (Vector* v : {&zero_, &natural_, &range_, &latest_, &accepted_, &before_, &r_, &d_, &x_, &centre_, &change_})
      v->setZero(pattern.n());
    T_.setIdentity(pattern.n(), pattern.n());
    basis_.resize(static_cast<std::size_t>(pattern.m()));
    work_.setZero(pattern.n() + pattern.m());
  }

  void step_accepted() override {
    if (!fresh_) return;
    before_ = accepted_;
    accepted_ = latest_;
    known_ = std::min(known_ + 1, 2);
    ++steps_;
    fresh_ = false;
  }

  void forget() override {
    known_ = 0;
    steps_ = 0;
    fresh_ = false;
  }

 private:
  bool decompose() override {
    function_.set_matrices(M_, A_);
    refusal_.missing = function_.undetermined_motions(policy_);
    factor_flops_.cholesky(n());
    factor_flops_.gram(n(), m());
    if (refusal_.missing > 0) {
      refusal_.kind = Refusal::Kind::not_unique;
      return false;
    }
    double heaviest = 0;
    for (int j = 0; j < n(); ++j) heaviest = std::max(heaviest, M_(j, j));
    for (int j = 0; j < n(); ++j) {
      const double mass = M_(j, j) > policy_.mass * heaviest ? M_(j, j) : heaviest;
      d_[j] = mass > 0 ? 1 / std::sqrt(mass) : 1;
    }
    function_.scale_coordinates(d_);
    rank_ = row_basis(function_.A(), policy_, violation_, T_, basis_);
    complete_axes(rank_.rank, T_);
    function_.rotate_coordinates(T_);
    return true;
  }

  void resolve(const Vector& Q, const Vector& e, Vector& a, Vector& mu) override {
    if (!std::isfinite(Q.sum() + e.sum())) {  // no search finds what is not a number
      a.setConstant(std::numeric_limits<double>::quiet_NaN());
      mu.setConstant(std::numeric_limits<double>::quiet_NaN());
      return;
    }
    for (int j = 0; j < n(); ++j) r_[j] = d_[j] * Q[j];
    rotate(r_, x_);
    function_.set_right_sides(x_, e);
    natural_range(function_, natural_);
    if (settings_.range > 0) natural_.setConstant(settings_.range);
    const bool instant = !Q.isZero(0);
    if (instant && known_ > 0 && continues())
      search_->search(function_, centre_, range_, settings_.warm_runs, steps_);
    else
      search_->search(function_, zero_, natural_, settings_.runs, steps_);
    for (int i = 0; i < n(); ++i) {
      a[i] = 0;
      for (int j = 0; j < n(); ++j) a[i] += T_(i, j) * search_->best()[j];
      a[i] *= d_[i];
    }
    if (instant) {
      latest_ = a;
      fresh_ = true;
    }
    solve_flops_.add(search_->values() * function_.flops());

    rows_.flops.clear();
    judge_rows(e);
    r_ = Q;
    r_.noalias() -= M_ * a;
    rows_.solve(A_, LeastSquaresCg::Side::columns, r_, mu);
    solve_flops_.add(rows_.flops.count());
  }

  // Whether the last step's acceleration is nearer than none at all; if so, the ranges about it.
  bool continues() {
    r_ = accepted_.cwiseQuotient(d_);
    rotate(r_, centre_);
    r_ = (accepted_ - before_).cwiseQuotient(d_);
    rotate(r_, change_);
    const double there = function_.value(centre_.data(), settings_.first_weight, work_.data());
    const double at_zero = function_.value(zero_.data(), settings_.first_weight, work_.data());
    if (!(there < at_zero)) return false;
    for (int j = 0; j < n(); ++j) {
      const double change = known_ > 1 ? 2 * std::abs(change_[j]) : second_range * natural_[j];
      range_[j] = std::max(change, least_warm_range * natural_[j]);
    }
    return true;
  }

  // out = Tᵀ in
  void rotate(const Vector& in, Vector& out) const {
    for (int j = 0; j < n(); ++j) {
      double sum = 0;
      for (int i = 0; i < n(); ++i) sum += T_(i, j) * in[i];
      out[j] = sum;
    }
  }

  // Rows that even the nearest acceleration misses contradict the others.
  void judge_rows(const Vector& e) {
    const double bound =
        policy_.inconsistency(violation_, rank_.smallest_kept, m() > 0 ? e.lpNorm<Eigen::Infinity>() : 0);
    rows_.solve(A_, LeastSquaresCg::Side::rows, e, r_);
    excess_ = rows_.residual();
    for (int i = 0; i < m(); ++i) {
      if (const linalg::RowFate basis = basis_[static_cast<std::size_t>(i)]; basis == linalg::RowFate::vanished)
        fate_[static_cast<std::size_t>(i)] = Fate::vanished;
      else
        fate_[static_cast<std::size_t>(i)] =
            basis == linalg::RowFate::dropped || std::abs(excess_[i]) > bound ? Fate::dropped : Fate::kept;
    }
  }

  GeneticSettings settings_;
  GaussFunction function_;
  std::unique_ptr<Search> search_;
  LeastSquaresCg rows_;
  // The search is in coordinates x, a = d ∘ T x: masses of one, axes along and across the rows.
  Vector d_;
  Matrix T_;
  std::vector<linalg::RowFate> basis_;
  Vector zero_, natural_, range_, centre_, change_, x_, r_, work_;
  // The motion so far: the last solve, and the accelerations at the last accepted steps.
  Vector latest_, accepted_, before_;
  int known_ = 0;            // accepted steps in memory
  std::uint64_t steps_ = 0;  // since the last `forget`
  bool fresh_ = false;       // `latest_` is newer than `accepted_`
};

}  // namespace

Capabilities search_capabilities() {
  Capabilities can;
  can.redundant_rows = true;
  can.singular_mass = true;
  can.search = true;
  can.remembers = true;
  return can;
}

std::unique_ptr<Factor> make_search_factor(const Pattern& pattern, const GeneticSettings& settings,
                                           std::unique_ptr<Search> search) {
  return std::make_unique<SearchFactor>(pattern, settings, std::move(search));
}

}  // namespace mortise::gauss
