// Motions with known answers, as flows for the tests of integrators.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "mortise/integrate/integrator.h"

namespace mortise::integrate::test {

// A flow from plain functions; counts what is asked of it and notes the latest time it was evaluated at.
class TestFlow : public Flow {
 public:
  using Rates = std::function<void(double, ConstSpan, Span)>;
  using Settle = std::function<bool(double, Span)>;

  TestFlow(int n, Rates f, Settle settle = {}) : n_(n), f_(std::move(f)), settle_(std::move(settle)) {}

  int size() const override { return n_; }
  void rates(double t, ConstSpan y, Span ydot) override {
    ++evaluations;
    latest = std::max(latest, t);
    f_(t, y, ydot);
  }
  bool settle(double t, Span y) override {
    ++settles;
    return settle_ && settle_(t, y);
  }
  void typical_sizes(Span sizes) const override {
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = i < typical.size() ? typical[i] : 1.0;
  }

  long evaluations = 0;
  long settles = 0;
  double latest = -std::numeric_limits<double>::infinity();
  std::vector<double> typical;  // 1 where not given

 private:
  int n_;
  Rates f_;
  Settle settle_;
};

struct Problem {
  std::string name;
  std::unique_ptr<TestFlow> flow;
  std::vector<double> y0;
  double until = 0;
  std::function<void(double t, Span y)> exact;  // may be empty: then only `at_end` is known
  std::vector<double> at_end;

  double error_at_end(ConstSpan y) const {
    std::vector<double> reference = at_end;
    if (exact) {
      reference.resize(y.size());
      exact(until, reference);
    }
    double error = 0;
    for (std::size_t i = 0; i < reference.size(); ++i) error = std::max(error, std::abs(y[i] - reference[i]));
    return error;
  }
};

inline Problem oscillator(double until = 20) {
  Problem p;
  p.name = "oscillator";
  p.flow = std::make_unique<TestFlow>(2, [](double, ConstSpan y, Span f) {
    f[0] = y[1];
    f[1] = -y[0];
  });
  p.y0 = {1, 0};
  p.until = until;
  p.exact = [](double t, Span y) {
    y[0] = std::cos(t);
    y[1] = -std::sin(t);
  };
  return p;
}

inline Problem growth(double until = 5) {
  Problem p;
  p.name = "growth";
  p.flow = std::make_unique<TestFlow>(1, [](double, ConstSpan y, Span f) { f[0] = y[0]; });
  p.y0 = {1};
  p.until = until;
  p.exact = [](double t, Span y) { y[0] = std::exp(t); };
  return p;
}

// The orbit of eccentricity e with semi-axis 1 and period 2π; begins at the nearest point.
inline Problem kepler(double e = 0.5, double orbits = 5) {
  Problem p;
  p.name = "kepler";
  p.flow = std::make_unique<TestFlow>(4, [](double, ConstSpan y, Span f) {
    const double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * std::sqrt(r2);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -y[0] / r3;
    f[3] = -y[1] / r3;
  });
  p.y0 = {1 - e, 0, 0, std::sqrt((1 + e) / (1 - e))};
  p.until = orbits * 2 * std::numbers::pi;
  p.exact = [e](double t, Span y) {
    double anomaly = t;  // E − e sin E = t
    for (int i = 0; i < 60; ++i) anomaly -= (anomaly - e * std::sin(anomaly) - t) / (1 - e * std::cos(anomaly));
    const double c = std::cos(anomaly), s = std::sin(anomaly), b = std::sqrt(1 - e * e), rate = 1 / (1 - e * c);
    y[0] = c - e;
    y[1] = b * s;
    y[2] = -s * rate;
    y[3] = b * c * rate;
  };
  return p;
}

// θ̈ = −sin θ from rest at 2 rad: after whole periods of 4 K(sin 1) it is there again.
inline Problem pendulum(double periods = 100) {
  Problem p;
  p.name = "pendulum";
  p.flow = std::make_unique<TestFlow>(2, [](double, ConstSpan y, Span f) {
    f[0] = y[1];
    f[1] = -std::sin(y[0]);
  });
  p.y0 = {2, 0};
  p.until = periods * 4 * std::comp_ellint_1(std::sin(1.0));
  p.at_end = {2, 0};
  return p;
}

// A free rigid body in Euler's equations with its quaternion (w, x, y, z; body to world), 7 components.
// Torque-free, with two equal inertias, the motion is known: the body spins about its axis while the axis precesses
// about the angular momentum.
inline Problem top(bool normalise, double until = 20) {
  static constexpr double A = 1.0, C = 1.6;  // inertias across and along the axis
  Problem p;
  p.name = "top";
  TestFlow::Settle settle;
  if (normalise)
    settle = [](double, Span y) {
      const double length = std::sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3]);
      if (std::abs(length - 1) <= 2.3e-16) return false;
      for (int i = 0; i < 4; ++i) y[i] /= length;
      return true;
    };
  p.flow = std::make_unique<TestFlow>(
      7,
      [](double, ConstSpan y, Span f) {
        const double *q = y.data(), *w = y.data() + 4;
        f[0] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
        f[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
        f[2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
        f[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
        f[4] = (A - C) * w[1] * w[2] / A;
        f[5] = (C - A) * w[2] * w[0] / A;
        f[6] = 0;
      },
      settle);
  p.y0 = {1, 0, 0, 0, 0.7, 0, 2.0};
  p.until = until;
  p.exact = [](double t, Span y) {
    // ω in the body turns about its axis with rate Ω; R(t) = exp(t L/A) exp(t (1 − C/A) ω₃ e₃).
    const double w1 = 0.7, w3 = 2.0, Omega = (C - A) / A * w3;
    const double lx = w1, lz = C / A * w3, L = std::sqrt(lx * lx + lz * lz);
    const double a = 0.5 * L * t, b = -0.5 * Omega * t;
    const double pw = std::cos(a), px = std::sin(a) * lx / L, pz = std::sin(a) * lz / L;
    const double sw = std::cos(b), sz = std::sin(b);
    y[0] = pw * sw - pz * sz;
    y[1] = px * sw;
    y[2] = -px * sz;
    y[3] = pw * sz + pz * sw;
    y[4] = w1 * std::cos(Omega * t);
    y[5] = w1 * std::sin(Omega * t);
    y[6] = w3;
  };
  return p;
}

// The pendulum as a point on the unit circle in (x, y, ẋ, ẏ) with the force along the rod eliminated; gravity 1 along
// +x. `project`: onto the circle and its tangent after each step.
inline Problem circle(bool project, double periods = 20) {
  Problem p;
  p.name = project ? "circle, projected" : "circle";
  TestFlow::Settle settle;
  if (project)
    settle = [](double, Span y) {
      const double r = std::sqrt(y[0] * y[0] + y[1] * y[1]);
      const double x = y[0] / r, z = y[1] / r, out = x * y[2] + z * y[3];
      if (std::abs(r - 1) <= 2.3e-16 && std::abs(out) <= 2.3e-16) return false;
      y[0] = x;
      y[1] = z;
      y[2] -= out * x;
      y[3] -= out * z;
      return true;
    };
  p.flow = std::make_unique<TestFlow>(
      4,
      [](double, ConstSpan y, Span f) {
        const double r2 = y[0] * y[0] + y[1] * y[1];
        const double lambda = (y[2] * y[2] + y[3] * y[3] + y[0]) / r2;  // A a = b with the free motion (1, 0)
        f[0] = y[2];
        f[1] = y[3];
        f[2] = 1 - lambda * y[0];
        f[3] = -lambda * y[1];
      },
      settle);
  p.y0 = {std::cos(2.0), std::sin(2.0), 0, 0};
  p.until = periods * 4 * std::comp_ellint_1(std::sin(1.0));
  p.at_end = p.y0;
  return p;
}

// An oscillator pushed by a square wave: failed steps, orders that drop.
inline Problem pushed(double until = 12) {
  Problem p;
  p.name = "pushed";
  p.flow = std::make_unique<TestFlow>(2, [](double t, ConstSpan y, Span f) {
    f[0] = y[1];
    f[1] = -y[0] + (std::fmod(t, 3.0) < 1.1 ? 1.0 : 0.0);
  });
  p.y0 = {1, 0};
  p.until = until;
  return p;
}

inline double off_the_circle(ConstSpan y) { return std::abs(std::hypot(y[0], y[1]) - 1); }

// Runs to the end; returns the error there.
inline double run(Integrator& integrator, Problem& p) {
  integrator.start(*p.flow, 0, p.y0);
  while (integrator.t() < p.until) integrator.step(p.until);
  return p.error_at_end(integrator.y());
}

inline Settings with_tolerance(double tolerance) {
  Settings s;
  s.tolerance = tolerance;
  return s;
}

inline Settings with_step(double step) {
  Settings s;
  s.step = step;
  return s;
}

}  // namespace mortise::integrate::test
