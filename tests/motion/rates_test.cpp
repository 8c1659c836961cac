// A motion as a flow: what is not finite is named, and nothing but (t, y) decides what comes next.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>

#include "mechanism/workbench.h"
#include "mortise/integrate/integrator.h"
#include "mortise/motion/motion.h"
#include "mortise/stabilize/stabilizer.h"
#include "support/allocation_counter.h"

namespace mortise::test {
namespace {

struct RateSolver {
  std::unique_ptr<gauss::Formulation> formulation;
  std::unique_ptr<Stabilizer> stabilizer;
  Motion motion;
  explicit RateSolver(const Mechanism& m, const char* formulation_name = "udwadia-kalaba",
                      const char* how = "projection")
      : formulation(gauss::make_formulation(formulation_name)),
        stabilizer(stabilize::make_stabilizer(how, {})),
        motion(m, *formulation, *stabilizer, {}) {}
};

std::unique_ptr<Mechanism> model_of(const std::string& name) {
  return Mechanism::compile(std::make_shared<const model::Model>(
      io::load_model(std::string(MORTISE_SOURCE_DIR "/examples/") + name + ".yaml", mechanism::catalogue())));
}

SolveReport rate_refusal(const Mechanism& m, double t, double poison = 0) {
  RateSolver solver(m);
  Vector y(solver.motion.size()), ydot(solver.motion.size());
  solver.motion.pack(m.initial_state(), as_span(y));
  y[0] += poison;
  try {
    solver.motion.rates(t, as_span(y), as_span(ydot));
  } catch (const SolveError& error) {
    return error.report();
  }
  return {};
}

std::string model(const std::string& rest) {
  return "mortise: 1\ndimension: planar\ngravity: [0, -9.81]\n"
         "bodies:\n  arm: {mass: 1, inertia: 1, at: [1, 0]}\n  bob: {type: particle, mass: 1}\n" +
         rest;
}

TEST(Rates, NameTheDriverWhoseFormulaIsNotFinite) {
  const auto m =
      compile(model("drivers:\n  motor: {type: coordinate, body: arm, coordinate: x, function: sqrt(1 - t)}\n"));
  EXPECT_EQ(rate_refusal(*m, 0.5).code, "");
  for (double t : {1.0, 2.0}) {  // at t = 1 the value is finite, its derivative is not
    const SolveReport report = rate_refusal(*m, t);
    EXPECT_EQ(report.code, "S410");
    EXPECT_EQ(report.time, t);
    EXPECT_NE(report.message.find("driver 'motor'"), std::string::npos) << report.message;
    EXPECT_EQ(report.place.line, 8) << "the place of the formula";
  }
}

TEST(Rates, NameTheForceWhoseFormulaIsNotFinite) {
  const auto m =
      compile(model("forces:\n  fine: {type: force, body: arm, value: [1, t]}\n"
                    "  wind: {type: force, body: bob, value: [log(1 - t), 0]}\n"));
  EXPECT_EQ(rate_refusal(*m, 0.5).code, "");
  const SolveReport report = rate_refusal(*m, 2);
  EXPECT_EQ(report.code, "S410");
  EXPECT_NE(report.message.find("force 'wind'"), std::string::npos) << report.message;
  EXPECT_EQ(report.place.line, 9);
}

TEST(Rates, NameTheJointThatHasNoDirection) {
  const auto m = compile(model("joints:\n  rod: {type: distance, between: [ground, bob], length: 1}\n"));
  const SolveReport report = rate_refusal(*m, 0);
  EXPECT_EQ(report.code, "S410");
  EXPECT_NE(report.message.find("joint 'rod'"), std::string::npos) << report.message;
}

TEST(Rates, NameTheBodyWhoseMotionIsNotFinite) {
  const auto m = compile(model("joints:\n  pin: {type: revolute, between: [ground, arm], at: [0, 0]}\n"));
  for (double poison : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const SolveReport report = rate_refusal(*m, 0, poison);
    EXPECT_EQ(report.code, "S410");
    EXPECT_NE(report.message.find("body 'arm'"), std::string::npos) << report.message;
  }
}

TEST(Rates, NameTheRowsThatLagrangeCannotSeparate) {
  const auto m = model_of("five-bar");
  RateSolver solver(*m, "lagrange");
  gauss::GaussSolution solution;
  solution.resize(m->pattern());
  State state = m->initial_state();
  try {
    solver.motion.accelerate(state, solution);
    FAIL() << "accepted dependent rows";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S421");
    EXPECT_NE(render(error.report()).find("F."), std::string::npos) << render(error.report());
  }
}

TEST(Rates, AllocateNothing) {
  if (!allocations_are_counted()) GTEST_SKIP() << "allocations are not counted in this build";
  for (const char* name : {"five-bar", "n-four-bar", "pendulum"}) {
    const auto m = model_of(name);
    RateSolver solver(*m);
    Vector y(solver.motion.size()), ydot(solver.motion.size());
    State state = m->initial_state();
    solver.motion.project(state, Motion::Start::fresh);
    solver.motion.pack(state, as_span(y));
    solver.motion.rates(0, as_span(y), as_span(ydot));
    solver.motion.settle(0, as_span(y));
    AllocationCounter heap;
    for (int k = 0; k < 20; ++k) {
      y[0] += 1e-9;
      solver.motion.rates(0.001 * k, as_span(y), as_span(ydot));
      solver.motion.settle(0.001 * k, as_span(y));
    }
    EXPECT_EQ(heap.count(), 0) << name;
  }
}

// Everything that decides the next step is in the integrator's memory: a Motion may be thrown away at any time.
std::vector<std::uint64_t> bits_after(const Mechanism& m, const char* integrator_name, bool new_motion_each_step) {
  auto solver = std::make_unique<RateSolver>(m);
  State state = m.initial_state();
  solver->motion.project(state, Motion::Start::fresh);
  Vector y(solver->motion.size());
  solver->motion.pack(state, as_span(y));
  const integrate::Settings settings{.tolerance = 1e-8, .step = 0.01};
  auto integrator = integrate::make_integrator(integrator_name, settings);
  integrator->start(solver->motion, 0, as_span(y));
  while (integrator->t() < 2) {
    integrator->step(2);
    if (!new_motion_each_step) continue;
    Memory memory;
    integrator->save(memory);
    integrator = integrate::make_integrator(integrator_name, settings);
    solver = std::make_unique<RateSolver>(m);
    integrator->load(solver->motion, memory);
  }
  std::vector<std::uint64_t> bits;
  for (double value : integrator->y()) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

TEST(Motion, MayBeThrownAwayBetweenStepsWithoutChangingABitOfTheRun) {
  for (const char* name : {"five-bar", "five-bar-crossing", "n-four-bar"}) {
    const auto m = model_of(name);
    for (const char* integrator : {"adams", "rk45", "rkv56", "rk78", "rk4"})
      EXPECT_EQ(bits_after(*m, integrator, true), bits_after(*m, integrator, false)) << name << ' ' << integrator;
  }
}

}  // namespace
}  // namespace mortise::test
