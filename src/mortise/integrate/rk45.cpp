#include "mortise/integrate/rk45.h"

#include <algorithm>
#include <cmath>

namespace mortise::integrate {

namespace {

constexpr int most_failures = 100;

// Row i: the weights of k₁ … kᵢ₋₁ in stage i; the last row is also b.
constexpr double a2[] = {1.0 / 5};
constexpr double a3[] = {3.0 / 40, 9.0 / 40};
constexpr double a4[] = {44.0 / 45, -56.0 / 15, 32.0 / 9};
constexpr double a5[] = {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729};
constexpr double a6[] = {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656};
constexpr double b[] = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84};
constexpr double c[] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr double e[] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
constexpr double d[] = {-12715105075.0 / 11282082432.0,  0,
                        87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                        701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                        69997945.0 / 29380423.0};

const std::string r3_name = "rk45.r3", r4_name = "rk45.r4", r5_name = "rk45.r5";

}  // namespace

Rk45::Rk45(const Settings& settings) : BasicIntegrator(settings, "rk45") {}

void Rk45::size_workspace(Eigen::Index n) {
  for (Vector& k : k_) k.resize(n);
  for (Vector* v : {&stage_, &y_new_, &f_new_, &r3_, &r4_, &r5_, &r5_new_}) v->resize(n);
}

void Rk45::start(Flow& flow, double t, ConstSpan y) {
  begin(flow, t, y);
  size_workspace(y_.size());
  r3_.setZero();
  r4_.setZero();
  r5_.setZero();
  h_ = 0;
  error_old_ = 1e-4;
}

StepReport Rk45::step(double stop) {
  const double left = remaining(stop);
  if (within_rounding(stop)) {
    const StepReport report = nudge(stop, y_new_, f_new_);
    r3_.setZero();
    r4_.setZero();
    r5_.setZero();
    return report;
  }
  if (!controlled_) h_ = settings_.step;
  if (h_ == 0) {
    weigh(y_);
    h_ = first_step(stop, 5, y_new_, f_new_);
  }
  const double least = std::min(least_step(stop), left);

  double planned = h_;
  for (int failures = 0;; ++failures) {
    double h = fit(std::max(planned, least), left);
    const double t_new = h == left ? stop : t_ + h;
    h = t_new - t_;  // the step that the clock really takes
    const double error = trial(h, t_new);
    if (error <= 1 || !controlled_) {
      bool moved = flow_->settle(t_new, as_span(y_new_));
      if (moved)
        rates(t_new, y_new_, f_new_);
      else
        f_new_ = k_[6];
      // Nothing throws from here on.
      ydot_.swap(f_new_);  // f_new_: ẏ at the start
      y_old_.swap(y_);
      y_.swap(y_new_);
      t_old_ = t_;
      t_ = t_new;
      ++counters_.steps;
      prepare_dense(h);
      constexpr double expo = 0.2 - 0.75 * 0.04;
      const double factor = 0.9 * std::pow(std::max(error, 1e-10), -expo) * std::pow(error_old_, 0.04);
      h_ = h * std::clamp(factor, 0.2, failures ? 1.0 : 10.0);
      // A step shortened by `stop` says little about the next one.
      if (h < 0.9 * planned) h_ = std::max(h_, planned);
      error_old_ = std::max(error, 1e-4);
      return {t_, h, 5};
    }
    ++counters_.failed_steps;
    const double cut = error < 1e300 ? std::clamp(0.9 * std::pow(error, -0.2), 0.1, 0.9) : 0.1;
    if (h <= least || failures >= most_failures) underflow(cut * h, least, 5, failures + 1);
    h_ = planned = cut * h;
  }
}

// Fills k_, y_new_ and r5_new_; returns ‖e‖.
double Rk45::trial(double h, double t_new) {
  const Vector& k1 = ydot_;
  const auto at = [&](int stage) { return stage >= 5 ? t_new : t_ + c[stage] * h; };
  stage_ = y_ + h * a2[0] * k1;
  rates(at(1), stage_, k_[1]);
  stage_ = y_ + h * (a3[0] * k1 + a3[1] * k_[1]);
  rates(at(2), stage_, k_[2]);
  stage_ = y_ + h * (a4[0] * k1 + a4[1] * k_[1] + a4[2] * k_[2]);
  rates(at(3), stage_, k_[3]);
  stage_ = y_ + h * (a5[0] * k1 + a5[1] * k_[1] + a5[2] * k_[2] + a5[3] * k_[3]);
  rates(at(4), stage_, k_[4]);
  stage_ = y_ + h * (a6[0] * k1 + a6[1] * k_[1] + a6[2] * k_[2] + a6[3] * k_[3] + a6[4] * k_[4]);
  rates(at(5), stage_, k_[5]);
  y_new_ = y_ + h * (b[0] * k1 + b[2] * k_[2] + b[3] * k_[3] + b[4] * k_[4] + b[5] * k_[5]);
  rates(at(6), y_new_, k_[6]);
  stage_ = h * (e[0] * k1 + e[2] * k_[2] + e[3] * k_[3] + e[4] * k_[4] + e[5] * k_[5] + e[6] * k_[6]);
  r5_new_ = h * (d[0] * k1 + d[2] * k_[2] + d[3] * k_[3] + d[4] * k_[4] + d[5] * k_[5] + d[6] * k_[6]);
  plain_error_ = stage_.lpNorm<Eigen::Infinity>();
  weigh(y_, y_new_);
  return error_norm(stage_);
}

// After the step has been accepted: f_new_ holds ẏ at its start, ydot_ at its end.
void Rk45::prepare_dense(double h) {
  r5_.swap(r5_new_);
  r3_ = h * f_new_ - (y_ - y_old_);
  r4_ = (y_ - y_old_) - h * ydot_ - r3_;
}

void Rk45::dense(double t, Span out) const {
  if (dense_at_ends(t, out)) return;
  const double theta = (t - t_old_) / (t_ - t_old_), rest = 1 - theta;
  as_vector(out) = y_old_ + theta * ((y_ - y_old_) + rest * (r3_ + theta * (r4_ + rest * r5_)));
}

void Rk45::save(Memory& memory) const {
  const double own[] = {h_, error_old_};
  save_common(memory, own);
  const auto n = static_cast<std::size_t>(y_.size());
  as_vector(memory.slot(r3_name, n)) = r3_;
  as_vector(memory.slot(r4_name, n)) = r4_;
  as_vector(memory.slot(r5_name, n)) = r5_;
}

void Rk45::load(Flow& flow, const Memory& memory) {
  const auto n = static_cast<std::size_t>(flow.size());
  const ConstSpan r3 = need(memory, r3_name, n), r4 = need(memory, r4_name, n), r5 = need(memory, r5_name, n);
  double own[2];
  load_common(flow, memory, own);
  size_workspace(y_.size());
  h_ = own[0];
  error_old_ = own[1];
  r3_ = as_vector(r3);
  r4_ = as_vector(r4);
  r5_ = as_vector(r5);
}

}  // namespace mortise::integrate
