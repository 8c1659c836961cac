// A torque on a body, given by formulas (of time and of quantities): a number in the plane, components in world or body
// axes in space.
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

struct Torque2 {
  static constexpr int dimension = 2;
  template <class T, class F>
  void operator()(const Frame2<T>&, const Frame2<T>& b, const F& f, Load<2, T>& out) const {
    out.torque = f(0);
    out.applied = out.torque * b.w;
  }
  bool like(const Torque2&) const { return true; }
  template <class Get>
  Torque2 in_lanes(const Get&) const {
    return *this;
  }
};

struct Torque3 {
  static constexpr int dimension = 3;
  bool in_body = false;
  template <class T, class F>
  void operator()(const Frame3<T>&, const Frame3<T>& b, const F& f, Load<3, T>& out) const {
    const Vec3<T> value(f(0), f(1), f(2));
    out.torque = in_body ? Vec3<T>(b.E * value) : value;
    out.applied = out.torque.dot(b.w);
  }
  bool like(const Torque3& other) const { return in_body == other.in_body; }
  template <class Get>
  Torque3 in_lanes(const Get&) const {
    return *this;
  }
};

void build_torque(const ItemCopy& item, Builder& builder) {
  const Anchor b = builder.anchor(item.attachment("body"));
  if (b.body == ground) Builder::fail("M149", "a torque on the ground moves nothing", item.place("body"));
  builder.require_orientation(item, b, "body");
  const auto value = item.formulas("value");
  if (builder.planar())
    builder.add_force(item, Torque2{}, Anchor{}, b, value, item.place("value"));
  else
    builder.add_force(item, Torque3{item.text("in", "world") == "body"}, Anchor{}, b, value, item.place("value"));
}

}  // namespace

Part torque() {
  using model::FieldKind;
  return {
      {model::Section::force,
       "torque",
       {"moment"},
       "a torque on a body, as formulas",
       true,
       true,
       {{"body", FieldKind::attachment, true, "", "", "body, or a named frame on it", {}},
        {"value",
         FieldKind::function_spin,
         true,
         "",
         "N m",
         "planar: a formula of t and of quantities; spatial: three of them",
         {}},
        {"in", FieldKind::choice, false, "world", "", "axes of the components (spatial)", {"world", "body"}}},
       0,
       0},
      build_torque,
      {R"(
T about the z axis (planar), or a vector in world axes or in the body's (spatial): formulas of t and of quantities
)",
       R"(Counter-clockwise is positive, in space by the right hand about each axis. The formulas may use `t` and every named
quantity (`wheel.wz`, `axle.angle`, `axle.reaction.fx`, `input.u`); reactions and accelerations are found together with
the torque. The power of the torque counts as applied energy.)",
       R"(
mortise: 1
dimension: planar
bodies:
  wheel: {mass: 1, inertia: 0.1, at: [0, 0], points: {a: [0.3, 0], b: [0, 0.3]}}
joints:
  axle: {type: revolute, between: [ground, wheel], at: [0, 0]}
forces:
  motor: {type: torque, body: wheel, value: 0.1*(2 - axle.rate)}
analysis: {until: 2}
)"}};
}

}  // namespace mortise::mechanism
