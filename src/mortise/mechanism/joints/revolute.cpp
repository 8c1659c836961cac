// Revolute joint (hinge, pin): the bodies share a point and, in space, an axis.
//
//   planar   p_b − p_a = 0                                        (2 rows)
//   spatial  p_b − p_a = 0,  x_a·z_b = 0,  y_a·z_b = 0            (5 rows), z the axis of either joint frame
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using gauss::RowKind;
using gauss::RowUnit;

struct Revolute2 {
  static constexpr int dimension = 2, rows = 2;
  static constexpr bool driven = false, points_only = true;
  static constexpr std::array<RowInfo, 2> info{{{"x"}, {"y"}}};
  template <class T>
  MORTISE_INLINE void operator()(const Frame2<T>& a, const Frame2<T>& b, Rows2<T, 2>& out) const {
    for (int k = 0; k < 2; ++k) {  // `separation` along the axes of the plane, which the compiler does not see through
      out.phi[k] = b.p[k] - a.p[k];
      out.time[k] = T(0);
      out.bias[k] = b.c[k] - a.c[k];
      out.a.r[k] = {T(k - 1), T(-k)};
      out.b.r[k] = {T(1 - k), T(k)};
    }
    out.a.w = {a.d.y(), -a.d.x()};
    out.b.w = {-b.d.y(), b.d.x()};
  }
};

struct Revolute3 {
  static constexpr int dimension = 3, rows = 5;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 5> info{{{"x"},
                                                {"y"},
                                                {"z"},
                                                {"tilt-x", RowKind::holonomic, RowUnit::angle},
                                                {"tilt-y", RowKind::holonomic, RowUnit::angle}}};
  template <class T>
  MORTISE_INLINE void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, 5>& out) const {
    for (int k = 0; k < 3; ++k) separation(out, k, a, b, Vec3<T>(Vec3<T>::Unit(k)));
    for (int k = 0; k < 2; ++k) perpendicular(out, 3 + k, a, b, Vec3<T>(a.E.col(k)), Vec3<T>(b.E.col(2)));
  }
};

void build_revolute(const ItemCopy& item, Builder& builder) {
  // In the plane the joint angle is that of the second body against the first, so the frames keep the bodies' angles.
  const auto [a, b] = builder.joint_anchors(item, builder.planar() ? Builder::Axis::none : Builder::Axis::z);
  if (builder.planar())
    builder.add_constraint(item, Revolute2{}, a, b, {.angle = true});
  else
    builder.add_constraint(item, Revolute3{}, a, b, {.angle = true});
}

}  // namespace

Part revolute() {
  return {
      {model::Section::joint,
       "revolute",
       {"hinge", "pin"},
       "a hinge: one rotation about the axis",
       true,
       true,
       joint_fields(with_place | with_axis | with_angle),
       2,
       5},
      build_revolute,
      {R"(
planar    p_b − p_a = 0                                       rows x, y
spatial   p_b − p_a = 0,  x_a·z_b = 0,  y_a·z_b = 0           rows x, y, z, tilt-x, tilt-y;  z: the axis
)",
       R"(The angle is that of the second body against the first, by the right hand about the axis. In the plane it is the
difference of the bodies' angles and counts turns; in space it is zero at the modelled pose and within ±π.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.1, at: [0.5, 0], points: {tip: [0.5, 0]}}
joints:
  hinge: {type: revolute, between: [ground, arm], at: [0, 0]}
analysis: {until: 0.6}
)"}};
}

}  // namespace mortise::mechanism
