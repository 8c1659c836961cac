// What a motor at a joint would have to do in the place of a row or driver elsewhere: the load that the constraint puts
// on all that lies beyond the joint, seen from the joint,
//
//     F_i = Σ F_b,     T_i = Σ T_b + (x_b − p_i) × F_b        over the bodies b beyond joint i,
//
// with F_b, T_b the force and torque on body b at its centre of mass x_b. The component of T_i along the joint's axis
// (of F_i along a slide) is the motor's: put on the joint, with the reverse on its first body, it moves the mechanism
// as the constraint did. Open chains and trees: where the joint lies on a loop, nothing is beyond it.
//
// Source: specs/nasa-1-staggered.md §3.5 (τ_i = e_i · [(p_tip − p_i) × F], F = −λ_tip). Cost: O(constraints).
#pragma once

#include "mortise/mechanism/mechanism.h"

namespace mortise::analysis {

struct MotorLoad {
  Eigen::Vector3d force = Eigen::Vector3d::Zero(), torque = Eigen::Vector3d::Zero();  // world axes; planar: torque.z
};

// `constraint`, `joint`: numbers of Mechanism::constraints(). Rows that are off (`active`) connect nothing. Throws
// std::invalid_argument where the joint lies on a loop of the others.
MotorLoad equivalent_motor(const mechanism::Mechanism& mechanism, const State& state, ConstSpan lambda, int constraint,
                           int joint);

}  // namespace mortise::analysis
