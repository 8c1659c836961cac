#include "mortise/integrate/trapezoidal/implicit_multipliers.h"

#include <algorithm>
#include <stdexcept>

namespace mortise::integrate {

SoftMultipliers::SoftMultipliers(const gauss::Pattern& pattern, const SoftSettings& settings,
                                 const linalg::RankPolicy& policy)
    : pattern_(pattern), settings_(settings), policy_(policy), factor_(gauss::make_sparse_factor(pattern)) {
  if (!(settings.epsilon >= 0 && settings.share > 0))
    throw std::invalid_argument("multipliers: epsilon must not be negative, its share must be positive");
  const auto m = index(pattern.m());
  epsilon_.assign(m, settings.epsilon);
  kappa_.assign(m, 0);
  active_.assign(m, 0);
  if (settings.epsilon == 0) {
    const double delta = reach_of(settings.formula, settings.step);
    for (int i = 0; i < pattern.m(); ++i) {
      const double s = pattern.row_scale.empty() ? 1 : pattern.row_scale[index(i)];
      // Of rows of speeds the rate at which they miss, of second order as well: δ²/T instead of δ.
      const double T = pattern.position_size[index(i)] / pattern.velocity_size[index(i)];
      epsilon_[index(i)] = settings.share * delta * (holonomic(i) ? delta : std::min(1.0, delta / T)) / (s * s);
    }
  }
  for (Vector* v : {&lambda_, &old_, &rate_, &anchor_, &anchor_rate_, &Aw_, &right_}) v->setZero(pattern.m());
  work_.setZero(pattern.n());
}

void SoftMultipliers::take_anchors(const Settled& at) {
  at.at.problem.multiply_A(as_span(at.a), as_span(right_));
  for (int i = 0; i < pattern_.m(); ++i) {
    anchor_[i] = holonomic(i) ? at.at.phi[i] : at.at.phidot[i];
    anchor_rate_[i] = holonomic(i) ? at.at.phidot[i] : right_[i] - at.at.problem.b[i];
    if (!at.at.problem.active[index(i)]) anchor_[i] = anchor_rate_[i] = 0;
  }
}

void SoftMultipliers::begin(const Settled& at, ConstSpan lambda) {
  take_anchors(at);
  lambda_ = old_ = as_vector(lambda);
  for (int i = 0; i < pattern_.m(); ++i) rate_[i] = anchor_rate_[i] / epsilon_[index(i)];
  active_ = at.at.problem.active;
}

void SoftMultipliers::switch_rows(const Settled& at) {
  take_anchors(at);
  for (int i = 0; i < pattern_.m(); ++i) {
    const bool on = at.at.problem.active[index(i)] != 0;
    if (!on)
      old_[i] = rate_[i] = 0;
    else if (!active_[index(i)])
      old_[i] = anchor_[i] / epsilon_[index(i)], rate_[i] = anchor_rate_[i] / epsilon_[index(i)];
  }
  lambda_ = old_;
  active_ = at.at.problem.active;
}

bool SoftMultipliers::solve(const Trial& trial) {
  const gauss::GaussProblem& p = trial.at.problem;
  const double delta = trial.delta, kept = memory_of(settings_.formula) * delta;
  for (int i = 0; i < pattern_.m(); ++i) kappa_[index(i)] = epsilon_[index(i)] / (holonomic(i) ? delta * delta : delta);
  if (!factor_->factor_soft(p, policy_, kappa_)) {
    refusal_ = factor_->refusal();
    return false;
  }
  // A w of every row; for N rows of the integrated schemes A M⁻¹Q instead, added below.
  const bool iterated = settings_.scheme == SoftScheme::anchored_iterated;
  work_ = trial.free_v;
  if (iterated) work_ += trial.back / delta;
  p.multiply_A(as_span(work_), as_span(Aw_));
  p.multiply_A(as_span(iterated ? trial.free_v : trial.free_a), as_span(right_));
  for (int i = 0; i < pattern_.m(); ++i) {
    const bool h = holonomic(i);
    double r = 0;  // times δ² (H) or δ (N)
    if (iterated) {
      r = h ? trial.at.phi[i] + delta * Aw_[i] : right_[i] + trial.at.c_t[i];
    } else {
      const double memory = settings_.scheme == SoftScheme::anchored ? anchor_[i] + kept * anchor_rate_[i]
                                                                     : epsilon_[index(i)] * (old_[i] + kept * rate_[i]);
      r = memory + delta * (h ? Aw_[i] + trial.at.c_t[i] : right_[i] - p.b[i]);
    }
    right_[i] = r / (h ? delta * delta : delta);
  }
  factor_->solve_soft(as_span(right_), as_span(lambda_));
  return true;
}

void SoftMultipliers::accept(const Settled& at) {
  old_ = lambda_;
  take_anchors(at);
  for (int i = 0; i < pattern_.m(); ++i) rate_[i] = anchor_rate_[i] / epsilon_[index(i)];
}

void SoftMultipliers::save(Memory& memory, const std::string& name) const {
  const auto m = index(pattern_.m());
  const Span slot = memory.slot(name, 6 * m);
  const Vector* parts[] = {&lambda_, &old_, &rate_, &anchor_, &anchor_rate_};
  for (std::size_t k = 0; k < 5; ++k) as_vector(slot.subspan(k * m, m)) = *parts[k];
  std::copy(active_.begin(), active_.end(), slot.subspan(5 * m, m).begin());
}

void SoftMultipliers::load(const Memory& memory, const std::string& name) {
  const auto m = index(pattern_.m());
  const ConstSpan slot = memory.read(name);
  if (slot.size() != 6 * m) throw std::invalid_argument("the checkpoint does not fit the multipliers of this model");
  Vector* parts[] = {&lambda_, &old_, &rate_, &anchor_, &anchor_rate_};
  for (std::size_t k = 0; k < 5; ++k) *parts[k] = as_vector(slot.subspan(k * m, m));
  for (std::size_t i = 0; i < m; ++i) active_[i] = slot[5 * m + i] != 0;
}

}  // namespace mortise::integrate
