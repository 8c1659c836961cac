// `trapezoidal` and `backward-euler`: a fixed step by an implicit one-step formula, constraints by the multipliers of a
// scheme: soft ones that are integrated (stabilize: staggered), or Baumgarte's feedback (implicit_multipliers.h,
// feedback_multipliers.h).
//
// Order two and one. The trapezoidal rule has no damping, of the ringing of soft holonomic rows neither: amplitudes
// |φ| ≈ ε|λ|, frequency √(s/ε); in long runs of large steps or stiff rows that ringing grows, and the run is stopped
// when rows are off by ten times their size (S487). With `stabilize: projection` every new state is moved to the
// constraints and its accelerations are those of the state itself: no ringing is carried on, and runs are as long as
// one likes. Backward Euler damps; with `scheme: anchored-iterated` it is the compliant step of position-based
// dynamics. Loads are found by fixed-point iteration, so springs and dampers must be soft against the step: δ²k/m and δ
// c/m below one.
//
// A stop between two points of the grid is met by a shorter step; there is no error control.
//
// Source: specs/nasa-4-stabilization.md §2.4, §3: 004 paper 4. Cost: implicit_step.h.
#pragma once

#include <memory>

#include "mortise/integrate/basic_integrator.h"
#include "mortise/integrate/trapezoidal/implicit_step.h"
#include "mortise/motion/motion.h"

namespace mortise::integrate {

class ImplicitIntegrator : public BasicIntegrator {
 public:
  ImplicitIntegrator(const Settings& settings, ImplicitFormula formula, const std::string& name);

  void start(Flow& flow, double t, ConstSpan y) override;
  StepReport step(double stop) override;
  void dense(double t, Span y) const override;
  void save(Memory& memory) const override;
  void load(Flow& flow, const Memory& memory) override;
  std::vector<std::string> remarks() const override;

  // The modules and their counts, between steps.
  const ImplicitStep& inside() const { return *step_; }
  const Iterations& iterations() const { return step_->iterations(); }
  // λ of the scheme at t(); frames show those of the state itself.
  const Vector& multipliers() const { return step_->multipliers().lambda(); }
  // Rows on or off between steps, while coordinates go on: without `start`.
  void switch_rows(const std::vector<unsigned char>& active) { step_->switch_rows(active); }

 private:
  struct Powers {
    double of[work_count] = {};
  };
  void bind(Flow& flow);
  Powers powers() const;
  [[noreturn]] void tear(double t, double violation) const;
  void write_rates();

  ImplicitFormula formula_;
  std::string name_;
  Motion* motion_ = nullptr;
  const System* system_ = nullptr;
  std::unique_ptr<ImplicitStep> step_;
  gauss::GaussSolution solution_;
  State state_;
  Vector y_new_, ydot_old_;
  Powers powers_now_;
  double t0_ = 0, j_ = 0;
};

class Trapezoidal final : public ImplicitIntegrator {
 public:
  explicit Trapezoidal(const Settings& settings)
      : ImplicitIntegrator(settings, ImplicitFormula::trapezoidal, "trapezoidal") {}
};

class BackwardEuler final : public ImplicitIntegrator {
 public:
  explicit BackwardEuler(const Settings& settings)
      : ImplicitIntegrator(settings, ImplicitFormula::backward_euler, "backward-euler") {}
};

}  // namespace mortise::integrate
