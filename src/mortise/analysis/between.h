// The motion between two frames of a result: quintic Hermite interpolation of q from (q, q̇, q̈) at both ends.
//
// The error of q is O(h⁶) and that of the velocities, taken from the derivative of the same polynomial, O(h⁵) in the
// spacing h of the frames. Work done is interpolated with its rates, O(h⁴). The state is then brought to the
// constraints and solved like any other, so that accelerations and reactions belong to it.
#pragma once

#include "mortise/analysis/sink.h"
#include "mortise/mechanism/mechanism.h"
#include "mortise/motion/motion.h"

namespace mortise::analysis {

// first.t ≤ t ≤ second.t; fills `state` (t, q, v, work).
void state_between(const mechanism::Mechanism& mechanism, Motion& motion, const Frame& first, const Frame& second,
                   double t, State& state);

}  // namespace mortise::analysis
