// Euler parameters: a singular mass matrix, and a row a body that makes up for it.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "coordinates/random_machines.h"

namespace mortise::test {
namespace {

const char* const two_bodies = R"(mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  bead: {type: particle, mass: 1, at: [3, 0, 0]}
  rotor: {mass: 1, inertia: [0.2, 0.3, 0.4], orientation: {rpy: [0.3, -0.8, 1.1]}, angular_velocity: [1, 2, 0.5]}
joints:
  rod: {type: distance, between: [bead, rotor]}
)";

struct Fixture {
  std::unique_ptr<Mechanism> mechanism = compile(two_bodies);
  State start = mechanism->initial_state();
  std::unique_ptr<coordinates::CoordinateSystem> system =
      coordinates::make_coordinates("euler-parameters", *mechanism, start);
  State mapped;
  Fixture() { system->lower(start, mapped); }
};

TEST(EulerParameters, HaveARowForEveryBodyThatTurnsInSpace) {
  Fixture f;
  EXPECT_EQ(f.system->v_size(), 10);
  ASSERT_EQ(f.system->pattern().m(), 2);
  EXPECT_EQ(f.system->row_name(0), "rod.length");
  EXPECT_EQ(f.system->row_name(1), "rotor.norm");
}

TEST(EulerParameters, MakeTheMassMatrixSingularInOneDirectionABody) {
  Fixture f;
  Probe probe(*f.system);
  const Matrix M = probe(f.mapped).problem.dense_M().bottomRightCorner(4, 4);
  const Vector eigenvalues = Eigen::SelfAdjointEigenSolver<Matrix>(M).eigenvalues();
  EXPECT_LT(std::abs(eigenvalues[0]), 1e-15);
  EXPECT_GT(eigenvalues[1], 4 * 0.2 - 1e-12);
}

TEST(EulerParameters, AreRefusedByFormulationsThatDivideByTheMass) {
  Fixture f;
  const auto stabilizer = stabilize::make_stabilizer("projection", {});
  for (const gauss::FormulationEntry& entry : gauss::formulations()) {
    const auto formulation = entry.make({});
    if (formulation->can().singular_mass) continue;
    Motion motion(*f.system, *formulation, *stabilizer, {});
    gauss::GaussSolution solution;
    solution.resize(f.system->pattern());
    try {
      motion.accelerate(f.mapped, solution);
      ADD_FAILURE() << entry.name << " took it";
    } catch (const SolveError& error) {
      EXPECT_EQ(error.report().code, "S420") << entry.name;
      EXPECT_NE(error.report().message.find("'rotor'"), std::string::npos) << entry.name << error.what();
    }
  }
}

// Only the direction of p is felt, at any length and with any rate of it.
TEST(EulerParameters, MeanTheSameMotionAtAnyLength) {
  Fixture f;
  State longer = f.mapped, lifted;
  const double length = 1.1, rate = 0.3;
  longer.q.tail<4>() = length * f.mapped.q.tail<4>();
  longer.v.tail<4>() = length * f.mapped.v.tail<4>() + rate * f.mapped.q.tail<4>();
  f.system->lift(longer, lifted);
  EXPECT_LT(difference(lifted.q, f.start.q), 1e-15);
  EXPECT_LT(difference(lifted.v, f.start.v), 1e-15 * 4);
}

}  // namespace
}  // namespace mortise::test
