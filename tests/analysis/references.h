// Reference motions that owe nothing to the library: equations derived by hand in least coordinates.
#pragma once

#include <array>
#include <cmath>

#include "support/extrapolation.h"

namespace mortise::test {

constexpr double gravity = 9.81;

// Double pendulum of uniform rods, m = L = 1; (α, β, α̇, β̇), angles from the horizontal. With I₁ = 4/3, I₂ = 1/3 and
// c = ½ cos(α−β), s = ½ sin(α−β) Lagrange's equations are
//   I₁ α̈ + c β̈ = −s β̇² − 3/2 g cos α,     c α̈ + I₂ β̈ = s α̇² − ½ g cos β.
inline std::array<double, 4> double_pendulum_rate(const std::array<double, 4>& y) {
  const double c = 0.5 * std::cos(y[0] - y[1]), s = 0.5 * std::sin(y[0] - y[1]);
  const double r1 = -s * y[3] * y[3] - 1.5 * gravity * std::cos(y[0]);
  const double r2 = s * y[2] * y[2] - 0.5 * gravity * std::cos(y[1]);
  const double det = 4.0 / 9 - c * c;
  return {y[2], y[3], (r1 / 3 - c * r2) / det, (4.0 / 3 * r2 - c * r1) / det};
}

// Axis e of a symmetric top on a fixed point: I₁ e×ë + C n ė = −m g l e×ẑ with |e| = 1, so
//   ë = −|ė|² e − (m g l (e×ẑ)×e + C n ė×e) / I₁;    y = (e, ė).
struct HeavyTop {
  double I1 = 15 + 0.234375, Cn = 0.46875 * 150, mgl = 15 * gravity;
  std::array<double, 6> operator()(const std::array<double, 6>& y) const {
    const double ex = y[0], ey = y[1], ez = y[2], dx = y[3], dy = y[4], dz = y[5];
    const double speed2 = dx * dx + dy * dy + dz * dz;
    // (e×ẑ)×e = ẑ − e (e·ẑ)
    return {dx,
            dy,
            dz,
            -speed2 * ex - (mgl * (-ez * ex) + Cn * (dy * ez - dz * ey)) / I1,
            -speed2 * ey - (mgl * (-ez * ey) + Cn * (dz * ex - dx * ez)) / I1,
            -speed2 * ez - (mgl * (1 - ez * ez) + Cn * (dx * ey - dy * ex)) / I1};
  }
};

// The crank-rocker of four-bar.yaml in its crank angle: ½ J(q) q̇² + V(q) constant, J q̈ = −½ J' q̇² − V'. The angles p of
// the coupler and r of the rocker follow from a e(q) + b e(p) = d + c e(r); p₁, p₂ are dp/dq, d²p/dq².
inline std::array<double, 2> four_bar_rate(const std::array<double, 2>& y) {
  using std::cos, std::sin;
  constexpr double a = 0.4, b = 1, c = 0.8, d = 1;
  const double q = y[0], Ax = a * cos(q), Ay = a * sin(q), s = std::hypot(d - Ax, Ay);
  const double p = std::atan2(-Ay, d - Ax) + std::acos((b * b + s * s - c * c) / (2 * b * s));
  const double r = std::atan2(Ay + b * sin(p), Ax + b * cos(p) - d);
  const double p1 = a * sin(q - r) / (b * sin(r - p)), r1 = a * sin(q - p) / (c * sin(r - p));
  const double rx = a * cos(q) + b * cos(p) * p1 * p1 - c * cos(r) * r1 * r1;
  const double ry = a * sin(q) + b * sin(p) * p1 * p1 - c * sin(r) * r1 * r1;
  // −b sin p p₂ + c sin r r₂ = rx,   b cos p p₂ − c cos r r₂ = ry
  const double det = b * c * sin(p - r);
  const double p2 = (-c * cos(r) * rx - c * sin(r) * ry) / det, r2 = (-b * sin(p) * ry - b * cos(p) * rx) / det;
  const double gx = -a * sin(q) - b / 2 * sin(p) * p1, gy = a * cos(q) + b / 2 * cos(p) * p1;
  const double hx = -a * cos(q) - b / 2 * (cos(p) * p1 * p1 + sin(p) * p2);
  const double hy = -a * sin(q) + b / 2 * (cos(p) * p2 - sin(p) * p1 * p1);
  const double J = a * a * a / 3 + b * (gx * gx + gy * gy) + b * b * b / 12 * p1 * p1 + c * c * c / 3 * r1 * r1;
  const double dJ = 2 * b * (gx * hx + gy * hy) + b * b * b / 6 * p1 * p2 + 2 * c * c * c / 3 * r1 * r2;
  const double dV = gravity * (a * a / 2 * cos(q) + b * gy + c * c / 2 * cos(r) * r1);
  return {y[1], (-0.5 * dJ * y[1] * y[1] - dV) / J};
}

// Jacobi's sn, cn, dn of u with parameter m = k², by the arithmetic-geometric mean (Abramowitz, Stegun 16.4).
struct Jacobi {
  double sn, cn, dn;
};
inline Jacobi jacobi(double u, double m) {
  std::array<double, 16> a{}, c{};
  a[0] = 1;
  double b = std::sqrt(1 - m);
  c[0] = std::sqrt(m);
  int n = 0;
  while (std::abs(c[static_cast<std::size_t>(n)]) > 1e-17 && n < 15) {
    const auto k = static_cast<std::size_t>(n++);
    a[k + 1] = (a[k] + b) / 2;
    c[k + 1] = (a[k] - b) / 2;
    b = std::sqrt(a[k] * b);
  }
  double angle = std::ldexp(a[static_cast<std::size_t>(n)] * u, n);
  for (; n > 0; --n) {
    const auto k = static_cast<std::size_t>(n);
    angle = (angle + std::asin(c[k] / a[k] * std::sin(angle))) / 2;
  }
  const double sn = std::sin(angle);
  return {sn, std::cos(angle), std::sqrt(1 - m * sn * sn)};
}

// Rates of a free body in body axes, started with ω₂ = 0 and L² > 2 E I₂ (Landau, Lifshitz I §37).
inline std::array<double, 3> free_body_rates(const std::array<double, 3>& I, double w1, double w3, double t) {
  const double E2 = I[0] * w1 * w1 + I[2] * w3 * w3;
  const double L2 = I[0] * I[0] * w1 * w1 + I[2] * I[2] * w3 * w3;
  const double m = (I[1] - I[0]) * (E2 * I[2] - L2) / ((I[2] - I[1]) * (L2 - E2 * I[0]));
  const Jacobi j = jacobi(t * std::sqrt((I[2] - I[1]) * (L2 - E2 * I[0]) / (I[0] * I[1] * I[2])), m);
  return {w1 * j.cn, std::sqrt((E2 * I[2] - L2) / (I[1] * (I[2] - I[1]))) * j.sn, w3 * j.dn};
}

}  // namespace mortise::test
