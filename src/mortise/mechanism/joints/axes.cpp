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
  return {{model::Section::joint,
           "parallel-axes",
           {"parallel"},
           "an axis of the second body stays parallel to one of the first",
           false,
           true,
           joint_fields(with_axis | with_angle),
           0,
           2},
          build_parallel};
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
      build_perpendicular};
}

}  // namespace mortise::mechanism
