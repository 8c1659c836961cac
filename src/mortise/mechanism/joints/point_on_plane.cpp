// Point on plane: a point of the second body stays in a plane carried by the first.
//
//   n_a·(p_b − p_a) = 0      (1 row), n the joint axis, p_a any point of the plane
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

struct PointOnPlane3 {
  static constexpr int dimension = 3, rows = 1;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 1> info{{{"normal"}}};
  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, 1>& out) const {
    separation_along(out, 0, a, b, Vec3<T>(a.E.col(2)));
  }
};

void build_point_on_plane(const ItemCopy& item, Builder& builder) {
  const auto [a, b] = builder.joint_anchors(item, Builder::Axis::z);
  builder.add_constraint(item, PointOnPlane3{}, a, b);
}

}  // namespace

Part point_on_plane() {
  return {
      {model::Section::joint,
       "point-on-plane",
       {"in-plane"},
       "a point of the second body stays in a plane of the first (normal: axis)",
       false,
       true,
       joint_fields(with_place | with_axis),
       0,
       1},
      build_point_on_plane,
      {R"(
n_a·(p_b − p_a) = 0        row normal;  n: the axis, carried by the first body
)",
       R"(The point of the second body stays in the plane through the first body's point. The reaction is along n.)",
       R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  bead: {type: particle, mass: 1, at: [0, 0, 1], velocity: [0.5, 1, 0]}
joints:
  slope: {type: point-on-plane, between: [ground, bead], at: [0, 0, 1], axis: [1, 0, 1]}
analysis: {until: 0.5}
)"}};
}

}  // namespace mortise::mechanism
