#include "mortise/model/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <span>
#include <unordered_set>

#include "mortise/model/names.h"

namespace mortise::model {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

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

// The end of a name with dots that begins at `k`: letters, digits, `$i` and `$(…)`, at least one dot followed by a
// letter. `k` itself when none begins there.
std::size_t dotted_name(std::string_view text, std::size_t k) {
  if (!is_letter(text[k])) return k;
  bool dotted = false;
  std::size_t end = k;
  while (end < text.size()) {
    if (is_letter(text[end]) || is_digit(text[end])) {
      ++end;
    } else if (text[end] == '$' && end + 1 < text.size() && text[end + 1] == '(') {
      std::size_t close = end + 1;
      for (int depth = 0; close < text.size(); ++close) {
        depth += text[close] == '(' ? 1 : text[close] == ')' ? -1 : 0;
        if (depth == 0) break;
      }
      if (close == text.size()) break;
      end = close + 1;
    } else if (text[end] == '$') {
      ++end;
    } else if (text[end] == '.' && end + 1 < text.size() && is_letter(text[end + 1])) {
      dotted = true;
      ++end;
    } else {
      break;
    }
  }
  return dotted ? end : k;
}

// Coordinates in a formula. The formula language knows no dots: each name with dots is replaced by a word of the same
// length, so that columns in messages stay true.
class Coordinates {
 public:
  Coordinates(const Node& scalar, const Scope& scope, const FormulaRules& rules, Report& report) : rules_(rules) {
    text_ = scalar.text;
    for (const Identifier& word : identifiers(scalar.text)) taken_.emplace(word.text);
    for (std::size_t k = 0; k < text_.size();) {
      const std::size_t end = dotted_name(scalar.text, k);
      if (end == k) {
        // Skip a whole word or number, so that no name begins inside it.
        const bool word = is_letter(text_[k]) || is_digit(text_[k]);
        for (++k; word && k < text_.size() && (is_letter(text_[k]) || is_digit(text_[k]));) ++k;
        continue;
      }
      Node piece;
      piece.kind = Node::Kind::scalar;
      piece.verbatim = scalar.verbatim;
      piece.text = scalar.text.substr(k, end - k);
      piece.place = scalar.inside(static_cast<int>(k), static_cast<int>(end - k));
      auto pattern = parse_pattern(piece, scope, report);
      if (!pattern) {
        good_ = false;
        return;
      }
      const int number = enter(piece.text, std::move(*pattern), piece.place);
      text_.replace(k, end - k, word_of(number, end - k));
      k = end;
    }
  }

  bool good() const { return good_; }
  const std::string& text() const { return text_; }
  // Words for all coordinates of the field; those that this formula does not use have names that it cannot contain.
  void append_to(std::vector<std::string>& variables) const {
    for (std::size_t k = 0; k < rules_.coordinates->size(); ++k) {
      const auto used = words_.find(static_cast<int>(k));
      variables.push_back(used == words_.end() ? "(" + std::to_string(k) : used->second);
    }
  }

 private:
  int enter(const std::string& text, NamePattern pattern, const Place& place) {
    const auto known = numbers_.find(text);
    if (known != numbers_.end()) return known->second;
    const int number = static_cast<int>(rules_.coordinates->size());
    // Another formula of the field may have used it.
    for (int k = 0; k < std::min(number, 64) && pattern.fixed(); ++k) {
      const NamePattern& other = (*rules_.coordinates)[static_cast<std::size_t>(k)];
      if (other.fixed() && other.literals == pattern.literals) return numbers_[text] = k;
    }
    numbers_[text] = number;
    rules_.coordinates->push_back(std::move(pattern));
    rules_.coordinate_places->push_back(place);
    return number;
  }
  // Three letters at least: 27·37·37 words, more than a formula may have operations.
  std::string word_of(int number, std::size_t length) {
    std::string& word = words_[number];
    if (!word.empty()) return word;
    constexpr std::string_view letters = "zyxwvutsrqponmlkjihgfedcba_0123456789";
    do {
      word.assign(length, '_');
      const std::size_t n = next_++;
      word[0] = letters[n / (37 * 37) % 27], word[1] = letters[n / 37 % 37], word[2] = letters[n % 37];
    } while ((taken_.count(word) || is_formula_word(word)) && next_ < 27 * 37 * 37);
    return word;
  }

  const FormulaRules& rules_;
  std::string text_;
  std::unordered_map<std::string, int> numbers_;  // of the names met in this formula
  std::unordered_map<int, std::string> words_;
  std::unordered_set<std::string> taken_;
  std::size_t next_ = 0;
  bool good_ = true;
};

// `more`: names that follow t.
std::optional<formula::Expression> parse_with(const Node& scalar, std::string_view text, int offset, const Scope& scope,
                                              const FormulaRules& rules, const std::vector<std::string>& more,
                                              Report& report) {
  if (const auto number = plain_number(text)) return formula::Expression(*number);

  // Only the names that occur are passed on: a formula costs its own length, however many parameters there are.
  const std::vector<Identifier> words = identifiers(text);
  std::vector<std::string> variables;
  std::vector<double> known;
  for (const Identifier& word : words) {
    const auto it = scope.parameters->number.find(std::string(word.text));
    if (it == scope.parameters->number.end() || word.text == scope.index || word.text == rules.variable) continue;
    if (std::find(variables.begin(), variables.end(), word.text) != variables.end()) continue;
    variables.emplace_back(word.text);
    known.push_back(scope.parameters->values[static_cast<std::size_t>(it->second)]);
  }
  if (!scope.index.empty()) variables.push_back(scope.index);
  variables.emplace_back(rules.variable);
  const int time = static_cast<int>(variables.size()) - 1;
  variables.insert(variables.end(), more.begin(), more.end());

  formula::Expression parsed;
  try {
    try {
      parsed = formula::Expression::parse(text, variables);
    } catch (const formula::FormulaError&) {
      // Again with all names, so that the nearest one can be proposed.
      std::vector<std::string> all(scope.parameters->names);
      if (all.size() > 2000) all.resize(2000);
      if (!scope.index.empty()) all.push_back(scope.index);
      if (rules.time) all.emplace_back(rules.variable);
      all.insert(all.end(), more.begin(), more.end());
      formula::Expression::parse(text, all);
      throw;
    }
  } catch (const formula::FormulaError& e) {
    std::string hint = e.hint;
    if (hint.empty() && cut_by_comma(scalar)) hint = quote_advice;
    report.error("M401", e.what(), scalar.inside(offset + e.column, e.length), hint);
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
  return bind_parameters(parsed, known, variables.size());
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
                                                 Report& report) {
  if (!rules.coordinates) return parse_formula(scalar, scalar.text, 0, scope, rules, report);
  const Coordinates coordinates(scalar, scope, rules, report);
  if (!coordinates.good()) return std::nullopt;
  std::vector<std::string> words;
  coordinates.append_to(words);
  return parse_with(scalar, coordinates.text(), 0, scope, rules, words, report);
}

std::optional<formula::Expression> parse_formula(const Node& scalar, std::string_view text, int offset,
                                                 const Scope& scope, const FormulaRules& rules, Report& report) {
  return parse_with(scalar, text, offset, scope, rules, {}, report);
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
