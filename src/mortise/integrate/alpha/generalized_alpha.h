// generalized-alpha: implicit steps of second order on the Lie group of positions, with the constraints solved along:
// for stiff springs and dampers, and for multipliers that do not ring.
//
//     M wₙ₊₁ + Aᵀλₙ₊₁ = Q(qₙ₊₁, vₙ₊₁, tₙ₊₁)
//     qₙ₊₁ = qₙ ⊕ x,    x = h vₙ + h² ((½ − β) aₙ + β aₙ₊₁),     vₙ₊₁ = vₙ + h ((1 − γ) aₙ + γ aₙ₊₁)
//     (1 − α_m) aₙ₊₁ + α_m aₙ = (1 − α_f) wₙ₊₁ + α_f wₙ
//     φ(qₙ₊₁) = 0   (level: position, index 3)     or     A vₙ₊₁ + c_t = 0   (level: velocity, index 2)
//
//     α_m = (2ρ − 1)/(ρ + 1),   α_f = ρ/(ρ + 1),   γ = ½ + α_f − α_m,   β = ¼ (γ + ½)²
//
// ρ is the factor by which a step reduces what is infinitely stiff: 1 damps nothing (then ringing of multipliers stays,
// too), 0 kills it in one step. Nonholonomic rows hold velocities at either level.
//
// Start and changes of the step. aₙ stands for the acceleration at tₙ + (α_m − α_f) h, so a₀ = w₀ + (α_m − α_f) h ẇ. At
// position level velocities along the rows carry an error of h², always the same; where the first ones lack it, it
// turns up as a ringing of λ of first order. So they are given it: A Δv = −φ(q₀ ⊕ x̂)/h, x̂ the step as smooth motion
// would take it. ẇ is taken by differences, and M + s D + p K of the step divides what is stiff out of it.
//
// Shown velocities. With `stabilize: projection` what is shown fulfils both levels: at position level the projected
// velocities are shown and the step goes on with its own; at velocity level positions and velocities are projected
// (which moves them by h³) and it goes on with these. With `none` the step's own are shown.
//
// Newton's iteration runs to rounding. Its matrix (step_matrix.h) is kept while it works, with the rows of the last
// pose; a checkpoint holds what it is made of.
//
// Sources: Chung, Hulbert, J. Appl. Mech. 60 (1993) 371-375; Arnold, Brüls, Multibody Syst. Dyn. 18 (2007) 185-202;
// Brüls, Cardona, Arnold, Mech. Mach. Theory 48 (2012) 121-137; start: own derivation, the effect as in Arnold, Brüls,
// Cardona, Numer. Math. 129 (2015) 149-179. Cost: an evaluation and a substitution an iteration (4 to 7 a step), the
// matrix as in step_matrix.h every few steps.
#pragma once

#include <memory>

#include "mortise/integrate/alpha/step_matrix.h"
#include "mortise/integrate/basic_integrator.h"
#include "mortise/motion/motion.h"

namespace mortise::integrate {

struct AlphaCoefficients {
  double alpha_m = 0, alpha_f = 0, beta = 0, gamma = 0;
  double per_w() const { return (1 - alpha_f) / (1 - alpha_m); }  // da/dw
  double shift() const { return alpha_m - alpha_f; }              // a is w at t + shift·h
};
AlphaCoefficients alpha_coefficients(double rho);

class GeneralizedAlpha final : public BasicIntegrator {
 public:
  explicit GeneralizedAlpha(const Settings& settings);

  void start(Flow& flow, double t, ConstSpan y) override;
  StepReport step(double stop) override;
  void dense(double t, Span y) const override;
  void save(Memory& memory) const override;
  void load(Flow& flow, const Memory& memory) override;
  std::vector<std::string> remarks() const override;

  // Of the scheme itself, at t().
  const Vector& multipliers() const { return now_.lambda; }
  const Vector& accelerations() const { return now_.w; }
  const Vector& velocities() const { return now_.v; }
  double iterations() const { return iterations_; }  // so far
  double matrices() const { return matrices_; }      // made so far

 private:
  // What the scheme carries from step to step, beside q.
  struct Carried {
    Vector v, a, w, lambda;
  };
  // Where the matrix at hand was made: a checkpoint holds it, so that the same matrix is made again.
  struct Origin {
    Vector q, x, v, w, lambda;
    double t = 0, h = 0;  // h = 0: there is none
  };
  void bind(Flow& flow);
  void find_jerk();
  void prepare(double h);
  void begin_anew();
  void fit_velocities(double h);
  void make_matrix(double t, double h, const Vector& v, const Vector& w, const Vector& lambda);
  void form_at_origin();
  double per_x(double h) const { return h * h * c_.beta * c_.per_w(); }
  double per_v(double h) const { return h * c_.gamma * c_.per_w(); }
  void try_end(double t, double h);
  void newton(double t, double h);
  double change(double h) const;
  bool at_rounding(const Evaluation& e) const;
  void finish(double t, double h);
  void skip(double t);
  void show(double t);
  void refresh_rows(double t, ConstSpan y);
  void write_rates();
  std::vector<std::string> worst_rows() const;
  [[noreturn]] void no_convergence(double t, double h, int iterations) const;
  [[noreturn]] void cannot_hold(double t) const;
  [[noreturn]] void singular(double t, double h) const;

  AlphaCoefficients c_;
  bool at_velocity_ = false;
  Motion* motion_ = nullptr;
  const System* system_ = nullptr;
  std::unique_ptr<Residual> residual_;
  std::unique_ptr<StepMatrix> matrix_;
  std::vector<unsigned char> hold_velocity_;
  Carried now_, next_;
  Vector jerk_;  // ẇ, by the last step or, before the first, by differences
  Origin origin_;
  State state_, shown_;
  gauss::GaussSolution solution_;
  Vector q_, x_, r_, g_, delta_, delta_lambda_, y_new_, ydot_old_;
  double powers_[work_count] = {}, powers_new_[work_count] = {};
  double t0_ = 0, j_ = 0, h_ = 0;  // the grid; the step size that a and v are ready for (0: none yet)
  double iterations_ = 0, matrices_ = 0;
  bool stale_ = false;  // the matrix converged slowly: the next step makes a new one
};

}  // namespace mortise::integrate
