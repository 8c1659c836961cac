#include "mortise/gauss/least_singular_value.h"

#include <cmath>

namespace mortise::gauss {

namespace {
constexpr int most_turns = 30, power_turns = 16;
constexpr double settled = 1e-5;  // relative change of σ² from turn to turn
constexpr double anew = 0.1;      // of the first vector in each one
}  // namespace

LeastSingularValue::LeastSingularValue(const Pattern& pattern)
    : pattern_(pattern), rows_(pattern), factor_(make_sparse_factor(pattern)) {
  start_.resize(pattern.m());
  // Without any pattern of its own: a ladder's vectors have one.
  for (Eigen::Index i = 0; i < start_.size(); ++i) start_[i] = std::sin(12.9898 * static_cast<double>((i + 1) % 9973));
  x_.setZero(pattern.m());
  b_.setZero(pattern.m());
  w_.setZero(pattern.n());
  Q_.setZero(pattern.n());
  solution_.resize(pattern);
}

double LeastSingularValue::largest() {
  double size = 1;
  x_ = start_;
  for (int turn = 0; turn < power_turns; ++turn) {
    const double length = x_.norm();
    if (!(length > 0)) return 1;
    x_ /= length;
    w_.setZero();
    rows_.subtract_transposed(x_.data(), w_.data());
    size = w_.norm();
    rows_.multiply(w_.data(), x_.data());
  }
  return size;
}

std::optional<double> LeastSingularValue::find(const GaussProblem& problem, const linalg::RankPolicy& policy,
                                               int rank) {
  if (rank == 0) return 1;
  if (rows_.factor(problem, policy) >= 0 || !factor_->factor(problem, policy)) return std::nullopt;
  if (most_ > 0) {
    x_ += anew / start_.norm() * start_;
  } else {
    most_ = largest();
    x_ = start_;
  }
  for (int i = 0; i < pattern_.m(); ++i)
    if (!rows_.active(i)) x_[i] = 0;
  x_.normalize();
  double squared = 0;
  for (int turn = 0; turn < most_turns; ++turn) {
    for (int i = 0; i < pattern_.m(); ++i) b_[i] = x_[i] / pattern_.row_scale[static_cast<std::size_t>(i)];
    factor_->solve(as_span(static_cast<const Vector&>(Q_)), as_span(static_cast<const Vector&>(b_)), solution_);
    double along = 0;  // of x and S⁺x: a Rayleigh quotient is right to the square of what the vector is
    for (int i = 0; i < pattern_.m(); ++i) {
      const double turned = -solution_.lambda[i] / pattern_.row_scale[static_cast<std::size_t>(i)];
      along += turned * x_[i];
      x_[i] = turned;
    }
    const double before = squared, length = x_.norm();
    const bool lost = !(length > 0) || !std::isfinite(length);
    if (lost)
      x_ = start_;
    else
      x_ /= length;
    if (solution_.rank.rank < rank) return solution_.rank.largest_dropped / most_;
    if (lost) return std::nullopt;
    squared = std::abs(along) / (length * length);
    if (std::abs(squared - before) < settled * squared) break;
  }
  return std::sqrt(squared) / most_;
}

}  // namespace mortise::gauss
