// A model that is saved and loaded is the same model: its text, its initial state and every number of its equations, to
// the last bit.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"
#include "mortise/model/builder.h"
#include "support/frames.h"

namespace mortise::mechanism {
namespace {

using model::Map;
using model::ModelBuilder;
using model::Value;
using test::same_bits;

std::string temporary(const std::string& name) {
  const auto folder = std::filesystem::path(MORTISE_BINARY_DIR) / "round-trip";
  std::filesystem::create_directories(folder);
  return (folder / name).string();
}

// Saves, loads, compiles and compares, at the initial state and at others nearby and later.
void expect_same_model(model::Model first, const std::string& name) {
  const std::string path = temporary(name + ".yaml");
  io::save_model(first, path);
  model::Model second = io::load_model(path, catalogue());
  EXPECT_EQ(first.text, second.text) << name;
  EXPECT_EQ(first.parameter_values, second.parameter_values) << name;
  EXPECT_EQ(first.analysis.until, second.analysis.until) << name;
  EXPECT_EQ(first.output.every, second.output.every) << name;
  const auto a = Mechanism::compile(std::make_shared<const model::Model>(std::move(first)));
  const auto b = Mechanism::compile(std::make_shared<const model::Model>(std::move(second)));
  ASSERT_EQ(a->pattern().m(), b->pattern().m()) << name;
  ASSERT_EQ(a->pattern().n(), b->pattern().n()) << name;
  EXPECT_EQ(a->pattern().row_scale, b->pattern().row_scale) << name;
  for (int row = 0; row < a->pattern().m(); ++row) ASSERT_EQ(a->row_name(row), b->row_name(row)) << name;
  State x = a->initial_state(), y = b->initial_state();
  const auto scratch_a = a->make_scratch(), scratch_b = b->make_scratch();
  Evaluation p, q;
  p.resize(a->pattern());
  q.resize(b->pattern());
  std::mt19937 random(5);
  std::uniform_real_distribution<double> shift(-0.01, 0.01);
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(same_bits(x.q, y.q) && same_bits(x.v, y.v) && x.active == y.active) << name;
    a->evaluate(x, need_dynamics | need_energy, *scratch_a, p);
    b->evaluate(y, need_dynamics | need_energy, *scratch_b, q);
    EXPECT_TRUE(same_bits(p.problem.M, q.problem.M) && same_bits(p.problem.A, q.problem.A) &&
                same_bits(p.problem.Q, q.problem.Q) && same_bits(p.problem.b, q.problem.b) && same_bits(p.phi, q.phi) &&
                same_bits(p.c_t, q.c_t))
        << name;
    EXPECT_EQ(p.potential, q.potential) << name;
    for (Vector* v : {&x.q, &x.v})
      for (double& number : *v) number += shift(random);
    a->normalize(as_span(x.q));
    y.q = x.q;
    y.v = x.v;
    x.t = y.t = 0.37 * (round + 1);
  }
}

TEST(RoundTrip, OfEveryExample) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MORTISE_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".yaml") {
      expect_same_model(io::load_model(entry.path(), catalogue()), entry.path().stem().string());
      ++count;
    }
  EXPECT_GE(count, 15);
}

TEST(RoundTrip, OfRandomModelsMadeInCode) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-1, 1), positive(0.1, 2);
  const auto vector = [&](int n) {
    std::vector<Value> list;
    for (int k = 0; k < n; ++k) list.emplace_back(any(random));
    return Value(list);
  };
  for (int round = 0; round < 200; ++round) {
    const bool planar = round % 2 == 0;
    const int d = planar ? 2 : 3;
    ModelBuilder m = planar ? ModelBuilder::planar("random: \"model\" #1") : ModelBuilder::spatial("models' é ,{[");
    m.gravity(vector(d)).parameter("L", positive(random)).parameter("w", "2*pi/L");
    const int bodies = 1 + static_cast<int>(random() % 4);
    for (int k = 0; k < bodies; ++k) {
      Map fields{
          {"mass", positive(random)}, {"at", vector(d)}, {"velocity", vector(d)}, {"points", Map{{"P", vector(d)}}}};
      if (planar) {
        fields.add("inertia", "L*" + std::to_string(positive(random))).add("angle", any(random));
      } else {
        fields.add("inertia", {1.5, positive(random), 1.5}).add("orientation", Map{{"rpy", vector(3)}});
        fields.add("angular_velocity", vector(3)).add("center", vector(3));
      }
      m.body("b" + std::to_string(k), fields);
      const std::string other = k == 0 ? "ground" : "b" + std::to_string(k - 1);
      const std::string self = "b" + std::to_string(k);
      if (random() % 2)
        m.joint("j" + std::to_string(k), "revolute", {{"between", {Value(other), Value(self)}}, {"at", vector(d)}});
      else
        m.force("f" + std::to_string(k), "spring-damper-actuator",
                {{"between", {Value(other), Value(self + ".P")}},
                 {"stiffness", positive(random)},
                 {"damping", 0.1},
                 {"length", positive(random)},
                 {"force", "max(0, " + std::to_string(any(random)) + "*sin(w*t))"}});
    }
    m.analysis({{"until", positive(random)}, {"tolerance", 1e-9}}).output({{"every", 0.01}});
    expect_same_model(m.build(catalogue()), "random");
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST(SaveModel, SaysWhyItCannot) {
  const model::Model m = ModelBuilder::planar().body("b", "particle", {{"mass", 1}}).build(catalogue());
  try {
    io::save_model(m, "/nowhere/at/all/model.yaml");
    FAIL();
  } catch (const OutputError& error) {
    EXPECT_EQ(error.file(), "/nowhere/at/all/model.yaml");
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos) << error.what();
  }
}

TEST(PartList, TakesPartsThatTheLibraryDoesNotKnow) {
  PartList parts;
  Part twin = *parts.find(model::Section::joint, "revolute");
  EXPECT_THROW(parts.add(twin), std::invalid_argument);  // the name is taken
  twin.info.type = "my-hinge";
  EXPECT_THROW(parts.add(twin), std::invalid_argument);  // its alias, too
  twin.info.aliases.clear();
  const char* const text =
      "mortise: 1\ndimension: planar\nbodies:\n  b: {mass: 1, inertia: 1, at: [1, 0]}\n"
      "joints:\n  A: {type: my-hinge, between: [ground, b], at: [0, 0]}\n";
  EXPECT_THROW(io::load_model_text(text, "x.yaml", parts.catalogue()), ModelError);
  parts.add(twin);
  const auto model = std::make_shared<const model::Model>(io::load_model_text(text, "x.yaml", parts.catalogue()));
  EXPECT_EQ(Mechanism::compile(model, parts)->pattern().m(), 2);
  EXPECT_THROW(Mechanism::compile(model), std::invalid_argument);  // the list without it
  Part empty = twin;
  empty.info.type = "empty";
  empty.build = nullptr;
  EXPECT_THROW(parts.add(empty), std::invalid_argument);
}

}  // namespace
}  // namespace mortise::mechanism
