#include "mortise/formula/function_table.h"

#include <array>
#include <numbers>
#include <utility>

#include "mortise/formula/expression.h"

namespace mortise::formula {

namespace {

constexpr Function table[] = {
    {"sin", Op::sin, 1, 1, "sine of an angle in radians"},
    {"cos", Op::cos, 1, 1, "cosine of an angle in radians"},
    {"tan", Op::tan, 1, 1, "tangent of an angle in radians"},
    {"asin", Op::asin, 1, 1, "arc sine, in radians"},
    {"acos", Op::acos, 1, 1, "arc cosine, in radians"},
    {"atan", Op::atan, 1, 1, "arc tangent, in radians"},
    {"atan2", Op::atan2, 2, 2, "atan2(y, x): angle of the vector (x, y), between -pi and pi"},
    {"sinh", Op::sinh, 1, 1, "hyperbolic sine"},
    {"cosh", Op::cosh, 1, 1, "hyperbolic cosine"},
    {"tanh", Op::tanh, 1, 1, "hyperbolic tangent"},
    {"exp", Op::exp, 1, 1, "e to the power x"},
    {"log", Op::log, 1, 1, "natural logarithm"},
    {"log10", Op::log10, 1, 1, "decimal logarithm"},
    {"sqrt", Op::sqrt, 1, 1, "square root"},
    {"pow", Op::power, 2, 2, "pow(x, y): the same as x^y"},
    {"hypot", Op::hypot, 2, 2, "hypot(x, y): length of the vector (x, y)"},
    {"abs", Op::abs, 1, 1, "absolute value"},
    {"sign", Op::sign, 1, 1, "-1, 0 or 1"},
    {"min", Op::min, 2, -1, "the smallest argument"},
    {"max", Op::max, 2, -1, "the largest argument"},
    {"clamp", Op::clamp, 3, 3, "clamp(x, low, high): x kept between low and high"},
    {"floor", Op::floor, 1, 1, "the next integer below"},
    {"ceil", Op::ceil, 1, 1, "the next integer above"},
    {"mod", Op::mod, 2, 2, "mod(x, y): x - y*floor(x/y), with the sign of y"},
    {"if", Op::select, 3, 3, "if(condition, a, b): a where the condition holds (is not 0), else b"},
    {"step", Op::step, 1, 1, "0 for x < 0, else 1"},
    {"ramp", Op::ramp, 1, 1, "0 for x < 0, else x"},
    {"pulse", Op::pulse, 2, 2, "pulse(x, width): 1 for 0 <= x < width, else 0"},
    {"smoothstep", Op::smoothstep, 1, 1, "from 0 at x = 0 to 1 at x = 1, velocity and acceleration 0 at both ends"},
};

}  // namespace

const Function* find_function(std::string_view name) {
  for (const Function& f : table)
    if (name == f.name) return &f;
  return nullptr;
}

bool find_constant(std::string_view name, double& value) {
  if (name == "pi") return value = std::numbers::pi, true;
  if (name == "e") return value = std::numbers::e, true;
  return false;
}

std::string our_name_for(std::string_view foreign) {
  constexpr std::array<std::pair<std::string_view, const char*>, 16> words = {{{"ln", "log"},
                                                                               {"lg", "log10"},
                                                                               {"arcsin", "asin"},
                                                                               {"arccos", "acos"},
                                                                               {"arctan", "atan"},
                                                                               {"arctan2", "atan2"},
                                                                               {"fabs", "abs"},
                                                                               {"sgn", "sign"},
                                                                               {"signum", "sign"},
                                                                               {"heaviside", "step"},
                                                                               {"fmod", "mod"},
                                                                               {"where", "if"},
                                                                               {"iff", "if"},
                                                                               {"norm", "hypot"},
                                                                               {"PI", "pi"},
                                                                               {"Pi", "pi"}}};
  for (const auto& [word, ours] : words)
    if (word == foreign) return ours;
  return {};
}

const std::vector<FunctionInfo>& functions() {
  static const std::vector<FunctionInfo> list = [] {
    std::vector<FunctionInfo> all;
    for (const Function& f : table) all.push_back({f.name, f.min_arguments, f.max_arguments, f.help});
    return all;
  }();
  return list;
}

bool is_reserved(std::string_view name) {
  double value;
  return find_function(name) || find_constant(name, value) || name == "deg" || name == "and" || name == "or" ||
         name == "not";
}

}  // namespace mortise::formula
