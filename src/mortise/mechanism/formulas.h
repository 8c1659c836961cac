// The formulas of a force as its kernel sees them: of t, of what the kernel itself measures, and of named quantities.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "mortise/formula/expression.h"
#include "mortise/linalg/types.h"

namespace mortise::mechanism {

// A formula with its quantities as numbers of the mechanism's list (`Mechanism::evaluate` keeps their values).
struct BoundFormula {
  formula::Expression expression;
  std::vector<int> slots;  // of the quantities
};

constexpr std::size_t most_quantities = 40;  // in one formula: evaluation must not allocate
constexpr std::size_t most_own = 3;

class Formulas {
 public:
  Formulas(std::span<const BoundFormula> formulas, std::span<const int> reads, double t, ConstSpan quantities,
           bool energy)
      : formulas_(formulas), reads_(reads), t_(t), quantities_(quantities), energy_(energy) {}

  // Formula k with the kernel's own variables.
  double operator()(std::size_t k, std::initializer_list<double> own = {}) const {
    Variables x;
    const std::size_t n = fill(k, own, x);
    return formulas_[k].expression.value(std::span<const double>(x.data(), n));
  }
  // Its derivative along (ṫ, own derivatives); quantities stand still.
  formula::Jet<double> along(std::size_t k, std::initializer_list<double> own, double dt,
                             std::initializer_list<double> down) const;
  // ∫ of formula k over its first own variable, from 0 to x: what a spring stores.
  double integral(std::size_t k, double x) const;
  // A quantity that the kernel reads itself.
  double read(std::size_t k) const { return quantities_[static_cast<std::size_t>(reads_[k])]; }
  // Whether the potential is wanted.
  bool energy() const { return energy_; }

 private:
  using Variables = std::array<double, 1 + most_own + most_quantities>;
  std::size_t fill(std::size_t k, std::initializer_list<double> own, Variables& x) const {
    std::size_t n = 0;
    x[n++] = t_;
    for (const double value : own) x[n++] = value;
    for (const int slot : formulas_[k].slots) x[n++] = quantities_[static_cast<std::size_t>(slot)];
    return n;
  }

  std::span<const BoundFormula> formulas_;
  std::span<const int> reads_;
  double t_;
  ConstSpan quantities_;
  bool energy_;
};

}  // namespace mortise::mechanism
