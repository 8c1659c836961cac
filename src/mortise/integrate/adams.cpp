#include "mortise/integrate/adams.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mortise/linalg/parallel.h"

namespace mortise::integrate {

namespace {

constexpr Eigen::Index adams_block =
    8192;                        // components, which stay in the second cache; shorter ones starve prefetching
constexpr int adams_tasks = 64;  // at most, from two blocks on

// Calls f(task, begin, count) block by block. Components do not need one another, so the bits are those of one loop
// over all of them; what a task finds (a maximum) it may keep at its own place.
template <class F>
void by_blocks(Eigen::Index size, const F& f) {
  const auto one = [&](int task, Eigen::Index begin, Eigen::Index end) {
    for (; begin < end; begin += adams_block) f(task, begin, std::min(adams_block, end - begin));
  };
  const Eigen::Index tasks = std::min<Eigen::Index>(adams_tasks, size / adams_block);
  if (tasks < 2) return one(0, 0, size);
  const auto share = [&](std::size_t k) {
    const auto task = static_cast<Eigen::Index>(k);
    one(static_cast<int>(k), size * task / tasks, size * (task + 1) / tasks);
  };
  linalg::for_each_task(static_cast<std::size_t>(tasks), [&share](std::size_t k) { share(k); });
}

constexpr int columns = AdamsCoefficients::highest_order + 2;

const std::string phi_name = "adams.phi", psi_name = "adams.psi", carry_name = "adams.carry", jump_name = "adams.jump";

}  // namespace

Adams::Adams(const Settings& settings, int max_order) : BasicIntegrator(settings, "adams"), max_order_(max_order) {
  if (max_order < 1 || max_order > AdamsCoefficients::highest_order)
    throw std::invalid_argument(fmt::format("adams: order {} is not between 1 and 12", max_order));
}

void Adams::size_workspace(Eigen::Index n) {
  phi_.resize(n, columns);
  phi_new_.resize(n, columns);
  for (Vector* v : {&carry_, &carry_p_, &carry_new_, &p_, &d_, &y_new_, &f_new_, &sum_, &jump_}) v->resize(n);
}

void Adams::start(Flow& flow, double t, ConstSpan y) {
  begin(flow, t, y);
  size_workspace(y_.size());
  phi_.setZero();
  phi_.col(0) = ydot_;
  carry_.setZero();
  jump_.setZero();
  jump_known_ = true;
  psi_.fill(0);
  h_ = h_last_ = 0;
  k_ = 1;
  k_last_ = 0;
  equal_steps_ = 0;
  starting_ = true;
}

StepReport Adams::step(double stop) {
  const double left = remaining(stop);
  if (within_rounding(stop)) {
    const StepReport report = nudge(stop, y_new_, f_new_);
    phi_.col(0) = ydot_;
    k_last_ = 0;
    jump_.setZero();
    jump_known_ = true;
    return report;
  }
  weigh(y_);
  if (h_ == 0) h_ = first_step(stop, 1, y_new_, f_new_);
  const double least = std::min(least_step(stop), left);

  double h = h_;
  for (int failures = 0;; ++failures) {
    h = fit(std::max(h, least), left);
    const double t_new = h == left ? stop : t_ + h;
    predict(h, t_new);
    flow_->begin_trial(false);
    rates(t_new, p_, d_);
    const Errors errors = correct(h);
    const int lower = order_after_trial(errors);
    if (errors.test <= 1) {
      accept(h, t_new, lower, errors);
      return {t_, h_last_, k_last_};
    }
    ++counters_.failed_steps;
    starting_ = false;
    k_ = lower;
    double cut = 0.5;
    if (failures >= 2) k_ = 1;
    if (failures >= 3 && !(errors.k <= 2)) cut = std::max(0.01, std::sqrt(0.5 / errors.k));
    if (h <= least || failures >= most_failures) underflow(cut * h, least, k_, failures + 1);
    h_ = h = cut * h;  // kept, so that a flow that throws on the next trial leaves a sensible step behind
  }
}

// P: fills φ*ᵢ and then their sums Σ_{j ≥ i} φ*ⱼ into phi_new_, p and its rounding into p_ and carry_p_.
void Adams::predict(double h, double t_new) {
  now_.form(h, k_, psi_);
  const double rounding_of_t = (t_new - t_) - h;
  by_blocks(y_.size(), [&](int, Eigen::Index begin, Eigen::Index count) {
    auto sum = sum_.segment(begin, count);
    sum.setZero();
    for (int i = k_; i >= 1; --i) {
      auto column = phi_new_.col(i - 1).segment(begin, count);
      column = now_.beta[i] * phi_.col(i - 1).segment(begin, count);
      sum += now_.g[i] * column;
      if (i < k_) column += phi_new_.col(i).segment(begin, count);
    }
    sum = h * sum + rounding_of_t * ydot_.segment(begin, count) - carry_.segment(begin, count);
    const auto y = y_.segment(begin, count);
    auto p = p_.segment(begin, count);
    p = y + sum;
    carry_p_.segment(begin, count) = (p - y) - sum;
  });
}

// E (d_ holds f at p) and C: the differences' miss, the errors, and the corrected y.
Adams::Errors Adams::correct(double h) {
  const auto& gamma = adams_error_constants();
  const int k = k_;
  Errors errors;
  double miss = 0, below = 0, below_twice = 0;  // norms of d, and of the differences of lower orders
  const bool plain = flow_->weight_across(settings_.tolerance) >= 1;
  struct Norms {
    double miss = 0, below = 0, below_twice = 0;
  } found[adams_tasks];
  by_blocks(y_.size(), [&](int task, Eigen::Index begin, Eigen::Index count) {
    auto d = d_.segment(begin, count);
    d -= phi_new_.col(0).segment(begin, count);
    const auto p = p_.segment(begin, count);
    auto sum = sum_.segment(begin, count), y = y_new_.segment(begin, count);
    sum = h * now_.g[k + 1] * d - carry_p_.segment(begin, count);
    y = p + sum;
    carry_new_.segment(begin, count) = (y - p) - sum;
    if (!plain) return;
    const auto weight = inverse_weight_.segment(begin, count);
    const auto size = [&](const auto& e) { return e.cwiseProduct(weight).template lpNorm<Eigen::Infinity>(); };
    Norms& norms = found[task];
    norms.miss = std::max(norms.miss, size(d));
    if (k >= 2) norms.below = std::max(norms.below, size(phi_new_.col(k - 1).segment(begin, count) + d));
    if (k >= 3) norms.below_twice = std::max(norms.below_twice, size(phi_new_.col(k - 2).segment(begin, count) + d));
  });
  if (plain) {
    for (const Norms& norms : found) {
      miss = std::max(miss, norms.miss);
      below = std::max(below, norms.below);
      below_twice = std::max(below_twice, norms.below_twice);
    }
  } else {
    const auto tangent_norm = [&](const auto& e) {
      sum_ = e;
      return error_norm(sum_);
    };
    miss = tangent_norm(d_);
    if (k >= 2) below = tangent_norm(phi_new_.col(k - 1) + d_);
    if (k >= 3) below_twice = tangent_norm(phi_new_.col(k - 2) + d_);
  }
  miss *= h;
  errors.test = miss * std::abs(now_.g[k] - now_.g[k + 1]);
  errors.k = miss * now_.sigma[k + 1] * gamma[k];
  if (k >= 2) errors.k1 = h * now_.sigma[k] * gamma[k - 1] * below;
  if (k >= 3) errors.k2 = h * now_.sigma[k - 1] * gamma[k - 2] * below_twice;
  return errors;
}

// k, or k−1 when the lower orders are no worse.
int Adams::order_after_trial(const Errors& e) const {
  if (k_ >= 3 && std::max(e.k1, e.k2) <= e.k) return k_ - 1;
  if (k_ == 2 && e.k1 <= 0.5 * e.k) return 1;
  return k_;
}

void Adams::accept(double h, double t_new, int lower, const Errors& errors) {
  p_ = y_new_;
  if (flow_->settle(t_new, as_span(y_new_)))
    carry_new_ = (y_new_.array() == p_.array()).select(carry_new_.array(), 0.0);
  rates(t_new, y_new_, f_new_);
  // Nothing throws from here on.
  const int k = k_;
  by_blocks(y_.size(), [&](int, Eigen::Index begin, Eigen::Index count) {
    const auto column = [&](int i) { return phi_new_.col(i).segment(begin, count); };
    const auto f = f_new_.segment(begin, count);
    column(k) = f - column(0);
    column(k + 1) = column(k) - phi_.col(k).segment(begin, count);
    for (int i = 2; i <= k; ++i) column(i - 1) += column(k);
    column(0) = f;
  });
  phi_.swap(phi_new_);
  std::copy(now_.psi.begin(), now_.psi.begin() + k + 2, psi_.begin());
  y_old_.swap(y_);
  y_.swap(y_new_);
  ydot_.swap(f_new_);
  carry_.swap(carry_new_);
  t_old_ = t_;
  t_ = t_new;
  equal_steps_ = h == h_last_ ? std::min(equal_steps_ + 1, 100) : 1;
  h_last_ = h;
  k_last_ = k;
  ++counters_.steps;
  jump_known_ = false;
  choose_next(h, lower, errors);
}

void Adams::choose_next(double h, int lower, const Errors& e) {
  const int k = k_;
  double error = e.k;  // at the order to come
  if (lower < k || k == max_order_) starting_ = false;
  if (starting_) {
    ++k_;
    h_ = 2 * h;
    return;
  }
  if (lower < k) {
    k_ = lower;
    error = e.k1;
  } else if (equal_steps_ > k && k < max_order_) {
    sum_ = phi_.col(k + 1);
    const double e_up = h * adams_error_constants()[k + 1] * error_norm(sum_);
    if (k > 1 && e.k1 <= std::min(e.k, e_up)) {
      --k_;
      error = e.k1;
    } else if (e_up < (k > 1 ? e.k : 0.5 * e.k)) {
      ++k_;
      error = e_up;
    }
  }
  if (error * std::ldexp(1.0, k_ + 1) <= 0.5)
    h_ = 2 * h;
  else if (error <= 0.5)
    h_ = h;
  else
    h_ = h * std::clamp(std::pow(0.5 / error, 1.0 / (k_ + 1)), 0.5, 0.9);
}

// The polynomial of the last step, before the blend.
void Adams::interpolate(double t, Span out) const {
  AdamsCoefficients::Scalars g;
  const double s = t - t_;
  adams_dense_weights(s, k_last_ + 1, psi_, g);
  auto y = as_vector(out);
  by_blocks(y.size(), [&](int, Eigen::Index begin, Eigen::Index count) {
    auto part = y.segment(begin, count);
    part.setZero();
    for (int i = k_last_ + 1; i >= 1; --i) part += g[i] * phi_.col(i - 1).segment(begin, count);
    part = y_.segment(begin, count) + s * part;
  });
}

const Vector& Adams::jump() const {
  if (!jump_known_) {
    interpolate(t_old_, as_span(jump_));
    jump_ = y_old_ - jump_;
    jump_known_ = true;
  }
  return jump_;
}

void Adams::dense(double t, Span out) const {
  if (dense_at_ends(t, out)) return;
  if (k_last_ == 0) {
    as_vector(out) = y_ + (t - t_) * ydot_;
    return;
  }
  interpolate(t, out);
  const double theta = (t - t_old_) / (t_ - t_old_);
  as_vector(out) += (1 - theta) * (1 - theta) * (1 + 2 * theta) * jump();
}

void Adams::save(Memory& memory) const {
  const double own[] = {
      h_, h_last_, double(k_), double(k_last_), double(equal_steps_), double(starting_), double(max_order_)};
  save_common(memory, own);
  const auto n = static_cast<std::size_t>(y_.size());
  // Columns that no formula will read are leftovers: written as zeros, so that equal runs write equal checkpoints.
  Eigen::Map<Matrix> phi(memory.slot(phi_name, n * columns).data(), y_.size(), columns);
  const int used = std::max(k_, k_last_) + 1;
  phi.leftCols(used) = phi_.leftCols(used);
  phi.rightCols(columns - used).setZero();
  std::copy(psi_.begin(), psi_.end(), memory.slot(psi_name, psi_.size()).begin());
  as_vector(memory.slot(carry_name, n)) = carry_;
  as_vector(memory.slot(jump_name, n)) = jump();
}

void Adams::load(Flow& flow, const Memory& memory) {
  const auto n = static_cast<std::size_t>(flow.size());
  const ConstSpan phi = need(memory, phi_name, n * columns), psi = need(memory, psi_name, psi_.size());
  const ConstSpan carry = need(memory, carry_name, n), jump = need(memory, jump_name, n);
  double own[7];
  load_common(flow, memory, own);
  size_workspace(y_.size());
  h_ = own[0];
  h_last_ = own[1];
  k_ = static_cast<int>(own[2]);
  k_last_ = static_cast<int>(own[3]);
  equal_steps_ = static_cast<int>(own[4]);
  starting_ = own[5] != 0;
  max_order_ = static_cast<int>(own[6]);
  std::copy(phi.begin(), phi.end(), phi_.data());
  std::copy(psi.begin(), psi.end(), psi_.begin());
  carry_ = as_vector(carry);
  jump_ = as_vector(jump);
  jump_known_ = true;
}

}  // namespace mortise::integrate
