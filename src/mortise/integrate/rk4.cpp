#include "mortise/integrate/rk4.h"

#include <cmath>
#include <stdexcept>

namespace mortise::integrate {

namespace {
const std::string ydot_old_name = "rk4.ydot_old";
}

Rk4::Rk4(const Settings& settings) : BasicIntegrator(settings, "rk4") {
  if (settings.step == 0)
    throw std::invalid_argument("integrator rk4 has a fixed step: set step to its length, such as 1e-3");
}

void Rk4::size_workspace(Eigen::Index n) {
  for (Vector* v : {&ydot_old_, &stage_, &k_, &sum_, &f_new_}) v->resize(n);
}

void Rk4::start(Flow& flow, double t, ConstSpan y) {
  begin(flow, t, y);
  size_workspace(y_.size());
  ydot_old_ = ydot_;
  t0_ = t;
  j_ = 0;
}

StepReport Rk4::step(double stop) {
  remaining(stop);
  const double grid = settings_.step;
  const double near = 1e-9 * grid;
  double j = j_ + 1, t_new = t0_ + j * grid;
  if (stop < t_new - near) {
    j = j_;
    t_new = stop;
  } else if (stop <= t_new + near) {
    t_new = stop;
  }
  if (!(t_new > t_)) underflow(grid, std::abs(t_) * 2.3e-16, 4, 0);
  const double h = t_new - t_, middle = t_ + 0.5 * h;

  stage_ = y_ + 0.5 * h * ydot_;
  rates(middle, stage_, k_);
  sum_ = ydot_ + 2 * k_;
  stage_ = y_ + 0.5 * h * k_;
  rates(middle, stage_, k_);
  sum_ += 2 * k_;
  stage_ = y_ + h * k_;
  rates(t_new, stage_, k_);
  sum_ += k_;
  stage_ = y_ + (h / 6) * sum_;
  flow_->settle(t_new, as_span(stage_));
  rates(t_new, stage_, f_new_);

  y_old_.swap(y_);
  y_.swap(stage_);
  ydot_old_.swap(ydot_);
  ydot_.swap(f_new_);
  t_old_ = t_;
  t_ = t_new;
  j_ = j;
  ++counters_.steps;
  return {t_, h, 4};
}

void Rk4::dense(double t, Span out) const {
  if (dense_at_ends(t, out)) return;
  const double h = t_ - t_old_, theta = (t - t_old_) / h, rest = 1 - theta;
  as_vector(out) = y_old_ + theta * theta * (3 - 2 * theta) * (y_ - y_old_) +
                   (h * theta * rest) * (rest * ydot_old_ - theta * ydot_);
}

void Rk4::save(Memory& memory) const {
  const double own[] = {t0_, j_};
  save_common(memory, own);
  as_vector(memory.slot(ydot_old_name, static_cast<std::size_t>(y_.size()))) = ydot_old_;
}

void Rk4::load(Flow& flow, const Memory& memory) {
  const ConstSpan ydot_old = need(memory, ydot_old_name, static_cast<std::size_t>(flow.size()));
  double own[2];
  load_common(flow, memory, own);
  size_workspace(y_.size());
  t0_ = own[0];
  j_ = own[1];
  ydot_old_ = as_vector(ydot_old);
}

}  // namespace mortise::integrate
