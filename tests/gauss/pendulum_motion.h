// The double pendulum let go from the horizontal: Runge-Kutta of order four over the accelerations of any formulation,
// with Baumgarte's feedback (α = β = 10) in b.
#pragma once

#include "gauss/double_pendulum.h"

namespace mortise::gauss::testing {

struct PendulumState {
  Eigen::Vector4d q{1, 0, 2, 0}, v{0, 0, 0, 0};

  // Of both strings, from the vertical.
  Eigen::Vector2d angles() const { return {std::atan2(q[0], q[1]), std::atan2(q[2] - q[0], q[3] - q[1])}; }
};

inline PendulumState swing(const Formulation& formulation, double h, int steps) {
  using Four = Eigen::Vector4d;
  DoublePendulum p;
  const auto factor = formulation.prepare(p.pattern);
  GaussSolution solution;
  PendulumState s;
  const auto acceleration = [&](const Four& q, const Four& v) -> Four {
    p.set(q, v);
    const Eigen::Vector2d d = q.tail<2>() - q.head<2>(), rate = v.tail<2>() - v.head<2>();
    const Eigen::Vector2d phi((q.head<2>().squaredNorm() - 1) / 2, (d.squaredNorm() - 1) / 2);
    const Eigen::Vector2d phidot(q.head<2>().dot(v.head<2>()), d.dot(rate));
    p.problem.b -= 20 * phidot + 100 * phi;
    if (!factor->factor(p.problem, {})) throw std::runtime_error("refused");
    factor->solve(as_span(p.problem.Q), as_span(p.problem.b), solution);
    return solution.a;
  };
  for (int k = 0; k < steps; ++k) {
    const Four a1 = acceleration(s.q, s.v);
    const Four v2 = s.v + h / 2 * a1, a2 = acceleration(s.q + h / 2 * s.v, v2);
    const Four v3 = s.v + h / 2 * a2, a3 = acceleration(s.q + h / 2 * v2, v3);
    const Four v4 = s.v + h * a3, a4 = acceleration(s.q + h * v3, v4);
    s.q += h / 6 * (s.v + 2 * v2 + 2 * v3 + v4);
    s.v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    factor->step_accepted();
  }
  return s;
}

}  // namespace mortise::gauss::testing
