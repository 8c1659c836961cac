// The systems of specs/nasa-1-staggered.md and nasa-5-explicit-implicit.md, written down as there, and a driver that
// follows them by the staggered integrator.
#pragma once

#include <cmath>
#include <functional>

#include "mortise/gauss/formulation.h"
#include "mortise/geometry/rotation.h"
#include "mortise/integrate/staggered/staggered.h"
#include "mortise/stabilize/stabilizer.h"
#include "support/compile.h"

namespace mortise::integrate::staggered_test {

// Rows on one block of velocities.
class SmallSystem : public System {
 public:
  SmallSystem(int nv, const std::vector<gauss::RowKind>& rows) {
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

 private:
  gauss::Pattern pattern_;
};

// m = l = 1: Φ = ½(x² + y² − 1).
class PointPendulum final : public SmallSystem {
 public:
  static constexpr double g = 9.81;
  PointPendulum() : SmallSystem(2, {gauss::RowKind::holonomic}) {}
  void evaluate(const State& s, unsigned, Scratch&, Evaluation& e) const override {
    e.problem.M << 1, 0, 0, 1;
    e.problem.A = s.q;
    e.problem.Q << 0, -g;
    e.problem.b[0] = -s.v.squaredNorm();
    e.problem.active[0] = 1;
    e.phi[0] = 0.5 * (s.q.squaredNorm() - 1);
    e.phidot[0] = s.q.dot(s.v);
    e.c_t[0] = 0;
    e.kinetic = 0.5 * s.v.squaredNorm();
    e.potential = g * s.q[1];
    e.power_dissipated = e.power_applied = 0;
  }
};

inline State pendulum_start() {
  State s;
  s.q = Vector(2), s.v = Vector::Zero(2);
  s.q << std::cos(M_PI / 6), -std::sin(M_PI / 6);
  return s;
}

// m ẍ + c ẋ + k x = 0.
class Oscillator final : public SmallSystem {
 public:
  Oscillator(double k, double c) : SmallSystem(1, {}), k_(k), c_(c) {}
  void evaluate(const State& s, unsigned, Scratch&, Evaluation& e) const override {
    e.problem.M[0] = 1;
    e.problem.Q[0] = -k_ * s.q[0] - c_ * s.v[0];
    e.kinetic = 0.5 * s.v[0] * s.v[0];
    e.potential = 0.5 * k_ * s.q[0] * s.q[0];
    e.power_dissipated = c_ * s.v[0] * s.v[0];
    e.power_applied = 0;
  }

 private:
  double k_, c_;
};

// A rigid body without loads: ω̇ = J⁻¹(Jω × ω).
class FreeBody final : public SmallSystem {
 public:
  explicit FreeBody(const Eigen::Vector3d& J_ = {1, 2, 3}) : SmallSystem(3, {}), J(J_) {}
  int q_size() const override { return 4; }
  const Eigen::Vector3d J;
  static State spinning(double x, double y, double z) {
    State s;
    s.q = Vector(4), s.v = Vector(3);
    s.q << 1, 0, 0, 0;
    s.v << x, y, z;
    return s;
  }
  // Angular momentum in world components.
  Eigen::Vector3d momentum(const State& s) const {
    return geometry::matrix(geometry::Quaternion{s.q[0], s.q[1], s.q[2], s.q[3]}) * J.cwiseProduct(s.v);
  }
  void evaluate(const State& s, unsigned, Scratch&, Evaluation& e) const override {
    const Eigen::Vector3d w = s.v, H(J[0] * w[0], J[1] * w[1], J[2] * w[2]);
    e.problem.M << J[0], 0, 0, 0, J[1], 0, 0, 0, J[2];
    e.problem.Q = H.cross(w);
    e.kinetic = 0.5 * w.dot(H);
    e.potential = e.power_dissipated = e.power_applied = 0;
  }
  void qdot(ConstSpan q, ConstSpan v, Span out) const override {
    const geometry::Quaternion r =
        geometry::Quaternion{q[0], q[1], q[2], q[3]} * geometry::Quaternion{0, v[0] / 2, v[1] / 2, v[2] / 2};
    out[0] = r.w, out[1] = r.x, out[2] = r.y, out[3] = r.z;
  }
  void cayley(ConstSpan q, ConstSpan dv, Span out) const override {
    const geometry::Quaternion r =
        geometry::Quaternion{q[0], q[1], q[2], q[3]} * geometry::cayley({dv[0], dv[1], dv[2]});
    out[0] = r.w, out[1] = r.x, out[2] = r.y, out[3] = r.z;
  }
  double largest_spin(ConstSpan v) const override { return std::hypot(v[0], v[1], v[2]); }
};

// A ball of radius and mass one that rolls on a plane along y = sin x; its centre of mass r0 above the middle.
// Velocities ẋ, ẏ of the middle and ω in body axes; M depends on the attitude. q: x, y, quaternion (w, x, y, z).
class Ball final : public SmallSystem {
 public:
  static constexpr double J = 0.4, g = 90;
  explicit Ball(double r0)
      : SmallSystem(5, {gauss::RowKind::nonholonomic, gauss::RowKind::nonholonomic, gauss::RowKind::nonholonomic}),
        r0_(r0) {}
  int q_size() const override { return 6; }
  static geometry::Quaternion attitude(ConstSpan q) { return {q[2], q[3], q[4], q[5]}; }

  void evaluate(const State& s, unsigned, Scratch&, Evaluation& e) const override {
    // Columns of W: body axes in world components; e_k·b_i = W(k, i).
    const Eigen::Matrix3d W = geometry::matrix(attitude(as_span(s.q)));
    const double vx = s.v[0], vy = s.v[1];
    const Eigen::Vector3d w = s.v.tail<3>();
    Eigen::Matrix<double, 5, 5, Eigen::RowMajor> M = Eigen::Matrix<double, 5, 5>::Zero();
    M.diagonal() << 1, 1, J, J, J;
    for (int k = 0; k < 2; ++k) {
      M(k, 2) = M(2, k) = -r0_ * W(k, 1);
      M(k, 3) = M(3, k) = r0_ * W(k, 0);
      e.problem.Q[k] = -r0_ * (w[0] * w[2] * W(k, 0) + w[1] * w[2] * W(k, 1) - (w[0] * w[0] + w[1] * w[1]) * W(k, 2));
    }
    std::copy_n(M.data(), 25, e.problem.M.data());
    e.problem.Q[2] = g * r0_ * W(2, 1);
    e.problem.Q[3] = -g * r0_ * W(2, 0);
    e.problem.Q[4] = 0;
    Eigen::Map<Eigen::Matrix<double, 3, 5, Eigen::RowMajor>> A(e.problem.A.data());
    A << 1, 0, -W(1, 0), -W(1, 1), -W(1, 2), 0, 1, W(0, 0), W(0, 1), W(0, 2), std::cos(s.q[0]), -1, 0, 0, 0;
    e.problem.b << 0, 0, vx * vx * std::sin(s.q[0]);
    e.problem.active.assign(3, 1);
    e.phi.setZero();
    e.c_t.setZero();
    e.phidot = A * s.v;
    e.kinetic = 0.5 * s.v.dot(M * s.v);
    e.potential = g * r0_ * W(2, 2);
    e.power_dissipated = e.power_applied = 0;
    (void)vy;
  }
  void qdot(ConstSpan q, ConstSpan v, Span out) const override {
    const geometry::Quaternion p = attitude(q), r = p * geometry::Quaternion{0, v[2] / 2, v[3] / 2, v[4] / 2};
    out[0] = v[0], out[1] = v[1], out[2] = r.w, out[3] = r.x, out[4] = r.y, out[5] = r.z;
  }
  void retract(ConstSpan q, ConstSpan dv, Span out) const override { move(q, dv, out, geometry::exponential); }
  void cayley(ConstSpan q, ConstSpan dv, Span out) const override { move(q, dv, out, geometry::cayley); }
  double largest_spin(ConstSpan v) const override { return std::hypot(v[2], v[3], v[4]); }

 private:
  void move(ConstSpan q, ConstSpan dv, Span out, geometry::Quaternion (*turn)(const Eigen::Vector3d&)) const {
    const geometry::Quaternion p = attitude(q) * turn({dv[2], dv[3], dv[4]});
    out[0] = q[0] + dv[0], out[1] = q[1] + dv[1];
    out[2] = p.w, out[3] = p.x, out[4] = p.y, out[5] = p.z;
  }
  double r0_;
};

inline State ball_start() {
  State s;
  s.q.setZero(6);
  s.q[2] = 1;
  s.v.resize(5);
  s.v << 1, 1, -1, 1, 0;
  return s;
}

inline State complete(const System& system, State s) {
  s.lambda.setZero(system.pattern().m());
  s.work.setZero(work_count);
  s.active.assign(static_cast<std::size_t>(system.pattern().m()), 1);
  s.inputs = system.initial_inputs();
  return s;
}

struct Follower {
  std::unique_ptr<gauss::Formulation> formulation = gauss::make_formulation("auto");
  std::unique_ptr<Stabilizer> stabilizer;
  Motion motion;
  Staggered integrator;
  State state;
  Vector y;
  const System& system;
  std::unique_ptr<Scratch> scratch;
  Evaluation evaluation;

  Follower(const System& s, const State& start, double h, const StaggeredSettings& own, const char* how = "none")
      : stabilizer(stabilize::make_stabilizer(how, {})),
        motion(s, *formulation, *stabilizer, {}),
        integrator(with(h, own)),
        state(complete(s, start)),
        system(s),
        scratch(s.make_scratch()) {
    evaluation.resize(s.pattern());
    y.setZero(motion.size());
    motion.set_active(state.active);
    motion.set_inputs(state.inputs);
    motion.pack(state, as_span(y));
    integrator.start(motion, state.t, as_span(y));
  }
  static Settings with(double h, const StaggeredSettings& own) {
    Settings s;
    s.step = h;
    s.staggered = own;
    return s;
  }
  // To time T; `see` after each step.
  void to(double T, const std::function<void()>& see = {}) {
    while (integrator.t() < T - 1e-12) {
      integrator.step(T);
      if (see) {
        look();
        see();
      }
    }
    look();
  }
  void look() {
    motion.unpack(integrator.t(), integrator.y(), state);
    system.evaluate(state, need_dynamics | need_energy, *scratch, evaluation);
  }
  double energy() const { return evaluation.kinetic + evaluation.potential; }
};

inline StaggeredSettings velocity_form(double epsilon, long merge = 0) {
  StaggeredSettings s;
  s.epsilon = epsilon;
  s.merge = merge;
  return s;
}
inline StaggeredSettings by_share(double share, long merge = 0) {
  StaggeredSettings s;
  s.relative = share;
  s.merge = merge;
  return s;
}

// log2 of the ratios of errors at h, h/2, …
inline double slope_of(double coarse, double fine) { return std::log2(coarse / fine); }

}  // namespace mortise::integrate::staggered_test
