// Assembly: from the pose and velocities as modelled to the nearest ones that fulfil all constraints.
//
// Positions: Gauss-Newton on φ(q) = 0 with steps of least kinetic norm (the Jacobian may be singular), shortened where
// a full step would not help. Velocities: those the model states are kept where the constraints allow; the others
// follow with least kinetic energy. Says how far each body moved; never accepts a flip silently; where the constraints
// cannot be met together it names those that stand against one another and by how much (at the best compromise Aᵀφ = 0:
// the rows that stay off are exactly a dependent set).
#pragma once

#include <string>
#include <vector>

#include "mortise/mechanism/mechanism.h"

namespace mortise::analysis {

inline constexpr double met = 1e-12;  // scaled violation below which constraints count as fulfilled

struct BodyMove {
  int body = 0;
  double distance = 0;  // of the user's origin [m]
  double turn = 0;      // [rad]
};

struct AssemblyReport {
  int iterations = 0;
  std::vector<BodyMove> moves;                    // bodies that moved by more than rounding, farthest first
  double largest_velocity_change = 0;             // of what the model states, scaled by the typical speed
  double position_error = 0, velocity_error = 0;  // scaled, afterwards
};

struct AssemblyOptions {
  bool positions = true;
  bool allow_flip = false;
  linalg::RankPolicy rank;
  // Measures moves by kinetic energy; one that does without mass takes motions without it as the joints dictate.
  std::string formulation = "udwadia-kalaba";
};

// Throws SolveError: S431 (exit 5) when the constraints cannot be met together, S432 when a body would have to flip,
// S420 and S423 when the formulation needs mass where there is none.
AssemblyReport assemble(const mechanism::Mechanism& mechanism, State& state, const AssemblyOptions& options);

}  // namespace mortise::analysis
