// Ends of a coordinate's range: unilateral rows with restitution.
//
//   lower   φ = x − x_min ≥ 0,     upper   φ = x_max − x ≥ 0        each with its own row, which only pushes (−λ ≥ 0)
//
//   impact  φ = 0, φ̇⁻ < 0:   φ̇⁺ = −e φ̇⁻;  a rebound slower than `rest_speed` is none: the row stays on until it would
//   pull
#include <fmt/format.h>

#include "mortise/mechanism/event.h"
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

void build_limit(const ItemCopy& item, Builder& builder) {
  if (item.has("joint") == item.has("of"))
    Builder::fail("M463", fmt::format("event '{}' needs either 'joint' or 'of'", item.name()), item.place(),
                  "joint: hinge, or of: {block.x: 1}");
  std::vector<Measured> terms;
  std::vector<double> coefficients;
  if (item.has("joint")) {
    const Constraint& c = builder.joint(item, "joint");
    const char* word = c.measures_angle ? ".angle" : c.slides ? ".displacement" : ".distance";
    if (c.measures_angle && c.slides)
      Builder::fail("M463", fmt::format("joint '{}' both turns and slides", item.text("joint")), item.place("joint"),
                    fmt::format("of: {{{0}.angle: 1}} or of: {{{0}.displacement: 1}}", item.text("joint")));
    terms.push_back(builder.measured(item.text("joint") + word, Builder::Names::coordinates, item.place("joint")));
    coefficients.push_back(1);
  } else {
    for (const model::Term& term : item.terms("of")) {
      terms.push_back(builder.measured(term.name, Builder::Names::coordinates, term.place));
      coefficients.push_back(term.coefficient);
    }
    if (terms.empty()) Builder::fail("M463", "'of' names no coordinate", item.place("of"));
  }
  if (!item.has("minimum") && !item.has("maximum"))
    Builder::fail("M463", fmt::format("event '{}' needs 'minimum' or 'maximum'", item.name()), item.place());
  if (item.has("minimum") && item.has("maximum") && !(item.number("minimum") < item.number("maximum")))
    Builder::fail("M463", "'minimum' must be below 'maximum'", item.place("maximum"));
  const double restitution = item.number("restitution", 0);
  if (restitution < 0 || restitution > 1)
    Builder::fail("M464", fmt::format("a restitution of {:.9g}: it lies between 0 and 1", restitution),
                  item.place("restitution"));
  const int count = item.has("minimum") + item.has("maximum");
  Event& event = builder.add_event(count);
  event.kind = Event::Kind::stop;
  event.restitution = restitution;
  event.rest_speed = item.number("rest_speed", -1);
  std::vector<int> rows;
  if (item.has("minimum")) {
    builder.begin_event_rows(count == 2 ? "-lower" : "");
    builder.add_coupling(item, terms, coefficients, true, item.number("minimum"), 0);
    rows.push_back(builder.last_constraint().row);
  }
  if (item.has("maximum")) {
    builder.begin_event_rows(count == 2 ? "-upper" : "");
    for (double& c : coefficients) c = -c;
    builder.add_coupling(item, terms, coefficients, true, -item.number("maximum"), 0);
    rows.push_back(builder.last_constraint().row);
  }
  event.rows = rows;
}

}  // namespace

Part limit() {
  using model::FieldKind;
  std::vector<model::FieldSpec> fields{
      {"joint", FieldKind::joint, false, "", "", "whose angle, displacement or distance has the range", {}},
      {"of", FieldKind::terms, false, "", "", "or a sum of coordinates: {block.x: 1, wall.x: -1}", {}},
      {"minimum", FieldKind::number, false, "none", "m or rad", "lower end", {}},
      {"maximum", FieldKind::number, false, "none", "m or rad", "upper end", {}},
      {"restitution", FieldKind::number, false, "0", "", "speed after an impact over that before it, 0 to 1", {}},
      {"rest_speed",
       FieldKind::number,
       false,
       "1e-4 of what is typical",
       "m/s or rad/s",
       "a slower rebound is none: the stop stays closed until it would pull",
       {}}};
  fields[5].minimum = 0;
  return {
      {model::Section::event,
       "limit",
       {"range", "end-stop"},
       "ends of the range of a joint's coordinate: impacts with restitution, rest, release",
       true,
       true,
       fields,
       0,
       0},
      build_limit,
      {R"(
x − minimum ≥ 0,   maximum − x ≥ 0        row sum of either end: it pushes only, and is on while it touches
impact:   M (v⁺ − v⁻) + AᵀΛ = 0,   φ̇⁺ = −e φ̇⁻ at the end that is hit,   −Λ ≥ 0
)",
       R"(Impacts are found as zeros of φ on the dense output. Bounces that would go on for ever (each one shorter than the
last) end when the rebound falls below `rest_speed`: the row is then on, and goes off where its reaction would pull. The
rows are constraints called `NAME-lower` and `NAME-upper` (`NAME` where there is one end): `stop-lower.reaction.fx`.
In space an angle is known up to full turns: the ends lie within ±π. `EVENT.state` is 1 while the first end touches.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.083, at: [0.5, 0], points: {tip: [0.5, 0], root: [-0.5, 0]}}
joints:
  hinge: {type: revolute, between: [ground, arm], at: [0, 0]}
events:
  stop: {type: limit, joint: hinge, minimum: -60 deg, restitution: 0.5}
analysis: {until: 2}
)"}};
}

}  // namespace mortise::mechanism
