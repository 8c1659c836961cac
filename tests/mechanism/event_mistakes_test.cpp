// Mistakes in events: each is reported with its code, at the line of the event.
#include <gtest/gtest.h>

#include "mortise/analysis/dynamics.h"
#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

struct EventMistake {
  const char* code;
  const char* event;
};

const EventMistake event_mistakes[] = {
    {"M460", "{type: lock, joints: A}"},
    {"M460", "{type: unlock, joints: A, at: 1, when: a.x}"},
    {"M460", "{type: mark, when: a.x, every: 1}"},
    {"M460", "{type: mark, at: 1, crossing: rising}"},
    {"M461", "{type: lock, joints: A, at: 1}"},
    {"M462", "{type: break, joints: A}"},
    {"M462", "{type: break, joints: A, force: 0}"},
    {"M463", "{type: limit, minimum: 0}"},
    {"M463", "{type: limit, joint: A}"},
    {"M463", "{type: limit, joint: A, minimum: 1, maximum: 0}"},
    {"M464", "{type: limit, joint: A, minimum: 1, restitution: 1.5}"},
    {"M464", "{type: contact, between: [ground, a], normal: [0, 1], restitution: 1.1}"},
    {"M465", "{type: slip-stick, joint: A, force: 1}"},
    {"M465", "{type: slip-stick, joint: roll}"},
    {"M465", "{type: slip-stick, joint: roll, coefficient: 0.3}"},
    {"M465", "{type: slip-stick, joint: roll, force: 3, static_force: 2}"},
    {"M465", "{type: slip-stick, joint: roll, force: 3, static_coefficient: 2}"},
    {"M466", "{type: contact, between: [ground, a]}"},
    {"M466", "{type: contact, between: [ground, a], normal: [0, 1], radii: [1, 1]}"},
    {"M160", "{type: mark, when: a.nothing}"},
    {"M119", "{type: lock, joints: [A, motor, nobody], at: 1}"},
    {"M207", "{type: mark, when: a.x, crossing: upwards}"},
};

TEST(EventMistakes, AreReportedWithTheirPlace) {
  for (const EventMistake& m : event_mistakes) {
    const std::string text = std::string(R"(mortise: 1
dimension: planar
bodies:
  a: {mass: 1, inertia: 1, at: [0, 5]}
joints: {A: {type: revolute, between: [ground, a], at: [0, 0]}, roll: {type: row, coefficients: {a.vx: 1}}}
drivers: {motor: {type: rotation, joint: A, function: t, active: false}}
events:
  E: )") + m.event + "\n";
    try {
      Mechanism::compile(std::make_shared<const model::Model>(io::load_model_text(text, "m.yaml", catalogue())));
      ADD_FAILURE() << m.event << " was accepted";
    } catch (const ModelError& e) {
      EXPECT_EQ(e.diagnostics()[0].code, m.code) << e.what();
      EXPECT_EQ(e.diagnostics()[0].place.line, 8) << e.what();
    }
  }
}

// M467: the integrator of rigid contacts has rows of its own, on absolute velocities.
TEST(EventMistakes, IncludeRigidContactsInOtherCoordinates) {
  const char* const text = R"(mortise: 1
dimension: planar
bodies: {a: {mass: 1, inertia: 1, at: [0, 5], geometry: {skin: {sphere: 0.1}}}}
forces: {touch: {type: contact-rigid, bodies: a, ground: {floor: {plane: [0, 1]}}}}
analysis:
  {coordinates: tree, integrator: contact-stepping, step: 1e-3}
)";
  const auto m =
      Mechanism::compile(std::make_shared<const model::Model>(io::load_model_text(text, "m.yaml", catalogue())));
  try {
    analysis::run_dynamics(*m, {});
    ADD_FAILURE() << "accepted";
  } catch (const ModelError& e) {
    EXPECT_EQ(e.diagnostics()[0].code, "M467") << e.what();
    EXPECT_EQ(e.diagnostics()[0].place.line, 6) << e.what();
  }
}

}  // namespace
}  // namespace mortise::mechanism
