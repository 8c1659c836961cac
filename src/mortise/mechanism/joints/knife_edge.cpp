// Knife edge (skate, sharp wheel): a point of a body may move along its blade but not across it. Nonholonomic:
//
//   n·u = 0,     u = v_b − v_a − ω_a × s,     s = p_b − p_a     (1 row)
//   d/dt:        n·(v̇_b − v̇_a − ω̇_a × s − ω_a × ṡ) + ṅ·u = 0,     ṅ = ω_b × n
//
// n the direction across the blade, carried by the second body as its point p_b is; u the velocity of that point over
// the first body, that is against the material point of the first body which it touches. Both bodies are pushed there,
// so that action and reaction have one line.
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
    const Vec2<T> n = perp(b.x), ndot = b.w * perp(n), s = b.p - a.p, sdot = b.v - a.v;
    separation(out, 0, a, b, n);
    out.a.w[0] -= n.dot(perp(s));
    out.bias[0] += ndot.dot(sdot - a.w * perp(s)) - a.w * n.dot(perp(sdot));
  }
};

struct KnifeEdge3 {
  static constexpr int dimension = 3, rows = 1;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 1> info{{{"across", RowKind::nonholonomic, RowUnit::speed}}};
  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, 1>& out) const {
    const Vec3<T> n = b.E.col(2), ndot = b.w.cross(n), s = b.p - a.p, sdot = b.v - a.v;
    separation(out, 0, a, b, n);
    out.a.w[0] -= s.cross(n);
    out.bias[0] += ndot.dot(sdot - a.w.cross(s)) - n.dot(a.w.cross(sdot));
  }
};

void build_knife_edge(const ItemCopy& item, Builder& builder) {
  const auto [a, b] = builder.joint_anchors(item, builder.planar() ? Builder::Axis::x : Builder::Axis::z);
  if (builder.planar())
    builder.add_constraint(item, KnifeEdge2{}, a, b);
  else
    builder.add_constraint(item, KnifeEdge3{}, a, b);
}

}  // namespace

Part knife_edge() {
  return {
      {model::Section::joint,
       "knife-edge",
       {"skate", "blade"},
       "no velocity across the blade (planar: axis is along it; spatial: axis is across it)",
       true,
       true,
       joint_fields(with_place | with_axis),
       1,
       1},
      build_knife_edge,
      {R"(
n·(v_b − v_a − ω_a × (p_b − p_a)) = 0        row across (nonholonomic);  n: across the blade, carried by the second body
)",
       R"(In the plane `axis` is along the blade, in space it is across it. The point may go along its blade but not sideways
over the first body; it can reach every pose nevertheless.)",
       R"(
mortise: 1
dimension: planar
bodies:
  skate: {mass: 1, inertia: 0.2, at: [0, 0], velocity: [1, 0], angular_velocity: 1, points: {a: [-0.2, 0], b: [0.2, 0]}}
joints:
  blade: {type: knife-edge, between: [ground, skate], at: [0, 0], axis: [1, 0]}
analysis: {until: 3}
)"}};
}

}  // namespace mortise::mechanism
