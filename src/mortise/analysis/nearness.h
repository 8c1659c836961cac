// How near a pose is to a singular one, and which joints would become dependent there.
//
// The measure is the smallest pivot that counts in the fronts of the elimination (gauss/fronts.h): rows of length one
// in columns of one typical speed, so it is free of units, and falls linearly towards a pose where the rank falls.
// Cost: two eliminations, O(bodies) for a mechanism of small loops.
#pragma once

#include <vector>

#include "mortise/gauss/fronts.h"
#include "mortise/mechanism/mechanism.h"

namespace mortise::analysis {

struct Nearness {
  double distance = 1;      // the smallest pivot kept; 1: as far as can be
  std::vector<int> joints;  // whose rows are nearly dependent; empty where nothing comes near
};

// `near`: joints are named for distances below it.
Nearness nearness(const mechanism::Mechanism& mechanism, const State& state, const linalg::RankPolicy& policy = {},
                  double near = 0.1);

}  // namespace mortise::analysis
