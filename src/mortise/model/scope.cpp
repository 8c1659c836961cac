#include "mortise/model/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <span>

#include "mortise/model/names.h"

namespace mortise::model {

namespace {

std::optional<double> plain_number(std::string_view text) {
  if (text.empty() || !(is_digit(text.back()) || text.back() == '.')) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Binds the parameters among the first `count` variables, so that (index, t) remain.
formula::Expression bind_parameters(const formula::Expression& parsed, const std::vector<double>& known,
                                    std::size_t variables) {
  if (known.empty()) return parsed;
  std::vector<double> values(known);
  values.resize(variables);
  const std::unique_ptr<bool[]> bound(new bool[variables]);
  for (std::size_t k = 0; k < variables; ++k) bound[k] = k < known.size();
  return parsed.bind(values, std::span<const bool>(bound.get(), variables));
}

}  // namespace

bool cut_by_comma(const Node& scalar) {
  const std::string& text = scalar.text;
  return scalar.kind == Node::Kind::scalar && !scalar.quoted &&
         std::count(text.begin(), text.end(), '(') > std::count(text.begin(), text.end(), ')');
}

std::vector<Identifier> identifiers(std::string_view text) {
  std::vector<Identifier> found;
  for (std::size_t k = 0; k < text.size();) {
    if (is_letter(text[k])) {
      std::size_t end = k;
      while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
      found.push_back({text.substr(k, end - k), static_cast<int>(k)});
      k = end;
    } else if (is_digit(text[k]) || text[k] == '.') {
      // A number with its exponent is no identifier: 1e5, 2.5E-3.
      while (k < text.size() && (is_digit(text[k]) || text[k] == '.')) ++k;
      if (k + 1 < text.size() && (text[k] == 'e' || text[k] == 'E') &&
          (is_digit(text[k + 1]) ||
           ((text[k + 1] == '-' || text[k + 1] == '+') && k + 2 < text.size() && is_digit(text[k + 2])))) {
        k += 2;
        while (k < text.size() && is_digit(text[k])) ++k;
      }
    } else {
      ++k;
    }
  }
  return found;
}

bool is_formula_word(std::string_view name) {
  return name == "t" || name == "inf" || name == "nan" || name == "true" || name == "false" ||
         formula::is_reserved(name);
}

std::optional<formula::Expression> parse_formula(const Node& scalar, const Scope& scope, const FormulaRules& rules,
                                                 Report& report, std::vector<formula::FreeName>* free) {
  return parse_formula(scalar, scalar.text, 0, scope, rules, report, free);
}

std::optional<formula::Expression> parse_formula(const Node& scalar, std::string_view text, int offset,
                                                 const Scope& scope, const FormulaRules& rules, Report& report,
                                                 std::vector<formula::FreeName>* free) {
  // The formulas of a row share their coordinates: those of the formulas before come first.
  std::vector<formula::FreeName> quantities;
  if (rules.row) quantities = *free;
  if (const auto number = plain_number(text)) return formula::Expression(*number);

  // Only the names that occur are passed on: a formula costs its own length, however many parameters there are.
  const std::vector<Identifier> words = identifiers(text);
  std::vector<std::string> variables;
  std::vector<double> known;
  for (const Identifier& word : words) {
    const auto it = scope.parameters->number.find(std::string(word.text));
    const bool parameter = it != scope.parameters->number.end();
    if (word.text == rules.variable && (parameter || word.text == scope.index)) {
      report.error("M407", fmt::format("'{}' is what this formula is of, and a name of the model too", word.text),
                   scalar.inside(offset + word.offset, static_cast<int>(word.text.size())),
                   parameter ? "rename the model's parameter" : "choose another index");
      return std::nullopt;
    }
    if (!parameter || word.text == scope.index) continue;
    if (std::find(rules.variables.begin(), rules.variables.end(), word.text) != rules.variables.end()) continue;
    if (std::find(variables.begin(), variables.end(), word.text) != variables.end()) continue;
    variables.emplace_back(word.text);
    known.push_back(scope.parameters->values[static_cast<std::size_t>(it->second)]);
  }
  if (!scope.index.empty()) variables.push_back(scope.index);
  variables.emplace_back(rules.variable);
  const int time = static_cast<int>(variables.size()) - 1;
  variables.insert(variables.end(), rules.variables.begin(), rules.variables.end());

  formula::Expression parsed;
  try {
    try {
      parsed = formula::Expression::parse(text, variables, scope.parameters->tables, &quantities);
    } catch (const formula::FormulaError&) {
      // Again with all names, so that the nearest one can be proposed.
      std::vector<std::string> all(scope.parameters->names);
      if (all.size() > 2000) all.resize(2000);
      if (!scope.index.empty()) all.push_back(scope.index);
      if (rules.time) all.emplace_back(rules.variable);
      all.insert(all.end(), rules.variables.begin(), rules.variables.end());
      formula::Expression::parse(text, all, scope.parameters->tables, &quantities);
      throw;
    }
  } catch (const formula::FormulaError& e) {
    std::string hint = e.hint;
    if (cut_by_comma(scalar)) hint += (hint.empty() ? "" : "; ") + std::string(quote_advice);
    report.error("M401", e.what(), scalar.inside(offset + e.column, e.length), hint);
    return std::nullopt;
  }
  if (!quantities.empty() && !(free && (rules.row || (scope.quantities && rules.time)))) {
    const formula::FreeName& first = quantities.front();
    report.error("M406",
                 rules.time ? fmt::format("a driver prescribes a motion: its formula cannot use the quantity {}",
                                          quote(first.name))
                            : fmt::format("{} is fixed during a run: its formula cannot use the quantity {}",
                                          rules.what, quote(first.name)),
                 scalar.inside(offset + first.column, first.length), "only formulas of forces may use quantities");
    return std::nullopt;
  }
  if (!rules.time && parsed.uses(time)) {
    int column = 0;
    for (const Identifier& word : words)
      if (word.text == "t") {
        column = word.offset;
        break;
      }
    report.error("M402", fmt::format("{} is fixed during a run: its formula cannot use the time t", rules.what),
                 scalar.inside(offset + column, 1));
    return std::nullopt;
  }
  if (!rules.angle && parsed.has_angle_unit()) {
    const auto unit = std::find_if(words.begin(), words.end(), [](const Identifier& w) { return w.text == "deg"; });
    const int column = unit == words.end() ? 0 : unit->offset;
    report.error("M307", fmt::format("{} is not an angle: 'deg' has no place here", rules.what),
                 scalar.inside(offset + column, unit == words.end() ? 1 : 3));
    return std::nullopt;
  }
  const std::size_t count = variables.size() + quantities.size();
  if (free) *free = std::move(quantities);
  return bind_parameters(parsed, known, count);
}

double value_at(const formula::Expression& expression, bool has_index, int copy) {
  const double variables[2] = {static_cast<double>(copy), 0.0};
  return expression.value(has_index ? std::span<const double>(variables, 2)
                                    : std::span<const double>(variables + 1, 1));
}

double value_at(const formula::Expression& expression, const Scope& scope, int copy) {
  return value_at(expression, !scope.index.empty(), copy);
}

std::optional<double> read_number(const Node& node, const Parameters& parameters, const FormulaRules& rules,
                                  Report& report) {
  if (node.kind != Node::Kind::scalar) {
    report.error("M104", fmt::format("expected a number for {}, found {}", rules.what, kind_name(node)), node.place);
    return std::nullopt;
  }
  const auto parsed = parse_formula(node, {&parameters, ""}, rules, report);
  if (!parsed) return std::nullopt;
  const double value = value_at(*parsed, false, 0);
  if (!std::isfinite(value)) {
    report.error("M301", fmt::format("{} is not a finite number", quote(node.text)), node.place);
    return std::nullopt;
  }
  return value;
}

}  // namespace mortise::model
