// What tests of mechanisms share: a model from a text, states at random, motions through a state, high-order
// differences.
#pragma once

#include <array>
#include <memory>
#include <random>
#include <string>

#include "mortise/io/yaml.h"
#include "mortise/mechanism/mechanism.h"
#include "mortise/mechanism/parts.h"
#include "support/compile.h"

namespace mortise::test {

using mechanism::Mechanism;

// What it takes to evaluate a mechanism.
class Evaluator {
 public:
  explicit Evaluator(const Mechanism& mechanism) : of_(&mechanism), scratch_(mechanism.make_scratch()) {
    evaluation.resize(mechanism.pattern());
  }
  const Evaluation& evaluate(const State& state) {
    of_->evaluate(state, need_constraints | need_dynamics | need_energy, *scratch_, evaluation);
    return evaluation;
  }
  Vector phi(const State& state) { return evaluate(state).phi; }
  Vector phidot(const State& state) { return evaluate(state).phidot; }

  Evaluation evaluation;

 private:
  const Mechanism* of_;
  std::unique_ptr<Scratch> scratch_;
};

// The same with a mechanism of its own.
struct Owner {
  std::unique_ptr<Mechanism> mechanism;
};
struct Workbench : Owner, Evaluator {
  explicit Workbench(const std::string& text) : Owner{compile(text)}, Evaluator(*mechanism) {}
};

using Random = std::mt19937_64;
double uniform(Random& random, double low, double high);
Vector random_vector(Random& random, int size, double largest);

// The pose as modelled moved by a random tangent vector (positions by up to `far`, rotations by up to `turn` about each
// axis), random velocities and time: off the constraints in every respect.
State random_state(const Mechanism& mechanism, Random& random, double far = 0.3, double turn = 0.4);
// q ⊕ h e_k
State moved(const Mechanism& mechanism, const State& state, int k, double h);
// The state after time h on the motion with constant v̇ = a through `state` (q̇ = N(q) v by small Runge-Kutta steps).
State along(const Mechanism& mechanism, const State& state, const Vector& a, double h);

// Of the centre of mass and the body axes; planar bodies as spatial ones in the plane z = 0. Written without the
// mechanism's own kinematics, to compare with it.
struct Pose {
  Eigen::Vector3d r = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
};
Pose pose(const Mechanism& mechanism, const State& state, int body);

// f'(0) by sixth-order central differences of f(−3h … 3h).
template <class Function>
Vector derivative(const Function& f, double h) {
  const auto pair = [&](int k) -> Vector { return (f(k * h) - f(-k * h)) / (60 * h); };
  return 45 * pair(1) - 9 * pair(2) + pair(3);
}

// Largest |x − y| relative to the largest entry of y (or 1).
double difference(const Vector& x, const Vector& y);

// ---- definitions ------------------------------------------------------------------------------------------

inline double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

inline Vector random_vector(Random& random, int size, double largest) {
  Vector x(size);
  for (double& value : x) value = uniform(random, -largest, largest);
  return x;
}

inline State random_state(const Mechanism& mechanism, Random& random, double far, double turn) {
  State state = mechanism.initial_state();
  Vector step = random_vector(random, mechanism.v_size(), far);
  for (const mechanism::Body& body : mechanism.bodies()) {
    if (body.particle) continue;
    const int rotations = body.v_size() - body.translations();
    step.segment(body.v + body.translations(), rotations) = random_vector(random, rotations, turn);
  }
  mechanism.retract(as_span(state.q), as_span(step), as_span(state.q));
  state.v = random_vector(random, mechanism.v_size(), 1.5);
  state.t = uniform(random, 0, 2);
  return state;
}

inline State moved(const Mechanism& mechanism, const State& state, int k, double h) {
  State out = state;
  Vector step = Vector::Zero(mechanism.v_size());
  step[k] = h;
  mechanism.retract(as_span(state.q), as_span(step), as_span(out.q));
  return out;
}

inline State along(const Mechanism& mechanism, const State& state, const Vector& a, double h) {
  constexpr int steps = 4;
  const double s = h / steps;
  State out = state;
  const auto rate = [&](const Vector& q, double t) {
    const Vector v = state.v + t * a;
    Vector r(q.size());
    mechanism.qdot(as_span(q), as_span(v), as_span(r));
    return r;
  };
  for (int k = 0; k < steps; ++k) {
    const double t = k * s;
    const Vector k1 = rate(out.q, t), k2 = rate(out.q + s / 2 * k1, t + s / 2),
                 k3 = rate(out.q + s / 2 * k2, t + s / 2), k4 = rate(out.q + s * k3, t + s);
    out.q += s / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  out.v += h * a;
  out.t += h;
  return out;
}

inline Pose pose(const Mechanism& m, const State& state, int body) {
  Pose p;
  if (body == mechanism::ground) return p;
  const mechanism::Body& b = m.bodies()[static_cast<std::size_t>(body)];
  if (b.plane) {
    p.r = b.plane->col(0) * state.q[b.q] + b.plane->col(1) * state.q[b.q + 1] + b.plane->col(2) * b.height;
    const auto& x = b.orientation;
    if (!b.particle)
      p.R = Eigen::AngleAxisd(state.q[b.q + 2], b.plane->col(2)) * Eigen::Quaterniond(x.w, x.x, x.y, x.z);
    return p;
  }
  p.r.head(m.dimension()) = state.q.segment(b.q, m.dimension());
  if (b.particle) return p;
  if (m.dimension() == 2) {
    p.R.topLeftCorner<2, 2>() = Eigen::Rotation2Dd(state.q[b.q + 2]).toRotationMatrix();
  } else {
    const Eigen::Vector4d x = state.q.segment<4>(b.q + 3);
    p.R = Eigen::Quaterniond(x[0], x[1], x[2], x[3]).normalized().toRotationMatrix();
  }
  return p;
}

inline double difference(const Vector& x, const Vector& y) {
  if (x.size() == 0) return 0;
  return (x - y).cwiseAbs().maxCoeff() / std::max(1.0, y.cwiseAbs().maxCoeff());
}

}  // namespace mortise::test
