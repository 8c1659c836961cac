// Torsional spring, damper and actuator on the angle θ of a revolute or cylindrical joint:
//
//   torque on the second body about the joint axis: −( k (θ − θ₀) + c θ̇ + f(t) ).
//
// In the plane θ counts turns; in space θ − θ₀ is taken on the nearest turn (within ±π).
#include <fmt/format.h>

#include <cmath>

#include "mortise/mechanism/measures.h"
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using Values = std::array<double, 3>;

struct Law {
  double stiffness = 0, damping = 0, angle = 0;
  template <class L>
  double torque(double theta, double rate, double f, L& out) const {
    out.potential = 0.5 * stiffness * theta * theta;
    out.dissipated = damping * rate * rate;
    out.applied = -f * rate;
    return -(stiffness * theta + damping * rate + f);
  }
};

struct Torsion2 {
  static constexpr int dimension = 2;
  Law law;
  void operator()(const Frame2<double>& a, const Frame2<double>& b, const Values& f, Load<2>& out) const {
    out.torque = law.torque(b.angle - a.angle - law.angle, b.w - a.w, f[0], out);
  }
};

struct Torsion3 {
  static constexpr int dimension = 3;
  Law law;
  void operator()(const Frame3<double>& a, const Frame3<double>& b, const Values& f, Load<3>& out) const {
    const double theta = std::atan2(a.E.col(1).dot(b.E.col(0)), a.E.col(0).dot(b.E.col(0)));
    const Eigen::Vector3d axis = a.E.col(2);
    out.torque = law.torque(detail::nearest_turn<Turn3>(theta - law.angle), axis.dot(b.w - a.w), f[0], out) * axis;
  }
};

void build(const ItemCopy& item, Builder& builder) {
  const Constraint& joint = builder.joint(item, "joint");
  if (!joint.measures_angle)
    Builder::fail("M148", fmt::format("joint '{}' has no angle", item.text("joint")), item.place("joint"),
                  "revolute and cylindrical joints have one");
  const Anchor a = joint.a, b = joint.b;
  const double modelled = builder.planar() ? builder.modelled_angle(b) - builder.modelled_angle(a) : 0;
  const Law law{item.number("stiffness", 0), item.number("damping", 0), item.number("angle", modelled)};
  std::vector<formula::Expression> functions;
  if (item.has("torque")) functions.push_back(item.function("torque"));
  const Place place = item.place(item.has("torque") ? "torque" : "joint");
  if (builder.planar())
    builder.add_force(item, Torsion2{law}, a, b, functions, place);
  else
    builder.add_force(item, Torsion3{law}, a, b, functions, place);
}

}  // namespace

Part torsional_spring_damper_actuator() {
  using model::FieldKind;
  return {
      {model::Section::force,
       "torsional-spring-damper-actuator",
       {"torsional-spring", "rotational-spring", "torsion-spring"},
       "a torque on a joint angle: stiffness, damping, and a formula of t",
       true,
       true,
       {{"joint", FieldKind::joint, true, "", "", "the joint whose angle it acts on", {}},
        {"stiffness", FieldKind::number, false, "0", "N m/rad", "", {}},
        {"damping", FieldKind::number, false, "0", "N m s/rad", "", {}},
        {"angle", FieldKind::angle, false, "as modelled", "rad", "angle of zero spring torque", {}},
        {"torque",
         FieldKind::function,
         false,
         "0",
         "N m",
         "torque of the actuator, a formula of t; it turns the second body back",
         {}}},
       0,
       0},
      build,
      {R"(
T = k (θ − θ₀) + c θ̇ + f(t),        torque −T on the second body about the joint axis, +T on the first
)",
       R"(θ is the joint's angle. In the plane it counts turns; in space θ − θ₀ is taken on the nearest turn, within ±π.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  flap: {mass: 1, inertia: 0.1, at: [0.5, 0], points: {tip: [0.5, 0]}}
joints:
  hinge: {type: revolute, between: [ground, flap], at: [0, 0]}
forces:
  spring: {type: torsional-spring-damper-actuator, joint: hinge, stiffness: 20, damping: 0.3}
analysis: {until: 2}
)"}};
}

}  // namespace mortise::mechanism
