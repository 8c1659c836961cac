#include "mortise/integrate/embedded_pair.h"

#include <algorithm>
#include <cmath>

#include "mortise/error.h"

namespace mortise::integrate {

namespace {

constexpr int most_unsettled = 10;
constexpr int most_retreats = 2;

}  // namespace

void EmbeddedPair::size_workspace(Eigen::Index n) {
  for (Vector* v : {&stage_, &y_new_, &f_new_}) v->resize(n);
}

void EmbeddedPair::start(Flow& flow, double t, ConstSpan y) {
  begin(flow, t, y);
  size_workspace(y_.size());
  forget_dense();
  h_ = 0;
  error_old_ = 1e-4;
}

StepReport EmbeddedPair::step(double stop) {
  const double left = remaining(stop);
  if (within_rounding(stop)) {
    const StepReport report = nudge(stop, y_new_, f_new_);
    forget_dense();
    return report;
  }
  if (!controlled_) h_ = settings_.step;
  if (h_ == 0) {
    weigh(y_);
    h_ = first_step(stop, order_, y_new_, f_new_);
  }
  const double least = std::min(least_step(stop), left);
  const double power = 1.0 / order_;  // 1/q, q = p̂ + 1 = p

  double planned = h_;
  double whole = planned;  // before it retreated
  int retreats = 0;
  for (int failures = 0;; ++failures) {
    double h = fit(std::max(planned, least), left);
    const double t_new = h == left ? stop : t_ + h;
    h = t_new - t_;  // the step that the clock really takes
    flow_->begin_trial(true);
    trial(h, t_new);
    plain_error_ = stage_.lpNorm<Eigen::Infinity>();
    weigh(y_, y_new_);
    const double error = error_norm(stage_);
    if (error <= 1 || !controlled_) {
      bool moved = false;
      try {
        moved = flow_->settle(t_new, as_span(y_new_));
      } catch (const SolveError&) {
        // Near a singular pose a long step can end where settling cannot reach the constraints; a shorter one does not.
        if (failures >= most_unsettled || h <= least) throw;
        ++counters_.failed_steps;
        h_ = planned = 0.5 * h;
        continue;
      }
      if (moved || !ends_with_rates()) rates(t_new, y_new_, f_new_);
      if (controlled_ && h < left && retreats < most_retreats && flow_->lands_badly()) {
        if (++retreats == 1) whole = h;
        ++counters_.failed_steps;
        planned = 0.7 * h;
        continue;
      }
      // Nothing throws from here on.
      ydot_.swap(f_new_);  // f_new_: ẏ at the start
      y_old_.swap(y_);
      y_.swap(y_new_);
      t_old_ = t_;
      t_ = t_new;
      ++counters_.steps;
      prepare_dense(h);
      const double expo = power - 0.75 * 0.04;
      const double factor = 0.9 * std::pow(std::max(error, 1e-10), -expo) * std::pow(error_old_, 0.04);
      h_ = h * std::clamp(factor, 0.2, failures ? 1.0 : 10.0);
      // A step shortened by `stop` says little about the next one.
      if (h < 0.9 * planned) h_ = std::max(h_, planned);
      if (retreats > 0) h_ = std::max(h_, whole);  // nor does one that ended elsewhere for another reason
      error_old_ = std::max(error, 1e-4);
      return {t_, h, order_};
    }
    ++counters_.failed_steps;
    const double cut = error < 1e300 ? std::clamp(0.9 * std::pow(error, -power), 0.1, 0.9) : 0.1;
    if (h <= least || failures >= most_failures) underflow(cut * h, least, order_, failures + 1);
    h_ = planned = cut * h;
  }
}

void EmbeddedPair::save_control(Span own) const {
  own[0] = h_;
  own[1] = error_old_;
}

void EmbeddedPair::load_control(ConstSpan own) {
  h_ = own[0];
  error_old_ = own[1];
}

}  // namespace mortise::integrate
