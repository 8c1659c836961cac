// Couplings: a linear relation of coordinates of other joints and bodies, or of their rates.
//
//   coupling:         Σ c_i x_i − constant = 0         (1 row, holonomic)
//   speed-coupling:   Σ c_i ẋ_i − f(t) = 0             (1 row, nonholonomic)
//
// Both are divided by c_1: their unit is that of the first term, and the multiplier is the force or torque that the row
// takes from the first coordinate. Angles in space are known up to full turns, so that the sum is compared on the
// nearest multiple of what turns add to it (commensurate.h): no memory, any number of turns.
#include <fmt/format.h>

#include <cmath>

#include "mortise/mechanism/commensurate.h"
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using model::FieldKind;

struct Terms {
  std::vector<Measured> measures;
  std::vector<double> coefficients;  // as written
};

Terms read_terms(const ItemCopy& item, const Builder& builder, Builder::Names names) {
  Terms out;
  for (const model::Term& term : item.terms("terms")) {
    if (term.coefficient == 0)
      Builder::fail("M172", fmt::format("the coefficient of '{}' is zero", term.name), term.place,
                    "leave the term out");
    out.measures.push_back(builder.measured(term.name, names, term.place));
    out.coefficients.push_back(term.coefficient);
  }
  if (out.measures.empty())
    Builder::fail("M172", fmt::format("'{}' couples nothing", item.name()), item.place("terms"),
                  "name at least one coordinate: {A.angle: 1, B.angle: -2}");
  return out;
}

void build_coupling(const ItemCopy& item, Builder& builder) {
  Terms terms = read_terms(item, builder, Builder::Names::coordinates);
  const double first = terms.coefficients[0];
  double modelled = 0;
  std::vector<double> turning;  // coefficients of angles that are known up to full turns
  for (std::size_t k = 0; k < terms.measures.size(); ++k) {
    modelled += terms.coefficients[k] * builder.modelled_value(terms.measures[k]);
    if (terms.measures[k].turns) turning.push_back(terms.coefficients[k]);
    terms.coefficients[k] /= first;
  }
  double period = 0;
  if (!turning.empty()) {
    const auto unit = common_unit(turning);
    if (!unit)
      Builder::fail("M171",
                    fmt::format("'{}': angles in space are known up to full turns, and the coefficients of the angles "
                                "have no common unit",
                                item.name()),
                    item.place("terms"), "use whole numbers (teeth), or type: speed-coupling with the same terms");
    period = 2 * M_PI * *unit / std::abs(first);
  }
  builder.add_coupling(item, terms.measures, terms.coefficients, true, item.number("constant", modelled) / first,
                       period);
}

// f(t) of the divided row: the formula itself cannot be scaled, so that the first coefficient stays with the terms
// unless there is no function.
void build_speed_coupling(const ItemCopy& item, Builder& builder) {
  Terms terms = read_terms(item, builder, Builder::Names::rates);
  if (!item.has("function")) {
    const double first = terms.coefficients[0];
    for (double& c : terms.coefficients) c /= first;
    builder.add_coupling(item, terms.measures, terms.coefficients, false, 0, 0);
    return;
  }
  builder.add_coupling(item, terms.measures, terms.coefficients, false, 0, 0, item.function("function"),
                       item.place("function"));
}

model::FieldSpec coupling_active() {
  return {"active", FieldKind::flag, false, "true", "", "false: the row is there but off", {}};
}

}  // namespace

Part coupling() {
  return {
      {model::Section::joint,
       "coupling",
       {"linear-coupling"},
       "a linear relation of joint and body coordinates: planetary gears, belts, rack and pinion",
       true,
       true,
       {{"terms",
         FieldKind::terms,
         true,
         "",
         "",
         "coordinates and their coefficients: {A.angle: 1, slider.displacement: -3, body.P.x: 2}",
         {}},
        {"constant", FieldKind::number, false, "as modelled", "", "value of the sum", {}},
        coupling_active()},
       1,
       1},
      build_coupling,
      {R"(
Σ (c_i/c_1) x_i − constant/c_1 = 0        row sum, in the unit of the first term
)",
       R"(x_i are coordinates by name: `JOINT.angle`, `JOINT.displacement`, `JOINT.distance`, `BODY.x`, `BODY.POINT.y`, in the
plane `BODY.angle`. The multiplier is the force or torque that the row takes from the first coordinate; the reaction
shown is that on the last term's body. Angles in space are known up to full turns, which the row follows if the
coefficients of the angles have a common unit (whole numbers, fractions with denominators up to 1000); else use
`speed-coupling`.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  drum: {mass: 4, inertia: 0.08, at: [0, 0], points: {mark: [-0.2, 0]}}
  load: {mass: 1, inertia: 0.01, at: [0.2, -0.4], points: {a: [0, -0.1], b: [0, 0.1]}}
joints:
  axle: {type: revolute, between: [ground, drum], at: [0, 0]}
  shaft: {type: prismatic, between: [ground, load], at: [0.2, -0.4], axis: [0, 1]}
  rope: {type: coupling, terms: {shaft.displacement: 1, axle.angle: -0.2}}
analysis: {until: 0.5}
)"}};
}

Part speed_coupling() {
  return {
      {model::Section::joint,
       "speed-coupling",
       {},
       "a linear relation of rates: sum of coefficient times rate = function of t",
       true,
       true,
       {{"terms",
         FieldKind::terms,
         true,
         "",
         "",
         "coordinates (their rates are meant) or velocities and their coefficients: {A.angle: 1, body.vx: -2}",
         {}},
        {"function", FieldKind::function, false, "0", "", "value of the sum as a formula of t", {}},
        coupling_active()},
       1,
       1},
      build_speed_coupling,
      {R"(
Σ c_i ẋ_i − f(t) = 0        row rates (nonholonomic);  without f divided by c_1
)",
       R"(The terms are velocities by name (`BODY.vx`, `BODY.POINT.vx`, `BODY.wz`, in space also `wx`, `wy`, all in world axes)
or coordinates, which stand for their rates. Only rates are tied: an offset of the positions stays. The reaction shown
is that on the last term's body.)",
       R"(
mortise: 1
dimension: planar
bodies:
  small: {mass: 1, inertia: 0.02, at: [0, 0], points: {mark: [0.2, 0]}}
  large: {mass: 2, inertia: 0.1, at: [0.8, 0], points: {mark: [0.4, 0]}}
joints:
  A: {type: revolute, between: [ground, small], at: [0, 0]}
  B: {type: revolute, between: [ground, large], at: [0.8, 0]}
  belt: {type: speed-coupling, terms: {A.angle: 0.2, B.angle: -0.4}}
forces:
  motor: {type: torque, body: small, value: 0.1}
analysis: {until: 1.6}
)"}};
}

}  // namespace mortise::mechanism
