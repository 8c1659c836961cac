// Which reactions are shown, and felt by friction, where rigid bodies do not decide them.
//
// With self-stresses T (Aᵀ T = 0) every λ + T c moves the mechanism in the same way. The rule chooses c so that
//
//     Σ_joints λ_jᵀ G_j λ_j   is least,     c = −(Tᵀ G T)⁻¹ Tᵀ G λ,
//
//   minimum-norm        G_j = B_jᵀ diag(1, 1/l²) B_j: forces and torques of the joint on its second body, torques by
//   the
//                       characteristic length l of the model: shares do not depend on units
//   stiffness-weighted  G_j = B_jᵀ diag(1/k, 1/k_t) B_j with the joint's own stiffnesses: least complementary energy,
//   the
//                       limit of elastic joints as they become rigid; drivers are rigid. k_t is k l² unless given
//   mass-weighted       λ_i by what it would accelerate: the row's nominal length in the inverse-mass metric
//   minimum-norm-raw    Σ λ_i², whatever the units: the Euclidean one of the literature
//
// B_j: wrenches of unit multipliers at the joint's point (analysis/diagnose_parts.h). T comes from the elimination
// (gauss/fronts.h) at each pose.
// Cost: that of the elimination, and O(k³) for k self-stresses (beyond 400: conjugate gradients).
#pragma once

#include <memory>
#include <string>

#include "mortise/linalg/rank_policy.h"
#include "mortise/mechanism/mechanism.h"

namespace mortise::analysis {

class ReactionRule {
 public:
  // The rule of the model's settings. Throws ModelError M450 for a stiffness that is not positive.
  ReactionRule(const mechanism::Mechanism& mechanism, const std::string& rule, const linalg::RankPolicy& policy);
  ~ReactionRule();

  // λ ← λ + T c at this state. Throws SolveError S450 where the rule needs the stiffness of a joint that has none.
  void apply(const State& state, Vector& lambda);

 private:
  struct Work;
  const mechanism::Mechanism& mechanism_;
  std::string rule_;
  linalg::RankPolicy policy_;
  std::vector<double> stiffness_, turning_;  // of each joint; 0: none given
  std::unique_ptr<Work> work_;

  void prepare(const State& state);
  Matrix metric(int joint) const;
};

}  // namespace mortise::analysis
