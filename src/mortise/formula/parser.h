// Recursive descent over the grammar of expression.h, straight into a postfix program.
//
// Brackets, signs, exponents and `not` may nest `max_nesting` deep, so hostile input cannot exhaust the C stack; the
// time is linear in the length of the text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mortise/formula/expression.h"
#include "mortise/formula/lexer.h"
#include "mortise/formula/program.h"

namespace mortise::formula {

class Parser {
 public:
  // Names with dots go to `free`; nullptr: they are mistakes.
  Parser(std::string_view text, std::span<const std::string> variables, std::span<const Table> tables,
         std::vector<FreeName>* free);
  std::vector<Instruction> parse();                    // throws FormulaError
  bool has_angle_unit() const { return angle_unit_; }  // `deg` outside any function call

 private:
  class Nested;  // counts one level for its lifetime
  struct Callee {
    Op op;
    int min_arguments, max_arguments;
    const Spline* table;
  };

  void expression();
  void conjunction();
  void negation();
  void comparison();
  void sum();
  void product();
  void unary();
  void power();
  void postfix();
  void primary();
  void name(const Token& word);
  void free_name(const Token& word);
  void call(const Token& word, const Callee& callee);
  void close(const Token& open);

  void advance();
  void emit(Op op, const Spline* table = nullptr);
  void check_limits() const;

  // parser_errors.cpp: what was expected, in the words of the user.
  [[noreturn]] void missing_operand() const;
  [[noreturn]] void missing_operator(const Token* open) const;  // behind an operand; `open`: the bracket around it
  [[noreturn]] void unknown_name(const Token& word) const;
  [[noreturn]] void unknown_function(const Token& word) const;
  [[noreturn]] void wrong_count(const Token& word, int min, int max, int count, bool commas_in_numbers) const;
  bool decimal_comma() const;  // the text at the current ',' looks like 1,5

  std::string_view text_;
  std::span<const std::string> variables_;
  std::span<const Table> tables_;
  std::vector<FreeName>* free_;
  Lexer lexer_;
  Token token_, previous_;
  Builder builder_;
  int nesting_ = 0, calls_ = 0;
  bool angle_unit_ = false;
};

}  // namespace mortise::formula
