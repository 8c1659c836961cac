// Implicit steps with soft multipliers and with Baumgarte's feedback: the figures and claims of
// specs/nasa-4-stabilization.md §4 and §5.
#include <gtest/gtest.h>

#include <numbers>

#include "integrate/implicit_run.h"
#include "support/three_links.h"

namespace mortise::test {
namespace {

using integrate::ImplicitSettings;

double position_error_at_2(const ImplicitRun& run) {
  const Eigen::Vector2d exact(std::cos(PointPendulum::angle_at_2), std::sin(PointPendulum::angle_at_2));
  return (run.state.q - exact).norm();
}

// Largest and root mean square |φ| over 10 s, no correctors; the sheet's figures (§4.1).
TEST(Trapezoidal, LeavesOfThePendulumWhatTheSheetSays) {
  struct Case {
    ImplicitSettings how;
    double h, worst, rms;
  };
  const Case cases[] = {
      {scheme("history"), 0.02, 2.8e-3, 1.5e-3},          {scheme("history"), 0.01, 4.4e-4, 2.4e-4},
      {scheme("history"), 0.005, 6.0e-5, 3.3e-5},         {scheme("anchored"), 0.02, 6.6e-5, 3.8e-5},
      {scheme("anchored"), 0.01, 3.0e-5, 1.7e-5},         {scheme("anchored"), 0.005, 2.9e-5, 1.7e-5},
      {scheme("anchored", 1e-8), 0.01, 6.8e-6, 4.7e-6},   {scheme("anchored", 1e-8), 0.005, 1.0e-6, 5.9e-7},
      {baumgarte("explicit", 10), 0.02, 4.1e-3, 2.3e-3},  {baumgarte("explicit", 10), 0.01, 1.0e-3, 5.6e-4},
      {baumgarte("explicit", 10), 0.005, 2.5e-4, 1.4e-4}, {baumgarte("explicit", 20), 0.01, 5.2e-4, 3.2e-4},
      {baumgarte("explicit", 50), 0.005, 5.2e-5, 3.4e-5}, {baumgarte("implicit", 10), 0.01, 4.4e-4, 0},
      {baumgarte("implicit", 70), 0.01, 2.6e-5, 0},       {baumgarte("implicit", 200), 0.01, 7.8e-6, 0},
  };
  const PointPendulum pendulum;
  for (const Case& c : cases) {
    ImplicitRun run(pendulum, at_rest(1, 0), c.h, c.how);
    run.to(10);
    SCOPED_TRACE(c.how.scheme + " h " + std::to_string(c.h) + " eps " + std::to_string(c.how.epsilon) + " gain " +
                 std::to_string(c.how.alpha));
    EXPECT_NEAR(run.worst_phi, c.worst, 0.1 * c.worst);
    if (c.rms > 0) {
      EXPECT_NEAR(run.rms_phi(), c.rms, 0.1 * c.rms);
    }
  }
  for (const double gain : {50.0, 70.0}) {
    ImplicitRun run(pendulum, at_rest(1, 0), 0.01, baumgarte("explicit", gain));
    EXPECT_EQ(ended_by(run, 10), "S487") << "overflow, and it is said";
  }
  for (const double h : {0.02, 0.01, 0.005})
    for (const double gain : {5.0, 20.0, 50.0}) {
      ImplicitRun integral(pendulum, at_rest(1, 0), h, baumgarte("integral", gain));
      EXPECT_EQ(ended_by(integral, 10), "S487") << h << " " << gain;
    }
}

TEST(Trapezoidal, HasOrderTwoAndTheFloorOfItsEpsilon) {
  const PointPendulum pendulum;
  const double expected[] = {8.4e-3, 2.1e-3, 5.3e-4, 1.3e-4};
  double before = 0;
  for (int k = 0; k < 4; ++k) {
    ImplicitRun run(pendulum, at_rest(1, 0), 0.02 / (1 << k), scheme("anchored", 1e-8));
    run.to(2);
    const double error = position_error_at_2(run);
    EXPECT_NEAR(error, expected[k], 0.05 * expected[k]);
    if (k > 0) {
      EXPECT_NEAR(std::log2(before / error), 2, 0.1);
    }
    before = error;
  }
  ImplicitRun soft(pendulum, at_rest(1, 0), 0.005, scheme("anchored", 1e-6));
  soft.to(2);
  EXPECT_NEAR(soft.worst_phi, 1e-6 * soft.worst_lambda, 0.2e-6 * soft.worst_lambda);
  const auto worst = [&](const ImplicitSettings& how) {
    ImplicitRun run(pendulum, at_rest(1, 0), 0.01, how);
    return run.to(10).worst_phi;
  };
  const double anchored = worst(scheme("anchored")), history = worst(scheme("history")),
               explicit10 = worst(baumgarte("explicit", 10));
  EXPECT_LT(anchored, history);
  EXPECT_LT(history, explicit10);
}

// The iterated form ends at φ = ελ, of rows that depend on time too.
TEST(Trapezoidal, IteratedAnchorsEndAtEpsilonLambda) {
  for (const double a : {0.0, 0.3}) {
    const PointPendulum pendulum(1, a, 5);
    State start = at_rest(1, 0);
    start.v[0] = 5 * a;  // the middle moves off with a w
    for (const auto formula : {integrate::ImplicitFormula::trapezoidal, integrate::ImplicitFormula::backward_euler}) {
      ImplicitRun run(pendulum, start, 0.01, scheme("anchored-iterated", 1e-5, converged), formula, 1e-12);
      run.to(2, [&] {
        EXPECT_NEAR(run.evaluation.phi[0], 1e-5 * run.integrator.multipliers()[0],
                    1e-10 * std::max(1.0, std::abs(run.integrator.multipliers()[0])));
      });
      EXPECT_GT(run.worst_lambda, 5);
    }
  }
}

TEST(Trapezoidal, KeepsEnergyToOrderTwo) {
  const PointPendulum pendulum;
  const double history[] = {1.4e-2, 3.6e-3, 9.0e-4, 2.3e-4}, anchored[] = {4.7e-2, 9.5e-3, 2.1e-3, 4.9e-4};
  double before[2] = {0, 0};
  for (int k = 0; k < 4; ++k) {
    const double h = 0.02 / (1 << k);
    const char* names[] = {"history", "anchored"};
    for (int j = 0; j < 2; ++j) {
      ImplicitRun run(pendulum, at_rest(1, 0), h, scheme(names[j], 1e-8, converged), ImplicitRun::Formula::trapezoidal,
                      1e-10);
      const double error = run.to(10).worst_energy, expected = j == 0 ? history[k] : anchored[k];
      EXPECT_NEAR(error, expected, 0.2 * expected) << names[j] << " h " << h;
      if (k > 1) {
        EXPECT_NEAR(std::log2(before[j] / error), 2, 0.3) << names[j] << " h " << h;
      }
      before[j] = error;
    }
  }
}

TEST(Trapezoidal, NeedsFewerCorrectorsThanExplicitFeedback) {
  const PointPendulum pendulum;
  struct Cell {
    double tolerance, h, soft, by5, by10, by20;  // 0: fails
  };
  const Cell cells[] = {{1e-6, 0.05, 3.25, 7.1, 14.4, 0},
                        {1e-6, 0.02, 2.55, 3.6, 4.5, 7.2},
                        {1e-8, 0.05, 4.08, 10.5, 22.4, 0},
                        {1e-8, 0.01, 2.72, 3.9, 4.7, 6.0}};
  for (const Cell& c : cells) {
    const auto mean = [&](ImplicitSettings how) {
      how.correctors = converged;
      ImplicitRun run(pendulum, at_rest(1, 0), c.h, how, ImplicitRun::Formula::trapezoidal, c.tolerance);
      const std::string end = ended_by(run, 5);
      if (!end.empty()) {
        EXPECT_EQ(end, "S486");
      }
      return end.empty() ? run.mean_trials() : 0;
    };
    const double soft = mean(scheme("anchored"));
    EXPECT_NEAR(soft, c.soft, 0.1 * c.soft) << c.tolerance << " " << c.h;
    for (const auto& [gain, expected] : {std::pair{5.0, c.by5}, {10.0, c.by10}, {20.0, c.by20}}) {
      const double found = mean(baumgarte("explicit", gain));
      EXPECT_NEAR(found, expected, 0.1 * expected) << c.tolerance << " " << c.h << " " << gain;
      if (found > 0) {
        EXPECT_LE(soft, found);
      }
    }
  }
}

TEST(Trapezoidal, HoldsTheCrankToEpsilonLambda) {
  const Crank crank;
  const auto worst = [&](const ImplicitSettings& how, double T) {
    ImplicitRun run(crank, Crank::start(), 0.01, how);
    return run.to(T).worst_phi;
  };
  const double anchored = worst(scheme("anchored"), 0.82);
  EXPECT_NEAR(anchored, 1.1e-5, 0.1e-5);
  EXPECT_NEAR(worst(scheme("anchored"), 8.2), 1.5e-5, 0.1e-5);
  EXPECT_NEAR(worst(scheme("history"), 0.82), 1.1e-4, 0.1e-4);
  EXPECT_NEAR(worst(scheme("history"), 8.2), 2.8e-4, 0.2e-4);
  const double gains[] = {5, 10, 20, 30}, expected[] = {5.0e-4, 4.5e-4, 3.4e-4, 2.5e-4};
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(worst(baumgarte("explicit", gains[k]), 0.82), expected[k], 0.1 * expected[k]);
  EXPECT_GT(worst(baumgarte("explicit", 20), 0.82) / anchored, 20);
  const double implicit_gains[] = {10, 30, 70, 200}, by_implicit[] = {9.9e-5, 3.6e-5, 1.6e-5, 5.6e-6};
  for (int k = 0; k < 4; ++k)
    EXPECT_NEAR(worst(baumgarte("implicit", implicit_gains[k]), 0.82), by_implicit[k], 0.1 * by_implicit[k]);
  ImplicitRun overflow(crank, Crank::start(), 0.01, baumgarte("explicit", 70));
  EXPECT_EQ(ended_by(overflow, 0.82), "S487");
}

// Too small an ε without correctors lets the predictor's error of A grow; one corrector is enough.
TEST(Trapezoidal, SmallEpsilonWantsACorrector) {
  const Crank crank;
  for (const double epsilon : {1e-7, 1e-8, 1e-10}) {
    ImplicitRun none(crank, Crank::start(), 0.01, scheme("anchored", epsilon));
    EXPECT_EQ(ended_by(none, 2), "S487");
    ImplicitRun one(crank, Crank::start(), 0.01, scheme("anchored", epsilon, 1));
    EXPECT_NEAR(one.to(8.2).worst_phi, 5.6e-6, 0.1e-6) << epsilon;
  }
}

TEST(Trapezoidal, FindsThePeriodOfTheCrank) {
  const Crank crank;
  ImplicitRun run(crank, Crank::start(), 1e-3, scheme("anchored-iterated", 1e-9, 2));
  double period = 0, before = 0;
  run.to(0.83, [&] {
    const double now = run.state.q[0] - 2 * std::numbers::pi;
    if (before < 0 && now >= 0) period = run.integrator.t() - 1e-3 * now / (now - before);
    before = now;
  });
  EXPECT_NEAR(period, 0.82, 1e-4);
}

// A and b of the systems above by differences.
TEST(Trapezoidal, RowsOfTheSystemsAreTheirDerivatives) {
  const auto check = [](const System& system, const State& start) {
    State s = whole(system, start);
    std::fill(s.active.begin(), s.active.end(), static_cast<unsigned char>(1));
    for (int i = 0; i < s.q.size(); ++i) s.q[i] += 0.1 * std::sin(3.0 * i + 1), s.v[i] += std::cos(2.0 * i);
    std::unique_ptr<Scratch> scratch = system.make_scratch();
    Evaluation at, ahead, behind;
    for (Evaluation* e : {&at, &ahead, &behind}) e->resize(system.pattern());
    system.evaluate(s, need_dynamics, *scratch, at);
    const double d = 3e-6;
    const bool holonomic = system.pattern().rows[0].kind == gauss::RowKind::holonomic;
    const auto shifted = [&](double by, Evaluation& e) {
      State moved = s;
      moved.t += by;
      moved.q += by * s.v;
      system.evaluate(moved, need_dynamics, *scratch, e);
    };
    shifted(d, ahead);
    shifted(-d, behind);
    if (holonomic) {
      EXPECT_LT(((ahead.phi - behind.phi) / (2 * d) - at.phidot).lpNorm<Eigen::Infinity>(), 1e-8);
    }
    // φ̈ at a = 0 is −b.
    EXPECT_LT(((ahead.phidot - behind.phidot) / (2 * d) + at.problem.b).lpNorm<Eigen::Infinity>(), 1e-8);
  };
  check(PointPendulum(2, 0.3, 5), at_rest(1, 0));
  check(Crank(), Crank::start());
  check(PointSlider(), PointSlider::start());
  check(Blade(), Blade::start());
  check(ThreeLinks(), ThreeLinks::start());
  check(PinnedLinks(), PinnedLinks::start());
}

TEST(Trapezoidal, TurnsTheBladeOnTheIncline) {
  const Blade blade;
  const auto run_with = [&](const char* name, double h, integrate::ImplicitFormula formula) {
    auto run = std::make_unique<ImplicitRun>(blade, Blade::start(), h, scheme(name), formula);
    double lambda = 0;
    run->to(10, [&] {
      lambda = std::max(lambda, std::abs(run->integrator.multipliers()[0] - Blade::lambda(run->integrator.t())));
    });
    const double at_the_end = (run->state.q.head<2>() - Blade::place(10)).norm();
    return std::array{at_the_end, run->worst_phi, lambda, run->worst_lambda};
  };
  const auto rule = integrate::ImplicitFormula::trapezoidal;
  const double h[] = {0.1, 0.05, 0.025}, position[] = {1.52e-2, 3.80e-3, 9.5e-4}, anchored[] = {1.7e-4, 1.9e-5, 6e-7},
               history[] = {3.5e-3, 8.4e-4, 2.1e-4}, history_position[] = {2.4e-2, 6.2e-3, 1.6e-3},
               euler[] = {0.59, 0.30, 0.15};
  double before = 0;
  for (int k = 0; k < 3; ++k) {
    const auto newton = run_with("anchored-iterated", h[k], rule);
    EXPECT_NEAR(newton[0], position[k], 0.02 * position[k]);
    EXPECT_LT(newton[1], 1.05e-6 * newton[3]);
    EXPECT_LT(newton[2], 1e-5);
    if (k > 0) {
      EXPECT_NEAR(std::log2(before / newton[0]), 2, 0.1);
    }
    before = newton[0];
    EXPECT_NEAR(run_with("anchored", h[k], rule)[1], anchored[k], 0.15 * anchored[k]);
    const auto memory = run_with("history", h[k], rule);
    EXPECT_NEAR(memory[0], history_position[k], 0.05 * history_position[k]);
    EXPECT_NEAR(memory[1], history[k], 0.05 * history[k]);
    EXPECT_NEAR(run_with("anchored-iterated", h[k], integrate::ImplicitFormula::backward_euler)[0], euler[k],
                0.1 * euler[k]);
  }
}

TEST(Trapezoidal, SharesTheLoadOfRowsThatAreTheSame) {
  const PointPendulum one(1), two(2);
  // Halved ε: two rows of it are as soft as one.
  ImplicitRun single(one, at_rest(1, 0), 0.01, scheme("anchored-iterated", 0.5e-6, 2));
  ImplicitRun twice(two, at_rest(1, 0), 0.01, scheme("anchored-iterated", 1e-6, 2));
  single.to(10);
  double apart = 0;
  twice.to(10, [&] {
    const Vector& lambda = twice.integrator.multipliers();
    apart = std::max(apart, std::abs(lambda[0] - lambda[1]));
  });
  EXPECT_LT((single.state.q - twice.state.q).norm(), 1e-6);
  EXPECT_LT(apart, 1e-8);
  EXPECT_NEAR(twice.worst_phi, 1.7e-5, 0.3e-5);
  for (const char* how : {"explicit", "implicit"}) {
    ImplicitRun feedback(two, at_rest(1, 0), 0.01, baumgarte(how, 10));
    EXPECT_EQ(ended_by(feedback, 10), "S485") << how;
    EXPECT_EQ(feedback.integrator.t(), 0) << "at the first step";
  }
}

TEST(Trapezoidal, PassesTheDeadPoint) {
  const PointSlider slider;
  const double h[] = {0.01, 0.005, 0.002, 0.001}, expected[] = {-1.7520, -1.7504, -1.7500, -1.7499};
  for (int k = 0; k < 4; ++k) {
    ImplicitRun run(slider, PointSlider::start(), h[k], scheme("anchored-iterated", 1e-8, 3));
    run.to(1);
    EXPECT_NEAR(run.state.q[2], expected[k], 2e-4) << h[k];
    if (h[k] <= 0.002) {
      EXPECT_NEAR(run.state.q[2], PointSlider::x2_at_1, 5e-4);
    }
  }
}

// Another method altogether: Runge-Kutta of order eight on the rows' accelerations, projected.
TEST(Trapezoidal, AgreesWithARungeKuttaMethodThatProjects) {
  const auto far = [](const System& system, const State& start, double T, double h) {
    const auto formulation = gauss::make_formulation("auto");
    const auto projection = stabilize::make_stabilizer("projection");
    Motion motion(system, *formulation, *projection, {});
    State s = whole(system, start);
    Vector y(motion.size());
    motion.set_active(s.active);
    motion.pack(s, as_span(y));
    const auto exact = integrate::make_integrator("rk78", {.tolerance = 1e-11});
    exact->start(motion, 0, as_span(y));
    while (exact->t() < T) exact->step(T);
    ImplicitRun run(system, start, h, scheme("anchored-iterated", 1e-8, 3));
    run.to(T);
    return (as_vector(exact->y()).head(system.q_size()) - run.state.q).lpNorm<Eigen::Infinity>();
  };
  for (const double h : {0.01, 0.005}) {
    EXPECT_LT(far(PointPendulum(), at_rest(1, 0), 1, h), 10 * h * h);
    EXPECT_LT(far(Crank(), Crank::start(), 0.82, h), 10 * h * h);
    EXPECT_LT(far(ThreeLinks(), ThreeLinks::start(), 0.7, h), 10 * h * h);
  }
}

}  // namespace
}  // namespace mortise::test
