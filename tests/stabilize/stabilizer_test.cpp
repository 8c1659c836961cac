// Stabilisations do what their equations say: Baumgarte's oscillator, projection to rounding, drift without any.
#include "mortise/stabilize/stabilizer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechanism/machines.h"
#include "mortise/integrate/integrator.h"
#include "mortise/motion/motion.h"

namespace mortise::test {
namespace {

struct Trace {
  Vector phi, phidot;    // at the end
  Violation worst;       // over all steps
  Violation after_half;  // at the first step past half of the time
  Violation end;
};

Trace follow(const Mechanism& m, const State& start, const std::string& how, const stabilize::Gains& gains,
             double until, double tolerance, const std::vector<stabilize::Gains>& row_gains = {}) {
  const auto formulation = gauss::make_formulation("udwadia-kalaba");
  const auto stabilizer = stabilize::make_stabilizer(how, {.gains = gains, .row_gains = row_gains});
  Motion motion(m, *formulation, *stabilizer, {});
  Vector y(motion.size());
  motion.pack(start, as_span(y));
  auto integrator = integrate::make_integrator("rk45", {.tolerance = tolerance});
  integrator->start(motion, 0, as_span(y));
  Trace trace;
  Evaluator evaluator(m);
  State state = start;
  bool half = false;
  while (integrator->t() < until) {
    integrator->step(until);
    motion.unpack(integrator->t(), integrator->y(), state);
    trace.end = motion.violation(evaluator.evaluate(state));
    trace.worst.position = std::max(trace.worst.position, trace.end.position);
    trace.worst.velocity = std::max(trace.worst.velocity, trace.end.velocity);
    if (!half && integrator->t() >= until / 2) {
      trace.after_half = trace.end;
      half = true;
    }
  }
  trace.phi = evaluator.evaluation.phi;
  trace.phidot = evaluator.evaluation.phidot;
  return trace;
}

const char* const pendulum = R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies: {arm: {mass: 1, inertia: [0.1, 0.2, 0.25], at: [0.6, 0.1, 0], center: [0.1, 0, 0.05]}}
joints: {pin: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0.2]}}
)";

// φ(0) = φ₀, φ̇(0) = φ̇₀ of φ̈ + 2α φ̇ + β² φ = 0.
std::pair<double, double> oscillator(double alpha, double beta, double x, double v, double t) {
  const double e = std::exp(-alpha * t);
  if (alpha == beta) {
    const double c = v + alpha * x;
    return {e * (x + c * t), e * (c - alpha * (x + c * t))};
  }
  const double w = std::sqrt(beta * beta - alpha * alpha), s = (v + alpha * x) / w;
  const double value = e * (x * std::cos(w * t) + s * std::sin(w * t));
  return {value, -alpha * value + e * w * (s * std::cos(w * t) - x * std::sin(w * t))};
}

TEST(Baumgarte, ErrorOfHolonomicRowsIsTheDampedOscillator) {
  const auto m = compile(pendulum);
  Random random(1);
  for (const stabilize::Gains& gains : {stabilize::Gains{10, 10, 10}, stabilize::Gains{2, 10, 10}}) {
    State start = m->initial_state();
    const Vector step = random_vector(random, 6, 1e-3);
    m->retract(as_span(start.q), as_span(step), as_span(start.q));
    start.v = random_vector(random, 6, 1e-2);
    Evaluator evaluator(*m);
    const Evaluation before = evaluator.evaluate(start);
    for (double t : {0.05, 0.2, 0.6}) {
      const Trace trace = follow(*m, start, "baumgarte", gains, t, 1e-12);
      for (int i = 0; i < 5; ++i) {
        const auto [phi, phidot] = oscillator(gains.alpha, gains.beta, before.phi[i], before.phidot[i], t);
        EXPECT_NEAR(trace.phi[i], phi, 1e-11) << "row " << i << " at " << t;
        EXPECT_NEAR(trace.phidot[i], phidot, 1e-10) << "row " << i << " at " << t;
      }
    }
  }
}

TEST(Baumgarte, ErrorOfNonholonomicRowsDecaysWithGamma) {
  const auto m = compile(R"(
mortise: 1
dimension: planar
bodies: {sledge: {mass: 2, inertia: 0.5, center: [0.2, 0], velocity: [1, 0.05], angular_velocity: 0.7}}
joints: {blade: {type: knife-edge, between: [ground, sledge], at: [0, 0], axis: [1, 0]}}
)");
  const State start = m->initial_state();
  const double before = Evaluator(*m).phidot(start)[0];
  EXPECT_NEAR(before, 0.05, 1e-15);
  for (double gamma : {3.0, 10.0})
    EXPECT_NEAR(follow(*m, start, "baumgarte", {10, 10, gamma}, 0.3, 1e-12).phidot[0], before * std::exp(-gamma * 0.3),
                1e-11);
  EXPECT_NEAR(follow(*m, start, "none", {}, 0.3, 1e-12).phidot[0], before, 1e-11);
  EXPECT_LT(std::abs(follow(*m, start, "projection", {}, 0.3, 1e-12).phidot[0]), 1e-14);
}

TEST(Baumgarte, JointsMayHaveGainsOfTheirOwn) {
  const auto m = compile(pendulum);
  Random random(1);
  State start = m->initial_state();
  const Vector step = random_vector(random, 6, 1e-3);
  m->retract(as_span(start.q), as_span(step), as_span(start.q));
  const Evaluation before = Evaluator(*m).evaluate(start);
  std::vector<stabilize::Gains> gains(5, stabilize::Gains{10, 10, 10});
  gains[0] = {4, 4, 10};
  gains[3] = {2, 10, 10};
  const double t = 0.3;
  const Trace trace = follow(*m, start, "baumgarte", {}, t, 1e-12, gains);
  for (std::size_t i = 0; i < 5; ++i) {
    const Eigen::Index row = static_cast<Eigen::Index>(i);
    EXPECT_NEAR(trace.phi[row], oscillator(gains[i].alpha, gains[i].beta, before.phi[row], before.phidot[row], t).first,
                1e-11);
  }
}

TEST(Stabilizers, NoneDriftsBaumgarteBoundsAndProjectionStaysAtRounding) {
  const auto m = compile(SpatialFourBar{}.text());
  const State start = m->initial_state();
  const double tolerance = 1e-7, until = 6;
  const Trace none = follow(*m, start, "none", {}, until, tolerance);
  const Trace damped = follow(*m, start, "baumgarte", {10, 10, 10}, until, tolerance);
  const Trace projected = follow(*m, start, "projection", {}, until, tolerance);
  EXPECT_GT(none.end.position, 1.5 * none.after_half.position) << "drift grows";
  EXPECT_GT(none.end.position, 1e-8);
  EXPECT_LT(damped.end.position, 0.1 * none.end.position);
  EXPECT_LT(projected.worst.position, 1e-14);
  EXPECT_LT(projected.worst.velocity, 1e-14);
  RecordProperty("none", testing::PrintToString(none.end.position));
  RecordProperty("baumgarte", testing::PrintToString(damped.end.position));
  RecordProperty("projection", testing::PrintToString(projected.worst.position));
}

TEST(Stabilizers, AreKnownByName) {
  for (const stabilize::StabilizerEntry& entry : stabilize::stabilizers())
    EXPECT_EQ(stabilize::make_stabilizer(entry.name, {})->name(), entry.name);
  EXPECT_THROW(stabilize::make_stabilizer("baumgart", {}), std::invalid_argument);
}

}  // namespace
}  // namespace mortise::test
