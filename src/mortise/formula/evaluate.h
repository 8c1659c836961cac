// Runs a postfix program on a stack of fixed size: no allocation, no recursion. Cost: one pass over the program.
#pragma once

#include <memory>
#include <span>

#include "mortise/formula/kernels.h"
#include "mortise/formula/program.h"
#include "mortise/formula/spline.h"

namespace mortise::formula {

// `variable(i)` gives variable i as an S. The parser has made sure that `max_stack` operands suffice.
template <class S, class Variable>
S evaluate(std::span<const Instruction> code, const Variable& variable) {
  union Slot {  // left uninitialized: clearing the whole stack would cost more than most formulas
    Slot() {}
    S s;
  };
  Slot stack[max_stack];
  Slot* top = stack;  // the first free slot
  for (const Instruction& i : code) {
    if (i.op == Op::constant) {
      std::construct_at(&(top++)->s, constant<S>(i.constant));
    } else if (i.op == Op::variable) {
      std::construct_at(&(top++)->s, variable(i.variable));
    } else if (i.op == Op::table) {
      const Jet<double> f = (*i.table)(value_of(top[-1].s));
      top[-1].s = chain(Unary{f.value, f.first, f.second}, top[-1].s);
    } else if (const int n = operands(i.op); n == 1) {
      top[-1].s = apply<S>(i.op, top[-1].s);
    } else if (n == 2) {
      --top;
      top[-1].s = apply<S>(i.op, top[-1].s, top[0].s);
    } else {
      top -= 2;
      top[-1].s = apply<S>(i.op, top[-1].s, top[0].s, top[1].s);
    }
  }
  return stack[0].s;
}

}  // namespace mortise::formula
