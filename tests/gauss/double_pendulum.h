// The double pendulum of specs/gigsp-and-genetic.md §6, E5: two points of mass 1 on strings of length 1, y down,
// coordinates (x₁, y₁, x₂, y₂), g = 9.8.
#pragma once

#include "gauss/problem_builder.h"

namespace mortise::gauss::testing {

struct DoublePendulum : OwnedProblem {
  static constexpr double g = 9.8;
  static constexpr double pi = 3.1416;  // as the source's table takes it

  // At rest below, thrown sideways with (π, 5π/2): the instant of the source's table.
  explicit DoublePendulum(double speed_2 = 2.5 * pi) {
    lay_out(*this, {2, 2}, {1, 1});
    set(Eigen::Vector4d(0, 1, 0, 2), Eigen::Vector4d(pi, 0, speed_2, 0));
  }

  void set(const Eigen::Vector4d& q, const Eigen::Vector4d& v) {
    Matrix A(2, 4);
    const Eigen::Vector2d d = q.tail<2>() - q.head<2>(), rate = v.tail<2>() - v.head<2>();
    A << q[0], q[1], 0, 0, -d[0], -d[1], d[0], d[1];
    fill(Matrix::Identity(4, 4), A);
    problem.Q = Eigen::Vector4d(0, g, 0, g);
    problem.b = Eigen::Vector2d(-v.head<2>().squaredNorm(), -rate.squaredNorm());
  }

  // Of the table's instant: the strings hang vertically, so each point follows its circle.
  static Vector exact() { return Eigen::Vector4d(0, -pi * pi, 0, -pi * pi - 2.25 * pi * pi); }
};

}  // namespace mortise::gauss::testing
