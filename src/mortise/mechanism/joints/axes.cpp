// Axis primitives: relations of a direction carried by the first body and one carried by the second.
//
//   parallel-axes        x_a·z_b = y_a·z_b = 0      (2 rows)
//   perpendicular-axes   z_a·z_b = 0                (1 row)
#include <cmath>

#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using gauss::RowKind;
using gauss::RowUnit;

struct ParallelAxes3 {
  static constexpr int dimension = 3, rows = 2;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 2> info{
      {{"tilt-x", RowKind::holonomic, RowUnit::angle}, {"tilt-y", RowKind::holonomic, RowUnit::angle}}};
  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, 2>& out) const {
    for (int k = 0; k < 2; ++k) perpendicular(out, k, a, b, Vec3<T>(a.E.col(k)), Vec3<T>(b.E.col(2)));
  }
};

struct PerpendicularAxes3 {
  static constexpr int dimension = 3, rows = 1;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 1> info{{{"cross", RowKind::holonomic, RowUnit::angle}}};
  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, 1>& out) const {
    perpendicular(out, 0, a, b, Vec3<T>(a.E.col(2)), Vec3<T>(b.E.col(2)));
  }
};

void build_parallel(const ItemCopy& item, Builder& builder) {
  const auto [a, b] = builder.joint_anchors(item, Builder::Axis::z, false);
  builder.add_constraint(item, ParallelAxes3{}, a, b, {.angle = true});
}

void build_perpendicular(const ItemCopy& item, Builder& builder) {
  auto [a, b] = builder.joint_anchors(item, Builder::Axis::none, false);
  const Eigen::Vector3d u = builder.direction(item, "axis", Eigen::Vector3d::UnitZ());
  const Eigen::Vector3d w = builder.direction(item, "axis_second", Eigen::Vector3d::UnitX());
  Eigen::Vector3d x, y;
  for (auto [anchor, z] : {std::pair{&a, u}, std::pair{&b, w}}) {
    geometry::complete_triad(z, x, y);
    Eigen::Matrix3d axes;
    axes << x, y, z;
    anchor->E = builder.anchor_at(anchor->body, Eigen::Vector3d::Zero(), axes).E;
  }
  builder.add_constraint(item, PerpendicularAxes3{}, a, b);
}

}  // namespace

Part parallel_axes() {
  return {
      {model::Section::joint,
       "parallel-axes",
       {"parallel"},
       "an axis of the second body stays parallel to one of the first",
       false,
       true,
       joint_fields(with_axis | with_angle),
       0,
       2},
      build_parallel,
      {R"(
x_a·z_b = y_a·z_b = 0        rows tilt-x, tilt-y;  z: the axis, carried by both bodies
)",
       R"(Holds directions only: the bodies may be anywhere and turn about the axis. The angle is that of the second body about
the axis, by the right hand, zero at the modelled pose (or `angle`) and within ±π. The reaction is a torque across the
axis.)",
       R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [0.5, 0, 0], velocity: [0, 1, 0], angular_velocity: [0, 0, 2],
        points: {tip: [0.5, 0, 0]}}
  tray: {mass: 1, inertia: [0.01, 0.01, 0.02], at: [1, 0, -0.2], velocity: [0, 2, 0],
         points: {hook: [0, 0, 0.2], left: [0, -0.15, 0], right: [0, 0.15, 0]}}
joints:
  A: {type: spherical, between: [ground, arm], at: [0, 0, 0]}
  B: {type: spherical, between: [arm.tip, tray.hook]}
  level: {type: parallel-axes, between: [ground, tray], axis: [0, 0, 1]}
analysis: {until: 0.7}
)"}};
}

Part perpendicular_axes() {
  using model::FieldKind;
  return {
      {model::Section::joint,
       "perpendicular-axes",
       {"perpendicular"},
       "an axis of the second body stays perpendicular to one of the first",
       false,
       true,
       joint_fields(with_axis, {{"axis_second", FieldKind::direction, false, "x", "", "axis of the second body", {}}}),
       0,
       1},
      build_perpendicular,
      {R"(
z_a·z_b = 0        row cross;  z_a: `axis`, carried by the first body,  z_b: `axis_second`, carried by the second
)",
       R"(Holds directions only: the bodies may be anywhere. The reaction is a torque about the common normal z_a × z_b. Two
axes that are modelled at another angle are turned to a right one by the assembly.)",
       R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  swing: {mass: 1, inertia: [0.1, 0.1, 0.05], at: [0, 0.8, -0.6], velocity: [1.6, 0, 0], angular_velocity: [0, 0, -2],
          points: {top: [0, -0.8, 0.6], left: [-0.25, 0, 0], right: [0.25, 0, 0]}}
joints:
  A: {type: spherical, between: [ground, swing], at: [0, 0, 0]}
  level: {type: perpendicular-axes, between: [ground, swing], axis: [0, 0, 1], axis_second: [1, 0, 0]}
analysis: {until: 0.8}
)"}};
}

}  // namespace mortise::mechanism
