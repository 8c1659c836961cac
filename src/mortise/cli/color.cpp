#include "mortise/cli/color.h"

#include <unistd.h>

#include <cstdlib>
#include <regex>

namespace mortise::cli {

namespace {
constexpr const char* red = "\033[1;31m";
constexpr const char* yellow = "\033[1;33m";
constexpr const char* green = "\033[32m";
constexpr const char* bold_on = "\033[1m";
constexpr const char* off = "\033[0m";
}  // namespace

bool has_colors(std::FILE* stream) {
  const char* refused = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return isatty(fileno(stream)) && !(refused && *refused) && !(term && std::string(term) == "dumb");
}

std::string colored_message(std::string text, std::FILE* stream) {
  if (!has_colors(stream)) return text;
  static const std::regex head("(error|warning|note)( [A-Z][0-9]{3})?(?=[: ])"), hint("did you mean '[^']*'\\?");
  std::smatch match;
  if (std::regex_search(text, match, head)) {
    const auto at = static_cast<std::size_t>(match.position());
    const std::string word = match.str();
    text.replace(at, word.size(), (match[1] == "error" ? red : yellow) + word + off);
  }
  return std::regex_replace(text, hint, std::string(green) + "$&" + off);
}

std::string colored_page(const std::string& text, std::FILE* stream) {
  if (!has_colors(stream)) return text;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    std::string line = text.substr(at, end - at);
    if (line.starts_with('#')) line = bold_on + line.substr(0, line.find_last_not_of('\n') + 1) + off + "\n";
    out += line;
    at = end;
  }
  return out;
}

}  // namespace mortise::cli
