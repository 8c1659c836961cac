// Angles in space are known up to full turns. A sum Σ c_i θ_i of them is then known up to multiples of 2π u, where u is
// the largest number of which every c_i is a whole multiple: such coefficients are commensurate.
#pragma once

#include <optional>
#include <span>

namespace mortise::mechanism {

struct Fraction {
  long long over = 0, under = 1;
};

// The fraction of smallest denominator within 1e-12 (relative) of x; nothing when that exceeds 1000.
std::optional<Fraction> as_fraction(double x);

// u of coefficients that are not zero; nothing when they are not commensurate.
std::optional<double> common_unit(std::span<const double> coefficients);

}  // namespace mortise::mechanism
