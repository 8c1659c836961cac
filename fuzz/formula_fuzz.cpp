// Any text either parses or is refused with a FormulaError whose place lies in the text; what parses can be evaluated,
// differentiated and bound, and binding everything gives the value bit for bit.
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "mortise/formula/expression.h"

namespace {

using mortise::formula::Expression;
using mortise::formula::FormulaError;

void require(bool claim) {
  if (!claim) std::abort();
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void exercise(const Expression& f, const std::array<double, 3>& x) {
  constexpr std::array<double, 3> dx = {1, -0.5, 0}, ddx = {0, 2, 1};
  const double value = f.value(x);
  require(same(value, f.along(x, dx, ddx).value));
  std::array<double, 3> grad;
  std::array<double, 9> hessian;
  require(same(value, f.gradient(x, grad, hessian)));
  for (unsigned mask = 0; mask < 8; ++mask) {
    bool bound[3];
    std::vector<double> rest;
    for (unsigned k = 0; k < 3; ++k)
      if (!(bound[k] = mask >> k & 1u)) rest.push_back(x[k]);
    const Expression g = f.bind(x, bound);
    require(same(value, g.value(rest)));
    require(!rest.empty() || g.is_constant());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::string> names = {"t", "a", "theta0"};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Expression f = Expression::parse(text, names);
    for (const std::array<double, 3>& x :
         {std::array<double, 3>{0, 0, 0}, {0.7, -1.3, 2.5}, {1e200, -1e-200, INFINITY}, {NAN, 1, -1}})
      exercise(f, x);
  } catch (const FormulaError& e) {
    require(e.column >= 0 && static_cast<std::size_t>(e.column) <= size && e.length >= 1);
    require(*e.what() != 0);
  }
  return 0;
}
