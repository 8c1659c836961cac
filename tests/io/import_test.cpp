// Robots of other programs: mistakes at their places, what is not used, hostile files, loops, and motions that are
// those of the same model in YAML. derive.py compares masses, inertias and axes of ten robots with a second reading of
// their files.
#include "mortise/io/import/import.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "mortise/analysis/checkup.h"
#include "mortise/analysis/simulation.h"
#include "mortise/io/import/model_json.h"
#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"

namespace mortise::io {
namespace {

namespace fs = std::filesystem;

fs::path robot_file(const std::string& name) { return fs::path(MORTISE_SOURCE_DIR) / "tests/io/import/models" / name; }

model::Model load_robot(const std::string& name, const std::string& sidecar = "") {
  return load_model(robot_file(name), mechanism::catalogue(), {}, sidecar.empty() ? fs::path() : robot_file(sidecar));
}

std::unique_ptr<mechanism::Mechanism> compile_robot(const std::string& name, const std::string& sidecar = "") {
  return mechanism::Mechanism::compile(std::make_shared<const model::Model>(load_robot(name, sidecar)));
}

Diagnostic import_mistake(const std::string& text, const std::string& sidecar = "") {
  try {
    const Imported read = import_text(text, "robot", sidecar, "sidecar");
    model::build(read.root, mechanism::catalogue());
  } catch (const ModelError& e) {
    return e.diagnostics().front();
  }
  return {"none", "", {}, "", false};
}

std::string times(const std::string& piece, int count) {
  std::string out;
  for (int k = 0; k < count; ++k) out += piece;
  return out;
}

const std::string two_links =
    "<robot name='r'>\n<link name='base'/>\n<link name='arm'><inertial><mass value='1'/>"
    "<inertia ixx='1' iyy='1' izz='1'/></inertial></link>\n";
std::string with_joint(const std::string& joint) { return two_links + joint + "\n</robot>"; }
std::string mujoco(const std::string& inside) { return "<mujoco>\n" + inside + "\n</mujoco>"; }

struct Mistake {
  std::string text, code, place, piece;
};

TEST(Import, ReportsMistakesAtTheirPlaces) {
  const std::vector<Mistake> mistakes{
      {"<robot>\n<link></robot>", "M701", "robot:2:9", "closing tag"},
      {"", "M701", "robot:1:1", ""},
      {"<robot a='1' a='2'/>", "M701", "robot:1:17", "twice"},
      {"<robot/><robot/>", "M701", "robot:1:10", "second element"},
      {"<!DOCTYPE x [<!ENTITY a \"b\">]><robot/>", "M702", "robot:1:", "DOCTYPE"},
      {"<robot name=\"\xff\"/>", "M702", "robot:1:14", "UTF-8"},
      {"<robt/>", "M703", "robot:1:2", "did you mean 'robot'?"},
      {"<sdf/>", "M703", "robot:1:2", "convert it"},
      {"<robot xmlns:xacro='x'><xacro:arm/></robot>", "M703", "robot:1:25", "xacro"},
      {with_joint("<joint name='j' type='hinge'/>"), "M707", "robot:4:23", "revolute"},
      {with_joint("<joint name='j' type='continous'/>"), "M707", "robot:4:23", "did you mean 'continuous'?"},
      {with_joint("<joint name='j' type='fixed'><parent link='base'/><child link='amr'/></joint>"), "M706",
       "robot:4:64", "did you mean 'arm'?"},
      {with_joint("<joint name='j' type='fixed'><parent link='base'/></joint>"), "M705", "robot:4:2", "<child>"},
      {with_joint(
           "<joint name='j' type='continuous'><parent link='base'/><child link='arm'/><axis xyz='1 0 x'/></joint>"),
       "M704", "robot:4:90", "'x'"},
      {with_joint(
           "<joint name='j' type='continuous'><parent link='base'/><child link='arm'/><axis xyz='0 0 0'/></joint>"),
       "M704", "robot:4:86", "length zero"},
      {with_joint(
           "<joint name='j' type='continuous'><parent link='base'/><child link='arm'/><origin xyz='1 0'/></joint>"),
       "M704", "robot:4:88", "3 numbers"},
      {with_joint("<joint name='j' type='continuous'><parent link='base'/><child link='arm'/><origin xyz='${x} 0 "
                  "0'/></joint>"),
       "M704", "robot:4:88", "xacro"},
      {with_joint(
           "<joint name='j' type='continuous'><parent link='base'/><child link='arm'/><mimic joint='k'/></joint>"),
       "M706", "robot:4:89", "no joint 'k'"},
      {two_links + "</robot>", "M708", "robot:3:2", "carried by no joint"},
      {with_joint("<joint name='a' type='fixed'><parent link='base'/><child link='arm'/></joint>\n"
                  "<joint name='b' type='fixed'><parent link='base'/><child link='arm'/></joint>"),
       "M708", "robot:5:64", "--loops"},
      {with_joint("<joint name='a' type='fixed'><parent link='base'/><child link='arm'/></joint>\n"
                  "<joint name='b' type='fixed'><parent link='arm'/><child link='base'/></joint>"),
       "M708", "robot:1:2", "circle"},
      {"<robot><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='3'/></inertial></link></robot>",
       "M304", "robot:1:51", ""},
      {"<robot><link name='a'><inertial><mass value='1'/><inertia ixx='1' iy='1' izz='3'/></inertial></link></robot>",
       "M705", "robot:1:51", "'iy'"},
      {mujoco("<compiler angle='grad'/>"), "M707", "robot:2:18", "radian"},
      {mujoco("<compiler coordinate='global'/>"), "M710", "robot:2:23", "local"},
      {mujoco("<worldbody><body class='x'><joint class='tihn'/></body></worldbody>"), "M706", "robot:2:", "class"},
      {mujoco("<worldbody><body><geom type='mesh' mesh='m'/></body></worldbody>"), "M710", "robot:2:19", "<inertial>"},
      {mujoco("<worldbody><body><geom size='1' euler='0 0 1' quat='1 0 0 0'/></body></worldbody>"), "M704",
       "robot:2:", "both"},
      {mujoco("<equality><connect body1='a' anchor='0 0 0'/></equality>"), "M706", "robot:2:27", "no body 'a'"},
      {mujoco("<include file='other.xml'/>"), "M703", "robot:2:2", "one file"},
      {mujoco("<keyframe><key qpos='1 2'/></keyframe>"), "M704", "robot:2:", "0 numbers"},
  };
  for (const Mistake& m : mistakes) {
    const Diagnostic d = import_mistake(m.text);
    EXPECT_TRUE(d.code.starts_with(m.code)) << m.text << "\n" << render(d);
    EXPECT_TRUE(d.place.str().starts_with(m.place)) << m.text << "\n" << render(d);
    EXPECT_NE(render(d).find(m.piece), std::string::npos) << render(d);
    EXPECT_EQ(render(d).find("pugi"), std::string::npos) << render(d);
  }
}

TEST(Import, ReportsMistakesOfTheSidecar) {
  const std::string robot =
      with_joint("<joint name='j' type='continuous'><parent link='base'/><child link='arm'/></joint>");
  EXPECT_EQ(import_mistake(robot, "bas: fixed").code, "M709");
  EXPECT_EQ(import_mistake(robot, "bas: fixed").hint, "did you mean 'base'?");
  EXPECT_EQ(import_mistake(robot, "base: flying").code, "M709");
  EXPECT_EQ(import_mistake(robot, "positions: {k: 1}").code, "M709");
  EXPECT_EQ(import_mistake(robot, "joints: {j: {type: fixed, between: [ground, arm]}}").place.str(), "sidecar:1:10");
  EXPECT_EQ(import_mistake(robot, "joints: {k: {type: fixed, between: [ground, arn]}}").code, "M117");
  EXPECT_THROW(load_model(fs::path(MORTISE_SOURCE_DIR) / "examples/pendulum.yaml", mechanism::catalogue(), {},
                          robot_file("gripper-loops.yaml")),
               ModelError);
}

TEST(Import, RefusesHostileFilesQuickly) {
  std::string laughs = "<!DOCTYPE lolz [<!ENTITY a \"ha\">";
  for (char c = 'b'; c < 'k'; ++c)
    laughs += std::string("<!ENTITY ") + c + " \"" + times(std::string("&") + char(c - 1) + ";", 10) + "\">";
  EXPECT_EQ(import_mistake(laughs + "]><robot>&j;</robot>").code, "M702");
  EXPECT_EQ(import_mistake("<robot>" + times("<a>", 65) + times("</a>", 65) + "</robot>").code, "M702");
  EXPECT_EQ(import_mistake("<robot>" + times("<a>", 400'000)).code, "M701");
  EXPECT_EQ(import_mistake("<robot>" + times("<a/>", 2'000'000) + "</robot>").code, "M702");
  std::string many = "<robot ";
  for (int k = 0; k < 2000; ++k) many += "a" + std::to_string(k) + "='' ";
  EXPECT_EQ(import_mistake(many + "/>").code, "M702");
  EXPECT_EQ(import_mistake("<mujoco>" + times("<default class='x'>", 40) + times("</default>", 40) + "</mujoco>").code,
            "M708");
}

TEST(Import, ListsWhatItDoesNotUseWithItsLines) {
  std::vector<std::string> notes;
  for (const Diagnostic& d : load_robot("arm.urdf").notes)
    if (d.code == "M720") notes.push_back(d.message);
  const std::vector<std::string> expected{"not used: the lower limit of 'pan', -6.28 rad",
                                          "not used: the upper limit of 'pan', 6.28 rad",
                                          "not used: <material> (line 4)",
                                          "not used: <collision> (lines 7, 11)",
                                          "not used: <visual> (line 15)",
                                          "not used: attribute 'effort' of <limit> (lines 32, 36, 40, 44, 48)",
                                          "not used: attribute 'velocity' of <limit> (lines 32, 36, 40, 44, 48)",
                                          "not used: <transmission> (line 56)",
                                          "not used: <gazebo> (line 57)"};
  EXPECT_EQ(notes, expected);
}

TEST(Import, SaysWhichNamesItChanged) {
  std::vector<std::string> changed;
  for (const Diagnostic& d : import_text(mujoco("<worldbody><body name='base link'><freejoint/><inertial mass='1' "
                                                "pos='0 0 0' diaginertia='1 1 1'/></body></worldbody>"),
                                         "robot")
                                 .notes)
    if (d.code == "M721") changed.push_back(d.message + " · " + d.hint);
  EXPECT_EQ(changed, std::vector<std::string>{
                         "'base link' is called 'base_link' in the model · names have letters, digits, '_' and '-'"});
}

TEST(Import, ListsTagsThatItDoesNotKnowWithTheNearest) {
  const Imported read = import_text(with_joint("<joint name='j' type='continuous' typ='x'><parent link='base'/><child "
                                               "link='arm'/><axsi xyz='0 0 1'/>text</joint>"),
                                    "robot");
  std::string all;
  for (const Diagnostic& d : read.notes) all += d.message + " · " + d.hint + "\n";
  EXPECT_NE(all.find("not used: attribute 'typ' of <joint> (line 4) · did you mean 'type'?"), std::string::npos) << all;
  EXPECT_NE(all.find("not used: <axsi> (line 4) · did you mean 'axis'?"), std::string::npos) << all;
  EXPECT_NE(all.find("not used: text inside <joint> (line 4)"), std::string::npos) << all;
}

TEST(Import, KeepsLoops) {
  struct Loop {
    std::string file, sidecar;
    int freedoms, redundant;
  };
  // By hand: a gripper of two parallelograms in space and a follower: 42 - 47 rows + 2·3 redundant = 1. The four-bar:
  // three hinges and a ball in space, 18 - 18 + 1 = 1. The delta robot: 60 - 51 = 9, of which six are rods that turn
  // about themselves.
  for (const Loop& loop :
       {Loop{"gripper.urdf", "gripper-loops.yaml", 1, 6}, Loop{"four-bar.xml", "", 1, 1}, Loop{"delta.xml", "", 9, 0},
        Loop{"gantry.urdf", "", 11, 0}, Loop{"quadruped.urdf", "quadruped-sidecar.yaml", 18, 0}}) {
    const auto m = compile_robot(loop.file, loop.sidecar);
    const analysis::Checkup checkup = analysis::check_up(*m);
    EXPECT_TRUE(checkup.assembled) << loop.file;
    EXPECT_EQ(checkup.diagnosis.degrees_of_freedom, loop.freedoms) << loop.file;
    EXPECT_EQ(std::ssize(checkup.diagnosis.redundancies), loop.redundant) << loop.file;
  }
}

// The largest difference of two motions in the named quantities, at ten times.
double motion_gap(model::Model first, model::Model second,
                  const std::vector<std::pair<std::string, std::string>>& names) {
  for (model::Model* m : {&first, &second}) m->analysis.tolerance = 1e-13;
  analysis::Simulation a(std::move(first)), b(std::move(second));
  double gap = 0;
  for (int k = 1; k <= 10; ++k) {
    a.advance_to(0.1 * k);
    b.advance_to(0.1 * k);
    for (const auto& [x, y] : names) gap = std::max(gap, std::abs(a.get(x) - b.get(y)));
  }
  return gap;
}

TEST(Import, OfAUrdfPendulumMovesAsTheSameModelInYaml) {
  const char* yaml = R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  arm:
    mass: 2.5
    inertia: {xx: 0.21, xy: 0.012, xz: -0.008, yy: 0.25, yz: 0.015, zz: 0.09}
    inertia_frame: {rpy: [0.3, -0.2, 0.7]}
    center: [0.1, 0.02, -0.5]
    at: [0.2, -0.1, 1.5]
    orientation: {rpy: [0.1, 0.4, -0.3]}
joints:
  hinge: {type: revolute, between: [ground, arm], at: [0.2, -0.1, 1.5], axis: [0, 1, 0.25], in: second}
forces:
  damper: {type: torsional-spring-damper-actuator, joint: hinge, damping: 0.15}
)";
  EXPECT_LT(motion_gap(load_robot("pendulum.urdf"), load_model_text(yaml, "yaml", mechanism::catalogue()),
                       {{"arm.x", "arm.x"},
                        {"arm.qx", "arm.qx"},
                        {"arm.wy", "arm.wy"},
                        {"hinge.rate", "hinge.rate"},
                        {"hinge.reaction.fz", "hinge.reaction.fz"}}),
            1e-12);
}

// An arm of two links: in MJCF with the file's degrees and shapes, in YAML by hand with its numbers.
TEST(Import, OfAnMjcfArmMovesAsTheSameModelInYaml) {
  const std::string mjcf = mujoco(R"(
<compiler angle='degree'/>
<worldbody>
  <body name='upper' pos='0 0 1' euler='0 30 0'>
    <joint name='shoulder' axis='0 1 0' damping='0.2' stiffness='3' springref='15'/>
    <geom type='box' size='0.3 0.02 0.01' pos='0.3 0 0' mass='1.2'/>
    <body name='lower' pos='0.6 0 0'>
      <joint name='elbow' axis='0 0 1' ref='10'/>
      <geom type='cylinder' fromto='0 0 0 0.4 0 0' size='0.02' mass='0.8'/>
      <body name='slider' pos='0.4 0 0'>
        <joint name='slide' type='slide' axis='1 0 0' damping='2' stiffness='50' springref='0.05'/>
        <geom type='sphere' size='0.03' mass='0.1'/>
      </body>
    </body>
  </body>
</worldbody>
<actuator><motor name='m' joint='elbow' gear='3'/></actuator>
<keyframe><key ctrl='0.2'/></keyframe>)");
  const char* yaml = R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
inputs: {m: 0.2}
bodies:
  upper: {mass: 1.2, inertia: [1.2/3*(0.02^2+0.01^2), 1.2/3*(0.3^2+0.01^2), 1.2/3*(0.3^2+0.02^2)], center: [0.3, 0, 0], at: [0, 0, 1], orientation: {rpy: [0, 30 deg, 0]}}
  lower: {mass: 0.8, inertia: [0.8*0.02^2/2, 0.8*(3*0.02^2+4*0.2^2)/12, 0.8*(3*0.02^2+4*0.2^2)/12], center: [0.2, 0, 0], at: [0.6*cos(30 deg), 0, 1-0.6*sin(30 deg)], orientation: {rpy: [0, 30 deg, 0]}}
  slider: {mass: 0.1, inertia: [0.4*0.1*0.03^2, 0.4*0.1*0.03^2, 0.4*0.1*0.03^2], at: [cos(30 deg), 0, 1-sin(30 deg)], orientation: {rpy: [0, 30 deg, 0]}, frames: {eye: {at: [0, 0, 0]}}}
joints:
  shoulder: {type: revolute, between: [ground, upper], at: [0, 0, 1], axis: [0, 1, 0]}
  elbow: {type: revolute, between: [upper, lower], points: [[0.6, 0, 0], [0, 0, 0]], axis: [sin(30 deg), 0, cos(30 deg)], angle: 10 deg}
  slide: {type: prismatic, between: [lower, slider], points: [[0.4, 0, 0], [0, 0, 0]], axis: [cos(30 deg), 0, -sin(30 deg)]}
forces:
  a: {type: torsional-spring-damper-actuator, joint: shoulder, damping: 0.2, stiffness: 3, angle: 15 deg}
  b: {type: torsional-spring-damper-actuator, joint: elbow, torque: -3*input.m}
  c: {type: friction, joint: slide, coefficient: 0, viscous: 2, load: preload}
  d: {type: bushing, between: [lower.rest, slider.eye], stiffness: [50, 0, 0, 0, 0, 0]}
)";
  std::string by_hand = yaml;
  by_hand.replace(by_hand.find("center: [0.2, 0, 0]"), 0, "frames: {rest: {at: [0.45, 0, 0]}}, ");
  const Imported read = import_text(mjcf, "arm");
  EXPECT_LT(motion_gap(model::build(read.root, mechanism::catalogue()),
                       load_model_text(by_hand, "yaml", mechanism::catalogue()),
                       {{"shoulder.angle", "shoulder.angle"},
                        {"elbow.angle", "elbow.angle"},
                        {"slide.displacement", "slide.displacement"},
                        {"slider.vx", "slider.vx"},
                        {"lower.wz", "lower.wz"}}),
            1e-12);
}

// A body on three joints in a row, carriers without mass between them, against the planar joint that says the same.
TEST(Import, OfSeveralJointsOnOneBodyMovesAsAPlanarJoint) {
  const std::string mjcf = mujoco(R"(
<worldbody><body name='b' pos='0 0 1'>
  <joint name='x' type='slide' axis='1 0 0'/><joint name='z' type='slide' axis='0 0 1'/><joint name='y' axis='0 1 0'/>
  <inertial pos='0.1 0 0.2' mass='2' diaginertia='0.3 0.2 0.1'/></body></worldbody>
<keyframe><key qvel='0.4 2 1.5'/></keyframe>)");
  const char* yaml = R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  b: {mass: 2, inertia: [0.3, 0.2, 0.1], center: [0.1, 0, 0.2], at: [0, 0, 1], velocity: [0.4, 0, 2], angular_velocity: [0, 1.5, 0]}
joints:
  p: {type: planar, between: [ground, b], points: [[0, 0, 1], [0, 0, 0]], axis: [0, 1, 0]}
)";
  const Imported read = import_text(mjcf, "planar");
  EXPECT_LT(
      motion_gap(model::build(read.root, mechanism::catalogue()), load_model_text(yaml, "yaml", mechanism::catalogue()),
                 {{"b.x", "b.x"}, {"b.z", "b.z"}, {"b.wy", "b.wy"}, {"b.qy", "b.qy"}}),
      1e-12);
}

TEST(Import, OfConvertedModelsIsTheSameModel) {
  for (const char* name : {"pendulum.urdf", "arm.urdf", "four-bar.xml", "inertials.xml", "delta.xml", "hopper.xml"}) {
    const model::Model direct = load_robot(name);
    const model::Model yaml = load_model_text(direct.text, "converted", mechanism::catalogue());
    const model::Model json = load_model_text(model_json(direct.text), "converted", mechanism::catalogue());
    EXPECT_EQ(yaml.text, direct.text) << name;
    ASSERT_EQ(json.items.size(), direct.items.size()) << name;
    for (std::size_t k = 0; k < json.items.size(); ++k) EXPECT_EQ(json.items[k].pattern, direct.items[k].pattern);
    const auto a = mechanism::Mechanism::compile(std::make_shared<const model::Model>(direct));
    const auto b = mechanism::Mechanism::compile(std::make_shared<const model::Model>(json));
    EXPECT_EQ(a->initial_state().q, b->initial_state().q) << name;
    EXPECT_EQ(a->initial_state().v, b->initial_state().v) << name;
  }
}

}  // namespace
}  // namespace mortise::io
