// Friction in a revolute, prismatic or cylindrical joint: Coulomb with Stribeck, regularised, and viscous.
//
// The joint slips at its bearing surface with (v, r ω): v along the axis, ω about it, r the radius. With s = |(v, r ω)|
//
//   F = N µ(s) tanh(s/v₀) + c s,     µ(s) = µ_k + (µ_s − µ_k) exp(−(s/v_s)²),
//
// acts against the slip: the force −F v/s along the axis and the torque −F r² ω/s about it. The normal load N is
//
//   N = N₀ + |F_n| + 2 |τ_n| / L,
//
// N₀ the preload, F_n the joint's reaction as far as it presses on the bearing: all of it where the joint only turns,
// else the part across the axis; τ_n its torque across the axis, held by a guide of length L. The reaction depends on
// the friction, which depends on it: both are found together (System::feedback). Below about v₀ the bearing creeps
// instead of sticking, with N µ v/v₀.
#include <fmt/format.h>

#include <cmath>

#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

struct FrictionLaw {
  double kinetic = 0, static_ = 0, stribeck = 1, speed = 1, viscous = 0, preload = 0, radius = 1, guide = 0;
  bool turns = false, slides = false, reaction = true;

  // What stands before the slip: F/s.
  double resistance(double normal, double s) const {
    const double z = s / speed, mu = kinetic + (static_ - kinetic) * std::exp(-(s / stribeck) * (s / stribeck));
    const double shape = z < 1e-4 ? (1 - z * z / 3) / speed : std::tanh(z) / s;
    return normal * mu * shape + viscous;
  }
};

// The joint's axis is x in the plane where it slides; reads: fx, fy, tz of the reaction in joint axes.
struct Friction2 {
  static constexpr int dimension = 2;
  FrictionLaw law;
  void operator()(const Frame2<double>& a, const Frame2<double>& b, const Formulas& f, Load<2>& out) const {
    double normal = law.preload;
    if (law.reaction && law.slides) {
      normal += std::abs(f.read(1));
      if (law.guide > 0) normal += 2 * std::abs(f.read(2)) / law.guide;
    } else if (law.reaction) {
      normal += std::hypot(f.read(0), f.read(1));
    }
    if (law.slides) {
      const double v = a.x.dot(b.v - a.v) + a.w * perp(a.x).dot(b.p - a.p);
      out.value = -law.resistance(normal, std::abs(v)) * v;
      out.force = out.value * a.x;
      out.dissipated = -out.value * v;
      out.rate = v;
    } else {
      const double w = b.w - a.w, r = law.radius;
      out.torque = out.value = -law.resistance(normal, std::abs(r * w)) * r * r * w;
      out.dissipated = -out.value * w;
      out.rate = w;
    }
  }
};

// Axis z; reads: fx, fy, fz, tx, ty of the reaction in joint axes.
struct Friction3 {
  static constexpr int dimension = 3;
  FrictionLaw law;
  void operator()(const Frame3<double>& a, const Frame3<double>& b, const Formulas& f, Load<3>& out) const {
    double normal = law.preload;
    if (law.reaction) {
      const double radial = std::hypot(f.read(0), f.read(1));
      normal += law.slides ? radial : std::hypot(radial, f.read(2));
      if (law.guide > 0) normal += 2 * std::hypot(f.read(3), f.read(4)) / law.guide;
    }
    const Eigen::Vector3d u = a.E.col(2);
    const double r = law.radius, w = law.turns ? u.dot(b.w - a.w) : 0;
    const double v = law.slides ? u.dot(b.v - a.v) + a.w.cross(u).dot(b.p - a.p) : 0;
    const double factor = law.resistance(normal, std::hypot(v, r * w));
    const double force = -factor * v, torque = -factor * r * r * w;
    out.force = force * u;
    out.torque = torque * u;
    out.value = law.slides ? force : torque;
    out.rate = law.slides ? v : w;
    out.dissipated = -(force * v + torque * w);
  }
};

void build_friction(const ItemCopy& item, Builder& builder) {
  const Constraint& joint = builder.joint(item, "joint");
  if (!joint.measures_angle && !joint.slides)
    Builder::fail("M148", fmt::format("joint '{}' has neither an angle nor a displacement", item.text("joint")),
                  item.place("joint"), "friction acts in revolute, prismatic and cylindrical joints");
  FrictionLaw law;
  law.turns = joint.measures_angle;
  law.slides = joint.slides;
  law.kinetic = item.number("coefficient");
  law.static_ = item.number("static_coefficient", law.kinetic);
  law.speed = item.number("speed", 1e-3);
  law.stribeck = item.number("stribeck_speed", 10 * law.speed);
  law.viscous = item.number("viscous", 0);
  law.preload = item.number("preload", 0);
  law.guide = item.number("guide_length", 0);
  law.reaction = item.text("load", "reaction") == "reaction";
  for (const char* field : {"speed", "stribeck_speed"})
    if (item.has(field) && !(item.number(field) > 0))
      Builder::fail("M164", fmt::format("'{}' must be above zero", field), item.place(field));
  if (law.turns && !item.has("radius"))
    Builder::fail(
        "M164", fmt::format("'{}' needs the radius of the bearing: joint '{}' turns", item.name(), item.text("joint")),
        item.place(), "radius: … [m]; the torque is coefficient * radius * load");
  law.radius = law.turns ? item.number("radius") : 1;
  ForceTraits traits{law.slides ? ForceScalar::force : ForceScalar::torque, nullptr};
  if (law.reaction) {
    const std::string base = item.text("joint") + ".reaction.local.";
    for (const char* column : {"fx", "fy", builder.planar() ? "tz" : "fz"})
      traits.reads.push_back({base + column, item.place("joint")});
    if (!builder.planar())
      for (const char* column : {"tx", "ty"}) traits.reads.push_back({base + column, item.place("joint")});
  }
  if (builder.planar())
    builder.add_force(item, Friction2{law}, joint.a, joint.b, {}, item.place("joint"), traits);
  else
    builder.add_force(item, Friction3{law}, joint.a, joint.b, {}, item.place("joint"), traits);
}

}  // namespace

Part friction() {
  using model::FieldKind;
  std::vector<model::FieldSpec> fields{
      {"joint", FieldKind::joint, true, "", "", "a revolute, prismatic or cylindrical joint", {}},
      {"coefficient", FieldKind::number, true, "", "", "of sliding friction", {}},
      {"static_coefficient", FieldKind::number, false, "coefficient", "", "near rest (Stribeck)", {}},
      {"stribeck_speed", FieldKind::number, false, "10 speed", "m/s", "over which the static coefficient fades", {}},
      {"speed",
       FieldKind::number,
       false,
       "0.001",
       "m/s",
       "of slip, below which the joint creeps instead of sticking",
       {}},
      {"viscous", FieldKind::number, false, "0", "N s/m", "resistance in proportion to the slip", {}},
      {"radius", FieldKind::number, false, "", "m", "of the bearing, where the joint turns", {}},
      {"guide_length", FieldKind::number, false, "none", "m", "of the guide that holds torques across the axis", {}},
      {"load",
       FieldKind::choice,
       false,
       "reaction",
       "",
       "what presses: the joint's own reaction and the preload, or the preload alone",
       {"reaction", "preload"}},
      {"preload", FieldKind::number, false, "0", "N", "normal load that is always there", {}}};
  for (model::FieldSpec& field : fields)
    if (field.kind == FieldKind::number) field.minimum = 0;
  return {
      {model::Section::force,
       "friction",
       {"joint-friction"},
       "friction in a joint: Coulomb with Stribeck, regularised, by the joint's own reaction",
       true,
       true,
       fields,
       0,
       0},
      build_friction,
      {R"(
F = N µ(s) tanh(s/v₀) + c s,        µ(s) = µ_k + (µ_s − µ_k) exp(−(s/v_s)²),        s = |(v, r ω)|
N = N₀ + |F_n| + 2 |τ_n|/L
force −F v/s along the axis and torque −F r² ω/s about it on the second body, and the opposite on the first
)",
       R"(v and ω are the joint's sliding speed and rate, r is the `radius` (needed where it turns), µ_k the `coefficient`, µ_s
the `static_coefficient`, v_s the `stribeck_speed`, v₀ the `speed`, c `viscous`, N₀ the `preload`, L the
`guide_length` (without one τ_n does not count). F_n is the joint's own reaction: all of it where the joint only
turns, else the part across the axis; τ_n is its torque across the axis; `load: preload` leaves both out. Reaction and
friction are found together, at every evaluation; where none fit (friction that outgrows its load) the run ends with
S422. The joint does not stick: below about v₀ it creeps. All of it is dissipated.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  block: {mass: 1, inertia: 0.1, at: [0, 0], angle: -0.6435011, velocity: [2, -1.5],
          points: {a: [-0.15, 0], b: [0.15, 0], c: [0.15, 0.2], d: [-0.15, 0.2]}}
joints:
  slope: {type: prismatic, between: [ground, block], at: [0, 0], axis: [4, -3]}
forces:
  rubbing: {type: friction, joint: slope, coefficient: 0.95}
analysis: {until: 2}
)"}};
}

}  // namespace mortise::mechanism
