// A joint that breaks: off for good where the force or the torque of its reaction exceeds a limit.
#include <fmt/format.h>

#include "mortise/mechanism/event.h"
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

void build_break(const ItemCopy& item, Builder& builder) {
  Event& event = builder.add_event(1);
  event.kind = Event::Kind::breaks;
  for (const std::string& name : item.constraints("joints"))
    event.constraints.push_back(builder.constraint(name, item.place("joints")));
  event.force = item.number("force", 0);
  event.torque = item.number("torque", 0);
  if (event.force <= 0 && event.torque <= 0)
    Builder::fail("M462", fmt::format("event '{}' needs a limit above zero: 'force' or 'torque'", item.name()),
                  item.place(item.has("force") ? "force" : "torque"));
}

}  // namespace

Part breaks() {
  using model::FieldKind;
  std::vector<model::FieldSpec> fields{
      {"joints", FieldKind::constraints, true, "", "", "they break together when the first of them does", {}},
      {"force", FieldKind::number, false, "none", "N", "limit of the reaction force", {}},
      {"torque", FieldKind::number, false, "none", "N m", "limit of the reaction torque", {}}};
  fields[1].minimum = fields[2].minimum = 0;
  return {
      {model::Section::event,
       "break",
       {"fuse", "rupture"},
       "switches joints or drivers off for good where their reaction exceeds a limit",
       true,
       true,
       fields,
       0,
       0},
      build_break,
      {R"(
|F| ≤ force and |τ| ≤ torque hold until the joint breaks; then λ = 0 for good
)",
       R"(F and τ are the reaction on the second body at the joint's point, as in `JOINT.reaction`. Impulses of impacts and
locks do not count. Where reactions are not unique (redundant joints) those of the run are looked at.
`EVENT.state` is 1 when it has broken.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  bob: {mass: 1, inertia: 0.01, at: [1, 0], points: {hook: [-1, 0]}}
joints:
  rope: {type: revolute, between: [ground, bob], at: [0, 0]}
events:
  snap: {type: break, joints: rope, force: 20}
analysis: {until: 1}
)"}};
}

}  // namespace mortise::mechanism
