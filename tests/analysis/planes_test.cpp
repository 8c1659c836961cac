// Bodies held in planes, in motion: alone, and joined to free bodies.
#include <gtest/gtest.h>

#include "mortise/analysis/quantity.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

struct PlaneOutcome {
  std::unique_ptr<mechanism::Mechanism> m;
  Recorder recorder;

  explicit PlaneOutcome(const std::string& text) : m(compile(text)) { run(*m, recorder); }

  double value(std::size_t frame, const std::string& name) const {
    const analysis::Frame& f = recorder.frames[frame];
    mechanism::Motions motions;
    m->motions(as_span(f.q), as_span(f.v), motions);
    return analysis::find_quantity(*m, name).value(f, motions);
  }
};

// The same four-bar twice: a planar model, and spatial bodies held in a tilted plane with spatial revolutes, whose
// rows out of the plane are empty.
TEST(BodiesInPlanes, MoveAsThePlanarModelInATiltedPlane) {
  const char* planar = R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, inertia: 0.1, at: [0, 0.5], angle: 90 deg}
  coupler: {mass: 2, inertia: 0.4, at: [1, 1.25], angle: 0.4}
  rocker: {mass: 1.5, inertia: 0.3, at: [2, 0.75], angle: 90 deg}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0]}
  B: {type: revolute, between: [crank, coupler], at: [0, 1]}
  C: {type: revolute, between: [coupler, rocker], at: [2, 1.5]}
  D: {type: revolute, between: [rocker, ground], at: [2, 0]}
analysis: {until: 3, tolerance: 1e-11}
output: {every: 0.5}
)";
  // Plane x–z of the world: x → x, y → z.
  const char* spatial = R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], plane: [0, 1, 0], at: [0, 3, 0.5]}
  coupler: {mass: 2, inertia: [0.4, 0.4, 0.4], plane: [0, -1, 0], at: [1, 3, 1.25]}
  rocker: {mass: 1.5, inertia: [0.3, 0.3, 0.3], plane: [0, 1, 0], at: [2, 3, 0.75]}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 3, 0], axis: [0, 1, 0]}
  B: {type: revolute, between: [crank, coupler], at: [0, 3, 1], axis: [0, 1, 0]}
  C: {type: revolute, between: [coupler, rocker], at: [2, 3, 1.5], axis: [0, 1, 0]}
  D: {type: revolute, between: [rocker, ground], at: [2, 3, 0], axis: [0, 1, 0]}
analysis: {until: 3, tolerance: 1e-11}
output: {every: 0.5}
)";
  const PlaneOutcome flat(planar), tilted(spatial);
  ASSERT_EQ(flat.recorder.frames.size(), tilted.recorder.frames.size());
  ASSERT_EQ(tilted.m->v_size(), 9);
  for (std::size_t k = 0; k < flat.recorder.frames.size(); ++k)
    for (const std::string body : {"crank", "coupler", "rocker"})
      for (const auto& [x, y] :
           {std::pair{"x", "x"}, {"y", "z"}, {"vx", "vx"}, {"vy", "vz"}, {"ax", "ax"}, {"ay", "az"}})
        EXPECT_NEAR(flat.value(k, body + "." + x), tilted.value(k, body + "." + y), 2e-8) << k << body << x;
  for (std::size_t k = 0; k < flat.recorder.frames.size(); ++k)
    for (const std::string joint : {"A", "B", "C", "D"}) {
      EXPECT_NEAR(flat.value(k, joint + ".reaction.fx"), tilted.value(k, joint + ".reaction.fx"), 1e-6);
      EXPECT_NEAR(flat.value(k, joint + ".reaction.fy"), tilted.value(k, joint + ".reaction.fz"), 1e-6);
    }
}

// A planar crank, a spatial rod with ball joints and a piston on a slanted guide: a body held in a plane and the same
// body kept there by its revolute joint move alike.
TEST(BodiesInPlanes, JoinSpatialBodies) {
  const auto model = [](const char* plane) {
    return std::string(R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  crank: {mass: 1, inertia: {xx: 0.08, yy: 0.1, zz: 0.1, xy: 0.01, xz: 0.015, yz: 0.02}, at: [0, 0, 0], )") +
           plane + R"(angular_velocity: [5, 0, 0]}
  rod: {mass: 0.5, inertia: [0.2, 0.2, 0.01], at: [0.75, 0.2, 0.5]}
  piston: {mass: 2, inertia: [0.1, 0.1, 0.1], at: [1.5, 0.4, 0]}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [1, 0, 0]}
  B: {type: spherical, between: [crank, rod], at: [0, 0, 1]}
  C: {type: universal, between: [rod, piston], at: [1.5, 0.4, 0], axis: [0, 1, 0], axis_second: [0, 0, 1]}
  D: {type: prismatic, between: [ground, piston], axis: [1, 0.2, 0]}
analysis: {until: 2, tolerance: 1e-11}
output: {every: 0.25}
)";
  };
  const PlaneOutcome free(model("")), held(model("plane: [1, 0, 0], "));
  EXPECT_EQ(held.m->v_size(), free.m->v_size() - 3);
  ASSERT_EQ(free.recorder.frames.size(), held.recorder.frames.size());
  for (std::size_t k = 0; k < free.recorder.frames.size(); ++k) {
    for (const std::string name :
         {"crank.qw", "crank.qx", "crank.wx", "rod.x", "rod.qz", "rod.vy", "piston.x", "piston.ax"})
      EXPECT_NEAR(free.value(k, name), held.value(k, name), 1e-8) << name << " " << k;
    for (const std::string name : {"B.reaction.fx", "B.reaction.fy", "C.reaction.tz", "D.reaction.ty", "A.angle"})
      EXPECT_NEAR(free.value(k, name), held.value(k, name), 1e-6) << name << " " << k;
  }
}

}  // namespace
}  // namespace mortise::test
