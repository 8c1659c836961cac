// Coordinates by the two-stage central difference, as a module of its own (CINT): explicit, of second order, without
// numerical damping. It is given the forces of the constraints as a vector; where they come from is not its business.
//
// Stations k lie δ = h/2 apart, and each move from k − 1 to k + 1 uses what is known at k:
//
//     a_k = M⁻¹(Q_k − f_k),   v_{k+1} = v_{k−1} + h a_k,   q_{k+1} = q_{k−1} ⊕ h v_k,
//
// two leapfrog chains, one of them half a step ahead, so that velocities are known where forces need them. Rotations
// are moved by the mid-point rule for Euler parameters in closed form (`System::cayley`): they stay unit quaternions.
//
// Source: specs/nasa-1-staggered.md §2.7-2.8, specs/nasa-5-explicit-implicit.md §2.3-2.4: 004 paper 5 eqs. (9)-(25)
// with the repaired Δ = 1 + h²|ω|²/16. Stable for h·(fastest vibration) < 2 and h·(angular speed) < 2, about 0.8 for
// general tumbling. Cost: a product with M⁻¹; in natural coordinates, where M is that of a tree and nowhere written
// down, a factorisation along the tree or the steps of conjugate gradients that were asked for.
#pragma once

#include <memory>
#include <string>

#include "mortise/gauss/mass_blocks.h"
#include "mortise/gauss/soft_factor.h"
#include "mortise/system/system.h"

namespace mortise::integrate {

class CoordinateStepper {
 public:
  explicit CoordinateStepper(const System& system);

  // Stations k − 1 and k, δ apart.
  void begin(ConstSpan q_before, ConstSpan v_before, ConstSpan q, ConstSpan v, double delta);
  // One chain alone: q at full steps, v (kept as `v_before`) half a step ahead of the q given.
  void begin_one_chain(ConstSpan q, ConstSpan v_ahead, double delta);

  // a = M⁻¹(Q − f) at station k. Returns the velocity block whose mass is not positive definite, −1 when all are.
  int accelerate(const gauss::GaussProblem& problem, const linalg::RankPolicy& policy, ConstSpan Q, ConstSpan f);
  // ½(v_{k−1} + v_{k+1}) = v_{k−1} + δ a: velocities at station k by the chain that is about to move.
  void average(Span v) const;
  // To station k + 1.
  void advance();
  // v_{n+½} = v_{n−½} + h a_n, q_{n+1} = q_n ⊕ h v_{n+½}.
  void advance_one_chain();
  // Another state at station k: a projection moved it.
  void move(ConstSpan q, ConstSpan v);

  const Vector& q() const { return q_; }
  const Vector& v() const { return v_; }
  const Vector& q_before() const { return q_before_; }
  const Vector& v_before() const { return v_before_; }
  const Vector& a() const { return a_; }
  double delta() const { return delta_; }
  // How far the chains have come apart: |v_k − ½(v_{k−1} + v_{k+1})|, each part by its typical size; after `advance`.
  double separation() const { return separation_; }

  void save(Memory& memory, const std::string& prefix) const;
  void load(const Memory& memory, const std::string& prefix);

 private:
  const System& system_;
  gauss::MassBlocks mass_;
  std::unique_ptr<gauss::SoftFactor> tree_;  // where the mass is that of a tree (natural coordinates)
  double delta_ = 0, separation_ = 0;
  Vector q_, v_, q_before_, v_before_, q_next_, v_next_, a_, work_, per_size_;
};

}  // namespace mortise::integrate
