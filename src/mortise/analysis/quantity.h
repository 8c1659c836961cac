// Named quantities: the same names in `probe`, CSV, plots and output lists.
//
//   BODY.x .y .z, planar BODY.angle, spatial BODY.qw .qx .qy .qz, BODY.vx … .wz, BODY.ax … .alphaz
//   BODY.POINT.x … .vx … .ax …                       a named point (or frame origin) on a body
//   JOINT.reaction.fx … .tz                          on the second body at its joint point, world axes
//   JOINT.reaction.first.fx …                        on the first body at its joint point, world axes
//   JOINT.reaction.local.fx …, .local.first.fx …     the same in the joint frame's axes
//   JOINT.angle, JOINT.displacement, JOINT.distance  the joint's own coordinate
//   energy.kinetic .potential .total .dissipated .applied .constraint_work .balance
//   constraint.position .velocity .acceleration      scaled norms
//   t
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mortise/analysis/sink.h"
#include "mortise/mechanism/mechanism.h"

namespace mortise::analysis {

struct Quantity {
  std::string name;
  std::string unit;
  std::function<double(const Frame&, const mechanism::Motions&)> value;
};

// Throws ModelError (M160) with the nearest name when there is no such quantity.
Quantity find_quantity(const mechanism::Mechanism& mechanism, const std::string& name);
// Every name, for completion and nearest-name hints.
std::vector<std::string> quantity_names(const mechanism::Mechanism& mechanism);

}  // namespace mortise::analysis
