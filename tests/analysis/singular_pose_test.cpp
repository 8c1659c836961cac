// Singular poses: found on the way of a motion at the right time, with the right rows and both branches there.
#include "mortise/analysis/singular_pose.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <cmath>
#include <numbers>

#include "mortise/analysis/assemble.h"
#include "mortise/analysis/diagnose.h"
#include "mortise/analysis/methods.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

using analysis::PoseWatch;
using analysis::SingularPose;

// Two cranks of length 1 at distance 2 and a coupler, no gravity: the coupler circles, its speed is constant, and after
// a quarter turn (t = π/2) from the upright pose, and every half turn from there, all links lie in line.
constexpr const char* parallelogram = R"(
mortise: 1
name: parallelogram
dimension: planar
bodies:
  left: {mass: 1, inertia: 0.2, at: [0, 0.5], angle: 90 deg, velocity: [-0.5, 0], angular_velocity: 1}
  right: {mass: 1, inertia: 0.2, at: [2, 0.5], angle: 90 deg, velocity: [-0.5, 0], angular_velocity: 1}
  coupler: {mass: 1, inertia: 0.2, at: [1, 1], velocity: [-1, 0]}
joints:
  A: {type: revolute, between: [ground, left], at: [0, 0]}
  B: {type: revolute, between: [left, coupler], at: [0, 1]}
  C: {type: revolute, between: [coupler, right], at: [2, 1]}
  D: {type: revolute, between: [right, ground], at: [2, 0]}
analysis: {until: 6, tolerance: 1e-10}
)";

struct Passing {
  explicit Passing(std::unique_ptr<mechanism::Mechanism> m)
      : mechanism(std::move(m)),
        settings(mechanism->model().analysis),
        formulation(analysis::make_formulation(settings)),
        stabilizer(analysis::make_stabilizer(settings, *mechanism)),
        motion(*mechanism, *formulation, *stabilizer, {}),
        integrator(integrate::make_integrator(settings.integrator, {settings.tolerance, 0, 0, 0})),
        watch(*mechanism, {}) {
    State state = mechanism->initial_state();
    analysis::assemble(*mechanism, state, {});
    motion.set_active(state.active);
    start(state);
  }
  void start(const State& state) {
    Vector y(motion.size());
    motion.pack(state, as_span(y));
    integrator->start(motion, state.t, as_span(y));
  }
  void to(double until) {
    while (integrator->t() < until) {
      integrator->step(until);
      if (auto pose = watch.look(*integrator, motion)) poses.push_back(*pose);
    }
  }
  double spin(const char* body) {
    State state = mechanism->initial_state();
    motion.unpack(integrator->t(), integrator->y(), state);
    for (int b = 0; b < mechanism->pattern().columns.count(); ++b)
      if (mechanism->block_name(b).find(body) != std::string::npos) return state.v[3 * b + 2];
    return 0;
  }

  std::unique_ptr<mechanism::Mechanism> mechanism;
  const model::AnalysisSettings& settings;
  std::unique_ptr<gauss::Formulation> formulation;
  std::unique_ptr<Stabilizer> stabilizer;
  Motion motion;
  std::unique_ptr<integrate::Integrator> integrator;
  PoseWatch watch;
  std::vector<SingularPose> poses;
};

TEST(SingularPoses, OfTheParallelogramAreFoundAtTheirTimes) {
  Passing p(compile(parallelogram));
  p.to(6);
  ASSERT_EQ(p.poses.size(), 2u);
  EXPECT_NEAR(p.poses[0].t, std::numbers::pi / 2, 1e-7);
  EXPECT_NEAR(p.poses[1].t, 3 * std::numbers::pi / 2, 1e-7);
  for (const SingularPose& pose : p.poses) {
    EXPECT_EQ(pose.rank_before, 8);
    EXPECT_EQ(pose.rank, 7);
    EXPECT_LT(pose.turn, 0.2) << "smoothly through";
    // In line, all four joints take part along the links.
    std::vector<std::string> names;
    for (const int row : pose.rows) names.push_back(p.mechanism->row_name(row));
    EXPECT_EQ(names, (std::vector<std::string>{"A.x", "B.x", "C.x", "D.x"}));
  }
  EXPECT_NEAR(p.spin("left"), 1, 1e-7);
  EXPECT_NEAR(p.spin("right"), 1, 1e-7);
}

// With the left crank turning at ω, closing the loop to second order leaves (ω_l − ω_r)(ω_l + 3 ω_r) = 0: the smooth
// branch ω_r = ω_l, and the anti-parallelogram ω_r = −ω_l / 3.
TEST(SingularPoses, HaveTwoBranchesInTheParallelogram) {
  Passing p(compile(parallelogram));
  p.to(2);
  ASSERT_EQ(p.poses.size(), 1u);
  const analysis::Branches branches = analysis::find_branches(*p.mechanism, p.poses[0].state, {});
  EXPECT_TRUE(branches.isolated);
  ASSERT_EQ(branches.velocities.size(), 2u);
  const Vector &smooth = branches.velocities[0], &other = branches.velocities[1];
  EXPECT_NEAR(smooth[5] / smooth[2], 1, 1e-5);
  EXPECT_NEAR(other[5] / other[2], -1.0 / 3, 1e-5);
}

TEST(SingularPoses, CanBeLeftAlongTheOtherBranch) {
  Passing p(compile(parallelogram));
  p.to(2);
  ASSERT_EQ(p.poses.size(), 1u);
  const analysis::OtherBranch way(*p.mechanism, p.poses[0], p.motion, {});
  const State other = way.at(way.ahead());
  p.start(other);
  p.watch.forget();
  const double until = other.t + 0.5;
  p.to(until);
  // An anti-parallelogram now: cranks turn against each other, and the energy is that of the start.
  EXPECT_LT(p.spin("left") * p.spin("right"), 0);
  State state = p.mechanism->initial_state();
  p.motion.unpack(until, p.integrator->y(), state);
  gauss::GaussSolution solution;
  p.motion.accelerate(state, solution);
  EXPECT_NEAR(p.motion.evaluation().kinetic, 0.5 * (0.25 + 0.2) * 2 + 0.5, 1e-6);
  EXPECT_EQ(p.motion.rank().rank, 8);
}

// With a pendulum on the coupler there are two degrees of freedom, and velocities of a branch form a family.
TEST(SingularPoses, SayWhenTheOtherBranchIsNoSingleDirection) {
  std::string text = parallelogram;
  text.insert(text.find("joints:"), "  bob: {mass: 1, inertia: 0.1, at: [1, 0.5], velocity: [-1, 0]}\n");
  text.insert(text.find("analysis:"), "  E: {type: revolute, between: [coupler, bob], at: [1, 1]}\n");
  const auto mechanism = compile(text, {"analysis.branch=other"});
  try {
    Recorder recorder;
    run(*mechanism, recorder);
    FAIL();
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S451");
    EXPECT_NE(error.report().message.find("more than one degree of freedom"), std::string::npos);
    EXPECT_NEAR(error.report().time, std::numbers::pi / 2, 0.5);
  }
}

TEST(SingularPoses, OfARunAreInItsResultAndTheOtherBranchIsTaken) {
  const auto straight = compile(parallelogram);
  Recorder first;
  const auto smooth = run(*straight, first);
  ASSERT_EQ(smooth.poses.size(), 2u);
  EXPECT_NEAR(smooth.poses[0].t, std::numbers::pi / 2, 1e-7);
  EXPECT_FALSE(smooth.poses[0].other);
  const auto turning = compile(parallelogram, {"analysis.branch=other", "analysis.until=2"});
  Recorder second;
  const auto other = run(*turning, second);
  ASSERT_EQ(other.poses.size(), 1u);
  EXPECT_TRUE(other.poses[0].other);
  EXPECT_EQ(second.frames.size(), 1001u) << "none is missing where the branch was left";
  EXPECT_LT(other.summary.energy_drift, 1e-7);
  EXPECT_LT(other.state.v[2] * other.state.v[5], 0) << "the cranks turn against each other";
}

// Values by quadrature of the one coordinate: t = int sqrt(I(angle) / 2T) d angle along each branch.
TEST(SingularPoses, OfTheChangePointFourBarLeadToEitherMechanism) {
  struct {
    const char* branch;
    double crank, wz;
  } const ways[] = {{"smooth", 6.474034317786719, -1.5902380698475633},
                    {"other", 7.27932849406392, 0.9478969044888949}};
  for (const auto& way : ways) {
    SCOPED_TRACE(way.branch);
    const auto m = compile_example("change-point-four-bar", {std::string("analysis.branch=") + way.branch});
    Recorder recorder;
    const auto result = run(*m, recorder);
    ASSERT_EQ(result.poses.size(), 1u);
    EXPECT_NEAR(result.poses[0].t, 0.8635006360621922, 1e-8);
    EXPECT_EQ(result.poses[0].rows.size(), 4u);
    EXPECT_NEAR(result.state.q[2], way.crank, 2e-8);
    EXPECT_NEAR(result.state.v[8], way.wz, 2e-8);
    ASSERT_EQ(recorder.poses.size(), 1u);  // the ledger of the result
    EXPECT_EQ(recorder.poses[0].what, way.branch);
    EXPECT_EQ(recorder.poses[0].t, result.poses[0].t);
    EXPECT_GE(recorder.frames[recorder.poses[0].frame].t, result.poses[0].t);
    EXPECT_LT(recorder.frames[recorder.poses[0].frame - 1].t, result.poses[0].t);
  }
}

// Sixteen times, with steps and stages that come as near as they like: rounding grows with the inverse square of the
// distance there, and must not be taken for motion.
TEST(SingularPoses, ArePassedManyTimesByEveryIntegratorWithoutLossOfEnergy) {
  for (const char* integrator : {"adams", "rk45", "rkv56", "rk78"})
    for (const char* tolerance : {"1e-11", "1e-7"}) {
      SCOPED_TRACE(std::string(integrator) + " " + tolerance);
      const auto m = compile_example("change-point-four-bar",
                                     {std::string("analysis.integrator=") + integrator,
                                      std::string("analysis.tolerance=") + tolerance, "analysis.until=40"});
      Recorder recorder;
      const auto result = run(*m, recorder);
      EXPECT_LT(result.summary.energy_drift, 1000 * std::stod(tolerance));
      EXPECT_LT(result.summary.worst_position, 1e-13);
      EXPECT_LT(result.summary.worst_velocity, 1e-11);
      EXPECT_GE(result.poses.size(), 10u);
    }
}

// Sides that miss the change point by a thousandth: no pose is passed, the nearest one is named with its joints.
TEST(SingularPoses, ThatAreOnlyComeNearAreNamedWithTheirJoints) {
  std::string text = parallelogram;
  text.replace(text.find("at: [2, 0]}"), 11, "at: [1.998, 0]}");
  const auto m = compile(text, {"analysis.until=2"});
  Recorder recorder;
  const auto result = run(*m, recorder);
  EXPECT_TRUE(result.poses.empty());
  EXPECT_LT(result.nearest.sigma, 0.05);
  EXPECT_GT(result.nearest.sigma, 1e-4);
  EXPECT_EQ(analysis::joint_names(*m, result.nearest.joints), "A, B, C, D");
}

TEST(SingularPoses, OfTheCrossingFiveBarKeepItsPermanentRedundancyApart) {
  Passing p(compile_example("five-bar-crossing"));
  p.to(3);
  ASSERT_GE(p.poses.size(), 2u);
  for (const SingularPose& pose : p.poses) {
    EXPECT_EQ(pose.rank_before, 11);
    EXPECT_EQ(pose.rank, 10);
    EXPECT_GE(pose.rows.size(), 4u);
  }
  EXPECT_LT(p.watch.memory().nearest, 1e-5);
}

TEST(SingularPoses, AreNotSeenWhereThereAreNone) {
  Passing p(compile_example("five-bar"));
  p.to(3);
  EXPECT_TRUE(p.poses.empty());
  EXPECT_GT(p.watch.memory().nearest, 1e-3);
}

TEST(SingularPoses, AreTheSameByDecompositionAndByInverseIteration) {
  struct {
    const char* example;
    std::vector<std::string> settings;
    double until;
  } const runs[] = {{"five-bar-crossing", {}, 3}, {"change-point-four-bar", {}, 2}, {"n-four-bar", {"N=3"}, 2}};
  for (const auto& of : runs) {
    SCOPED_TRACE(of.example);
    Passing dense(compile_example(of.example, of.settings)), sparse(compile_example(of.example, of.settings));
    dense.watch.set_dense(true);
    sparse.watch.set_dense(false);
    dense.to(of.until);
    sparse.to(of.until);
    ASSERT_GE(dense.poses.size(), 1u);
    ASSERT_EQ(sparse.poses.size(), dense.poses.size());
    for (std::size_t k = 0; k < dense.poses.size(); ++k) {
      EXPECT_NEAR(sparse.poses[k].t, dense.poses[k].t, 2e-6);
      EXPECT_EQ(sparse.poses[k].rank_before, dense.poses[k].rank_before);
      EXPECT_EQ(sparse.poses[k].rank, dense.poses[k].rank);
      // Beside a permanent redundancy either of several sets may be named.
      EXPECT_EQ(sparse.poses[k].rows.size(), dense.poses[k].rows.size());
    }
  }
}

// At any pose: the least singular value that is not zero, over the largest.
TEST(LeastSingularValue, IsThatOfTheDecomposition) {
  for (const char* example : {"five-bar", "bricard", "n-four-bar", "n-four-bar-spatial", "mcpherson-overconstrained"}) {
    const auto m = compile_example(example);
    State state = m->initial_state();
    analysis::assemble(*m, state, {});
    const auto scratch = m->make_scratch();
    Evaluation e;
    e.resize(m->pattern());
    m->evaluate(state, need_dynamics, *scratch, e);
    const Eigen::LLT<Matrix> cholesky(e.problem.dense_M());
    Matrix D = e.problem.dense_A();
    for (int i = 0; i < m->pattern().m(); ++i) D.row(i) *= m->pattern().row_scale[index(i)];
    D = cholesky.matrixU().solve<Eigen::OnTheRight>(D);
    const Vector values = Eigen::JacobiSVD<Matrix>(D).singularValues();
    const int rank = static_cast<int>((values.array() > 1e-10 * values[0]).count());
    gauss::LeastSingularValue least(m->pattern());
    const auto found = least.find(e.problem, {}, rank);
    ASSERT_TRUE(found) << example;
    EXPECT_NEAR(*found / (values[rank - 1] / values[0]), 1, 0.05) << example;
  }
}

// One degree of freedom: I ω²/2 + P sin θ is constant, and the flat pose is met at ∫ dθ / ω from π/2 to 0. There the
// rank falls by the number of windows at once.
TEST(SingularPoses, OfALongLadderAreFoundAtTheirTime) {
  constexpr int windows = 200;
  const double I = (windows + 1) / 3.0 + windows, P = ((windows + 1) / 2.0 + windows) * 9.81;
  double time = 0;
  constexpr int parts = 2000;
  for (int k = 0; k <= parts; ++k) {
    const double theta = std::numbers::pi / 2 * k / parts, omega = std::sqrt(1 + 2 * P * (1 - std::sin(theta)) / I);
    time += (k == 0 || k == parts ? 1 : k % 2 ? 4 : 2) * std::numbers::pi / 2 / parts / 3 / omega;
  }
  const auto m = compile_example("n-four-bar", {"N=200", "analysis.until=0.9", "analysis.tolerance=1e-8"});
  ASSERT_LT(time, 0.9);
  Recorder recorder;
  const auto result = run(*m, recorder);
  ASSERT_EQ(result.poses.size(), 1u);
  EXPECT_NEAR(result.poses[0].t, time, 1e-5);
  EXPECT_EQ(result.poses[0].rank_before, 6 * windows + 2);
  EXPECT_EQ(result.poses[0].rank, 5 * windows + 2);
  EXPECT_GE(result.poses[0].rows.size(), static_cast<std::size_t>(3 * windows));
  EXPECT_LT(analysis::describe_pose(result.poses[0], *m).size(), 200u);
}

}  // namespace
}  // namespace mortise::test
