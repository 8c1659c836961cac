#include "mortise/formula/lexer.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "mortise/formula/expression.h"

namespace mortise::formula {

namespace {

// Not <cctype>: its answers depend on the locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// What people write when they mean something that formulas have under another spelling.
constexpr std::pair<std::string_view, const char*> habits[] = {
    {"=<", "write '<='"},
    {"=>", "write '>='"},
    {"=", "to compare, write '=='; a formula assigns nothing"},
    {"&&", "write 'and'"},
    {"&", "write 'and'"},
    {"||", "write 'or'"},
    {"|", "write 'or', or abs(x) for the absolute value"},
    {"!", "write 'not'"},
    {"%", "for a remainder write mod(a, b); for percent divide by 100"},
    {"?", "write if(condition, a, b)"},
    {"\"", "formulas have no text"},
    {"'", "formulas have no text"},
    {"[", "formulas have round brackets only"},
    {"]", "formulas have round brackets only"},
    {"{", "formulas have round brackets only"},
    {"}", "formulas have round brackets only"},
    {";", "arguments are separated by ','"},
    {"\u00b0", "write deg, as in 30 deg"},
    {"\u00b7", "write '*'"},
    {"\u00d7", "write '*'"},
    {"\u2212", "this is a typographic minus; write '-'"},
    {"\u2013", "this is a dash; write '-'"},
    {"\u00b2", "write ^2"},
    {"\u00b3", "write ^3"},
    {"\u03c0", "write pi"},
    {"\u2264", "write '<='"},
    {"\u2265", "write '>='"},
    {"\u2260", "write '!='"},
};

// The bytes of the UTF-8 character at the front, 1 for what is not UTF-8.
std::size_t character_size(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead >= 0xf0 && lead < 0xf8 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  if (size > text.size() || lead >= 0xf8) return 1;
  for (std::size_t i = 1; i < size; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 1;
  return size;
}

std::string visible(std::string_view character) {
  const auto c = static_cast<unsigned char>(character[0]);
  if (character.size() > 1 || (c >= 0x20 && c < 0x7f)) return "'" + std::string(character) + "'";
  constexpr char digits[] = "0123456789abcdef";
  return std::string("character 0x") + digits[c >> 4] + digits[c & 15];
}

}  // namespace

std::string quoted(std::string_view word) {
  constexpr std::size_t longest = 40;
  return "'" + std::string(word.substr(0, longest)) + (word.size() > longest ? "..." : "") + "'";
}

Token Lexer::next() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  const std::string_view rest = text_.substr(at_);
  if (rest.empty()) return take(Token::end, 0);
  if (is_digit(rest[0]) || (rest[0] == '.' && rest.size() > 1 && is_digit(rest[1]))) return number();
  if (is_letter(rest[0])) return name();
  if (rest[0] == '\'') return quoted_name();
  for (const std::string_view two : {"**", "<=", ">=", "==", "!="})
    if (rest.starts_with(two)) return take(Token::symbol, 2);
  if (std::string_view("+-*/^(),<>").find(rest[0]) != std::string_view::npos) return take(Token::symbol, 1);
  refuse_character();
}

Token Lexer::take(Token::Kind kind, std::size_t length) {
  const Token token{kind, text_.substr(at_, length), static_cast<int>(at_)};
  at_ += length;
  return token;
}

// Letters and digits; with a dot before a letter it goes on: arm.tip.x. The copies of a repeated item have numbers to
// fill in: link$i.x, link$(i+1).x.
Token Lexer::name() {
  const std::string_view rest = text_.substr(at_);
  std::size_t end = 0, numbered = 0;
  bool dotted = false;
  const auto letter_at = [&](std::size_t k) { return k < rest.size() && is_letter(rest[k]); };
  while (end < rest.size()) {
    if (is_letter(rest[end]) || is_digit(rest[end])) {
      ++end;
    } else if (rest[end] == '.' && letter_at(end + 1)) {
      dotted = true;
      end += 2;
    } else if (rest[end] == '$' && letter_at(end + 1)) {
      numbered = end;
      end += 2;
    } else if (rest[end] == '$' && end + 1 < rest.size() && rest[end + 1] == '(') {
      const std::size_t close = rest.find(')', end);
      if (close == std::string_view::npos) break;
      numbered = end;
      end = close + 1;
    } else {
      break;
    }
  }
  if (numbered > 0 && !dotted) end = numbered;  // the '$' is refused next
  Token token = take(Token::name, end);
  token.dotted = dotted;
  return token;
}

// 'left-arm.tip.x': the names of items may have a '-', which would be a minus without the quotes.
Token Lexer::quoted_name() {
  const std::size_t close = text_.find('\'', at_ + 1);
  if (close == std::string_view::npos) refuse_character();
  if (close == at_ + 1)
    throw FormulaError("nothing stands between these quotes", static_cast<int>(at_), 2,
                       "names with '-' are quoted: 'left-arm.x'");
  ++at_;
  Token token = take(Token::name, close - at_);
  ++at_;
  token.dotted = true;
  if (token.text.find('.') == std::string_view::npos)
    throw FormulaError(quoted(token.text) + " is no quantity: it has no dot", token.column, token.length(),
                       "quantities are like body.x, joint.angle");
  return token;
}

Token Lexer::number() {
  const char* first = text_.data() + at_;
  double value = 0;
  const auto [last, error] = std::from_chars(first, text_.data() + text_.size(), value);
  Token token = take(Token::number, static_cast<std::size_t>(last - first));
  token.value = value;
  if (error != std::errc{})
    throw FormulaError("the number " + quoted(token.text) + " is outside the range of double precision", token.column,
                       token.length(), "magnitudes from 1e-307 to 1e308 can be written");
  if (at_ < text_.size() && text_[at_] == '.')
    throw FormulaError("a second decimal point in a number", static_cast<int>(at_), 1);
  return token;
}

void Lexer::refuse_character() const {
  const std::string_view rest = text_.substr(at_);
  for (const auto& [habit, hint] : habits)
    if (rest.starts_with(habit))
      throw FormulaError(quoted(habit) + " has no meaning in a formula", static_cast<int>(at_),
                         static_cast<unsigned char>(habit[0]) < 0x80 ? static_cast<int>(habit.size()) : 1, hint);
  throw FormulaError(visible(rest.substr(0, character_size(rest))) + " has no meaning in a formula",
                     static_cast<int>(at_), 1);
}

}  // namespace mortise::formula
