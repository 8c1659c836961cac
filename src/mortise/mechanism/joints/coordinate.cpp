// Coordinate joint: one world coordinate of a point of a body (or, in the plane, its angle) has a given value.
//
//   e·p_b − value = 0    or    angle_b − value = 0      (1 row)
#include "mortise/mechanism/measures.h"
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

void build_coordinate(const ItemCopy& item, Builder& builder) {
  const Anchor b = builder.anchor(item.attachment("body"));
  const std::string which = item.text("coordinate");
  if (which == "angle") {
    if (!builder.planar())
      Builder::fail("M146", "a body in space has no single angle", item.place("coordinate"),
                    "hold the angle of a revolute joint with a rotation driver");
    const double modelled = builder.modelled_angle(b);
    builder.add_constraint(item, Held<Turn2>{{}, item.number("value", modelled)}, Anchor{}, b, {.angle = true});
    return;
  }
  const int axis = which[0] - 'x';
  if (builder.planar() && axis == 2)
    Builder::fail("M146", "a planar model has no z coordinate", item.place("coordinate"), "use x, y or angle");
  const double value = item.number("value", builder.modelled_point(b)[axis]);
  if (builder.planar())
    builder.add_constraint(item, Held<Coordinate2>{{axis}, value}, Anchor{}, b, {.length = true});
  else
    builder.add_constraint(item, Held<Coordinate3>{{axis}, value}, Anchor{}, b, {.length = true});
}

}  // namespace

Part coordinate() {
  using model::FieldKind;
  return {
      {model::Section::joint,
       "coordinate",
       {},
       "holds one world coordinate of a point, or a planar angle",
       true,
       true,
       {{"body", FieldKind::attachment, true, "", "", "body, or a named point on it", {}},
        {"coordinate", FieldKind::choice, true, "", "", "which one", {"x", "y", "z", "angle"}},
        {"value", FieldKind::number, false, "as modelled", "m or rad", "value to hold", {}},
        {"active", FieldKind::flag, false, "true", "", "false: the joint is there but its row is off", {}}},
       1,
       1},
      build_coordinate,
      {R"(
e·p_b − value = 0    or    angle_b − value = 0        row coordinate (or turn)
)",
       R"(One world coordinate of a point; planar models may hold the body's angle. Left out, the value is that of the model.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  rod: {mass: 1, inertia: 0.1, at: [0.3, 0.4], angle: 0.9273, points: {foot: [-0.5, 0], top: [0.5, 0]}}
joints:
  floor: {type: coordinate, body: rod.foot, coordinate: y}
  wall: {type: coordinate, body: rod.top, coordinate: x}
analysis: {until: 0.3}
)"}};
}

}  // namespace mortise::mechanism
