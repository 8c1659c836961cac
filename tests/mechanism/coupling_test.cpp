// Rows over several bodies: gears over many turns, one block a body, rows of the user's own.
#include <gtest/gtest.h>

#include <cmath>
#include <iomanip>
#include <sstream>

#include "mechanism/part_samples.h"
#include "mechanism/workbench.h"
#include "mortise/mechanism/commensurate.h"

namespace mortise::test {
namespace {

using mechanism::as_fraction;
using mechanism::common_unit;
using mechanism::Constraint;

TEST(Commensurate, FractionsAreFoundUpToADenominatorOfAThousand) {
  for (int under = 1; under <= 1000; under += 7)
    for (int over : {1, 3, 17, 999, 1234}) {
      const auto f = as_fraction(static_cast<double>(over) / under);
      ASSERT_TRUE(f) << over << "/" << under;
      EXPECT_EQ(f->over * under, f->under * over);
    }
  EXPECT_EQ(as_fraction(-2.5)->over, -5);
  EXPECT_EQ(as_fraction(-2.5)->under, 2);
  for (const double x : {M_PI, std::sqrt(2.0), 1.0 / 1009, 1 + 1e-9}) EXPECT_FALSE(as_fraction(x)) << x;
}

TEST(Commensurate, CommonUnitIsTheLargestOfWhichAllAreMultiples) {
  const double a[] = {20, -30}, b[] = {0.5, 0.75, -1.25}, c[] = {2 * M_PI, 3 * M_PI}, d[] = {1, M_PI};
  EXPECT_NEAR(*common_unit(a), 10, 1e-14);
  EXPECT_NEAR(*common_unit(b), 0.25, 1e-15);
  EXPECT_NEAR(*common_unit(c), M_PI, 1e-14);
  EXPECT_FALSE(common_unit(d));
}

const char* const train = R"(
mortise: 1
dimension: spatial
bodies:
  cage: {mass: 1, inertia: [1, 1, 1]}
  left: {mass: 1, inertia: [1, 1, 1], at: [-1, 0, 0]}
  right: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0], orientation: {rpy: [0.3, 0, 0]}}
joints:
  mesh: {type: gear, joints: [L, R], teeth: [7, 19]}
  C: {type: revolute, between: [ground, cage], at: [0, 0, 0], axis: [0, 0, 1]}
  L: {type: revolute, between: [cage, left], at: [-1, 0, 0], axis: [0, 0, 1]}
  R: {type: revolute, between: [cage, right], at: [1, 0, 0], axis: [1, 0, 0]}
)";

// The state with the cage turned about z, the left wheel against it about z, the right one about x.
State turned(const Mechanism& m, double cage, double left, double right) {
  using Eigen::AngleAxisd;
  using Eigen::Quaterniond;
  using Eigen::Vector3d;
  State state = m.initial_state();
  const Quaterniond c(AngleAxisd(cage, Vector3d::UnitZ()));
  const Quaterniond p[] = {c, c * Quaterniond(AngleAxisd(left, Vector3d::UnitZ())),
                           c * Quaterniond(AngleAxisd(0.3 + right, Vector3d::UnitX()))};
  const Vector3d at[] = {Vector3d::Zero(), -Vector3d::UnitX(), Vector3d::UnitX()};
  for (int k = 0; k < 3; ++k) {
    const int q = m.bodies()[static_cast<std::size_t>(k)].q;
    state.q.segment<3>(q) = c * at[k];
    state.q.segment<4>(q + 3) << p[k].w(), p[k].x(), p[k].y(), p[k].z();
  }
  return state;
}

TEST(Gear, HoldsOverManyTurnsOfEveryBody) {
  Workbench bench(train);
  const Mechanism& m = *bench.mechanism;
  double worst = 0;
  for (int k = 0; k <= 4000; ++k) {
    const double theta = 0.05 * k;  // 32 turns
    worst = std::max(worst, bench.phi(turned(m, -1.7 * theta, theta, -theta * 7 / 19)).cwiseAbs().maxCoeff());
  }
  RecordProperty("worst", testing::PrintToString(worst));
  EXPECT_LT(worst, 1e-12);
}

TEST(Gear, IsTheErrorOfTheFirstWheelUpToTurnsByWholeTeeth) {
  Workbench bench(train);
  const Mechanism& m = *bench.mechanism;
  const int row = m.constraints()[static_cast<std::size_t>(m.find_constraint("mesh"))].row;
  const double period = 2 * M_PI / 7;
  for (const double theta : {0.3, 2.9, 4.0, 20.0})
    for (const double off : {-0.49 * period, -0.01, 0.2, 0.49 * period})
      for (const int teeth : {-3, 0, 5})
        EXPECT_NEAR(bench.phi(turned(m, 0.4, theta + off + teeth * period, -theta * 7 / 19))[row], off, 1e-13);
}

TEST(Coupling, GivesABodyOfSeveralTermsOneBlockOfColumns) {
  Workbench bench(train);
  const Mechanism& m = *bench.mechanism;
  const Constraint& c = m.constraints()[static_cast<std::size_t>(m.find_constraint("mesh"))];
  ASSERT_EQ(c.bodies.size(), 3u);
  int blocks = 0;
  for (const gauss::RowBlock& block : m.pattern().A) blocks += block.row == c.row;
  EXPECT_EQ(blocks, 3);
  // θ_L about z, θ_R about x: the cage takes both with the opposite sign.
  const Eigen::RowVectorXd A = bench.evaluate(m.initial_state()).problem.dense_A().row(c.row);
  const double ratio = 19.0 / 7;
  Vector expected = Vector::Zero(18);
  expected[3] = -ratio, expected[5] = -1, expected[11] = 1, expected[15] = ratio;
  EXPECT_LT((A.transpose() - expected).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Coupling, StandsInTheFileBeforeOrAfterTheJointsItNames) {
  const auto m = compile(train);
  EXPECT_EQ(m->find_constraint("mesh"), 3);
  EXPECT_EQ(m->pattern().m(), 16);
}

// An epicyclic gear as one relation of three angles: z_s ω_s + z_r ω_r = (z_s + z_r) ω_c.
TEST(Coupling, OfThreeAnglesIsAnEpicyclicGear) {
  Workbench bench(R"(
mortise: 1
dimension: planar
bodies:
  sun: {mass: 1, inertia: 1, angle: 0.3}
  ring: {mass: 1, inertia: 2, angle: -0.1}
  carrier: {mass: 1, inertia: 3}
joints:
  S: {type: revolute, between: [ground, sun], at: [0, 0]}
  R: {type: revolute, between: [ground, ring], at: [0, 0]}
  C: {type: revolute, between: [ground, carrier], at: [0, 0]}
  willis: {type: coupling, terms: {S.angle: 24, R.angle: 72, C.angle: -96}}
)");
  State state = bench.mechanism->initial_state();
  EXPECT_LT(bench.phi(state).cwiseAbs().maxCoeff(), 1e-15);
  state.q[2] += 40, state.q[8] += 10;
  EXPECT_LT(bench.phi(state).cwiseAbs().maxCoeff(), 1e-13);
  state.q[2] += 0.5;
  EXPECT_NEAR(bench.phi(state)[6], 0.5, 1e-13) << "in units of the first term";
}

TEST(Coupling, OfCopiesNamesTheirNeighbours) {
  Workbench bench(R"(
mortise: 1
dimension: spatial
bodies:
  wheel$i: {repeat: {i: 5}, mass: 1, inertia: [1, 1, 1], at: [i, 0, 0]}
joints:
  mesh$i: {repeat: {i: 4}, type: gear, joints: [A$i, A$(i+1)], teeth: [10 + i, 11 + i]}
  A$i: {repeat: {i: 5}, type: revolute, between: [ground, wheel$i], at: [i, 0, 0]}
  sum$i: {repeat: {i: 4}, type: coupling, terms: {A$i.angle: 10 + i, A$(i+1).angle: 11 + i}}
)");
  const Mechanism& m = *bench.mechanism;
  ASSERT_EQ(m.pattern().m(), 25 + 4 + 4);
  const Matrix A = bench.evaluate(m.initial_state()).problem.dense_A();
  for (int k = 0; k < 4; ++k) {
    const int mesh = m.constraints()[static_cast<std::size_t>(m.find_constraint("mesh" + std::to_string(k)))].row;
    const int sum = m.constraints()[static_cast<std::size_t>(m.find_constraint("sum" + std::to_string(k)))].row;
    EXPECT_NEAR(A(mesh, 6 * k + 5), 1, 1e-15);
    EXPECT_NEAR(A(mesh, 6 * k + 11), (11.0 + k) / (10 + k), 1e-15);
    EXPECT_LT((A.row(mesh) - A.row(sum)).cwiseAbs().maxCoeff(), 1e-15) << "two ways to write the same";
  }
}

TEST(Coupling, OfAJointWithItselfOrWithNothingIsReported) {
  const std::string head =
      "mortise: 1\ndimension: planar\nbodies: {w: {mass: 1, inertia: 1}}\njoints:\n"
      "  A: {type: revolute, between: [ground, w], at: [0, 0]}\n";
  const std::pair<const char*, const char*> mistakes[] = {
      {"M120", "  J: {type: gear, joints: [A, A], teeth: [1, 2]}\n"},
      {"M119", "  J: {type: gear, joints: [A, B], teeth: [1, 2]}\n"},
      {"M119", "  J: {type: coupling, terms: {B.angle: 1}}\n"},
      {"M119", "  J: {type: row, coefficients: {w.vx: sin(ww.angle)}}\n"},
      {"M104", "  J: {type: gear, joints: A, teeth: [1, 2]}\n"},
      {"M104", "  J: {type: coupling, terms: [A.angle, 1]}\n"},
      {"M105", "  J: {type: no-slip, between: [ground, w], radii: [1, 2, 3]}\n"},
      {"M402", "  J: {type: coupling, terms: {A.angle: t}}\n"}};
  for (const auto& [code, line] : mistakes) {
    SCOPED_TRACE(line);
    try {
      compile(head + line);
      ADD_FAILURE() << "accepted";
    } catch (const ModelError& e) {
      ASSERT_EQ(e.diagnostics().size(), 1u) << e.what();
      EXPECT_EQ(e.diagnostics()[0].code, code) << e.what();
      EXPECT_EQ(e.diagnostics()[0].place.line, 6) << e.what();
    }
  }
}

// A wheel that rolls round a fixed one at the end of an arm that turns with Ω: ω = Ω (ρ_a ± ρ_b)/(±ρ_b), whatever the
// distance of the centres.
TEST(NoSlip, RollsAWheelRoundAFixedOne) {
  for (const bool internal : {false, true})
    for (const double distance : {1.0, 1.3}) {
      const double sum = internal ? 3 - 0.5 : 3 + 0.5, arm = distance * sum, turn = 0.7;
      const double spin = turn * (internal ? -sum : sum) / 0.5;
      std::ostringstream text;
      text << std::setprecision(17) << "mortise: 1\ndimension: planar\nbodies:\n  b: {mass: 1, inertia: 1, at: [" << arm
           << ", 0], velocity: [0, " << turn * arm << "], angular_velocity: " << spin
           << "}\njoints:\n  J: {type: no-slip, between: [ground, b], radii: [3, 0.5], internal: "
           << (internal ? "true" : "false") << "}\n";
      Workbench bench(text.str());
      EXPECT_NEAR(bench.phidot(bench.mechanism->initial_state())[0], 0, 1e-14) << internal << " " << distance;
    }
}

// Four lines of a user's own do what the part does.
TEST(UserRow, ReproducesTheKnifeEdge) {
  const std::string bodies = R"(
mortise: 1
dimension: planar
bodies:
  skate: {mass: 2, inertia: 0.1, center: [0.1, -0.2], at: [0.4, 0.7], angle: 0.6}
joints:
)";
  Workbench part(bodies +
                 "  J: {type: knife-edge, between: [ground, skate], at: [0.4, 0.7], axis: [1, 0], in: second}\n");
  Workbench own(bodies + R"(  J:
    type: row
    coefficients: {skate.vx: -sin(skate.angle), skate.vy: cos(skate.angle)}
    constant: 0
)");
  Random random(11);
  for (int trial = 0; trial < 100; ++trial) {
    const State state = random_state(*part.mechanism, random);
    const Evaluation x = part.evaluate(state), y = own.evaluate(state);
    EXPECT_LT((x.problem.dense_A() - y.problem.dense_A()).cwiseAbs().maxCoeff(), 1e-15);
    EXPECT_LT((x.problem.b - y.problem.b).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LT((x.phidot - y.phidot).cwiseAbs().maxCoeff(), 1e-14);
  }
}

// Names with dots do not shift the columns of messages.
TEST(UserRow, MistakesInFormulasAreReportedAtTheirPlace) {
  const std::string head = "mortise: 1\ndimension: planar\nbodies: {skate: {mass: 1, inertia: 1}}\njoints:\n";
  const std::string line = "  J: {type: row, coefficients: {skate.vx: sin(skate.angle) + speed*skate.x}}";
  try {
    compile(head + line + "\n");
    ADD_FAILURE() << "accepted";
  } catch (const ModelError& e) {
    ASSERT_EQ(e.diagnostics().size(), 1u) << e.what();
    EXPECT_EQ(e.diagnostics()[0].code, "M401");
    EXPECT_EQ(e.diagnostics()[0].place.column, static_cast<int>(line.find("speed")) + 1);
  }
}

TEST(UserRow, OfARepeatedItemNamesTheCopies) {
  Workbench bench(R"(
mortise: 1
dimension: planar
parameters: {k: 2}
bodies:
  skate$i: {repeat: {i: 3}, mass: 1, inertia: 1, at: [i, 0], angle: 0.1*i}
joints:
  J$i: {repeat: {i: 2}, type: row, coefficients: {skate$i.vx: k*sin(skate$(i+1).angle) + i, skate$(i+1).wz: 1},
        constant: skate$i.x*t}
)");
  State state = bench.mechanism->initial_state();
  state.t = 2;
  const Evaluation& e = bench.evaluate(state);
  const Matrix A = e.problem.dense_A();
  EXPECT_NEAR(A(0, 0), 2 * std::sin(0.1), 1e-15);
  EXPECT_NEAR(A(1, 3), 2 * std::sin(0.2) + 1, 1e-15);
  EXPECT_EQ(A(0, 5), 1);
  EXPECT_EQ(A(1, 8), 1);
  EXPECT_EQ(e.c_t[0], 0);
  EXPECT_EQ(e.c_t[1], 2);
}

}  // namespace
}  // namespace mortise::test
