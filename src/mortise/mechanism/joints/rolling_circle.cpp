// A disc that rolls without slip on another, outside or inside.
//
//   |s| − D = 0                                     touch, s = p_b − p_a, D = R + ρ
//   D ψ − R θ_a − ρ θ_b − c = 0                     roll, ψ the angle of s in the world
//
// The radii have signs: both positive when the discs touch from outside; the smaller one negative when it rolls inside
// the other. The touching points at R e and −ρ e from their centres, e = s/|s|, have the same velocity across s when
// D ψ̇ = R ω_a + ρ ω_b, which can be integrated; c comes from the pose as modelled. ψ is known up to full turns: the row
// is compared on the nearest one (period 2π D), while θ_a and θ_b count their turns.
#include <cmath>

#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

struct RollingCircle2 {
  static constexpr int dimension = 2, rows = 2;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 2> info{{{"touch"}, {"roll"}}};
  double first = 0, second = 0, offset = 0;  // R, ρ with their signs, c
  bool operator==(const RollingCircle2&) const = default;

  template <class T>
  void operator()(const Frame2<T>& a, const Frame2<T>& b, Rows2<T, 2>& out) const {
    using std::atan2;
    const T D(first + second);
    length(out, 0, a, b);
    const T l = out.phi[0];
    out.phi[0] -= D;

    // ψ̇ = n·ṡ/l with n = e turned by +90°; ψ̈ = n·s̈/l − 2 l̇ ψ̇/l.
    const Vec2<T> s = b.p - a.p, sdot = b.v - a.v, e = s / l, n = perp(e);
    const T psidot = n.dot(sdot) / l, ldot = e.dot(sdot);
    separation(out, 1, a, b, Vec2<T>(n * (D / l)));
    out.phi[1] = nearest_to_zero(D * atan2(s.y(), s.x()) - T(first) * a.angle - T(second) * b.angle - T(offset),
                                 2 * M_PI * (first + second));
    out.bias[1] -= D * T(2) * ldot * psidot / l;
    out.a.w[1] -= T(first);
    out.b.w[1] -= T(second);
  }
};

void build_rolling_circle(const ItemCopy& item, Builder& builder) {
  const auto [a, b] = builder.two_points(item);
  double first = item.number("radius_first"), second = item.number("radius_second");
  for (const char* field : {"radius_first", "radius_second"})
    if (!(item.number(field) > 0)) Builder::fail("M147", "the radius must be above zero", item.place(field));
  if (item.flag("internal", false)) {
    if (first == second)
      Builder::fail("M154", "a disc cannot roll inside one of the same radius", item.place("radius_second"),
                    "different radii, or a revolute joint");
    (first < second ? first : second) *= -1;
  }
  for (const Anchor* anchor : {&a, &b}) builder.require_orientation(item, *anchor, "between");
  const Eigen::Vector3d s = builder.modelled_point(b) - builder.modelled_point(a);
  if (!(s.norm() > 1e-6 * (first + second)))
    Builder::fail("M154", "the centres of the two discs lie on one another: in which direction do they touch?",
                  item.place("between"), "model the discs where they touch");
  const double offset = (first + second) * std::atan2(s.y(), s.x()) - first * builder.modelled_angle(a) -
                        second * builder.modelled_angle(b);
  builder.add_constraint(item, RollingCircle2{first, second, offset}, a, b, {.angle = true, .length = true});
}

}  // namespace

Part rolling_circle() {
  using model::FieldKind;
  return {
      {model::Section::joint,
       "rolling-circle",
       {},
       "a disc rolls without slip on another disc, or inside a ring",
       true,
       false,
       joint_fields(0, {{"points", FieldKind::points, false, "origins", "m", "the centres, in body axes", {}},
                        {"radius_first", FieldKind::number, true, "", "m", "of the first disc", {}},
                        {"radius_second", FieldKind::number, true, "", "m", "of the second disc", {}},
                        {"internal", FieldKind::flag, false, "false", "", "true: the smaller rolls inside", {}}}),
       2,
       0},
      build_rolling_circle,
      {R"(
|s| − D = 0                            row touch;  s = p_b − p_a,  D = R + ρ
D ψ − R θ_a − ρ θ_b − c = 0            row roll;  ψ: the direction of s,  c from the modelled pose
)",
       R"(R and ρ are the radii of the first and the second disc; inside a ring (`internal: true`) the smaller one counts as
negative in these rows, in the model both are positive. θ_a and θ_b are the angles of the bodies and count turns. The
contact pushes and pulls. The centres must be modelled apart: their line says where the discs touch.)",
       R"(
mortise: 1
dimension: planar
bodies:
  planet: {mass: 1, inertia: 0.03, at: [0.75, 0], velocity: [0, 1], angular_velocity: -4, points: {rim: [0.25, 0]}}
joints:
  ring: {type: rolling-circle, between: [ground, planet], radius_first: 1, radius_second: 0.25, internal: true}
analysis: {until: 4.712}
)"}};
}

}  // namespace mortise::mechanism
