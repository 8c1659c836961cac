// Screw joint: a turn about the axis moves the second body along it, `pitch` a full turn.
//
//   x_a·s = y_a·s = 0,   x_a·z_b = y_a·z_b = 0,   z_a·s − (pitch/2π) θ − c = 0        (5 rows), s = p_b − p_a
//
// z is the axis, θ the angle of the second body about it; c makes the pose as modelled lie on the thread. θ is known up
// to full turns: the last row is compared on the nearest winding of the thread.
#include <cmath>

#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using gauss::RowKind;
using gauss::RowUnit;

struct Screw3 {
  static constexpr int dimension = 3, rows = 5;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 5> info{{{"x"},
                                                {"y"},
                                                {"tilt-x", RowKind::holonomic, RowUnit::angle},
                                                {"tilt-y", RowKind::holonomic, RowUnit::angle},
                                                {"thread"}}};
  double pitch = 0, offset = 0;
  bool operator==(const Screw3&) const = default;

  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, 5>& out) const {
    for (int k = 0; k < 2; ++k) {
      separation_along(out, k, a, b, Vec3<T>(a.E.col(k)));
      perpendicular(out, 2 + k, a, b, Vec3<T>(a.E.col(k)), Vec3<T>(b.E.col(2)));
    }
    Rows3<T, 2> parts;
    separation_along(parts, 0, a, b, Vec3<T>(a.E.col(2)));
    turn(parts, 1, a, b);
    combine(out, 4, T(1), parts, 0, T(-pitch / (2 * M_PI)), parts, 1);
    out.phi[4] = nearest_to_zero(out.phi[4] - T(offset), std::abs(pitch));
  }
};

void build_screw(const ItemCopy& item, Builder& builder) {
  const auto [a, b] = builder.joint_anchors(item, Builder::Axis::z);
  const double pitch = item.number("pitch");
  if (pitch == 0)
    Builder::fail("M157", "the pitch of a screw must not be zero", item.place("pitch"), "use a revolute joint");
  const Eigen::Matrix3d axes = builder.modelled_axes(a), relative = axes.transpose() * builder.modelled_axes(b);
  const double along = axes.col(2).dot(builder.modelled_point(b) - builder.modelled_point(a));
  const double turned = std::atan2(relative(1, 0), relative(0, 0));
  builder.add_constraint(item, Screw3{pitch, along - pitch / (2 * M_PI) * turned}, a, b,
                         {.angle = true, .slides = true});
}

}  // namespace

Part screw() {
  using model::FieldKind;
  return {
      {model::Section::joint,
       "screw",
       {"helical"},
       "turns about the axis and moves along it by the pitch a turn",
       false,
       true,
       joint_fields(
           with_place | with_axis | with_angle,
           {{"pitch", FieldKind::number, true, "", "m", "way along the axis of a full turn; negative: left hand", {}}}),
       0,
       5},
      build_screw,
      {R"(
x_a·s = y_a·s = 0,   x_a·z_b = y_a·z_b = 0        rows x, y, tilt-x, tilt-y;  s = p_b − p_a,  z: the axis
z_a·s − (pitch/2π) θ − c = 0                      row thread;  c from the modelled pose
)",
       R"(θ is the angle of the second body about the axis, by the right hand; a positive pitch is a right-hand thread. θ is
zero at the modelled pose (or `angle`) and known up to full turns: the thread is compared on its nearest winding and
followed over any number of turns. The pitch must not be zero.)",
       R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  nut: {mass: 1, inertia: [0.01, 0.01, 0.01], at: [0, 0, 1], points: {grip: [0.3, 0, 0]}}
joints:
  thread: {type: screw, between: [ground, nut], at: [0, 0, 1], pitch: 0.4}
analysis: {until: 0.8}
)"}};
}

}  // namespace mortise::mechanism
