// The implicit one-step formulas of order two and one, for a rate x:
//
//     q⁺ = h_q + δ x⁺,      trapezoidal rule: δ = h/2, h_q = q + δ x;      backward Euler: δ = h, h_q = q.
//
// Source: specs/nasa-4-stabilization.md §2.1: 004 paper 4 eqs. (16)-(18).
#pragma once

namespace mortise::integrate {

enum class ImplicitFormula { trapezoidal, backward_euler };

constexpr double reach_of(ImplicitFormula formula, double h) {  // δ
  return formula == ImplicitFormula::trapezoidal ? 0.5 * h : h;
}
// The share of δ x at the old time in the history.
constexpr double memory_of(ImplicitFormula formula) { return formula == ImplicitFormula::trapezoidal ? 1 : 0; }

}  // namespace mortise::integrate
