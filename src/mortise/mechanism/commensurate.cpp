#include "mortise/mechanism/commensurate.h"

#include <cmath>
#include <numeric>

namespace mortise::mechanism {

// Convergents of the continued fraction: the best approximations, in the order of their denominators.
std::optional<Fraction> as_fraction(double x) {
  if (!(std::abs(x) < 1e9)) return std::nullopt;
  Fraction before{1, 0}, now{static_cast<long long>(std::floor(x)), 1};
  double rest = x - std::floor(x);
  while (true) {
    const double value = static_cast<double>(now.over) / static_cast<double>(now.under);
    if (std::abs(value - x) <= 1e-12 * std::abs(x)) return now;
    if (rest < 1e-13) return std::nullopt;
    const double whole = std::floor(1 / rest);
    rest = 1 / rest - whole;
    if (!(whole * static_cast<double>(now.under) <= 1000)) return std::nullopt;
    const auto a = static_cast<long long>(whole);
    const Fraction next{a * now.over + before.over, a * now.under + before.under};
    before = now;
    now = next;
    if (now.under > 1000) return std::nullopt;
  }
}

std::optional<double> common_unit(std::span<const double> coefficients) {
  if (coefficients.empty()) return std::nullopt;
  // All as fractions of the first: numerators over one denominator.
  long long under = 1;
  for (const double c : coefficients) {
    const auto f = as_fraction(c / coefficients[0]);
    if (!f || f->over == 0) return std::nullopt;
    under = std::lcm(under, f->under);
    if (under > 1'000'000) return std::nullopt;
  }
  long long common = 0;
  for (const double c : coefficients) {
    const auto f = as_fraction(c / coefficients[0]);
    common = std::gcd(common, f->over * (under / f->under));
  }
  return std::abs(coefficients[0]) * static_cast<double>(common) / static_cast<double>(under);
}

}  // namespace mortise::mechanism
