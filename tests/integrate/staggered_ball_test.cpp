// A ball that rolls along y = sin x by the staggered procedure: nonholonomic rows, a mass matrix that depends on the
// attitude, closed form for the centred ball, long runs. specs/nasa-5-explicit-implicit.md §2.6, §4.1.
#include <gtest/gtest.h>

#include "integrate/staggered_systems.h"

namespace mortise::integrate::staggered_test {
namespace {

constexpr double x_at_ten = 11.7144536;  // at t = 10

// λ of the centred ball where it is at x: J/a² = 0.4, V² = 2.
Eigen::Vector3d multipliers_at(double x) {
  const double c = std::cos(x), s = std::sin(x), d = 1 + c * c, along = 2 * c * s / (d * d), across = -2 * s / (d * d);
  return {0.4 * along, 0.4 * across, 1.4 * across};
}

TEST(StaggeredBall, FollowsTheClosedFormWithSecondOrder) {
  const Ball ball(0);
  std::vector<double> x_errors, raw, filtered;
  for (const double h : {0.1, 0.05, 0.025}) {
    Follower f(ball, ball_start(), h, velocity_form(1e-8));
    double worst_raw = 0, worst_filtered = 0, off_track = 0, spin = 0, before = 0;
    f.to(10, [&] {
      const double x = f.state.q[0];
      if (f.integrator.t() > 1) {
        worst_raw = std::max(worst_raw, (f.integrator.multipliers() - multipliers_at(x)).cwiseAbs().maxCoeff());
        // The filtered one is half a step back.
        worst_filtered =
            std::max(worst_filtered,
                     (f.integrator.filtered_multipliers() - multipliers_at(0.5 * (x + before))).cwiseAbs().maxCoeff());
      }
      before = x;
      off_track = std::max(off_track, std::abs(f.state.q[1] - std::sin(x)));
      const Eigen::Matrix3d W = geometry::matrix(Ball::attitude(as_span(f.state.q)));
      spin = std::max(spin, std::abs((W * f.state.v.tail<3>())[2]));
    });
    EXPECT_LT(off_track, 0.45 * h * h + 1e-6);
    EXPECT_LT(spin, 0.5 * h * h);
    EXPECT_LT(worst_filtered, 4 * h * h);
    raw.push_back(worst_raw), filtered.push_back(worst_filtered);
    x_errors.push_back(std::abs(f.state.q[0] - x_at_ten));
    EXPECT_LT(x_errors.back(), 1.0 * h * h);
  }
  for (std::size_t k = 1; k < 3; ++k) {
    EXPECT_NEAR(slope_of(x_errors[k - 1], x_errors[k]), 2, 0.1);
    EXPECT_NEAR(slope_of(filtered[k - 1], filtered[k]), 2, 0.1);
  }
  EXPECT_LT(slope_of(raw[0], raw[2]) / 2, 1.8);  // of first order as they are
}

TEST(StaggeredBall, KeepsEnergyAndTrackForFiveHundredSeconds) {
  const Ball ball(0);
  for (const double h : {0.2, 0.1}) {
    Follower f(ball, ball_start(), h, velocity_form(1e-8));
    f.look();
    const double E0 = f.energy();
    double energy = 0, off = 0;
    f.to(500, [&] {
      energy = std::max(energy, std::abs(f.energy() / E0 - 1));
      off = std::max(off, std::abs(f.state.q[1] - std::sin(f.state.q[0])));
    });
    EXPECT_LT(energy, 1e-5) << h;
    EXPECT_LT(off, 0.45 * h * h) << h;
  }
}

TEST(StaggeredBall, AtTheLevelOfAccelerationsLeavesTheTrack) {
  const Ball ball(0);
  StaggeredSettings own = velocity_form(1e-8);
  own.multipliers = "acceleration";
  Follower f(ball, ball_start(), 0.1, own);
  double off = 0;
  f.to(500, [&] { off = std::max(off, std::abs(f.state.q[1] - std::sin(f.state.q[0]))); });
  EXPECT_GT(off, 0.1);
}

// Projection in every station is right for holonomic rows alone: here it takes the energy away, at every step.
TEST(StaggeredBall, ProjectedInEveryStationLosesItsEnergy) {
  const Ball ball(0);
  for (const double h : {0.1, 0.05}) {
    Follower f(ball, ball_start(), h, velocity_form(1e-8), "projection");
    f.look();
    const double E0 = f.energy();
    double worst = 0;
    try {
      f.to(100, [&] { worst = std::max(worst, std::abs(f.energy() / E0 - 1)); });
    } catch (const SolveError&) {
      worst = std::numeric_limits<double>::infinity();
    }
    EXPECT_GT(worst, 0.05) << h;
    Follower merged(ball, ball_start(), h, velocity_form(1e-8, 10));
    double kept = 0;
    merged.to(100, [&] { kept = std::max(kept, std::abs(merged.energy() / E0 - 1)); });
    EXPECT_LT(kept, 2e-3) << h;
  }
}

TEST(StaggeredBall, MergedStaysOnItsTrackForTwoHundredSeconds) {
  const Ball ball(0);
  for (const auto& [h, energy_bound, track_bound] : {std::array{0.1, 2.5e-3, 9e-3}, std::array{0.05, 3e-4, 3e-3}}) {
    Follower f(ball, ball_start(), h, velocity_form(1e-8, 10));
    f.look();
    const double E0 = f.energy();
    double energy = 0, off = 0;
    f.to(200, [&] {
      energy = std::max(energy, std::abs(f.energy() / E0 - 1));
      off = std::max(off, std::abs(f.state.q[1] - std::sin(f.state.q[0])));
    });
    EXPECT_LT(energy, energy_bound) << h;
    EXPECT_LT(off, track_bound) << h;
  }
}

// Centre of mass off the middle: DOP853 at 1e-12.
struct Known {
  double t, x, y;
  Eigen::Vector3d w, lambda;
};
const Known offset_reference[] = {
    {1, 1.274141, .956319, {-1.01119, 1.46176, .82564}, {-.24586, -1.96838, -4.86207}},
    {2, 3.062857, .078654, {-1.21376, -.17770, 1.54358}, {-.33515, -1.09865, -.79538}},
    {5, 8.004054, .988760, {-.45130, -1.10660, -1.34103}, {.46216, -.40532, -3.39250}},
    {10, 15.552876, .154466, {-1.39210, -.13069, 1.47610}, {-.29175, -1.11204, -.87168}},
};

TEST(StaggeredBall, WithItsMassOffTheMiddleMeetsTheReferenceWithSecondOrder) {
  const Ball ball(0.15 / 10.9);
  std::vector<double> errors, multipliers;
  for (const double h : {0.05, 0.025, 0.0125}) {
    Follower f(ball, ball_start(), h, velocity_form(1e-8));
    double worst = 0, worst_lambda = 0;
    for (const Known& known : offset_reference) {
      f.to(known.t);
      worst = std::max({worst, std::abs(f.state.q[0] - known.x), std::abs(f.state.q[1] - known.y),
                        (f.state.v.tail<3>() - known.w).cwiseAbs().maxCoeff()});
      // The multipliers of frames are those of the state itself.
      Evaluation e;
      e.resize(ball.pattern());
      ball.evaluate(f.state, need_dynamics, *f.scratch, e);
      const Eigen::SelfAdjointEigenSolver<Matrix> masses(e.problem.dense_M());
      EXPECT_GT(masses.eigenvalues().minCoeff(), 0.1);
      const Matrix A = e.problem.dense_A(), Y = e.problem.dense_M().llt().solve(A.transpose());
      const Eigen::Vector3d lambda = (A * Y).llt().solve(Y.transpose() * e.problem.Q - e.problem.b);
      worst_lambda = std::max(worst_lambda, (lambda - known.lambda).cwiseAbs().maxCoeff());
    }
    errors.push_back(worst);
    multipliers.push_back(worst_lambda);
  }
  EXPECT_LT(errors.back(), 4e-3);
  EXPECT_LT(multipliers.back(), 2e-3);
  EXPECT_NEAR(slope_of(multipliers[1], multipliers[2]), 2, 0.25);
  EXPECT_NEAR(slope_of(errors[0], errors[1]), 2, 0.25);
  EXPECT_NEAR(slope_of(errors[1], errors[2]), 2, 0.25);
}

TEST(StaggeredBall, WithItsMassOffTheMiddleStaysFiniteAtFifteenSamplesAPeriod) {
  const Ball ball(0.15 / 10.9);
  Follower f(ball, ball_start(), 0.2, velocity_form(1e-8));
  f.look();
  const double E0 = f.energy();
  double worst = 0;
  f.to(40, [&] { worst = std::max(worst, std::abs(f.energy() / E0 - 1)); });
  EXPECT_LT(worst, 0.02);
}

TEST(StaggeredBall, ConventionalChainIsOfFirstOrderAtBest) {
  for (const double r0 : {0.0, 0.15 / 10.9}) {
    const Ball ball(r0);
    StaggeredSettings own = velocity_form(1e-8);
    own.chains = "lagged";
    own.multipliers = "acceleration";
    double error[2];
    int k = 0;
    for (const double h : {0.1, 0.05}) {
      Follower f(ball, ball_start(), h, own);
      f.look();
      const double E0 = f.energy();
      try {
        f.to(20);
        error[k++] = std::abs(f.energy() / E0 - 1);
      } catch (const SolveError&) {
        error[k++] = 10;
      }
    }
    EXPECT_GT(error[0], 0.1);
    EXPECT_GT(error[1], 0.05);
  }
}

}  // namespace
}  // namespace mortise::integrate::staggered_test
