// What runs with contacts promise beside the motion: the same bits after a checkpoint and for any number of threads, no
// allocation, mistakes with their place.
#include <gtest/gtest.h>

#include "mortise/analysis/contacts.h"
#include "mortise/analysis/kinematics.h"
#include "mortise/analysis/simulation.h"
#include "mortise/analysis/statics.h"
#include "mortise/integrate/contact/contact_stepping.h"
#include "mortise/stabilize/stabilizer.h"
#include "support/allocation_counter.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

// Spheres, boxes and a jointed pair of rods above a floor.
std::string heap(int spheres) {
  return R"(mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  ball$i: {repeat: {i: )" +
         std::to_string(spheres) +
         R"(}, mass: 1, inertia: [0.004, 0.004, 0.004], at: [0.21*sin(i), 0.21*cos(1.7*i), 0.15 + 0.13*i],
           geometry: {skin: {sphere: 0.1}}}
  slab: {mass: 2, inertia: [0.03, 0.03, 0.05], at: [0, 0.6, 0.3], orientation: {rpy: [0.2, 0.1, 0]},
         geometry: {skin: {box: [0.4, 0.5, 0.2]}}}
  upper: {mass: 1, inertia: [0.03, 0.03, 0.003], at: [0.6, 0, 0.9], geometry: {skin: {capsule: [0.05, 0.4]}}}
  lower: {mass: 1, inertia: [0.03, 0.03, 0.003], at: [0.6, 0, 0.4], velocity: [0.3, 0, 0], geometry: {skin: {capsule: [0.05, 0.4]}}}
joints:
  knee: {type: revolute, between: [upper, lower], at: [0.6, 0, 0.65], axis: [0, 1, 0]}
forces:
  touch: {type: contact-rigid, ground: {floor: {plane: [0, 0, 1]}}, restitution: 0.3, friction: 0.4}
analysis: {until: 0.6, integrator: contact-stepping, step: 2e-3}
output: {every: 0.02, checkpoint: {steps: 60}}
)";
}

TEST(ContactRun, GoesOnWithTheSameBits) {
  const auto m = compile(heap(6));
  Recorder straight;
  run(*m, straight);
  ASSERT_GE(straight.checkpoints.size(), 3u);
  for (const Recorder::Saved& from : straight.checkpoints) {
    Recorder resumed;
    resumed.frames = straight.frames;
    run(*m, resumed, 0, &from.bytes);
    ASSERT_EQ(resumed.frames.size(), straight.frames.size()) << "from t = " << from.t;
    for (std::size_t j = 0; j < resumed.frames.size(); ++j) {
      ASSERT_EQ(difference(resumed.frames[j], straight.frames[j]), "") << "frame " << j;
      ASSERT_TRUE(same_bits(resumed.frames[j].inputs, straight.frames[j].inputs));
    }
  }
}

TEST(ContactRun, WithSpringsGoesOnWithTheSameBits) {
  const auto m = compile(R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  one: {mass: 1, inertia: 0.004, at: [0, 0.5], geometry: {skin: {sphere: 0.1}}}
  two: {mass: 2, inertia: 0.004, at: [0.05, 0.9], geometry: {skin: {sphere: 0.1}}}
forces:
  touch: {type: contact-spring, ground: {floor: {plane: [0, 1]}}, restitution: 0.6, stiffness: 1e5}
analysis: {until: 0.8}
output: {every: 0.02, checkpoint: {steps: 10}}
)");
  Recorder straight;
  run(*m, straight);
  ASSERT_GE(straight.events.size(), 9u);
  ASSERT_GE(straight.checkpoints.size(), 5u);
  for (std::size_t k = 0; k < straight.checkpoints.size(); k += 1 + straight.checkpoints.size() / 8) {
    Recorder resumed;
    resumed.frames = straight.frames;
    resumed.events = straight.events;
    run(*m, resumed, 0, &straight.checkpoints[k].bytes);
    ASSERT_EQ(resumed.frames.size(), straight.frames.size());
    for (std::size_t j = 0; j < resumed.frames.size(); ++j)
      ASSERT_EQ(difference(resumed.frames[j], straight.frames[j]), "") << "frame " << j;
  }
}

TEST(ContactRun, AllocatesNothingInAStepOnceItsContactsHaveBeenMet) {
  if (!allocations_are_counted()) GTEST_SKIP();
  const auto m = compile(heap(8));
  const auto formulation = gauss::make_formulation("auto");
  const auto stabilizer = stabilize::make_stabilizer("projection");
  Motion motion(*m, *formulation, *stabilizer, {});
  const model::AnalysisSettings& settings = m->model().analysis;
  integrate::ContactStepping stepper({1e-8, 2e-3, 0, 0});
  analysis::give_contacts(stepper, settings, *m);
  State state = m->initial_state();
  Vector y = Vector::Zero(motion.size());
  motion.pack(state, as_span(y));
  stepper.start(motion, 0, as_span(y));
  while (stepper.t() < 1.2) stepper.step(10);
  EXPECT_GE(stepper.points().size(), 8u);
  const AllocationCounter counter;
  for (int k = 0; k < 20; ++k) stepper.step(10);
  EXPECT_EQ(counter.count(), 0);
}

TEST(ContactRun, OfASimulationShowsForcesAndCanBeBranched) {
  const auto m = std::shared_ptr<const mechanism::Mechanism>(compile(heap(3)));
  analysis::Simulation sim(m);
  sim.advance_to(0.4);
  EXPECT_GT(sim.get("touch.force"), 0);
  const State branch = sim.state();
  sim.advance_to(0.6);
  const double there = sim.get("ball1.x");
  analysis::Simulation other(m);
  other.restore(branch);
  other.advance_to(0.6);
  EXPECT_EQ(other.get("ball1.x"), there);
}

void expect_code(const std::string& text, const std::string& code, int line) {
  try {
    const auto m = compile(text);
    Recorder recorder;
    run(*m, recorder);
    FAIL() << "expected " << code;
  } catch (const ModelError& error) {
    EXPECT_EQ(error.diagnostics().front().code, code) << error.what();
    EXPECT_EQ(error.diagnostics().front().place.line, line);
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, code) << error.what();
  }
}

std::string small(const std::string& forces, const std::string& analysis = "{until: 0.01}",
                  const std::string& more = "") {
  return "mortise: 1\ndimension: spatial\nbodies:\n"
         "  ball: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 1], geometry: {skin: {sphere: 0.1}}}\n"
         "  slab: {mass: 1, inertia: [1, 1, 1], at: [0, 1, 1], geometry: {skin: {box: [0.1, 0.1, 0.1]}}}\n"
         "  tin: {mass: 1, inertia: [1, 1, 1], at: [0, 2, 1], geometry: {skin: {cylinder: [0.1, 0.1]}}}\n"
         "  bare: {mass: 1, inertia: [1, 1, 1], at: [0, 3, 1], velocity: [0, 1, 0]}\n" +
         more + "forces:\n  touch: " + forces + "\nanalysis: " + analysis + "\n";
}

TEST(ContactRun, MistakesAreToldWithTheirPlace) {
  const std::string stepping = "{until: 0.01, integrator: contact-stepping, step: 1e-3}";
  const std::string floor = "ground: {floor: {plane: [0, 0, 1]}}";
  expect_code(small("{type: contact-rigid, bodies: bal, " + floor + "}", stepping), "M490", 9);
  expect_code(small("{type: contact-rigid, bodies: \"ball, bare\", " + floor + "}", stepping), "M491", 9);
  expect_code(small("{type: contact-rigid, bodies: tin, " + floor + "}", stepping), "M491", 9);
  expect_code(small("{type: contact-rigid, bodies: ball}", stepping), "M492", 9);
  expect_code(small("{type: contact-rigid, bodies: ball, ground: {floor: {plane: [0, 0, 0]}}}", stepping), "M496", 9);
  expect_code(small("{type: contact-rigid, bodies: ball, restitution: 2, " + floor + "}", stepping), "M464", 9);
  expect_code(small("{type: contact-spring, bodies: ball, " + floor + "}"), "M493", 9);
  expect_code(small("{type: contact-spring, bodies: ball, stiffness: 1, duration: 1, " + floor + "}"), "M493", 9);
  expect_code(small("{type: contact-spring, bodies: slab, stiffness: 1, ground: {wall: {box: [1, 1, 1]}}}"), "M494", 9);
  expect_code(small("{type: contact-rigid, bodies: ball, " + floor + "}", "{until: 0.01}"), "M495", 10);
  // Forces that need the reactions they cause.
  expect_code(small("{type: contact-rigid, bodies: ball, " + floor +
                        "}\n  rub: {type: friction, joint: hinge, coefficient: 0.1, radius: 0.1}",
                    stepping, "joints:\n  hinge: {type: revolute, between: [ground, bare], at: [0, 3, 1]}\n"),
              "S494", 0);
  expect_code(
      small("{type: contact-spring, bodies: ball, stiffness: 1e3, ground: {floor: {plane: [0, 0, 1], at: [0, 0, 2]}}}"),
      "S462", 0);
  // A damper that the step cannot follow.
  expect_code(
      small("{type: contact-rigid, bodies: ball, " + floor +
                "}\n  brake: {type: spring-damper-actuator, between: [ground, bare], damping: 1e7, stiffness: 0}",
            stepping),
      "S495", 0);
}

TEST(ContactRun, AnalysesThatWouldNotFeelContactsSaySo) {
  for (const char* item :
       {"{type: contact-rigid, bodies: ball, ground: {floor: {plane: [0, 0, 1]}}}",
        "{type: contact-spring, bodies: ball, stiffness: 1e3, ground: {floor: {plane: [0, 0, 1]}}}"}) {
    const auto m = compile(small(item));
    const auto code = [](const auto& analysis) {
      try {
        analysis();
      } catch (const ModelError& error) {
        return error.diagnostics().front().code;
      }
      return std::string("nothing");
    };
    EXPECT_EQ(code([&] { analysis::run_statics(*m); }), "M495");
    EXPECT_EQ(code([&] { analysis::run_kinematics(*m, {}); }), "M495");
  }
}

}  // namespace
}  // namespace mortise::test
