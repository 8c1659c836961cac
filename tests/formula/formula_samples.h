// Formulas drawn at random from the grammar, the same for the same seed on every machine.
#pragma once

#include <cstdint>
#include <string>

namespace mortise::formula {

class Samples {
 public:
  explicit Samples(std::uint64_t seed) : state_(seed) {}

  // splitmix64: the standard distributions differ between libraries.
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  double between(double low, double high) { return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53); }

  // A formula in t, a, theta0 of at most the given depth. Arguments are kept where the functions are defined.
  std::string formula(int depth) {
    if (depth == 0) return leaf();
    const std::string x = formula(depth - 1), y = formula(depth - 1 - below(depth));
    switch (below(26)) {
      case 0:
      case 1:
        return "(" + x + " + " + y + ")";
      case 2:
      case 3:
        return "(" + x + " - " + y + ")";
      case 4:
      case 5:
        return x + "*" + y;
      case 6:
        return x + "/(1.5 + (" + y + ")^2)";
      case 7:
        return "(" + x + ")^" + std::to_string(below(4));
      case 8:
        return "(1 + (" + x + ")^2)^tanh(" + y + ")";
      case 9:
        return "-" + x;
      case 10:
        return "sin(" + x + ")";
      case 11:
        return "cos(" + x + ")";
      case 12:
        return "tan(tanh(" + x + "))";
      case 13:
        return "asin(0.9*tanh(" + x + "))";
      case 14:
        return "acos(0.9*sin(" + x + "))";
      case 15:
        return "atan(" + x + ")";
      case 16:
        return "atan2(" + x + ", " + y + ")";
      case 17:
        return "sinh(tanh(" + x + ")) + cosh(sin(" + y + "))";
      case 18:
        return "exp(sin(" + x + "))";
      case 19:
        return "log(1.1 + (" + x + ")^2)";
      case 20:
        return "sqrt(0.2 + (" + x + ")**2) + log10(2 + cos(" + y + "))";
      case 21:
        return "abs(" + x + ")";
      case 22:
        return (below(2) ? "min(" : "max(") + x + ", " + y + ")";
      case 23:
        return "if(" + x + " < " + y + " or not t > 1, " + y + ", " + x + ")";
      case 24:
        return "hypot(" + x + ", " + y + ")";
      default:
        return "smoothstep(" + x + ") + mod(" + y + ", 2.5)*step(" + x + ")";
    }
  }

 private:
  std::string leaf() {
    switch (below(6)) {
      case 0:
        return "t";
      case 1:
        return "a";
      case 2:
        return "theta0";
      case 3:
        return "t";
      case 4:
        return std::to_string(between(0.1, 3));
      default:
        return std::to_string(below(90)) + " deg";
    }
  }

  std::uint64_t state_;
};

}  // namespace mortise::formula
