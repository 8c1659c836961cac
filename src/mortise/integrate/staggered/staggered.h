// `staggered-explicit-implicit`: coordinates explicitly, multipliers implicitly, each in a module of its own, at
// stations half a step apart,
//
//     station k:   Q_k, A_k, c_t  ──▶  λ_k (MultiplierStepper)  ──Aᵀλ_k──▶  a_k, q_{k+1}, v_{k+1} (CoordinateStepper),
//
// with a fixed step h, two stations a step. Second order in q and v, and in λ after filtering; no numerical damping; no
// rank is ever decided. Frames show the multipliers of the state itself; those of the scheme are `multipliers()` and
// `filtered_multipliers()`.
//
// Long runs. The two chains are coupled only weakly and come apart in the end. Every `merge` steps one of them is kept,
// its velocities are projected on the constraints once, and the other begins anew with half a step of the explicit
// mid-point rule: second order still, and the default. `merge: 0` is the scheme as it was published.
// With `stabilize: projection` every station is projected in positions and velocities: right for holonomic rows alone;
// nonholonomic ones lose their energy by it (specs/nasa-5-explicit-implicit.md §2.6).
//
// Damping. Forces that dissipate make the second root of the scheme grow if they are taken at the same station; where
// there are any, velocities in forces are those of the averaging operator, ½(v_{k−1} + v_{k+1}), found by iteration.
//
// `chains: one` is leapfrog with one chain and such averaged velocities throughout (no second root, nothing to merge);
// `chains: lagged` takes v_{n−½} for v_n, the conventional scheme that fails where forces depend on velocities.
//
// The step is checked: beyond h·ω_max = 2 for the fastest vibration, estimated at the start by power iteration, or
// h·|ω| = 2 for the angular speed of a body, the scheme is unstable (S480); a remark says when 80 % of the first or 0.8
// of the second is passed.
//
// Source: specs/nasa-1-staggered.md §3.2, specs/nasa-5-explicit-implicit.md §3.2: 004 papers 1 and 5.
// Cost: two evaluations and two sparse solutions a step, 20 accelerations and about 40 soft solutions at the start, two
// each merge.
#pragma once

#include <memory>

#include "mortise/integrate/basic_integrator.h"
#include "mortise/integrate/staggered/coordinate_stepper.h"
#include "mortise/integrate/staggered/multiplier_stepper.h"
#include "mortise/motion/motion.h"

namespace mortise::integrate {

class Staggered final : public BasicIntegrator {
 public:
  explicit Staggered(const Settings& settings);

  void start(Flow& flow, double t, ConstSpan y) override;
  StepReport step(double stop) override;
  void dense(double t, Span y) const override;
  void save(Memory& memory) const override;
  void load(Flow& flow, const Memory& memory) override;
  std::vector<std::string> remarks() const override;

  // Of the scheme itself: λ at t(), which rings, and the mean of its neighbours half a step back.
  const Vector& multipliers() const { return multipliers_->lambda(); }
  const Vector& filtered_multipliers() const { return multipliers_->filtered(); }
  double epsilon(int row) const { return multipliers_->epsilon(row); }
  double separation() const { return worst_separation_; }                // of the chains, the largest so far
  double fastest_vibration() const { return fastest_; }                  // rad/s, estimated at the start
  double step_limit() const { return fastest_ > 0 ? 2 / fastest_ : 0; }  // 0: none

 private:
  enum class Chains { two, one, lagged };
  struct Powers {
    double of[work_count] = {};
  };
  void bind(Flow& flow);
  void restart(double h, bool goes_on = false);
  void write_rates();
  void estimate_limit();
  void find_weakest();
  // Evaluates at a station and advances; the powers there.
  Powers station(double t, double h);
  Powers powers() const;
  void evaluate(double t, ConstSpan q, ConstSpan v);
  void check_spin(double t, double h);
  void project_station(double t);
  void take_step(double t_new, double h);
  void merge();
  [[noreturn]] void too_strong(double t, double h) const;

  Chains chains_;
  MultiplierSettings multiplier_settings_;
  Motion* motion_ = nullptr;
  const System* system_ = nullptr;
  std::unique_ptr<CoordinateStepper> coordinates_;
  std::unique_ptr<MultiplierStepper> multipliers_;
  std::unique_ptr<Scratch> scratch_;
  Evaluation evaluation_;
  gauss::GaussSolution solution_;
  State state_;
  Vector y_new_, middle_v_, qdot_old_, f_, average_, z_, z_next_, z_scale_;
  double v_size_ = 1;              // typical
  Powers powers_now_;              // at t()
  double t0_ = 0, j_ = 0, h_ = 0;  // the grid; the step for which the second chain is ready
  double since_merge_ = 0;
  double fastest_ = -1;  // −1: not yet looked for
  double worst_separation_ = 0, largest_turn_ = 0;
};

}  // namespace mortise::integrate
