#include "mortise/formula/program.h"

#include <algorithm>
#include <span>

#include "mortise/formula/evaluate.h"

namespace mortise::formula {

void Builder::constant(double value) {
  code_.push_back({Op::constant, 0, value, nullptr});
  ++written_, ++waiting_;
}

void Builder::variable(int index) {
  code_.push_back({Op::variable, index, 0, nullptr});
  ++written_, ++waiting_;
}

void Builder::apply(Op op, const Spline* table) {
  code_.push_back({op, 0, 0, table});
  ++written_;
  waiting_ -= operands(op) - 1;
  // A constant subexpression is always folded to one instruction, so the operands are the instructions just before.
  const std::size_t count = static_cast<std::size_t>(operands(op)) + 1;
  const std::span<const Instruction> tail(code_.end() - static_cast<std::ptrdiff_t>(count), code_.end());
  if (!std::all_of(tail.begin(), tail.end() - 1, [](const Instruction& i) { return i.op == Op::constant; })) return;
  const double folded = evaluate<double>(tail, [](int) { return 0.0; });
  code_.resize(code_.size() - count, Instruction{Op::constant});
  code_.push_back({Op::constant, 0, folded, nullptr});
}

}  // namespace mortise::formula
