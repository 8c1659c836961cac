// Runs that events end: each with its code, the time, the event's place and advice.
#include <gtest/gtest.h>

#include "mortise/analysis/events.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

std::string code_of(const std::string& text) {
  const auto m = compile(text);
  Recorder recorder;
  try {
    run(*m, recorder);
  } catch (const SolveError& error) {
    EXPECT_FALSE(error.report().advice.empty()) << text;
    EXPECT_EQ(recorder.ends, recorder.begins);  // what was computed stays readable
    return error.report().code;
  }
  return "none";
}

// Between walls 1e-7 m apart at 1e9 m/s: a bounce every 1e-16 s.
TEST(EventErrors, EventsThatDoNotComeToAnEnd) {
  EXPECT_EQ(code_of(R"(mortise: 1
dimension: planar
bodies: {p: {type: particle, mass: 1, at: [5e-8, 0], velocity: [1e9, 0]}}
events: {walls: {type: limit, of: {p.x: 1}, minimum: 0, maximum: 1e-7, restitution: 1}}
analysis: {until: 1e-3}
)"),
            "S460");
}

// The zero was missed, and the state is well inside.
TEST(EventErrors, AStopThatWasPassed) {
  const auto m = compile(R"(mortise: 1
dimension: planar
bodies: {p: {type: particle, mass: 1, at: [0, 1], velocity: [0, -1]}}
events: {floor: {type: limit, of: {p.y: 1}, minimum: 0}}
)");
  State state = m->initial_state();
  analysis::EventRun events(*m, {});
  std::vector<analysis::EventEntry> ledger;
  events.begin(state, ledger);
  state.q[1] = -0.1;
  try {
    events.handle(state, ledger);
    ADD_FAILURE() << "accepted";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S461");
    EXPECT_EQ(error.report().place.line, 4);
  }
}

TEST(EventErrors, AContactThatBeginsInside) {
  EXPECT_EQ(code_of(R"(mortise: 1
dimension: planar
bodies: {p: {type: particle, mass: 1, at: [0, 0.05]}}
events: {floor: {type: contact, between: [ground, p], normal: [0, 1], radius: 0.1}}
)"),
            "S462");
}

TEST(EventErrors, AJointThatIsOpenWhereItIsLocked) {
  EXPECT_EQ(code_of(R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies: {p: {mass: 1, inertia: 1, at: [0, 0]}}
joints: {hook: {type: revolute, between: [ground, p], at: [0, 0], active: false}}
events: {catch: {type: lock, joints: hook, at: 0.5, hold: modelled}}
)"),
            "S463");
}

// Two shafts that two motors turn at different speeds.
TEST(EventErrors, ALockAgainstTwoDrivers) {
  EXPECT_EQ(code_of(R"(mortise: 1
dimension: planar
bodies:
  one: {mass: 1, inertia: 2}
  two: {mass: 1, inertia: 3, at: [1, 0]}
joints:
  A: {type: revolute, between: [ground, one], at: [0, 0]}
  B: {type: revolute, between: [ground, two], at: [1, 0]}
  clutch: {type: coupling, terms: {A.angle: 1, B.angle: -1}, active: false}
drivers:
  fast: {type: rotation, joint: A, function: 5*t}
  slow: {type: rotation, joint: B, function: t}
events: {engage: {type: lock, joints: clutch, at: 0.5}}
)"),
            "S464");
}

// Two ends so near that both touch: the rebound from one is against the other.
TEST(EventErrors, StopsThatNoImpulseFits) {
  EXPECT_EQ(code_of(R"(mortise: 1
dimension: planar
bodies: {p: {type: particle, mass: 1, at: [0, 0], velocity: [-1, 0]}}
events: {walls: {type: limit, of: {p.x: 1}, minimum: 0, maximum: 1e-10, restitution: 1}}
)"),
            "S465");
}

}  // namespace
}  // namespace mortise::test
