// A disc on a straight line in its plane: rolling without slip (with the touch), and rack and pinion (without it).
//
//   σ y_a·s − ρ = 0                     touch: the centre keeps the distance ρ from the line (rolling-line only)
//   x_a·s + σ ρ θ − c = 0               roll: no slip, integrated
//
// s = p_b − p_a from a point of the line to the centre, x_a along the line, θ the angle of the disc against the first
// body about z_a, σ = ±1 the side of the line on which the disc is modelled. The touching point of the disc lies at
// −σ ρ y_a from its centre and moves over the line with x_a·ṡ + σ ρ θ̇: that this is zero can be integrated, c comes
// from the pose as modelled. In space θ is known up to full turns: the row is compared on the nearest turn of the
// pinion.
#include <cmath>

#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

struct Roll {
  double lever = 0, offset = 0;  // σρ, c
  bool operator==(const Roll&) const = default;
};

template <class T, int N>
void roll_on_line(Rows2<T, N>& out, int k, const Frame2<T>& a, const Frame2<T>& b, const Roll& by) {
  Rows2<T, 2> parts;
  separation_along(parts, 0, a, b, a.x);
  turn(parts, 1, a, b);
  combine(out, k, T(1), parts, 0, T(by.lever), parts, 1);
  out.phi[k] -= T(by.offset);
}

struct RollingLine2 {
  static constexpr int dimension = 2, rows = 2;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 2> info{{{"touch"}, {"roll"}}};
  Roll by;
  bool operator==(const RollingLine2&) const = default;
  template <class T>
  void operator()(const Frame2<T>& a, const Frame2<T>& b, Rows2<T, 2>& out) const {
    const Vec2<T> outward = by.lever > 0 ? perp(a.x) : Vec2<T>(-perp(a.x));
    separation_along(out, 0, a, b, outward);
    out.phi[0] -= T(std::abs(by.lever));
    roll_on_line(out, 1, a, b, by);
  }
};

struct RackPinion2 {
  static constexpr int dimension = 2, rows = 1;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 1> info{{{"roll"}}};
  Roll by;
  bool operator==(const RackPinion2&) const = default;
  template <class T>
  void operator()(const Frame2<T>& a, const Frame2<T>& b, Rows2<T, 1>& out) const {
    roll_on_line(out, 0, a, b, by);
  }
};

struct RackPinion3 {
  static constexpr int dimension = 3, rows = 1;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 1> info{{{"roll"}}};
  Roll by;
  bool operator==(const RackPinion3&) const = default;
  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, 1>& out) const {
    Rows3<T, 2> parts;
    separation_along(parts, 0, a, b, Vec3<T>(a.E.col(0)));
    turn(parts, 1, a, b);
    combine(out, 0, T(1), parts, 0, T(by.lever), parts, 1);
    out.phi[0] = nearest_to_zero(out.phi[0] - T(by.offset), 2 * M_PI * std::abs(by.lever));
  }
};

// The frames, with x along the line and z the axis of the disc, and what the pose as modelled says.
Roll prepare(const ItemCopy& item, Builder& builder, Anchor& a, Anchor& b) {
  const double radius = item.number("radius");
  if (!(radius > 0)) Builder::fail("M147", "the radius must be above zero", item.place("radius"));
  const auto points = builder.two_points(item);
  const Eigen::Vector3d x = builder.direction(item, "axis", Eigen::Vector3d::UnitX());
  Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
  if (!builder.planar()) {
    z = builder.direction(item, "pinion_axis", z);
    if (std::abs(x.dot(z)) > 1e-9)
      Builder::fail("M144", "the axis of a pinion must be perpendicular to its rack", item.place("pinion_axis"),
                    "correct `axis` (along the rack) or `pinion_axis`");
  }
  Eigen::Matrix3d axes;
  axes << x, z.cross(x), z;
  const auto frame = [&](const Anchor& point) {
    builder.require_orientation(item, point, "between");
    Anchor out = builder.anchor_at(point.body, Eigen::Vector3d::Zero(), axes);
    out.p = point.p;
    return out;
  };
  a = frame(points[0]), b = frame(points[1]);
  const Eigen::Vector3d s = builder.modelled_point(b) - builder.modelled_point(a);
  const double height = axes.col(1).dot(s);
  if (std::abs(height) < 1e-6 * radius)
    Builder::fail("M153", "the centre of the disc lies on the line: on which side does it roll?", item.place("between"),
                  "let the first point be one of the line (of a rack: its pitch line), by `points` or a named point");
  const double lever = height > 0 ? radius : -radius;
  const double turned = builder.planar() ? builder.modelled_angle(b) - builder.modelled_angle(a) : 0;
  return {lever, x.dot(s) + lever * turned};
}

void build_rolling(const ItemCopy& item, Builder& builder) {
  Anchor a, b;
  const Roll by = prepare(item, builder, a, b);
  builder.add_constraint(item, RollingLine2{by}, a, b, {.angle = true, .slides = true});
}

void build_rack(const ItemCopy& item, Builder& builder) {
  Anchor a, b;
  const Roll by = prepare(item, builder, a, b);
  if (builder.planar())
    builder.add_constraint(item, RackPinion2{by}, a, b, {.angle = true, .slides = true});
  else
    builder.add_constraint(item, RackPinion3{by}, a, b, {.angle = true});
}

std::vector<model::FieldSpec> line_fields(bool spatial) {
  using model::FieldKind;
  std::vector<model::FieldSpec> own{
      {"points", FieldKind::points, false, "origins", "m", "a point of the line, the centre: each in body axes", {}},
      {"radius", FieldKind::number, true, "", "m", "of the disc", {}},
      {"axis", FieldKind::direction, false, "x", "", "along the line, a world direction at t = 0", {}},
      {"in",
       FieldKind::choice,
       false,
       "world",
       "",
       "axes in which directions are given",
       {"world", "first", "second"}}};
  if (spatial) {
    own.push_back({"pinion_axis", FieldKind::direction, false, "z", "", "about which the pinion turns", {}});
    own.back().planar = false;
  }
  return joint_fields(0, std::move(own));
}

}  // namespace

Part rolling_line() {
  return {
      {model::Section::joint,
       "rolling-line",
       {},
       "a disc (second body) rolls without slip on a line of the first",
       true,
       false,
       line_fields(false),
       2,
       0},
      build_rolling,
      {R"(
σ y_a·s − ρ = 0              row touch;  s = p_b − p_a,  x: along the line,  y = z × x
x_a·s + σ ρ θ − c = 0        row roll;  c from the modelled pose
)",
       R"(The first body carries the line, with a point of it; the disc is the second, with its centre, on the side σ = ±1 on
which it is modelled. θ is the angle of the disc against the first body, from the modelled pose: on the left of the
line (σ = 1) it falls as the disc rolls forward. The displacement is that of the centre along the line. The line has
no ends and pushes and pulls.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  wheel: {mass: 1, inertia: 0.03, at: [0, 0.25], velocity: [1, 0], angular_velocity: -4, points: {rim: [0, -0.25]}}
joints:
  road: {type: rolling-line, between: [ground, wheel], radius: 0.25}
analysis: {until: 2}
)"}};
}

Part rack_pinion() {
  return {
      {model::Section::joint,
       "rack-pinion",
       {"rack-and-pinion"},
       "the pinion (second body) turns as the rack (first body) passes",
       true,
       true,
       line_fields(true),
       1,
       1},
      build_rack,
      {R"(
x_a·s + σ ρ θ − c = 0        row roll;  s = p_b − p_a,  x: along the rack,  c from the modelled pose
)",
       R"(The rack is the first body, with a point of its pitch line; the pinion is the second, with its centre. θ is the angle
of the pinion against the rack, in space about `pinion_axis` z, which must be perpendicular to the rack. σ = 1 when
the pinion is modelled on the side of y = z × x, else −1; with σ = 1 θ falls as the pinion moves forward along the
rack. The joint holds no distance: guides and bearings do that. In space θ is known up to full turns, which the row
follows.)",
       R"(
mortise: 1
dimension: planar
bodies:
  rack: {mass: 1, inertia: 0.1, at: [0, 0], points: {left: [-0.5, 0], right: [0.5, 0]}}
  pinion: {mass: 1, inertia: 0.02, at: [0, 0.2], points: {tooth: [0, -0.2]}}
joints:
  guide: {type: prismatic, between: [ground, rack], at: [0, 0], axis: [1, 0]}
  axle: {type: revolute, between: [ground, pinion], at: [0, 0.2]}
  teeth: {type: rack-pinion, between: [rack, pinion], radius: 0.2}
drivers:
  motor: {type: rotation, joint: axle, function: t^2}
analysis: {until: 1.5}
)"}};
}

}  // namespace mortise::mechanism
