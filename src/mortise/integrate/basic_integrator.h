// What the integrators of this room share: the clock, y and ẏ at both ends of the last step, the error norm, the first
// step, the way a step lands on `stop`, and the part of a checkpoint that they have in common.
//
// Error norm. The tolerance is meant for every controlled component by itself, so the norm is the maximum
//
//     ‖e‖ = maxᵢ |eᵢ| / (tolerance · max(|yᵢ|, sizeᵢ)),      a step passes when ‖e‖ ≤ 1,
//
// not the root mean square: in a model of a thousand bodies one fast body keeps its accuracy, and adding bodies at rest
// changes no step. A maximum is also the same in any order of summation. An infinite size takes a component out.
//
// First step, after the idea of Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, II.4: an Euler step
// that moves y by 1 % of its size shows ÿ. With the shorter time τ in which ẏ or ÿ moves y by its size, a method of
// order p errs by about (h/τ)^(p+1) of that size; h makes this 1 % of the tolerance. It does not depend on the unit of
// time. One evaluation.
//
// Every step is all or nothing: an exception from the flow leaves t, y, ẏ and dense output at the last good step.
#pragma once

#include <algorithm>
#include <string>

#include "mortise/integrate/integrator.h"

namespace mortise::integrate {

class BasicIntegrator : public Integrator {
 public:
  double t() const override { return t_; }
  double t_old() const override { return t_old_; }
  ConstSpan y() const override { return as_span(y_); }
  ConstSpan ydot() const override { return as_span(ydot_); }

 protected:
  // `prefix` names the slots of a checkpoint. Throws std::invalid_argument for settings that make no sense. A tolerance
  // below 64 units of rounding (1.4e-14) is raised to that: finer error estimates would be noise.
  BasicIntegrator(const Settings& settings, const std::string& prefix);

  // Sizes the common vectors and evaluates ẏ. Allocates only when the size of the flow is new.
  void begin(Flow& flow, double t, ConstSpan y);
  void rates(double t, const Vector& y, Vector& ydot);

  void weigh(const Vector& y);
  void weigh(const Vector& y, const Vector& z);  // by the larger of |yᵢ| and |zᵢ|
  // ‖e‖ for any vector expression, without temporaries.
  template <typename Expression>
  double norm(const Expression& e) const {
    return e.cwiseProduct(inverse_weight_).template lpNorm<Eigen::Infinity>();
  }

  // The same for an error of y or ẏ: near singular poses with less weight on the part that settling takes away.
  // Overwrites e.
  double error_norm(Vector& e) {
    const double weight = flow_->weight_across(settings_.tolerance), whole = norm(e);
    if (weight >= 1) return whole;
    flow_->keep_tangent_part(as_span(e));
    return std::max(norm(e), weight * whole);
  }

  // Needs weigh(y) and ẏ at t; `scratch_y` and `scratch_f` are overwritten. Never evaluates past `stop`.
  double first_step(double stop, int order, Vector& scratch_y, Vector& scratch_f);

  // The distance to `stop`; throws std::invalid_argument unless it is positive.
  double remaining(double stop) const;
  // `stop` is so near that no step can be resolved: the state is carried there by y + ẏ·r and settled.
  bool within_rounding(double stop) const;
  StepReport nudge(double stop, Vector& scratch_y, Vector& scratch_f);
  // A step of about h, at most max_step, that never leaves a sliver before `stop`: the last one is stretched by up to
  // 5 %, or the last two are equal.
  double fit(double h, double remaining) const;
  // The least step: settings.min_step, or 4 units of rounding of t, with a floor relative to the interval for t = 0.
  double least_step(double stop) const;
  [[noreturn]] void underflow(double h, double least, int order, int failures) const;

  // dense() for the end points and for times outside of the step; true when y has been written.
  bool dense_at_ends(double t, Span y) const;

  void save_common(Memory& memory, ConstSpan own) const;
  void load_common(Flow& flow, const Memory& memory, Span own);
  // A slot that must be there with this size; throws std::invalid_argument.
  ConstSpan need(const Memory& memory, const std::string& name, std::size_t size) const;

  Settings settings_;
  Flow* flow_ = nullptr;
  double t_ = 0, t_old_ = 0;
  Vector y_, y_old_, ydot_;
  Vector sizes_, inverse_weight_;

 private:
  std::string prefix_, clock_name_, y_name_, y_old_name_, ydot_name_, sizes_name_;
};

}  // namespace mortise::integrate
