// Torsional spring, damper and actuator on the angle θ of a revolute or cylindrical joint; with x = θ − θ₀
//
//   torque on the second body about the joint axis: −( k x + s(x) + c θ̇ + d(θ̇, x) + f ).
//
// In the plane θ counts turns; in space x is taken on the nearest turn (within ±π). What is stored and dissipated: as
// in the spring between two points.
#include <fmt/format.h>

#include <cmath>

#include "mortise/mechanism/joint_coordinate.h"
#include "mortise/mechanism/measures.h"
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

template <int Dimension, class Number = double>
struct Torsion {
  static constexpr int dimension = Dimension;
  enum : std::size_t { actuator, spring, damper };  // formulas
  Number stiffness{0}, damping{0}, angle{0};
  bool has_spring = false, has_damper = false, stores = true;
  template <class Frame, class F, class T>
  void operator()(const Frame& a, const Frame& b, const F& f, Load<Dimension, T>& out) const {
    const JointCoordinate<Dimension> turn{Builder::Coordinate::angle};
    const auto at = turn.measure(a, b);
    const T x = detail::nearest_turn<std::conditional_t<Dimension == 3, Turn3, Turn2>, T>(at.x - angle);
    const T pull = f(actuator);
    T elastic{0}, more{0};
    if constexpr (std::is_same_v<T, double>) {
      if (has_spring) elastic = f(spring, {x});
      if (has_damper) more = f(damper, {at.rate, x});
    }
    const T resisting = damping * at.rate + more;
    turn.push(at, T(-(stiffness * x + elastic + resisting + pull)), out);
    out.value = -out.value;
    out.potential = T(0.5) * stiffness * x * x;
    if constexpr (std::is_same_v<T, double>)
      if (has_spring && stores && f.energy()) out.potential += f.integral(spring, x);
    out.dissipated = resisting * at.rate;
    out.applied = -(pull + (stores ? T(0) : elastic)) * at.rate;
  }
  bool like(const Torsion& other) const {
    return !has_spring && !has_damper && !other.has_spring && !other.has_damper;  // formulas of x have no lanes
  }
  template <class Get>
  Torsion<Dimension, Pack> in_lanes(const Get& get) const {
    return {get(&Torsion::stiffness), get(&Torsion::damping), get(&Torsion::angle), false, false, stores};
  }
};

void build_torsional_spring_damper_actuator(const ItemCopy& item, Builder& builder) {
  const Constraint& joint = builder.joint_with(item, Builder::Coordinate::angle);
  const Anchor a = joint.a, b = joint.b;
  const double modelled = builder.planar() ? builder.modelled_angle(b) - builder.modelled_angle(a) : 0;
  const double k = item.number("stiffness", 0), c = item.number("damping", 0), angle = item.number("angle", modelled);
  const std::vector<model::Function> functions{Builder::formula(item, "torque"), Builder::formula(item, "spring"),
                                               Builder::formula(item, "damper")};
  const bool stores = Builder::is_of_own_variable(functions[Torsion<2>::spring]);
  const bool has_spring = item.has("spring"), has_damper = item.has("damper");
  const Place place = item.place(item.has("torque") ? "torque" : "joint");
  const ForceTraits traits{ForceScalar::torque, "angle"};
  if (builder.planar())
    builder.add_force(item, Torsion<2>{k, c, angle, has_spring, has_damper, stores}, a, b, functions, place, traits);
  else
    builder.add_force(item, Torsion<3>{k, c, angle, has_spring, has_damper, stores}, a, b, functions, place, traits);
}

}  // namespace

Part torsional_spring_damper_actuator() {
  using model::FieldKind;
  std::vector<model::FieldSpec> fields{
      {"joint", FieldKind::joint, true, "", "", "the joint whose angle it acts on", {}},
      {"stiffness", FieldKind::number, false, "0", "N m/rad", "", {}},
      {"damping", FieldKind::number, false, "0", "N m s/rad", "", {}},
      {"angle", FieldKind::angle, false, "as modelled", "rad", "angle of zero spring torque", {}},
      {"spring", FieldKind::function, false, "0", "N m", "more torque back, a formula of x = angle beyond `angle`", {}},
      {"damper", FieldKind::function, false, "0", "N m", "more torque back, a formula of v, the rate, and x", {}},
      {"torque",
       FieldKind::function,
       false,
       "0",
       "N m",
       "torque of the actuator, a formula of t and of quantities; it turns the second body back",
       {}}};
  fields[4].variables = {"x"};
  fields[5].variables = {"v", "x"};
  return {
      {model::Section::force,
       "torsional-spring-damper-actuator",
       {"torsional-spring", "rotational-spring", "torsion-spring"},
       "a torque on a joint angle: stiffness, damping, and formulas of deflection, speed and t",
       true,
       true,
       fields,
       0,
       0},
      build_torsional_spring_damper_actuator,
      {R"(
T = k x + s(x) + c θ̇ + d(θ̇, x) + f,        x = θ − θ₀
torque −T on the second body about the joint axis, +T on the first
)",
       R"(θ is the joint's angle. In the plane it counts turns; in space x is taken on the nearest turn, within ±π. s is the
formula `spring` of x, d the formula `damper` of v = θ̇ and x, f the actuator `torque`, a formula of t and of quantities;
T positive turns the second body back. ½ k x² + ∫ s dx is stored energy, (c θ̇ + d) θ̇ is dissipated, −f θ̇ is applied; a
`spring` formula that uses more than x counts as applied, too.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  flap: {mass: 1, inertia: 0.1, at: [0.5, 0], points: {tip: [0.5, 0]}}
joints:
  hinge: {type: revolute, between: [ground, flap], at: [0, 0]}
forces:
  spring: {type: torsional-spring-damper-actuator, joint: hinge, stiffness: 20, damper: 0.3*v + 0.1*v*abs(v)}
analysis: {until: 2}
)"}};
}

}  // namespace mortise::mechanism
