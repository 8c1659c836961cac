// The systems of specs/nasa-4-stabilization.md §4 and nasa-1-staggered.md §4A, §4D, written down as there, for tests
// and for the study. Rows have their nominal length, so ε and S are those of the sheets.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "mortise/system/system.h"

namespace mortise::test {

// q̇ = v in one dense block; every row on all of it.
class PlainSystem : public System {
 public:
  PlainSystem(int nv, const std::vector<gauss::RowKind>& rows) {
    pattern_.columns.append(nv);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      pattern_.rows.push_back({static_cast<int>(i), 0, rows[i], gauss::RowUnit::length});
      pattern_.append_block(static_cast<int>(i), 1, 0);
    }
    pattern_.layout_mass();
    pattern_.row_scale.assign(rows.size(), 1);
    pattern_.position_size = pattern_.velocity_size = pattern_.row_scale;
  }
  const gauss::Pattern& pattern() const override { return pattern_; }
  int q_size() const override { return v_size(); }

  void evaluate(const State& s, unsigned, Scratch&, Evaluation& e) const override {
    const int n = v_size(), m = pattern_.m();
    e.problem.M.setZero();
    for (int i = 0; i < n; ++i) e.problem.M[i * (n + 1)] = mass(i);
    e.problem.Q.setZero();
    e.c_t.setZero();
    e.potential = e.power_dissipated = e.power_applied = 0;
    fill(s, e);
    e.problem.active.assign(index(m), 1);
    for (int i = 0; i < m && !s.active.empty(); ++i) e.problem.active[index(i)] = s.active[index(i)];
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> A(e.problem.A.data(),
                                                                                                     m, n);
    e.phidot = A * s.v + e.c_t;
    e.kinetic = 0;
    for (int i = 0; i < n; ++i) e.kinetic += 0.5 * mass(i) * s.v[i] * s.v[i];
    for (int i = 0; i < m; ++i)
      if (!e.problem.active[index(i)]) e.phi[i] = e.phidot[i] = 0;
  }

 protected:
  virtual double mass(int) const { return 1; }
  // A, b, φ, Q and what differs from zero of c_t, potential and powers.
  virtual void fill(const State& s, Evaluation& e) const = 0;

 private:
  gauss::Pattern pattern_;
};

// Point on a circle, ½(x² + y² − 1), `copies` times over; the middle moves by u(t) = a sin(w t) along x. From rest at
// (1, 0) to the angle −0.6541487371 at t = 2 where it stands still.
class PointPendulum final : public PlainSystem {
 public:
  static constexpr double g = 9.81, angle_at_2 = -0.6541487371;
  explicit PointPendulum(int copies = 1, double a = 0, double w = 0)
      : PlainSystem(2, std::vector<gauss::RowKind>(index(copies), gauss::RowKind::holonomic)), a_(a), w_(w) {}

 private:
  void fill(const State& s, Evaluation& e) const override {
    e.problem.Q << 0, -g;
    e.potential = g * s.q[1];
    const double u = a_ * std::sin(w_ * s.t), du = a_ * w_ * std::cos(w_ * s.t), ddu = -w_ * w_ * u;
    const double x = s.q[0] - u, y = s.q[1], vx = s.v[0] - du, vy = s.v[1];
    for (int i = 0; i < pattern().m(); ++i) {
      e.problem.A[2 * i] = x, e.problem.A[2 * i + 1] = y;
      e.phi[i] = 0.5 * (x * x + y * y - 1);
      e.c_t[i] = -x * du;
      e.problem.b[i] = -(vx * vx + vy * vy) + x * ddu;
    }
  }
  double a_, w_;
};

// Crank, rod and massless slider: (θ, φ, x, y).
class Crank final : public PlainSystem {
 public:
  static constexpr double r = 0.1, l = 0.3, l1 = 0.15, m = 1, J1 = 0.05, J2 = m * l * l / 12, g = 9.81;
  static constexpr double speed = 8.027960, period = 0.82;
  Crank() : PlainSystem(4, std::vector<gauss::RowKind>(3, gauss::RowKind::holonomic)) {}

  static State start() {
    State s;
    s.q.resize(4);
    s.v.resize(4);
    const double phi = 0, rate = -r * speed / l;  // r sin θ + l sin φ = 0
    s.q << 0, phi, r + l1, 0;
    s.v << speed, rate, 0, r * speed + l1 * rate;
    return s;
  }

 private:
  double mass(int i) const override { return std::array{J1, J2, m, m}[index(i)]; }
  void fill(const State& s, Evaluation& e) const override {
    const double st = std::sin(s.q[0]), ct = std::cos(s.q[0]), sp = std::sin(s.q[1]), cp = std::cos(s.q[1]);
    const double x = s.q[2], y = s.q[3], w2 = s.v[0] * s.v[0], p2 = s.v[1] * s.v[1];
    e.problem.Q << 0, 0, 0, -m * g;
    e.potential = m * g * y;
    e.phi << r * ct - (x - l1 * cp), r * st - (y - l1 * sp), (l - l1) * sp + y;
    e.problem.A << -r * st, -l1 * sp, -1, 0, r * ct, l1 * cp, 0, -1, 0, (l - l1) * cp, 0, 1;
    e.problem.b << r * ct * w2 + l1 * cp * p2, r * st * w2 + l1 * sp * p2, (l - l1) * sp * p2;
  }
};

// Crank pin (x1, y1) and slider x2, both arms of length one: A has rank one where the crank stands upright.
class PointSlider final : public PlainSystem {
 public:
  static constexpr double g = 9.81, x2_at_1 = -1.749883, upright = 0.362228;
  PointSlider() : PlainSystem(3, std::vector<gauss::RowKind>(2, gauss::RowKind::holonomic)) {}

  static State start() {
    State s;
    s.q.resize(3);
    s.v.resize(3);
    const double c = std::numbers::sqrt2 / 2, rate = 4 / (2 * c);  // x2 = 2 cos θ
    s.q << c, c, 2 * c;
    s.v << -c * rate, c * rate, -4;
    return s;
  }

 private:
  void fill(const State& s, Evaluation& e) const override {
    const double x = s.q[0], y = s.q[1], d = s.q[2] - x, vx = s.v[0], vy = s.v[1], vd = s.v[2] - vx;
    e.problem.Q << 0, -g, 0;
    e.potential = g * y;
    e.phi << 0.5 * (x * x + y * y - 1), 0.5 * (d * d + y * y - 1);
    e.problem.A << x, y, 0, -d, y, d;
    e.problem.b << -(vx * vx + vy * vy), -(vd * vd + vy * vy);
  }
};

// A blade that turns on an incline: (x, y, φ), ẋ sin φ − ẏ cos φ = 0.
class Blade final : public PlainSystem {
 public:
  Blade() : PlainSystem(3, {gauss::RowKind::nonholonomic}) {}
  static State start() {
    State s;
    s.q.setZero(3);
    s.v.setZero(3);
    s.v[2] = 1;
    return s;
  }
  static Eigen::Vector2d place(double t) {
    return {0.5 * std::sin(t) * std::sin(t), 0.5 * (t - 0.5 * std::sin(2 * t))};
  }
  static double lambda(double t) { return 2 * std::sin(t); }

 private:
  void fill(const State& s, Evaluation& e) const override {
    const double sp = std::sin(s.q[2]), cp = std::cos(s.q[2]);
    e.problem.Q << 1, 0, 0;
    e.potential = -s.q[0];
    e.phi[0] = 0;
    e.problem.A << sp, -cp, 0;
    e.problem.b[0] = -s.v[2] * (s.v[0] * cp + s.v[1] * sp);
  }
};

// One mode: M = 1, A = √s, a load F.
class OneRow final : public PlainSystem {
 public:
  OneRow(gauss::RowKind kind, double s, double load = 0)
      : PlainSystem(1, {kind}), kind_(kind), root_(std::sqrt(s)), load_(load) {}

 private:
  void fill(const State& s, Evaluation& e) const override {
    e.problem.Q[0] = load_;
    e.potential = -load_ * s.q[0];
    e.phi[0] = kind_ == gauss::RowKind::holonomic ? root_ * s.q[0] : 0;
    e.problem.A[0] = root_;
    e.problem.b[0] = 0;
  }
  gauss::RowKind kind_;
  double root_, load_;
};

// A state with everything that a run needs.
inline State whole(const System& system, State s) {
  const auto m = index(system.pattern().m());
  s.lambda.setZero(system.pattern().m());
  s.work.setZero(work_count);
  if (s.active.empty()) s.active.assign(m, 1);
  s.inputs = system.initial_inputs();
  return s;
}
inline State at_rest(double x, double y) {
  State s;
  s.q = Eigen::Vector2d(x, y);
  s.v = Eigen::Vector2d(0, 0);
  return s;
}

}  // namespace mortise::test
