// A velocity row as the user writes it, with formulas of t and of coordinates for coefficients:
//
//   Σ a_i(x, t) u_i + a_t(x, t) = 0      (1 row, nonholonomic)
//
// u_i are velocities by name (body.vx, body.P.vy, body.wz, the rate of A.angle), x coordinates by name. The right-hand
// side needs ȧ along the motion: the formulas give it exactly (coupling.h).
#include <fmt/format.h>

#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using model::FieldKind;

void build_user_row(const ItemCopy& item, Builder& builder) {
  std::vector<Measured> velocities;
  std::vector<formula::Expression> coefficients;
  const std::vector<model::RowTerm> terms = item.row_terms("coefficients");
  if (terms.empty())
    Builder::fail("M172", fmt::format("'{}' has no coefficients", item.name()), item.place("coefficients"),
                  "name at least one velocity: {skate.vx: sin(skate.angle), skate.vy: -cos(skate.angle)}");
  for (const model::RowTerm& term : terms) {
    velocities.push_back(builder.measured(term.name, Builder::Names::rates, term.place));
    coefficients.push_back(term.coefficient.formula);
  }
  const auto used = [&](std::string_view field) {
    std::vector<Measured> found;
    for (const model::RowVariable& variable : item.row_variables(field))
      found.push_back(builder.measured(variable.name, Builder::Names::coordinates, variable.place));
    constexpr std::size_t most = UserRowGroup<2>::most_coordinates;
    if (found.size() > most)
      Builder::fail("M173", fmt::format("'{}' uses {} coordinates", item.name(), found.size()), item.place(field),
                    fmt::format("a row may use up to {}", most));
    return found;
  };
  builder.add_user_row(item, velocities, coefficients, item.row_function("constant").formula, used("coefficients"),
                       used("constant"), item.place("coefficients"));
}

}  // namespace

Part user_row() {
  return {
      {model::Section::joint,
       "row",
       {"nonholonomic", "velocity-row"},
       "a velocity row of your own: sum of coefficient times velocity + constant = 0",
       true,
       true,
       {{"coefficients",
         FieldKind::row_terms,
         true,
         "",
         "",
         "velocities and their coefficients, formulas of t and of coordinates: {skate.vx: sin(skate.angle)}",
         {}},
        {"constant", FieldKind::row_function, false, "0", "", "what is added, a formula of the same kind", {}},
        {"active", FieldKind::flag, false, "true", "", "false: the row is there but off", {}}},
       1,
       1},
      build_user_row,
      {R"(
Σ a_i(x, t) u_i + a_t(x, t) = 0        row row (nonholonomic)
)",
       R"(u_i are velocities by name (`BODY.vx`, `BODY.POINT.vy`, `BODY.wz`, a coordinate for its rate), x coordinates by name,
all in world axes; a_i are the `coefficients`, a_t is the `constant`. Up to 31 coordinates in a row. A name with `-`
cannot stand in a formula. The reaction shown is that on the last coefficient's body.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -2]
bodies:
  skate: {mass: 1, inertia: 0.2, at: [0, 0], angular_velocity: 2, points: {heel: [-0.1, 0], toe: [0.1, 0]}}
joints:
  blade: {type: row, coefficients: {skate.vx: sin(skate.angle), skate.vy: -cos(skate.angle)}}
analysis: {until: 6}
)"}};
}

}  // namespace mortise::mechanism
