// A motion binds a system, a formulation and a stabiliser, and is the only caller of the Factor in a run. One per run
// and thread; allocation-free after construction.
//
// As a Flow its unknown is y = (q, v, w): coordinates, velocities and the work done since the start (dissipated,
// applied, by constraints), so that the energy balance is integrated with the motion.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "mortise/gauss/formulation.h"
#include "mortise/linalg/householder_cod.h"
#include "mortise/motion/flow.h"
#include "mortise/motion/stabilizer.h"
#include "mortise/system/system.h"

namespace mortise {

// Seconds spent, measured on every 64th call and scaled: the clock is not free at a microsecond a call.
struct PhaseSeconds {
  double evaluate = 0, solve = 0, project = 0;
};

// How well the constraints hold, scaled by the typical sizes of the rows: free of units.
struct Violation {
  double position = 0, velocity = 0;
};

class Motion final : public Flow {
 public:
  Motion(const System& system, const gauss::Formulation& formulation, Stabilizer& stabilizer,
         const linalg::RankPolicy& policy);

  const System& system() const { return system_; }
  const linalg::RankPolicy& policy() const { return policy_; }

  // Forgets all that formulation and stabiliser remember of earlier instants (Factor::forget).
  void forget();
  double flops() const { return factor_->flops(); }  // of the last acceleration

  // Accelerations and multipliers at a state; λ is stored in the state too. Throws SolveError when something is not
  // finite or the formulation refuses the case. `more`: need_energy, where the potential is wanted too.
  void accelerate(State& state, gauss::GaussSolution& solution, unsigned more = 0);
  // What the last `accelerate` or `project` evaluated.
  const Evaluation& evaluation() const { return evaluation_; }

  // Moves the state to the nearest one that fulfils the constraints. `reuse`: begins with the factorisation of the last
  // acceleration, which is that of a pose nearby (simplified Newton); `fresh`: factors at the pose given.
  enum class Start { reuse, fresh };
  bool project(State& state, Start start, bool positions = true, bool velocities = true);
  // Moves the accelerations to the nearest ones that fulfil the rows, at the point of the last `accelerate`.
  void project_acceleration(gauss::GaussSolution& solution);
  // Largest violations seen by `project` after it was done.
  const Violation& worst() const { return worst_; }
  void set_worst(const Violation& worst) { worst_ = worst; }
  // Of integrators that evaluate by themselves.
  void note(const Violation& seen) {
    worst_.position = std::max(worst_.position, seen.position);
    worst_.velocity = std::max(worst_.velocity, seen.velocity);
  }
  [[noreturn]] void refuse(double t, const gauss::Refusal& why) const { fail_factor(t, why); }
  Violation violation(const Evaluation& evaluation) const;

  const PhaseSeconds& seconds() const { return seconds_; }
  const linalg::Rank& rank() const { return solution_.rank; }

  // Between y and State.
  void pack(const State& state, Span y) const;
  void unpack(double t, ConstSpan y, State& state) const;
  const std::vector<unsigned char>& active() const { return state_.active; }
  const Vector& inputs() const { return state_.inputs; }
  const Stabilizer& stabilizer() const { return stabilizer_; }
  // Rows that are on: taken by `rates` from here.
  void set_active(const std::vector<unsigned char>& active) { state_.active = active; }
  // Numbers given from outside: change them between steps only, and start the integrator anew.
  void set_inputs(const Vector& inputs) { state_.inputs = inputs; }

  // Flow
  int size() const override { return system_.q_size() + system_.v_size() + work_count; }
  void rates(double t, ConstSpan y, Span ydot) override;
  bool settle(double t, Span y) override;
  void keep_tangent_part(Span error) override;
  void begin_trial(bool stages) override {
    least_held_ = 1;
    stages_ = stages;
  }
  double weight_across(double tolerance) const override;
  bool lands_badly() const override;
  void typical_sizes(Span sizes) const override;
  Motion* motion() override { return this; }

 private:
  void evaluate(const State& state, unsigned more = 0);
  void close_feedback(const State& state, gauss::GaussSolution& solution, unsigned needs);
  void respond(const State& state, const Vector& z, gauss::GaussSolution& solution, unsigned needs, Vector& out);
  [[noreturn]] void fail_feedback(const State& state, const char* why, const Vector& gap) const;
  void factor(double t);
  [[noreturn]] void fail_factor(double t, const gauss::Refusal& why) const;
  // For projections: the factorisation in their metric, and a step −Ω⁻¹Aᵀ(AΩ⁻¹Aᵀ)⁺ right into step_.
  void factor_metric(double t);
  void solve_metric();
  bool& metric_ready() { return metric_factor_ ? metric_factored_ : factored_; }
  enum class Outcome { as_it_was, moved, failed };
  Outcome project_position(State& state);
  bool project_velocity(State& state);
  void settle_stage(double t, ConstSpan y);
  [[noreturn]] void fail_projection(const State& state, const char* what, const Vector& error,
                                    const std::vector<double>& sizes) const;

  const System& system_;
  Stabilizer& stabilizer_;
  linalg::RankPolicy policy_;
  std::unique_ptr<gauss::Factor> factor_;
  // Of projections in another metric than that of M, or where the formulation only approaches the rows; else none, and
  // the factor above serves.
  std::unique_ptr<gauss::Factor> metric_factor_;
  gauss::GaussProblem metric_problem_;
  std::unique_ptr<Scratch> scratch_;
  Evaluation evaluation_;
  gauss::GaussSolution solution_, step_;
  bool stages_ = false;
  bool rated_ = false;     // since the last settling: the factorisation is that of the step
  double least_held_ = 1;  // how the weakest direction is held, relative, at the worst evaluation of this trial
  State state_;
  Vector zero_, right_, move_;
  Vector per_position_, per_velocity_;  // 1 / typical sizes of the rows
  bool one_size_ = false;               // each of them is the same for all rows
  // Loads that depend on the solution: z, what the solution makes of it, their difference, scales; Q and powers
  // without these loads.
  Vector z_, z_next_, gap_, probe_, z_scale_, z_step_, z_work_, Q_free_;
  double dissipated_free_ = 0, applied_free_ = 0, potential_free_ = 0;
  linalg::CompleteOrthogonal newton_;
  Vector q_sizes_, v_sizes_;
  bool factored_ = false, metric_factored_ = false;
  Violation worst_;
  PhaseSeconds seconds_;
  unsigned calls_ = 0;
};

}  // namespace mortise
