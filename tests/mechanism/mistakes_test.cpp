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

#define GEAR                                                                                                   \
  "joints: {A: {type: revolute, between: [ground, a], at: [0, 0]}, B: {type: revolute, between: [ground, b], " \
  "at: [0, 0]},\n J: {type: gear, joints: [A, B], "
#define SPATIAL_PAIR                                                                                              \
  "joints: {A: {type: revolute, between: [ground, a], at: [0, 0, 0]}, B: {type: revolute, between: [ground, b], " \
  "at: [0, 0, 0]},\n "
#define SPATIAL_GEAR SPATIAL_PAIR "J: {type: gear, joints: [A, B], "

const Mistake mistakes[] = {
    {"M140", "planar", "joints: {J: {type: revolute, between: [a.p, b.p], at: [0, 0]}}"},
    {"M140", "planar", "joints: {J: {type: revolute, between: [a.p, b], points: [[0, 0], [0, 0]]}}"},
    {"M141", "planar", "joints: {J: {type: revolute, between: [ground, a]}}"},
    {"M142", "planar", "joints: {J: {type: coordinate, body: ground, coordinate: x}}"},
    {"M143", "planar", "joints: {J: {type: fixed, between: [a, dot], at: [0, 0]}}"},
    {"M143", "planar", "forces: {F: {type: torque, body: dot, value: 1}}"},
    {"M144", "spatial",
     "joints: {J: {type: universal, between: [a, b], at: [0, 0, 0], axis: [0, 0, 1], axis_second: [1, 0, 1]}}"},
    // Parallel, and longer than 1 by rounding: the angle in the message is a number all the same.
    {"M144", "spatial",
     "joints: {J: {type: universal, between: [a, b], at: [0, 0, 0], axis: [1, 1, 1], axis_second: [1, 1, 1]}}"},
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
    {"M142", "planar", "joints: {J: {type: row, coefficients: {ground.vx: 1}}}"},
    {"M144", "spatial", "joints: {J: {type: rolling-sphere, body: a, radius: 1, axis: [1, 0, 1]}}"},
    {"M146", "spatial", "joints: {J: {type: coupling, terms: {a.angle: 1, b.x: 1}}}"},
    {"M147", "planar", "joints: {J: {type: no-slip, between: [a, b], radii: [1, 0]}}"},
    {"M147", "planar", "joints: {J: {type: no-slip, between: [a, b], radii: [1, 1], internal: true}}"},
    {"M147", "spatial", "joints: {J: {type: rolling-sphere, body: a, radius: -1}}"},
    {"M148", "planar",
     "joints: {A: {type: revolute, between: [ground, a], at: [0, 0]}, B: {type: fixed, between: [a, b]},\n"
     "         J: {type: gear, joints: [A, B], teeth: [1, 2]}}"},
    {"M148", "planar",
     "joints: {A: {type: coupling, terms: {a.x: 1, b.x: 1}}, J: {type: coupling, terms: {A.angle: 1, a.x: 1}}}"},
    {"M160", "planar", "joints: {J: {type: coupling, terms: {a.angel: 1, b.x: 1}}}"},
    {"M160", "planar", "joints: {J: {type: coupling, terms: {a.vx: 1, b.x: 1}}}"},
    {"M160", "planar", "joints: {J: {type: row, coefficients: {a.vx: sin(b.angles)}}}"},
    {"M160", "planar", "joints: {J: {type: row, coefficients: {a.vx: b.vx}}}"},
    {"M170", "planar", GEAR "ratio: 2, teeth: [1, 2]}}"},
    {"M170", "planar", GEAR "internal: true}}"},
    {"M170", "planar", GEAR "teeth: [20, 2.5]}}"},
    {"M170", "planar", GEAR "teeth: [20, -40]}}"},
    {"M170", "planar", GEAR "ratio: -2}}"},
    {"M170", "spatial", SPATIAL_GEAR "ratio: pi}}"},
    {"M171", "spatial", SPATIAL_PAIR "J: {type: coupling, terms: {A.angle: 1, B.angle: pi}}}"},
    {"M172", "planar", "joints: {J: {type: coupling, terms: {a.x: 0, b.x: 1}}}"},
    {"M172", "planar", "joints: {J: {type: coupling, terms: {}}}"},
    {"M172", "planar", "joints: {J: {type: row, coefficients: {}}}"},
    {"M143", "planar",
     "joints: {J: {type: rolling-line, between: [ground, dot], points: [[0, 1], [0, 0]], radius: 1}}"},
    {"M144", "spatial", "joints: {J: {type: rack-pinion, between: [a, b], axis: [1, 0, 1], radius: 1}}"},
    {"M146", "spatial", "drivers: {D: {type: speed, body: a, coordinate: angle, function: t}}"},
    {"M147", "planar", "joints: {J: {type: rack-pinion, between: [a, b], radius: -1}}"},
    {"M147", "planar", "joints: {J: {type: rolling-circle, between: [a, b], radius_first: 1, radius_second: 0}}"},
    {"M148", "planar",
     "joints: {W: {type: fixed, between: [ground, a]}}\ndrivers: {D: {type: speed, joint: W, function: t}}"},
    {"M157", "spatial", "joints: {J: {type: screw, between: [a, b], at: [0, 0, 0], pitch: 0}}"},
    {"M152", "spatial",
     "joints: {J: {type: constant-velocity, between: [a, b], at: [0, 0, 0], axis: [0, 0, 1], axis_second: [0, 0, "
     "-1]}}"},
    {"M153", "planar", "joints: {J: {type: rolling-line, between: [a, b], radius: 1}}"},
    {"M154", "planar", "joints: {J: {type: rolling-circle, between: [a, b], radius_first: 1, radius_second: 2}}"},
    {"M154", "planar",
     "joints: {J: {type: rolling-circle, between: [a, b], radius_first: 1, radius_second: 1, internal: true}}"},
    {"M155", "planar", "joints: {J: {type: point-on-curve, between: [a, b]}}"},
    {"M155", "planar", "joints: {J: {type: point-on-curve, between: [a, b], curve: [s, s]}}"},
    {"M155", "planar", "joints: {J: {type: point-on-curve, between: [a, b], curve: [s, abs(s)], from: -1, to: 1}}"},
    {"M155", "planar", "joints: {J: {type: point-on-curve, between: [a, b], curve: [s^3, s^2], from: -1, to: 1}}"},
    {"M155", "planar",
     "joints: {J: {type: point-on-curve, between: [a, b], curve: [sin(2*s), sin(s)], from: 0, to: 2*pi, closed: "
     "true}}"},
    {"M155", "planar",
     "joints: {J: {type: point-on-curve, between: [a, b], curve: [s, s^2], from: 0, to: 1, closed: true}}"},
    {"M155", "planar",
     "joints: {J: {type: point-on-curve, between: [a, b], through: [[0, 0], [1, 0], [1, 0]], closed: true}}"},
    {"M156", "planar", "drivers: {D: {type: speed, function: t}}"},
    {"M156", "planar", "drivers: {D: {type: speed, body: a, function: t}}"},
    {"M407", "planar",
     "parameters: {s: 1}\njoints: {J: {type: point-on-curve, between: [a, b], curve: [2, s^2], from: 0, to: 1}}"},
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

// A row with more coordinates than fit.
TEST(MechanismMistakes, TooManyCoordinatesInARow) {
  std::string text = "mortise: 1\ndimension: planar\nbodies:\n", sum = "0";
  for (int k = 0; k < 32; ++k) {
    text += "  b" + std::to_string(k) + ": {mass: 1, inertia: 1}\n";
    sum += " + b" + std::to_string(k) + ".x";
  }
  text += "joints:\n  J: {type: row, coefficients: {b0.vx: " + sum + "}}\n";
  try {
    Mechanism::compile(std::make_shared<const model::Model>(io::load_model_text(text, "m.yaml", catalogue())));
    ADD_FAILURE() << "accepted";
  } catch (const ModelError& e) {
    EXPECT_EQ(e.diagnostics()[0].code, "M173") << e.what();
  }
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
      EXPECT_EQ(std::string(e.what()).find("nan"), std::string::npos) << e.what();
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
