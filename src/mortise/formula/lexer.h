// Cuts the text of a formula into numbers, names and symbols; refuses characters that mean nothing here.
#pragma once

#include <string>
#include <string_view>

namespace mortise::formula {

struct Token {
  enum Kind { number, name, symbol, end } kind = end;
  std::string_view text;  // a part of the formula's text
  int column = 0;
  double value = 0;     // of a number
  bool dotted = false;  // a name with dots, or in quotes: a quantity

  bool is(std::string_view s) const { return kind != number && text == s; }
  int length() const { return static_cast<int>(text.size()); }
  int behind() const { return column + length(); }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();  // throws FormulaError

 private:
  Token take(Token::Kind kind, std::size_t length);
  Token number();
  Token name();
  Token quoted_name();
  [[noreturn]] void refuse_character() const;

  std::string_view text_;
  std::size_t at_ = 0;
};

// A word for an error message: in quotes, and cut when it is very long.
std::string quoted(std::string_view word);

}  // namespace mortise::formula
