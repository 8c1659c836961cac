// Impulses: velocities that jump because rows are switched on or hit.
//
//     M (v⁺ − v⁻) + AᵀΛ = 0        P = −AᵀΛ
//     bilateral rows               A v⁺ = −∂φ/∂t
//     unilateral rows              φ̇⁺ ≥ −e φ̇⁻,   −Λ ≥ 0,   one of the two with equality
//     friction of such a row       slip⁺ = 0 while |Λ_t| ≤ µ_s |Λ_n|,   else Λ_t = µ |Λ_n| d
//
// This is Gauss' principle with Q = M v⁻ and b = −∂φ/∂t + target: the formulation of the motion solves it. Which
// unilateral rows take part is found by principal pivoting, the least index first (Murty 1974: finite for independent
// rows); the friction of sliding contacts is affine in their normal impulses, which are found by one small system.
// Where a sliding contact would have to pull (friction wedges it, Painlevé) it jams: it sticks beyond its cone.
// Cost: a factorisation for each set of rows tried. Allocates: it runs at events only.
#pragma once

#include <memory>
#include <vector>

#include "mortise/gauss/formulation.h"
#include "mortise/system/system.h"

namespace mortise::analysis {

struct UnilateralRow {
  int row = 0;
  double target = 0;  // φ̇⁺ is at least this
  // Friction where it is hit; empty: smooth.
  std::vector<int> tangents{};
  double sliding = 0, sticking = 0;  // µ, µ_s
  bool on = true, slides = false;    // of the answer
  bool jams = false;                 // sliding would pull: it sticks beyond its cone
};

struct Impulse {
  Vector v, lambda;     // v⁺, Λ of all rows (friction of sliding contacts included)
  double work = 0;      // ½(v⁺ + v⁻)·P
  double driven = 0;    // of it, by rows that depend on time: Σ Λ ∂φ/∂t
  double residual = 0;  // largest |A v⁺ − target| of a row that is on, over its typical speed
  int worst = -1;       // that row
};

class ImpulseSolver {
 public:
  ImpulseSolver(const System& system, const linalg::RankPolicy& policy);
  // `e`: evaluated at the state, M, A and ∂φ/∂t of all rows that may take part. `on`: bilateral rows.
  // Throws SolveError (S465) when no set of rows fits.
  Impulse solve(double t, const Vector& v, const Evaluation& e, const std::vector<unsigned char>& on,
                std::vector<UnilateralRow>& unilateral);

 private:
  void attempt(double t, const Evaluation& e, const std::vector<unsigned char>& on,
               const std::vector<UnilateralRow>& rows);
  void respond(const Vector& push, const std::vector<UnilateralRow>& rows, const std::vector<int>& sliding);

  const System& system_;
  linalg::RankPolicy policy_;
  std::unique_ptr<gauss::Factor> factor_;
  gauss::GaussProblem problem_;
  gauss::GaussSolution solution_;
  std::vector<Vector> directions_;  // of sliding friction: Aᵀd
  std::vector<Vector> along_;       // d
  Vector momentum_, right_;
};

}  // namespace mortise::analysis
