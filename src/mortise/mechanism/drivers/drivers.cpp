// Drivers: a joint angle, a joint displacement, a distance or a coordinate follows a formula of time exactly.
//
//   value(q) − f(t) = 0,    A v − f'(t) = 0,    A a = −(Ȧ v) + f''(t)      (1 row each)
#include <fmt/format.h>

#include "mortise/mechanism/measures.h"
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using model::FieldKind;
using model::FieldSpec;

const FieldSpec joint_field{"joint", FieldKind::joint, true, "", "", "the joint to drive", {}};
const FieldSpec active_field{"active", FieldKind::flag, false, "true", "", "false: the driver is there but off", {}};

FieldSpec function_field(const char* unit) {
  return {"function", FieldKind::function, true, "", unit, "the value as a formula of t", {}};
}

template <class Measure2, class Measure3>
void add(const ItemCopy& item, Builder& builder, const Anchor& a, const Anchor& b, Measure2 planar, Measure3 spatial,
         Offers offers) {
  const formula::Expression f = item.function("function");
  if (builder.planar())
    builder.add_constraint(item, Driven<Measure2>{planar}, a, b, offers, &f, item.place("function"));
  else
    builder.add_constraint(item, Driven<Measure3>{spatial}, a, b, offers, &f, item.place("function"));
}

void build_rotation(const ItemCopy& item, Builder& builder) {
  const Constraint& joint = builder.joint(item, "joint");
  if (!joint.measures_angle)
    Builder::fail("M148", fmt::format("joint '{}' has no angle to drive", item.text("joint")), item.place("joint"),
                  "revolute and cylindrical joints have one");
  const Anchor a = joint.a, b = joint.b;
  add(item, builder, a, b, Turn2{}, Turn3{}, {.angle = true});
}

void build_translation(const ItemCopy& item, Builder& builder) {
  const Constraint& joint = builder.joint(item, "joint");
  if (!joint.slides)
    Builder::fail("M148", fmt::format("joint '{}' has no displacement to drive", item.text("joint")),
                  item.place("joint"), "prismatic and cylindrical joints have one");
  const Anchor a = joint.a, b = joint.b;
  add(item, builder, a, b, Along2{}, Along3{}, {.length = true, .slides = true});
}

void build_distance(const ItemCopy& item, Builder& builder) {
  const auto [a, b] = builder.two_points(item);
  add(item, builder, a, b, Length2{}, Length3{}, {.length = true});
}

void build_coordinate(const ItemCopy& item, Builder& builder) {
  const Anchor b = builder.anchor(item.attachment("body"));
  const std::string which = item.text("coordinate");
  if (which == "angle") {
    if (!builder.planar())
      Builder::fail("M146", "a body in space has no single angle", item.place("coordinate"),
                    "drive the angle of a revolute joint (type: rotation)");
    const formula::Expression f = item.function("function");
    builder.add_constraint(item, Driven<Turn2>{}, Anchor{}, b, {.angle = true}, &f, item.place("function"));
    return;
  }
  const int axis = which[0] - 'x';
  if (builder.planar() && axis == 2)
    Builder::fail("M146", "a planar model has no z coordinate", item.place("coordinate"), "use x, y or angle");
  add(item, builder, Anchor{}, b, Coordinate2{axis}, Coordinate3{axis}, {.length = true});
}

}  // namespace

Part rotation_driver() {
  return {
      {model::Section::driver,
       "rotation",
       {"angle", "motor"},
       "a joint angle as a function of time",
       true,
       true,
       {joint_field, function_field("rad"), active_field},
       1,
       1},
      build_rotation,
      {R"(
θ(q) − f(t) = 0        row turn
)",
       R"(θ is the joint's angle, of the second body against the first; in space it is compared on the nearest turn, so that f may
count turns. The reaction is the torque of the motor.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.1, at: [0.5, 0], points: {tip: [0.5, 0]}}
joints:
  hinge: {type: revolute, between: [ground, arm], at: [0, 0]}
drivers:
  motor: {type: rotation, joint: hinge, function: 30 deg*sin(2*t)}
analysis: {until: 3}
)"}};
}

Part translation_driver() {
  return {{model::Section::driver,
           "translation",
           {"displacement"},
           "a joint displacement as a function of time",
           true,
           true,
           {joint_field, function_field("m"), active_field},
           1,
           1},
          build_translation,
          {R"(
s(q) − f(t) = 0        row along
)",
           R"(s is the joint's displacement along its axis. The reaction is the force of the actuator.)",
           R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  block: {mass: 1, inertia: 0.1, at: [0, 0], points: {a: [-0.2, 0], b: [0.2, 0]}}
joints:
  guide: {type: prismatic, between: [ground, block], axis: [4, 3]}
drivers:
  cylinder: {type: translation, joint: guide, function: 0.5*sin(2*t)}
analysis: {until: 3}
)"}};
}

Part distance_driver() {
  return {{model::Section::driver,
           "distance",
           {},
           "the distance of two points as a function of time",
           true,
           true,
           {{"between", FieldKind::attachments, true, "", "", "the two bodies, or named points on them", {}},
            {"points", FieldKind::points, false, "origins", "m", "one point per body, in body axes", {}},
            function_field("m"),
            active_field},
           1,
           1},
          build_distance,
          {R"(
|p_b − p_a| − f(t) = 0        row length
)",
           R"(f must stay above zero: two points in one place have no line.)",
           R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  load: {type: particle, mass: 1, at: [0.3, -1]}
drivers:
  winch: {type: distance, between: [ground, load], function: 1.0440307 + 0.3*sin(t)^2}
analysis: {until: 3}
)"}};
}

Part coordinate_driver() {
  return {{model::Section::driver,
           "coordinate",
           {},
           "a world coordinate of a point as a function of time",
           true,
           true,
           {{"body", FieldKind::attachment, true, "", "", "body, or a named point on it", {}},
            {"coordinate", FieldKind::choice, true, "", "", "which one", {"x", "y", "z", "angle"}},
            function_field("m or rad"),
            active_field},
           1,
           1},
          build_coordinate,
          {R"(
e·p_b − f(t) = 0    or    angle_b − f(t) = 0        row coordinate (or turn)
)",
           R"(A world coordinate of a point, or a planar body's angle.)",
           R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  cart: {type: particle, mass: 1, at: [0, 0]}
  bob: {type: particle, mass: 0.2, at: [0, -1]}
joints:
  rail: {type: coordinate, body: cart, coordinate: y}
  rod: {type: distance, between: [cart, bob]}
drivers:
  shaker: {type: coordinate, body: cart, coordinate: x, function: 0.3*sin(2*t)}
analysis: {until: 4}
)"}};
}

}  // namespace mortise::mechanism
