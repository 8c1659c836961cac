// Point on line (pin in a slot): a point of the second body stays on a line carried by the first.
//
//   planar   y_a·(p_b − p_a) = 0                              (1 row), x the line
//   spatial  x_a·(p_b − p_a) = y_a·(p_b − p_a) = 0            (2 rows), z the line
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

struct PointOnLine2 {
  static constexpr int dimension = 2, rows = 1;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 1> info{{{"across"}}};
  template <class T>
  void operator()(const Frame2<T>& a, const Frame2<T>& b, Rows2<T, 1>& out) const {
    separation_along(out, 0, a, b, perp(a.x));
  }
};

struct PointOnLine3 {
  static constexpr int dimension = 3, rows = 2;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 2> info{{{"x"}, {"y"}}};
  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, 2>& out) const {
    for (int k = 0; k < 2; ++k) separation_along(out, k, a, b, Vec3<T>(a.E.col(k)));
  }
};

void build_point_on_line(const ItemCopy& item, Builder& builder) {
  const auto [a, b] = builder.joint_anchors(item, builder.planar() ? Builder::Axis::x : Builder::Axis::z);
  if (builder.planar())
    builder.add_constraint(item, PointOnLine2{}, a, b, {.angle = true, .slides = true});
  else
    builder.add_constraint(item, PointOnLine3{}, a, b, {.slides = true});
}

}  // namespace

Part point_on_line() {
  return {
      {model::Section::joint,
       "point-on-line",
       {"pin-in-slot", "inline", "in-line"},
       "a point of the second body stays on a line of the first (along: axis)",
       true,
       true,
       joint_fields(with_place | with_axis),
       1,
       2},
      build_point_on_line,
      {R"(
planar    y_a·(p_b − p_a) = 0                                 row across;  x: the line
spatial   x_a·(p_b − p_a) = y_a·(p_b − p_a) = 0               rows x, y;  z: the line
)",
       R"(The first body carries the line, the second the point. The displacement is that of the point along the line, from the
first body's point of the joint (without one, where the second body's point is modelled). In the plane the angle of
the second body against the first, from the modelled pose, can be driven and loaded as well. The line has no ends.)",
       R"(
mortise: 1
dimension: planar
bodies:
  crank: {mass: 1, inertia: 0.01, at: [0, 0], angle: 90 deg, points: {pin: [0.3, 0]}}
  arm: {mass: 1, inertia: 0.1, at: [0, -0.6], angle: 90 deg, points: {end: [1.1, 0]}}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0]}
  B: {type: revolute, between: [ground, arm], at: [0, -0.6]}
  slot: {type: point-on-line, between: [arm, crank.pin], axis: [0, 1]}
drivers:
  motor: {type: rotation, joint: A, function: 90 deg + 2*t}
analysis: {until: 2}
)"}};
}

}  // namespace mortise::mechanism
