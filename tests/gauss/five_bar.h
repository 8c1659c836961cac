// The five-bar parallelogram of specs/pseudoinverses.md §4, written down by hand: three parallel links of length 1 on
// ground pivots at x = −1, 0, 1, one coupler; 12 coordinates, 12 rows, rank 11, rank 10 with all bars in line.
#pragma once

#include <array>
#include <cmath>

#include "gauss/problem_builder.h"

namespace mortise::gauss::testing {

struct FiveBar : OwnedProblem {
  static constexpr double g = 9.81;
  // The pose given by θ with all coordinates displaced by `off` times a fixed direction, and rates of the swing.
  explicit FiveBar(double theta, double theta_rate = 0, double off = 0, double length_unit = 1, double mass_unit = 1) {
    const double u = length_unit;
    for (int body = 0; body < 4; ++body) pattern.columns.append(3);
    pattern.layout_mass();
    for (int i = 0; i < 3; ++i) {
      for (int component = 0; component < 2; ++component) pattern.rows.push_back({2 * i, component});
      for (int component = 0; component < 2; ++component) pattern.rows.push_back({2 * i + 1, component});
    }
    for (int i = 0; i < 3; ++i) {
      pattern.append_block(4 * i, 4, i);
      pattern.append_block(4 * i + 2, 2, 3);
    }
    pattern.row_scale.assign(12, 1.0);
    problem.resize(pattern);

    std::array<double, 12> q{}, push{0.3, -0.7, 0.5, -0.2, 0.9, -0.6, 0.8, 0.1, -0.4, 0.6, -0.3, 0.7};
    const std::array<double, 3> pivot{-u, 0, u};
    for (std::size_t i = 0; i < 3; ++i) {
      q[3 * i] = pivot[i] + 0.5 * u * std::cos(theta);
      q[3 * i + 1] = 0.5 * u * std::sin(theta);
      q[3 * i + 2] = theta;
    }
    q[9] = u * std::cos(theta);
    q[10] = u * std::sin(theta);
    q[11] = 0;
    for (std::size_t i = 0; i < 12; ++i) q[i] += off * push[i] * (i % 3 == 2 ? 1 : u);

    Matrix A = Matrix::Zero(12, 12), M = Matrix::Zero(12, 12);
    const double P = q[11];
    for (int i = 0; i < 3; ++i) {
      const double t = q[static_cast<std::size_t>(3 * i + 2)], c = 0.5 * u * std::cos(t), s = 0.5 * u * std::sin(t);
      const double o = pivot[static_cast<std::size_t>(i)], w2 = theta_rate * theta_rate;
      const int x = 3 * i, row = 4 * i;
      A.block<4, 3>(row, x) << 1, 0, s, 0, 1, -c, 1, 0, -s, 0, 1, c;
      A.block<2, 3>(row + 2, 9) << -1, 0, o * std::sin(P), 0, -1, -o * std::cos(P);
      problem.b.segment<4>(row) << -c * w2, -s * w2, c * w2, s * w2;  // Ṗ = 0 along the swing
      M.diagonal().segment<3>(x) << mass_unit, mass_unit, 0.1 * mass_unit * u * u;
      problem.Q.segment<3>(x) << 0, -g * u * mass_unit, 0;
    }
    M.diagonal().segment<3>(9) << 2 * mass_unit, 2 * mass_unit, 0.2 * mass_unit * u * u;
    problem.Q.segment<3>(9) << 0, -2 * g * u * mass_unit, 0;
    fill(M, A);
  }
};

}  // namespace mortise::gauss::testing
