// The same motions by SUNDIALS: our bdf, and our own methods against CVODE's Adams and ARKODE's Dormand-Prince.
#include <gtest/gtest.h>

#ifdef MORTISE_HAVE_SUNDIALS

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <cmath>

#include "integrate/problems.h"
#include "mortise/error.h"

namespace mortise::integrate {
namespace {

using namespace test;

struct Outcome {
  double error = 0;
  double first =
      0;  // of the first component alone: the pendulum's angle at its turning point feels phase errors squared
  long evaluations = 0;
};

struct Context {
  Context() { SUNContext_Create(nullptr, &context); }
  ~Context() { SUNContext_Free(&context); }
  SUNContext context = nullptr;
};

int rates_of(realtype t, N_Vector y, N_Vector ydot, void* data) {
  auto* p = static_cast<Problem*>(data);
  const std::size_t n = p->y0.size();
  p->flow->rates(t, {N_VGetArrayPointer(y), n}, {N_VGetArrayPointer(ydot), n});
  return 0;
}

// Weights as ours; SUNDIALS takes the root mean square.
double tolerance_of_weights = 0;
int weights_of(N_Vector y, N_Vector w, void*) {
  for (sunindextype i = 0; i < N_VGetLength(y); ++i)
    NV_Ith_S(w, i) = 1 / (tolerance_of_weights * std::max(std::abs(NV_Ith_S(y, i)), 1.0));
  return 0;
}

N_Vector start_of(const Problem& p, SUNContext context) {
  N_Vector y = N_VNew_Serial(static_cast<sunindextype>(p.y0.size()), context);
  std::copy(p.y0.begin(), p.y0.end(), N_VGetArrayPointer(y));
  return y;
}

Outcome cvode_adams(Problem p, double tolerance) {
  Context c;
  tolerance_of_weights = tolerance;
  N_Vector y = start_of(p, c.context);
  void* mem = CVodeCreate(CV_ADAMS, c.context);
  CVodeInit(mem, rates_of, 0, y);
  CVodeWFtolerances(mem, weights_of);
  CVodeSetUserData(mem, &p);
  CVodeSetMaxNumSteps(mem, 10000000);
  CVodeSetStopTime(mem, p.until);
  SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(y, 0, c.context);
  CVodeSetNonlinearSolver(mem, solver);
  double t = 0;
  EXPECT_GE(CVode(mem, p.until, y, &t, CV_NORMAL), 0);
  const ConstSpan end(N_VGetArrayPointer(y), p.y0.size());
  const Outcome out{p.error_at_end(end), std::abs(end[0] - p.y0[0]), p.flow->evaluations};
  CVodeFree(&mem);
  SUNNonlinSolFree(solver);
  N_VDestroy(y);
  return out;
}

Outcome arkode_dormand_prince(Problem p, double tolerance) {
  Context c;
  tolerance_of_weights = tolerance;
  N_Vector y = start_of(p, c.context);
  void* mem = ERKStepCreate(rates_of, 0, y, c.context);
  ERKStepSetTableNum(mem, ARKODE_DORMAND_PRINCE_7_4_5);
  ERKStepWFtolerances(mem, weights_of);
  ERKStepSetUserData(mem, &p);
  ERKStepSetMaxNumSteps(mem, 100000000);
  ERKStepSetStopTime(mem, p.until);
  double t = 0;
  EXPECT_GE(ERKStepEvolve(mem, p.until, y, &t, ARK_NORMAL), 0);
  const ConstSpan end(N_VGetArrayPointer(y), p.y0.size());
  const Outcome out{p.error_at_end(end), std::abs(end[0] - p.y0[0]), p.flow->evaluations};
  ERKStepFree(&mem);
  N_VDestroy(y);
  return out;
}

Outcome ours(const char* name, Problem p, double tolerance) {
  const auto integrator = make_integrator(name, with_tolerance(tolerance));
  const double error = run(*integrator, p);
  return {error, std::abs(integrator->y()[0] - p.y0[0]), integrator->counters().evaluations};
}

TEST(Adams, IsInTheClassOfCvodeOnThePendulum) {
  double log_ratio = 0;
  int count = 0;
  for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}) {
    const Outcome a = ours("adams", pendulum(), tolerance), b = cvode_adams(pendulum(), tolerance);
    fmt::print("pendulum, 100 periods, tolerance {:.0e}, error of state and of angle (evaluations): ", tolerance);
    fmt::print("adams {:.1e}, {:.1e} ({}), CVODE Adams {:.1e}, {:.1e} ({})\n", a.error, a.first, a.evaluations, b.error,
               b.first, b.evaluations);
    EXPECT_LE(static_cast<double>(a.evaluations), 1.15 * static_cast<double>(b.evaluations));
    log_ratio += std::log10(a.error / b.error);
    ++count;
  }
  EXPECT_LE(log_ratio / count, 0.7);  // in the mean within a factor of five
}

TEST(Rk45, IsInTheClassOfArkodeOnThePendulum) {
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    const Outcome a = ours("rk45", pendulum(), tolerance), b = arkode_dormand_prince(pendulum(), tolerance);
    fmt::print("pendulum, 100 periods, tolerance {:.0e}: rk45 {:.1e} ({}), ARKODE {:.1e} ({})\n", tolerance, a.error,
               a.evaluations, b.error, b.evaluations);
    // At equal work of order 5: error · evaluations⁵.
    const double work = std::pow(static_cast<double>(a.evaluations) / static_cast<double>(b.evaluations), 5);
    EXPECT_LE(a.error * work, 5 * b.error);
  }
}

TEST(OwnMethods, AgreeWithSundialsWhereNoExactMotionIsKnown) {
  // Three masses on a ring of stiffening springs, driven.
  const auto make = [] {
    Problem p;
    p.flow = std::make_unique<TestFlow>(6, [](double t, ConstSpan y, Span f) {
      for (int i = 0; i < 3; ++i) {
        const double left = y[i] - y[(i + 2) % 3], right = y[i] - y[(i + 1) % 3];
        f[i] = y[3 + i];
        f[3 + i] = -left - left * left * left - right - right * right * right - 0.2 * y[i] - 0.05 * y[3 + i];
      }
      f[3] += std::sin(1.3 * t);
    });
    p.y0 = {1, 0, -0.5, 0, 0.3, 0};
    p.until = 10;
    return p;
  };
  Problem reference = make();
  const auto fine = make_integrator("rk45", with_tolerance(1e-13));
  run(*fine, reference);
  const std::vector<double> end(fine->y().begin(), fine->y().end());
  const auto with_end = [&] {
    Problem p = make();
    p.at_end = end;
    return p;
  };
  EXPECT_LE(ours("adams", with_end(), 1e-11).error, 1e-8);
  EXPECT_LE(ours("rk45", with_end(), 1e-11).error, 1e-8);
  EXPECT_LE(ours("bdf", with_end(), 1e-10).error, 1e-6);
  EXPECT_LE(cvode_adams(with_end(), 1e-11).error, 1e-8);
  EXPECT_LE(arkode_dormand_prince(with_end(), 1e-11).error, 1e-8);
}

TEST(Bdf, ErrorFollowsTolerance) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    EXPECT_LE(ours("bdf", oscillator(), tolerance).error, 1e3 * tolerance) << tolerance;
    EXPECT_LE(ours("bdf", top(true), tolerance).error, 1e3 * tolerance) << tolerance;
  }
}

// ẏ = −λ (y − cos t): explicit methods need steps of 3/λ.
TEST(Bdf, TakesLongStepsOnAStiffProblem) {
  const auto make = [] {
    Problem p;
    p.flow = std::make_unique<TestFlow>(1, [](double t, ConstSpan y, Span f) { f[0] = -1e5 * (y[0] - std::cos(t)); });
    p.y0 = {1.5};
    p.until = 10;
    p.exact = [](double t, Span y) { y[0] = std::cos(t) + 1e-5 * std::sin(t); };
    return p;
  };
  const Outcome stiff = ours("bdf", make(), 1e-6);
  EXPECT_LE(stiff.error, 1e-4);
  EXPECT_LE(stiff.evaluations, 2000);
}

TEST(Bdf, HoldsTheCircleByProjection) {
  Problem on = circle(true, 5), off = circle(false, 5);
  const auto projected = make_integrator("bdf", with_tolerance(1e-7));
  const auto drifting = make_integrator("bdf", with_tolerance(1e-7));
  projected->start(*on.flow, 0, on.y0);
  double worst = 0;
  while (projected->t() < on.until) {
    projected->step(on.until);
    worst = std::max(worst, off_the_circle(projected->y()));
  }
  const double error = on.error_at_end(projected->y()), error_off = run(*drifting, off);
  EXPECT_LE(worst, 1e-12);
  EXPECT_LE(error, 1.5 * error_off);
  EXPECT_LE(projected->counters().evaluations, 1.3 * static_cast<double>(drifting->counters().evaluations));
}

TEST(Bdf, DenseOutputIsOfTheTolerance) {
  Problem p = oscillator(10);
  const auto bdf = make_integrator("bdf", with_tolerance(1e-8));
  bdf->start(*p.flow, 0, p.y0);
  double y[2], worst = 0;
  while (bdf->t() < p.until) {
    bdf->step(p.until);
    const double at_end = std::abs(bdf->y()[0] - std::cos(bdf->t()));
    for (int i = 1; i < 50; ++i) {
      const double t = bdf->t_old() + (bdf->t() - bdf->t_old()) * i / 50;
      bdf->dense(t, y);
      worst = std::max(worst, std::abs(y[0] - std::cos(t)) - at_end);
    }
  }
  EXPECT_LE(worst, 1e-7);
}

TEST(Bdf, DoesNotRemember) {
  EXPECT_FALSE(make_integrator("bdf", Settings{})->remembers());
  EXPECT_TRUE(make_integrator("adams", Settings{})->remembers());
}

}  // namespace
}  // namespace mortise::integrate

#else

TEST(Sundials, IsNotInThisBuild) { GTEST_SKIP() << "no comparison: SUNDIALS is not installed"; }

#endif
