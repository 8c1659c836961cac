// The staggered explicit-implicit procedure on the systems of specs/nasa-1-staggered.md and
// nasa-5-explicit-implicit.md: closed forms, orders, energy over long runs, and the variants that fail.
#include <gtest/gtest.h>

#include "integrate/staggered_systems.h"

namespace mortise::integrate::staggered_test {
namespace {

constexpr double pendulum_angle = -0.6218973493;  // at t = 2, from the x axis

struct Worst {
  double gap = 0, energy = 0;
};

TEST(Staggered, PendulumIsOfSecondOrderAndHoldsItsConstraint) {
  const PointPendulum system;
  std::vector<double> errors;
  for (const double h : {0.04, 0.02, 0.01, 0.005}) {
    Follower f(system, pendulum_start(), h, velocity_form(1e-9));
    f.look();
    const double E0 = f.energy();
    Worst worst;
    f.to(2, [&] {
      worst.gap = std::max(worst.gap, std::abs(f.evaluation.phi[0]));
      worst.energy = std::max(worst.energy, std::abs(f.energy() - E0));
    });
    errors.push_back((f.state.q - Eigen::Vector2d(std::cos(pendulum_angle), std::sin(pendulum_angle))).norm());
    EXPECT_LT(worst.gap, 3 * h * h);
    EXPECT_LT(worst.energy, 40 * h * h);
  }
  for (std::size_t k = 1; k < errors.size(); ++k) EXPECT_NEAR(slope_of(errors[k - 1], errors[k]), 2, 0.1) << k;
  EXPECT_LT(errors.back(), 6e-5);
}

// What ε leaves of a constraint is ε|λ|, where that is the larger part: from λ = 0 on, for φ − ελ is kept.
TEST(Staggered, LeavesOfAConstraintWhatTheEpsilonGivenSays) {
  const PointPendulum system;
  State level;
  level.q = Eigen::Vector2d(1, 0), level.v = Vector::Zero(2);
  for (const double epsilon : {1e-5, 1e-6}) {
    Follower f(system, level, 2e-4, velocity_form(epsilon));
    double gap = 0, lambda = 0;
    f.to(1, [&] {
      gap = std::max(gap, std::abs(f.evaluation.phi[0]));
      lambda = std::max(lambda, std::abs(f.integrator.multipliers()[0]));
    });
    EXPECT_GT(lambda, 20);
    EXPECT_NEAR(gap, epsilon * lambda, 0.1 * epsilon * lambda);
  }
}

TEST(Staggered, PendulumStaysBoundedForAThousandSeconds) {
  const PointPendulum system;
  Follower f(system, pendulum_start(), 0.01, velocity_form(1e-12));
  f.look();
  const double E0 = f.energy();
  Worst worst;
  f.to(1000, [&] {
    worst.gap = std::max(worst.gap, std::abs(f.evaluation.phi[0]));
    worst.energy = std::max(worst.energy, std::abs(f.energy() - E0));
  });
  EXPECT_LT(worst.gap, 5e-4);
  EXPECT_LT(worst.energy, 4e-3);
}

// The multiplier equation at the level of accelerations is accurate for a while; by the mid-point rule it is not at
// all.
TEST(Staggered, OtherFormsOfTheMultipliersFailAsTheyShould) {
  const PointPendulum system;
  StaggeredSettings own = velocity_form(1e-9);
  own.multipliers = "acceleration";
  std::vector<double> errors;
  for (const double h : {0.02, 0.01, 0.005}) {
    Follower f(system, pendulum_start(), h, own);
    f.to(2);
    errors.push_back((f.state.q - Eigen::Vector2d(std::cos(pendulum_angle), std::sin(pendulum_angle))).norm());
  }
  EXPECT_NEAR(slope_of(errors[0], errors[1]), 2, 0.25);
  EXPECT_NEAR(slope_of(errors[1], errors[2]), 2, 0.25);
  const auto lost = [&](const char* multipliers, double until) {
    own.multipliers = multipliers;
    own.epsilon = 1e-6;
    Follower f(system, pendulum_start(), 0.02, own);
    try {
      f.to(until);
    } catch (const SolveError&) {
      return true;
    }
    return !(f.state.q.norm() < 2);
  };
  EXPECT_TRUE(lost("midpoint", 10));
  EXPECT_FALSE(lost("velocity", 10));
}

TEST(Staggered, OscillatorIsOfSecondOrderWithoutDamping) {
  const Oscillator system(1, 0);
  State start;
  start.q = Vector::Ones(1), start.v = Vector::Zero(1);
  std::vector<double> errors;
  for (const double h : {0.2, 0.1, 0.05}) {
    Follower f(system, start, h, velocity_form(0));
    f.to(10);
    errors.push_back(std::hypot(f.state.q[0] - std::cos(10.0), f.state.v[0] + std::sin(10.0)));
  }
  EXPECT_NEAR(slope_of(errors[0], errors[1]), 2, 0.05);
  EXPECT_NEAR(slope_of(errors[1], errors[2]), 2, 0.05);
  // No decay: the amplitude of the last hundred of ten thousand seconds is that of the first.
  Follower f(system, start, 0.2, velocity_form(0));
  double early = 0, late = 0;
  f.to(10000, [&] {
    double& size = f.integrator.t() < 100 ? early : late;
    if (f.integrator.t() < 100 || f.integrator.t() > 9900) size = std::max(size, f.energy());
  });
  EXPECT_NEAR(late / early, 1, 1e-3);
}

TEST(Staggered, RefusesAStepAboveItsLimitOfStability) {
  State start;
  start.q = Vector::Ones(1), start.v = Vector::Zero(1);
  const Oscillator system(1, 0);
  Follower below(system, start, 1.99, velocity_form(0));
  below.to(2000);
  EXPECT_LT(std::abs(below.state.q[0]), 30);
  EXPECT_NEAR(below.integrator.step_limit(), 2, 1e-6);
  try {
    Follower above(system, start, 2.01, velocity_form(0));
    FAIL() << "a step that cannot be stable was taken";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S480");
    EXPECT_NE(std::string(error.what()).find("limit of stability, 2 s"), std::string::npos) << error.what();
  }
}

// c = 0.1, ω = 1: exact amplitude e^{−ct/2} (cos dt + …).
double damped(double c, double t) {
  const double d = std::sqrt(1 - c * c / 4);
  return std::exp(-c * t / 2) * (std::cos(d * t) + c / (2 * d) * std::sin(d * t));
}

TEST(Staggered, DampingByAveragedVelocitiesDecays) {
  State start;
  start.q = Vector::Ones(1), start.v = Vector::Zero(1);
  const Oscillator system(1, 0.1);
  Follower f(system, start, 0.2, velocity_form(0));
  f.to(120);
  EXPECT_LT(std::abs(f.state.q[0] - damped(0.1, 120)), 5e-4);
  double late = 0;
  f.to(500, [&] {
    if (f.integrator.t() > 400) late = std::max(late, std::abs(f.state.q[0]));
  });
  EXPECT_LT(late, 1e-8);
}

// The same scheme with the damper taken at its own station, by hand: the second root grows.
TEST(Staggered, DampingAtTheSameStationWouldGrow) {
  const Oscillator system(1, 0.1);
  const double delta = 0.1;
  double q0 = 1, v0 = 0, q1 = 1 - delta * delta / 2, v1 = -delta;
  double late = 0;
  for (int k = 1; k * delta < 500; ++k) {
    const double a = -q1 - 0.1 * v1, q2 = q0 + 2 * delta * v1, v2 = v0 + 2 * delta * a;
    q0 = q1, v0 = v1, q1 = q2, v1 = v2;
    if (k * delta > 400) late = std::max(late, std::abs(q1));
  }
  EXPECT_GT(late, 1e3);
}

TEST(Staggered, FreeBodyKeepsItsEnergyForAThousandSeconds) {
  const FreeBody system;
  std::vector<Vector> ends;
  for (const double h : {0.2, 0.1, 0.05, 0.0125}) {
    Follower f(system, FreeBody::spinning(0.5, 0.5, 1), h, velocity_form(0));
    f.to(10);
    ends.push_back(f.state.v);
  }
  EXPECT_NEAR(slope_of((ends[0] - ends[3]).norm(), (ends[1] - ends[3]).norm()), 2, 0.1);
  EXPECT_NEAR(slope_of((ends[1] - ends[3]).norm(), (ends[2] - ends[3]).norm()), 2, 0.15);
  Follower f(system, FreeBody::spinning(0.5, 0.5, 1), 0.1, velocity_form(0));
  f.look();
  const double E0 = f.energy();
  double worst = 0;
  f.to(1000, [&] { worst = std::max(worst, std::abs(f.energy() / E0 - 1)); });
  EXPECT_LT(worst, 2e-3);
  EXPECT_NEAR(f.state.q.norm(), 1, 1e-12);  // never normalised here
}

TEST(Staggered, ConventionalChainWithLaggedVelocitiesLosesTheFreeBody) {
  const FreeBody system;
  StaggeredSettings own = velocity_form(0);
  own.chains = "lagged";
  const auto factor = [&](const State& start) {
    Follower f(system, start, 0.2, own);
    f.look();
    const double E0 = f.energy();
    try {
      f.to(100);
    } catch (const SolveError&) {
      return std::numeric_limits<double>::infinity();
    }
    return f.energy() / E0;
  };
  EXPECT_GT(factor(FreeBody::spinning(0.01, 1, 0.01)), 2);
  EXPECT_GT(factor(FreeBody::spinning(0.5, 0.5, 1)), 2);
  own.chains = "one";  // with averaged velocities one chain is enough
  EXPECT_NEAR(factor(FreeBody::spinning(0.01, 1, 0.01)), 1, 1e-2);
  EXPECT_NEAR(factor(FreeBody::spinning(0.5, 0.5, 1)), 1, 1e-2);
}

TEST(Staggered, RefusesABodyThatTurnsTooFastForTheStep) {
  const FreeBody system;
  Follower f(system, FreeBody::spinning(0, 0.1, 5), 0.3, velocity_form(0));  // 1.5 rad a step
  f.to(3);
  ASSERT_EQ(f.integrator.remarks().size(), 1u);
  EXPECT_NE(f.integrator.remarks()[0].find("1.5 rad a step"), std::string::npos) << f.integrator.remarks()[0];
  try {
    Follower g(system, FreeBody::spinning(0, 0.1, 7), 0.3, velocity_form(0));
    g.to(3);
    FAIL() << "2.1 rad a step";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S480");
  }
}

// One chain that is kept every `merge` steps; never is the scheme as published, to the bit.
TEST(Staggered, MergingLessOftenThanTheRunIsLongChangesNothing) {
  const PointPendulum system;
  Follower never(system, pendulum_start(), 0.01, velocity_form(1e-9, 0)),
      late(system, pendulum_start(), 0.01, velocity_form(1e-9, 1000000)),
      often(system, pendulum_start(), 0.01, velocity_form(1e-9, 10));
  never.to(2), late.to(2), often.to(2);
  EXPECT_EQ(never.state.q, late.state.q);
  EXPECT_EQ(never.state.v, late.state.v);
  EXPECT_NE(never.state.q, often.state.q);
  EXPECT_LT((never.state.q - often.state.q).norm(), 1e-3);
}

// Σ h λᵀA ½(v₋ + v₊) = O(ε): the constraints do no work on what the chain moves by.
TEST(Staggered, ConstraintForcesDoNoWork) {
  const PointPendulum system;
  const double h = 0.01, delta = h / 2;
  double sums[2];
  int which = 0;
  for (const double epsilon : {1e-6, 1e-10}) {
    MultiplierStepper multipliers(system.pattern(), {MultiplierForm::velocity, epsilon, 1}, {});
    CoordinateStepper c(system);
    Evaluation e;
    e.resize(system.pattern());
    const auto scratch = system.make_scratch();
    State s = complete(system, pendulum_start());
    const Vector q0 = s.q, v0 = s.v;
    system.evaluate(s, need_dynamics, *scratch, e);
    const Vector lambda = Vector::Constant(1, e.problem.A.dot(e.problem.Q) / e.problem.A.squaredNorm());
    const Vector a = e.problem.Q - e.problem.A * lambda[0], v1 = v0 + delta * a, q1 = q0 + 0.5 * delta * v1;
    multipliers.begin(as_span(lambda));
    c.begin(as_span(q0), as_span(v0), as_span(q1), as_span(v1), delta);
    double work = 0;
    Vector f(2), mean(2);
    for (int k = 1; k < 400; ++k) {
      s.q = c.q(), s.v = c.v();
      system.evaluate(s, need_dynamics, *scratch, e);
      ASSERT_TRUE(multipliers.factor(e.problem, delta));
      multipliers.solve(e.problem, as_span(e.problem.Q), as_span(e.problem.b), as_span(e.c_t), as_span(c.v_before()));
      multipliers.accept();
      f = e.problem.A * multipliers.lambda()[0];
      c.accelerate(e.problem, {}, as_span(e.problem.Q), as_span(f));
      c.average(as_span(mean));
      work += h * f.dot(mean);
      c.advance();
    }
    sums[which++] = std::abs(work);
  }
  EXPECT_LT(sums[0], 1e-2);
  EXPECT_LT(sums[1], 2e-6);
}

TEST(Staggered, RefusesSettingsThatMakeNoSense) {
  const auto make = [](double step, const char* multipliers, const char* chains, long merge) {
    Settings s;
    s.step = step;
    s.staggered.multipliers = multipliers;
    s.staggered.chains = chains;
    s.staggered.merge = merge;
    return make_integrator("staggered-explicit-implicit", s);
  };
  EXPECT_NO_THROW(make(0.1, "velocity", "two", 10));
  EXPECT_THROW(make(0, "velocity", "two", 10), std::invalid_argument);
  EXPECT_THROW(make(0.1, "position", "two", 10), std::invalid_argument);
  EXPECT_THROW(make(0.1, "velocity", "three", 10), std::invalid_argument);
  EXPECT_THROW(make(0.1, "velocity", "two", -1), std::invalid_argument);
}

}  // namespace
}  // namespace mortise::integrate::staggered_test
