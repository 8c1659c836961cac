// Drag on a point that moves with the velocity u against the air (u = v − wind):
//
//   F = −( c + ½ ρ c_d A |u| ) u.
//
// Dissipated: −F·u; what the wind gives is applied: F·wind.
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

template <int Dimension>
struct Drag {
  static constexpr int dimension = Dimension;
  double linear = 0, quadratic = 0;
  bool has_wind = false;
  template <class Frame>
  void operator()(const Frame&, const Frame& b, const Formulas& f, Load<Dimension>& out) const {
    Eigen::Matrix<double, Dimension, 1> wind = decltype(wind)::Zero();
    if (has_wind)
      for (int k = 0; k < Dimension; ++k) wind[k] = f(static_cast<std::size_t>(k));
    const auto u = (b.v - wind).eval();
    out.force = -(linear + quadratic * u.norm()) * u;
    out.dissipated = -out.force.dot(u);
    out.applied = out.force.dot(wind);
  }
};

void build_drag(const ItemCopy& item, Builder& builder) {
  const Anchor b = builder.anchor(item.attachment("body"));
  if (b.body == ground) Builder::fail("M149", "a force on the ground moves nothing", item.place("body"));
  if (item.has("area") != item.has("cd"))
    Builder::fail("M164", "`area` and `cd` go together", item.place(item.has("area") ? "area" : "cd"),
                  "the drag is density/2 * cd * area * speed^2");
  if (!item.has("area") && !item.has("linear"))
    Builder::fail("M164", "this drag has no size", item.place(), "give `area` and `cd`, or `linear`");
  const double quadratic = 0.5 * item.number("density", 1.225) * item.number("cd", 0) * item.number("area", 0);
  const double linear = item.number("linear", 0);
  const bool has_wind = item.has("wind");
  const auto wind = has_wind ? item.formulas("wind") : std::vector<model::Function>{};
  const Place place = item.place(has_wind ? "wind" : "body");
  if (builder.planar())
    builder.add_force(item, Drag<2>{linear, quadratic, has_wind}, Anchor{}, b, wind, place);
  else
    builder.add_force(item, Drag<3>{linear, quadratic, has_wind}, Anchor{}, b, wind, place);
}

}  // namespace

Part drag() {
  using model::FieldKind;
  std::vector<model::FieldSpec> fields{
      {"body", FieldKind::attachment, true, "", "", "body, or a named point on it", {}},
      {"area", FieldKind::number, false, "0", "m²", "that the air meets", {}},
      {"cd", FieldKind::number, false, "0", "", "drag coefficient", {}},
      {"density", FieldKind::number, false, "1.225", "kg/m³", "of the air", {}},
      {"linear", FieldKind::number, false, "0", "N s/m", "drag in proportion to the speed", {}},
      {"wind",
       FieldKind::function_vector,
       false,
       "0",
       "m/s",
       "velocity of the air, formulas of t and of quantities",
       {}}};
  for (std::size_t k = 1; k < 5; ++k) fields[k].minimum = 0;
  return {
      {model::Section::force,
       "drag",
       {"air-drag"},
       "resistance of the air on a point: quadratic, linear or both, against a wind",
       true,
       true,
       fields,
       0,
       0},
      build_drag,
      {R"(
F = −(c + ½ ρ c_d A |u|) u,        u = v − wind
)",
       R"(c is `linear`; ρ, c_d and A are `density`, `cd` and `area`: the last two go together. v is the velocity of the point,
the wind is in world axes. The force acts at the point, so off the centre of mass it turns the body. −F·u is
dissipated, what the wind gives, F·wind, is applied.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  stone: {type: particle, mass: 0.05, at: [0, 0], velocity: [12, 12]}
  ball: {type: particle, mass: 0.05, at: [0, 0], velocity: [12, 12]}
forces:
  air: {type: drag, body: ball, area: 0.01, cd: 0.47, wind: [-3, 0]}
analysis: {until: 2}
)"}};
}

}  // namespace mortise::mechanism
