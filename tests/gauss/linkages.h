// The linkages of specs/gigsp-and-genetic.md §6 in angles: E1, a four-bar driven at its crank, and E2, a parallel
// five-bar with its loop written twice and a driver. Pure kinematics: M = I, Q = 0.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "gauss/problem_builder.h"
#include "mortise/system/system.h"

namespace mortise::gauss::testing {

// θ₂, θ₃, θ₄ of the crank, the coupler and the rocker; the crank turns at a constant rate. θ₃ and θ₄ are those of the
// branch next to the guess.
struct FourBar : OwnedProblem {
  std::array<double, 3> angle{}, rate{};

  FourBar(double r1, double r2, double r3, double r4, double crank, double crank_rate, double guess3, double guess4) {
    lay_out(*this, {3}, {1, 2});
    angle = {crank, guess3, guess4};
    const auto rows = [&] {
      Matrix A = Matrix::Zero(3, 3);
      A(0, 0) = 1;
      A.row(1) << r2 * std::sin(angle[0]), r3 * std::sin(angle[1]), -r4 * std::sin(angle[2]);
      A.row(2) << r2 * std::cos(angle[0]), r3 * std::cos(angle[1]), -r4 * std::cos(angle[2]);
      return A;
    };
    for (int k = 0; k < 20; ++k) {
      const Vector gap =
          Eigen::Vector3d(0, r1 + r4 * std::cos(angle[2]) - r2 * std::cos(angle[0]) - r3 * std::cos(angle[1]),
                          r2 * std::sin(angle[0]) + r3 * std::sin(angle[1]) - r4 * std::sin(angle[2]));
      const Vector step = rows().fullPivLu().solve(-gap);
      for (int i = 0; i < 3; ++i) angle[static_cast<std::size_t>(i)] += step[i];
    }
    const Matrix A = rows();
    const Vector v = A.fullPivLu().solve(Eigen::Vector3d(crank_rate, 0, 0));
    rate = {v[0], v[1], v[2]};
    fill(Matrix::Identity(3, 3), A);
    const std::array<double, 3> l{r2, r3, -r4};
    for (std::size_t i = 0; i < 3; ++i) {
      problem.b[1] -= l[i] * rate[i] * rate[i] * std::cos(angle[i]);
      problem.b[2] += l[i] * rate[i] * rate[i] * std::sin(angle[i]);
    }
  }
};

// θ₂ and θ₄; rows: the loop in x and y, both again at half of the size, and the driver θ₂ = 2π sin t. `contradiction`
// is added to what the fourth row asks, as if its half-length closure opened with that acceleration (4.21).
class ParallelFiveBar final : public System {
 public:
  explicit ParallelFiveBar(double contradiction = 0) : contradiction_(contradiction) {
    pattern_.columns.append(2);
    pattern_.layout_mass();
    for (int i = 0; i < 5; ++i) pattern_.rows.push_back({i / 2, i % 2});
    pattern_.append_block(0, 5, 0);
    pattern_.row_scale.assign(5, 1.0);
    pattern_.position_size.assign(5, 1.0);
    pattern_.velocity_size.assign(5, 1.0);
    pattern_.version = 1;
  }
  const Pattern& pattern() const override { return pattern_; }
  int q_size() const override { return 2; }

  void evaluate(const State& s, unsigned, Scratch&, Evaluation& out) const override {
    constexpr double r = 2, turn = 2 * std::numbers::pi;
    const double s2 = r * std::sin(s.q[0]), c2 = r * std::cos(s.q[0]), s4 = r * std::sin(s.q[1]),
                 c4 = r * std::cos(s.q[1]), w2 = s.v[0] * s.v[0], w4 = s.v[1] * s.v[1];
    out.problem.M << 1, 0, 0, 1;
    out.problem.Q.setZero();
    out.problem.A << s2, -s4, c2, -c4, s2 / 2, -s4 / 2, c2 / 2, -c4 / 2, 1, 0;
    out.problem.b << w4 * c4 - w2 * c2, w2 * s2 - w4 * s4, (w4 * c4 - w2 * c2) / 2, (w2 * s2 - w4 * s4) / 2,
        -turn * std::sin(s.t);
    out.problem.b[3] += contradiction_;
    out.phi << c4 - c2, s2 - s4, (c4 - c2) / 2, (s2 - s4) / 2, s.q[0] - turn * std::sin(s.t);
    out.c_t << 0, 0, 0, 0, -turn * std::cos(s.t);
    out.problem.multiply_A(as_span(s.v), as_span(out.phidot));
    out.phidot += out.c_t;
    out.kinetic = 0.5 * (w2 + w4);
    out.potential = out.power_dissipated = out.power_applied = 0;
  }

  // The problem at a pose, for those who want no more. `drift` opens the loop: θ₄ = θ₂ + drift.
  GaussProblem at(double theta, double rate, double t = 0, double drift = 0) const {
    State s;
    s.t = t;
    s.q = Eigen::Vector2d(theta, theta + drift);
    s.v = Eigen::Vector2d(rate, rate);
    Evaluation e;
    e.resize(pattern_);
    Scratch none;
    evaluate(s, need_dynamics, none, e);
    return e.problem;
  }

 private:
  Pattern pattern_;
  double contradiction_;
};

}  // namespace mortise::gauss::testing
