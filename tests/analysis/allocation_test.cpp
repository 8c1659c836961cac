// Heap allocations in a run: none in evaluation, solution, integration, projection and dense output once warm; a small
// constant number in a frame and in a checkpoint on their way to the disk.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "mortise/analysis/observe.h"
#include "mortise/io/results.h"
#include "mortise/stabilize/stabilizer.h"
#include "support/allocation_counter.h"
#include "support/memory_run.h"
#include "support/process.h"

namespace mortise::test {
namespace {

const char* const spatial_text = R"(mortise: 1
name: Spatial double pendulum
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  upper: {mass: 1, inertia: [0.02, 0.1, 0.1], at: [0.5, 0, 0], points: {tip: [0.5, 0, 0]}}
  lower: {mass: 2, inertia: [0.1, 0.02, 0.1], at: [1, 0.5, 0], angular_velocity: [3, 0, 0]}
joints:
  A: {type: universal, between: [ground, upper], at: [0, 0, 0], axis: [0, 0, 1], axis_second: [0, 1, 0]}
  B: {type: revolute, between: [upper, lower], at: [1, 0, 0], axis: [1, 0, 0]}
forces:
  spring: {type: spring-damper-actuator, between: [ground, upper.tip], stiffness: 5, damping: 0.1, force: 0.5*sin(3*t)}
)";

struct Subject {
  std::string name;
  std::unique_ptr<mechanism::Mechanism> mechanism;
};

std::vector<Subject> subjects() {
  std::vector<Subject> all;
  all.push_back({"five-bar", compile_example("five-bar")});
  all.push_back({"n-four-bar", compile_example("n-four-bar", {"N=5"})});
  all.push_back({"spatial", compile(spatial_text)});
  all.push_back({"gear-train", compile_example("gear-train")});
  all.push_back({"rolling-ball", compile_example("rolling-ball-offset")});
  all.push_back({"row", compile(R"(
mortise: 1
dimension: planar
gravity: [1, 0]
bodies:
  skate: {mass: 2, inertia: 0.1, angular_velocity: 1}
joints:
  J: {type: row, coefficients: {skate.vx: sin(skate.angle), skate.vy: -cos(skate.angle)}, constant: 0.1*sin(t)}
)")});
  return all;
}

// A mechanism in motion under one integrator; every part that a run has.
struct Rig {
  Rig(const mechanism::Mechanism& m, const std::string& integrator, const std::string& kind)
      : formulation(gauss::make_formulation("auto")),
        stabilizer(stabilize::make_stabilizer(kind, {})),
        motion(m, *formulation, *stabilizer, {}),
        observer(m, motion, true),
        stepper(integrate::make_integrator(integrator, {1e-8, integrator == "rk4" ? 0.002 : 0, 0, 0})),
        state(m.initial_state()),
        scratch(state),
        y(Vector::Zero(motion.size())) {
    analysis::assemble(m, state, {});
    motion.pack(state, as_span(y));
    stepper->start(motion, 0, as_span(y));
    observer.resize(frame);
  }
  // One step, and the motion in its middle.
  void step() {
    stepper->step(1e6);
    stepper->dense(0.5 * (stepper->t_old() + stepper->t()), as_span(y));
  }
  void observe() {
    motion.unpack(0.5 * (stepper->t_old() + stepper->t()), as_span(y), scratch);
    observer.observe(scratch, frame);
  }

  std::unique_ptr<gauss::Formulation> formulation;
  std::unique_ptr<Stabilizer> stabilizer;
  Motion motion;
  analysis::Observer observer;
  std::unique_ptr<integrate::Integrator> stepper;
  State state, scratch;
  Vector y;
  analysis::Frame frame;
};

TEST(Allocation, NoneInASteadyRun) {
  if (!allocations_are_counted()) GTEST_SKIP() << "not counted here";
  for (const Subject& subject : subjects())
    for (const char* integrator : {"adams", "rk45", "rkv56", "rk78", "rk4"})
      for (const auto& stabilizer : stabilize::stabilizers()) {
        // Baumgarte's feedback does not survive the flat poses of the four-bars; the longer steps of these get there.
        if (subject.name == "n-four-bar" && stabilizer.name == "baumgarte" &&
            (integrator == std::string("rkv56") || integrator == std::string("rk78")))
          continue;
        // Nor does a partition: at a flat pose every choice of dependent coordinates is singular.
        if (subject.name == "n-four-bar" && stabilizer.name == "partition") continue;
        // The springs of a penalty ring faster than these steps.
        if (stabilizer.name == "penalty" && integrator == std::string("rk4")) continue;
        Rig rig(*subject.mechanism, integrator, stabilizer.name);
        for (int k = 0; k < 200; ++k) rig.step();
        const AllocationCounter heap;
        for (int k = 0; k < 500; ++k) rig.step();
        EXPECT_EQ(heap.count(), 0) << subject.name << ", " << integrator << ", " << stabilizer.name;
      }
}

TEST(Allocation, NoneInFramesBeforeTheDisk) {
  if (!allocations_are_counted()) GTEST_SKIP() << "not counted here";
  for (const Subject& subject : subjects()) {
    Rig rig(*subject.mechanism, "adams", "projection");
    for (int k = 0; k < 50; ++k) rig.step(), rig.observe();
    const AllocationCounter heap;
    for (int k = 0; k < 200; ++k) rig.step(), rig.observe();
    EXPECT_EQ(heap.count(), 0) << subject.name;
  }
}

TEST(Allocation, FewInFramesAndCheckpointsOnTheDisk) {
  if (!allocations_are_counted()) GTEST_SKIP() << "not counted here";
  const Folder folder;
  for (const Subject& subject : subjects()) {
    Rig rig(*subject.mechanism, "adams", "projection");
    const std::string path = folder / (subject.name + ".h5");
    io::ResultWriter writer(path, {1e9, 1u << 20});
    writer.begin(rig.observer.header("test"));
    io::CheckpointWriter checkpoints(path, {1, 2});
    for (int k = 0; k < 50; ++k) rig.step(), rig.observe(), writer.frame(rig.frame);

    const AllocationCounter frames;
    for (int k = 0; k < 20; ++k) writer.frame(rig.frame);
    EXPECT_EQ(frames.count(), 0) << subject.name << ": a frame that goes into the buffer";

    const auto save = [&] {
      rig.stepper->save(rig.state.memory);
      writer.flush();
      checkpoints.write(rig.state, writer.frames());
    };
    save();
    save();
    long most = 0, least = 1 << 30;
    for (int k = 0; k < 20; ++k) {
      rig.step(), rig.observe(), writer.frame(rig.frame);
      const AllocationCounter heap;
      save();
      most = std::max(most, heap.count()), least = std::min(least, heap.count());
    }
    std::printf("%s: 0 allocations a frame, %ld to %ld a checkpoint with its flush\n", subject.name.c_str(), least,
                most);
    EXPECT_LT(most, 3000) << subject.name;
    writer.end({});
  }
}

}  // namespace
}  // namespace mortise::test
