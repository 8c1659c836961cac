// What a model file says arrives in the model.
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <numbers>
#include <sstream>

#include "mortise/io/yaml.h"
#include "mortise/model/model.h"
#include "support/test_catalogue.h"

namespace mortise::model {
namespace {

constexpr double pi = std::numbers::pi;

Model load(const std::string& text, const std::vector<std::string>& settings = {}) {
  return io::load_model_text(text, "test.yaml", test::test_catalogue(), settings);
}

ItemCopy copy(const Model& model, const std::string& name) {
  for (const Item& item : model.items)
    for (int k = 0; k < item.count; ++k)
      if (ItemCopy(model, item, k).name() == name) return ItemCopy(model, item, k);
  throw std::runtime_error("no item " + name);
}

// Of the processor, not of the clock: other programs may be busy.
double seconds_since(std::clock_t start) { return double(std::clock() - start) / CLOCKS_PER_SEC; }

const std::string five_bar = R"yaml(
mortise: 1
name: Five-bar parallelogram
dimension: planar
gravity: [0, -9.81]
parameters: {half: L/2, L: 1.0, theta0: -30 deg, N: 2}
bodies:
  left: {mass: 1, inertia: 0.1, at: [half, 0], angle: theta0, velocity: [1, 2], angular_velocity: 3,
         points: {B: [0.5, 0], A: [-half, L^2]}}
  link$i: {repeat: {i: N+1}, mass: 1+i, inertia: 1/12, at: [i, 0.5], angle: 90 deg, frames: {F: {at: [i, 1], angle: 90 deg}}}
joints:
  A: {type: revolute, between: [ground, left], at: [0, 0]}
  J$i: {repeat: {i: N}, type: hinge, between: [link$i, link$(i+1)], at: [i, 1], points: [[1, 2], [3, 4]]}
  K: {type: revolute, between: [left.B, link$(N).F], active: false}
drivers: {motor: {type: rotation, joint: A, function: "2*pi*sin(t)"}}
forces:
  spring: {type: spring-damper-actuator, between: [left.B, ground], stiffness: 100}
  push$i: {repeat: {i: 2}, type: force, body: link$i.F, value: [i*t, 1]}
analysis: {type: dynamics, until: 20, formulation: auto, stabilize: {type: baumgarte, alpha: 5, beta: 6}, integrator: adams,
           tolerance: 1e-6, assemble: false}
output: {every: L/100, checkpoint: {steps: 10}}
)yaml";

TEST(Build, ReadsTheSettings) {
  const Model m = load(five_bar);
  EXPECT_EQ(m.name, "Five-bar parallelogram");
  EXPECT_EQ(m.dimension, 2);
  EXPECT_EQ(m.gravity, Eigen::Vector3d(0, -9.81, 0));
  EXPECT_EQ(m.parameter_names, (std::vector<std::string>{"half", "L", "theta0", "N"}));
  EXPECT_EQ(m.parameter_values[0], 0.5);
  EXPECT_DOUBLE_EQ(m.parameter_values[2], -pi / 6);
  EXPECT_EQ(m.analysis.until, 20);
  EXPECT_EQ(m.analysis.stabilize, "baumgarte");
  EXPECT_EQ(m.analysis.alpha, 5);
  EXPECT_EQ(m.analysis.gamma, 10);
  EXPECT_EQ(m.analysis.tolerance, 1e-6);
  EXPECT_FALSE(m.analysis.assemble);
  EXPECT_EQ(m.analysis.place_integrator.line, 19);
  EXPECT_EQ(m.output.every, 0.01);
  EXPECT_EQ(m.output.checkpoint_steps, 10);
}

TEST(Build, ReadsPlanarBodies) {
  const Model m = load(five_bar);
  const ItemCopy left = copy(m, "left");
  EXPECT_EQ(left.part().type, "rigid");
  EXPECT_EQ(left.number("mass"), 1);
  EXPECT_EQ(left.inertia("inertia")(2, 2), 0.1);
  EXPECT_EQ(left.vector("at"), Eigen::Vector3d(0.5, 0, 0));
  EXPECT_DOUBLE_EQ(left.number("angle"), -pi / 6);
  EXPECT_EQ(left.vector("velocity", Eigen::Vector3d::Zero()), Eigen::Vector3d(1, 2, 0));
  EXPECT_EQ(left.spin("angular_velocity"), Eigen::Vector3d(0, 0, 3));
  EXPECT_FALSE(left.has("center"));
  EXPECT_EQ(left.vector("center", Eigen::Vector3d(7, 7, 0)), Eigen::Vector3d(7, 7, 0));
  const auto points = left.point_map("points");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[1].name, "A");
  EXPECT_EQ(points[1].at, Eigen::Vector3d(-0.5, 1, 0));
  EXPECT_THROW(left.number("center"), ModelError);
}

TEST(Build, EvaluatesEachCopyOfARepeatedItem) {
  const Model m = load(five_bar);
  EXPECT_EQ(m.section(Section::body).size(), 2u);
  const Item& links = *m.section(Section::body)[1];
  ASSERT_EQ(links.count, 3);
  const ItemCopy last(m, links, 2);
  EXPECT_EQ(last.name(), "link2");
  EXPECT_EQ(last.number("mass"), 3);
  EXPECT_EQ(last.vector("at"), Eigen::Vector3d(2, 0.5, 0));
  EXPECT_EQ(last.frame_map("frames")[0].at, Eigen::Vector3d(2, 1, 0));
  EXPECT_NEAR(last.frame_map("frames")[0].orientation.z, std::sqrt(0.5), 1e-15);
  const ItemCopy joint = copy(m, "J1");
  EXPECT_EQ(joint.part().type, "revolute");
  EXPECT_EQ(joint.attachments("between")[0].body, "link1");
  EXPECT_EQ(joint.attachments("between")[1].body, "link2");
  EXPECT_EQ(joint.points("points")[1], Eigen::Vector3d(3, 4, 0));
  const double t = 2;
  const auto force = copy(m, "push1").functions("value");
  ASSERT_EQ(force.size(), 2u);
  EXPECT_EQ(force[0].value({&t, 1}), 2);
  EXPECT_EQ(force[1].value({&t, 1}), 1);
}

TEST(Build, ReadsReferencesAndFunctions) {
  const Model m = load(five_bar);
  const ItemCopy k = copy(m, "K");
  EXPECT_EQ(k.attachments("between")[0].body, "left");
  EXPECT_EQ(k.attachments("between")[0].point, "B");
  EXPECT_EQ(k.attachments("between")[1].body, "link2");
  EXPECT_EQ(k.attachments("between")[1].point, "F");
  EXPECT_FALSE(k.flag("active", true));
  EXPECT_TRUE(copy(m, "A").flag("active", true));
  EXPECT_EQ(copy(m, "motor").text("joint"), "A");
  const double t = 0.25;
  EXPECT_DOUBLE_EQ(copy(m, "motor").function("function").value({&t, 1}), 2 * pi * std::sin(0.25));
  EXPECT_EQ(k.place().line, 14);
  EXPECT_EQ(k.place("between").column, 32);
}

// Columns count bytes; the caret stands below the letter all the same.
TEST(Build, PointsBehindLettersOfSeveralBytes) {
  try {
    load("mortise: 1\ndimension: planar\nbodies: {\"Größe\": {mass: 1, inertja: 2}}\n");
    FAIL();
  } catch (const ModelError& error) {
    const std::string text = error.what();
    const auto line = text.rfind("| bodies"), caret = text.find('^', line), start = text.rfind('\n', caret);
    ASSERT_NE(caret, std::string::npos);
    const std::string shown = text.substr(line, text.find('\n', line) - line);
    EXPECT_EQ(caret - start - 1, 6 + shown.find("inertja") - 2) << text;  // ö and ß have two bytes each
  }
}

TEST(Build, NotesAliasesAndLargeAngles) {
  const Model m = load(five_bar);
  ASSERT_EQ(m.notes.size(), 1u);
  EXPECT_EQ(m.notes[0].code, "M001");
  EXPECT_TRUE(m.notes[0].warning);
  const Model n = load(
      "mortise: 1\ndimension: planar\nbodies: {a: {mass: 1, angle: 720}, b: {mass: 1, angle: 720 deg}, "
      "c: {mass: 1, angle: 4*pi}, d: {mass: 1, angular_velocity: 100}}");
  ASSERT_EQ(n.notes.size(), 1u);
  EXPECT_EQ(n.notes[0].code, "M002");
  EXPECT_EQ(n.notes[0].hint, "did you mean '720 deg'?");
}

TEST(Build, ReadsSpatialBodies) {
  const Model m = load(R"yaml(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 2, inertia: [1, 2, 2.5], orientation: {rpy: [0.1, 0.2, 0.3]}, angular_velocity: [1, 2, 3]}
  b: {mass: 2, inertia: {xx: 1, yy: 2, zz: 2.5, yz: 0.1, xy: -0.2}, orientation: {quaternion: {z: 0, w: 0.6, x: 0.8, y: 0}}}
  c: {mass: 2, orientation: {axis: [0, 0, 2], angle: 90 deg}, frames: {F: {at: [1, 2, 3], orientation: {rpy: [0, 0, 90 deg]}}, G: {}}}
  d: {mass: 2, orientation: {euler: {sequence: zxz, intrinsic: true, angles: [0.1, 0.2, 0.3]}}}
)yaml");
  const auto near = [](const geometry::Quaternion& a, const geometry::Quaternion& b) {
    return geometry::matrix(a).isApprox(geometry::matrix(b), 1e-14);
  };
  EXPECT_EQ(copy(m, "a").inertia("inertia"), Eigen::Matrix3d(Eigen::Vector3d(1, 2, 2.5).asDiagonal()));
  EXPECT_EQ(copy(m, "a").spin("angular_velocity"), Eigen::Vector3d(1, 2, 3));
  EXPECT_TRUE(near(copy(m, "a").orientation("orientation"), geometry::from_rpy(0.1, 0.2, 0.3)));
  EXPECT_TRUE(near(copy(m, "b").orientation("orientation"), {0.6, 0.8, 0, 0}));
  Eigen::Matrix3d J;
  J << 1, -0.2, 0, -0.2, 2, 0.1, 0, 0.1, 2.5;
  EXPECT_EQ(copy(m, "b").inertia("inertia"), J);
  EXPECT_TRUE(near(copy(m, "c").orientation("orientation"), geometry::from_rpy(0, 0, pi / 2)));
  const auto frames = copy(m, "c").frame_map("frames");
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].at, Eigen::Vector3d(1, 2, 3));
  EXPECT_TRUE(near(frames[0].orientation, geometry::from_rpy(0, 0, pi / 2)));
  EXPECT_TRUE(near(frames[1].orientation, {}));
  EXPECT_TRUE(near(copy(m, "d").orientation("orientation"), geometry::from_euler("zxz", true, {0.1, 0.2, 0.3})));
  EXPECT_TRUE(near(copy(m, "d").orientation("inertia_frame"), {}));
}

TEST(Build, StoresATextThatGivesTheSameModel) {
  const Model m = load(five_bar, {"L=2", "bodies.left.mass=3*L", "analysis.until=5"});
  EXPECT_EQ(copy(m, "left").number("mass"), 6);
  const Model again = load(m.text);
  EXPECT_EQ(again.text, m.text);
  EXPECT_EQ(again.parameter_values, m.parameter_values);
  EXPECT_EQ(again.analysis.until, 5);
  ASSERT_EQ(again.items.size(), m.items.size());
  for (std::size_t k = 0; k < m.items.size(); ++k) {
    EXPECT_EQ(again.items[k].pattern, m.items[k].pattern);
    EXPECT_EQ(again.items[k].count, m.items[k].count);
    EXPECT_EQ(again.items[k].fields.size(), m.items[k].fields.size());
  }
  EXPECT_EQ(copy(again, "left").number("mass"), 6);
}

TEST(Build, LoadsAHundredThousandCopiesInSeconds) {
  const std::clock_t start = std::clock();
  const Model m = load(R"yaml(
mortise: 1
dimension: planar
parameters: {N: 100000}
bodies:
  link$i: {repeat: {i: N+1}, mass: 1, inertia: 1/12, at: [i, 0.5], points: {B: [0.5, 0]}}
  bar$(i+1): {repeat: {i: N}, mass: 1, at: [i, 0.5]}
joints:
  A$i: {repeat: {i: N+1}, type: revolute, between: [ground, link$i], at: [i, 1]}
  J$i: {repeat: {i: N}, type: revolute, between: [link$i.B, bar$(i+1)], at: [i, 1]}
  K$i: {repeat: {i: N}, type: revolute, between: [link$(i+1), bar$(i+1)], at: [i, 1]}
  ring$i: {repeat: {i: N}, type: revolute, between: ["link$(i)", "bar$(mod(i+1, N)+1)"], at: [i, 1]}
)yaml");
  EXPECT_LT(seconds_since(start), 2.0);
  double sum = 0;
  for (const Item* item : m.section(Section::joint))
    for (int k = 0; k < item->count; ++k) sum += ItemCopy(m, *item, k).vector("at")[1];
  EXPECT_EQ(sum, 400001);
  EXPECT_LT(seconds_since(start), 2.0);
}

TEST(Build, ProvesReferencesOfMillionsOfCopiesWithoutListingThem) {
  const std::clock_t start = std::clock();
  const std::string chain = R"yaml(
mortise: 1
dimension: planar
parameters: {N: 2000000}
bodies:
  link$i: {repeat: {i: N+1}, mass: 1, points: {B: [0.5, 0]}}
joints:
  J$i: {repeat: {i: N}, type: revolute, between: [link$i.B, "link$(i+1)"]}
)yaml";
  load(chain);
  EXPECT_LT(seconds_since(start), 0.2);
  EXPECT_THROW(load(chain, {"joints.J$i.between=[link$i.B, link$(i+2)]"}), ModelError);
  EXPECT_THROW(load(chain, {"joints.J$i.between=[link$i.C, link$(i+1)]"}), ModelError);
  EXPECT_THROW(load(chain, {"joints.J$i.between=[link$i, link$(N-i)]"}), ModelError);  // meet at i = N/2
}

// The indented blocks of docs/model.md that are models or sections of one.
TEST(Documentation, ShowsModelsThatLoad) {
  std::ifstream in(MORTISE_SOURCE_DIR "/docs/model.md");
  std::vector<std::string> blocks;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    const bool code = line.starts_with("    ") && !line.starts_with("      ");
    if (code && !inside) blocks.emplace_back();
    const bool remark = line.starts_with("    #");
    if (line.starts_with("    ") && !remark) blocks.back() += line.substr(4) + "\n";
    inside = line.starts_with("    ");
  }
  int loaded = 0;
  for (const std::string& block : blocks) {
    const bool whole = block.starts_with("mortise: 1"), sections = block.starts_with("parameters:");
    if (!whole && !sections) continue;
    EXPECT_NO_THROW(load(whole ? block : "mortise: 1\ndimension: planar\n" + block)) << block;
    ++loaded;
  }
  EXPECT_EQ(loaded, 2);
}

}  // namespace
}  // namespace mortise::model
