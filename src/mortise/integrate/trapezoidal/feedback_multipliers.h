// Multipliers by Baumgarte's feedback in an implicit step, the comparator of the soft ones (implicit_multipliers.h):
// the rows hold exactly, with S = A M⁻¹Aᵀ and w = h_v + δ M⁻¹Q,
//
//     S λ⁺ = r,           H: φ̈ + 2α φ̇ + β²φ = 0                                  N: ψ̇ + γ ψ = 0
//     explicit      r   = A M⁻¹Q − b + 2α φ̇(q_p, v_p) + β² φ(q_p)                 A M⁻¹Q − b + γ ψ(q_p, v_p)
//     implicit      f r = A M⁻¹Q − b + 2α (A w + c_t)                             A M⁻¹Q − b + γ (A w + c_t)
//                         + β² (φ(q_p) + A (h_q − q_p + δ w)),
//                         f = 1 + 2α δ + β² δ²                                    f = 1 + γ δ
//     integral      δ r = A w + c_t + 2γ φ(q_p) + γ² ∫φ dt                        as explicit
//
// `implicit` takes φ̇⁺ and φ⁺ with their dependence on λ⁺. `integral` is the integro-differential form
// φ̇ + 2γφ + γ²∫φ dt = 0 of the source, repaired: a condition on velocities alone leaves the accelerations of the
// trapezoidal rule with an amplification of −1, and the feedback of φ drives it. It overflows; it is there to show
// that.
//
// S is decomposed by its eigenvalues in scaled rows, by Jacobi's rotations, in place: where the smallest is below 1e-13
// of the largest there is no answer, and none is given.
//
// Source: specs/nasa-4-stabilization.md §2.3, §3.3: 004 paper 4 eqs. (9)-(19). Cost: n m² + about 30 m³ a trial, dense.
#pragma once

#include <string>
#include <vector>

#include "mortise/gauss/mass_blocks.h"
#include "mortise/integrate/trapezoidal/implicit_multipliers.h"

namespace mortise::integrate {

enum class FeedbackScheme { explicit_, implicit_, integral };

struct FeedbackSettings {
  FeedbackScheme scheme = FeedbackScheme::implicit_;
  ImplicitFormula formula = ImplicitFormula::trapezoidal;
  double alpha = 10, beta = 10, gamma = 10;
};

class FeedbackMultipliers final : public ImplicitMultipliers {
 public:
  static constexpr double singular = 1e-13;  // of the reciprocal condition

  FeedbackMultipliers(const gauss::Pattern& pattern, const FeedbackSettings& settings,
                      const linalg::RankPolicy& policy);

  void begin(const Settled& at, ConstSpan lambda) override;
  bool solve(const Trial& trial) override;
  void accept(const Settled& at) override;
  void switch_rows(const Settled& at) override;
  double reciprocal_condition() const override { return reciprocal_condition_; }

  void save(Memory& memory, const std::string& slot) const override;
  void load(const Memory& memory, const std::string& slot) override;

 private:
  bool decompose(const gauss::GaussProblem& problem);
  double gained(double delta, double before, double after) const;

  const gauss::Pattern& pattern_;
  FeedbackSettings settings_;
  linalg::RankPolicy policy_;
  gauss::MassBlocks mass_;
  std::vector<double> scale_, block_;
  std::vector<int> on_;  // rows, in the order of S
  Matrix Y_, S_;         // scaled rows in the mass metric; Y Yᵀ
  Matrix modes_;         // eigenvectors of S, one a column
  Vector eigenvalues_;
  double reciprocal_condition_ = 1;
  Vector phi_, integral_;  // of the old time
  Vector Aw_, Aa_, reduced_, amplitudes_, work_;
};

}  // namespace mortise::integrate
