// The implicit schemes mode by mode: roots in closed form against the maps that the code makes.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "integrate/implicit_run.h"
#include "mortise/integrate/trapezoidal/characteristic.h"
#include "support/three_links.h"

namespace mortise::test {
namespace {

using gauss::RowKind;
using integrate::ImplicitFormula;
using integrate::ImplicitStep;
using integrate::ModeRoots;
using integrate::OneMode;

// det(zI − T) by its coefficients, highest first (Faddeev and Le Verrier); of roots, the same with zeros added.
Vector polynomial(const Matrix& T) {
  const Eigen::Index n = T.rows();
  Vector c = Vector::Zero(n + 1);
  c[0] = 1;
  Matrix N = Matrix::Zero(n, n);
  for (Eigen::Index k = 1; k <= n; ++k) {
    N = T * N + c[k - 1] * Matrix::Identity(n, n);
    c[k] = -(T * N).trace() / static_cast<double>(k);
  }
  return c;
}
Vector polynomial(const ModeRoots& roots, Eigen::Index n) {
  std::vector<std::complex<double>> c{1};
  for (const std::complex<double>& z : roots) {
    c.push_back(0);
    for (std::size_t k = c.size() - 1; k > 0; --k) c[k] -= z * c[k - 1];
  }
  Vector out = Vector::Zero(n + 1);
  for (std::size_t k = 0; k < c.size(); ++k) out[static_cast<Eigen::Index>(k)] = c[k].real();
  return out;
}

// In units in which the entries are alike: the roots stay, the coefficients keep their digits.
Matrix balanced(const Matrix& T, const OneMode& mode) {
  const double per_epsilon = mode.scheme.epsilon > 0 ? 1 / mode.scheme.epsilon : mode.s / (mode.h * mode.h);
  const double rate = 1 / mode.h;
  Vector size(4);
  if (mode.kind == RowKind::holonomic)
    size << 1, rate, rate * rate + mode.s * per_epsilon, per_epsilon;
  else
    size << 1, rate, rate * (rate + mode.s * per_epsilon), rate * per_epsilon;
  return size.cwiseInverse().asDiagonal() * T * size.asDiagonal();
}

// The map (q, v, a, λ, λ̇) of one step as the code makes it, column by column. λ̇ is set by the residual that λ is
// begun with, so its column is that of a state which has it: those of the history schemes are independent of it.
Matrix implemented_map(const OneMode& mode) {
  const OneRow system(mode.kind, mode.s);
  const double root = std::sqrt(mode.s);
  const integrate::Settings settings = ImplicitRun::with(mode.h, mode.scheme, 1e-8);
  // (φ, φ̇, φ̈, λ) in, the same out; unit vectors of the row's own errors.
  Matrix T = Matrix::Zero(4, 4);
  for (int k = 0; k < 4; ++k) {
    ImplicitStep step(system, mode.formula, settings, {});
    State s = whole(system, State{});
    s.q = s.v = Vector::Zero(1);
    Vector a = Vector::Zero(1), lambda = Vector::Zero(1);
    if (k == 0) s.q[0] = 1 / root;
    if (k == 1) s.v[0] = 1 / root;
    if (k == 2) a[0] = 1 / root;
    if (k == 3) lambda[0] = 1;
    step.begin(s, as_span(a), as_span(lambda));
    step.solve(mode.h);
    step.accept();
    T.col(k) << root * step.coordinates().q()[0], root * step.coordinates().v()[0], root * step.coordinates().a()[0],
        step.multipliers().lambda()[0];
  }
  return balanced(T, mode);
}

// Rows of speeds do not hold positions: their φ is a coordinate that goes along, z = 1 of its own.
Matrix of_the_row(const Matrix& T, RowKind kind) {
  return kind == RowKind::nonholonomic ? Matrix(T.bottomRightCorner(3, 3)) : T;
}

void expect_same(const Vector& a, const Vector& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size());
  for (Eigen::Index k = 0; k < a.size(); ++k)
    EXPECT_NEAR(a[k], b[k], 1e-10 * std::max(1.0, std::abs(b[k]))) << what << ", coefficient " << k;
}

const char* const soft_schemes[] = {"anchored-iterated", "anchored", "history"};

// In the history schemes λ̇ = φ̇/ε at all times, so that (φ, φ̇, φ̈, λ) is the whole state.
TEST(ImplicitModes, RootsAreThoseOfTheStepsThatAreTaken) {
  for (const double epsilon : {1e-2, 1e-4, 1e-6})
    for (const double s : {0.3, 1.0, 7.0})
      for (const RowKind kind : {RowKind::holonomic, RowKind::nonholonomic})
        for (const ImplicitFormula formula : {ImplicitFormula::trapezoidal, ImplicitFormula::backward_euler})
          for (const char* name : soft_schemes) {
            const OneMode mode{kind, s, 0.01, formula, scheme(name, epsilon)};
            const Matrix T = of_the_row(implemented_map(mode), kind);
            expect_same(polynomial(T), polynomial(integrate::discrete_roots(mode), T.rows()),
                        std::string(name) + (formula == ImplicitFormula::trapezoidal ? " trapezoidal" : " Euler") +
                            (kind == RowKind::holonomic ? " H" : " N") + " eps " + std::to_string(epsilon));
          }
}

TEST(ImplicitModes, OfBaumgarteTheyAreTheFormulasOfTheGains) {
  for (const double gain : {5.0, 20.0, 70.0, 200.0})
    for (const RowKind kind : {RowKind::holonomic, RowKind::nonholonomic})
      for (const ImplicitFormula formula : {ImplicitFormula::trapezoidal, ImplicitFormula::backward_euler}) {
        const OneMode mode{kind, 3, 0.01, formula, baumgarte("implicit", gain)};
        const Matrix T = of_the_row(implemented_map(mode), kind);
        const double reach = integrate::reach_of(formula, 0.01);
        const double z =
            formula == ImplicitFormula::trapezoidal ? (1 - gain * reach) / (1 + gain * reach) : 1 / (1 + gain * reach);
        const ModeRoots roots = kind == RowKind::holonomic ? ModeRoots{z, z} : ModeRoots{z};
        expect_same(polynomial(T), polynomial(roots, T.rows()), "gain " + std::to_string(gain));
        expect_same(polynomial(T), polynomial(integrate::discrete_roots(mode), T.rows()), "closed form");
      }
}

// Those without a closed form: the printed map against the one that the code makes.
TEST(ImplicitModes, TheStepMatrixIsTheStepThatIsTaken) {
  for (const RowKind kind : {RowKind::holonomic, RowKind::nonholonomic})
    for (const ImplicitFormula formula : {ImplicitFormula::trapezoidal, ImplicitFormula::backward_euler})
      for (const char* name : {"anchored-iterated", "anchored", "baumgarte-implicit", "baumgarte-explicit"}) {
        OneMode mode{kind, 2.5, 0.02, formula, scheme(name, 1e-4)};
        mode.scheme.alpha = 12, mode.scheme.beta = 15, mode.scheme.gamma = 9;
        const Matrix made = of_the_row(implemented_map(mode), kind);
        const Matrix printed = of_the_row(balanced(integrate::step_matrix(mode).topLeftCorner(4, 4), mode), kind);
        expect_same(polynomial(made), polynomial(printed), name);
      }
}

// What the figures of the pendulum show: explicit feedback has a limit, with the predictor of
// second order; the integral form is unstable at every step.
TEST(ImplicitModes, ExplicitFeedbackHasALimitAndTheIntegralFormNone) {
  const auto radius = [](const char* how, double gain, double h) {
    return integrate::spectral_radius(
        integrate::discrete_roots({RowKind::holonomic, 1, h, ImplicitFormula::trapezoidal, baumgarte(how, gain)}));
  };
  EXPECT_LT(radius("explicit", 20, 0.01), 1);
  EXPECT_GT(radius("explicit", 120, 0.01), 1);
  for (const double h : {0.02, 0.01, 0.005})
    for (const double gain : {5.0, 50.0}) EXPECT_GT(radius("integral", gain, h), 1) << h << " " << gain;
  for (const double gain : {5.0, 50.0, 200.0}) EXPECT_LT(radius("implicit", gain, 0.01), 1);
}

TEST(ImplicitModes, EveryModeOfARowOfSpeedsHasItsOwnRateOfDecay) {
  const PointSlider system;
  std::unique_ptr<Scratch> scratch = system.make_scratch();
  Evaluation e;
  e.resize(system.pattern());
  system.evaluate(whole(system, PointSlider::start()), need_dynamics, *scratch, e);
  const integrate::ConstraintModes modes = integrate::constraint_modes(e.problem, {});
  const Matrix A = e.problem.dense_A(), S = A * A.transpose();  // M = 1
  ASSERT_EQ(modes.s.size(), 2);
  for (int k = 0; k < 2; ++k) {
    EXPECT_LT((S * modes.shapes.col(k) - modes.s[k] * modes.shapes.col(k)).norm(), 1e-13);
    const OneMode mode{RowKind::nonholonomic, modes.s[k], 0.01, ImplicitFormula::trapezoidal, scheme("anchored", 1e-3)};
    EXPECT_DOUBLE_EQ(integrate::continuous_exponents(mode)[0].real(), -modes.s[k] / 1e-3);
  }
  EXPECT_NEAR(modes.s.sum(), S.trace(), 1e-13);
  // Upright the rank is one, and one mode does not decay at all.
  State upright = whole(system, PointSlider::start());
  upright.q << 0, 1, 0;
  system.evaluate(upright, need_dynamics, *scratch, e);
  EXPECT_LT(integrate::constraint_modes(e.problem, {}).reciprocal_condition(), 1e-15);
}

// Check 2 of the sheet: φ = 1e-3, λ = 0, no loads, h = 0.01, ε = 1e-6, s = 1.
TEST(ImplicitModes, HistoryKeepsAnErrorForeverAndTheAnchorTakesItAway) {
  const auto errors = [](const char* name, ImplicitFormula formula, int steps) {
    const OneRow system(RowKind::holonomic, 1);
    ImplicitStep step(system, formula, ImplicitRun::with(0.01, scheme(name), 1e-8), {});
    State s = whole(system, State{});
    s.q = Vector::Constant(1, 1e-3);
    s.v = Vector::Zero(1);
    const Vector none = Vector::Zero(1);
    step.begin(s, as_span(none), as_span(none));
    std::vector<double> phi{1e-3};
    for (int k = 1; k <= steps; ++k) {
      step.solve(0.01 * k);
      step.accept();
      phi.push_back(step.evaluation().phi[0]);
    }
    return phi;
  };
  for (const ImplicitFormula formula : {ImplicitFormula::trapezoidal, ImplicitFormula::backward_euler})
    EXPECT_DOUBLE_EQ(errors("history", formula, 100).back(), 1e-3);
  const std::vector<double> fading = errors("anchored", ImplicitFormula::backward_euler, 10);
  EXPECT_LT(std::abs(fading.back()), 1e-9);
  const double modulus = 1 / std::sqrt(1 + 1e-4 / 1e-6);
  EXPECT_NEAR(modulus, 0.0995, 1e-4);
  // φ_{n+1}² + φ̇²/ω² falls by the modulus; of φ alone the quadratic recursion shows it.
  for (std::size_t k = 2; k + 1 < 6; ++k)
    EXPECT_NEAR((fading[k] * fading[k] - fading[k - 1] * fading[k + 1]) /
                    (fading[k - 1] * fading[k - 1] - fading[k - 2] * fading[k]),
                modulus * modulus, 1e-6);
  // The first step begins with φ̈ = 0 instead of −φ/ε; from the second on the amplitude stays.
  const std::vector<double> ringing = errors("anchored", ImplicitFormula::trapezoidal, 2000);
  double early = 0, late = 0;
  for (std::size_t k = 1; k <= 200; ++k) early = std::max(early, std::abs(ringing[k]));
  for (std::size_t k = 1800; k <= 2000; ++k) late = std::max(late, std::abs(ringing[k]));
  EXPECT_NEAR(late, early, 1e-2 * early);
}

// φ − ελ of the history schemes, whatever the loads, for constant A.
TEST(ImplicitModes, WhatHistoryKeepsIsAnInvariant) {
  for (const RowKind kind : {RowKind::holonomic, RowKind::nonholonomic})
    for (const ImplicitFormula formula : {ImplicitFormula::trapezoidal, ImplicitFormula::backward_euler}) {
      const OneRow system(kind, 2, 3);
      ImplicitStep step(system, formula, ImplicitRun::with(0.01, scheme("history", 1e-4), 1e-8), {});
      State s = whole(system, State{});
      s.q = Vector::Constant(1, 2e-3);
      s.v = Vector::Constant(1, 1e-3);
      const Vector a = Vector::Constant(1, 3), lambda = Vector::Constant(1, 0.5);
      step.begin(s, as_span(a), as_span(lambda));
      const auto invariant = [&] {
        const double miss = kind == RowKind::holonomic ? step.evaluation().phi[0] : step.evaluation().phidot[0];
        return miss - 1e-4 * step.multipliers().lambda()[0];
      };
      const double at_start = invariant();
      for (int k = 1; k <= 500; ++k) {
        step.solve(0.01 * k);
        step.accept();
        EXPECT_NEAR(invariant(), at_start, 1e-13);
      }
    }
}

// At rest under a load F: λ = S⁻¹A M⁻¹F, not twice it.
TEST(ImplicitModes, TheSteadyStateIsThatOfTheRows) {
  for (const RowKind kind : {RowKind::holonomic, RowKind::nonholonomic})
    for (const char* name : soft_schemes) {
      const OneRow system(kind, 4, 10);
      ImplicitStep step(system, ImplicitFormula::backward_euler, ImplicitRun::with(0.01, scheme(name, 1e-7), 1e-8), {});
      State s = whole(system, State{});
      s.q = s.v = Vector::Zero(1);
      const Vector none = Vector::Zero(1);
      step.begin(s, as_span(none), as_span(none));
      for (int k = 1; k <= 300; ++k) {
        step.solve(0.01 * k);
        step.accept();
      }
      EXPECT_NEAR(step.multipliers().lambda()[0], 5, 1e-4) << name;
    }
}

// Rows come and go while coordinates stay where they are, in memory too; λ of rows that stay is kept.
TEST(ImplicitModes, SwitchingRowsLeavesCoordinatesAlone) {
  const ThreeLinks links;
  ImplicitStep step(links, ImplicitFormula::trapezoidal, ImplicitRun::with(0.01, scheme("history", 1e-6, 1), 1e-8), {});
  State s = whole(links, ThreeLinks::start());
  const Vector a = Vector::Zero(6), lambda = Vector::Zero(5);
  step.begin(s, as_span(a), as_span(lambda));
  for (int k = 1; k <= 5; ++k) {
    step.solve(0.01 * k);
    step.accept();
  }
  const integrate::ImplicitCoordinates& c = step.coordinates();
  const double* places[] = {c.q().data(), c.v().data(), c.a().data()};
  const Vector before[] = {c.q(), c.v(), c.a(), step.multipliers().lambda()};
  s.active[3] = 1;
  step.switch_rows(s.active);
  EXPECT_EQ(places[0], c.q().data());
  EXPECT_EQ(places[1], c.v().data());
  EXPECT_EQ(places[2], c.a().data());
  EXPECT_EQ(before[0], c.q());
  EXPECT_EQ(before[1], c.v());
  EXPECT_EQ(before[2], c.a());
  EXPECT_EQ(before[3].head(3), step.multipliers().lambda().head(3));
  EXPECT_DOUBLE_EQ(step.multipliers().lambda()[3], step.evaluation().phi[3] / 1e-6);
  s.active[3] = 0;
  step.switch_rows(s.active);
  EXPECT_EQ(before[3], step.multipliers().lambda());
  EXPECT_EQ(&c, &step.coordinates());
}

}  // namespace
}  // namespace mortise::test
