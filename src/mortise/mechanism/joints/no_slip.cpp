// Two wheels that touch and do not slip: friction wheels, belts without stretch. Nonholonomic:
//
//   τ·U = 0,   U = ṡ − (κ ω_a + (1−κ) ω_b) × s,   s = p_b − p_a,   τ = (u × s)/D        (1 row)
//   d/dt:      τ·(s̈ − (κ α_a + (1−κ) α_b) × s − W × ṡ) + τ̇·U = 0,   W = κ ω_a + (1−κ) ω_b
//
// p: the centres, u: the axis (carried by the first wheel), ρ: the radii. The wheels touch at c = p_a + κ s on the line
// of centres, κ = ρ_a/(ρ_a + ρ_b), and U is the velocity of the second wheel over the first there; τ is across that
// line, of length 1 when the distance is D = ρ_a + ρ_b. A distance that varies (springs, tyres) shares itself between
// the wheels in the ratio of the radii. Internal (one inside the other): κ = ρ_a/(ρ_a − ρ_b), D = |ρ_a − ρ_b|.
#include <cmath>

#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using gauss::RowKind;
using gauss::RowUnit;

struct NoSlip2 {
  static constexpr int dimension = 2, rows = 1;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 1> info{{{"slip", RowKind::nonholonomic, RowUnit::speed}}};
  double share = 0.5, distance = 1;  // κ, D
  bool operator==(const NoSlip2&) const = default;
  template <class T>
  void operator()(const Frame2<T>& a, const Frame2<T>& b, Rows2<T, 1>& out) const {
    const T k(share), d(distance);
    const Vec2<T> s = b.p - a.p, sdot = b.v - a.v, tau = perp(s) / d;
    const T W = k * a.w + (T(1) - k) * b.w;
    separation(out, 0, a, b, tau);
    out.a.w[0] -= k * s.dot(s) / d;
    out.b.w[0] -= (T(1) - k) * s.dot(s) / d;
    // τ̇·U = −W s·ṡ/D, and so is −τ·(W × ṡ).
    out.bias[0] -= T(2) * W * s.dot(sdot) / d;
  }
};

struct NoSlip3 {
  static constexpr int dimension = 3, rows = 1;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 1> info{{{"slip", RowKind::nonholonomic, RowUnit::speed}}};
  double share = 0.5, distance = 1;
  bool operator==(const NoSlip3&) const = default;
  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, 1>& out) const {
    const T k(share), d(distance);
    const Vec3<T> u = a.E.col(2), udot = a.w.cross(u);
    const Vec3<T> s = b.p - a.p, sdot = b.v - a.v, W = k * a.w + (T(1) - k) * b.w, U = sdot - W.cross(s);
    const Vec3<T> tau = u.cross(s) / d, taudot = (udot.cross(s) + u.cross(sdot)) / d;
    separation(out, 0, a, b, tau);
    const Vec3<T> arm = s.cross(tau);
    out.a.w[0] -= k * arm;
    out.b.w[0] -= (T(1) - k) * arm;
    out.bias[0] += taudot.dot(U) - tau.dot(W.cross(sdot));
  }
};

void build_no_slip(const ItemCopy& item, Builder& builder) {
  auto [a, b] = builder.two_points(item);
  builder.require_orientation(item, a, "between");
  builder.require_orientation(item, b, "between");
  const auto radii = item.pair("radii");
  for (const double radius : radii)
    if (!(radius > 0)) Builder::fail("M147", "the radii must be above zero", item.place("radii"));
  const bool internal = item.flag("internal", false);
  if (internal && radii[0] == radii[1])
    Builder::fail("M147", "a wheel inside another one needs a smaller radius", item.place("radii"));
  const double sum = internal ? radii[0] - radii[1] : radii[0] + radii[1];
  const double share = radii[0] / sum;
  if (builder.planar()) {
    builder.add_constraint(item, NoSlip2{share, std::abs(sum)}, a, b);
    return;
  }
  Eigen::Vector3d x, y;
  const Eigen::Vector3d u = builder.direction(item, "axis", Eigen::Vector3d::UnitZ());
  geometry::complete_triad(u, x, y);
  Eigen::Matrix3d axes;
  axes << x, y, u;
  for (Anchor* anchor : {&a, &b}) anchor->E = builder.anchor_at(anchor->body, Eigen::Vector3d::Zero(), axes).E;
  builder.add_constraint(item, NoSlip3{share, std::abs(sum)}, a, b);
}

}  // namespace

Part no_slip() {
  using model::FieldKind;
  model::FieldSpec axis{"axis", FieldKind::direction, false, "z", "", "of both wheels, a world direction at t = 0", {}};
  axis.planar = false;
  return {
      {model::Section::joint,
       "no-slip",
       {"friction-wheels"},
       "two wheels with parallel axes roll on one another without slip",
       true,
       true,
       {{"between", FieldKind::attachments, true, "", "", "the wheels, or the points that are their centres", {}},
        {"points", FieldKind::points, false, "origins", "m", "the centres, one per body, in body axes", {}},
        {"radii", FieldKind::pair, true, "", "m", "of the two wheels", {}},
        {"internal", FieldKind::flag, false, "false", "", "true: the smaller one rolls inside the other", {}},
        axis,
        {"active", FieldKind::flag, false, "true", "", "false: the joint is there but its row is off", {}}},
       1,
       1},
      build_no_slip,
      {R"(
τ·(ṡ − (κ ω_a + (1 − κ) ω_b) × s) = 0        row slip (nonholonomic);  s = p_b − p_a
τ = (u × s)/D,   κ = ρ_a/(ρ_a + ρ_b),   D = ρ_a + ρ_b;   internal: κ = ρ_a/(ρ_a − ρ_b),  D = |ρ_a − ρ_b|
)",
       R"(u is the axis, carried by the first wheel; in the plane z. The wheels touch on the line of their centres, which this
joint does not hold at a distance: bearings, springs or a `distance` do. When the distance varies, the point of
contact divides it in the ratio of the radii. The reaction is a force across the line of centres, at the contact.)",
       R"(
mortise: 1
dimension: planar
bodies:
  small: {mass: 1, inertia: 0.02, at: [0, 0], points: {mark: [0.2, 0]}}
  large: {mass: 2, inertia: 0.1, at: [0.6, 0], points: {mark: [-0.4, 0]}}
joints:
  A: {type: revolute, between: [ground, small], at: [0, 0]}
  B: {type: revolute, between: [ground, large], at: [0.6, 0]}
  contact: {type: no-slip, between: [small, large], radii: [0.2, 0.4]}
forces:
  motor: {type: torque, body: small, value: 0.1}
analysis: {until: 1.6}
)"}};
}

}  // namespace mortise::mechanism
