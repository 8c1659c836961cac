// Acceptance checks of specs/nasa-3-natural-partitioning.md §5 that take whole mechanisms: the crank whose loop is
// closed by either null space (8), the manipulator and its second variant (9), forces and rest of the vehicle (10), the
// deployment of seven links (13).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "coordinates/random_machines.h"
#include "mortise/coordinates/natural.h"
#include "mortise/gauss/soft_factor.h"
#include "support/examples.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

using coordinates::CoordinateSettings;
using coordinates::Natural;

// ---- check 8: (a) multipliers of the reduced system, (b) a second null space, and all rows in absolute coordinates
struct Lifted {
  Vector a, lambda;
};

Lifted accelerate_by(const mechanism::Mechanism& m, const State& start, const char* accelerations,
                     const char* formulation) {
  CoordinateSettings settings;
  settings.accelerations = accelerations;
  const Natural natural(m, start, settings);
  State state;
  natural.lower(start, state);
  const auto scratch = natural.make_scratch();
  Evaluation e;
  e.resize(natural.pattern());
  natural.evaluate(state, need_dynamics, *scratch, e);
  const auto own = *formulation ? gauss::make_formulation(formulation) : nullptr;
  const auto factor = (own ? *own : *natural.formulation()).prepare(natural.pattern());
  gauss::GaussSolution s;
  s.resize(natural.pattern());
  EXPECT_TRUE(factor->factor(e.problem, {}));
  factor->solve(as_span(e.problem.Q), as_span(e.problem.b), s);
  Lifted out{Vector(m.v_size()), Vector(m.pattern().m())};
  natural.lift_solution(as_span(s.a), as_span(s.lambda), *scratch, as_span(out.a), as_span(out.lambda));
  return out;
}

TEST(NaturalChecks, CrankHasTheSameAccelerationsByMultipliersAndBySecondNullSpace) {
  double apart = 0, multipliers = 0;
  for (const double angle : {0.3, 1.2, 2.5, 4.4}) {
    const auto m = compile(fmt::format(R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
parameters: {{a: {}, r: 0.3, l: 1, w: 8, b: -asin(r*sin(a)/l), wb: -w*r*cos(a)/(l*cos(b))}}
bodies:
  crank: {{mass: 1, inertia: 1*r^2/12, at: [r*cos(a)/2, r*sin(a)/2], angle: a, angular_velocity: w}}
  rod: {{mass: 2, inertia: 2*l^2/12, at: [r*cos(a) + l*cos(b)/2, r*sin(a)/2], angle: b, angular_velocity: wb}}
  block: {{mass: 1.5, inertia: 0.05, at: [r*cos(a) + l*cos(b), 0]}}
joints:
  main: {{type: revolute, between: [ground, crank], at: [0, 0]}}
  pin: {{type: revolute, between: [crank, rod], at: [r*cos(a), r*sin(a)]}}
  wrist: {{type: revolute, between: [rod, block], at: [r*cos(a) + l*cos(b), 0]}}
  guide: {{type: prismatic, between: [ground, block], at: [r*cos(a) + l*cos(b), 0], axis: [1, 0]}}
analysis: {{until: 1}}
)",
                                       angle));
    State start = m->initial_state();
    start.v[2] = 8;  // of the crank; the others follow from the rows
    Probe probe(*m);
    const auto formulation = gauss::make_formulation("lagrange");
    const auto factor = formulation->prepare(m->pattern());
    gauss::GaussSolution s;
    s.resize(m->pattern());
    // Velocities as the joints allow: those of natural coordinates, lifted.
    CoordinateSettings plain;
    const Natural natural(*m, start, plain);
    State own;
    natural.lower(start, own);
    Evaluation e;
    e.resize(natural.pattern());
    const auto scratch = natural.make_scratch();
    natural.evaluate(own, need_dynamics, *scratch, e);
    const Matrix G = e.problem.dense_A();
    const Vector wrong = G * own.v;
    own.v -= G.completeOrthogonalDecomposition().solve(wrong);
    natural.lift(own, start);
    const Evaluation& full = probe(start);
    ASSERT_TRUE(factor->factor(full.problem, {}));
    factor->solve(as_span(full.problem.Q), as_span(full.problem.b), s);
    for (const auto& [accelerations, name] : {std::pair{"recursion", ""},
                                              {"conjugate-gradients", ""},
                                              {"", "kim-vanderploeg"},
                                              {"", "singh-likins"},
                                              {"", "orthogonal-complement"}}) {
      const Lifted found = accelerate_by(*m, start, accelerations, name);
      apart = std::max(apart, (found.a - s.a).norm() / s.a.norm());
      multipliers = std::max(multipliers, (found.lambda - s.lambda).norm() / s.lambda.norm());
    }
  }
  std::printf("crank and slider: accelerations %.1e apart, multipliers %.1e\n", apart, multipliers);
  EXPECT_LT(apart, 1e-11);
  EXPECT_LT(multipliers, 1e-11);
}

// ---- (c) rows held softly along the tree, and by elimination: against matrices written out
TEST(NaturalChecks, SoftRowsAlongTheTreeAreThoseOfTheMatrices) {
  for (const char* model : {"vehicle-drop", "five-bar", "bricard", "manipulator-tip-speed"}) {
    const auto m = compile_example(model);
    const State start = m->initial_state();
    const Natural formed(*m, start, {});
    State state;
    formed.lower(start, state);
    const auto scratch = formed.make_scratch();
    Evaluation matrices;
    matrices.resize(formed.pattern());
    formed.evaluate(state, need_dynamics, *scratch, matrices);
    const Matrix M = matrices.problem.dense_M(), G = matrices.problem.dense_A();
    const int rows = formed.pattern().m();
    Vector kappa(rows), r(rows), x(M.rows());
    for (int i = 0; i < rows; ++i) kappa[i] = 1e-3 * (1 + i % 3), r[i] = std::sin(i + 1.0);
    for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = std::cos(static_cast<double>(i));
    const Matrix S = G * M.llt().solve(G.transpose()) + Matrix(kappa.asDiagonal());
    const Vector wanted = S.llt().solve(r), divided = M.llt().solve(x);
    for (const char* accelerations : {"", "recursion", "factor", "conjugate-gradients"}) {
      CoordinateSettings settings;
      settings.accelerations = accelerations;
      settings.tolerance = 1e-13;
      const Natural natural(*m, start, settings);
      const auto own = natural.make_scratch();
      Evaluation e;
      e.resize(natural.pattern());
      natural.evaluate(state, need_dynamics, *own, e);
      const auto factor = gauss::make_soft_factor(natural.pattern(), e.problem);
      Vector lambda(rows), y(x.size());
      ASSERT_TRUE(factor->factor_soft(e.problem, {}, as_span(kappa)));
      factor->solve_soft(as_span(r), as_span(lambda));
      EXPECT_LT((lambda - wanted).norm(), 1e-10 * wanted.norm()) << model << " " << accelerations;
      ASSERT_TRUE(factor->factor_mass(e.problem, {}));
      factor->divide_by_mass(as_span(x), as_span(y));
      EXPECT_LT((y - divided).norm(), 1e-10 * divided.norm()) << model << " " << accelerations;
    }
  }
}

// ---- check 9
TEST(NaturalChecks, ManipulatorHasTheLargestRatesOfInverseKinematics) {
  const Recording r = run_example("manipulator-tip-speed", {"analysis.tolerance=1e-11", "output.every=0.1"});
  struct Peak {
    const char* joint;
    double rate, at, acceleration;
  };
  for (const Peak& p : {Peak{"yaw", 7.716e-3, 93.2, 1.337e-4}, Peak{"shoulder", 5.846e-3, 66.7, 1.405e-4},
                        Peak{"elbow", 6.220e-3, 118.3, 1.568e-4}}) {
    const auto rate = r.history(std::string(p.joint) + ".rate");
    std::size_t best = 0;
    double fastest = 0;
    for (std::size_t k = 0; k < rate.size(); ++k) {
      if (std::abs(rate[k]) > std::abs(rate[best])) best = k;
      if (k > 0 && k + 1 < rate.size()) fastest = std::max(fastest, std::abs(rate[k + 1] - rate[k - 1]) / 0.2);
    }
    EXPECT_NEAR(std::abs(rate[best]), p.rate, 0.6e-6) << p.joint;
    EXPECT_NEAR(r.frames[best].t, p.at, 0.11) << p.joint;
    EXPECT_NEAR(fastest, p.acceleration, 0.1e-6) << p.joint;
  }
  const auto x = r.history("fore.tip.vx"), y = r.history("fore.tip.vy"), z = r.history("fore.tip.vz");
  double speed = 0;
  for (std::size_t k = 0; k < x.size(); ++k) speed = std::max(speed, std::hypot(x[k], y[k], z[k]));
  EXPECT_NEAR(speed, 0.060739, 1e-6);
}

// Nearer to the source: the post on a ball, five rates in the tree, two left free by the rows of the tip.
TEST(NaturalChecks, ManipulatorOnABallKeepsTwoFreeMotionsAndItsPowerBalance) {
  const auto with = [](const Settings& settings) {
    Settings all{"analysis.tolerance=1e-11", "output.every=1", "analysis.until=180",
                 "joints.yaw={type: spherical, between: [ground, post], at: [0, 0, 0]}"};
    all.insert(all.end(), settings.begin(), settings.end());
    return run_example("manipulator-tip-speed", all);
  };
  const Recording natural = with({}), absolute = with({"analysis.coordinates=absolute"});
  std::string remarks;
  for (const std::string& line : natural.result.remarks) remarks += line + "\n";
  EXPECT_NE(remarks.find("5 independent velocities"), std::string::npos) << remarks;
  double apart = 0, power = 0;
  for (const char* q : {"post.x", "post.y", "upper.x", "upper.z", "fore.x", "fore.y", "fore.z"}) {
    const auto a = natural.history(q), b = absolute.history(q);
    for (std::size_t k = 0; k < a.size(); ++k) apart = std::max(apart, std::abs(a[k] - b[k]));
  }
  for (const analysis::Frame& f : natural.frames)
    power = std::max(power, std::abs(f.kinetic - natural.frames.front().kinetic - f.constraint_work));
  const double tip =
      Eigen::Vector3d(natural.last("fore.tip.x") - 3, natural.last("fore.tip.y") - 5, natural.last("fore.tip.z") - 6)
          .norm();
  std::printf("manipulator on a ball: tip off by %.1e m, energy less work %.1e J, absolute coordinates %.1e m apart\n",
              tip, power, apart);
  EXPECT_LT(tip, 1e-6);
  EXPECT_LT(power, 1e-8);
  EXPECT_LT(apart, 1e-5);
}

// ---- check 10: §4.5
TEST(NaturalChecks, VehicleHasTheForcesOfTheSheetAndComesToRestOnItsWeight) {
  const Recording r = run_example("vehicle-drop", {"output.every=0.0005"});
  const auto peak = [&](const char* quantity, double& at) {
    const auto h = r.history(quantity);
    const auto best =
        std::max_element(h.begin(), h.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    at = r.frames[static_cast<std::size_t>(best - h.begin())].t;
    return std::abs(*best);
  };
  double at = 0;
  EXPECT_NEAR(peak("fl_tyre.force", at), 19348, 2);
  EXPECT_NEAR(at, 0.513, 1.1e-3);
  EXPECT_NEAR(peak("rl_tyre.force", at), 19723, 2);
  double strut = 0, compression = 0;
  for (const char* corner : {"fl", "fr", "rl", "rr"})
    strut = std::max(strut, peak((std::string(corner) + "_strut.force").c_str(), at));
  EXPECT_NEAR(strut, 13512, 0.01 * 13512);
  const double free = std::hypot(0.1, 0.51);
  for (const double length : r.history("fl_strut.length")) compression = std::max(compression, free - length);
  EXPECT_NEAR(compression, 0.1867, 1e-4);
  const auto z = r.history("chassis.z");
  const auto lowest = std::min_element(z.begin(), z.end());
  EXPECT_NEAR(*lowest, 0.01406, 1e-5);
  EXPECT_NEAR(r.frames[static_cast<std::size_t>(lowest - z.begin())].t, 0.510, 1.1e-3);
  const auto tyre = r.history("fl_tyre.force");
  const auto first = std::find_if(tyre.begin(), tyre.end(), [](double force) { return force != 0; });
  const double touched = r.frames.at(static_cast<std::size_t>(first - tyre.begin())).t;
  EXPECT_NEAR(touched, std::sqrt(1.2 / 9.81), 1e-3);
  std::printf("vehicle: strut %.1f N, compression %.5f m, lowest %.6f m, touches at %.4f s\n", strut, compression,
              *lowest, touched);

  const Recording settled = run_example("vehicle-drop", {"analysis.until=12", "output.every=12"});
  double carried = 0;
  for (const char* corner : {"fl", "fr", "rl", "rr"}) carried += settled.last(std::string(corner) + "_tyre.force");
  std::printf("at rest: tyres carry %.6f N of 13341.6 N\n", carried);
  EXPECT_NEAR(carried, 1360 * 9.81, 1e-6 * 1360 * 9.81);
}

// The line of the issue: wheels and chassis by natural partitioning, sparse Lagrange and the staggered procedure.
TEST(NaturalChecks, VehicleCurvesAgreeToATenThousandthOfTheirRange) {
  const auto with = [](Settings settings) {
    settings.emplace_back("output.every=0.005");
    return run_example("vehicle-drop", settings);
  };
  const Recording natural = with({});
  const std::string two_stages = "analysis.integrator=staggered-explicit-implicit", step = "analysis.step=0.00025";
  const std::pair<const char*, Recording> others[] = {
      {"sparse", with({"analysis.coordinates=absolute", "analysis.formulation=sparse"})},
      {"staggered, absolute", with({"analysis.coordinates=absolute", two_stages, step})},
      {"staggered, natural", with({two_stages, step})}};
  for (const auto& [name, other] : others) {
    double worst = 0;
    for (const char* body : {"chassis", "fl_wheel", "fr_wheel", "rl_wheel", "rr_wheel"}) {
      double range = 0, off = 0;  // of a body: that of its largest coordinate
      for (const char* end : {".x", ".y", ".z"}) {
        const auto a = natural.history(std::string(body) + end), b = other.history(std::string(body) + end);
        const auto [low, high] = std::minmax_element(a.begin(), a.end());
        range = std::max(range, *high - *low);
        for (std::size_t k = 0; k < a.size(); ++k) off = std::max(off, std::abs(a[k] - b[k]));
      }
      EXPECT_GT(range, 0.3);
      worst = std::max(worst, off / range);
    }
    std::printf("vehicle, natural against %-20s %.1e of the range\n", name, worst);
    EXPECT_LT(worst, 1e-4) << name;
  }
}

// ---- seven links: locks on the way, at the last a row too many
TEST(NaturalChecks, SevenLinksDeployAndLockInAllWays) {
  const Recording exact =
      run_example("seven-link-deployment",
                  {"analysis.integrator=adams", "analysis.stabilize=projection", "analysis.tolerance=1e-11"});
  ASSERT_EQ(exact.result.events.size(), 6u);
  const double sheet_like[] = {0.319737257, 0.746976539, 1.06231498, 1.26704116, 1.56780484, 1.64117143};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(exact.result.events[k].t, sheet_like[k], 1e-7);
  struct Way {
    const char* name;
    Settings settings;
    double times, angle;
  };
  const std::string two_stages = "analysis.integrator=staggered-explicit-implicit";
  const std::string natural = "analysis.coordinates=natural", adams = "analysis.integrator=adams",
                    projection = "analysis.stabilize=projection";
  const Way ways[] = {
      {"natural, adams", {natural, adams, projection, "analysis.tolerance=1e-11"}, 1e-8, 1e-8},
      {"staggered", {two_stages, "analysis.step=0.001"}, 5e-5, 2e-4},
      {"staggered, natural", {two_stages, natural, "analysis.step=0.001"}, 5e-5, 2e-4},
      {"trapezoidal, soft rows", {"analysis.integrator=trapezoidal", "analysis.step=0.001"}, 1e-4, 1e-3},
      {"generalized-alpha", {"analysis.integrator=generalized-alpha", projection, "analysis.step=0.001"}, 5e-5, 5e-4}};
  for (const Way& way : ways) {
    const Recording r = run_example("seven-link-deployment", way.settings);
    ASSERT_EQ(r.result.events.size(), 6u) << way.name;
    double time = 0, violation = 0, torque = 0;
    for (std::size_t k = 0; k < 6; ++k)
      time = std::max(time, std::abs(r.result.events[k].t - exact.result.events[k].t));
    for (const analysis::Frame& f : r.frames) violation = std::max(violation, f.position_error);
    for (const double t : r.history("lock1.reaction.tz")) torque = std::max(torque, std::abs(t));
    const double angle = std::abs(r.last("link0.angle") - exact.last("link0.angle"));
    std::printf("%-24s locks off by %.1e s, angle by %.1e, rows %.1e, torque of the lock up to %.3f N m\n", way.name,
                time, angle, violation, torque);
    EXPECT_LT(time, way.times) << way.name;
    EXPECT_LT(angle, way.angle) << way.name;
    EXPECT_LT(torque, 10) << way.name;
  }
  // Feedback that is as good as it can be drives A M⁻¹Aᵀ to singular with the last lock.
  try {
    run_example("seven-link-deployment", {"analysis.integrator=trapezoidal", "analysis.stabilize=baumgarte"});
    FAIL() << "Baumgarte's feedback passed the dependent rows";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S485");
    EXPECT_NEAR(error.report().time, 1.64, 0.05);
  }
}

}  // namespace
}  // namespace mortise::test
