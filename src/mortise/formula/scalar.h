// The numbers a formula is evaluated with: double, a jet along one path, a hyper-dual number for one pair of
// directions.
//
// For u = f(x) and u = f(x, y) the chain rule of second order reads
//
//   u'  = f_x x' + f_y y'
//   u'' = f_x x'' + f_y y'' + f_xx x'² + 2 f_xy x' y' + f_yy y'²
//
// and for a hyper-dual number, with the two directions 1 and 2 (Fike and Alonso, AIAA 2011-886),
//
//   u_12 = f_x x_12 + f_y y_12 + f_xx x_1 x_2 + f_xy (x_1 y_2 + x_2 y_1) + f_yy y_1 y_2.
//
// What does not move contributes nothing, even where a partial derivative is infinite or undefined: `times` returns 0
// for a zero second factor. So sqrt(L) with L = 0 and constant has the derivative 0, and (−2)^2 never sees log(−2).
#pragma once

#include "mortise/formula/expression.h"

namespace mortise::formula {

struct HyperDual {
  double value = 0, d1 = 0, d2 = 0, d12 = 0;
};

// Value and partial derivatives of a function of one and of two arguments.
struct Unary {
  double f = 0, x = 0, xx = 0;
};
struct Binary {
  double f = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
};

inline double times(double coefficient, double derivative) { return derivative == 0 ? 0 : coefficient * derivative; }

// Functions of double need no partials at all.
template <class S>
inline constexpr bool differentiates = true;
template <>
inline constexpr bool differentiates<double> = false;

inline double value_of(double a) { return a; }
inline double value_of(const Jet<double>& a) { return a.value; }
inline double value_of(const HyperDual& a) { return a.value; }

template <class S>
inline S constant(double value) {
  S s{};
  s.value = value;
  return s;
}
template <>
inline double constant<double>(double value) {
  return value;
}

// The derivatives of p x + q y, with the value given (computed by the caller, perhaps more exactly).
inline double linear(double value, double, double, double, double) { return value; }
inline Jet<double> linear(double value, double p, const Jet<double>& x, double q, const Jet<double>& y) {
  return {value, times(p, x.first) + times(q, y.first), times(p, x.second) + times(q, y.second)};
}
inline HyperDual linear(double value, double p, const HyperDual& x, double q, const HyperDual& y) {
  return {value, times(p, x.d1) + times(q, y.d1), times(p, x.d2) + times(q, y.d2), times(p, x.d12) + times(q, y.d12)};
}
template <class S>
inline S linear(double value, double p, const S& x) {
  return linear(value, p, x, 0, S{});
}

inline double chain(const Unary& f, double) { return f.f; }
inline Jet<double> chain(const Unary& f, const Jet<double>& x) {
  return {f.f, times(f.x, x.first), times(f.x, x.second) + times(f.xx, x.first * x.first)};
}
inline HyperDual chain(const Unary& f, const HyperDual& x) {
  return {f.f, times(f.x, x.d1), times(f.x, x.d2), times(f.x, x.d12) + times(f.xx, x.d1 * x.d2)};
}

inline double chain(const Binary& f, double, double) { return f.f; }
inline Jet<double> chain(const Binary& f, const Jet<double>& x, const Jet<double>& y) {
  return {f.f, times(f.x, x.first) + times(f.y, y.first),
          times(f.x, x.second) + times(f.y, y.second) + times(f.xx, x.first * x.first) +
              2 * times(f.xy, x.first * y.first) + times(f.yy, y.first * y.first)};
}
inline HyperDual chain(const Binary& f, const HyperDual& x, const HyperDual& y) {
  return {f.f, times(f.x, x.d1) + times(f.y, y.d1), times(f.x, x.d2) + times(f.y, y.d2),
          times(f.x, x.d12) + times(f.y, y.d12) + times(f.xx, x.d1 * x.d2) + times(f.xy, x.d1 * y.d2 + x.d2 * y.d1) +
              times(f.yy, y.d1 * y.d2)};
}

}  // namespace mortise::formula
