#include "mortise/formula/expression.h"

#include <algorithm>
#include <charconv>

#include "mortise/formula/evaluate.h"
#include "mortise/formula/parser.h"

namespace mortise::formula {

struct Expression::Program {
  std::vector<Instruction> code;
  std::vector<int> used;  // variables, ascending
  std::vector<std::shared_ptr<const Spline>> tables;
  std::string text;
  bool angle_unit = false;

  // `known`: holders of all tables that the code may call; those that it does are kept alive.
  Program(std::vector<Instruction> instructions, std::string written, bool angle,
          std::span<const std::shared_ptr<const Spline>> known = {})
      : code(std::move(instructions)), text(std::move(written)), angle_unit(angle) {
    code.shrink_to_fit();  // a model keeps thousands of them
    for (const Instruction& i : code)
      if (i.op == Op::variable) used.push_back(i.variable);
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (const std::shared_ptr<const Spline>& table : known)
      if (std::any_of(code.begin(), code.end(), [&](const Instruction& i) { return i.table == table.get(); }))
        tables.push_back(table);
  }

  void require(std::size_t given) const {
    if (!used.empty() && given <= static_cast<std::size_t>(used.back()))
      throw std::invalid_argument("too few variables for the formula '" + text + "'");
  }
};

namespace {

std::string shortest(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

Expression::Expression() {
  static const auto zero = std::make_shared<const Program>(std::vector<Instruction>{{Op::constant}}, "0", false);
  program_ = zero;
}

Expression::Expression(double constant)
    : program_(std::make_shared<const Program>(std::vector<Instruction>{{Op::constant, 0, constant, nullptr}},
                                               shortest(constant), false)) {}

Expression Expression::parse(std::string_view text, std::span<const std::string> variables,
                             std::span<const Table> tables, std::vector<FreeName>* free) {
  Parser parser(text, variables, tables, free);
  std::vector<Instruction> code = parser.parse();
  Expression expression;
  std::vector<std::shared_ptr<const Spline>> known;
  for (const Table& table : tables) known.push_back(table.spline);
  expression.program_ =
      std::make_shared<const Program>(std::move(code), std::string(text), parser.has_angle_unit(), known);
  return expression;
}

double Expression::value(std::span<const double> variables) const {
  program_->require(variables.size());
  return evaluate<double>(program_->code, [=](int i) { return variables[at(i)]; });
}

Jet<double> Expression::along(std::span<const double> x, std::span<const double> dx,
                              std::span<const double> ddx) const {
  program_->require(x.size());
  if (!dx.empty()) program_->require(dx.size());
  if (!ddx.empty()) program_->require(ddx.size());
  return evaluate<Jet<double>>(program_->code, [=](int i) {
    return Jet<double>{x[at(i)], dx.empty() ? 0 : dx[at(i)], ddx.empty() ? 0 : ddx[at(i)]};
  });
}

double Expression::gradient(std::span<const double> x, std::span<double> grad, std::span<double> hessian) const {
  const std::size_t n = x.size();
  program_->require(n);
  if (grad.size() != n || (!hessian.empty() && hessian.size() != n * n))
    throw std::invalid_argument("the gradient has n entries, the Hessian n*n");
  std::fill(grad.begin(), grad.end(), 0.0);
  std::fill(hessian.begin(), hessian.end(), 0.0);
  for (const int p : program_->used) {
    if (hessian.empty()) {
      const auto variable = [=](int i) { return Jet<double>{x[at(i)], truth(i == p), 0}; };
      grad[at(p)] = evaluate<Jet<double>>(program_->code, variable).first;
      continue;
    }
    for (const int q : program_->used) {
      if (q > p) break;
      const auto variable = [=](int i) { return HyperDual{x[at(i)], truth(i == p), truth(i == q), 0}; };
      const HyperDual u = evaluate<HyperDual>(program_->code, variable);
      grad[at(p)] = u.d1;
      hessian[at(p) * n + at(q)] = hessian[at(q) * n + at(p)] = u.d12;
    }
  }
  return value(x);
}

Expression Expression::bind(std::span<const double> values, std::span<const bool> bound) const {
  program_->require(std::min(values.size(), bound.size()));
  std::vector<int> renumbered(bound.size());
  int next = 0;
  for (std::size_t i = 0; i < bound.size(); ++i) renumbered[i] = bound[i] ? -1 : next++;
  Builder builder;
  for (const Instruction& i : program_->code) {
    if (i.op == Op::constant)
      builder.constant(i.constant);
    else if (i.op != Op::variable)
      builder.apply(i.op, i.table);
    else if (bound[at(i.variable)])
      builder.constant(values[at(i.variable)]);
    else
      builder.variable(renumbered[at(i.variable)]);
  }
  Expression expression;
  expression.program_ =
      std::make_shared<const Program>(builder.take(), program_->text, program_->angle_unit, program_->tables);
  return expression;
}

bool Expression::is_constant() const { return program_->used.empty(); }

bool Expression::uses(int variable) const {
  return std::binary_search(program_->used.begin(), program_->used.end(), variable);
}

bool Expression::has_angle_unit() const { return program_->angle_unit; }

const std::string& Expression::text() const { return program_->text; }

}  // namespace mortise::formula
