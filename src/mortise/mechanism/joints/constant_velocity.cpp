// Constant-velocity joint (Rzeppa, double Cardan): two shafts that meet in a point at any angle and turn alike.
//
//   p_b − p_a = 0,   ½ (y_a·x_b − x_a·y_b) = 0        (4 rows), z_a and z_b the axes of the shafts
//
// Let C be the rotation of frame b against frame a. C_21 − C_12 = 2 sin β n_z for a turn by β about n: the row says
// that n is perpendicular to the shaft, so C only bends the one axis into the other. Where it holds its gradient in the
// relative angular velocity is ½ (z_a + z_b) (computed: y_a×x_b − x_a×y_b = −(z_a + z_b)), so the relative rotation has
// its axis in the plane that bisects the shafts. With ω_a = Ω_a z_a and ω_b = Ω_b z_b in fixed bearings,
// (Ω_b − Ω_a)(1 + cos β) = 0: the ratio is 1 at every bend but a right-about turn.
#include <cmath>

#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using gauss::RowKind;
using gauss::RowUnit;

struct ConstantVelocity3 {
  static constexpr int dimension = 3, rows = 4;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 4> info{{{"x"}, {"y"}, {"z"}, {"twist", RowKind::holonomic, RowUnit::angle}}};
  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, 4>& out) const {
    for (int k = 0; k < 3; ++k) separation(out, k, a, b, Vec3<T>(Vec3<T>::Unit(k)));
    Rows3<T, 2> dots;
    perpendicular(dots, 0, a, b, Vec3<T>(a.E.col(1)), Vec3<T>(b.E.col(0)));
    perpendicular(dots, 1, a, b, Vec3<T>(a.E.col(0)), Vec3<T>(b.E.col(1)));
    combine(out, 3, T(0.5), dots, 0, T(-0.5), dots, 1);
  }
};

void build_constant_velocity(const ItemCopy& item, Builder& builder) {
  auto [a, b] = builder.joint_anchors(item, Builder::Axis::none);
  const Eigen::Vector3d u = builder.direction(item, "axis", Eigen::Vector3d::UnitZ());
  const Eigen::Vector3d w = builder.direction(item, "axis_second", u);
  if (u.dot(w) < -0.999)
    Builder::fail("M152", "the shafts of a constant-velocity joint point against one another",
                  item.place("axis_second"), "both axes point the same way along the line of shafts: reverse one");
  // The second frame is the first one bent along the shortest way.
  Eigen::Vector3d x, y;
  geometry::complete_triad(u, x, y);
  Eigen::Matrix3d axes;
  axes << x, y, u;
  const Eigen::Matrix3d bent = Eigen::Quaterniond::FromTwoVectors(u, w).toRotationMatrix() * axes;
  a.E = builder.anchor_at(a.body, Eigen::Vector3d::Zero(), axes).E;
  b.E = builder.anchor_at(b.body, Eigen::Vector3d::Zero(), bent).E;
  builder.add_constraint(item, ConstantVelocity3{}, a, b);
}

}  // namespace

Part constant_velocity() {
  using model::FieldKind;
  return {
      {model::Section::joint,
       "constant-velocity",
       {"homokinetic", "cv"},
       "two shafts meet in a point at any angle and turn alike",
       false,
       true,
       joint_fields(with_place | with_axis,
                    {{"axis_second", FieldKind::direction, false, "as axis", "", "of the second shaft", {}}}),
       0,
       4},
      build_constant_velocity,
      {R"(
p_b − p_a = 0                        rows x, y, z
½ (y_a·x_b − x_a·y_b) = 0            row twist;  z_a, z_b: the axes of the shafts
)",
       R"(Both axes point the same way along the line of shafts; the second frame is the first one bent along the shortest way,
so that the modelled pose always meets the row. In fixed bearings (Ω_b − Ω_a)(1 + cos β) = 0 at the bend β: both
shafts turn alike at every bend but β = π, which is refused. The bend itself is free: bearings hold it.)",
       R"(
mortise: 1
dimension: spatial
bodies:
  front: {mass: 1, inertia: [0.01, 0.02, 0.02], at: [-0.5, 0, 0], points: {mark: [0, 0, 0.2]}}
  rear: {mass: 1, inertia: [0.02, 0.02, 0.02], at: [0.4, 0.3, 0], points: {mark: [0, 0, 0.2]}}
joints:
  A: {type: revolute, between: [ground, front], at: [-0.5, 0, 0], axis: [1, 0, 0]}
  B: {type: revolute, between: [ground, rear], at: [0.4, 0.3, 0], axis: [4, 3, 0]}
  bend: {type: constant-velocity, between: [front, rear], at: [0, 0, 0], axis: [1, 0, 0], axis_second: [4, 3, 0]}
drivers:
  motor: {type: rotation, joint: A, function: t^2}
analysis: {until: 1.3}
)"}};
}

}  // namespace mortise::mechanism
