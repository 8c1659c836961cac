// generalized-alpha: its order, its roots, what it does with the rows, and that it goes on bit by bit.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <bit>
#include <cmath>

#include "integrate/alpha_run.h"
#include "integrate/staggered_systems.h"
#include "mortise/analysis/assemble.h"
#include "mortise/analysis/methods.h"
#include "mortise/integrate/adams.h"
#include "support/allocation_counter.h"

namespace mortise::integrate {
namespace {

using namespace test;
using staggered_test::Oscillator;
using staggered_test::PointPendulum;
using staggered_test::SmallSystem;

struct Example {
  std::unique_ptr<mechanism::Mechanism> mechanism;
  State start;
  explicit Example(const std::string& name, const std::vector<std::string>& settings = {})
      : mechanism(mortise::test::compile_example(name, settings)), start(mechanism->initial_state()) {
    analysis::assemble(*mechanism, start, {});
  }
};

// What adams finds at 1e-12 at the times k·dt, with λ.
std::vector<State> reference(const Example& e, double dt, int count) {
  const auto formulation = gauss::make_formulation("auto");
  const auto stabilizer = stabilize::make_stabilizer("projection", {});
  const mechanism::Mechanism& m = *e.mechanism;
  Motion motion(m, *formulation, *stabilizer, {});
  State s = e.start;
  motion.set_active(s.active);
  motion.set_inputs(s.inputs);
  motion.project(s, Motion::Start::fresh);
  Settings settings;
  settings.tolerance = 1e-12;
  Adams adams(settings);
  Vector y(motion.size());
  motion.pack(s, as_span(y));
  adams.start(motion, 0, as_span(y));
  gauss::GaussSolution solution;
  solution.resize(m.pattern());
  std::vector<State> out;
  for (int k = 1; k <= count; ++k) {
    while (adams.t() < k * dt) adams.step(k * dt);
    motion.unpack(adams.t(), adams.y(), s);
    motion.accelerate(s, solution);
    out.push_back(s);
  }
  return out;
}

struct Errors {
  double q = 0, v = 0, lambda = 0;
};
// The largest, at all times of the coarse grid, the first among them.
Errors worst(const Example& e, const std::vector<State>& exact, double dt, int refine, const Settings& settings,
             const char* how) {
  AlphaRun run(*e.mechanism, e.start, settings, how);
  Errors out;
  for (const State& at : exact) {
    for (int k = 0; k < refine; ++k) run.integrator.step(at.t);
    run.look();
    EXPECT_NEAR(run.state.t, at.t, 1e-12);
    out.q = std::max(out.q, (run.state.q - at.q).norm());
    out.v = std::max(out.v, (run.state.v - at.v).norm());
    out.lambda = std::max(out.lambda, (run.integrator.multipliers() - at.lambda).norm());
  }
  (void)dt;
  return out;
}

struct OrderClaim {
  const char* example;
  double dt;
  int count;
  double rho;
  const char *level, *how;
};
void PrintTo(const OrderClaim& c, std::ostream* out) { *out << c.example << " " << c.level << " " << c.how; }
class AlphaOrder : public testing::TestWithParam<OrderClaim> {};

TEST_P(AlphaOrder, IsTwoInPositionsVelocitiesAndMultipliersFromTheFirstStepOn) {
  const OrderClaim& c = GetParam();
  const Example e(c.example);
  const std::vector<State> exact = reference(e, c.dt, c.count);
  std::vector<Errors> errors;
  for (const int refine : {2, 4, 8})
    errors.push_back(worst(e, exact, c.dt, refine, alpha_settings(c.dt / refine, c.rho, c.level), c.how));
  const auto order = [&](double Errors::*which) { return std::log2(errors[1].*which / (errors[2].*which)); };
  EXPECT_NEAR(order(&Errors::q), 2, 0.12);
  EXPECT_NEAR(order(&Errors::v), 2, 0.12);
  EXPECT_NEAR(order(&Errors::lambda), 2, 0.2);
}

INSTANTIATE_TEST_SUITE_P(Claims, AlphaOrder,
                         testing::Values(OrderClaim{"double-pendulum", 1e-2, 50, 0.8, "position", "none"},
                                         OrderClaim{"double-pendulum", 1e-2, 50, 0.8, "velocity", "none"},
                                         OrderClaim{"double-pendulum", 1e-2, 50, 0.2, "velocity", "projection"},
                                         OrderClaim{"heavy-top", 2e-3, 50, 0.8, "position", "none"},
                                         OrderClaim{"heavy-top", 2e-3, 50, 0.8, "position", "projection"},
                                         OrderClaim{"heavy-top", 2e-3, 50, 0.8, "velocity", "projection"},
                                         OrderClaim{"five-bar", 1e-2, 50, 0.6, "position", "none"},
                                         OrderClaim{"bricard", 1e-2, 30, 0.8, "position", "projection"},
                                         OrderClaim{"rolling-disc", 1e-2, 30, 0.8, "position", "none"}));

// x of an undamped oscillator obeys x₃ + c₁x₂ + c₂x₁ + c₃x₀ = 0; c is found from six of them, and is that of (z + ρ)³
// where the oscillator is infinitely stiff.
TEST(AlphaRoots, AtInfinityAreMinusRho) {
  for (const double rho : {0.0, 0.3, 0.6, 0.8, 1.0}) {
    const Oscillator stiff(1e9, 0);
    State s;
    s.q = Vector::Constant(1, 1);
    s.v = Vector::Constant(1, 0.4);
    AlphaRun run(stiff, s, alpha_settings(1, rho));
    std::vector<double> x;
    for (int k = 0; k < 6; ++k) {
      run.integrator.step(100);
      run.look();
      x.push_back(run.state.q[0]);
    }
    // The recurrence with the coefficients of (z + ρ)³, relative to the first terms.
    const double scale = std::abs(x[0]) + std::abs(x[1]) + std::abs(x[2]);
    for (int k = 0; k < 3; ++k) {
      const auto i = index(k);
      EXPECT_NEAR(x[i + 3] + 3 * rho * x[i + 2] + 3 * rho * rho * x[i + 1] + rho * rho * rho * x[i], 0, 1e-7 * scale)
          << "rho " << rho;
    }
  }
}

// The amplification matrix of (x, h v, h² a) written down by itself.
TEST(AlphaRoots, AreThoseOfTheAmplificationMatrix) {
  for (const double rho : {0.0, 0.5, 0.8, 1.0})
    for (const double turn : {0.1, 1.0, 10.0}) {
      const AlphaCoefficients c = alpha_coefficients(rho);
      const double square = turn * turn;
      Eigen::Matrix3d left, right;
      left << 1, 0, -c.beta, 0, 1, -c.gamma, (1 - c.alpha_f) * square, 0, 1 - c.alpha_m;
      right << 1, 1, 0.5 - c.beta, 0, 1, 1 - c.gamma, -c.alpha_f * square, 0, -c.alpha_m;
      const Eigen::Matrix3d step = left.inverse() * right;
      const Oscillator o(square, 0);
      State s;
      s.q = Vector::Constant(1, 1);
      s.v = Vector::Constant(1, 0.4);
      AlphaRun run(o, s, alpha_settings(1, rho));
      std::vector<double> x;
      for (int k = 0; k < 7; ++k) {
        run.integrator.step(100);
        x.push_back(run.integrator.y()[0]);
      }
      const double trace = step.trace(), determinant = step.determinant();
      const double minors = 0.5 * (trace * trace - (step * step).trace());
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_NEAR(x[k + 3], trace * x[k + 2] - minors * x[k + 1] + determinant * x[k], 1e-9) << rho << " " << turn;
    }
}

TEST(Alpha, WithoutDampingKeepsTheEnergyOfAnOscillator) {
  const Oscillator o(50, 0);
  State s;
  s.q = Vector::Constant(1, 1);
  s.v = Vector::Constant(1, 0);
  AlphaRun run(o, s, alpha_settings(0.05, 1));
  run.look();
  const double energy = run.energy();
  double drift = 0;
  run.to(500, [&] { drift = std::max(drift, std::abs(run.energy() - energy)); });
  EXPECT_LT(drift, 1e-9 * energy);
}

TEST(Alpha, WithoutDampingAtVelocityLevelBoundsTheEnergyOfAPendulum) {
  const PointPendulum p;
  State s;
  s.q = Eigen::Vector2d(1, 0);
  s.v = Eigen::Vector2d(0, 0);
  AlphaRun run(p, s, alpha_settings(0.01, 1, "velocity"), "projection");
  run.look();
  const double energy = run.energy();
  double early = 0, late = 0;
  run.to(10, [&] { early = std::max(early, std::abs(run.energy() - energy)); });
  run.to(100, [&] { late = std::max(late, std::abs(run.energy() - energy)); });
  EXPECT_LT(early, 1e-2);
  EXPECT_LT(late, 3 * early);
}

TEST(Alpha, FulfilsTheRowsOfItsLevel) {
  const Example e("five-bar");
  for (const char* level : {"position", "velocity"}) {
    AlphaRun plain(*e.mechanism, e.start, alpha_settings(5e-3, 0.8, level));
    AlphaRun shown(*e.mechanism, e.start, alpha_settings(5e-3, 0.8, level), "projection");
    const bool positions = std::string(level) == "position";
    double own = 0, other = 0, both = 0;
    plain.to(1, [&] {
      own = std::max(own, positions ? plain.off_position() : plain.off_velocity());
      other = std::max(other, positions ? plain.off_velocity() : plain.off_position());
    });
    shown.to(1, [&] { both = std::max({both, shown.off_position(), shown.off_velocity()}); });
    EXPECT_LT(own, 1e-12) << level;
    EXPECT_GT(other, 1e-9) << level;  // the drift that is reported
    EXPECT_LT(other, 1e-2) << level;
    EXPECT_LT(both, 1e-12) << level;
    EXPECT_GT(std::max(plain.motion.worst().position, plain.motion.worst().velocity), 0.5 * other);
  }
}

// Multipliers are those of least norm: they agree with those of the state, which `auto` finds.
TEST(Alpha, GivesRedundantRowsTheShortestMultipliers) {
  for (const char* name : {"five-bar", "bricard", "n-four-bar-spatial"}) {
    const Example e(name);
    AlphaRun run(*e.mechanism, e.start, alpha_settings(1e-3, 0.8), "projection");
    run.to(0.2);
    gauss::GaussSolution solution;
    solution.resize(e.mechanism->pattern());
    State s = run.state;
    run.motion.accelerate(s, solution);
    EXPECT_LT(solution.rank.rank, solution.rank.rows) << name;
    EXPECT_LT((run.integrator.multipliers() - solution.lambda).norm(), 1e-3 * solution.lambda.norm()) << name;
  }
}

TEST(Alpha, WorksWithStepsFromAMillionthToATenthOfASecond) {
  const Example e("double-pendulum");
  for (const double h : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6})
    for (const char* level : {"position", "velocity"}) {
      AlphaRun run(*e.mechanism, e.start, alpha_settings(h, 0.8, level));
      double off = 0;
      run.to(20 * h, [&] { off = std::max(off, run.off_position()); });
      EXPECT_LT(run.integrator.iterations() / 20, 20) << h;
      if (std::string(level) == "position") {
        EXPECT_LT(off, 1e-12) << h;
      }
    }
}

// h ω = 60 for the leg: one step of 2 ms is 10 periods of it.
TEST(Alpha, StepsOverStiffSpringsThatAdamsMustFollow) {
  const Example e("stiff-linkage");
  AlphaRun run(*e.mechanism, e.start, alpha_settings(2e-3, 0.6));
  run.to(0.5);
  AlphaRun fine(*e.mechanism, e.start, alpha_settings(5e-4, 0.6));
  fine.to(0.5);
  EXPECT_LT((run.state.q - fine.state.q).norm(), 1e-3);
  EXPECT_LT(run.integrator.counters().evaluations, 4000);
}

std::vector<std::uint64_t> bits_of(ConstSpan y) {
  std::vector<std::uint64_t> out;
  for (const double x : y) out.push_back(std::bit_cast<std::uint64_t>(x));
  return out;
}

// Stops lie off the grid, too, and a sliver behind it.
TEST(Alpha, GoesOnFromACheckpointBitByBit) {
  for (const char* name : {"heavy-top", "five-bar", "bricard"})
    for (const char* level : {"position", "velocity"}) {
      const Example e(name);
      const Settings settings = alpha_settings(2e-3, 0.7, level);
      const auto follow = [&](AlphaRun& run, int from, int to) {
        for (int k = from; k < to; ++k) {
          const double stop = k == 7 ? run.integrator.t() + 0.7e-3 : k == 12 ? run.integrator.t() + 1e-6 : 1;
          run.integrator.step(stop);
        }
      };
      AlphaRun straight(*e.mechanism, e.start, settings, "projection");
      follow(straight, 0, 30);
      Memory end;
      straight.integrator.save(end);
      for (const int at : {0, 1, 7, 8, 12, 13, 20}) {
        AlphaRun first(*e.mechanism, e.start, settings, "projection");
        follow(first, 0, at);
        Memory memory;
        first.integrator.save(memory);
        AlphaRun second(*e.mechanism, e.start, settings, "projection");
        second.integrator.load(second.motion, memory);
        follow(second, at, 30);
        ASSERT_EQ(bits_of(straight.integrator.y()), bits_of(second.integrator.y())) << name << " " << level << at;
        ASSERT_EQ(bits_of(straight.integrator.ydot()), bits_of(second.integrator.ydot()));
        Memory again;
        second.integrator.save(again);
        ASSERT_EQ(end, again) << name << " " << level << " " << at;
      }
    }
}

TEST(Alpha, KeepsItsOrderOverStopsOffTheGrid) {
  const Example e("double-pendulum");
  const std::vector<State> exact = reference(e, 0.5, 1);
  double error[2] = {};
  for (const int k : {0, 1}) {
    AlphaRun run(*e.mechanism, e.start, alpha_settings(k == 0 ? 4e-3 : 2e-3, 0.8));
    for (int stop = 1; stop <= 37; ++stop) run.to(0.5 * stop / 37);
    error[k] = (run.state.q - exact.front().q).norm();
  }
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.5);
}

TEST(Alpha, ShowsBothEndsOfAStepAndTheMotionBetween) {
  const Example e("heavy-top");
  AlphaRun run(*e.mechanism, e.start, alpha_settings(1e-3, 0.8));
  Vector y(run.y.size()), before(run.y.size());
  for (int k = 0; k < 5; ++k) {
    before = as_vector(run.integrator.y());
    run.integrator.step(1);
    run.integrator.dense(run.integrator.t_old(), as_span(y));
    EXPECT_EQ(bits_of(as_span(before)), bits_of(as_span(y)));
    run.integrator.dense(run.integrator.t(), as_span(y));
    EXPECT_EQ(bits_of(run.integrator.y()), bits_of(as_span(y)));
  }
  AlphaRun fine(*e.mechanism, e.start, alpha_settings(0.5e-3, 0.8));
  fine.to(4.5e-3);
  run.integrator.dense(4.5e-3, as_span(y));
  EXPECT_LT((y.head(7) - fine.state.q).norm(), 1e-3);
}

TEST(Alpha, DoesNotTouchTheHeapInAStep) {
  if (!mortise::test::allocations_are_counted()) GTEST_SKIP();
  for (const char* name : {"heavy-top", "five-bar"}) {
    const Example e(name);
    AlphaRun run(*e.mechanism, e.start, alpha_settings(1e-3, 0.8));
    Memory memory;
    for (int k = 0; k < 3; ++k) run.integrator.step(10);
    run.integrator.save(memory);
    Vector y(run.y.size());
    const mortise::test::AllocationCounter heap;
    for (int k = 0; k < 100; ++k) {
      run.integrator.step(10);
      run.integrator.dense(run.integrator.t_old() + 3e-4, as_span(y));
      run.integrator.save(memory);
    }
    EXPECT_EQ(heap.count(), 0) << name;
  }
}

TEST(Alpha, RefusesAStepThatDoesNotConvergeAndSaysWhatStillMoves) {
  const Example e("andrews");
  AlphaRun run(*e.mechanism, e.start, alpha_settings(1e-2, 0.8));
  try {
    run.to(0.1);
    FAIL() << "converged";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S498");
    ASSERT_GE(error.report().details.size(), 3u);
    EXPECT_NE(error.report().details[1].find("still moving: K"), std::string::npos) << error.report().details[1];
  }
}

// Two rows for one coordinate: x = 0, and x = t²/2 from t = 0.
class Contradiction final : public SmallSystem {
 public:
  Contradiction() : SmallSystem(1, {gauss::RowKind::holonomic, gauss::RowKind::holonomic}) {}
  void evaluate(const State& s, unsigned, Scratch&, Evaluation& e) const override {
    e.problem.M[0] = 1;
    e.problem.A << 1, 1;
    e.problem.Q[0] = 0;
    e.problem.b << 0, 0;
    e.problem.active.assign(2, 1);
    e.phi << s.q[0], s.q[0] - 0.5 * s.t * s.t;
    e.c_t << 0, -s.t;
    e.phidot << s.v[0], s.v[0] - s.t;
    e.power_dissipated = e.power_applied = 0;
  }
};

TEST(Alpha, SaysWhichRowsContradictOneAnother) {
  const Contradiction system;
  State s;
  s.q = s.v = Vector::Zero(1);
  AlphaRun run(system, s, alpha_settings(0.01, 0.8));
  try {
    run.to(1);
    FAIL() << "both held";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S499");
    EXPECT_EQ(error.report().details.size(), 2u);
  }
}

std::string refusal(const std::vector<std::string>& settings) {
  try {
    const auto m = mortise::test::compile_example("double-pendulum", settings);
    analysis::check_settings(m->model().analysis);
  } catch (const ModelError& error) {
    return error.diagnostics().front().code;
  }
  return "";
}

TEST(Alpha, RefusesSettingsThatDoNotGoWithIt) {
  const std::string own = "analysis.integrator=generalized-alpha", step = "analysis.step=0.01";
  EXPECT_EQ(refusal({own, step}), "");
  EXPECT_EQ(refusal({own, step, "analysis.stabilize=none"}), "");
  EXPECT_EQ(refusal({own}), "M206");
  EXPECT_EQ(refusal({own, step, "analysis.stabilize=baumgarte"}), "M497");
  EXPECT_EQ(refusal({own, step, "analysis.coordinates=euler-parameters"}), "M498");
  EXPECT_EQ(refusal({"analysis.integrator={type: generalized-alpha, rho: 1.5}", step}), "M308");
  EXPECT_THROW(GeneralizedAlpha(alpha_settings(0.01, 2)), std::invalid_argument);
  EXPECT_THROW(GeneralizedAlpha(alpha_settings(0, 0.8)), std::invalid_argument);
}

}  // namespace
}  // namespace mortise::integrate
