// Named quantities: the same names in formulas of forces, `probe`, CSV, plots and output lists.
//
//   BODY.x .y .z, planar BODY.angle, spatial BODY.qw .qx .qy .qz, BODY.vx … .wz, BODY.ax … .alphaz
//   BODY.POINT.x … .vx … .ax …                       a named point (or frame origin) on a body
//   JOINT.reaction.fx … .tz                          on the second body at its joint point, world axes
//   JOINT.reaction.first.fx …                        on the first body at its joint point, world axes
//   JOINT.reaction.local.fx …, .local.first.fx …     the same in the joint frame's axes
//   JOINT.angle .rate, JOINT.displacement .speed     the joint's own coordinate and how fast it changes
//   JOINT.distance
//   DRIVER.effort                                    its force or torque along what it drives
//   FORCE.force .torque                              along its line or axis, else the length of the vector
//   FORCE.fx … .tz                                   on the second body (or the body), world axes
//   FORCE.power                                      given to the bodies
//   SPRING.length .rate and the like                 what the force measures
//   input.NAME
//   EVENT.state                                      what the event remembers: docs/events.md
//   energy.kinetic .potential .total .dissipated .applied .constraint_work .balance
//   constraint.position .velocity .acceleration      scaled norms
//   t
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mortise/mechanism/mechanism.h"

namespace mortise::mechanism {

struct Quantity {
  // What it is computed from: the state alone; the energy stored in forces; a force; accelerations or multipliers; how
  // well the run went.
  enum class Source { state, potential, force, solution, errors };

  std::string name, unit;
  Source source = Source::state;
  int force = -1;       // of Source::force
  int constraint = -1;  // whose reaction it is
  std::function<double(const Instant&)> value;
};

// How items are found by their names: −1 for none.
struct NameLookup {
  std::function<int(const std::string&)> body, constraint, force;
};

// Throws ModelError (M160) with the nearest name when there is no such quantity.
Quantity find_quantity(const Mechanism& mechanism, const std::string& name, const Place& place = {});
Quantity find_quantity(const Mechanism& mechanism, const NameLookup& lookup, const std::string& name,
                       const Place& place);
// Every name, for completion and nearest-name hints.
std::vector<std::string> quantity_names(const Mechanism& mechanism);

}  // namespace mortise::mechanism
