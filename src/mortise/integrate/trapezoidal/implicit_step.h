// One step of a constrained motion by an implicit one-step formula: coordinates and multipliers, each in a module of
// its own, exchange vectors until they agree,
//
//     trial (q_p, v_p)  ──φ, A, c_t, b, M, Q──▶  λ⁺ (ImplicitMultipliers)  ──Aᵀλ⁺──▶  (q⁺, v⁺) (ImplicitCoordinates),
//
// the next trial is what came out. `correctors`: so many more times than once, or until two trials agree to the
// tolerance; the number of solutions for multipliers is counted for every step.
//
// Source: specs/nasa-4-stabilization.md §3.2-3.4, nasa-1-staggered.md §3.3. Cost: an evaluation, a factorisation and a
// solution a trial, an evaluation at the end.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mortise/integrate/integrator.h"
#include "mortise/integrate/trapezoidal/implicit_coordinates.h"
#include "mortise/integrate/trapezoidal/implicit_multipliers.h"

namespace mortise::integrate {

// As named in settings.
const std::vector<std::string>& implicit_schemes();

struct Iterations {
  double steps = 0, total = 0, most = 0;  // solutions for multipliers; `most` in one step
  double largest_change = 0;              // of a coordinate in the last correction of a step, by its typical size
  double mean() const { return steps > 0 ? total / steps : 0; }
};

class ImplicitStep {
 public:
  static constexpr int most_trials = 60;

  // `settings.step` is the length of whole steps, `settings.implicit` the scheme.
  ImplicitStep(const System& system, ImplicitFormula formula, const Settings& settings,
               const linalg::RankPolicy& policy);

  // The old time: rows that are on and inputs are those of the state.
  void begin(const State& state, ConstSpan a, ConstSpan lambda);
  // To a later time, which `accept` makes the old one. Throws SolveError: S410 for what is not finite, S485 where
  // rows depend on one another and the scheme needs them independent, S486 where trials do not come to agree.
  void solve(double t_new);
  void accept();
  // Rows on or off at the old time; coordinates are not touched, nor is their memory.
  void switch_rows(const std::vector<unsigned char>& active);
  // A projection moved the state at the old time, and has accelerations for it.
  void move(const State& state, ConstSpan a);

  double t() const { return t_; }
  const ImplicitCoordinates& coordinates() const { return coordinates_; }
  const ImplicitMultipliers& multipliers() const { return *multipliers_; }
  const Evaluation& evaluation() const { return evaluation_; }  // at the old time
  const Iterations& iterations() const { return iterations_; }
  // Solutions for multipliers of the last step.
  int last_trials() const { return trials_; }
  double worst_condition() const { return worst_condition_; }  // smallest reciprocal one so far, where it is looked at
  long evaluations() const { return evaluations_; }

  void save(Memory& memory, const std::string& prefix) const;
  void load(const State& state, const Memory& memory, const std::string& prefix);

 private:
  void evaluate(double t, ConstSpan q, ConstSpan v);
  void close_loads(double t);
  void solve_trial(double t);
  [[noreturn]] void refuse(double t, const gauss::Refusal& why) const;
  [[noreturn]] void no_agreement(double t, double change, const char* what) const;

  const System& system_;
  std::string scheme_;
  long correctors_;
  double tolerance_;
  linalg::RankPolicy policy_;
  ImplicitCoordinates coordinates_;
  std::unique_ptr<ImplicitMultipliers> multipliers_;
  std::unique_ptr<Scratch> scratch_;
  Evaluation evaluation_;
  State state_;
  Vector f_, Q_, z_, z_next_, z_scale_;
  Iterations iterations_;
  double t_ = 0, t_new_ = 0, worst_condition_ = 1;
  int trials_ = 0;
  long evaluations_ = 0;
};

}  // namespace mortise::integrate
