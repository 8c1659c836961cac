// Fixed joint (weld): the bodies move as one.
//
//   planar   p_b − p_a = 0,  angle_b − angle_a = 0                       (3 rows)
//   spatial  p_b − p_a = 0,  y_a·z_b = 0,  z_a·x_b = 0,  x_a·y_b = 0     (6 rows)
//
// The spatial rows are also zero when the frames differ by half a turn about an axis; assembly refuses such a flip.
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using gauss::RowKind;
using gauss::RowUnit;

struct Fixed2 {
  static constexpr int dimension = 2, rows = 3;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 3> info{{{"x"}, {"y"}, {"turn", RowKind::holonomic, RowUnit::angle}}};
  template <class T>
  void operator()(const Frame2<T>& a, const Frame2<T>& b, Rows2<T, 3>& out) const {
    separation(out, 0, a, b, Vec2<T>(T(1), T(0)));
    separation(out, 1, a, b, Vec2<T>(T(0), T(1)));
    turn(out, 2, a, b);
  }
};

struct Fixed3 {
  static constexpr int dimension = 3, rows = 6;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 6> info{{{"x"},
                                                {"y"},
                                                {"z"},
                                                {"turn-x", RowKind::holonomic, RowUnit::angle},
                                                {"turn-y", RowKind::holonomic, RowUnit::angle},
                                                {"turn-z", RowKind::holonomic, RowUnit::angle}}};
  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, 6>& out) const {
    for (int k = 0; k < 3; ++k) {
      separation(out, k, a, b, Vec3<T>(Vec3<T>::Unit(k)));
      perpendicular(out, 3 + k, a, b, Vec3<T>(a.E.col((k + 1) % 3)), Vec3<T>(b.E.col((k + 2) % 3)));
    }
  }
};

void build_fixed(const ItemCopy& item, Builder& builder) {
  const auto [a, b] = builder.joint_anchors(item, builder.planar() ? Builder::Axis::x : Builder::Axis::z, false);
  if (builder.planar())
    builder.add_constraint(item, Fixed2{}, a, b);
  else
    builder.add_constraint(item, Fixed3{}, a, b);
}

}  // namespace

Part fixed() {
  return {
      {model::Section::joint,
       "fixed",
       {"weld", "rigid-joint"},
       "a weld: no relative motion",
       true,
       true,
       joint_fields(with_place),
       3,
       6},
      build_fixed,
      {R"(
planar    p_b − p_a = 0,  angle_b − angle_a = 0                        rows x, y, turn
spatial   p_b − p_a = 0,  y_a·z_b = z_a·x_b = x_a·y_b = 0              rows x, y, z, turn-x, turn-y, turn-z
)",
       R"(Holds the pose as modelled; with frames named on both bodies it makes the frames coincide. Without a place the reaction
is reported at the second body's origin.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  beam: {mass: 1, inertia: 0.1, at: [0.5, 0], points: {tip: [0.5, 0]}}
  load: {mass: 3, inertia: 0.1, at: [1, 0]}
joints:
  hinge: {type: revolute, between: [ground, beam], at: [0, 0]}
  weld: {type: fixed, between: [beam, load], at: [1, 0]}
analysis: {until: 0.6}
)"}};
}

}  // namespace mortise::mechanism
