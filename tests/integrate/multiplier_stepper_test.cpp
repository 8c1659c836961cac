// The multiplier module alone: given what a station knows, and a made-up partner that advances the coordinates.
#include "mortise/integrate/staggered/multiplier_stepper.h"

#include <gtest/gtest.h>

#include <random>

#include "integrate/staggered_systems.h"
#include "mortise/integrate/staggered/coordinate_stepper.h"

namespace mortise::integrate::staggered_test {
namespace {

// One unit mass on a line, held at x = 0: A M⁻¹Aᵀ = 1.
class Held final : public SmallSystem {
 public:
  explicit Held(double load = 0) : SmallSystem(1, {gauss::RowKind::holonomic}), load_(load) {}
  void evaluate(const State& s, unsigned, Scratch&, Evaluation& e) const override {
    e.problem.M[0] = e.problem.A[0] = 1;
    e.problem.Q[0] = load_;
    e.problem.b[0] = 0;
    e.problem.active[0] = 1;
    e.phi[0] = s.q[0];
    e.phidot[0] = s.v[0];
    e.c_t[0] = 0;
    e.kinetic = 0.5 * s.v[0] * s.v[0];
    e.potential = e.power_dissipated = e.power_applied = 0;
  }

 private:
  double load_;
};

// The partner: repeats v₊ = v₋ + 2δ M⁻¹(Q − Aᵀλ) on its own, and knows nothing else of the multipliers.
struct Line {
  Held system;
  MultiplierStepper multipliers;
  std::unique_ptr<Scratch> scratch = system.make_scratch();
  Evaluation evaluation;
  State state;
  double before, now, delta;

  Line(MultiplierForm form, double epsilon, double delta_, double load, double speed)
      : system(load), multipliers(system.pattern(), {form, epsilon, 1}, {}), before(speed), now(speed), delta(delta_) {
    evaluation.resize(system.pattern());
    state = complete(system, State{0, Vector::Zero(1), Vector::Zero(1), {}, {}, {}, {}, {}});
    const Vector none = Vector::Zero(1);
    multipliers.begin(as_span(none));
  }
  bool station() {
    state.v[0] = now;
    system.evaluate(state, need_dynamics, *scratch, evaluation);
    const gauss::GaussProblem& p = evaluation.problem;
    if (!multipliers.factor(p, delta)) return false;
    const Vector back = Vector::Constant(1, before);
    multipliers.solve(p, as_span(p.Q), as_span(p.b), as_span(evaluation.c_t), as_span(back));
    const double next = before + 2 * delta * (p.Q[0] - multipliers.lambda()[0]);
    multipliers.accept();
    before = now;
    now = next;
    return true;
  }
};

TEST(MultiplierStepper, RestsAtTheMultipliersOfTheConstraintAndNotAtTwice) {
  for (const MultiplierForm form : {MultiplierForm::velocity, MultiplierForm::acceleration, MultiplierForm::midpoint}) {
    Line line(form, 1e-3, 0.05, 3.5, 0);
    for (int k = 0; k < 400; ++k) {
      line.before = line.now = 0;  // at rest whatever the force: only λ may move
      ASSERT_TRUE(line.station());
    }
    EXPECT_NEAR(line.multipliers.lambda()[0], 3.5, 1e-9);
  }
}

TEST(MultiplierStepper, RestsThereForAnyRank) {
  // Two rows for one freedom: the force is right, and shared evenly.
  class Twice final : public SmallSystem {
   public:
    Twice() : SmallSystem(1, {gauss::RowKind::holonomic, gauss::RowKind::holonomic}) {}
    void evaluate(const State&, unsigned, Scratch&, Evaluation& e) const override {
      e.problem.M[0] = 2;
      e.problem.A << 1, 1;
      e.problem.Q[0] = 8;
      e.problem.b.setZero();
      e.problem.active.assign(2, 1);
      e.phi.setZero(), e.phidot.setZero(), e.c_t.setZero();
    }
  } system;
  MultiplierStepper m(system.pattern(), {MultiplierForm::velocity, 0, 1e-2}, {});
  Evaluation e;
  e.resize(system.pattern());
  const auto scratch = system.make_scratch();
  State s = complete(system, State{0, Vector::Zero(1), Vector::Zero(1), {}, {}, {}, {}, {}});
  system.evaluate(s, need_dynamics, *scratch, e);
  const Vector zero = Vector::Zero(2), rest = Vector::Zero(1);
  m.begin(as_span(zero));
  for (int k = 0; k < 50; ++k) {
    ASSERT_TRUE(m.factor(e.problem, 0.01));
    m.solve(e.problem, as_span(e.problem.Q), as_span(e.problem.b), as_span(e.c_t), as_span(rest));
    m.accept();
  }
  EXPECT_NEAR(m.lambda()[0], 4, 1e-12);
  EXPECT_NEAR(m.lambda()[1], 4, 1e-12);
  EXPECT_DOUBLE_EQ(m.epsilon(0), 1e-2 * 1e-4);
}

// (1 + s)μ³ − μ² + (s − 1)μ + 1 = 0 a station, s = δ²A M⁻¹Aᵀ/ε.
double largest_root(double s) {
  Eigen::Matrix3d companion;
  companion << 1 / (1 + s), (1 - s) / (1 + s), -1 / (1 + s), 1, 0, 0, 0, 1, 0;
  return companion.eigenvalues().cwiseAbs().maxCoeff();
}

TEST(MultiplierStepper, DecaysAsItsCharacteristicPolynomialSays) {
  const double reported[][2] = {{0.01, 0.9975}, {0.1, 0.977}, {1, 0.872}, {3, 0.843}, {10, 0.916}, {100, 0.990}};
  for (const auto& [s, rate] : reported) {
    EXPECT_NEAR(largest_root(s), rate, 6e-4) << s;
    const double delta = 0.01;
    Line line(MultiplierForm::velocity, delta * delta / s, delta, 0, 1);
    const auto largest = [&](int stations) {
      double size = 0;
      for (int k = 0; k < stations; ++k) {
        EXPECT_TRUE(line.station());
        size = std::max({size, std::abs(line.now), std::abs(line.before)});
      }
      return size;
    };
    largest(100);
    const double early = largest(100);
    largest(700);
    const double late = largest(100);
    EXPECT_NEAR(std::pow(late / early, 1.0 / 800), largest_root(s), 1e-3) << s;
  }
}

TEST(MultiplierStepper, ByTheMidPointRuleRingsForEverWhereTheOthersDecay) {
  // λ alone, coordinates held: the error is multiplied by (1 − x)/(1 + x), x = δA/(2ε).
  const double delta = 0.01, epsilon = 1e-6, x = delta / (2 * epsilon);
  for (const bool mid : {true, false}) {
    Line line(mid ? MultiplierForm::midpoint : MultiplierForm::acceleration, epsilon, delta, 1, 0);
    const Vector wrong = Vector::Constant(1, 2);
    line.multipliers.begin(as_span(wrong));
    std::vector<double> error;
    for (int k = 0; k < 12; ++k) {
      line.before = line.now = 0;
      ASSERT_TRUE(line.station());
      error.push_back(line.multipliers.lambda()[0] - 1);
    }
    if (mid)
      EXPECT_NEAR(error[11] / error[10], (1 - x) / (1 + x), 1e-9);
    else
      EXPECT_LT(std::abs(error[11]), 1e-12);
  }
}

TEST(MultiplierStepper, RefusesSettingsThatMakeNoSense) {
  const Held system;
  EXPECT_THROW(MultiplierStepper(system.pattern(), {MultiplierForm::velocity, -1, 1}, {}), std::invalid_argument);
  EXPECT_THROW(MultiplierStepper(system.pattern(), {MultiplierForm::velocity, 0, 0}, {}), std::invalid_argument);
}

// The coordinate module with a partner that knows the exact multiplier of the circle: two classes, no shared state.
TEST(CoordinateStepper, TakesItsForcesFromAnyPartner) {
  const PointPendulum system;
  const double h = 1e-3, delta = h / 2;
  const auto scratch = system.make_scratch();
  Evaluation e;
  e.resize(system.pattern());
  State s;
  s.q = Vector(2), s.v = Vector::Zero(2);
  s.q << std::cos(M_PI / 6), -std::sin(M_PI / 6);
  s = complete(system, s);
  const auto force = [&](const Vector& q, const Vector& v) {
    s.q = q, s.v = v;
    system.evaluate(s, need_dynamics, *scratch, e);
    const double lambda = (e.problem.A.dot(e.problem.Q) - e.problem.b[0]) / e.problem.A.squaredNorm();
    return Vector(e.problem.A * lambda);
  };
  const Vector q0 = s.q, v0 = s.v;
  const Vector half = force(q0, v0), a0 = e.problem.Q - half;
  const Vector v1 = v0 + delta * a0, q1 = q0 + 0.5 * delta * (v0 + v1);
  CoordinateStepper c(system);
  c.begin(as_span(q0), as_span(v0), as_span(q1), as_span(v1), delta);
  for (int k = 1; k < 2 * 2000; ++k) {
    const Vector f = force(c.q(), c.v());
    ASSERT_EQ(c.accelerate(e.problem, {}, as_span(e.problem.Q), as_span(f)), -1);
    c.advance();
  }
  EXPECT_NEAR(std::atan2(c.q()[1], c.q()[0]), -0.6218973493, 1e-5);
  EXPECT_NEAR(c.q().norm(), 1, 1e-5);
}

TEST(CoordinateStepper, IsBoundedUpToTheLimitOfStabilityAndNotBeyond) {
  for (const double h : {1.99, 2.01}) {
    const Oscillator system(1, 0);
    const auto scratch = system.make_scratch();
    Evaluation e;
    e.resize(system.pattern());
    CoordinateStepper c(system);
    const Vector q0 = Vector::Ones(1), v0 = Vector::Zero(1);
    c.begin(as_span(q0), as_span(v0), as_span(q0), as_span(v0), h / 2);
    State s = complete(system, State{0, q0, v0, {}, {}, {}, {}, {}});
    const Vector none = Vector::Zero(1);
    double largest = 0;
    for (int k = 0; k < 4000; ++k) {
      s.q = c.q(), s.v = c.v();
      system.evaluate(s, need_dynamics, *scratch, e);
      c.accelerate(e.problem, {}, as_span(e.problem.Q), as_span(none));
      c.advance();
      largest = std::max(largest, std::abs(c.q()[0]));
    }
    if (h < 2)
      EXPECT_LT(largest, 30);
    else
      EXPECT_GT(largest, 1e10);
  }
}

}  // namespace
}  // namespace mortise::integrate::staggered_test
