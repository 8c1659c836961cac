// Contact by the gap of a sphere (a circle, a point) and a plane, or of two spheres (circles): a unilateral row with
// restitution, and rows of its slip with a friction cone.
//
//   plane     g = n·s − ρ ≥ 0                 n on the first body, s = p_b − p_a
//   spheres   g = |s| − ρ_a − ρ_b ≥ 0
//   slip      U = velocity of the second body over the first where they touch, along the tangents
//
// plane, slip row:    d/dt(t·s) − ρ (n×t)·(ω_b − ω_a)        t carried by the first body
// circles, slip row:  that of two wheels (joints/no_slip.cpp): τ·U, τ = perp(s)/(ρ_a + ρ_b)
#include <fmt/format.h>

#include <cmath>

#include "mortise/mechanism/event.h"
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using gauss::RowKind;
using gauss::RowUnit;

constexpr RowInfo gap_row{"gap"}, slip_row{"slip", RowKind::nonholonomic, RowUnit::speed};

// Normal x_a. With one row: no friction, and bodies may be particles.
template <int N>
struct Plane2 {
  static constexpr int dimension = 2, rows = N;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 2> both{{gap_row, slip_row}};
  static constexpr std::array<RowInfo, N> info = [] {
    std::array<RowInfo, N> out{};
    for (std::size_t k = 0; k < N; ++k) out[k] = both[k];
    return out;
  }();
  double radius = 0;
  template <class T>
  void operator()(const Frame2<T>& a, const Frame2<T>& b, Rows2<T, N>& out) const {
    separation_along(out, 0, a, b, a.x);
    out.phi[0] -= T(radius);
    if constexpr (N == 2) {
      Rows2<T, 2> parts;
      separation_along(parts, 0, a, b, perp(a.x));
      turn(parts, 1, a, b);
      combine(out, 1, T(1), parts, 0, T(-radius), parts, 1);
    }
  }
};

template <int N>
struct Circles2 {
  static constexpr int dimension = 2, rows = N;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, N> info = Plane2<N>::info;
  double first = 0, second = 0;
  template <class T>
  void operator()(const Frame2<T>& a, const Frame2<T>& b, Rows2<T, N>& out) const {
    const double d = first + second;
    length(out, 0, a, b);
    out.phi[0] -= T(d);
    if constexpr (N == 2) {
      const T k(first / d), D(d);
      const Vec2<T> s = b.p - a.p, sdot = b.v - a.v, tau = perp(s) / D;
      const T W = k * a.w + (T(1) - k) * b.w;
      separation(out, 1, a, b, tau);
      out.a.w[1] -= k * s.dot(s) / D;
      out.b.w[1] -= (T(1) - k) * s.dot(s) / D;
      out.bias[1] -= T(2) * W * s.dot(sdot) / D;
    }
  }
};

// Normal z_a, tangents x_a and y_a.
template <int N>
struct Plane3 {
  static constexpr int dimension = 3, rows = N;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 3> both{
      {gap_row, {"slip-1", RowKind::nonholonomic, RowUnit::speed}, {"slip-2", RowKind::nonholonomic, RowUnit::speed}}};
  static constexpr std::array<RowInfo, N> info = [] {
    std::array<RowInfo, N> out{};
    for (std::size_t k = 0; k < N; ++k) out[k] = both[k];
    return out;
  }();
  double radius = 0;
  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, N>& out) const {
    const Vec3<T> n = a.E.col(2);
    separation_along(out, 0, a, b, n);
    out.phi[0] -= T(radius);
    if constexpr (N == 3)
      for (int i = 0; i < 2; ++i) {
        const auto k = static_cast<std::size_t>(1 + i);
        const Vec3<T> t = a.E.col(i), e = T(radius) * n.cross(t);
        separation_along(out, 1 + i, a, b, t);
        out.a.w[k] += e;
        out.b.w[k] -= e;
        out.bias[k] -= a.w.cross(e).dot(b.w);
      }
  }
};

struct Spheres3 {
  static constexpr int dimension = 3, rows = 1;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 1> info{{gap_row}};
  double sum = 0;
  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, 1>& out) const {
    length(out, 0, a, b);
    out.phi[0] -= T(sum);
  }
};

void build_contact(const ItemCopy& item, Builder& builder) {
  auto [a, b] = builder.two_points(item);
  const bool plane = item.has("normal");
  const auto radii = item.has("radii") ? item.pair("radii") : std::array<double, 2>{0, item.number("radius", 0)};
  if (radii[0] < 0 || radii[1] < 0) Builder::fail("M466", "a radius below zero", item.place("radii"));
  if (plane && (item.has("radii") || radii[0] > 0))
    Builder::fail("M466", "with 'normal' the first body has a plane: give the 'radius' of the second",
                  item.place("radii"));
  if (!plane && !(radii[0] > 0 && radii[1] > 0))
    Builder::fail("M466",
                  fmt::format("contact '{}' needs a 'normal' (plane on the first body) or two 'radii'", item.name()),
                  item.place(), "normal: [0, 1], radius: 0.1; or radii: [0.1, 0.1]");
  const double restitution = item.number("restitution", 0), mu = item.number("coefficient", 0);
  if (restitution < 0 || restitution > 1)
    Builder::fail("M464", fmt::format("a restitution of {:.9g}: it lies between 0 and 1", restitution),
                  item.place("restitution"));
  const double mu_static = item.number("static_coefficient", mu);
  if (mu_static < mu)
    Builder::fail("M465", "'static_coefficient' is below that of sliding", item.place("static_coefficient"),
                  "what starts to slide would stick at once");
  const bool rough = mu > 0;
  if (rough && !plane && !builder.planar())
    Builder::fail("M466", "two spheres in space touch without friction only", item.place("coefficient"),
                  "leave 'coefficient' out");
  if (rough)
    for (const Anchor* anchor : {&a, &b}) builder.require_orientation(item, *anchor, "between");

  Event& stop = builder.add_event(1);
  stop.kind = Event::Kind::stop;
  stop.restitution = restitution;
  stop.rest_speed = item.number("rest_speed", -1);
  builder.begin_event_rows("");
  if (plane) {
    const Eigen::Vector3d n = item.direction("normal", Eigen::Vector3d::UnitY());
    Eigen::Matrix3d axes;
    if (builder.planar()) {
      axes << n.x(), -n.y(), 0, n.y(), n.x(), 0, 0, 0, 1;
    } else {
      Eigen::Vector3d x, y;
      geometry::complete_triad(n, x, y);
      axes << x, y, n;
    }
    const Anchor turned = builder.anchor_at(a.body, Eigen::Vector3d::Zero(), axes);
    a.E = turned.E;
    a.angle = turned.angle;
    if (builder.planar() && rough)
      builder.add_constraint(item, Plane2<2>{radii[1]}, a, b);
    else if (builder.planar())
      builder.add_constraint(item, Plane2<1>{radii[1]}, a, b);
    else if (rough)
      builder.add_constraint(item, Plane3<3>{radii[1]}, a, b);
    else
      builder.add_constraint(item, Plane3<1>{radii[1]}, a, b);
  } else if (builder.planar()) {
    if (rough)
      builder.add_constraint(item, Circles2<2>{radii[0], radii[1]}, a, b);
    else
      builder.add_constraint(item, Circles2<1>{radii[0], radii[1]}, a, b);
  } else {
    builder.add_constraint(item, Spheres3{radii[0] + radii[1]}, a, b);
  }
  const int row = builder.last_constraint().row, rows = builder.last_constraint().rows;
  stop.rows = {row};
  if (!rough) return;
  const int number = builder.event_count() - 1;
  stop.partner = number + 1;
  Event& slip = builder.add_event(rows);  // `stop` may have moved
  slip.kind = Event::Kind::slip;
  slip.partner = number;
  for (int k = 1; k < rows; ++k) slip.rows.push_back(row + k);
  slip.static_ = mu_static;
  // The load is the reaction along the normal: of a plane its own axis, of circles what is not friction.
  model::Function normal;
  normal.place = item.place();
  const std::vector<std::string> variables{"t", "x", "y"};
  const std::string base = item.name() + ".reaction.";
  if (plane) {
    normal.expression = formula::Expression::parse("x", std::span(variables).first(2));
    normal.quantities = {{base + (builder.planar() ? "local.first.fx" : "local.first.fz"), item.place()}};
  } else {
    normal.expression = formula::Expression::parse("sqrt(x*x + y*y)", variables);
    normal.quantities = {{base + "fx", item.place()}, {base + "fy", item.place()}};
  }
  builder.add_row_friction(item, normal, mu, "-friction");
}

}  // namespace

Part contact() {
  using model::FieldKind;
  std::vector<model::FieldSpec> fields{
      {"between", FieldKind::attachments, true, "", "", "the two bodies, or named points on them", {}},
      {"points", FieldKind::points, false, "", "m", "one point per body, in body axes", {}},
      {"normal",
       FieldKind::direction,
       false,
       "",
       "",
       "of a plane through the first point, carried by the first body: a world direction at t = 0",
       {}},
      {"radius", FieldKind::number, false, "0: a point", "m", "of the second body's circle or sphere on a plane", {}},
      {"radii", FieldKind::pair, false, "", "m", "of two circles or spheres, instead of a normal", {}},
      {"restitution", FieldKind::number, false, "0", "", "speed after an impact over that before it, 0 to 1", {}},
      {"coefficient", FieldKind::number, false, "0", "", "of sliding friction", {}},
      {"static_coefficient", FieldKind::number, false, "coefficient", "", "up to which it sticks", {}},
      {"rest_speed",
       FieldKind::number,
       false,
       "1e-4 of what is typical",
       "m/s",
       "a slower rebound is none: the contact stays closed until it would pull",
       {}}};
  for (model::FieldSpec& f : fields)
    if (f.kind == FieldKind::number) f.minimum = 0;
  return {
      {model::Section::event,
       "contact",
       {"impact", "collision"},
       "contact of a point, circle or sphere with a plane or with another one: impacts, rest, slip and stick",
       true,
       true,
       fields,
       0,
       0},
      build_contact,
      {R"(
g ≥ 0,   −λ ≥ 0,   g λ = 0            row gap: g = n·(p_b − p_a) − radius, or |p_b − p_a| − radii
impact   M (v⁺ − v⁻) + AᵀΛ = 0,       ġ⁺ = −e ġ⁻,   |Λ_t| ≤ µ_s |Λ_n|, else |Λ_t| = µ |Λ_n|
touch    row slip (slip-1, slip-2 in space): s = 0 while |λ_t| ≤ µ_s |λ_n|;   else λ_t = µ |λ_n| s/|s|
)",
       R"(The rows are a constraint called as the contact: `NAME.reaction.fx` is what acts on the second body. An impact takes its
time at once; friction in it sticks where the cone allows, else it slides in the direction of the slip that sticking
would stop. Bounces end in rest below `rest_speed`. While it slides the friction is a force `NAME-friction`, solved
together with the load. Two spheres in space have no friction. `EVENT.state` is 1 while they touch.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  ball: {mass: 0.5, inertia: 0.002, at: [0, 1], velocity: [1, 0], points: {a: [0.1, 0], b: [-0.1, 0]}}
events:
  floor: {type: contact, between: [ground, ball], normal: [0, 1], radius: 0.1, restitution: 0.6, coefficient: 0.2}
analysis: {until: 3}
)"}};
}

}  // namespace mortise::mechanism
