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
  std::size_t top =
      0;  // the first free slot; an index, since object-size checks lose track of a pointer that goes back
  for (const Instruction& i : code) {
    if (i.op == Op::constant) {
      std::construct_at(&stack[top++].s, constant<S>(i.constant));
    } else if (i.op == Op::variable) {
      std::construct_at(&stack[top++].s, variable(i.variable));
    } else if (i.op == Op::table) {
      S& x = stack[top - 1].s;
      const Jet<double> f = (*i.table)(value_of(x));
      x = chain(Unary{f.value, f.first, f.second}, x);
    } else if (const int n = operands(i.op); n == 1) {
      S& x = stack[top - 1].s;
      x = apply<S>(i.op, x);
    } else if (n == 2) {
      --top;
      S& x = stack[top - 1].s;
      x = apply<S>(i.op, x, stack[top].s);
    } else {
      top -= 2;
      S& x = stack[top - 1].s;
      x = apply<S>(i.op, x, stack[top].s, stack[top + 1].s);
    }
  }
  return stack[0].s;
}

}  // namespace mortise::formula
