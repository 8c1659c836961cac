// Spring, damper and actuator between two points. With l = |p_b − p_a| and u = (p_b − p_a)/l the tension is
//
//   F = k (l − l₀) + c l̇ + f(t),       force on b: −F u,  on a: +F u,
//
// stored energy ½ k (l − l₀)², dissipated power c l̇², power of the actuator −f l̇.
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using Values = std::array<double, 3>;

template <int Dimension>
struct Spring {
  static constexpr int dimension = Dimension;
  double stiffness = 0, damping = 0, length = 0;
  template <class Frame>
  void operator()(const Frame& a, const Frame& b, const Values& f, Load<Dimension>& out) const {
    const auto s = (b.p - a.p).eval();
    const double l = s.norm();
    // Points that coincide have no direction; without any force along it none is needed.
    if (l == 0 && stiffness * length == 0 && f[0] == 0) {
      out.force = -damping * (b.v - a.v);
      out.dissipated = damping * (b.v - a.v).squaredNorm();
      return;
    }
    const auto u = (s / l).eval();
    const double rate = u.dot(b.v - a.v), stretch = l - length;
    out.force = -(stiffness * stretch + damping * rate + f[0]) * u;
    out.potential = 0.5 * stiffness * stretch * stretch;
    out.dissipated = damping * rate * rate;
    out.applied = -f[0] * rate;
  }
};

void build(const ItemCopy& item, Builder& builder) {
  const auto [a, b] = builder.two_points(item);
  if (a.body == b.body) Builder::fail("M142", "both ends are on the same body", item.place("between"));
  const double k = item.number("stiffness", 0), c = item.number("damping", 0);
  const double modelled = (builder.modelled_point(b) - builder.modelled_point(a)).norm();
  const double l0 = item.number("length", modelled);
  if (l0 < 0) Builder::fail("M145", "a free length cannot be negative", item.place("length"));
  std::vector<formula::Expression> functions;
  if (item.has("force")) functions.push_back(item.function("force"));
  const Place place = item.place(item.has("force") ? "force" : "between");
  if (builder.planar())
    builder.add_force(item, Spring<2>{k, c, l0}, a, b, functions, place);
  else
    builder.add_force(item, Spring<3>{k, c, l0}, a, b, functions, place);
}

}  // namespace

Part spring_damper_actuator() {
  using model::FieldKind;
  return {
      {model::Section::force,
       "spring-damper-actuator",
       {"spring", "spring-damper", "damper", "actuator"},
       "pulls two points together: stiffness, damping, and a formula of t",
       true,
       true,
       {{"between", FieldKind::attachments, true, "", "", "the two bodies, or named points on them", {}},
        {"points", FieldKind::points, false, "origins", "m", "one point per body, in body axes", {}},
        {"stiffness", FieldKind::number, false, "0", "N/m", "", {}},
        {"damping", FieldKind::number, false, "0", "N s/m", "", {}},
        {"length", FieldKind::number, false, "as modelled", "m", "free length of the spring", {}},
        {"force", FieldKind::function, false, "0", "N", "pull of the actuator, a formula of t", {}}},
       0,
       0},
      build,
      {R"(
F = k (l − l₀) + c l̇ + f(t),        l = |p_b − p_a|
force on the second body: F along the line to the first, and the opposite
)",
       R"(Pulling is positive. ½ k (l − l₀)² is stored energy, c l̇² is dissipated, the actuator's power −f l̇ is applied.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  bob: {type: particle, mass: 1, at: [0.4, -1]}
forces:
  spring: {type: spring-damper-actuator, between: [ground, bob], stiffness: 50, damping: 0.5, length: 1}
analysis: {until: 3}
)"}};
}

}  // namespace mortise::mechanism
