// Inverse dynamics at one state: what the drivers have to do, and the reactions of the joints with it.
//
// The drivers are taken out of the rows and put in as loads: with the drivers' rows D and the others J,
//
//     M a + A_Jᵀ λ_J = Q + A_Dᵀ u,   A_J a = b_J,   A_D a = b_D      →      G u = b_D − A_D a₀,
//
// a₀ the accelerations with the drivers let go and G = A_D X the response to unit efforts (X: one solve a driver row).
// G is singular where motors work against one another through the mechanism: then of all efforts that give this motion
// the ones with the least Σ (u_k / w_k)² are taken. w is the user's (`weights`), else 1 for forces and the mechanism's
// characteristic length for torques, so that shares do not depend on units. λ_J is that of the formulation with the
// efforts as loads; accelerations of what is not driven follow from Q.
//
// Loads that depend on reactions (friction) are those of the motion's own solution.
// Source: Gauss' principle with part of the rows as loads; specs/formulations.md §1. Cost: 2 factorisations, d + 4
// solves.
#pragma once

#include "mortise/mechanism/mechanism.h"
#include "mortise/motion/motion.h"

namespace mortise::analysis {

class Efforts {
 public:
  // Throws ModelError: M470 for a weight of what is no driver, M471 when the model has no driver.
  Efforts(const mechanism::Mechanism& mechanism, const model::AnalysisSettings& settings);

  // Accelerations and multipliers at a state; those of drivers are minus their efforts.
  void solve(State& state, gauss::GaussSolution& solution);
  const Evaluation& evaluation() const { return motion_.evaluation(); }
  Motion& motion() { return motion_; }
  // Combinations of efforts that move nothing, at the last state: 0 when all efforts are unique.
  int free_shares() const { return free_; }

 private:
  Vector shares(const Vector& missing);  // u with G u = missing

  const mechanism::Mechanism& mechanism_;
  std::unique_ptr<gauss::Formulation> formulation_;
  std::unique_ptr<Stabilizer> stabilizer_;
  linalg::RankPolicy policy_;
  Motion motion_;
  std::unique_ptr<gauss::Factor> loose_;
  std::vector<int> rows_;  // of the drivers
  Vector weights_;         // of each of them
  gauss::GaussProblem problem_;
  gauss::GaussSolution step_;
  Matrix G_, V_, pseudo_, Z_;
  int free_ = 0;
};

}  // namespace mortise::analysis
