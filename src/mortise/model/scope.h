// The names a formula of a model may use: parameters (known numbers once `read_parameters` is done), tables as
// functions, the index of a repeated item, and the time. Formulas are parsed once with the parameters bound, so that a
// copy costs one evaluation with its index and nothing else.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mortise/formula/expression.h"
#include "mortise/model/node.h"
#include "mortise/model/report.h"

namespace mortise::model {

struct Parameters {
  std::vector<std::string> names;
  std::vector<double> values;
  std::unordered_map<std::string, int> number;  // name -> position
  bool broken = false;                          // some could not be evaluated: values are not to be trusted
  std::vector<formula::Table> tables;           // functions of one argument, once `read_tables` is done
};

// Reads `parameters:`: formulas that may refer to one another in any order.
Parameters read_parameters(const Node* section, Report& report);

// Reads `tables:`, whose numbers are formulas of the parameters.
void read_tables(const Node* section, Parameters& parameters, Report& report);

struct Scope {
  const Parameters* parameters = nullptr;
  std::string index;        // of a repeated item; "" = none
  bool quantities = false;  // functions may use named quantities: those of forces
};

// What a formula may contain at its place.
struct FormulaRules {
  bool time = false;   // may use t
  bool angle = false;  // may be written with `deg`
  bool turn = false;   // an angle that is rarely more than a full turn: a plain number beyond 2π is worth a note
  std::string_view what = "this value";
  std::span<const std::string> variables{};  // beside t
  std::string_view variable = "t";           // or what stands in its place: s along a curve
  bool row = false;                          // of a row of the user's own: may use coordinates, names with dots
};

// Parses a scalar as a formula of (index, t), or of (t) when the scope has no index; behind them the variables of the
// rules and the quantities it uses, which go to `free`. Mistakes go to the report with their place inside the scalar;
// then the result is empty.
std::optional<formula::Expression> parse_formula(const Node& scalar, const Scope& scope, const FormulaRules& rules,
                                                 Report& report, std::vector<formula::FreeName>* free = nullptr);

// The same for a piece of a scalar (a name pattern's `$(…)`) that begins at `offset`.
std::optional<formula::Expression> parse_formula(const Node& scalar, std::string_view piece, int offset,
                                                 const Scope& scope, const FormulaRules& rules, Report& report,
                                                 std::vector<formula::FreeName>* free = nullptr);

// The value of a formula from `parse_formula` at a copy; t = 0.
double value_at(const formula::Expression& expression, const Scope& scope, int copy);
double value_at(const formula::Expression& expression, bool has_index, int copy);

// A constant formula of parameters: its finite value, or nothing (reported).
std::optional<double> read_number(const Node& node, const Parameters& parameters, const FormulaRules& rules,
                                  Report& report);

// An unquoted scalar with an open '(': probably the beginning of `f(a, b)` inside […] or {…}.
bool cut_by_comma(const Node& scalar);
inline constexpr const char* quote_advice = "inside […] and {…} a comma ends the value: put it in quotes";

// The identifiers in a formula's text, in order, with their offsets.
struct Identifier {
  std::string_view text;
  int offset;
};
std::vector<Identifier> identifiers(std::string_view text);

bool is_formula_word(std::string_view name);  // a constant, function, unit or t: not free for parameters and indices

}  // namespace mortise::model
