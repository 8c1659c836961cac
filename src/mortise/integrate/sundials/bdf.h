// bdf: backward differentiation formulas of order 1 to 5 with variable step, by CVODE, for stiff models.
//
//     Σᵢ αᵢ yₙ₋ᵢ = h β₀ f(tₙ, yₙ)        solved by a modified Newton method with a dense matrix I − h β₀ ∂f/∂y
//
// What is ours around CVODE:
//   - ∂f/∂y by forward differences with increments √u max(|yⱼ|, sizeⱼ), all at the same t, never past `stop`;
//   - the weights 1/(tolerance · max(|yᵢ|, sizeᵢ)); CVODE's norm is the root mean square, taken over the controlled
//     components;
//   - settling as CVODE's projection: it is told the correction settle(y) − y, which it also adds to its history; the
//     error estimate is not projected. CVODE projects before its error test, so the flow is asked to settle on trials
//     that are rejected afterwards, too;
//   - one evaluation of f at each accepted y, so that ẏ is the rate there and not a difference;
//   - dense output from the derivatives of CVODE's polynomial at t, kept by us (it stays valid when a later step
//   fails),
//     with the miss at t_old blended in as in adams.h;
//   - exceptions of the flow are carried through CVODE and thrown again on the other side; the integrator is then at
//   the
//     last good step and begins anew from it when asked to step.
//
// CVODE's history cannot be written to a checkpoint: remembers() is false. Both a straight and a resumed run call
// `start` at a checkpoint; `start` builds CVODE's memory from nothing, so that the two agree bit by bit.
//
// Source: Hindmarsh and others, ACM TOMS 31 (2005) 363-396; Eich, SIAM J. Numer. Anal. 30 (1993) 1467-1482
// (projection). Cost: n evaluations for ∂f/∂y every 20 to 50 steps, O(n³) to factor it, O(n²) for an iteration, n²
// memory.
#pragma once

#include "mortise/integrate/basic_integrator.h"

namespace mortise::integrate {

class Bdf final : public BasicIntegrator {
 public:
  explicit Bdf(const Settings& settings);
  ~Bdf() override;

  void start(Flow& flow, double t, ConstSpan y) override;
  StepReport step(double stop) override;
  void dense(double t, Span y) const override;
  bool remembers() const override { return false; }
  void save(Memory& memory) const override;
  void load(Flow& flow, const Memory& memory) override;

 private:
  struct Session;  // CVODE's objects and the functions it calls back

  void size_workspace(Eigen::Index n);
  void polynomial(double t, Span y) const;
  [[noreturn]] void fail(int flag);

  std::unique_ptr<Session> session_;
  int order_ = 0;  // of the last step; 0: none
  Matrix taylor_;  // column j: derivative j of the polynomial at t, divided by j!
  Vector jump_, y_new_, f_new_, sum_;
  Matrix taylor_new_;
};

}  // namespace mortise::integrate
