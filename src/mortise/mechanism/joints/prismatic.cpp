// Prismatic joint (slider): one translation along the axis, no rotation.
//
//   planar   y_a·(p_b − p_a) = 0,  angle_b − angle_a = 0                                          (2 rows), x the axis
//   spatial  x_a·(p_b − p_a) = y_a·(p_b − p_a) = 0,  x_a·z_b = y_a·z_b = 0,  x_a·y_b = 0           (5 rows), z the axis
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using gauss::RowKind;
using gauss::RowUnit;

struct Prismatic2 {
  static constexpr int dimension = 2, rows = 2;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 2> info{{{"across"}, {"turn", RowKind::holonomic, RowUnit::angle}}};
  template <class T>
  void operator()(const Frame2<T>& a, const Frame2<T>& b, Rows2<T, 2>& out) const {
    separation_along(out, 0, a, b, perp(a.x));
    turn(out, 1, a, b);
  }
};

struct Prismatic3 {
  static constexpr int dimension = 3, rows = 5;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 5> info{{{"x"},
                                                {"y"},
                                                {"tilt-x", RowKind::holonomic, RowUnit::angle},
                                                {"tilt-y", RowKind::holonomic, RowUnit::angle},
                                                {"turn", RowKind::holonomic, RowUnit::angle}}};
  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, 5>& out) const {
    for (int k = 0; k < 2; ++k) {
      separation_along(out, k, a, b, Vec3<T>(a.E.col(k)));
      perpendicular(out, 2 + k, a, b, Vec3<T>(a.E.col(k)), Vec3<T>(b.E.col(2)));
    }
    perpendicular(out, 4, a, b, Vec3<T>(a.E.col(0)), Vec3<T>(b.E.col(1)));
  }
};

void build_prismatic(const ItemCopy& item, Builder& builder) {
  const auto [a, b] = builder.joint_anchors(item, builder.planar() ? Builder::Axis::x : Builder::Axis::z, false);
  if (builder.planar())
    builder.add_constraint(item, Prismatic2{}, a, b, {.slides = true});
  else
    builder.add_constraint(item, Prismatic3{}, a, b, {.slides = true});
}

}  // namespace

Part prismatic() {
  return {
      {model::Section::joint,
       "prismatic",
       {"slide", "slider", "translational"},
       "a slider: one translation along the axis",
       true,
       true,
       joint_fields(with_place | with_axis),
       2,
       5},
      build_prismatic,
      {R"(
planar    y_a·(p_b − p_a) = 0,  angle_b − angle_a = 0                             rows across, turn;  x: the axis
spatial   x_a·(p_b − p_a) = y_a·(p_b − p_a) = 0,  x_a·z_b = y_a·z_b = x_a·y_b = 0   rows x, y, tilt-x, tilt-y, turn;  z: the axis
)",
       R"(The displacement is that of the second body's point along the axis, which the first body carries; zero where the two
points coincide. Without a place it starts at zero.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  block: {mass: 1, inertia: 0.1, at: [0, 0], points: {a: [-0.2, 0], b: [0.2, 0]}}
joints:
  guide: {type: prismatic, between: [ground, block], axis: [4, -3]}
analysis: {until: 0.7}
)"}};
}

}  // namespace mortise::mechanism
