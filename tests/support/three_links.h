// Three folded links that deploy and are locked straight: in coordinates of their ends (specs/nasa-4-stabilization.md
// §4.3), and as bodies with pins (specs/nasa-1-staggered.md §4A).
#pragma once

#include "support/stabilization_systems.h"

namespace mortise::test {

// Three links of unit length with unit masses at their ends, folded to (80°, −80°, 80°), coil springs at the wall and
// at both joints, a force along x at the tip. Rows: three links, and two locks that hold (0,2) and (1,3) at twice the
// length of a link: where all is straight, a lock is twice the sum of the rows of its links.
class ThreeLinks final : public PlainSystem {
 public:
  static constexpr double fold = 80 * std::numbers::pi / 180, k = 1, force = 10;
  static constexpr int links = 3, rows = 5;
  ThreeLinks() : PlainSystem(6, std::vector<gauss::RowKind>(rows, gauss::RowKind::holonomic)) {}

  static State start() {
    State s;
    s.q.resize(6);
    s.v.setZero(6);
    const double angle[] = {fold, -fold, fold};
    double x = 0, y = 0;
    for (int i = 0; i < 3; ++i) {
      s.q[2 * i] = x += std::cos(angle[i]);
      s.q[2 * i + 1] = y += std::sin(angle[i]);
    }
    s.active = {1, 1, 1, 0, 0};
    return s;
  }
  // The bend of joint 1 or 2, zero where its links are straight; its sign changes when it passes.
  static double bend(const Vector& q, int joint) {
    const std::array<Eigen::Vector2d, 3> u = along(q);
    return cross(u[index(joint - 1)], u[index(joint)]);
  }

 private:
  static double cross(const Eigen::Vector2d& a, const Eigen::Vector2d& b) { return a[0] * b[1] - a[1] * b[0]; }
  static Eigen::Vector2d point(const Vector& q, int i) {
    return i == 0 ? Eigen::Vector2d(0, 0) : Eigen::Vector2d(q[2 * i - 2], q[2 * i - 1]);
  }
  static std::array<Eigen::Vector2d, 3> along(const Vector& q) {
    return {point(q, 1), point(q, 2) - point(q, 1), point(q, 3) - point(q, 2)};
  }
  void fill(const State& s, Evaluation& e) const override {
    static constexpr int ends[rows][2] = {{0, 1}, {1, 2}, {2, 3}, {0, 2}, {1, 3}};
    e.problem.A.setZero();
    for (int r = 0; r < rows; ++r) {
      const int i = ends[r][0], j = ends[r][1];
      const double length = r < links ? 1 : 2;
      const Eigen::Vector2d d = point(s.q, j) - point(s.q, i), w = point(s.v, j) - point(s.v, i);
      e.phi[r] = 0.5 * (d.squaredNorm() - length * length);
      e.problem.b[r] = -w.squaredNorm();
      for (int c = 0; c < 2; ++c) {
        e.problem.A[6 * r + 2 * j - 2 + c] = d[c];
        if (i > 0) e.problem.A[6 * r + 2 * i - 2 + c] = -d[c];
      }
    }
    // Springs on θ1, θ2 − θ1, θ3 − θ2: a torque about each link is a force across it at its ends.
    const std::array<Eigen::Vector2d, 3> u = along(s.q);
    const double bend1 = std::atan2(cross(u[0], u[1]), u[0].dot(u[1])),
                 bend2 = std::atan2(cross(u[1], u[2]), u[1].dot(u[2]));
    const double stretch[] = {std::atan2(u[0][1], u[0][0]) - fold, bend1 + 2 * fold, bend2 - 2 * fold};
    e.potential = -force * s.q[4];
    for (const double x : stretch) e.potential += 0.5 * k * x * x;
    const double torque[] = {-k * (stretch[0] - stretch[1]), -k * (stretch[1] - stretch[2]), -k * stretch[2]};
    for (int i = 0; i < 3; ++i) {
      const Eigen::Vector2d across(-u[index(i)][1], u[index(i)][0]);
      const Eigen::Vector2d f = torque[i] / u[index(i)].squaredNorm() * across;
      e.problem.Q.segment<2>(2 * i) += f;
      if (i > 0) e.problem.Q.segment<2>(2 * i - 2) -= f;
    }
    e.problem.Q[4] += force;
  }
};

// Three homogeneous links as bodies (x, y, θ): six rows of pins, three locks θ₁ = 0, θ₂ = θ₁, θ₃ = θ₂, and one row that
// says with other words what the last two locks do, |p_tip| = 3: whenever both are on, it depends on them and the pins.
class PinnedLinks final : public PlainSystem {
 public:
  static constexpr double fold = 80 * std::numbers::pi / 180, k = 0.7, force = 7, J = 1.0 / 12;
  static constexpr int pins = 6, locks = 6, tip = 9, rows = 10;
  PinnedLinks() : PlainSystem(9, std::vector<gauss::RowKind>(rows, gauss::RowKind::holonomic)) {}

  static State start() {
    State s;
    s.q.resize(9);
    s.v.setZero(9);
    const double angle[] = {fold, -fold, fold};
    double x = 0, y = 0;
    for (int i = 0; i < 3; ++i) {
      const double c = std::cos(angle[i]), n = std::sin(angle[i]);
      s.q.segment<3>(3 * i) << x + 0.5 * c, y + 0.5 * n, angle[i];
      x += c, y += n;
    }
    s.active.assign(rows, 1);
    std::fill(s.active.begin() + locks, s.active.end(), static_cast<unsigned char>(0));
    return s;
  }
  // What lock i (0: at the wall) will hold at zero.
  static double bend(const Vector& q, int i) { return q[3 * i + 2] - (i > 0 ? q[3 * i - 1] : 0); }

 private:
  double mass(int i) const override { return i % 3 == 2 ? J : 1; }
  void fill(const State& s, Evaluation& e) const override {
    Eigen::Map<Eigen::Matrix<double, rows, 9, Eigen::RowMajor>> A(e.problem.A.data());
    A.setZero();
    Eigen::Vector2d half[3], turned[3];  // from the middle to the far end; the same turned by a right angle
    for (int i = 0; i < 3; ++i) {
      const double a = s.q[3 * i + 2];
      half[i] = 0.5 * Eigen::Vector2d(std::cos(a), std::sin(a));
      turned[i] = {-half[i][1], half[i][0]};
    }
    for (int i = 0; i < 3; ++i) {
      const double w2 = s.v[3 * i + 2] * s.v[3 * i + 2];
      const double w2_before = i > 0 ? s.v[3 * i - 1] * s.v[3 * i - 1] : 0;
      for (int c = 0; c < 2; ++c) {
        const int r = 2 * i + c;
        e.phi[r] = s.q[3 * i + c] - half[i][c] - (i > 0 ? s.q[3 * i - 3 + c] + half[i - 1][c] : 0);
        A(r, 3 * i + c) = 1;
        A(r, 3 * i + 2) = -turned[i][c];
        e.problem.b[r] = -w2 * half[i][c];
        if (i == 0) continue;
        A(r, 3 * i - 3 + c) = -1;
        A(r, 3 * i - 1) = -turned[i - 1][c];
        e.problem.b[r] -= w2_before * half[i - 1][c];
      }
      e.phi[locks + i] = bend(s.q, i);
      A(locks + i, 3 * i + 2) = 1;
      if (i > 0) A(locks + i, 3 * i - 1) = -1;
      e.problem.b[locks + i] = 0;
    }
    const Eigen::Vector2d p = s.q.segment<2>(6) + half[2], along = p.normalized();
    const Eigen::Vector2d v = s.v.segment<2>(6) + s.v[8] * turned[2];
    e.phi[tip] = p.norm() - 3;
    A(tip, 6) = along[0], A(tip, 7) = along[1];
    A(tip, 8) = along.dot(turned[2]);
    const double rate = along.dot(v);
    e.problem.b[tip] = -(v.squaredNorm() - rate * rate) / p.norm() + s.v[8] * s.v[8] * along.dot(half[2]);
    const double stretch[] = {bend(s.q, 0) - fold, bend(s.q, 1) + 2 * fold, bend(s.q, 2) - 2 * fold};
    e.potential = -force * p[0];
    for (const double x : stretch) e.potential += 0.5 * k * x * x;
    for (int i = 0; i < 3; ++i) {
      e.problem.Q[3 * i + 2] -= k * stretch[i];
      if (i > 0) e.problem.Q[3 * i - 1] += k * stretch[i];
    }
    e.problem.Q[6] += force;
    e.problem.Q[8] += force * turned[2][0];
  }
};

}  // namespace mortise::test
