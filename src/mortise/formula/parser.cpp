#include "mortise/formula/parser.h"

#include <algorithm>
#include <utility>

#include "mortise/formula/expression.h"
#include "mortise/formula/function_table.h"

namespace mortise::formula {

namespace {

constexpr std::pair<std::string_view, Op> comparisons[] = {
    {"<", Op::less},           {"<=", Op::less_equal}, {">", Op::greater},
    {">=", Op::greater_equal}, {"==", Op::equal},      {"!=", Op::not_equal},
};

const Op* comparison_of(const Token& token) {
  for (const auto& [text, op] : comparisons)
    if (token.is(text)) return &op;
  return nullptr;
}

}  // namespace

class Parser::Nested {
 public:
  Nested(Parser& parser, const Token& at) : parser_(parser) {
    if (++parser_.nesting_ > max_nesting)
      throw FormulaError("nested more than " + std::to_string(max_nesting) + " deep", at.column, at.length());
  }
  ~Nested() { --parser_.nesting_; }

 private:
  Parser& parser_;
};

Parser::Parser(std::string_view text, std::span<const std::string> variables, std::span<const Table> tables,
               std::vector<FreeName>* free)
    : text_(text), variables_(variables), tables_(tables), free_(free), lexer_(text) {}

std::vector<Instruction> Parser::parse() {
  token_ = lexer_.next();
  expression();
  if (token_.kind != Token::end) missing_operator(nullptr);
  return builder_.take();
}

void Parser::expression() {
  conjunction();
  while (token_.is("or")) {
    advance();
    conjunction();
    emit(Op::logical_or);
  }
}

void Parser::conjunction() {
  negation();
  while (token_.is("and")) {
    advance();
    negation();
    emit(Op::logical_and);
  }
}

void Parser::negation() {
  if (!token_.is("not")) return comparison();
  const Nested level(*this, token_);
  advance();
  negation();
  emit(Op::logical_not);
}

void Parser::comparison() {
  sum();
  const Op* op = comparison_of(token_);
  if (!op) return;
  advance();
  sum();
  emit(*op);
  if (comparison_of(token_))
    throw FormulaError("comparisons do not chain", token_.column, token_.length(), "write a < b and b < c");
}

void Parser::sum() {
  product();
  while (token_.is("+") || token_.is("-")) {
    const Op op = token_.is("+") ? Op::add : Op::subtract;
    advance();
    product();
    emit(op);
  }
}

void Parser::product() {
  unary();
  while (token_.is("*") || token_.is("/")) {
    const Op op = token_.is("*") ? Op::multiply : Op::divide;
    advance();
    unary();
    emit(op);
  }
}

void Parser::unary() {
  if (!token_.is("-") && !token_.is("+")) return power();
  const Nested level(*this, token_);
  const bool minus = token_.is("-");
  advance();
  unary();
  if (minus) emit(Op::negate);
}

// The exponent is a unary: right associative, and 2^-3 needs no brackets. The sign in front binds weaker: −2^2 = −4.
void Parser::power() {
  postfix();
  if (!token_.is("^") && !token_.is("**")) return;
  const Nested level(*this, token_);
  advance();
  unary();
  emit(Op::power);
}

void Parser::postfix() {
  primary();
  if (!token_.is("deg")) return;
  angle_unit_ = angle_unit_ || calls_ == 0;
  advance();
  emit(Op::degrees);
  if (token_.is("deg")) throw FormulaError("'deg' stands here twice", token_.column, token_.length());
}

void Parser::primary() {
  const Token first = token_;
  if (first.kind == Token::number) {
    advance();
    builder_.constant(first.value);
    check_limits();
  } else if (first.kind == Token::name) {
    name(first);
  } else if (first.is("(")) {
    const Nested level(*this, first);
    advance();
    expression();
    close(first);
  } else {
    missing_operand();
  }
}

void Parser::name(const Token& word) {
  if (word.dotted) return free_name(word);
  if (word.is("and") || word.is("or") || word.is("not") || word.is("deg")) missing_operand();
  if (const Function* f = find_function(word.text))
    return call(word, {f->op, f->min_arguments, f->max_arguments, nullptr});
  for (const Table& table : tables_)
    if (word.text == table.name) return call(word, {Op::table, 1, 1, table.spline.get()});
  advance();
  double value = 0;
  if (find_constant(word.text, value)) {
    builder_.constant(value);
  } else {
    const auto found = std::find(variables_.begin(), variables_.end(), word.text);
    if (found == variables_.end()) token_.is("(") ? unknown_function(word) : unknown_name(word);
    builder_.variable(static_cast<int>(found - variables_.begin()));
  }
  check_limits();
}

void Parser::free_name(const Token& word) {
  if (!free_)
    throw FormulaError(quoted(word.text) + " is a quantity of the motion, and this formula is one of known numbers",
                       word.column, word.length(), "only formulas of forces may use quantities");
  advance();
  const auto same = [&](const FreeName& known) { return known.name == word.text; };
  const auto found = std::find_if(free_->begin(), free_->end(), same);
  const auto index = variables_.size() + static_cast<std::size_t>(found - free_->begin());
  if (found == free_->end()) free_->push_back({std::string(word.text), word.column, word.length()});
  builder_.variable(static_cast<int>(index));
  check_limits();
}

void Parser::call(const Token& word, const Callee& function) {
  advance();
  const Token open = token_;
  if (!open.is("("))
    throw FormulaError(
        (function.table ? "the table " : "the function ") + quoted(word.text) + " needs its arguments in brackets",
        word.column, word.length(), "write " + std::string(word.text) + "(...)");
  const Nested level(*this, open);
  const bool repeats = function.max_arguments < 0;
  int count = 0;
  bool commas_in_numbers = false;
  ++calls_;
  advance();
  if (!token_.is(")")) {
    for (;;) {
      expression();
      if (++count > 1 && repeats) emit(function.op);
      if (!token_.is(",")) break;
      commas_in_numbers = commas_in_numbers || decimal_comma();
      advance();
    }
  }
  close(open);
  --calls_;
  if (count < function.min_arguments || (!repeats && count > function.max_arguments))
    wrong_count(word, function.min_arguments, function.max_arguments, count, commas_in_numbers);
  if (!repeats) emit(function.op, function.table);
}

void Parser::close(const Token& open) {
  if (!token_.is(")")) missing_operator(&open);
  advance();
}

void Parser::advance() {
  previous_ = token_;
  token_ = lexer_.next();
}

void Parser::emit(Op op, const Spline* table) {
  builder_.apply(op, table);
  check_limits();
}

void Parser::check_limits() const {
  if (builder_.written() > max_operations)
    throw FormulaError("the formula has more than " + std::to_string(max_operations) + " operations", previous_.column,
                       previous_.length());
  if (builder_.waiting() > max_stack)
    throw FormulaError("more than " + std::to_string(max_stack) + " operands wait for their operators",
                       previous_.column, previous_.length(), "use fewer nested brackets");
}

}  // namespace mortise::formula
