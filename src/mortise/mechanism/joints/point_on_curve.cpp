// Point on curve: a point of the second body stays on a curve carried by the first. (Cams, grooves, rails, wires.)
//
//   φ_k = m_k(s)·d = 0,     d = r − c(s),   w(s)·d = 0              (planar 1 row, spatial 2)
//
// r is the point seen from the first body: r = E_aᵀ (p_b − p_a). The curve c and the frame w, m_k along it are those of
// curve.h; the second equation gives s as a function of r. With ' = d/ds, G = w·c' − w'·d and K = m'·d − m·c',
//
//   ṡ = w·ṙ / G,          G s̈ = w·r̈ + β,       β = ṡ² (w''·d − w·c'') + 2 ṡ w'·ḋ,       ḋ = ṙ − c' ṡ
//   φ̇ = n·ṙ,              n = m + (K/G) w       (on the curve: perpendicular to it)
//   φ̈ = n·r̈ + (K/G) β + ṡ² (m''·d − m·c'') + 2 ṡ m'·ḋ
#include <fmt/format.h>

#include <cmath>

#include "mortise/mechanism/curve.h"
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

// Where the point is on the curve, and the terms of its rows that are free of the bodies.
struct Foot {
  Curve::Jet c, w;
  Vector3d d, ddot;
  double G, sdot, beta;
};

Foot find_foot(const Curve& curve, double s, const Vector3d& r, const Vector3d& rdot) {
  Foot f{curve.point(s), curve.along(s), {}, {}, 0, 0, 0};
  f.d = r - f.c.value;
  f.G = f.w.value.dot(f.c.first) - f.w.first.dot(f.d);
  f.sdot = f.w.value.dot(rdot) / f.G;
  f.ddot = rdot - f.c.first * f.sdot;
  f.beta = f.sdot * f.sdot * (f.w.second.dot(f.d) - f.w.value.dot(f.c.second)) + 2 * f.sdot * f.w.first.dot(f.ddot);
  return f;
}

struct Normal {
  Vector3d n;
  double phi, bias;
};

Normal find_normal(const Foot& f, const Curve::Jet& m) {
  const double K = m.first.dot(f.d) - m.value.dot(f.c.first);
  return {m.value + K / f.G * f.w.value, m.value.dot(f.d),
          K / f.G * f.beta + f.sdot * f.sdot * (m.second.dot(f.d) - m.value.dot(f.c.second)) +
              2 * f.sdot * m.first.dot(f.ddot)};
}

struct PointOnCurve2 {
  static constexpr int dimension = 2, rows = 1;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 1> info{{{"normal"}}};
  std::shared_ptr<const Curve> curve;

  void operator()(const Frame2<double>& a, const Frame2<double>& b, Rows2<double, 1>& out) const {
    const Vector2d s = b.p - a.p, sdot = b.v - a.v - a.w * perp(s), y = perp(a.x);
    const Vector3d r(a.x.dot(s), y.dot(s), 0), rdot(a.x.dot(sdot), y.dot(sdot), 0);
    const double foot = curve->foot(r);
    const Normal n = find_normal(find_foot(*curve, foot, r, rdot), curve->normal(0, foot));
    separation_along(out, 0, a, b, Vector2d(n.n.x() * a.x + n.n.y() * y));
    out.phi[0] = n.phi;
    out.bias[0] += n.bias;
  }
};

struct PointOnCurve3 {
  static constexpr int dimension = 3, rows = 2;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 2> info{{{"normal-1"}, {"normal-2"}}};
  std::shared_ptr<const Curve> curve;

  void operator()(const Frame3<double>& a, const Frame3<double>& b, Rows3<double, 2>& out) const {
    const Vector3d s = b.p - a.p, r = a.E.transpose() * s, rdot = a.E.transpose() * (b.v - a.v - a.w.cross(s));
    const double at = curve->foot(r);
    const Foot foot = find_foot(*curve, at, r, rdot);
    for (int k = 0; k < 2; ++k) {
      const Normal n = find_normal(foot, curve->normal(k, at));
      const auto i = static_cast<std::size_t>(k);
      separation_along(out, k, a, b, Vector3d(a.E * n.n));
      out.phi[i] = n.phi;
      out.bias[i] += n.bias;
    }
  }
};

std::shared_ptr<const Curve> read_curve(const ItemCopy& item, const Builder& builder) {
  if (item.has("curve") == item.has("through"))
    Builder::fail("M155", fmt::format("'{}' needs a curve: by formulas or by points", item.name()), item.place(),
                  "give either `curve: [x(s), y(s)]` with `from` and `to`, or `through: [points]`");
  const char* field = item.has("curve") ? "curve" : "through";
  const bool closed = item.flag("closed", false);
  for (const char* end : {"from", "to"})
    if (item.has(end) != item.has("curve"))
      Builder::fail("M155",
                    item.has(end) ? fmt::format("`{}` belongs to formulas, not to points", end)
                                  : fmt::format("the curve has no `{}`", end),
                    item.place(item.has(end) ? end : field), "formulas of s have a range: `from` and `to`");
  try {
    if (item.has("curve"))
      return std::make_shared<const Curve>(item.functions("curve"), item.number("from"), item.number("to"), closed);
    return std::make_shared<const Curve>(item.point_list("through"), builder.planar() ? 2 : 3, closed);
  } catch (const CurveError& e) {
    Builder::fail("M155", e.what(), item.place(field), e.hint);
  }
}

void build_point_on_curve(const ItemCopy& item, Builder& builder) {
  const auto [a, b] = builder.two_points(item);
  builder.require_orientation(item, a, "between");
  const auto curve = read_curve(item, builder);
  if (builder.planar())
    builder.add_constraint(item, PointOnCurve2{curve}, a, b);
  else
    builder.add_constraint(item, PointOnCurve3{curve}, a, b);
}

}  // namespace

Part point_on_curve() {
  using model::FieldKind;
  return {
      {model::Section::joint,
       "point-on-curve",
       {"point-curve", "cam"},
       "a point of the second body stays on a curve of the first",
       true,
       true,
       joint_fields(0, {{"points",
                         FieldKind::points,
                         false,
                         "origins",
                         "m",
                         "the origin of the curve, the point that follows it",
                         {}},
                        {"curve", FieldKind::curve, false, "", "m", "formulas of s, in the axes of the first body", {}},
                        {"from", FieldKind::number, false, "", "m or rad", "s at the beginning", {}},
                        {"to", FieldKind::number, false, "", "m or rad", "s at the end", {}},
                        {"through", FieldKind::point_list, false, "", "m", "or points of the curve: a C2 spline", {}},
                        {"closed", FieldKind::flag, false, "false", "", "true: the end is the beginning", {}}}),
       1,
       2},
      build_point_on_curve,
      {R"(
planar    m(s)·(r − c(s)) = 0                                 row normal
spatial   m_1(s)·(r − c(s)) = m_2(s)·(r − c(s)) = 0           rows normal-1, normal-2
r: the point in the axes of the first body;  m: across the curve;  s: the foot of the point on the curve
)",
       R"(The first body carries the curve: either formulas of s with `from` and `to`, or points with a C² spline through them.
The reaction is across the curve, on both sides of it. The joint finds the piece of the curve that is nearest to the
point, so branches have to keep apart; corners, cusps and crossings are refused. Beyond the ends of an open curve
formulas go on and splines go straight on; a closed curve ends where it begins.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  bead: {type: particle, mass: 1, at: [0, 1]}
joints:
  wire: {type: point-on-curve, between: [ground, bead],
         through: [[0, 1], [0.4, 0.45], [0.9, 0.3], [1.4, 0.6], [1.9, 0.3], [2.4, 0]]}
analysis: {until: 1.1}
)"}};
}

}  // namespace mortise::mechanism
