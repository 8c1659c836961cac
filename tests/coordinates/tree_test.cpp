// Tree coordinates: how many there are, which rows remain, and that what the tree holds is held exactly.
#include <gtest/gtest.h>

#include "mortise/coordinates/coordinate_system.h"
#include "mortise/coordinates/spanning_tree.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

std::unique_ptr<coordinates::CoordinateSystem> tree(const mechanism::Mechanism& m) {
  return coordinates::make_coordinates("tree", m, m.initial_state());
}

TEST(Tree, OfAFourBarHasThreeCoordinatesAndTheTwoRowsOfOneCut) {
  const auto m = compile_example("four-bar");
  const auto system = tree(*m);
  EXPECT_EQ(m->v_size(), 9);
  EXPECT_EQ(m->pattern().m(), 8);
  EXPECT_EQ(system->v_size(), 3);
  EXPECT_EQ(system->pattern().m(), 2);
  EXPECT_EQ(system->pattern().columns.count(), 1);
}

TEST(Tree, OfAnOpenChainHasNoRowsLeftAndKeepsTheEnergy) {
  const auto m = compile_example("spatial-double-pendulum",
                                 {"analysis.coordinates=tree", "analysis.until=5", "analysis.tolerance=1e-11"});
  const auto system = tree(*m);
  EXPECT_EQ(system->pattern().m(), 0);
  EXPECT_EQ(system->v_size(), 4);
  EXPECT_EQ(system->q_size(), 5);
  Recorder recorder;
  run(*m, recorder);
  std::printf("energy drift %.1e\n", recorder.summary.energy_drift);
  EXPECT_LT(recorder.summary.energy_drift, 1e-8);
  double off = 0;
  for (const analysis::Frame& frame : recorder.frames) off = std::max(off, frame.position_error);
  EXPECT_LT(off, 1e-14);
}

TEST(Tree, OfAMcPhersonStrutCutsTwoLoops) {
  const auto m = compile_example("mcpherson");
  const auto system = tree(*m);
  EXPECT_EQ(m->v_size(), 30);
  EXPECT_EQ(m->pattern().m(), 26);
  // Arm 1, rack 1, strut 3, carrier 3 by the ball on the arm, tie rod 3: less the cut slider (4) and one ball (3).
  EXPECT_EQ(system->v_size(), 11);
  EXPECT_EQ(system->pattern().m(), 7);
}

const char* const mixed = R"(mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  base: {mass: 2, inertia: [0.2, 0.2, 0.2], at: [0, 0, 1]}
  lid: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [0.5, 0, 1]}
  bead: {type: particle, mass: 1, at: [0, 1, 0]}
  plate: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [2, 0, 0], plane: [0, 0, 1]}
  off: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [4, 0, 0]}
  stuck: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [0.5, 0, 1.4]}
joints:
  hinge: {type: revolute, between: [lid, base], at: [0.2, 0, 1], axis: [0, 1, 0]}
  rod: {type: distance, between: [bead, base]}
  pin: {type: revolute, between: [ground, plate], at: [2.5, 0, 0], axis: [0, 0, 1]}
  dead: {type: revolute, between: [ground, off], at: [4, 0, 0], axis: [0, 1, 0], active: false}
  weld: {type: fixed, between: [lid, stuck]}
drivers:
  motor: {type: rotation, joint: hinge, function: t}
)";

TEST(Tree, LeavesFreeWhatNoJointOfTheTreeHolds) {
  const auto m = compile(mixed);
  const std::vector<coordinates::Branch> branches = coordinates::spanning_tree(*m);
  const auto of = [&](const char* name) -> const coordinates::Branch& {
    for (const coordinates::Branch& b : branches)
      if (b.body == m->find_body(name)) return b;
    throw std::out_of_range(name);
  };
  using coordinates::Freedom;
  EXPECT_EQ(of("base").freedom, Freedom::free);
  EXPECT_EQ(of("base").v_size, 6);
  EXPECT_EQ(of("lid").freedom, Freedom::revolute);
  EXPECT_EQ(of("lid").parent, m->find_body("base"));
  EXPECT_EQ(of("stuck").freedom, Freedom::fixed);
  EXPECT_EQ(of("bead").v_size, 3);
  EXPECT_EQ(of("plate").freedom, Freedom::free);
  EXPECT_EQ(of("plate").v_size, 3);
  EXPECT_EQ(of("off").freedom, Freedom::free);
  const auto system = tree(*m);
  EXPECT_EQ(system->v_size(), 6 + 1 + 0 + 3 + 3 + 6);
  std::vector<std::string> items;
  for (int row = 0; row < system->pattern().m(); ++row) {
    const std::string name = system->row_name(row), item = name.substr(0, name.rfind('.'));
    if (items.empty() || items.back() != item) items.push_back(item);
  }
  EXPECT_EQ(items, (std::vector<std::string>{"rod", "pin", "dead", "motor"}));
}

TEST(Tree, WithNothingButWeldsKeepsThemAsRows) {
  const auto m = compile(R"(mortise: 1
dimension: spatial
bodies:
  a: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  weld: {type: fixed, between: [ground, a]}
)");
  const auto system = tree(*m);
  EXPECT_EQ(system->v_size(), 6);
  EXPECT_EQ(system->pattern().m(), 6);
}

// The rows of a slider also hold after half a turn of a frame: the pose of the start is kept.
TEST(Tree, KeepsTheHalfTurnBetweenFramesThatTheStartHas) {
  for (const char* const type : {"prismatic", "revolute", "cylindrical", "fixed"}) {
    const auto m = compile(std::string(R"(mortise: 1
dimension: spatial
bodies:
  a: {mass: 1, inertia: [0.1, 0.2, 0.3], orientation: {rpy: [0.2, 0.3, 0.4]}, frames: {F: {at: [0.1, 0.2, 0]}}}
  b: {mass: 1, inertia: [0.1, 0.2, 0.3], at: [1, 0, 0], orientation: {rpy: [0.2, 0.3, 0.4]}, frames: {F: {at: [-0.5, 0, 0]}}}
joints:
  J: {type: )") + type + ", between: [a.F, b.F]}\n");
    State start = m->initial_state();
    // b turned by half about its own x axis, its joint point where a's is.
    const mechanism::Body &a = m->bodies()[0], &b = m->bodies()[1];
    const geometry::Quaternion turned =
        mechanism::orientation_of(a, as_span(start.q)) * geometry::from_axis_angle(Eigen::Vector3d::UnitX(), M_PI);
    start.q.segment<4>(b.q + 3) << turned.w, turned.x, turned.y, turned.z;
    const Eigen::Vector3d point =
        start.q.segment<3>(a.q) +
        geometry::matrix(mechanism::orientation_of(a, as_span(start.q))) * Eigen::Vector3d(0.1, 0.2, 0);
    start.q.segment<3>(b.q) = point - geometry::matrix(turned) * Eigen::Vector3d(-0.5, 0, 0);
    const auto scratch = m->make_scratch();
    Evaluation e;
    e.resize(m->pattern());
    m->evaluate(start, need_constraints, *scratch, e);
    ASSERT_LT(e.phi.cwiseAbs().maxCoeff(), 1e-15 * 4) << type;
    const auto system = coordinates::make_coordinates("tree", *m, start);
    State mapped, back;
    system->lower(start, mapped);
    system->lift(mapped, back);
    EXPECT_LT((back.q - start.q).cwiseAbs().maxCoeff(), 1e-14) << type;
  }
}

// Friction in a hinge of the tree needs the reaction of rows that are no longer there.
TEST(Tree, FindsTheReactionsThatFrictionAsksFor) {
  const std::string text = R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  upper: {mass: 1, inertia: 0.1, at: [0.5, 0], points: {tip: [0.5, 0]}}
  lower: {mass: 2, inertia: 0.2, at: [1.5, 0], angular_velocity: 3}
joints:
  A: {type: revolute, between: [ground, upper], at: [0, 0]}
  B: {type: revolute, between: [lower, upper], at: [1, 0]}
forces:
  rub: {type: friction, joint: A, coefficient: 0.2, radius: 0.05, speed: 0.1}
  rub2: {type: friction, joint: B, coefficient: 0.3, radius: 0.05, speed: 0.1}
analysis: {until: 1, tolerance: 1e-11}
output: {every: 0.05}
)";
  Recorder absolute, in_tree;
  run(*compile(text), absolute);
  run(*compile(text, {"analysis.coordinates=tree"}), in_tree);
  ASSERT_EQ(absolute.frames.size(), in_tree.frames.size());
  double off = 0;
  for (std::size_t k = 0; k < absolute.frames.size(); ++k)
    off = std::max({off, (absolute.frames[k].q - in_tree.frames[k].q).cwiseAbs().maxCoeff(),
                    std::abs(absolute.frames[k].dissipated - in_tree.frames[k].dissipated)});
  std::printf("off by %.1e, dissipated %.3f J\n", off, absolute.frames.back().dissipated);
  EXPECT_LT(off, 1e-8);
  EXPECT_GT(absolute.frames.back().dissipated, 0.1);
}

}  // namespace
}  // namespace mortise::test
