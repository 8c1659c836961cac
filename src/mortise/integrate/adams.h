// adams: variable-step, variable-order (1 … 12) Adams-Bashforth-Moulton in PECE mode, for ẏ = f(t, y) on a manifold.
//
//     P   p = yₙ + h Σ_{i ≤ k} gᵢ φ*ᵢ(n)                    integral of the polynomial through f at k past points
//     E   d = f(tₙ₊₁, p) − Σ_{i ≤ k} φ*ᵢ(n)                 what the extrapolated polynomial misses
//     C   y = p + h g_{k+1} d                               order k + 1: local extrapolation
//         ‖h (gₖ − g_{k+1}) d‖ ≤ 1                          the local error of the step without extrapolation
//     S   y ← settle(y)                                     back on the manifold
//     E   φᵢ(n+1) from f(tₙ₊₁, y)
//
// Why projection needs no repair of the history: all a multistep Adams formula knows of the past is yₙ and the values f
// at past points. y is replaced by the settled one, and f is evaluated after settling, so every value in the history is
// a rate on the manifold; older values do not depend on yₙ. The projection moves y by no more than the error of the
// step, so the differences stay as smooth as they were. Settling costs no further evaluation. (Formulas that keep
// derivatives of y itself, as Nordsieck forms and BDF do, would have to be corrected.)
//
// Order and step (Shampine and Gordon 1975, chapters 6, 7, 10; own words): from the differences at hand, errors at
// orders k−2, k−1, k and, after k+1 equal steps, k+1 are estimated as if the step were constant. The order goes down
// when the lower errors do not exceed the present one, up when the higher one is smaller. The step is doubled when the
// doubled step would pass with half the tolerance, kept when this one does, else cut to 0.5 … 0.9: equal steps are
// worth more than slightly longer ones. A start begins at order 1, raising the order and doubling the step until a sign
// of trouble. After a failed step h is halved; after three the order is 1 (a kink in f), from then on h is cut to what
// order 1 asks.
//
// Rounding: what the additions to y lose is carried into the next step (as is h − (tₙ₊₁ − tₙ)), so tolerances of 1e-12
// hold over tens of thousands of steps. A component that settling moved starts with no carry.
//
// Landing on `stop`: variable-step formulas allow any length, so the last two steps are made equal (or the last one is
// stretched by up to 5 %) and the history stays good. The flow is never evaluated past `stop`.
//
// Dense output: the polynomial of degree k+1 that takes y and f at t, and f at k older points. At t_old it would miss y
// there by the move of the projection and by h g (f(y) − f(p)); this miss, below the error of the step, is blended in
// by (1−θ)²(1+2θ), so the motion is continuous and returns both ends exactly. It is found when it is first asked for.
//
// Cost: 2 evaluations a step (3 for the first, which looks for its length); O(n k) beside them.
// Memory: 28 vectors of the differences now and next, 12 more.
#pragma once

#include "mortise/integrate/adams_coefficients.h"
#include "mortise/integrate/basic_integrator.h"

namespace mortise::integrate {

class Adams final : public BasicIntegrator {
 public:
  // `max_order` below 12 is for tests and studies.
  explicit Adams(const Settings& settings, int max_order = AdamsCoefficients::highest_order);

  void start(Flow& flow, double t, ConstSpan y) override;
  StepReport step(double stop) override;
  void dense(double t, Span y) const override;
  void save(Memory& memory) const override;
  void load(Flow& flow, const Memory& memory) override;

 private:
  // The errors of one trial at orders k, k−1, k−2, as if with constant step; `test` decides.
  struct Errors {
    double test = 0, k = 0, k1 = 0, k2 = 0;
  };
  void size_workspace(Eigen::Index n);
  void predict(double h, double t_new);
  Errors correct(double h);
  int order_after_trial(const Errors& errors) const;
  void accept(double h, double t_new, int lower, const Errors& errors);
  void choose_next(double h, int lower, const Errors& errors);
  void interpolate(double t, Span y) const;
  const Vector& jump() const;

  int max_order_;
  double h_ = 0;         // of the next step; 0: to be found
  double h_last_ = 0;    // of the last step
  int k_ = 1;            // order of the next step
  int k_last_ = 0;       // order of the last step, 0: none (or it was a nudge)
  int equal_steps_ = 0;  // how many steps of h_last_ in a row
  bool starting_ = true;

  AdamsCoefficients::Scalars psi_{};  // lengths of the history
  AdamsCoefficients now_;             // of the step on trial
  Matrix phi_, phi_new_;              // differences, φᵢ in column i−1
  Vector carry_, carry_p_, carry_new_;
  Vector p_, d_, y_new_, f_new_, sum_;
  mutable Vector jump_;  // the miss at t_old
  mutable bool jump_known_ = false;
};

}  // namespace mortise::integrate
