// Statics: a pose at which all forces balance on the constraints,
//
//     φ(q) = 0,    Nᵀ Q(q) = 0      (t = 0, v = 0, drivers held where they are),
//
// found by Newton's method with the exact tangent (analysis/linearize.h: constraint curvature, follower loads). Where
// the tangent is not positive definite it is shifted until it is, so that every step goes with the forces, as a slow,
// overdamped motion would: from a pose out of balance the search ends at an equilibrium that is stable, or runs away
// where there is none. Steps are shortened where the forces at their end push back harder than those at the beginning
// pushed.
//
// Motions without stiffness and without force are free: they stay as they are and are reported in words. A pose that is
// in balance already is kept, stable or not, and the report says which.
// Cost: a linearisation a step; Newton's last steps are quadratic.
#pragma once

#include "mortise/analysis/assemble.h"
#include "mortise/analysis/linearize.h"
#include "mortise/analysis/observe.h"

namespace mortise::analysis {

struct StaticsResult {
  enum class Stability { stable, neutral, unstable };
  AssemblyReport assembly;
  State state;  // at rest
  Frame frame;  // with reactions and quantities
  int iterations = 0;
  double unbalanced = 0;  // the largest force left, as a share of the largest load
  double last_step = 0;   // [m], turns times L
  Stability stability = Stability::stable;
  std::vector<std::string> free;      // motions without stiffness
  std::vector<std::string> unstable;  // motions that run away when disturbed
  Matrix free_motions;                // n × their number
  int freedoms = 0;
};

// Throws S472 when no equilibrium is found, with what is out of balance in words.
StaticsResult run_statics(const mechanism::Mechanism& mechanism);

}  // namespace mortise::analysis
