#include "mortise/mechanism/formulas.h"

#include <cmath>

namespace mortise::mechanism {

namespace {

// Gauss-Legendre, 8 points.
template <class F>
double gauss(const F& f, double from, double to) {
  constexpr double node[] = {0.18343464249564980, 0.52553240991632899, 0.79666647741362674, 0.96028985649753623};
  constexpr double weight[] = {0.36268378337836198, 0.31370664587788729, 0.22238103445337447, 0.10122853629037626};
  const double middle = (from + to) / 2, half = (to - from) / 2;
  double sum = 0;
  for (int k = 0; k < 4; ++k) sum += weight[k] * (f(middle - half * node[k]) + f(middle + half * node[k]));
  return half * sum;
}

// Halved until the halves agree with the whole to rounding of the integral of |f|; kinks of tables end by the depth.
template <class F>
double adaptive(const F& f, double from, double to, double whole, double size, int depth) {
  const double middle = (from + to) / 2;
  const double left = gauss(f, from, middle), right = gauss(f, middle, to);
  if (depth == 0 || std::abs(left + right - whole) <= 1e-15 * size) return left + right;
  return adaptive(f, from, middle, left, size, depth - 1) + adaptive(f, middle, to, right, size, depth - 1);
}

}  // namespace

formula::Jet<double> Formulas::along(std::size_t k, std::initializer_list<double> own, double dt,
                                     std::initializer_list<double> down) const {
  Variables x, dx{};
  const std::size_t n = fill(k, own, x);
  std::size_t i = 0;
  dx[i++] = dt;
  for (const double value : down) dx[i++] = value;
  return formulas_[k].expression.along(std::span<const double>(x.data(), n), std::span<const double>(dx.data(), n), {});
}

double Formulas::integral(std::size_t k, double x) const {
  const auto f = [&](double s) { return (*this)(k, {s}); };
  const double whole = gauss(f, 0, x), size = std::abs(gauss([&](double s) { return std::abs(f(s)); }, 0, x));
  return adaptive(f, 0, x, whole, size, 10);
}

}  // namespace mortise::mechanism
