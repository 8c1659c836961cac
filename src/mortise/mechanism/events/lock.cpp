// Events that fall at a time or where a formula crosses zero: a mark in the ledger, joints switched on, joints switched
// off.
//
//   lock     rows on:  v⁺ is the nearest to v⁻ (in kinetic energy) that the rows allow; φ is held as it is, or as
//   modelled unlock   rows off: nothing jumps
#include <fmt/format.h>

#include <cmath>

#include "mortise/mechanism/event.h"
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using model::FieldKind;
using model::FieldSpec;

void read_trigger(const ItemCopy& item, Event& event) {
  if (item.has("at") == item.has("when"))
    Builder::fail("M460", fmt::format("event '{}' needs either 'at' (a time) or 'when' (a formula)", item.name()),
                  item.place(), "at: 2, or when: crank.angle - 1.5");
  if (item.has("at")) {
    event.at = item.number("at");
    event.every = item.number("every", 0);
    if (item.has("crossing") || item.has("again"))
      Builder::fail("M460", "'crossing' and 'again' go with 'when', not with 'at'", item.place("at"));
    return;
  }
  if (item.has("every"))
    Builder::fail("M460", "'every' goes with 'at'", item.place("every"), "a formula fires again with again: true");
  event.when = item.formulas("when").front();
  const std::string crossing = item.text("crossing", "any");
  event.crossing = crossing == "rising"    ? Event::Crossing::rising
                   : crossing == "falling" ? Event::Crossing::falling
                                           : Event::Crossing::any;
  event.once = !item.flag("again", false);
}

std::vector<FieldSpec> trigger_fields(std::vector<FieldSpec> fields) {
  fields.push_back({"at", FieldKind::number, false, "", "s", "when: a time of the run", {}});
  fields.back().minimum = 0;
  fields.push_back({"every", FieldKind::number, false, "once", "s", "after `at`, again and again", {}});
  fields.back().minimum = 0;
  fields.push_back({"when", FieldKind::function, false, "", "", "or where this formula crosses zero", {}});
  fields.push_back(
      {"crossing", FieldKind::choice, false, "any", "", "the way in which it does", {"any", "rising", "falling"}});
  fields.push_back({"again", FieldKind::flag, false, "false", "", "at every crossing, not only the first", {}});
  return fields;
}

// Rows whose φ may be held at any value: one number a joint, or a driver.
bool holds_anywhere(const Constraint& c) { return c.rows == 1 || c.driver || c.over_several(); }

void build_lock(const ItemCopy& item, Builder& builder) {
  Event& event = builder.add_event(1);
  event.kind = Event::Kind::lock;
  read_trigger(item, event);
  event.here = item.text("hold", "here") == "here";
  for (const std::string& name : item.constraints("joints")) {
    const int index = builder.constraint(name, item.place("joints"));
    const Constraint& c = builder.joint(name, item.place("joints"));
    event.constraints.push_back(index);
    if (!event.here) continue;
    if (!holds_anywhere(c))
      Builder::fail("M461", fmt::format("'{}' has {} rows: it cannot be held wherever it is", name, c.rows),
                    item.place("joints"),
                    "hold: modelled (it closes where its points meet), or lock a coordinate, distance, coupling or "
                    "driver instead");
    builder.hold_here(index);
  }
}

void build_unlock(const ItemCopy& item, Builder& builder) {
  Event& event = builder.add_event(1);
  event.kind = Event::Kind::unlock;
  read_trigger(item, event);
  for (const std::string& name : item.constraints("joints"))
    event.constraints.push_back(builder.constraint(name, item.place("joints")));
}

void build_mark(const ItemCopy& item, Builder& builder) {
  Event& event = builder.add_event(1);
  event.kind = Event::Kind::mark;
  read_trigger(item, event);
}

}  // namespace

Part lock() {
  return {
      {model::Section::event,
       "lock",
       {"engage", "switch-on"},
       "switches joints or drivers on, at a time or where a formula crosses zero",
       true,
       true,
       trigger_fields({{"joints", FieldKind::constraints, true, "", "", "a joint or driver, or a list of them", {}},
                       {"hold",
                        FieldKind::choice,
                        false,
                        "here",
                        "",
                        "the value that their coordinates have then, or that of the model",
                        {"here", "modelled"}}}),
       0,
       0},
      build_lock,
      {R"(
M (v⁺ − v⁻) + AᵀΛ = 0,     A v⁺ = −∂φ/∂t        for all rows that are on, the new ones among them
)",
       R"(The velocities jump to the nearest ones, in kinetic energy, that the rows allow; the work of the impulse is
½(v⁺ + v⁻)·P, P = −AᵀΛ, and goes into the ledger and into `energy.dissipated`. `hold: here` keeps the value of φ that a
row has at this time: joints with one row, couplings and drivers. `hold: modelled` closes the joint as it was modelled;
where its points do not meet at this time the run ends with S463. Rows that are to be off until then have
`active: false`. `EVENT.state` counts how often it has happened.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.083, at: [0.5, 0], points: {tip: [0.5, 0], root: [-0.5, 0]}}
joints:
  hinge: {type: revolute, between: [ground, arm], at: [0, 0]}
drivers:
  brake: {type: rotation, joint: hinge, function: 0, active: false}
events:
  caught: {type: lock, joints: brake, when: arm.tip.y + 0.5, crossing: falling}
analysis: {until: 1}
)"}};
}

Part unlock() {
  return {
      {model::Section::event,
       "unlock",
       {"release", "disengage", "switch-off"},
       "switches joints or drivers off, at a time or where a formula crosses zero",
       true,
       true,
       trigger_fields({{"joints", FieldKind::constraints, true, "", "", "a joint or driver, or a list of them", {}}}),
       0,
       0},
      build_unlock,
      {R"(
rows off: λ = 0 from here on, v⁺ = v⁻
)",
       R"(Nothing jumps. `EVENT.state` counts how often it has happened.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.083, at: [0.5, 0], points: {tip: [0.5, 0], root: [-0.5, 0]}}
joints:
  hinge: {type: revolute, between: [ground, arm], at: [0, 0]}
events:
  let-go: {type: unlock, joints: hinge, at: 0.4}
analysis: {until: 1}
)"}};
}

Part mark() {
  return {
      {model::Section::event,
       "mark",
       {},
       "a line in the ledger, at a time or where a formula crosses zero; nothing changes",
       true,
       true,
       trigger_fields({}),
       0,
       0},
      build_mark,
      {R"(
v⁺ = v⁻
)",
       R"(The time is found as that of every event: on the dense output of the integrator, to rounding of the witness.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.083, at: [0.5, 0], points: {tip: [0.5, 0], root: [-0.5, 0]}}
joints:
  hinge: {type: revolute, between: [ground, arm], at: [0, 0]}
events:
  lowest: {type: mark, when: arm.tip.x, again: true}
analysis: {until: 3}
)"}};
}

}  // namespace mortise::mechanism
