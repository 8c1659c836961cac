#include "mortise/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace mortise {

std::string Place::str() const {
  if (line == 0) return source ? source->name : "";
  return fmt::format("{}:{}:{}", source ? source->name : "?", line, column);
}

namespace {

std::string line_of(const Source& source, int line) {
  std::size_t begin = 0;
  for (int k = 1; k < line; ++k) {
    begin = source.text.find('\n', begin);
    if (begin == std::string::npos) return "";
    ++begin;
  }
  std::string text = source.text.substr(begin, source.text.find_first_of("\r\n", begin) - begin);
  std::replace(text.begin(), text.end(), '\t', ' ');
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 32) c = '?';
  return text;
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }  // a letter of several bytes

// Letters of a piece of UTF-8 text: carets stand below letters, columns count bytes.
std::size_t letters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

// The source line and a caret line; long lines are cut around the column.
std::string excerpt(const Place& place, const std::string& hint) {
  if (!place.source || place.line == 0) return hint.empty() ? "" : "\n     " + hint;
  std::string text = line_of(*place.source, place.line);
  std::size_t column = static_cast<std::size_t>(std::max(place.column, 1)) - 1;
  constexpr std::size_t width = 110;
  if (text.size() > width) {
    std::size_t cut = std::min(column > width / 2 ? column - width / 2 : 0, text.size());
    while (cut < text.size() && cut < column && continues(text[cut])) ++cut;
    std::size_t end = std::min(cut + width, text.size());
    while (end < text.size() && continues(text[end])) ++end;
    text = text.substr(cut, end - cut);
    column -= cut;
  }
  column = std::min(column, text.size());
  const std::size_t length = std::clamp<std::size_t>(static_cast<std::size_t>(std::max(place.length, 1)), 1,
                                                     std::max<std::size_t>(text.size() - column, 1));
  const std::string_view line = text;
  const std::size_t marked = std::max<std::size_t>(letters(line.substr(column, length)), 1);
  return fmt::format("\n{:>5} | {}\n      | {}^{}{}{}", place.line, text,
                     std::string(letters(line.substr(0, column)), ' '), std::string(marked - 1, '~'),
                     hint.empty() ? "" : " ", hint);
}

std::string join(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics) out += (out.empty() ? "" : "\n") + render(d);
  return out;
}

}  // namespace

std::string render(const Diagnostic& d) {
  const std::string place = d.place.str();
  return fmt::format("{}{}{} {}: {}{}", place, place.empty() ? "" : ": ", d.warning ? "warning" : "error", d.code,
                     d.message, excerpt(d.place, d.hint));
}

ModelError::ModelError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(join(diagnostics)), diagnostics_(std::move(diagnostics)) {}

ModelError::ModelError(Diagnostic diagnostic) : ModelError(std::vector<Diagnostic>{std::move(diagnostic)}) {}

std::string render(const SolveReport& r) {
  std::string out = fmt::format("error {} at t = {:.6g} s: {}", r.code, r.time, r.message);
  for (const std::string& line : r.details) out += "\n  " + line;
  if (r.place.known()) out += "\n  " + r.place.str() + excerpt(r.place, "");
  if (!r.advice.empty()) out += "\n  try: " + r.advice;
  return out;
}

SolveError::SolveError(SolveReport report) : std::runtime_error(render(report)), report_(std::move(report)) {}

std::string nearest_name(const std::string& word, const std::vector<std::string>& names) {
  // Optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours count one each.
  const auto distance = [](const std::string& a, const std::string& b) {
    std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(i);
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<int>(j);
    for (std::size_t i = 1; i <= a.size(); ++i)
      for (std::size_t j = 1; j <= b.size(); ++j) {
        d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
          d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    return d[a.size()][b.size()];
  };
  std::string best;
  int least = 1 + static_cast<int>(std::max<std::size_t>(1, word.size() / 3));
  if (word.size() > 64) return best;
  for (const std::string& name : names) {
    if (name.size() > 64) continue;
    const int d = distance(word, name);
    if (d < least) least = d, best = name;
  }
  return best;
}

void fail_model(std::string code, std::string message, const Place& place, std::string hint) {
  throw ModelError(Diagnostic{std::move(code), std::move(message), place, std::move(hint), false});
}

}  // namespace mortise
