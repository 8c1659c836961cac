#include "mortise/model/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

namespace mortise::model {

namespace {

// A whole number at the beginning of the text: its value and length; length 0 when there is none.
std::pair<long long, std::size_t> leading_number(std::string_view text) {
  std::size_t digits = !text.empty() && text[0] == '-' ? 1 : 0;
  std::size_t end = digits;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end == digits || end - digits > 15) return {0, 0};
  long long value = 0;
  std::from_chars(text.data(), text.data() + end, value);
  return {value, end};
}

// Is the text a sum of terms, each a product of at most one index with numbers and parameters? Then the formula is
// a·i + b. (A formula may be so without being written so: then its copies are looked at one by one.)
bool is_affine_form(std::string_view text, const Scope& scope) {
  int in_term = 0;
  bool after_operand = false;
  for (std::size_t k = 0; k < text.size();) {
    const char c = text[k];
    if (c == ' ') {
      ++k;
    } else if (c == '+' || c == '-' || c == '*') {
      if (!after_operand && c == '*') return false;
      if (c != '*' && after_operand) in_term = 0;
      after_operand = false;
      ++k;
    } else {
      std::size_t end = k;
      while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
      const std::string word(text.substr(k, end - k));
      const bool index = word == scope.index && !word.empty();
      const bool number = std::all_of(word.begin(), word.end(), is_digit);
      if (word.empty() || after_operand || (!index && !number && !scope.parameters->number.count(word))) return false;
      if (index && ++in_term > 1) return false;
      after_operand = true;
      k = end;
    }
  }
  return after_operand;
}

}  // namespace

bool is_identifier(std::string_view name) {
  return !name.empty() && name.size() <= 100 && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

bool is_item_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
}

bool is_reserved(std::string_view name) {
  static constexpr std::array<std::string_view, 11> words{
      "ground", "world", "energy", "constraint", "constraints", "t", "time", "momentum", "all", "none", "input"};
  return std::find(words.begin(), words.end(), name) != words.end();
}

std::optional<std::string> NamePattern::at(int copy) const {
  std::string name = literals[0];
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const double value = value_at(numbers[k], indexed, copy);
    const double whole = std::round(value);
    if (!(std::abs(value - whole) <= 1e-9) || std::abs(whole) > 1e15) return std::nullopt;
    name += std::to_string(static_cast<long long>(whole));
    name += literals[k + 1];
  }
  return name;
}

bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;  // the last * and where its run ends
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++, resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1, n = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::optional<NamePattern> parse_pattern(const Node& scalar, const Scope& scope, Report& report) {
  const std::string& text = scalar.text;
  NamePattern pattern;
  pattern.indexed = !scope.index.empty();
  const auto fail = [&](std::size_t at, std::size_t length, const std::string& message, std::string hint = {}) {
    report.error("M115", message, scalar.inside(static_cast<int>(at), static_cast<int>(length)), std::move(hint));
    return std::nullopt;
  };
  for (std::size_t k = 0; k < text.size();) {
    if (text[k] != '$') {
      pattern.literals.back() += text[k++];
      continue;
    }
    const std::size_t dollar = k++;
    std::size_t begin = k, end = k;
    if (k < text.size() && text[k] == '(') {
      int depth = 0;
      for (end = k; end < text.size(); ++end) {
        depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
        if (depth == 0) break;
      }
      if (depth != 0)
        return fail(dollar, text.size() - dollar, "'$(' in a name is not closed",
                    cut_by_comma(scalar) ? quote_advice : "");
      begin = k + 1;
      k = end + 1;
    } else {
      while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
      k = end;
      const std::string word = text.substr(begin, end - begin);
      if (word != scope.index && !scope.parameters->number.count(word)) {
        if (word.empty()) return fail(dollar, 1, "'$' in a name must be followed by an index or a formula: $i, $(i+1)");
        if (!scope.index.empty() && word.starts_with(scope.index))
          return fail(dollar, word.size() + 1, fmt::format("no index or parameter is called {}", quote(word)),
                      fmt::format("write $({}){}", scope.index, word.substr(scope.index.size())));
        std::vector<std::string> known(scope.parameters->names);
        if (!scope.index.empty()) known.push_back(scope.index);
        std::string hint = did_you_mean(word, known);
        if (hint.empty() && scope.index.empty()) hint = "an index comes from repeat: {i: count}";
        return fail(dollar, word.size() + 1, fmt::format("no index or parameter is called {}", quote(word)), hint);
      }
    }
    const std::string& before = pattern.literals.back();
    if ((before.empty() && !pattern.numbers.empty()) || (!before.empty() && is_digit(before.back())) ||
        (k < text.size() && is_digit(text[k])))
      return fail(dollar, k - dollar, "digits beside a number in a name make it ambiguous", "put '_' or '-' between");
    const auto parsed = parse_formula(scalar, std::string_view(text).substr(begin, end - begin),
                                      static_cast<int>(begin), scope, {false, false, false, "a name"}, report);
    if (!parsed) return std::nullopt;
    pattern.affine = pattern.affine && is_affine_form(std::string_view(text).substr(begin, end - begin), scope);
    pattern.numbers.push_back(*parsed);
    pattern.literals.emplace_back();
  }
  return pattern;
}

std::optional<NameTable::Found> NameTable::find_in(const Series& series, const std::string& name) const {
  const std::string& prefix = series.pattern.literals[0];
  const auto [number, length] = leading_number(std::string_view(name).substr(prefix.size()));
  if (length == 0 || (number - series.first) % series.step != 0) return std::nullopt;
  const long long copy = (number - series.first) / series.step;
  if (copy < 0 || copy >= series.count) return std::nullopt;
  if (series.pattern.at(static_cast<int>(copy)) != name) return std::nullopt;
  return Found{series.item, static_cast<int>(copy)};
}

std::optional<NameTable::Found> NameTable::find(const std::string& name) const {
  if (const auto it = single_.find(name); it != single_.end()) return Found{it->second, 0};
  if (series_.empty()) return std::nullopt;
  // The prefix of a series ends where a number begins.
  for (std::size_t k = 1; k < name.size(); ++k) {
    const bool number_begins = (is_digit(name[k]) && !is_digit(name[k - 1])) || name[k] == '-';
    if (!number_begins) continue;
    const auto it = by_prefix_.find(name.substr(0, k));
    if (it == by_prefix_.end()) continue;
    for (const std::size_t s : it->second)
      if (const auto found = find_in(series_[s], name)) return found;
  }
  return std::nullopt;
}

// A quick look at prefixes and ranges; true when names must be compared one by one.
bool NameTable::may_clash(const Series& a, const Series& b) {
  const std::string &p = a.pattern.literals[0], &q = b.pattern.literals[0];
  if (p.size() > q.size()) return may_clash(b, a);
  if (!q.starts_with(p)) return false;
  const auto [low, high] = std::minmax({a.first, a.first + a.step * (a.count - 1)});
  if (p != q) {
    // Behind the shorter prefix the longer one must go on like a number.
    return is_digit(q[p.size()]) || (q[p.size()] == '-' && low < 0);
  }
  if (a.pattern.numbers.size() == 1 && b.pattern.numbers.size() == 1 && a.pattern.literals[1] != b.pattern.literals[1])
    return false;
  const auto [their_low, their_high] = std::minmax({b.first, b.first + b.step * (b.count - 1)});
  return high >= their_low && their_high >= low && (a.first - b.first) % std::gcd(a.step, b.step) == 0;
}

std::optional<NameTable::Clash> NameTable::compare(const Series& series, const Series& other) {
  const bool ours_fewer = series.count <= other.count;
  const Series& fewer = ours_fewer ? series : other;
  const Series& more = ours_fewer ? other : series;
  for (int copy = 0; copy < fewer.count; ++copy) {
    if (++compared_ > 2'000'000) return Clash{"", {other.item, 0}};
    const auto name = fewer.pattern.at(copy);
    if (!name || !name->starts_with(more.pattern.literals[0])) continue;
    if (const auto found = find_in(more, *name)) return Clash{*name, {other.item, ours_fewer ? found->copy : copy}};
  }
  return std::nullopt;
}

std::optional<NameTable::Clash> NameTable::add(int item, const NamePattern& pattern, int count, long long first,
                                               long long step) {
  if (count == 0) return std::nullopt;
  if (pattern.fixed() || count == 1) {
    const std::string name = pattern.at(0).value_or(pattern.literals[0]);
    if (const auto owner = find(name)) return Clash{name, *owner};
    single_.emplace(name, item);
    order_.push_back(name);
    return std::nullopt;
  }
  const Series series{item, count, first, step, pattern};
  const std::string& prefix = pattern.literals[0];
  if (single_.size() < static_cast<std::size_t>(count)) {
    for (const auto& [name, owner] : single_)
      if (name.starts_with(prefix) && find_in(series, name)) return Clash{name, {owner, 0}};
  } else {
    for (int copy = 0; copy < count; ++copy) {
      const auto it = single_.find(pattern.at(copy).value_or(""));
      if (it != single_.end()) return Clash{it->first, {it->second, 0}};
    }
  }
  for (const Series& other : series_)
    if (may_clash(series, other))
      if (const auto clash = compare(series, other)) return clash;
  by_prefix_[prefix].push_back(series_.size());
  series_.push_back(series);
  return std::nullopt;
}

std::vector<std::string> NameTable::examples() const {
  std::vector<std::string> names(order_.begin(), order_.begin() + std::min<std::ptrdiff_t>(5000, std::ssize(order_)));
  for (const Series& s : series_) {
    if (names.size() > 10000) break;
    for (int copy = 0; copy < std::min(s.count, 100); ++copy) names.push_back(s.pattern.at(copy).value_or(""));
    names.push_back(s.pattern.at(s.count - 1).value_or(""));
  }
  return names;
}

std::vector<std::string> NameTable::overview() const {
  std::vector<std::string> names(order_.begin(), order_.begin() + std::min<std::ptrdiff_t>(100, std::ssize(order_)));
  for (const Series& s : series_) {
    if (names.size() > 100) break;
    names.push_back(fmt::format("{} … {}", s.pattern.at(0).value_or(""), s.pattern.at(s.count - 1).value_or("")));
  }
  return names;
}

}  // namespace mortise::model
