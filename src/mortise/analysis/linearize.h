// The constrained equations of motion near a pose at rest, in the motions that the rows allow (δq = N y):
//
//     Nᵀ M N ÿ + C ẏ + K y = Nᵀ (Q − Aᵀ λ),
//     C = −Nᵀ ∂Q/∂v N,     K = −Nᵀ ∂(Q − Aᵀλ)/∂q N   with λ held,
//
// so K has the stiffness of forces (follower loads too: it need not be symmetric) and the curvature of the constraints,
// which carries λ: the geometric stiffness of a hanging chain. At an equilibrium Q = Aᵀλ, and K does not depend on how
// rotations are parametrised. Derivatives by central differences of fourth order along N, on steps of a thousandth of
// the mechanism: h⁴ and rounding/h are both about 1e-12.
//
// Nonholonomic rows are part of A: near rest they hold displacements like the others. Loads that depend on reactions
// are evaluated with the reactions they cause. Cost: one null space and 8 evaluations a free motion.
#pragma once

#include "mortise/analysis/tangent.h"
#include "mortise/motion/motion.h"

namespace mortise::analysis {

struct Linearization {
  Matrix N;         // n × f, W-orthonormal
  Matrix M, C, K;   // f × f
  Vector force;     // f: what is out of balance, Nᵀ Q
  Vector lambda;    // m, of least norm
  double load = 0;  // the largest force in Q, torques divided by L: what `force` is compared with
};

class Linearizer {
 public:
  Linearizer(const mechanism::Mechanism& mechanism, const model::AnalysisSettings& settings);

  // At a pose on the constraints; velocities count as zero. `damping`: C too.
  Linearization at(const State& state, bool damping);
  // The first part of it: N, force, λ and load.
  Linearization forces_at(const State& state);

  const Tangent& tangent() const { return tangent_; }
  const linalg::RankPolicy& policy() const { return policy_; }

 private:
  const Evaluation& evaluate(const State& state);
  Vector remainder(const State& state, const Vector& lambda);  // Q − Aᵀλ

  const mechanism::Mechanism& mechanism_;
  linalg::RankPolicy policy_;
  std::unique_ptr<gauss::Formulation> formulation_;
  std::unique_ptr<Stabilizer> stabilizer_;
  Motion motion_;  // solves for loads that depend on reactions
  std::unique_ptr<Scratch> scratch_;
  Evaluation own_;
  Tangent tangent_;
  bool scaled_ = false;
  Vector v_sizes_;
};

}  // namespace mortise::analysis
