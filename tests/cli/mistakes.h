// Small models with one mistake each, and what the program must say to them.
#pragma once

#include <string>
#include <vector>

namespace mortise::test {

inline const std::string planar_head = "mortise: 1\nname: test\ndimension: planar\ngravity: [0, -9.81]\n";
inline const std::string spatial_head = "mortise: 1\nname: test\ndimension: spatial\ngravity: [0, 0, -9.81]\n";
inline const std::string arm = "bodies:\n  arm: {mass: 1, inertia: 0.1, at: [0.5, 0], points: {tip: [0.5, 0]}}\n";
inline const std::string block = "bodies:\n  block: {mass: 1, inertia: [1, 1, 1]}\n";
inline const std::string pin = "joints:\n  A: {type: revolute, between: [ground, arm], at: [0, 0]}\n";
inline const std::string slide = "joints:\n  S: {type: prismatic, between: [ground, arm], at: [0, 0], axis: [1, 0]}\n";
inline const std::string end = "analysis: {until: 1}\noutput: {every: 0.01}\n";

inline std::string pendulum_with(const std::string& more) { return planar_head + arm + pin + more + end; }
inline std::string slider_with(const std::string& more) { return planar_head + arm + slide + more + end; }
inline std::string pendulum_analysis(const std::string& settings) {
  return planar_head + arm + pin + "analysis: {until: 1, " + settings + "}\n";
}
inline std::string body_only(const std::string& fields) {
  return planar_head + "bodies:\n  arm: {" + fields + "}\n" + end;
}
inline std::string drivers(const std::string& one, const std::string& other) {
  return pendulum_with("drivers:\n  slow: {type: rotation, joint: A, function: " + one +
                       "}\n  fast: {type: rotation, joint: A, function: " + other + "}\n");
}

struct Mistake {
  std::string name;
  int code;
  std::vector<std::string> says;  // all of these
  std::string text;               // of the model
  bool keeps = false;             // a readable result up to the failure, with finite numbers
};

inline std::vector<Mistake> mistakes() {
  return {
      // Model: 3.
      {"joint type",
       3,
       {"M203", "'revolut'", "did you mean 'revolute'", ":8:13"},
       planar_head + arm + "joints:\n  A: {type: revolut, between: [ground, arm], at: [0, 0]}\n" + end},
      {"misspelt body",
       3,
       {"M117", "'arn'", "did you mean 'arm'"},
       planar_head + arm + "joints:\n  A: {type: revolute, between: [ground, arn], at: [0, 0]}\n" + end},
      {"joint of a body with itself",
       3,
       {"M120", "itself"},
       planar_head + arm + "joints:\n  A: {type: revolute, between: [arm, arm], at: [0, 0]}\n" + end},
      {"negative mass", 3, {"M302", "cannot be negative", "'arm'"}, body_only("mass: -1, inertia: 1")},
      {"word for a number", 3, {"M401", "'heavy'"}, body_only("mass: heavy, inertia: 1")},
      {"foreign unit", 3, {"M401", "SI units"}, body_only("mass: 1 lb, inertia: 1")},
      {"unphysical inertia",
       3,
       {"M304", "'block'"},
       spatial_head + "bodies:\n  block: {mass: 1, inertia: [1, 1, 5]}\n" + end},
      {"axes not perpendicular",
       3,
       {"M144", "perpendicular"},
       spatial_head + block +
           "joints:\n  U: {type: universal, between: [ground, block], at: [0, 0, 0], axis: [1, 0, 0], axis_second: "
           "[1, 1, 0]}\n" +
           end},
      {"axis of length zero",
       3,
       {"axis"},
       spatial_head + block +
           "joints:\n  R: {type: revolute, between: [ground, block], at: [0, 0, 0], axis: [0, 0, 0]}\n" + end},
      {"three numbers in the plane", 3, {"M105", "list of 2 numbers"}, body_only("mass: 1, inertia: 1, at: [0, 0, 0]")},
      {"root of -1", 3, {"M301", "'mass'", "finite"}, body_only("mass: sqrt(-1), inertia: 1")},
      {"parameter 1/0", 3, {"M301", "parameter 'k'", ":5:17"}, planar_head + "parameters: {k: 1/0}\n" + arm + end},
      {"parameters in a circle", 3, {"M403"}, planar_head + "parameters: {a: b, b: a}\n" + arm + end},
      {"key twice", 3, {"M508", "'arm'", "twice"}, planar_head + arm + "  arm: {mass: 1, inertia: 1}\n" + end},
      {"name twice",
       3,
       {"M112", "'arm'", "taken"},
       planar_head + arm + "joints:\n  arm: {type: revolute, between: [ground, arm], at: [0, 0]}\n" + end},
      {"unknown section", 3, {"M103", "'jonts'", "did you mean 'joints'"}, pendulum_with("jonts: {}\n")},
      {"unknown field", 3, {"M205", "'colour'", "fields:"}, body_only("mass: 1, inertia: 1, colour: red")},
      {"unknown formulation", 3, {"M207", "did you mean 'lagrange'"}, pendulum_analysis("formulation: lagrang")},
      {"unknown integrator", 3, {"M207", "did you mean 'adams'"}, pendulum_analysis("integrator: adms")},
      {"unknown stabilisation", 3, {"M207", "did you mean 'projection'"}, pendulum_analysis("stabilize: projektion")},
      {"rk4 without a step", 3, {"M206", "needs a step"}, pendulum_analysis("integrator: rk4")},
      {"analysis type", 3, {"M207", "'statik'"}, pendulum_analysis("type: statik")},
      {"time that runs backwards", 3, {"M308", "'until'"}, planar_head + arm + "analysis: {until: -1}\n"},
      {"tolerance of zero", 3, {"M308", "'tolerance'"}, pendulum_analysis("tolerance: 0")},
      {"steps that never end", 3, {"M308", "'max_step'", "1e12"}, pendulum_analysis("max_step: 1e-300")},
      {"fixed steps that never end", 3, {"M308", "'step'"}, pendulum_analysis("integrator: rk4, step: 1e-30")},
      {"frames that never end",
       3,
       {"M308", "'every'"},
       planar_head + arm + "analysis: {until: 1}\noutput: {every: 1e-300}\n"},
      {"checkpoint without a unit",
       3,
       {"M104", "checkpoint"},
       planar_head + arm + "analysis: {until: 1}\noutput: {checkpoint: 5}\n"},
      {"angle of a slide",
       3,
       {"M148", "'S'", "no angle"},
       slider_with("drivers:\n  d: {type: rotation, joint: S, function: t}\n")},
      {"no body", 3, {"M150", "no body"}, planar_head + end},
      {"no dimension", 3, {"M101", "dimension"}, "mortise: 1\n" + arm + end},
      {"newer format", 3, {"M102", "99"}, "mortise: 99\ndimension: planar\n" + arm + end},
      {"empty file", 3, {"M503", "empty"}, ""},
      {"binary file",
       3,
       {"M504", "not a text file"},
       std::string("\x7f"
                   "ELF\0\1\2\x80",
                   8)},
      {"nested a million deep", 3, {"M506", "nested deeper"}, "mortise: 1\na: " + std::string(1000000, '[')},
      {"maps nested a million deep",
       3,
       {"M506", "nested deeper"},
       [] {
         std::string text = "mortise: 1\nname: ";
         for (int k = 0; k < 1000000; ++k) text += "{a: ";
         return text;
       }()},
      {"tab", 3, {"M515", "tab"}, planar_head + "bodies:\n\tarm: {mass: 1}\n"},
      {"too many copies",
       3,
       {"M114", "10 million"},
       planar_head + "bodies:\n  b$i: {repeat: {i: 1e12}, mass: 1, inertia: 1}\n" + end},
      {"rod of length zero",
       3,
       {"M145"},
       planar_head +
           "bodies:\n  p: {type: particle, mass: 1}\njoints:\n  rod: {type: distance, between: [ground, p], length: "
           "0}\n" +
           end},
      // Mathematics: 4.
      {"particle without mass",
       4,
       {"S420", "'dust'"},
       planar_head + "bodies:\n  dust: {type: particle, mass: 0, at: [0, 0]}\n" + end},
      {"free body without inertia", 4, {"S420", "'arm'"}, body_only("mass: 1, inertia: 0")},
      {"pinned body without inertia",
       4,
       {"S420", "'arm'"},
       planar_head + "bodies:\n  arm: {mass: 1, inertia: 0, at: [0.5, 0]}\n" + pin + end},
      {"spatial body without inertia",
       4,
       {"S420", "'block'"},
       spatial_head + "bodies:\n  block: {mass: 1, inertia: [0, 0, 0]}\n" + end},
      {"force NaN from the start",
       4,
       {"S410", "force 'push'", "t = 0 s", ":10:"},
       pendulum_with("forces:\n  push: {type: force, body: arm, value: [log(t - 1), 0]}\n")},
      {"force NaN later",
       4,
       {"S410", "force 'push'", ":10:", "kept"},
       pendulum_with("forces:\n  push: {type: force, body: arm.tip, value: [sqrt(0.5 - t), 0]}\n"),
       true},
      {"torque NaN later",
       4,
       {"S410", "force 'twist'", "kept"},
       pendulum_with("forces:\n  twist: {type: torque, body: arm, value: acos(2*t)}\n"),
       true},
      {"driver with a pole",
       4,
       {"driver 'push'", ":10:", "kept"},
       slider_with("drivers:\n  push: {type: translation, joint: S, function: 0.1/(t - 0.5) + 0.7}\n"),
       true},
      {"driver that ends",
       4,
       {"driver 'turn'", ":10:", "kept"},
       pendulum_with("drivers:\n  turn: {type: rotation, joint: A, function: sqrt(0.5 - t)}\n"),
       true},
      // Contradictions: 5.
      {"two drivers, two angles", 5, {"S431", "slow", "fast", "off by"}, drivers("0.1", "0.3")},
      {"two drivers, two speeds", 5, {"S431", "slow", "fast", "velocities"}, drivers("t", "2*t")},
      {"two drivers, two accelerations", 5, {"S430", "slow.turn", "fast.turn"}, drivers("t", "t + t^2")},
      {"drivers that part slowly", 5, {"slow.turn", "fast.turn", "kept"}, drivers("t", "t + t^5"), true},
      {"drivers that part later",
       5,
       {"slow.turn", "fast.turn", "kept"},
       drivers("t", "\"t + if(t < 0.4, 0, (t - 0.4)^3)\""),
       true},
      {"impossible assembly",
       5,
       {"S431", "A", "B", "off by"},
       pendulum_with("  B: {type: revolute, between: [ground, arm], points: [[3, 0], [0.5, 0]]}\n")},
  };
}

}  // namespace mortise::test
