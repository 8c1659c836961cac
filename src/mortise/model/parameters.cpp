// Parameters: numbers with names, given by formulas that may refer to one another in any order. They are evaluated in
// the order of their references (depth first, without recursion); a circle is reported with its members.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mortise/model/names.h"
#include "mortise/model/scope.h"

namespace mortise::model {

namespace {

struct Definition {
  const Entry* entry = nullptr;
  formula::Expression expression;
  std::vector<int> refers_to;  // the variables of `expression`, in order
};

// The formula with the parameters it mentions as its variables; false when it has mistakes.
bool parse(Definition& d, const Parameters& parameters, Report& report) {
  const Node& node = d.entry->value;
  std::vector<std::string> variables;
  const std::vector<Identifier> words = identifiers(node.text);
  for (const Identifier& word : words) {
    const auto it = parameters.number.find(std::string(word.text));
    if (it == parameters.number.end()) continue;
    if (std::find(d.refers_to.begin(), d.refers_to.end(), it->second) != d.refers_to.end()) continue;
    variables.emplace_back(word.text);
    d.refers_to.push_back(it->second);
  }
  const auto time = std::find_if(words.begin(), words.end(), [](const Identifier& w) { return w.text == "t"; });
  if (time != words.end()) {
    report.error("M402", "a parameter is fixed during a run: its formula cannot use the time t",
                 node.inside(time->offset, 1));
    return false;
  }
  try {
    try {
      d.expression = formula::Expression::parse(node.text, variables);
    } catch (const formula::FormulaError&) {
      std::vector<std::string> all(parameters.names);
      if (all.size() > 2000) all.resize(2000);
      formula::Expression::parse(node.text, all);
      throw;
    }
  } catch (const formula::FormulaError& e) {
    std::string hint = e.hint;
    if (cut_by_comma(node)) hint += (hint.empty() ? "" : "; ") + std::string(quote_advice);
    report.error("M401", e.what(), node.inside(e.column, e.length), hint);
    return false;
  }
  return true;
}

}  // namespace

Parameters read_parameters(const Node* section, Report& report) {
  Parameters out;
  if (!section || section->kind == Node::Kind::null) return out;
  if (section->kind != Node::Kind::map) {
    report.error("M104",
                 fmt::format("expected a map of names and values under parameters, found {}", kind_name(*section)),
                 section->place);
    return out;
  }
  std::vector<Definition> definitions;
  for (const Entry& entry : section->entries) {
    if (!is_identifier(entry.key)) {
      report.error("M110", fmt::format("{} cannot name a parameter: use letters, digits and '_'", quote(entry.key)),
                   entry.place);
    } else if (is_formula_word(entry.key)) {
      report.error("M404", fmt::format("'{}' has a meaning in formulas and cannot name a parameter", entry.key),
                   entry.place);
    } else {
      out.number[entry.key] = static_cast<int>(out.names.size());
      out.names.push_back(entry.key);
      definitions.push_back({&entry, {}, {}});
    }
  }
  out.values.assign(out.names.size(), 0.0);

  const std::size_t before = report.count();
  enum class Mark { untouched, open, done };
  std::vector<Mark> marks(definitions.size(), Mark::untouched);
  for (std::size_t k = 0; k < definitions.size(); ++k) {
    Definition& d = definitions[k];
    if (d.entry->value.kind != Node::Kind::scalar) {
      report.error("M104",
                   fmt::format("expected a number or a formula for parameter '{}', found {}", d.entry->key,
                               kind_name(d.entry->value)),
                   d.entry->value.kind == Node::Kind::null ? d.entry->place : d.entry->value.place);
      marks[k] = Mark::done;
    } else if (!parse(d, out, report)) {
      marks[k] = Mark::done;
      d.refers_to.clear();
    }
  }

  out.broken = report.count() > before;
  const auto evaluate = [&](std::size_t k) {
    if (out.broken) return;
    const Definition& d = definitions[k];
    std::vector<double> values;
    for (const int r : d.refers_to) values.push_back(out.values[static_cast<std::size_t>(r)]);
    const double value = d.expression.value(values);
    if (std::isfinite(value)) {
      out.values[k] = value;
    } else {
      report.error("M301", fmt::format("parameter '{}' is not a finite number", d.entry->key), d.entry->value.place);
      out.broken = true;
    }
  };

  struct Visit {
    std::size_t parameter, next;
  };
  for (std::size_t start = 0; start < definitions.size(); ++start) {
    if (marks[start] != Mark::untouched) continue;
    std::vector<Visit> path{{start, 0}};
    marks[start] = Mark::open;
    while (!path.empty()) {
      Visit& visit = path.back();
      const std::size_t k = visit.parameter;
      if (visit.next == definitions[k].refers_to.size()) {
        evaluate(k);
        marks[k] = Mark::done;
        path.pop_back();
        continue;
      }
      const auto to = static_cast<std::size_t>(definitions[k].refers_to[visit.next++]);
      if (marks[to] == Mark::untouched) {
        marks[to] = Mark::open;
        path.push_back({to, 0});
      } else if (marks[to] == Mark::open) {
        std::string circle;
        const auto first =
            std::find_if(path.begin(), path.end(), [&](const Visit& v) { return v.parameter == to; }) - path.begin();
        for (auto it = path.begin() + first; it != path.end(); ++it) circle += out.names[it->parameter] + " → ";
        report.error("M403", fmt::format("parameters refer to one another in a circle: {}{}", circle, out.names[to]),
                     definitions[k].entry->value.place);
        out.broken = true;
      }
    }
  }
  return out;
}

}  // namespace mortise::model
