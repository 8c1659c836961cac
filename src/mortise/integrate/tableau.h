// The coefficients of an embedded Runge-Kutta pair:
//
//     kᵢ = f(t + cᵢ h, y + h Σ_{j<i} aᵢⱼ kⱼ),   i = 1 … s,       y₁ = y + h Σ bᵢ kᵢ,       e = h Σ (bᵢ − b̂ᵢ) kᵢ.
//
// Every table here is proved in tests/integrate/order_conditions_test.cpp: all rooted trees up to the order.
#pragma once

#include <span>
#include <vector>

namespace mortise::integrate {

struct Tableau {
  const char* name = "";
  int stages = 0;
  int order = 0;                 // of b; b̂ has one less
  bool ends_with_rates = false;  // the last stage is f(t + h, y₁)
  std::span<const double> c;     // one per stage
  std::span<const double> a;     // rows 2 … s below the diagonal, one after the other: 1, 2, …, s − 1 numbers
  std::span<const double> b, b_hat;

  // Dense output (tableau_pair.h): stages (counted from 0) that begin it, then the points of each further level.
  std::vector<int> dense_stages;
  std::vector<std::vector<double>> dense_levels;

  double a_at(int stage, int j) const { return a[static_cast<std::size_t>(stage * (stage - 1) / 2 + j)]; }
};

const Tableau& rkv56_tableau();
const Tableau& rk78_tableau();

}  // namespace mortise::integrate
