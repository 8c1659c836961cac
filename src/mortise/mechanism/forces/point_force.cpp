// A force at a point of a body, given by formulas (of time and of quantities) in world or body axes.
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

struct PointForce2 {
  static constexpr int dimension = 2;
  bool in_body = false;
  void operator()(const Frame2<double>&, const Frame2<double>& b, const Formulas& f, Load<2>& out) const {
    const Eigen::Vector2d value(f(0), f(1));
    out.force = in_body ? Eigen::Vector2d(value.x() * b.x + value.y() * perp(b.x)) : value;
    out.applied = out.force.dot(b.v);
  }
};

struct PointForce3 {
  static constexpr int dimension = 3;
  bool in_body = false;
  void operator()(const Frame3<double>&, const Frame3<double>& b, const Formulas& f, Load<3>& out) const {
    const Eigen::Vector3d value(f(0), f(1), f(2));
    out.force = in_body ? Eigen::Vector3d(b.E * value) : value;
    out.applied = out.force.dot(b.v);
  }
};

void build(const ItemCopy& item, Builder& builder) {
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
  return {{model::Section::force,
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
          build};
}

}  // namespace mortise::mechanism
