// Planar joint: the second body slides and turns on a plane of the first.
//
//   z_a·(p_b − p_a) = 0,   x_a·z_b = y_a·z_b = 0        (3 rows), z the normal of the plane
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using gauss::RowKind;
using gauss::RowUnit;

struct Planar3 {
  static constexpr int dimension = 3, rows = 3;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 3> info{
      {{"normal"}, {"tilt-x", RowKind::holonomic, RowUnit::angle}, {"tilt-y", RowKind::holonomic, RowUnit::angle}}};
  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, 3>& out) const {
    separation_along(out, 0, a, b, Vec3<T>(a.E.col(2)));
    for (int k = 0; k < 2; ++k) perpendicular(out, 1 + k, a, b, Vec3<T>(a.E.col(k)), Vec3<T>(b.E.col(2)));
  }
};

void build_planar(const ItemCopy& item, Builder& builder) {
  const auto [a, b] = builder.joint_anchors(item, Builder::Axis::z);
  builder.add_constraint(item, Planar3{}, a, b, {.angle = true});
}

}  // namespace

Part planar_joint() {
  return {
      {model::Section::joint,
       "planar",
       {"plane"},
       "slides on a plane and turns about its normal (axis)",
       false,
       true,
       joint_fields(with_place | with_axis | with_angle),
       0,
       3},
      build_planar,
      {R"(
z_a·(p_b − p_a) = 0,   x_a·z_b = y_a·z_b = 0        rows normal, tilt-x, tilt-y;  z: the axis, normal to the plane
)",
       R"(The plane goes through the joint's point of the first body. The angle is that of the second body about the normal, by
the right hand, zero at the modelled pose (or `angle`) and within ±π. The plane pushes and pulls.)",
       R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  plate: {mass: 1, inertia: [0.02, 0.02, 0.04], at: [0, 0, 0], velocity: [0, 1, 0], angular_velocity: [3, 0, 4],
          orientation: {axis: [0, 1, 0], angle: 0.6435011}, points: {a: [-0.2, 0, 0], b: [0.2, 0, 0]}}
joints:
  slope: {type: planar, between: [ground, plate], at: [0, 0, 0], axis: [3, 0, 4]}
analysis: {until: 0.7}
)"}};
}

}  // namespace mortise::mechanism
