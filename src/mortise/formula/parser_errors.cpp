// What the parser says when a formula is wrong: what was expected, where, and the nearest thing that would be right.
#include <algorithm>

#include "mortise/error.h"
#include "mortise/formula/expression.h"
#include "mortise/formula/function_table.h"
#include "mortise/formula/parser.h"

namespace mortise::formula {

namespace {

bool whole_number(const Token& token) {
  return token.kind == Token::number && token.text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string did_you_mean(const std::string& name) { return name.empty() ? "" : "did you mean '" + name + "'?"; }

std::string arguments(int count) { return std::to_string(count) + (count == 1 ? " argument" : " arguments"); }

}  // namespace

void Parser::missing_operand() const {
  if (token_.is("deg"))
    throw FormulaError("'deg' stands behind a number, a name or a bracket", token_.column, token_.length(),
                       "as in 30 deg");
  const bool at_start = previous_.kind == Token::end;
  if (at_start && token_.kind == Token::end)
    throw FormulaError("the formula is empty: expected a number, a name or '('", 0, 1);
  std::string message = "expected a number, a name or '('";
  if (!at_start) message += " after " + quoted(previous_.text);
  if (token_.kind == Token::end) throw FormulaError(message, previous_.behind(), 1);
  throw FormulaError(message + ", found " + quoted(token_.text), token_.column, token_.length());
}

void Parser::missing_operator(const Token* open) const {
  if (token_.kind == Token::end) throw FormulaError("this '(' is never closed", open->column, 1, "expected ')'");
  if (token_.is(")")) throw FormulaError("this ')' closes no bracket", token_.column, 1);
  if (token_.is(",")) {
    if (decimal_comma())
      throw FormulaError("',' separates the arguments of a function; the decimal point is '.'", token_.column, 1,
                         "write " + std::string(previous_.text) + "." + std::string(Lexer(lexer_).next().text));
    throw FormulaError("',' stands outside the brackets of a function call", token_.column, 1);
  }
  // Two operands side by side.
  const std::string left(previous_.text.substr(0, 40)), right(token_.text.substr(0, 40));
  std::string hint;
  if (token_.kind == Token::name && !token_.is("not")) {
    const bool known =
        is_reserved(token_.text) || std::find(variables_.begin(), variables_.end(), token_.text) != variables_.end();
    if (token_.is("rad"))
      hint = "angles are in radians: leave 'rad' away";
    else if (token_.text.starts_with("deg"))
      hint = "write deg";
    else if (known)
      hint = "write " + (previous_.is(")") ? "(...)" : left) + "*" + right;
    else
      hint = "numbers are in SI units; the only unit to write is deg";
  } else if (token_.is("(")) {
    hint = "write " + (previous_.is(")") ? "(...)" : left) + "*(...)";
  } else if (token_.kind == Token::number) {
    hint = "write " + (previous_.is(")") ? "(...)" : left) + "*" + right;
  }
  throw FormulaError("expected an operator between " + quoted(previous_.text) + " and " + quoted(token_.text),
                     token_.column, token_.length(), hint);
}

void Parser::unknown_name(const Token& word) const {
  const std::string name(word.text);
  std::vector<std::string> names(variables_.begin(), variables_.end());
  names.insert(names.end(), {"pi", "e"});
  std::string near = our_name_for(name);
  if (near.empty()) near = nearest_name(name, names);
  std::string hint = did_you_mean(near);
  if (hint.empty() && names.size() <= 10) {
    hint = "known names:";
    for (const std::string& known : names) hint += (&known == names.data() ? " " : ", ") + known;
  }
  throw FormulaError("unknown name " + quoted(name), word.column, word.length(), hint);
}

void Parser::unknown_function(const Token& word) const {
  const std::string name(word.text);
  std::string near = our_name_for(name);
  if (near.empty()) {
    std::vector<std::string> names;
    for (const FunctionInfo& f : functions()) names.push_back(f.name);
    for (const Table& table : tables_) names.push_back(table.name);
    near = nearest_name(name, names);
  }
  throw FormulaError("unknown function " + quoted(name), word.column, word.length(), did_you_mean(near));
}

void Parser::wrong_count(const Token& word, int min, int max, int count, bool commas_in_numbers) const {
  std::string hint;
  if (commas_in_numbers && max >= 0 && count > max)
    hint = "the decimal point is '.', not ','";
  else
    for (const FunctionInfo& f : functions())
      if (f.name == word.text && f.help.starts_with(f.name + "(")) hint = f.help.substr(0, f.help.find(':'));
  throw FormulaError(quoted(word.text) + " takes " + (max < 0 ? "at least " : "") + arguments(min) + ", found " +
                         (count == 0 ? "none" : std::to_string(count)),
                     word.column, previous_.behind() - word.column, hint);
}

bool Parser::decimal_comma() const {
  if (!whole_number(previous_) || previous_.behind() != token_.column) return false;
  const auto behind = static_cast<std::size_t>(token_.behind());
  return behind < text_.size() && text_[behind] >= '0' && text_[behind] <= '9';
}

}  // namespace mortise::formula
