// A sphere that rolls without slip on a plane, which another body may carry, free or along a track on that plane.
//
// n, t_1, t_2: normal and axes of the plane, P a point of it (frame a); p: centre of the sphere (frame b), s = p − P,
// ρ: radius. The touching point is c = p − ρ n, and U the velocity of the sphere over the plane there:
//
//   φ = n·s − ρ = 0                                                          (touch, holonomic)
//   t_i·U = 0,   U = ṡ − ω_a × s − ρ (ω_b − ω_a) × n,   i = 1, 2             (rolling, nonholonomic)
//   d/dt:  t·(s̈ − α_a × s − ω_a × ṡ − ρ (α_b − α_a) × n − ρ (ω_b − ω_a) × ṅ) + ṫ·U = 0
//   φ = y − f(x),   x = t_1·s,  y = t_2·s                                    (track, holonomic)
//   φ̈ = ÿ − f' ẍ − f'' ẋ²
//
// The sphere may turn about the normal; its centre of mass may be anywhere in it. Source of the track:
// specs/nasa-5-explicit-implicit.md §4.1 (ball on a plane, guided along y = sin x).
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using gauss::RowKind;
using gauss::RowUnit;

// Rows 0 … 2: touch and rolling.
template <int N>
void roll_sphere(double radius, const Frame3<double>& a, const Frame3<double>& b, Rows3<double, N>& out) {
  using Vec = Vec3<double>;
  const Vec n = a.E.col(2), ndot = a.w.cross(n), s = b.p - a.p, sdot = b.v - a.v, spin = b.w - a.w;
  const Vec U = sdot - a.w.cross(s) - radius * spin.cross(n);
  separation_along(out, 0, a, b, n);
  out.phi[0] -= radius;
  for (int i = 0; i < 2; ++i) {
    const auto k = static_cast<std::size_t>(1 + i);
    const Vec t = a.E.col(i), arm = radius * n.cross(t);  // ρ t·(α × n) = α·(ρ n × t)
    separation(out, 1 + i, a, b, t);
    out.a.w[k] += arm - s.cross(t);
    out.b.w[k] -= arm;
    out.bias[k] += a.w.cross(t).dot(U) - t.dot(a.w.cross(sdot)) - radius * t.dot(spin.cross(ndot));
  }
}

struct RollingSphere3 {
  static constexpr int dimension = 3, rows = 3;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 3> info{{{"touch"},
                                                {"roll-1", RowKind::nonholonomic, RowUnit::speed},
                                                {"roll-2", RowKind::nonholonomic, RowUnit::speed}}};
  double radius = 1;
  void operator()(const Frame3<double>& a, const Frame3<double>& b, Rows3<double, 3>& out) const {
    roll_sphere(radius, a, b, out);
  }
};

struct RollingSphereTrack3 {
  static constexpr int dimension = 3, rows = 4;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 4> info{{{"touch"},
                                                {"roll-1", RowKind::nonholonomic, RowUnit::speed},
                                                {"roll-2", RowKind::nonholonomic, RowUnit::speed},
                                                {"track"}}};
  double radius = 1;
  formula::Expression track;
  void operator()(const Frame3<double>& a, const Frame3<double>& b, Rows3<double, 4>& out) const {
    roll_sphere(radius, a, b, out);
    Rows3<double, 1> x;
    separation_along(x, 0, a, b, Vec3<double>(a.E.col(0)));
    separation_along(out, 3, a, b, Vec3<double>(a.E.col(1)));
    const double one = 1;
    const formula::Jet<double> f = track.along({x.phi.data(), 1}, {&one, 1}, {});  // along x: f, f', f''
    const double xdot = a.w.cross(a.E.col(0)).dot(b.p - a.p) + a.E.col(0).dot(b.v - a.v);
    out.phi[3] -= f.value;
    out.bias[3] -= f.first * x.bias[0] + f.second * xdot * xdot;
    out.a.r[3] -= f.first * x.a.r[0];
    out.b.r[3] -= f.first * x.b.r[0];
    out.a.w[3] -= f.first * x.a.w[0];
    out.b.w[3] -= f.first * x.b.w[0];
  }
};

struct Setting {
  Anchor plane, sphere;
  double radius;
};

Setting setting(const ItemCopy& item, const Builder& builder) {
  Setting out;
  out.radius = item.number("radius");
  if (!(out.radius > 0)) Builder::fail("M147", "the radius must be above zero", item.place("radius"));
  out.sphere = builder.anchor(item.attachment("body"));
  builder.require_orientation(item, out.sphere, "body");
  const Eigen::Vector3d n = item.direction("normal", Eigen::Vector3d::UnitZ());
  Eigen::Vector3d x, y;
  geometry::complete_triad(n, x, y);
  if (item.has("axis")) {
    const Eigen::Vector3d given = item.direction("axis", Eigen::Vector3d::UnitX());
    if (std::abs(given.dot(n)) > 1e-9)
      Builder::fail("M144", "the x axis of the plane must be perpendicular to its normal", item.place("axis"));
    x = (given - n * n.dot(given)).normalized();
    y = n.cross(x);
  }
  Eigen::Matrix3d axes;
  axes << x, y, n;
  const int carrier = builder.body(item.text("plane", "ground"), item.place("plane"));
  out.plane = builder.anchor_at(carrier, item.vector("at", Eigen::Vector3d::Zero()), axes);
  builder.require_orientation(item, out.plane, "plane");
  return out;
}

void build_sphere(const ItemCopy& item, Builder& builder) {
  const Setting s = setting(item, builder);
  builder.add_constraint(item, RollingSphere3{s.radius}, s.plane, s.sphere);
}

void build_track(const ItemCopy& item, Builder& builder) {
  const Setting s = setting(item, builder);
  builder.add_constraint(item, RollingSphereTrack3{s.radius, item.function("track")}, s.plane, s.sphere, {}, nullptr,
                         item.place("track"));
}

using model::FieldKind;

std::vector<model::FieldSpec> sphere_fields(std::vector<model::FieldSpec> own) {
  std::vector<model::FieldSpec> all{
      {"body", FieldKind::attachment, true, "", "", "the sphere, or the named point that is its centre", {}},
      {"radius", FieldKind::number, true, "", "m", "of the sphere", {}},
      {"plane", FieldKind::body, false, "ground", "", "the body that carries the plane", {}},
      {"normal", FieldKind::direction, false, "z", "", "of the plane, towards the sphere: world axes at t = 0", {}},
      {"at", FieldKind::vector, false, "origin", "m", "a point of the plane: world axes at t = 0", {}},
      {"axis", FieldKind::direction, false, "any", "", "x axis of the plane: world axes at t = 0", {}},
  };
  for (model::FieldSpec& field : own) all.push_back(std::move(field));
  all.push_back({"active", FieldKind::flag, false, "true", "", "false: the joint is there but its rows are off", {}});
  return all;
}

}  // namespace

Part rolling_sphere() {
  return {
      {model::Section::joint,
       "rolling-sphere",
       {"rolling-ball"},
       "a sphere rolls without slip on a plane, which may move",
       false,
       true,
       sphere_fields({}),
       0,
       3},
      build_sphere,
      {R"(
n·s − ρ = 0                                                       row touch;  s = p − P from the plane to the centre
t_i·(ṡ − ω_a × s − ρ (ω_b − ω_a) × n) = 0,  i = 1, 2              rows roll-1, roll-2 (nonholonomic)
)",
       R"(n and t_1, t_2 are the normal and the axes of the plane, which the body `plane` carries; t_1 is `axis`. The sphere is
on the side of n and may spin about it; its centre of mass may be off its centre (a named point as `body`). The plane
has no edge and pushes and pulls.)",
       R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  table: {mass: 5, inertia: [1, 1, 2], at: [0, 0, 0], angular_velocity: [0, 0, 3]}
  ball: {mass: 0.1, inertia: [0.0004, 0.0004, 0.0004], at: [0.5, 0, 0.1], velocity: [0, 0.5, 0],
         angular_velocity: [10, 0, 0], points: {centre: [0, 0, 0]}}
joints:
  axle: {type: revolute, between: [ground, table], at: [0, 0, 0]}
  contact: {type: rolling-sphere, body: ball, radius: 0.1, plane: table}
drivers:
  motor: {type: rotation, joint: axle, function: 3*t}
analysis: {until: 6}
)"}};
}

Part rolling_sphere_track() {
  model::FieldSpec track{"track", FieldKind::function, true, "", "m", "y of the centre as a formula of x", {}};
  track.variable = "x";
  return {
      {model::Section::joint,
       "rolling-sphere-track",
       {},
       "a sphere rolls without slip on a plane and is guided along y = f(x) of the plane",
       false,
       true,
       sphere_fields({track}),
       0,
       4},
      build_track,
      {R"(
n·s − ρ = 0                                                       row touch;  s = p − P from the plane to the centre
t_i·(ṡ − ω_a × s − ρ (ω_b − ω_a) × n) = 0,  i = 1, 2              rows roll-1, roll-2 (nonholonomic)
y − f(x) = 0                                                      row track;  x = t_1·s,  y = t_2·s
)",
       R"(As `rolling-sphere`, and guided: seen in the plane from its point `at`, the centre keeps to y = f(x), with x along
`axis` and y = n × x. Give `axis` where it matters: without one any direction is taken. The guide is smooth: it pushes
the centre along the plane and leaves the spin alone.)",
       R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  ball: {mass: 1, inertia: [0.016, 0.016, 0.016], at: [0, 0, 0.2], velocity: [1, 1, 0], angular_velocity: [-5, 5, 0]}
joints:
  groove: {type: rolling-sphere-track, body: ball, radius: 0.2, axis: [1, 0, 0], track: 0.5*sin(2*x)}
analysis: {until: 4}
)"}};
}

}  // namespace mortise::mechanism
