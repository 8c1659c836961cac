// Multipliers that are integrated: the stabilised constraint equations, advanced by implicit half steps, as a module of
// its own (LINT). It is given what one station k of a motion knows, and answers with λ_k and the force Aᵀλ_k; how the
// coordinates are advanced is not its business.
//
// The multipliers obey ε λ̇ = (what the rows miss), so that with S = A M⁻¹Aᵀ and backward Euler over the time δ between
// two stations
//
//   velocity      ε λ̇ = A v + c_t,  v_k = v_{k−1} + δ M⁻¹(Q − Aᵀλ):
//                 (ε/δ² + S) λ_k = ε/δ² λ_{k−1} + A M⁻¹Q + (A v_{k−1} + c_t)/δ          (default)
//   acceleration  ε λ̇ = A a − b:      (ε/δ + S) λ_k = ε/δ λ_{k−1} + r_k,   r = A M⁻¹Q − b
//   midpoint      the same by the mid-point rule: (2ε/δ + S) λ_m = 2ε/δ λ_{k−1} + (r_{k−1} + r_k)/2, λ_k = 2λ_m −
//   λ_{k−1}
//
// The matrices are positive definite whatever the rank of A: redundant rows, singular poses and rows that are switched
// on and off need no decision. The midpoint form multiplies errors of λ by about −1 a half step, which the two-stage
// integrator does too: it is there to show that, and for no other use.
//
// λ_k of the velocity form rings with the period of two stations; `filtered` is the mean of its neighbours, which is of
// second order.
//
// Source: specs/nasa-1-staggered.md §2.6, specs/nasa-5-explicit-implicit.md §2.5: 004 paper 1 eqs. (27), (32), (33),
// paper 5 eqs. (30)-(34) with the factor of two restored. Cost: one sparse factorisation (along the tree in
// natural coordinates) and one solution a station.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mortise/gauss/soft_factor.h"
#include "mortise/system/state.h"

namespace mortise::integrate {

enum class MultiplierForm { velocity, acceleration, midpoint };

struct MultiplierSettings {
  MultiplierForm form = MultiplierForm::velocity;
  // ε of all rows; 0: automatic, ε_i = relative · δ² σ²/s_i² with the nominal row scales s_i, which make rows alike
  // whatever their units, and the least σ of the rows so scaled (`set_weakest`). Rows that miss by ε|λ| move bodies by
  // no more than S^{−½}ε λ, in the mass metric, and λ = S⁻¹r: that is below `relative` · δ²|a|, a the accelerations by
  // which the rows hold, a share of the step's own error in every mode. (The rule of the source, ε ~ c/(‖A⁻¹‖·‖A‖), in
  // units that fit.)
  double epsilon = 0;
  double relative = 1e-2;
};

class MultiplierStepper {
 public:
  MultiplierStepper(const gauss::Pattern& pattern, const MultiplierSettings& settings,
                    const linalg::RankPolicy& policy);

  // Of the automatic ε: the least singular value of A that is not zero, in the mass metric, of rows scaled to a nominal
  // norm of one.
  void set_weakest(double sigma) { weakest_ = sigma; }
  // λ at the first station.
  void begin(ConstSpan lambda);
  // λ at a station from which all begins anew. `filtered` stays what it was; at the first station from here it is the
  // line through that and λ, where stations go on as they were (`goes_on`): there are no neighbours yet.
  void begin_again(ConstSpan lambda, bool goes_on);

  // Station k: M, A, which rows are on, and the time δ since station k − 1. False: M is singular (`refusal`).
  bool factor(const gauss::GaussProblem& problem, double delta);
  const gauss::Refusal& refusal() const { return factor_->refusal(); }
  // λ_k for loads Q, with c_t and b of the rows and the velocities one station back; may be repeated with other loads.
  void solve(const gauss::GaussProblem& problem, ConstSpan Q, ConstSpan b, ConstSpan c_t, ConstSpan v_before);
  // After `factor`: v − M⁻¹Aᵀμ with A v + c_t = 0 but for what κ lets by, which three rounds make small. Directions in
  // which the rows hold almost nothing stay as they are: no rank is decided here either.
  void project(const gauss::GaussProblem& problem, ConstSpan c_t, Span v);
  // λ_k stands: the next station comes.
  void accept();

  const Vector& lambda() const { return lambda_; }      // of the last solve
  const Vector& before() const { return before_; }      // λ_{k−1}
  const Vector& filtered() const { return filtered_; }  // ½(λ_{k−2} + λ_k) at station k − 1, after `accept` of k
  double epsilon(int row) const { return epsilon_[static_cast<std::size_t>(row)]; }  // as last used

  // All that a checkpoint needs.
  void save(Memory& memory, const std::string& prefix) const;
  void load(const Memory& memory, const std::string& prefix);

 private:
  const gauss::Pattern& pattern_;
  MultiplierSettings settings_;
  linalg::RankPolicy policy_;
  std::unique_ptr<gauss::SoftFactor> factor_;  // from the first station on
  double delta_ = 0, weakest_ = 1;
  std::vector<double> epsilon_, kappa_;
  Vector lambda_, before_, earlier_, filtered_;  // λ_k, λ_{k−1}, λ_{k−2}
  Vector r_, r_before_, right_, impulse_, work_, moved_;
  Vector ahead_;       // `filtered` of the first station after a merge
  int stations_ = 0;   // since then; 0, 1: `ahead_` is wanted
  bool first_ = true;  // no r of the station before
};

}  // namespace mortise::integrate
