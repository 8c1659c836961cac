#include "mortise/integrate/staggered/multiplier_stepper.h"

#include <stdexcept>

namespace mortise::integrate {

MultiplierStepper::MultiplierStepper(const gauss::Pattern& pattern, const MultiplierSettings& settings,
                                     const linalg::RankPolicy& policy)
    : pattern_(pattern), settings_(settings), policy_(policy) {
  if (!(settings.epsilon >= 0 && settings.relative > 0))
    throw std::invalid_argument("multipliers: epsilon must not be negative, its relative size must be positive");
  const auto m = static_cast<std::size_t>(pattern.m());
  epsilon_.assign(m, settings.epsilon);
  kappa_.assign(m, 0);
  for (Vector* v : {&lambda_, &before_, &earlier_, &filtered_, &ahead_, &r_, &r_before_, &right_, &impulse_})
    v->setZero(pattern.m());
  work_.setZero(pattern.n());
  moved_.setZero(pattern.n());
}

void MultiplierStepper::begin(ConstSpan lambda) {
  begin_again(lambda, false);
  filtered_ = lambda_;
}

void MultiplierStepper::begin_again(ConstSpan lambda, bool goes_on) {
  lambda_ = as_vector(lambda);
  if (goes_on) ahead_ = 2 * lambda_ - filtered_;
  stations_ = goes_on ? 0 : 2;
  before_ = earlier_ = lambda_;
  first_ = true;
}

bool MultiplierStepper::factor(const gauss::GaussProblem& problem, double delta) {
  delta_ = delta;
  if (pattern_.m() == 0) return true;
  if (!factor_) factor_ = gauss::make_soft_factor(pattern_, problem);
  for (std::size_t i = 0; i < epsilon_.size(); ++i) {
    if (settings_.epsilon == 0) {
      const double scale = pattern_.row_scale.empty() ? 1 : pattern_.row_scale[i];
      epsilon_[i] = settings_.relative * delta * delta * weakest_ * weakest_ / (scale * scale);
    }
    switch (settings_.form) {
      case MultiplierForm::velocity:
        kappa_[i] = epsilon_[i] / (delta * delta);
        break;
      case MultiplierForm::acceleration:
        kappa_[i] = epsilon_[i] / delta;
        break;
      case MultiplierForm::midpoint:
        kappa_[i] = 2 * epsilon_[i] / delta;
        break;
    }
  }
  return factor_->factor_soft(problem, policy_, kappa_);
}

void MultiplierStepper::solve(const gauss::GaussProblem& problem, ConstSpan Q, ConstSpan b, ConstSpan c_t,
                              ConstSpan v_before) {
  if (pattern_.m() == 0) return;
  const bool velocity = settings_.form == MultiplierForm::velocity;
  factor_->divide_by_mass(Q, as_span(work_));
  if (velocity) work_ += as_vector(v_before) / delta_;
  problem.multiply_A(as_span(work_), as_span(r_));
  if (velocity)
    r_ += as_vector(c_t) / delta_;
  else
    r_ -= as_vector(b);
  const bool midpoint = settings_.form == MultiplierForm::midpoint;
  if (midpoint && !first_)
    right_ = 0.5 * (r_ + r_before_);
  else
    right_ = r_;
  for (Eigen::Index i = 0; i < right_.size(); ++i) right_[i] += kappa_[static_cast<std::size_t>(i)] * before_[i];
  factor_->solve_soft(as_span(right_), as_span(lambda_));
  if (midpoint) lambda_ = 2 * lambda_ - before_;
}

void MultiplierStepper::project(const gauss::GaussProblem& problem, ConstSpan c_t, Span v) {
  for (int round = 0; round < 3; ++round) {
    problem.multiply_A(v, as_span(right_));
    right_ += as_vector(c_t);
    factor_->solve_soft(as_span(right_), as_span(impulse_));
    problem.multiply_At(as_span(impulse_), as_span(work_));
    factor_->divide_by_mass(as_span(work_), as_span(moved_));
    as_vector(v) -= moved_;
  }
}

void MultiplierStepper::accept() {
  if (stations_ == 1)
    filtered_ = ahead_;
  else
    filtered_ = 0.5 * (earlier_ + lambda_);
  if (stations_ < 2) ++stations_;
  earlier_.swap(before_);
  before_ = lambda_;
  r_before_.swap(r_);
  first_ = false;
}

void MultiplierStepper::save(Memory& memory, const std::string& prefix) const {
  const auto m = static_cast<std::size_t>(pattern_.m());
  const Span slot = memory.slot(prefix, 6 * m + 3);
  const Vector* parts[] = {&lambda_, &before_, &earlier_, &filtered_, &r_before_, &ahead_};
  for (std::size_t k = 0; k < 6; ++k) as_vector(slot.subspan(k * m, m)) = *parts[k];
  slot[6 * m] = first_ ? 1 : 0;
  slot[6 * m + 1] = stations_;
  slot[6 * m + 2] = weakest_;
}

void MultiplierStepper::load(const Memory& memory, const std::string& prefix) {
  const auto m = static_cast<std::size_t>(pattern_.m());
  const ConstSpan slot = memory.read(prefix);
  if (slot.size() != 6 * m + 3)
    throw std::invalid_argument("the checkpoint does not fit the multipliers of this model");
  Vector* parts[] = {&lambda_, &before_, &earlier_, &filtered_, &r_before_, &ahead_};
  for (std::size_t k = 0; k < 6; ++k) *parts[k] = as_vector(slot.subspan(k * m, m));
  first_ = slot[6 * m] != 0;
  stations_ = static_cast<int>(slot[6 * m + 1]);
  weakest_ = slot[6 * m + 2];
}

}  // namespace mortise::integrate
