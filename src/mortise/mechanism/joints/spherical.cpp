// Spherical joint (ball): the bodies share a point.   p_b − p_a = 0   (3 rows)
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

struct Spherical3 {
  static constexpr int dimension = 3, rows = 3;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 3> info{{{"x"}, {"y"}, {"z"}}};
  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, 3>& out) const {
    for (int k = 0; k < 3; ++k) separation(out, k, a, b, Vec3<T>(Vec3<T>::Unit(k)));
  }
};

void build_spherical(const ItemCopy& item, Builder& builder) {
  const auto [a, b] = builder.joint_anchors(item, Builder::Axis::none);
  builder.add_constraint(item, Spherical3{}, a, b);
}

}  // namespace

Part spherical() {
  return {{model::Section::joint,
           "spherical",
           {"ball", "ball-and-socket"},
           "a ball: three rotations about one point",
           false,
           true,
           joint_fields(with_place),
           0,
           3},
          build_spherical,
          {R"(
p_b − p_a = 0        rows x, y, z
)",
           R"(The reaction is a force only; its point is the common one.)",
           R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.01], at: [0.5, 0, 0], angular_velocity: [0, 0, 3], points: {end: [0.5, 0, 0]}}
joints:
  ball: {type: spherical, between: [ground, rod], at: [0, 0, 0]}
analysis: {until: 1}
)"}};
}

}  // namespace mortise::mechanism
