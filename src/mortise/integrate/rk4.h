// rk4: the classical Runge-Kutta method of order 4 with a fixed step.
//
//     k₁ = f(t, y),  k₂ = f(t + h/2, y + h/2 k₁),  k₃ = f(t + h/2, y + h/2 k₂),  k₄ = f(t + h, y + h k₃)
//     y₁ = y + h/6 (k₁ + 2 k₂ + 2 k₃ + k₄)
//
// The steps end at t₀ + j h (a product, not a sum, so that a million steps do not drift) and at every `stop`: a step is
// shortened to land on a stop, and the next one goes on to the next point of the grid. A stop within 1e-9 h of a grid
// point is that point. There is no error control; settings.step is required.
//
// Dense output: the cubic through y and ẏ of both ends, ẏ of the settled y. It misses the motion by h⁴/384 y⁗, which is
// the order of the method's own error, and its rate is continuous. (A quintic would need a further evaluation.)
//
// Source: Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, II.1 and II.6 (Hermite interpolation).
// Cost: 4 evaluations a step (ẏ at the end is k₁ of the next), one at the start.
#pragma once

#include "mortise/integrate/basic_integrator.h"

namespace mortise::integrate {

class Rk4 final : public BasicIntegrator {
 public:
  explicit Rk4(const Settings& settings);  // throws std::invalid_argument without settings.step

  void start(Flow& flow, double t, ConstSpan y) override;
  StepReport step(double stop) override;
  void dense(double t, Span y) const override;
  void save(Memory& memory) const override;
  void load(Flow& flow, const Memory& memory) override;

 private:
  void size_workspace(Eigen::Index n);

  double t0_ = 0;  // the grid begins here
  double j_ = 0;   // grid points passed: t0 + j h ≤ t
  Vector ydot_old_, stage_, k_, sum_, f_new_;
};

}  // namespace mortise::integrate
