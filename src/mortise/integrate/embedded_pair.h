// What embedded Runge-Kutta pairs share: the step with its error test and the control of its length.
//
// A pair of orders p and p̂ = p − 1 gives y₁ and an estimate e of its error from one set of stages. Step control is
// proportional-integral, with q = p̂ + 1 the power of h in e,
//
//     h ← h · 0.9 ‖e‖^(−1/q + 0.03) ‖e_before‖^0.04,      between 0.2 and 10 times h, never up directly after a
//     failure.
//
// The norm is that of basic_integrator.h with the larger of |y| at both ends. ẏ at the end of a step is the first stage
// of the next one: where the last stage is f(t + h, y₁) and settling did not move y₁ it costs nothing.
// Source: Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations II, IV.2.
#pragma once

#include "mortise/integrate/basic_integrator.h"

namespace mortise::integrate {

class EmbeddedPair : public BasicIntegrator {
 public:
  void start(Flow& flow, double t, ConstSpan y) override;
  StepReport step(double stop) override;

  // For studies of the order: no error test, every step has length settings.step.
  void take_every_step() { controlled_ = false; }
  // The estimate e of the last trial in its plain maximum norm.
  double last_error_estimate() const { return plain_error_; }

 protected:
  EmbeddedPair(const Settings& settings, const std::string& prefix, int order)
      : BasicIntegrator(settings, prefix), order_(order) {}

  // Fills y_new_ and stage_ with e, and f_new_ with f(t_new, y_new_) when the pair ends with that stage.
  virtual void trial(double h, double t_new) = 0;
  virtual bool ends_with_rates() const = 0;
  virtual void size_workspace(Eigen::Index n);
  // Dense output of the step just accepted; f_new_ holds ẏ at its start. `forget`: there is no step to speak of.
  virtual void prepare_dense(double h) = 0;
  virtual void forget_dense() = 0;

  static constexpr std::size_t own_scalars = 2;
  void save_control(Span own) const;
  void load_control(ConstSpan own);

  Vector stage_, y_new_, f_new_;

 private:
  int order_;
  bool controlled_ = true;
  double h_ = 0;             // of the next step; 0: to be found
  double error_old_ = 1e-4;  // ‖e‖ of the last accepted step, the controller's memory
  double plain_error_ = 0;
};

}  // namespace mortise::integrate
