// Models made in code are those of files: the same tree, the same checks, the same numbers.
#include "mortise/model/builder.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"
#include "mortise/model/emit.h"

namespace mortise::model {
namespace {

ModelBuilder pendulum() {
  return ModelBuilder::planar("Pendulum")
      .gravity({0, -9.81})
      .parameter("L", 1.25)
      .body("arm", {{"mass", 2}, {"inertia", "2*L^2/12"}, {"at", {"L/2", 0}}, {"points", Map{{"tip", {"L/2", 0}}}}})
      .joint("A", "revolute", {{"between", {"ground", "arm"}}, {"at", {0, 0}}, {"active", true}})
      .force("spring", "spring-damper-actuator",
             {{"between", {"ground", "arm.tip"}}, {"stiffness", 10}, {"force", "max(1, sin(t))"}})
      .analysis({{"until", 3}});
}

TEST(ModelBuilder, MakesTheModelOfTheFile) {
  const Model file = io::load_model_text(R"yaml(mortise: 1
name: Pendulum
dimension: planar
gravity: [0, -9.81]
parameters:
  L: 1.25
bodies:
  arm: {mass: 2, inertia: 2*L^2/12, at: [L/2, 0], points: {tip: [L/2, 0]}}
joints:
  A: {type: revolute, between: [ground, arm], at: [0, 0], active: true}
forces:
  spring: {type: spring-damper-actuator, between: [ground, arm.tip], stiffness: 10, force: "max(1, sin(t))"}
analysis: {until: 3}
)yaml",
                                         "pendulum.yaml", mechanism::catalogue());
  const Model code = pendulum().build(mechanism::catalogue());
  EXPECT_EQ(code.text, file.text);
  EXPECT_EQ(code.name, "Pendulum");
  EXPECT_EQ(code.analysis.until, 3);
  EXPECT_EQ(ItemCopy(code, code.items[0], 0).vector("at").x(), 0.625);
}

TEST(ModelBuilder, KeepsEveryDigit) {
  for (const double x : {0.1, 1.0 / 3, 1e-300, -123456789.123456789, 4.9406564584124654e-324, 1.7976931348623157e308}) {
    const Model code =
        ModelBuilder::planar().body("b", "particle", {{"mass", 1}, {"at", {x, 0}}}).build(mechanism::catalogue());
    EXPECT_EQ(ItemCopy(code, code.items[0], 0).vector("at").x(), x);
    const Model again = io::load_model_text(code.text, "again", mechanism::catalogue());
    EXPECT_EQ(ItemCopy(again, again.items[0], 0).vector("at").x(), x);
  }
}

std::vector<Diagnostic> mistakes(const std::function<void()>& make) {
  try {
    make();
  } catch (const ModelError& error) {
    return error.diagnostics();
  }
  return {};
}

// Codes, messages and hints without the order, which is that of the file there.
std::multiset<std::string> words(const std::vector<Diagnostic>& diagnostics) {
  std::multiset<std::string> all;
  for (const Diagnostic& d : diagnostics) all.insert(d.code + " " + d.message + " " + d.hint);
  return all;
}

struct Mistake {
  const char* name;
  ModelBuilder model;
  const char* place;  // where the first of them is
};

// Each as the file would have it, and with the item and field as its place.
TEST(ModelBuilder, FindsTheMistakesThatAFileWouldHave) {
  const Map arm{{"mass", 1}, {"inertia", 0.1}};
  const auto with_arm = [&] { return ModelBuilder::planar("P").body("arm", arm); };
  const std::vector<Mistake> all{
      {"type", with_arm().joint("A", "revolut", {{"between", {"ground", "arm"}}}), "P: joints.A.type"},
      {"field", ModelBuilder::planar("P").body("arm", {{"mas", 1}}), "P: bodies.arm"},
      {"kind", ModelBuilder::planar("P").body("arm", {{"mass", {1, 2}}}), "P: bodies.arm.mass"},
      {"formula", ModelBuilder::planar("P").body("arm", {{"mass", "2*lenght"}}), "P: bodies.arm.mass"},
      {"not finite", ModelBuilder::planar("P").body("arm", {{"mass", "1/0"}, {"inertia", 1}}), "P: bodies.arm.mass"},
      {"negative", ModelBuilder::planar("P").body("arm", {{"mass", -1}, {"inertia", 1}}), "P: bodies.arm.mass"},
      {"length", ModelBuilder::planar("P").body("arm", {{"mass", 1}, {"at", {0, 0, 0}}}), "P: bodies.arm.at"},
      {"reference", with_arm().joint("A", "revolute", {{"between", {"ground", "arn"}}, {"at", {0, 0}}}),
       "P: joints.A.between[1]"},
      {"parameter", with_arm().parameter("a", "b").parameter("b", "a"), "P: parameters."},
      {"setting", with_arm().analysis({{"untill", 3}}), "P: analysis"},
      {"value", with_arm().analysis({{"until", -3}}), "P: analysis.until"},
      {"section", with_arm().set("joint", Map{}), "P: joint"},
      {"map", with_arm().set("joints", 3), "P: joints"},
  };
  for (const Mistake& m : all) {
    const auto code = mistakes([&] { m.model.build(mechanism::catalogue()); });
    const auto file =
        mistakes([&] { io::load_model_text(emit_yaml(m.model.node()), "file.yaml", mechanism::catalogue()); });
    ASSERT_FALSE(code.empty()) << m.name;
    EXPECT_EQ(words(code), words(file)) << m.name;
    EXPECT_TRUE(code[0].place.str().starts_with(m.place)) << m.name << ": " << code[0].place.str();
    EXPECT_TRUE(render(code[0]).starts_with(code[0].place.str() + ": error M")) << render(code[0]);
  }
}

TEST(ModelBuilder, RefusesANameThatStandsTwice) {
  const auto found = mistakes([] { pendulum().body("arm", {{"mass", 1}}).build(mechanism::catalogue()); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, "M508");
  EXPECT_EQ(found[0].place.str(), "Pendulum: bodies.arm");
}

TEST(ModelBuilder, RefusesNumbersThatAreNone) {
  for (const double x : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_FALSE(mistakes([&] {
                   ModelBuilder::planar().body("arm", {{"mass", x}}).build(mechanism::catalogue());
                 }).empty());
}

TEST(ModelBuilder, RepeatsItems) {
  const Model chain = ModelBuilder::planar("Chain")
                          .parameter("N", 4)
                          .body("b$i", "particle", {{"repeat", Map{{"i", "N"}}}, {"mass", 1}, {"at", {"i", 0}}})
                          .joint("j$i", "distance", {{"repeat", Map{{"i", "N-1"}}}, {"between", {"b$i", "b$(i+1)"}}})
                          .build(mechanism::catalogue());
  EXPECT_EQ(chain.items[0].count, 4);
  EXPECT_EQ(ItemCopy(chain, chain.items[1], 2).attachments("between")[1].body, "b3");
}

}  // namespace
}  // namespace mortise::model
