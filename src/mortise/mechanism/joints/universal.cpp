// Universal (Cardan) joint: a cross with one axis in each body.
//
//   p_b − p_a = 0,   u_a·w_b = 0        (4 rows), u the axis on the first body, w that on the second, u ⊥ w
#include <cmath>

#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using gauss::RowKind;
using gauss::RowUnit;

struct Universal3 {
  static constexpr int dimension = 3, rows = 4;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 4> info{{{"x"}, {"y"}, {"z"}, {"cross", RowKind::holonomic, RowUnit::angle}}};
  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, 4>& out) const {
    for (int k = 0; k < 3; ++k) separation(out, k, a, b, Vec3<T>(Vec3<T>::Unit(k)));
    perpendicular(out, 3, a, b, Vec3<T>(a.E.col(2)), Vec3<T>(b.E.col(2)));
  }
};

void build_universal(const ItemCopy& item, Builder& builder) {
  auto [a, b] = builder.joint_anchors(item, Builder::Axis::none);
  const Eigen::Vector3d u = builder.direction(item, "axis", Eigen::Vector3d::UnitZ());
  const Eigen::Vector3d w = builder.direction(item, "axis_second", Eigen::Vector3d::UnitX());
  if (std::abs(u.dot(w)) > 1e-9)
    Builder::fail(
        "M144", "the two axes of a universal joint must be perpendicular", item.place("axis_second"),
        "their angle is " + std::to_string(std::atan2(u.cross(w).norm(), std::abs(u.dot(w))) * 180 / M_PI) + " deg");
  Eigen::Matrix3d axes_a, axes_b;
  axes_a << w, u.cross(w), u;
  axes_b << u, w.cross(u), w;
  a.E = builder.anchor_at(a.body, Eigen::Vector3d::Zero(), axes_a).E;
  b.E = builder.anchor_at(b.body, Eigen::Vector3d::Zero(), axes_b).E;
  builder.add_constraint(item, Universal3{}, a, b);
}

}  // namespace

Part universal() {
  using model::FieldKind;
  return {
      {model::Section::joint,
       "universal",
       {"cardan", "hooke"},
       "a cross: two rotations about perpendicular axes",
       false,
       true,
       joint_fields(with_place | with_axis, {{"axis_second",
                                              FieldKind::direction,
                                              false,
                                              "x",
                                              "",
                                              "axis on the second body, perpendicular to `axis`",
                                              {}}}),
       0,
       4},
      build_universal,
      {R"(
p_b − p_a = 0,   u_a·w_b = 0        rows x, y, z, cross;  u: `axis` on the first body, w: `axis_second` on the second
)",
       R"(The two axes form the cross and stay perpendicular; the shafts they belong to run at unequal speeds when bent
(constant-velocity is the joint without that).)",
       R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.01], at: [0.3, 0.1, -0.4], points: {end: [0.3, 0.1, -0.4]}}
joints:
  cross: {type: universal, between: [ground, rod], at: [0, 0, 0], axis: [1, 0, 0], axis_second: [0, 1, 0]}
analysis: {until: 1}
)"}};
}

}  // namespace mortise::mechanism
