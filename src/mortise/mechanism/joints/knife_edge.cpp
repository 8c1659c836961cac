// Knife edge (skate, sharp wheel): a point of a body may move along its blade but not across it. Nonholonomic:
//
//   n_b·(v_b − v_a) = 0,     d/dt: n_b·(v̇_b − v̇_a) + ṅ_b·(v_b − v_a) = 0,    ṅ_b = ω_b × n_b     (1 row)
//
// n the direction across the blade, carried by the second body; v_a the velocity of the first body's joint point (zero for
// the ground).
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using gauss::RowKind;
using gauss::RowUnit;

struct KnifeEdge2 {
  static constexpr int dimension = 2, rows = 1;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 1> info{{{"across", RowKind::nonholonomic, RowUnit::speed}}};
  template <class T>
  void operator()(const Frame2<T>& a, const Frame2<T>& b, Rows2<T, 1>& out) const {
    const Vec2<T> n = perp(b.x), ndot = b.w * perp(n);
    separation(out, 0, a, b, n);
    out.bias[0] += ndot.dot(b.v - a.v);
  }
};

struct KnifeEdge3 {
  static constexpr int dimension = 3, rows = 1;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 1> info{{{"across", RowKind::nonholonomic, RowUnit::speed}}};
  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, 1>& out) const {
    const Vec3<T> n = b.E.col(2), ndot = b.w.cross(n);
    separation(out, 0, a, b, n);
    out.bias[0] += ndot.dot(b.v - a.v);
  }
};

void build(const ItemCopy& item, Builder& builder) {
  const auto [a, b] = builder.joint_anchors(item, builder.planar() ? Builder::Axis::x : Builder::Axis::z);
  if (builder.planar())
    builder.add_constraint(item, KnifeEdge2{}, a, b);
  else
    builder.add_constraint(item, KnifeEdge3{}, a, b);
}

}  // namespace

Part knife_edge() {
  return {{model::Section::joint, "knife-edge", {"skate", "blade"},
           "no velocity across the blade (planar: axis is along it; spatial: axis is across it)", true, true,
           joint_fields(with_place | with_axis), 1, 1},
          build};
}

}  // namespace mortise::mechanism
