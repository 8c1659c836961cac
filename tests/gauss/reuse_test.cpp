// Udwadia-Kalaba with the inverse of an earlier instant: what it saves in truth it pays along the manifold.
#include <gtest/gtest.h>

#include "gauss/problem_builder.h"
#include "mortise/gauss/udwadia_kalaba.h"

namespace mortise::gauss::testing {
namespace {

FormulationSettings reuse(int steps, bool compensate, const char* inverse = "") {
  FormulationSettings settings;
  settings.reuse = steps;
  settings.compensate_by_projection = compensate;
  settings.pseudoinverse = inverse;
  return settings;
}

// The double pendulum of specs/gigsp-and-genetic.md, E5, in coordinates of its two particles; y points down.
struct Pendulum : OwnedProblem {
  Pendulum() {
    lay_out(*this, {2, 2}, {1, 1});
    problem.Q << 0, 9.8, 0, 9.8;
  }
  void set(const Vector& y) {
    const Eigen::Vector2d p = y.segment<2>(0), d = y.segment<2>(2) - p, v = y.segment<2>(4), w = y.segment<2>(6) - v;
    Matrix A = Matrix::Zero(2, 4);
    A.block<1, 2>(0, 0) = p.transpose();
    A.block<1, 2>(1, 0) = -d.transpose();
    A.block<1, 2>(1, 2) = d.transpose();
    fill(Matrix::Identity(4, 4), A);
    problem.b << -v.squaredNorm(), -w.squaredNorm();
  }
};

struct Path {
  std::vector<Vector> states;
  double residual = 0;  // largest |A a − b|
};

Path swing(const Formulation& formulation, int steps) {
  Pendulum p;
  const auto factor = formulation.prepare(p.pattern);
  GaussSolution solution;
  Path path;
  const auto rate = [&](const Vector& y) {
    p.set(y);
    if (!factor->factor(p.problem, {})) throw std::runtime_error("refused");
    factor->solve(as_span(p.problem.Q), as_span(p.problem.b), solution);
    path.residual = std::max(path.residual, solution.residual);
    Vector out(8);
    out << y.tail(4), solution.a;
    return out;
  };
  Vector y(8);
  y << 0, 1, 0, 2, 3, 0, 4, 0;
  const double h = 0.5 / steps;
  for (int k = 0; k < steps; ++k) {
    const Vector k1 = rate(y), k2 = rate(y + h / 2 * k1), k3 = rate(y + h / 2 * k2), k4 = rate(y + h * k3);
    y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    factor->step_accepted();
    path.states.push_back(y);
  }
  return path;
}

double deviation(const Path& a, const Path& b) {
  double worst = 0;
  for (std::size_t k = 0; k < a.states.size(); ++k)
    worst = std::max(worst, (a.states[k].tail(4) - b.states[k].tail(4)).norm());
  return worst;
}

TEST(Reuse, ErrorHalvesWithTheStep) {
  for (const char* inverse : {"", "svd"})
    for (bool compensate : {false, true}) {
      const UdwadiaKalaba old(reuse(5, compensate, inverse)), exact(reuse(1, false, inverse));
      const Path coarse = swing(old, 250), fine = swing(old, 500);
      const double first = deviation(coarse, swing(exact, 250)), second = deviation(fine, swing(exact, 500));
      std::printf("reuse %-4s %-12s deviation of velocities %.2e, %.2e at half the step; |A a - b| %.1e\n", inverse,
                  compensate ? "projection" : "none", first, second, fine.residual);
      EXPECT_GT(second, 1e-6) << "an old inverse is not exact";
      EXPECT_NEAR(first / second, 2, 0.3) << inverse << compensate;
      if (compensate) {
        EXPECT_LT(fine.residual, 1e-12) << "the constraints hold all the same";
      } else {
        EXPECT_GT(fine.residual, 1e-3);
      }
    }
}

TEST(Reuse, EndsWithItsStepsWithASwitchedRowAndWhenForgotten) {
  for (const char* inverse : {"", "svd"}) {
    const UdwadiaKalaba formulation(reuse(2, false, inverse));
    EXPECT_TRUE(formulation.can().remembers);
    Pendulum p;
    Vector y(8);
    y << 0, 1, 0, 2, 3, 0, 4, 0;
    const auto factor = formulation.prepare(p.pattern);
    GaussSolution solution;
    const auto now = [&] {
      EXPECT_TRUE(factor->factor(p.problem, {}));
      factor->solve(as_span(p.problem.Q), as_span(p.problem.b), solution);
      return solution.residual;
    };
    p.set(y);
    EXPECT_LT(now(), 1e-13);
    y[1] = 1.1;
    p.set(y);
    EXPECT_GT(now(), 1e-2);
    EXPECT_EQ(std::count(solution.verdicts.begin(), solution.verdicts.end(), RowVerdict::conflicting), 0);
    factor->forget();
    EXPECT_LT(now(), 1e-13);
    y[1] = 1.2;
    p.set(y);
    factor->step_accepted();
    EXPECT_GT(now(), 1e-2);
    factor->step_accepted();
    EXPECT_LT(now(), 1e-13) << "two steps were accepted";
    y[1] = 1.3;
    p.set(y);
    p.problem.active[1] = 0;
    EXPECT_LT(now(), 1e-13) << "a row was switched off";
    EXPECT_EQ(solution.rank.rank, 1);
  }
}

}  // namespace
}  // namespace mortise::gauss::testing
