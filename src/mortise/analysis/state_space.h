// The constrained mechanism as a linear system about a pose at rest, for the design of controllers:
//
//     ẋ = A x + B u,    y = C x + D u,    x = (p, ṗ),
//
// p the displacements along the motions N that all rows leave free (analysis/linearize.h), u the changes of the model's
// inputs, y those of named quantities. Redundant rows change nothing; reactions may be outputs.
//
//     A = [0 I; −M⁻¹K −M⁻¹C],   B = [0; M⁻¹ Nᵀ ∂Q/∂u].
//
// C and D are differences of fourth order of the quantities, taken from whole frames: accelerations and reactions
// follow the displaced state. Cost: that of the linearisation, and 4 frames for each state and input.
#pragma once

#include <string>
#include <vector>

#include "mortise/analysis/statics.h"

namespace mortise::analysis {

struct StateSpace {
  Matrix A, B, C, D;
  Matrix N;                          // velocities of the mechanism = N ṗ, W-orthonormal
  std::vector<std::string> motions;  // the columns of N in words
  std::vector<std::string> inputs, outputs, units;
  Vector u, y;            // their values where it was linearised
  State state;            // there
  double unbalanced = 0;  // the largest force left, as a share of the largest load
};

// About the equilibrium that statics finds from the modelled pose (it may be unstable); `here`: about the modelled pose
// itself, whatever pushes it. No outputs given: all degrees of freedom are seen as p. Throws what statics throws, S473
// where a free motion has no mass, M160 for unknown quantities.
StateSpace state_space(const mechanism::Mechanism& mechanism, const std::vector<std::string>& outputs,
                       bool here = false);

// A script that Octave and MATLAB read: A, B, C, D, and names as cell arrays.
std::string state_space_script(const StateSpace& system);

}  // namespace mortise::analysis
