// A force at a point of a body, given by formulas (of time and of quantities) in world or body axes.
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

struct PointForce2 {
  static constexpr int dimension = 2;
  bool in_body = false;
  template <class T, class F>
  void operator()(const Frame2<T>&, const Frame2<T>& b, const F& f, Load<2, T>& out) const {
    const Vec2<T> value(f(0), f(1));
    out.force = in_body ? Vec2<T>(value.x() * b.x + value.y() * perp(b.x)) : value;
    out.applied = out.force.dot(b.v);
  }
  bool like(const PointForce2& other) const { return in_body == other.in_body; }
  template <class Get>
  PointForce2 in_lanes(const Get&) const {
    return *this;
  }
};

struct PointForce3 {
  static constexpr int dimension = 3;
  bool in_body = false;
  template <class T, class F>
  void operator()(const Frame3<T>&, const Frame3<T>& b, const F& f, Load<3, T>& out) const {
    const Vec3<T> value(f(0), f(1), f(2));
    out.force = in_body ? Vec3<T>(b.E * value) : value;
    out.applied = out.force.dot(b.v);
  }
  bool like(const PointForce3& other) const { return in_body == other.in_body; }
  template <class Get>
  PointForce3 in_lanes(const Get&) const {
    return *this;
  }
};

void build_point_force(const ItemCopy& item, Builder& builder) {
  const Anchor b = builder.anchor(item.attachment("body"));
  if (b.body == ground) Builder::fail("M149", "a force on the ground moves nothing", item.place("body"));
  const bool in_body = item.text("in", "world") == "body";
  const auto value = item.formulas("value");
  if (builder.planar())
    builder.add_force(item, PointForce2{in_body}, Anchor{}, b, value, item.place("value"));
  else
    builder.add_force(item, PointForce3{in_body}, Anchor{}, b, value, item.place("value"));
}

}  // namespace

Part point_force() {
  using model::FieldKind;
  return {
      {model::Section::force,
       "force",
       {},
       "a force at a point, as formulas",
       true,
       true,
       {{"body", FieldKind::attachment, true, "", "", "body, or a named point or frame on it", {}},
        {"value", FieldKind::function_vector, true, "", "N", "components, formulas of t and of quantities", {}},
        {"in", FieldKind::choice, false, "world", "", "axes of the components", {"world", "body"}}},
       0,
       0},
      build_point_force,
      {R"(
F at the point, in world axes or in the body's (`in: body`): components as formulas of t and of quantities
)",
       R"(The components may use `t` and every named quantity (`puck.vx`, `A.angle`, `A.reaction.fx`, `spring.force`, `input.u`);
reactions and accelerations are found together with the force. `in: body` means the axes of the named frame, where one
is named. The power of the force counts as applied energy.)",
       R"(
mortise: 1
dimension: planar
bodies:
  puck: {mass: 1, inertia: 0.1, at: [0, 0], points: {edge: [0, 0.3]}}
forces:
  push: {type: force, body: puck.edge, value: [cos(t) - 0.2*puck.vx, 0.3]}
analysis: {until: 3}
)"}};
}

}  // namespace mortise::mechanism
