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
// B_j: wrenches of unit multipliers at the joint's point (analysis/diagnose_parts.h).
//
// T is not formed where it can be helped. With G_j = L_j L_jᵀ and μ_j = L_jᵀλ_j the rule asks for the shortest μ with
//
//     Xᵀμ = Aᵀλ,    X_j = L_j⁻¹ A_j,
//
// which is the minimum norm that the sparse elimination (gauss/sparse.h) gives for the rows X: O(bodies) a pose, and
// nothing is allocated after the first. It is believed where all of its pivots are clear and Aᵀλ is unchanged; else,
// and where weights vanish (rigid drivers), T comes from the elimination front by front (gauss/fronts.h), and O(k³) for
// k self-stresses (beyond 400: conjugate gradients) are spent on c.
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
  // Forgets what earlier poses taught: called at every checkpoint, as Factor::forget is.
  void forget();

  // Which way is taken: for tests. `fronts` forms T at every pose.
  enum class Way { best, fronts };
  void set_way(Way way) { way_ = way; }
  bool was_sparse() const;  // the last `apply`

 private:
  struct Work;
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;  // never on the heap
  const mechanism::Mechanism& mechanism_;
  std::string rule_;
  linalg::RankPolicy policy_;
  std::vector<double> stiffness_, turning_;  // of each joint; 0: none given
  bool weighs_all_ = true;                   // no joint without weight, none of many rows
  Way way_ = Way::best;
  std::unique_ptr<Work> work_;

  void prepare(const State& state);
  void prepare_stresses();
  bool prepare_sparse();
  bool apply_sparse(Vector& lambda);
  Small metric(int joint) const;
};

}  // namespace mortise::analysis
