// Mistakes that only the whole model shows: each is reported with its code and the line of the item.
#include <gtest/gtest.h>

#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

struct Mistake {
  const char* code;
  const char* dimension;
  const char* item;  // line 6 of the model: a section and its item
};

const Mistake mistakes[] = {
    {"M140", "planar", "joints: {J: {type: revolute, between: [a.p, b.p], at: [0, 0]}}"},
    {"M140", "planar", "joints: {J: {type: revolute, between: [a.p, b], points: [[0, 0], [0, 0]]}}"},
    {"M141", "planar", "joints: {J: {type: revolute, between: [ground, a]}}"},
    {"M142", "planar", "joints: {J: {type: coordinate, body: ground, coordinate: x}}"},
    {"M143", "planar", "joints: {J: {type: fixed, between: [a, dot], at: [0, 0]}}"},
    {"M143", "planar", "forces: {F: {type: torque, body: dot, value: 1}}"},
    {"M144", "spatial",
     "joints: {J: {type: universal, between: [a, b], at: [0, 0, 0], axis: [0, 0, 1], axis_second: [1, 0, 1]}}"},
    {"M145", "planar", "joints: {J: {type: distance, between: [ground, a], length: 0}}"},
    {"M145", "planar", "forces: {F: {type: spring-damper-actuator, between: [ground, a], length: -1}}"},
    {"M146", "planar", "joints: {J: {type: coordinate, body: a, coordinate: z}}"},
    {"M146", "spatial", "joints: {J: {type: coordinate, body: a, coordinate: angle}}"},
    {"M147", "spatial", "joints: {J: {type: rolling-disc, body: a, radius: 0}}"},
    {"M148", "planar",
     "joints: {W: {type: fixed, between: [ground, a]}}\ndrivers: {D: {type: rotation, joint: W, function: t}}"},
    {"M148", "planar",
     "joints: {W: {type: revolute, between: [ground, a], at: [0, 0]}}\ndrivers: {D: {type: translation, joint: W, "
     "function: t}}"},
    {"M149", "planar", "forces: {F: {type: force, body: ground, value: [1, 0]}}"},
    {"M149", "planar", "forces: {F: {type: torque, body: ground, value: 1}}"},
    {"M148", "planar",
     "joints: {W: {type: fixed, between: [ground, a]}}\nforces: {F: {type: friction, joint: W, coefficient: 1}}"},
    {"M149", "planar", "forces: {F: {type: drag, body: ground, linear: 1}}"},
    {"M149", "planar", "forces: {F: {type: tyre, body: ground, stiffness: 1}}"},
    {"M143", "planar", "forces: {F: {type: bushing, between: [ground, dot], at: [0, 0], stiffness: [1, 1, 1]}}"},
    {"M160", "planar", "forces: {F: {type: force, body: a, value: [a.q.x, 0]}}"},
    {"M161", "planar", "forces: {F: {type: force, body: a, value: [F.force, 0]}}"},
    {"M162", "planar", "forces: {F: {type: force, body: a, value: [constraint.velocity, 0]}}"},
    {"M164", "planar", "forces: {F: {type: drag, body: a}}"},
    {"M164", "planar", "forces: {F: {type: drag, body: a, area: 1}}"},
    {"M164", "planar", "forces: {F: {type: tyre, body: a, stiffness: 1, friction: 1}}"},
    {"M164", "planar", "forces: {F: {type: tyre, body: a, stiffness: 1, height: y}}"},
    {"M164", "planar", "forces: {F: {type: tyre, body: a, stiffness: 1, height: b.x}}"},
    {"M164", "planar", "forces: {F: {type: bump-stop, between: [a, b], stiffness: 1}}"},
    {"M164", "planar", "forces: {F: {type: bump-stop, stiffness: 1, upper: 1}}"},
    {"M164", "planar", "forces: {F: {type: bump-stop, between: [a, b], stiffness: 1, lower: 2, upper: 1}}"},
    {"M164", "planar",
     "joints: {W: {type: revolute, between: [ground, a], at: [0, 0]}}\nforces: {F: {type: friction, joint: W, "
     "coefficient: 1}}"},
    {"M165", "planar",
     "forces: {F: {type: bushing, between: [a, b], at: [0, 0], stiffness: [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}}"},
    {"M165", "planar",
     "forces: {F: {type: bushing, between: [a, b], at: [0, 0], stiffness: [1, 1, 1], damping: [1, -1, 1]}}"},
};

std::string model_with(const Mistake& m) {
  const bool planar = std::string(m.dimension) == "planar";
  const std::string zero = planar ? "[0, 0]" : "[0, 0, 0]", body = planar ? "inertia: 1" : "inertia: [1, 1, 1]";
  return std::string("mortise: 1\ndimension: ") + m.dimension + "\nbodies:\n  a: {mass: 1, " + body +
         ", points: {p: " + zero + "}}\n  b: {mass: 1, " + body + ", points: {p: " + zero +
         "}}\n  dot: {type: particle, mass: 1}\n" + m.item + "\n";
}

TEST(MechanismMistakes, AreReportedWithTheirCodeAndLine) {
  for (const Mistake& m : mistakes) {
    SCOPED_TRACE(m.item);
    try {
      Mechanism::compile(
          std::make_shared<const model::Model>(io::load_model_text(model_with(m), "m.yaml", catalogue())));
      ADD_FAILURE() << "accepted";
    } catch (const ModelError& e) {
      ASSERT_EQ(e.diagnostics().size(), 1u) << e.what();
      EXPECT_EQ(e.diagnostics()[0].code, m.code) << e.what();
      EXPECT_GE(e.diagnostics()[0].place.line, 7) << e.what();
    }
  }
}

TEST(MechanismMistakes, IncludeAModelWithoutBodies) {
  try {
    Mechanism::compile(std::make_shared<const model::Model>(
        io::load_model_text("mortise: 1\ndimension: planar\n", "m.yaml", catalogue())));
    ADD_FAILURE() << "accepted";
  } catch (const ModelError& e) {
    EXPECT_EQ(e.diagnostics()[0].code, "M150") << e.what();
  }
}

}  // namespace
}  // namespace mortise::mechanism
