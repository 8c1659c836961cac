#include "mortise/view/curves.h"

#include <fmt/format.h>

#include <algorithm>

#include "mortise/error.h"
#include "mortise/formula/expression.h"

namespace mortise::view {

using analysis::Quantity;
using mechanism::Mechanism;

namespace {

bool below(const std::string& name, const std::string& group) {
  return name.size() > group.size() + 1 && name.starts_with(group) && name[group.size()] == '.' &&
         name.find('.', group.size() + 1) == std::string::npos;
}

bool is_plain_name(const std::string& word) {
  return std::all_of(word.begin(), word.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '.' || c >= 0x80; });
}

[[noreturn]] void no_such(const std::string& word, std::vector<std::string> names) {
  std::vector<std::string> groups;
  for (const std::string& name : names)
    if (const auto dot = name.rfind('.');
        dot != std::string::npos && (groups.empty() || groups.back() != name.substr(0, dot)))
      groups.push_back(name.substr(0, dot));
  names.insert(names.end(), groups.begin(), groups.end());
  const std::string near = nearest_name(word, names);
  throw ModelError(Diagnostic{"M160",
                              fmt::format("there is no quantity or group '{}'", word),
                              {},
                              near.empty() ? "quantities are like body.x, joint.reaction.fx, energy.total; a group is "
                                             "what stands before the last dot"
                                           : fmt::format("did you mean '{}'?", near),
                              false});
}

// A formula of quantities, as a quantity.
Quantity formula_of(const Mechanism& m, const analysis::RunHeader& header, const std::string& text) {
  static const std::vector<std::string> variables{"t"};
  std::vector<formula::FreeName> free;
  formula::Expression expression;
  try {
    expression = formula::Expression::parse(text, variables, {}, &free);
  } catch (const formula::FormulaError& error) {
    const Place place{std::make_shared<const Source>(Source{"formula", text}), 1, error.column + 1, error.length};
    throw ModelError(Diagnostic{"M401", error.what(), place, error.hint, false});
  }
  std::vector<Quantity> parts;
  for (const formula::FreeName& name : free) parts.push_back(analysis::find_quantity(m, header, name.name));
  return {text, "", [expression, parts](const analysis::Frame& frame, const mechanism::Motions& motions) {
            std::vector<double> values{frame.t};
            for (const Quantity& part : parts) values.push_back(part.value(frame, motions));
            return expression.value(values);
          }};
}

struct Found {
  Quantity quantity;
  bool formula = false;
};

std::vector<Found> find_word(const Mechanism& m, const analysis::RunHeader& header, const std::string& word) {
  if (!is_plain_name(word)) return {{formula_of(m, header, word), true}};
  const std::vector<std::string> names = analysis::quantity_names(m);
  if (std::find(names.begin(), names.end(), word) != names.end()) return {{analysis::find_quantity(m, header, word)}};
  std::vector<Found> found;
  for (const std::string& name : names)
    if (below(name, word)) found.push_back({analysis::find_quantity(m, header, name)});
  if (!found.empty()) return found;
  // `left.angle-right.angle` may be a name or a difference: it is a difference where both sides are quantities.
  try {
    if (word.find('-') != std::string::npos) return {{formula_of(m, header, word), true}};
  } catch (const ModelError&) {
  }
  no_such(word, names);
}

Found find_one(const Mechanism& m, const analysis::RunHeader& header, const std::string& word) {
  const std::vector<Found> found = find_word(m, header, word);
  if (found.size() > 1)
    throw ModelError(Diagnostic{"M160",
                                fmt::format("'{}' is a group, and one quantity is needed here", word),
                                {},
                                fmt::format("take one of it, such as '{}'", found.front().quantity.name),
                                false});
  return found.front();
}

}  // namespace

std::vector<Curve> find_curves(const Mechanism& m, const analysis::RunHeader& header,
                               const std::vector<std::string>& words, const std::string& against) {
  std::vector<Curve> curves;
  std::optional<Quantity> common;
  if (!against.empty()) common = find_one(m, header, against).quantity;
  for (const std::string& word : words) {
    std::optional<Quantity> x = common;
    const auto colon = word.find(':');
    if (colon != std::string::npos) x = find_one(m, header, word.substr(0, colon)).quantity;
    for (Found& found : find_word(m, header, word.substr(colon == std::string::npos ? 0 : colon + 1))) {
      const bool log = found.quantity.name.starts_with("constraint.");
      curves.push_back({x, std::move(found.quantity), log, found.formula});
    }
  }
  return curves;
}

std::vector<std::string> usual_words(const Mechanism& m, const analysis::RunHeader& header) {
  std::vector<std::string> words{"energy.total", "constraint.position"};
  const std::string body = !header.bodies.empty() ? header.bodies.front() : "";
  if (body.empty()) return words;
  const std::vector<std::string> names = analysis::quantity_names(m);
  for (const char* column : {"angle", "z", "y", "x"})
    if (std::find(names.begin(), names.end(), body + "." + column) != names.end())
      words.insert(words.begin(), body + "." + column);
  return words;
}

}  // namespace mortise::view
