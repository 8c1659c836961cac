// Every choice of coordinates describes the same motion: states there and back, M*, Q*, A* and b* against differences
// of energies and constraints, accelerations against those of the mechanism itself.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cstdio>

#include "coordinates/random_machines.h"
#include "mortise/coordinates/coordinate_system.h"
#include "support/allocation_counter.h"

namespace mortise::test {
namespace {

using coordinates::CoordinateSystem;

class Coordinates : public testing::TestWithParam<std::string> {
 protected:
  struct Subject {
    std::unique_ptr<Mechanism> mechanism;
    State absolute;
    std::unique_ptr<CoordinateSystem> system;
    State mapped;
  };

  // Calls with random mechanisms of both dimensions, each at an admissible state away from its start.
  template <class Check>
  void for_each_machine(int count, const Check& check) const {
    Random random(2024);
    for (int k = 0; k < count; ++k) {
      const int dimension = k % 4 == 3 ? 2 : 3;
      const std::string text = random_machine(random, dimension, 2 + k % 5, k % 3 % dimension);
      SCOPED_TRACE(text);
      Subject s;
      s.mechanism = compile(text);
      const State start = admissible_state(*s.mechanism, random);
      s.system = coordinates::make_coordinates(GetParam(), *s.mechanism, start);
      // What the coordinates can describe: a tree takes up what the joints are off by rounding.
      s.system->lower(admissible_state(*s.mechanism, random), s.mapped);
      s.system->lift(s.mapped, s.absolute);
      s.system->lower(s.absolute, s.mapped);
      check(s, random);
    }
  }
};

// By the saddle matrix itself: takes singular masses and redundant rows.
Vector dense_solution(const gauss::GaussProblem& problem) {
  const Matrix M = problem.dense_M(), A = problem.dense_A();
  const auto n = M.rows(), m = A.rows();
  Matrix X = Matrix::Zero(n + m, n + m);
  X << M, A.transpose(), A, Matrix::Zero(m, m);
  Vector right(n + m);
  right << problem.Q, problem.b;
  Eigen::CompleteOrthogonalDecomposition<Matrix> cod;
  cod.setThreshold(1e-11);
  cod.compute(X);
  return cod.solve(right);
}

Vector absolute_acceleration(const Mechanism& mechanism, const State& state) {
  Probe probe(mechanism);
  const Evaluation& e = probe(state);
  gauss::GaussSolution solution;
  solution.resize(mechanism.pattern());
  const auto factor = gauss::make_formulation("udwadia-kalaba")->prepare(mechanism.pattern());
  EXPECT_TRUE(factor->factor(e.problem, {}));
  factor->solve(as_span(e.problem.Q), as_span(e.problem.b), solution);
  return solution.a;
}

TEST_P(Coordinates, LiftTakesBackWhatLowerDid) {
  double worst = 0;
  for_each_machine(60, [&](Subject& s, Random&) {
    State back;
    s.system->lift(s.mapped, back);
    worst = std::max({worst, difference(back.q, s.absolute.q), difference(back.v, s.absolute.v)});
  });
  std::printf("%s: lift of lower off by %.1e\n", GetParam().c_str(), worst);
  EXPECT_LT(worst, 1e-14);
}

TEST_P(Coordinates, AccelerationsAreThoseOfTheMechanism) {
  double worst = 0;
  for_each_machine(60, [&](Subject& s, Random&) {
    const Vector wanted = absolute_acceleration(*s.mechanism, s.absolute);
    Probe probe(*s.system);
    const Evaluation& e = probe(s.mapped);
    Vector lifted(s.mechanism->v_size());
    s.system->lift_acceleration(as_span(dense_solution(e.problem)).first(static_cast<std::size_t>(s.system->v_size())),
                                *probe.scratch, as_span(lifted));
    EXPECT_LT(difference(lifted, wanted), 1e-12);
    worst = std::max(worst, difference(lifted, wanted));
    gauss::GaussSolution solution;
    solution.resize(s.system->pattern());
    const bool singular = GetParam() == "euler-parameters" && s.mechanism->dimension() == 3;
    for (const gauss::FormulationEntry& entry : gauss::formulations()) {
      const auto formulation = entry.make({});
      if (formulation->can().search || !formulation->can().redundant_rows) continue;
      const auto factor = formulation->prepare(s.system->pattern());
      if (!factor->factor(e.problem, {})) {
        EXPECT_EQ(factor->refusal().kind, gauss::Refusal::Kind::singular_mass) << entry.name;
        EXPECT_FALSE(formulation->can().singular_mass) << entry.name;
        EXPECT_TRUE(singular) << entry.name;
        continue;
      }
      EXPECT_TRUE(formulation->can().singular_mass || !singular) << entry.name;
      factor->solve(as_span(e.problem.Q), as_span(e.problem.b), solution);
      s.system->lift_acceleration(as_span(solution.a), *probe.scratch, as_span(lifted));
      EXPECT_LT(difference(lifted, wanted), 1e-10) << entry.name;
      worst = std::max(worst, difference(lifted, wanted));
    }
  });
  std::printf("%s: accelerations off by %.1e\n", GetParam().c_str(), worst);
}

TEST_P(Coordinates, MassMatrixIsThatOfTheKineticEnergy) {
  double worst = 0;
  for_each_machine(20, [&](Subject& s, Random&) {
    Probe probe(*s.system);
    const Matrix M = probe(s.mapped).problem.dense_M();
    const auto energy = [&](int i, int j) {
      State state = s.mapped;
      state.v.setZero();
      state.v[i] += 1;
      if (j >= 0) state.v[j] += 1;
      return probe(state).kinetic;
    };
    for (int i = 0; i < M.rows(); ++i)
      for (int j = 0; j < i; ++j)
        worst = std::max(worst, std::abs(energy(i, j) - energy(i, -1) - energy(j, -1) - M(i, j)) / (1 + M(i, i)));
  });
  std::printf("%s: M* off by %.1e\n", GetParam().c_str(), worst);
  EXPECT_LT(worst, 2e-14);
}

TEST_P(Coordinates, RowsAreTheDerivativesOfTheConstraints) {
  double worst_A = 0, worst_b = 0;
  for_each_machine(20, [&](Subject& s, Random& random) {
    if (s.system->pattern().m() == 0) return;
    Probe probe(*s.system);
    const Evaluation& e = probe(s.mapped);
    const Matrix A = e.problem.dense_A();
    const Vector b = e.problem.b, phidot = e.phidot;
    for (int k = 0; k < A.cols(); ++k) {
      const auto phi = [&](double h) -> Vector {
        State state = s.mapped;
        Vector step = Vector::Zero(s.system->v_size());
        step[k] = h;
        s.system->retract(as_span(state.q), as_span(step), as_span(state.q));
        return probe(state).phi;
      };
      worst_A = std::max(worst_A, difference(derivative(phi, 1e-3), A.col(k)));
    }
    const Vector a = random_vector(random, s.system->v_size(), 1);
    const auto rate = [&](double h) -> Vector { return probe(along(*s.system, s.mapped, a, h)).phidot; };
    worst_b = std::max(worst_b, difference(derivative(rate, 1e-3), A * a - b));
    const auto phi = [&](double h) -> Vector { return probe(along(*s.system, s.mapped, a, h)).phi; };
    worst_b = std::max(worst_b, difference(derivative(phi, 1e-3), phidot));
  });
  std::printf("%s: A* off by %.1e, b* by %.1e\n", GetParam().c_str(), worst_A, worst_b);
  EXPECT_LT(worst_A, 1e-11);
  EXPECT_LT(worst_b, 2e-11);
}

// d/dt ∂T/∂u̇ − ∂T/∂u = −∂V/∂u, with M* ü − Q* on the other side: where u are coordinates (q̇ = u̇).
TEST_P(Coordinates, ForcesAreThoseOfLagrangesEquations) {
  double worst = 0;
  int seen = 0;
  for_each_machine(20, [&](Subject& s, Random& random) {
    if (s.system->q_size() != s.system->v_size()) return;
    ++seen;
    Probe probe(*s.system);
    const Matrix M = probe(s.mapped).problem.dense_M();
    const Vector Q = probe(s.mapped).problem.Q;
    const Vector a = random_vector(random, s.system->v_size(), 1);
    const auto momentum = [&](double h) -> Vector {
      const State state = along(*s.system, s.mapped, a, h);
      return probe(state).problem.dense_M() * state.v;
    };
    Vector left = derivative(momentum, 1e-3);
    for (int k = 0; k < left.size(); ++k) {
      const auto lagrangian = [&](double h) -> Vector {
        State state = s.mapped;
        state.q[k] += h;
        const Evaluation& e = probe(state);
        return Vector::Constant(1, e.kinetic - e.potential);
      };
      left[k] -= derivative(lagrangian, 1e-3)[0];
    }
    worst = std::max(worst, difference(left, M * a - Q));
  });
  std::printf("%s: Lagrange's equations off by %.1e in %d mechanisms\n", GetParam().c_str(), worst, seen);
  EXPECT_GE(seen, 5);
  EXPECT_LT(worst, 1e-11);
}

TEST_P(Coordinates, RowsKeepTheirNamesAndBlocksThoseOfTheirBodies) {
  for_each_machine(6, [&](Subject& s, Random&) {
    const std::vector<int>& rows = s.system->absolute_rows();
    ASSERT_EQ(static_cast<int>(rows.size()), s.system->pattern().m());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string name = s.system->row_name(static_cast<int>(i));
      if (rows[i] >= 0)
        EXPECT_EQ(name, s.mechanism->row_name(rows[i]));
      else
        EXPECT_EQ(name.substr(name.rfind('.')), ".norm");
    }
    EXPECT_GE(s.mechanism->find_body(s.system->block_name(0)), 0);
  });
}

TEST_P(Coordinates, EvaluationAllocatesNothing) {
  if (!allocations_are_counted()) GTEST_SKIP();
  for_each_machine(6, [&](Subject& s, Random&) {
    Probe probe(*s.system);
    probe(s.mapped);
    const AllocationCounter counter;
    probe(s.mapped);
    EXPECT_EQ(counter.count(), 0);
  });
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& entry : coordinates::coordinate_systems()) out.push_back(entry.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Choices, Coordinates, testing::ValuesIn(names()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace mortise::test
