// The expression language of model files: numbers, parameters and functions of time as formulas with exact derivatives.
//
// It cannot run code, read files, loop, or allocate once parsed: a formula is a flat list of at most 10⁴ operations on
// a stack of bounded depth. Names are resolved while parsing, so evaluation touches only numbers.
//
//   expression := conjunction { "or" conjunction }        conjunction := negation { "and" negation }
//   negation   := "not" negation | comparison             comparison  := sum [ ("<" "<=" ">" ">=" "==" "!=") sum ]
//   sum        := product { ("+" "-") product }           product     := unary { ("*" "/") unary }
//   unary      := ("-" "+") unary | power                 power       := postfix [ ("^" "**") unary ]
//   postfix    := primary [ "deg" ]
//   primary    := number | name | name "(" arguments ")" | "(" expression ")" | quantity
//   quantity   := name "." name { "." name } | "'" any of it, with '-' in the names "'"
//
// `30 deg` is 30·π/180. Constants: pi, e. Functions: see `functions()`, and the tables that the caller names; for
// users: docs/formulas.md.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mortise::formula {

// A value with its first and second derivative along one direction (usually time).
template <class T = double>
struct Jet {
  T value{}, first{}, second{};
};

// A mistake in a formula; `column` counts characters from 0 within the text, `length` of them are to blame. What is
// missing at the end of the text has the column behind the last token.
class FormulaError : public std::runtime_error {
 public:
  FormulaError(const std::string& message, int column, int length, std::string hint = {})
      : std::runtime_error(message), column(column), length(length), hint(std::move(hint)) {}
  int column, length;
  std::string hint;  // "did you mean 'theta0'?"
};

// A name with dots (`arm.tip.x`), which belongs to no variable: the caller says later what it stands for.
struct FreeName {
  std::string name;
  int column, length;
};

class Spline;

// A function of one argument given by a table.
struct Table {
  std::string name;
  std::shared_ptr<const Spline> spline;
};

class Expression {
 public:
  Expression();  // the constant 0
  explicit Expression(double constant);
  // `variables` are the names the formula may use, in the order of the values passed to evaluation. A name that
  // `is_reserved` or names one of `tables` keeps its own meaning: variables shadow nothing. Names with dots go to
  // `free`, where some may stand already: each is a further variable behind the others, in the order there; without
  // `free` they are mistakes. Throws FormulaError.
  static Expression parse(std::string_view text, std::span<const std::string> variables,
                          std::span<const Table> tables = {}, std::vector<FreeName>* free = nullptr);

  // Evaluation does not allocate. A span that does not reach the last variable used throws std::invalid_argument.
  double value(std::span<const double> variables) const;
  // Value and derivatives along a path with variables x(s): first = df/ds, second = d²f/ds², from x, x', x''. An empty
  // `dx` or `ddx` means zeros. Cost: one pass.
  Jet<double> along(std::span<const double> x, std::span<const double> dx, std::span<const double> ddx) const;
  // Value, gradient (size n) and Hessian (n×n, row-major; may be empty: not wanted), n = x.size(). Cost for the u
  // variables in use: u passes for the gradient, u(u+1)/2 passes with the Hessian.
  double gradient(std::span<const double> x, std::span<double> grad, std::span<double> hessian) const;

  // The same formula with some variables replaced by constants: `values[i]` replaces variable i where bound[i] is true;
  // the remaining variables keep their order and are renumbered from 0. Constant subexpressions are folded.
  Expression bind(std::span<const double> values, std::span<const bool> bound) const;

  bool is_constant() const;  // uses no variable
  bool uses(int variable) const;
  bool has_angle_unit() const;      // "deg" outside any function call: the value is an angle
  const std::string& text() const;  // as written

 private:
  struct Program;
  std::shared_ptr<const Program> program_;
};

struct FunctionInfo {
  std::string name;
  int min_arguments, max_arguments;  // max −1: any number
  std::string help;
};
const std::vector<FunctionInfo>& functions();

// Words with a meaning of their own, which no variable may have: pi, e, deg, and, or, not and the function names.
bool is_reserved(std::string_view name);

}  // namespace mortise::formula
