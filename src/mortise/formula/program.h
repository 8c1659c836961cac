// A formula as a flat postfix program, and the builder that folds constants while it grows.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace mortise::formula {

class Spline;

inline constexpr int max_operations = 10000;  // numbers, names, operators and calls of one formula, as written
inline constexpr int max_nesting = 200;       // brackets, signs, `not` and exponents inside one another
inline constexpr int max_stack = 256;         // operands waiting at one time: 8 kB of C stack for hyper-dual numbers

// Grouped by the number of operands; `operands` relies on the order.
enum class Op : unsigned char {
  constant,
  variable,
  // one operand
  negate,
  degrees,
  logical_not,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  log10,
  sqrt,
  abs,
  sign,
  floor,
  ceil,
  step,
  smoothstep,
  ramp,
  table,
  // two operands
  add,
  subtract,
  multiply,
  divide,
  power,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  atan2,
  hypot,
  mod,
  min,
  max,
  pulse,
  // three operands
  select,
  clamp,
};

constexpr int operands(Op op) { return op < Op::negate ? 0 : op < Op::add ? 1 : op < Op::select ? 2 : 3; }

struct Instruction {
  Op op;
  int variable = 0;
  double constant = 0;
  const Spline* table = nullptr;  // owned by the program
};

// Appends operations in postfix order. An operation on constants alone becomes its result, computed by the very code
// that evaluates formulas: folded and unfolded formulas agree bit for bit.
class Builder {
 public:
  void constant(double value);
  void variable(int index);
  void apply(Op op, const Spline* table = nullptr);

  int written() const { return written_; }  // operations before folding
  int waiting() const { return waiting_; }  // operands on the stack
  std::vector<Instruction> take() { return std::move(code_); }

 private:
  std::vector<Instruction> code_;
  int written_ = 0, waiting_ = 0;
};

}  // namespace mortise::formula
