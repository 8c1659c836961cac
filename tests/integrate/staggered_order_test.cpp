// Orders of the staggered procedure in positions, velocities and multipliers, and what its energy and spin do:
// specs/nasa-1-staggered.md §5 (5, 7, 8), nasa-5-explicit-implicit.md §5 (4, 5).
#include <gtest/gtest.h>

#include "integrate/staggered_systems.h"

namespace mortise::integrate::staggered_test {
namespace {

// The pendulum by its angle: θ̈ = −g cos θ, classical Runge-Kutta steps of at most 1e-3.
struct Swing {
  double t = 0, angle = -M_PI / 6, rate = 0;

  void to(double T) {
    const double g = PointPendulum::g;
    const int steps = static_cast<int>(std::ceil((T - t) / 1e-3 - 1e-9));
    const double h = (T - t) / std::max(steps, 1);
    for (int k = 0; k < steps; ++k) {
      const auto slope = [g](double x, double w) { return std::array{w, -g * std::cos(x)}; };
      const auto a = slope(angle, rate), b = slope(angle + h / 2 * a[0], rate + h / 2 * a[1]),
                 c = slope(angle + h / 2 * b[0], rate + h / 2 * b[1]), d = slope(angle + h * c[0], rate + h * c[1]);
      angle += h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0]);
      rate += h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1]);
    }
    t = T;
  }
  Eigen::Vector2d q() const { return {std::cos(angle), std::sin(angle)}; }
  Eigen::Vector2d v() const { return rate * Eigen::Vector2d(-std::sin(angle), std::cos(angle)); }
  double lambda() const { return rate * rate - PointPendulum::g * std::sin(angle); }
};

// Largest errors of a run of the pendulum.
struct SwingErrors {
  double q = 0, v = 0, raw = 0, filtered = 0;
};

SwingErrors pendulum_errors(double h, const StaggeredSettings& own) {
  const PointPendulum system;
  Follower f(system, pendulum_start(), h, own);
  Swing exact;
  SwingErrors e;
  f.to(2, [&] {
    const double t = f.integrator.t();
    exact.to(t - h / 2);  // where the filtered multipliers belong
    if (t > 2 * h) e.filtered = std::max(e.filtered, std::abs(f.integrator.filtered_multipliers()[0] - exact.lambda()));
    exact.to(t);
    e.q = std::max(e.q, (f.state.q - exact.q()).norm());
    e.v = std::max(e.v, (f.state.v - exact.v()).norm());
    e.raw = std::max(e.raw, std::abs(f.integrator.multipliers()[0] - exact.lambda()));
  });
  return e;
}

TEST(StaggeredOrder, OfPositionsVelocitiesAndFilteredMultipliersIsTwo) {
  for (const long merge : {0L, 10L}) {
    SCOPED_TRACE(testing::Message() << "merge " << merge);
    std::vector<SwingErrors> errors;
    for (const double h : {0.02, 0.01, 0.005, 0.0025}) errors.push_back(pendulum_errors(h, velocity_form(1e-9, merge)));
    for (std::size_t k = 1; k < errors.size(); ++k) {
      EXPECT_NEAR(slope_of(errors[k - 1].q, errors[k].q), 2, 0.1);
      EXPECT_NEAR(slope_of(errors[k - 1].v, errors[k].v), 2, 0.1);
      EXPECT_NEAR(slope_of(errors[k - 1].filtered, errors[k].filtered), 2, 0.1);
    }
    if (merge == 0) continue;  // so smooth a start excites no ringing to speak of
    EXPECT_NEAR(slope_of(errors[1].raw, errors[3].raw) / 2, 1, 0.1);
    EXPECT_GT(errors[3].raw, 5 * errors[3].filtered);
  }
}

// No drift: the mean of the last tenth is no further off than half of what the energy swings by, and that is O(h²).
TEST(StaggeredOrder, EnergySwingsByTheSquareOfTheStepAndDoesNotDrift) {
  const PointPendulum system;
  double before = 0;
  for (const double h : {0.02, 0.01, 0.005}) {
    Follower f(system, pendulum_start(), h, velocity_form(1e-9));
    f.look();
    const double E0 = f.energy();
    double largest = 0, late = 0;
    long samples = 0;
    f.to(50, [&] {
      largest = std::max(largest, std::abs(f.energy() - E0));
      if (f.integrator.t() > 45) late += f.energy() - E0, ++samples;
    });
    EXPECT_LT(std::abs(late / static_cast<double>(samples)), 0.5 * largest);
    if (before > 0) {
      EXPECT_NEAR(before / largest, 4, 0.4) << h;
    }
    before = largest;
  }
}

TEST(StaggeredOrder, OfTheAttitudeOfAFreeBodyIsTwoAndItsMomentumStays) {
  const FreeBody system;
  const State start = FreeBody::spinning(0.1, 2, 0.1);
  const auto end = [&](double h) {
    Follower f(system, start, h, velocity_form(0));
    f.to(10);
    return f.state;
  };
  const State exact = end(0.1 / 64);
  const double h[] = {0.1, 0.05, 0.025}, reported[] = {2.4e-2, 6.0e-3, 1.5e-3};
  double before = 0;
  for (int k = 0; k < 3; ++k) {
    const State s = end(h[k]);
    const double error = 2 * std::asin(std::min(1.0, std::min((s.q - exact.q).norm(), (s.q + exact.q).norm()) / 2)) * 2;
    EXPECT_LT(error, 1.5 * reported[k]);
    if (before > 0) {
      EXPECT_NEAR(slope_of(before, error), 2, 0.1);
    }
    before = error;
  }
  // h|ω| = 0.1 for a thousand seconds.
  Follower f(system, start, 0.05, velocity_form(0));
  const Eigen::Vector3d H0 = system.momentum(f.state);
  double worst = 0;
  f.to(1000, [&] { worst = std::max(worst, (system.momentum(f.state) - H0).norm() / H0.norm()); });
  EXPECT_LT(worst, 5e-3);
}

// A disc that spins about its axis and nutates with as much: bounded up to two radians a step.
TEST(StaggeredOrder, SpinIsBoundedUpToTwoRadiansAStepAndNotBeyond) {
  const FreeBody disc(Eigen::Vector3d(1, 1, 2));
  for (const double h : {1.98, 2.02}) {
    const State start = FreeBody::spinning(1e-3, 0, 1);
    const auto scratch = disc.make_scratch();
    Evaluation e;
    e.resize(disc.pattern());
    CoordinateStepper c(disc);
    c.begin(as_span(start.q), as_span(start.v), as_span(start.q), as_span(start.v), h / 2);
    State s = complete(disc, start);
    const Vector none = Vector::Zero(3);
    double largest = 0;
    for (int k = 0; k < 2000 && largest < 1e6; ++k) {
      s.q = c.q(), s.v = c.v();
      disc.evaluate(s, need_dynamics, *scratch, e);
      ASSERT_EQ(c.accelerate(e.problem, {}, as_span(e.problem.Q), as_span(none)), -1);
      c.advance();
      largest = std::max(largest, std::hypot(c.v()[0], c.v()[1]));
    }
    if (h < 2)
      EXPECT_LT(largest, 0.1);
    else
      EXPECT_GT(largest, 1);
  }
}

}  // namespace
}  // namespace mortise::integrate::staggered_test
