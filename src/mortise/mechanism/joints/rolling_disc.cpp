// A thin disc that rolls without slip on a plane fixed to the ground.
//
// n: normal of the plane, P: a point of it; u: axis of the disc (carried), p: its centre, ρ: radius. With k = n·u,
// s = √(1 − k²) and e = (n − k u)/s, the direction in the disc's plane that points away from the contact,
//
//   φ = n·(p − P) − ρ s = 0                                  (holonomic: the rim touches the plane)
//   t_i·(v_p − ρ ω×e) = 0,  i = 1, 2                         (nonholonomic: the touching point of the disc is at rest)
//
// with t_1, t_2 fixed in the plane. A disc lying flat (s = 0) has no contact point: that pose is refused as not finite.
// ė = (ẇ − e (e·ẇ))/s with w = n − k u.
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using gauss::RowKind;
using gauss::RowUnit;

struct RollingDisc3 {
  static constexpr int dimension = 3, rows = 3;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 3> info{{{"touch"},
                                                {"roll-1", RowKind::nonholonomic, RowUnit::speed},
                                                {"roll-2", RowKind::nonholonomic, RowUnit::speed}}};
  double radius = 1;
  bool operator==(const RollingDisc3&) const = default;

  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, 3>& out) const {
    using std::sqrt;
    const T rho(radius);
    const Vec3<T> n = a.E.col(2), u = b.E.col(2);
    const Vec3<T> udot = b.w.cross(u), uddot = b.w.cross(udot);  // without the part of ω̇
    const T k = n.dot(u), kdot = n.dot(udot), kddot = n.dot(uddot);
    const T s = sqrt(T(1) - k * k);
    const Vec3<T> un = u.cross(n);  // k̇ = ω·(u×n)

    separation(out, 0, a, b, n);
    out.phi[0] -= rho * s;
    out.b.w[0] += rho * (k / s) * un;
    out.bias[0] += rho * ((kdot * kdot + k * kddot) / s + k * k * kdot * kdot / (s * s * s));

    const Vec3<T> w = n - k * u, wdot = -kdot * u - k * udot, e = w / s;
    const Vec3<T> edot = (wdot - e * e.dot(wdot)) / s;
    for (int i = 0; i < 2; ++i) {
      const Vec3<T> t = a.E.col(i);
      separation(out, 1 + i, a, b, t);
      out.b.w[1 + i] -= rho * e.cross(t);
      out.bias[1 + i] -= rho * t.dot(b.w.cross(edot));
    }
  }
};

void build_rolling_disc(const ItemCopy& item, Builder& builder) {
  const model::Attachment disc = item.attachment("body");
  const double radius = item.number("radius");
  if (!(radius > 0)) Builder::fail("M147", "the radius must be above zero", item.place("radius"));
  Anchor b = builder.anchor(disc);
  builder.require_orientation(item, b, "body");
  Eigen::Matrix3d axes;
  const Eigen::Vector3d n = item.direction("normal", Eigen::Vector3d::UnitZ());
  Eigen::Vector3d x, y;
  geometry::complete_triad(n, x, y);
  axes << x, y, n;
  const Anchor a = builder.anchor_at(ground, item.vector("at", Eigen::Vector3d::Zero()), axes);
  const Eigen::Vector3d u = item.direction("axis", Eigen::Vector3d::UnitZ());
  geometry::complete_triad(u, x, y);
  axes << x, y, u;
  b.E = axes;  // the axis is given in body axes: it belongs to the disc
  builder.add_constraint(item, RollingDisc3{radius}, a, b);
}

}  // namespace

Part rolling_disc() {
  using model::FieldKind;
  return {
      {model::Section::joint,
       "rolling-disc",
       {"rolling-wheel"},
       "a thin disc rolls without slip on a ground plane",
       false,
       true,
       {{"body", FieldKind::attachment, true, "", "", "the disc, or the named point that is its centre", {}},
        {"radius", FieldKind::number, true, "", "m", "of the disc", {}},
        {"axis", FieldKind::direction, false, "z", "", "of the disc, in body axes", {}},
        {"normal", FieldKind::direction, false, "z", "", "of the plane, in world axes", {}},
        {"at", FieldKind::vector, false, "origin", "m", "a point of the plane", {}},
        {"active", FieldKind::flag, false, "true", "", "false: the joint is there but its rows are off", {}}},
       0,
       3},
      build_rolling_disc,
      {R"(
n·(p − P) − ρ s = 0                     row touch;  s = √(1 − (n·u)²), u: axis of the disc
t_i·(v_p − ρ ω × e) = 0,  i = 1, 2      rows roll-1, roll-2 (nonholonomic);  e: in the disc, away from the contact
)",
       R"(The plane is fixed to the ground. The contact pushes and pulls; a disc lying flat has no contact point and ends the run.)",
       R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  coin: {mass: 0.1, inertia: [2.5e-5, 2.5e-5, 5e-5], at: [0, 0, 0.03], orientation: {rpy: [80 deg, 0, 0]},
         velocity: [0.6, 0, 0], angular_velocity: [0, 20, 0], points: {rim: [0.03, 0, 0]}}
joints:
  floor: {type: rolling-disc, body: coin, radius: 0.03}
analysis: {until: 1}
)"}};
}

}  // namespace mortise::mechanism
