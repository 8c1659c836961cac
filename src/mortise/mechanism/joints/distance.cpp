// Distance joint (a massless rod): |p_b − p_a| = L   (1 row). Not for L = 0, where the direction is undefined.
#include "mortise/mechanism/measures.h"
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

void build_distance(const ItemCopy& item, Builder& builder) {
  const auto [a, b] = builder.two_points(item);
  const double modelled = (builder.modelled_point(b) - builder.modelled_point(a)).norm();
  const double length = item.number("length", modelled);
  if (!(length > 0))
    Builder::fail("M145", "a distance joint needs a length above zero",
                  item.place(item.has("length") ? "length" : "between"),
                  "to hold two points together use revolute (planar) or spherical (spatial)");
  if (builder.planar())
    builder.add_constraint(item, Held<Length2>{{}, length}, a, b, {.length = true});
  else
    builder.add_constraint(item, Held<Length3>{{}, length}, a, b, {.length = true});
}

}  // namespace

Part distance() {
  using model::FieldKind;
  return {
      {model::Section::joint,
       "distance",
       {"rod", "massless-rod"},
       "holds two points at a distance",
       true,
       true,
       joint_fields(0, {{"points", FieldKind::points, false, "origins", "m", "one point per body, in body axes", {}},
                        {"length", FieldKind::number, false, "as modelled", "m", "distance to hold", {}}}),
       1,
       1},
      build_distance,
      {R"(
|p_b − p_a| − L = 0        row length
)",
       R"(A massless rod with balls at its ends. The reaction is along the line of the two points. L must be above zero: two
points in one place have no line.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  bob: {type: particle, mass: 1, at: [0.8, -0.6]}
joints:
  rod: {type: distance, between: [ground, bob]}
analysis: {until: 1}
)"}};
}

}  // namespace mortise::mechanism
