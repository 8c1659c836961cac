// Inverse dynamics along a motion: `DRIVER.effort` and all reactions at every frame (analysis/efforts.h).
//
// Where joints and drivers dictate the whole motion it is that of kinematics, exact; where freedoms are left they move
// as dynamics says, with the drivers as constraints, and the efforts are found at the frames of that run.
#pragma once

#include "mortise/analysis/dynamics.h"

namespace mortise::analysis {

struct InverseDynamicsResult : DynamicsResult {
  bool driven = true;   // by joints and drivers alone
  int free_shares = 0;  // the most combinations of efforts at a frame that move nothing: shares follow the weights
};

InverseDynamicsResult run_inverse_dynamics(const mechanism::Mechanism& mechanism, const DynamicsOptions& options);

}  // namespace mortise::analysis
