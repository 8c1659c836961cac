// The operations of formulas: values and exact partial derivatives, and their conventions where a derivative is
// missing.
//
//   abs, sign, step, floor, ceil, comparisons    derivative 0 at the jump or kink
//   min, max, if, clamp, ramp                    the derivatives of the operand that was picked (the first of equal
//   ones) hypot, atan2 at the origin                   0 sqrt at 0, asin and acos at ±1               infinite, unless
//   the argument does not move
//
// Truth is "not 0"; a condition that is NaN gives NaN, so that no fault hides behind an `if`.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include "mortise/formula/program.h"
#include "mortise/formula/scalar.h"

namespace mortise::formula {

inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Smooth functions of one argument; D: derivatives wanted.
template <bool D>
inline Unary smooth(Op op, double x) {
  switch (op) {
    case Op::sin: {
      const double s = std::sin(x);
      return {s, D ? std::cos(x) : 0, -s};
    }
    case Op::cos: {
      const double c = std::cos(x);
      return {c, D ? -std::sin(x) : 0, -c};
    }
    case Op::tan: {
      const double t = std::tan(x), d = 1 + t * t;
      return {t, d, 2 * t * d};
    }
    case Op::asin:
    case Op::acos: {
      const double f = op == Op::asin ? std::asin(x) : std::acos(x);
      if (!D) return {f};
      const double r = (1 - x) * (1 + x), d = (op == Op::asin ? 1 : -1) / std::sqrt(r);
      return {f, d, x * d / r};
    }
    case Op::atan: {
      const double d = 1 / (1 + x * x);
      return {std::atan(x), d, -2 * (x * d) * d};
    }
    case Op::sinh: {
      const double s = std::sinh(x);
      return {s, D ? std::cosh(x) : 0, s};
    }
    case Op::cosh: {
      const double c = std::cosh(x);
      return {c, D ? std::sinh(x) : 0, c};
    }
    case Op::tanh: {
      const double t = std::tanh(x), c = D ? 1 / std::cosh(x) : 0;
      return {t, c * c, -2 * t * c * c};
    }
    case Op::exp: {
      const double f = std::exp(x);
      return {f, f, f};
    }
    case Op::log:
      return {std::log(x), 1 / x, -1 / x / x};
    case Op::log10: {
      const double d = 1 / (x * std::numbers::ln10);
      return {std::log10(x), d, -d / x};
    }
    case Op::sqrt: {
      const double f = std::sqrt(x), d = 0.5 / f;
      return {f, d, x == 0 ? -d : -0.5 * d / x};
    }
    default: {  // smoothstep, 6x⁵ − 15x⁴ + 10x³ on [0, 1]
      if (x <= 0) return {0};
      if (x >= 1) return {1};
      const double y = 1 - x;
      return {x * x * x * (10 + x * (6 * x - 15)), 30 * x * x * y * y, 60 * x * y * (y - x)};
    }
  }
}

inline double power(double x, double n) { return n == 2 ? x * x : std::pow(x, n); }

// x^y. In the direction of x, n x^(n−1) with exact zeros for n = 0 and n = 1, so x^2 at 0 has the derivatives 0 and 2.
// In the direction of y, x^y log x, whose limit at x = 0 is 0 for y > 0; `exponent_moves` saves the logarithm.
template <bool D>
inline Binary power_partials(double x, double y, bool exponent_moves) {
  Binary p{power(x, y)};
  if (!D) return p;
  p.x = y == 0 ? 0 : y * power(x, y - 1);
  p.xx = y == 0 || y == 1 ? 0 : y * (y - 1) * power(x, y - 2);
  if (!exponent_moves) return p;
  const double l = std::log(x);
  if (x == 0 && y > 0) {
    p.xy = y > 1 ? 0 : -std::numeric_limits<double>::infinity();
  } else {
    p.y = p.f * l, p.yy = p.y * l;
    p.xy = power(x, y - 1) * (1 + y * l);
  }
  return p;
}

// Smooth functions of two arguments.
template <bool D>
inline Binary smooth(Op op, double x, double y, bool y_moves) {
  switch (op) {
    case Op::multiply:
      return {x * y, y, x, 0, 1, 0};
    case Op::divide: {
      const double f = x / y, r = 1 / y;
      return {f, r, -f * r, 0, -r * r, 2 * f * r * r};
    }
    case Op::power:
      return power_partials<D>(x, y, y_moves);
    case Op::hypot: {
      const double h = std::hypot(x, y);
      if (!D || h == 0) return {h};
      const double c = x / h, s = y / h;
      return {h, c, s, s * s / h, -c * s / h, c * c / h};
    }
    default: {  // atan2(x, y): x is the ordinate
      const double f = std::atan2(x, y), h = D ? std::hypot(x, y) : 0;
      if (h == 0) return {f};
      const double c = y / h, s = x / h, m = 2 * (c / h) * (s / h);
      return {f, c / h, -s / h, -m, (s - c) / h * ((s + c) / h), m};
    }
  }
}

// The remainder with the sign of y, x − y floor(x/y), exact where fmod is.
inline double floored_remainder(double x, double y) {
  const double r = std::fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

inline double truth(bool b) { return b ? 1 : 0; }

inline double conjunction(double x, double y) {
  if (x == 0 || y == 0) return 0;
  return std::isnan(x) || std::isnan(y) ? not_a_number : 1;
}

inline double negation(double x) { return std::isnan(x) ? x : truth(x == 0); }

template <class S>
inline S apply(Op op, const S& x) {
  const double v = value_of(x);
  switch (op) {
    case Op::negate:
      return linear(-v, -1, x);
    case Op::degrees:
      return linear(v * std::numbers::pi / 180, std::numbers::pi / 180, x);
    case Op::abs:
      return v == 0 ? constant<S>(0) : linear(std::fabs(v), v < 0 ? -1 : 1, x);
    case Op::ramp:
      return v < 0 ? constant<S>(0) : x;
    case Op::logical_not:
      return constant<S>(negation(v));
    case Op::sign:
      return constant<S>(v > 0 ? 1 : v < 0 ? -1 : v);
    case Op::floor:
      return constant<S>(std::floor(v));
    case Op::ceil:
      return constant<S>(std::ceil(v));
    case Op::step:
      return constant<S>(std::isnan(v) ? v : truth(v >= 0));
    default:
      return chain(smooth<differentiates<S>>(op, v), x);
  }
}

inline bool moves(double) { return false; }
inline bool moves(const Jet<double>& x) { return x.first != 0 || x.second != 0; }
inline bool moves(const HyperDual& x) { return x.d1 != 0 || x.d2 != 0 || x.d12 != 0; }

template <class S>
inline S apply(Op op, const S& x, const S& y) {
  const double v = value_of(x), w = value_of(y);
  switch (op) {
    case Op::add:
      return linear(v + w, 1, x, 1, y);
    case Op::subtract:
      return linear(v - w, 1, x, -1, y);
    case Op::less:
      return constant<S>(truth(v < w));
    case Op::less_equal:
      return constant<S>(truth(v <= w));
    case Op::greater:
      return constant<S>(truth(v > w));
    case Op::greater_equal:
      return constant<S>(truth(v >= w));
    case Op::equal:
      return constant<S>(truth(v == w));
    case Op::not_equal:
      return constant<S>(truth(v != w));
    case Op::logical_and:
      return constant<S>(conjunction(v, w));
    case Op::logical_or:
      return constant<S>(negation(conjunction(negation(v), negation(w))));
    case Op::min:
      return w < v || std::isnan(w) ? y : x;
    case Op::max:
      return w > v || std::isnan(w) ? y : x;
    case Op::pulse:
      return constant<S>(std::isnan(v) || std::isnan(w) ? not_a_number : truth(v >= 0 && v < w));
    case Op::mod: {
      const double r = floored_remainder(v, w);
      return linear(r, 1, x, differentiates<S> ? -std::nearbyint((v - r) / w) : 0, y);
    }
    default:
      return chain(smooth<differentiates<S>>(op, v, w, moves(y)), x, y);
  }
}

template <class S>
inline S apply(Op op, const S& x, const S& y, const S& z) {
  if (op == Op::clamp) return apply(Op::min, apply(Op::max, x, y), z);
  const double condition = value_of(x);
  return std::isnan(condition) ? constant<S>(condition) : condition != 0 ? y : z;
}

}  // namespace mortise::formula
