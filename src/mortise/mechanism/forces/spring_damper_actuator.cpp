// Spring, damper and actuator between two points. With l = |p_b − p_a|, x = l − l₀ and u = (p_b − p_a)/l the tension is
//
//   F = k x + s(x) + c l̇ + d(l̇, x) + f,       force on b: −F u,  on a: +F u.
//
// Stored: ½ k x² + ∫ s dx; dissipated: (c l̇ + d) l̇; the actuator f, a formula of t and of quantities, applies −f l̇.
// A spring formula that uses more than x stores nothing that could be named: it counts as an actuator.
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

template <int Dimension, class Number = double>
struct Spring {
  static constexpr int dimension = Dimension;
  enum : std::size_t { actuator, spring, damper };  // formulas
  Number stiffness{0}, damping{0}, length{0};
  bool has_spring = false, has_damper = false, stores = true;
  template <class Frame, class F, class T>
  void operator()(const Frame& a, const Frame& b, const F& f, Load<Dimension, T>& out) const {
    using linalg::select;
    const auto s = (b.p - a.p).eval(), sdot = (b.v - a.v).eval();
    const T l = s.norm(), pull = f(actuator);
    const auto u = (s / l).eval();
    const T rate = u.dot(sdot), x = l - length;
    T elastic{0}, more{0};
    if constexpr (std::is_same_v<T, double>) {
      if (has_spring) elastic = f(spring, {x});
      if (has_damper) more = f(damper, {rate, x});
    }
    const T resisting = damping * rate + more;
    out.value = stiffness * x + elastic + resisting + pull;
    out.force = -out.value * u;
    out.potential = T(0.5) * stiffness * x * x;
    if constexpr (std::is_same_v<T, double>)
      if (has_spring && stores && f.energy()) out.potential += f.integral(spring, x);
    out.dissipated = resisting * rate;
    out.applied = -(pull + (stores ? T(0) : elastic)) * rate;
    out.coordinate = l;
    out.rate = rate;
    if (has_spring || has_damper) return;
    // Points that coincide have no direction; without any force along it none is needed.
    const auto together = (l == T(0)) & (stiffness * length == T(0)) & (pull == T(0));
    for (int k = 0; k < Dimension; ++k) out.force[k] = select(together, -damping * sdot[k], out.force[k]);
    out.dissipated = select(together, damping * sdot.dot(sdot), out.dissipated);
    for (T* number : {&out.value, &out.potential, &out.applied, &out.coordinate, &out.rate})
      *number = select(together, T(0), *number);
  }
  bool like(const Spring& other) const {
    return !has_spring && !has_damper && !other.has_spring && !other.has_damper;  // formulas of x have no lanes
  }
  template <class Get>
  Spring<Dimension, Pack> in_lanes(const Get& get) const {
    return {get(&Spring::stiffness), get(&Spring::damping), get(&Spring::length), false, false, stores};
  }
};

void build_spring_damper_actuator(const ItemCopy& item, Builder& builder) {
  const auto [a, b] = builder.two_points(item);
  if (a.body == b.body) Builder::fail("M142", "both ends are on the same body", item.place("between"));
  const double k = item.number("stiffness", 0), c = item.number("damping", 0);
  const double modelled = (builder.modelled_point(b) - builder.modelled_point(a)).norm();
  const double l0 = item.number("length", modelled);
  if (l0 < 0) Builder::fail("M145", "a free length cannot be negative", item.place("length"));
  const std::vector<model::Function> functions{Builder::formula(item, "force"), Builder::formula(item, "spring"),
                                               Builder::formula(item, "damper")};
  const bool stores = Builder::is_of_own_variable(functions[Spring<2>::spring]);
  const bool has_spring = item.has("spring"), has_damper = item.has("damper");
  const Place place = item.place(item.has("force") ? "force" : "between");
  const ForceTraits traits{ForceScalar::force, "length"};
  if (builder.planar())
    builder.add_force(item, Spring<2>{k, c, l0, has_spring, has_damper, stores}, a, b, functions, place, traits);
  else
    builder.add_force(item, Spring<3>{k, c, l0, has_spring, has_damper, stores}, a, b, functions, place, traits);
}

}  // namespace

Part spring_damper_actuator() {
  using model::FieldKind;
  std::vector<model::FieldSpec> fields{
      {"between", FieldKind::attachments, true, "", "", "the two bodies, or named points on them", {}},
      {"points", FieldKind::points, false, "origins", "m", "one point per body, in body axes", {}},
      {"stiffness", FieldKind::number, false, "0", "N/m", "", {}},
      {"damping", FieldKind::number, false, "0", "N s/m", "", {}},
      {"length", FieldKind::number, false, "as modelled", "m", "free length of the spring", {}},
      {"spring", FieldKind::function, false, "0", "N", "more tension, a formula of x = length - free length [m]", {}},
      {"damper",
       FieldKind::function,
       false,
       "0",
       "N",
       "more tension, a formula of v, the rate of the length, and x",
       {}},
      {"force", FieldKind::function, false, "0", "N", "pull of the actuator, a formula of t and of quantities", {}}};
  fields[5].variables = {"x"};
  fields[6].variables = {"v", "x"};
  return {
      {model::Section::force,
       "spring-damper-actuator",
       {"spring", "spring-damper", "damper", "actuator"},
       "pulls two points together: stiffness, damping, and formulas of deflection, speed and t",
       true,
       true,
       fields,
       0,
       0},
      build_spring_damper_actuator,
      {R"(
F = k x + s(x) + c l̇ + d(l̇, x) + f,        l = |p_b − p_a|,  x = l − l₀
force on the second body: F along the line to the first, and the opposite
)",
       R"(Pulling is positive. s is the formula `spring` of x, d the formula `damper` of v = l̇ and x, f the actuator `force`, a
formula of t and of quantities. ½ k x² + ∫ s dx is stored energy, (c l̇ + d) l̇ is dissipated, the actuator's power −f l̇
is applied; a `spring` formula that uses more than x counts as applied, too. Two points in one place have no line: only
`damping` and a spring of free length zero, without formulas, can pass there.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  bob: {type: particle, mass: 1, at: [0.4, -1]}
forces:
  spring: {type: spring-damper-actuator, between: [ground, bob], stiffness: 50, spring: 200*x^3, damping: 0.5,
           length: 1}
analysis: {until: 3}
)"}};
}

}  // namespace mortise::mechanism
