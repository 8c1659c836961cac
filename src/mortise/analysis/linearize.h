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

#include <algorithm>
#include <cmath>

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

// f'(0) from f at ±h, ±2h: fourth order.
template <class F>
Vector slope(const F& f, double h) {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}
// How far an input is moved for it.
inline double input_step(double value) { return 1e-3 * std::max(1.0, std::abs(value)); }

class Linearizer {
 public:
  Linearizer(const mechanism::Mechanism& mechanism, const model::AnalysisSettings& settings);

  // At a pose on the constraints; velocities count as zero. `damping`: C too.
  Linearization at(const State& state, bool damping);
  // The first part of it: N, force, λ and load.
  Linearization forces_at(const State& state);
  // Nᵀ ∂Q/∂u, a column an input of the model. Inputs only push: formulas of drivers and joints cannot name them.
  Matrix input_forces(const State& state, const Matrix& N);
  double speed() const;  // small, for derivatives by velocities along N

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

// S473, for a linearisation whose mass matrix is not positive definite.
SolveReport no_mass(const mechanism::Mechanism& mechanism, const State& state, const Linearization& at);

}  // namespace mortise::analysis
