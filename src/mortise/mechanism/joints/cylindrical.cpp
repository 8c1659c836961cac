// Cylindrical joint: translation along and rotation about one axis.
//
//   x_a·(p_b − p_a) = y_a·(p_b − p_a) = 0,   x_a·z_b = y_a·z_b = 0        (4 rows), z the axis
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using gauss::RowKind;
using gauss::RowUnit;

struct Cylindrical3 {
  static constexpr int dimension = 3, rows = 4;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 4> info{
      {{"x"}, {"y"}, {"tilt-x", RowKind::holonomic, RowUnit::angle}, {"tilt-y", RowKind::holonomic, RowUnit::angle}}};
  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, 4>& out) const {
    for (int k = 0; k < 2; ++k) {
      separation_along(out, k, a, b, Vec3<T>(a.E.col(k)));
      perpendicular(out, 2 + k, a, b, Vec3<T>(a.E.col(k)), Vec3<T>(b.E.col(2)));
    }
  }
};

void build_cylindrical(const ItemCopy& item, Builder& builder) {
  const auto [a, b] = builder.joint_anchors(item, Builder::Axis::z);
  builder.add_constraint(item, Cylindrical3{}, a, b, {.angle = true, .slides = true});
}

}  // namespace

Part cylindrical() {
  return {
      {model::Section::joint,
       "cylindrical",
       {},
       "slides along and turns about the axis",
       false,
       true,
       joint_fields(with_place | with_axis | with_angle),
       0,
       4},
      build_cylindrical,
      {R"(
x_a·(p_b − p_a) = y_a·(p_b − p_a) = 0,   x_a·z_b = y_a·z_b = 0        rows x, y, tilt-x, tilt-y;  z: the axis
)",
       R"(Angle by the right hand about the axis (zero at the modelled pose, within ±π), displacement of the second body's point
along the axis, which the first body carries.)",
       R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  sleeve: {mass: 1, inertia: [0.1, 0.1, 0.05], at: [0.3, 0, 1], angular_velocity: [0, 0, 8], points: {pin: [0.3, 0, 0]}}
joints:
  pole: {type: cylindrical, between: [ground, sleeve], at: [0, 0, 0]}
analysis: {until: 0.5}
)"}};
}

}  // namespace mortise::mechanism
