// Tables of a model are functions in its formulas, and stay so in the model's stored text.
#include <gtest/gtest.h>

#include <cmath>

#include "mortise/formula/spline.h"
#include "mortise/io/yaml.h"
#include "mortise/model/model.h"
#include "support/test_catalogue.h"

namespace mortise::model {
namespace {

constexpr const char* text = R"yaml(
mortise: 1
dimension: planar
parameters: {L: 2}
tables:
  cam: {x: [0, 90 deg, 180 deg, 270 deg, 360 deg], y: [1, "cos(pi/2)", -1, 0, "cos(2*pi)"], ends: periodic}
  mass: {x: [0, 1, 2], y: [1, L, L^2]}
bodies: {arm: {mass: mass(1), inertia: 1}, b$i: {repeat: {i: 3}, mass: mass(i)}}
joints: {A: {type: revolute, between: [ground, arm], at: [0, 0]}}
drivers: {motor: {type: rotation, joint: A, function: "L*cam(t)*if(t < 3, 1, cam(t))"}}
)yaml";

double mass(const Model& m, const char* name) {
  for (const Item& item : m.items)
    for (int k = 0; k < item.count; ++k)
      if (ItemCopy(m, item, k).name() == name) return ItemCopy(m, item, k).number("mass");
  return NAN;
}

formula::Expression function(const Model& m) {
  return ItemCopy(m, *m.section(Section::driver)[0], 0).function("function");
}

TEST(Tables, AreFunctionsInEveryFormula) {
  const Model m = io::load_model_text(text, "test.yaml", test::test_catalogue());
  EXPECT_EQ(mass(m, "arm"), 2);
  EXPECT_EQ(mass(m, "b0"), 1);
  EXPECT_EQ(mass(m, "b2"), 4);
  const formula::Spline cam({0, M_PI / 2, M_PI, 3 * M_PI / 2, 2 * M_PI}, {1, std::cos(M_PI / 2), -1, 0, 1},
                            formula::Spline::Ends::periodic);
  for (double t : {-1.0, 0.3, 2.0, 3.5, 8.0}) {
    const auto c = cam(t);
    const double one = 1;
    const auto f = function(m).along({&t, 1}, {&one, 1}, {});
    EXPECT_NEAR(f.value, t < 3 ? 2 * c.value : 2 * c.value * c.value, 1e-14);
    EXPECT_NEAR(f.first, t < 3 ? 2 * c.first : 4 * c.value * c.first, 1e-13);
    EXPECT_NEAR(f.second, t < 3 ? 2 * c.second : 4 * (c.first * c.first + c.value * c.second), 1e-12);
  }
}

TEST(Tables, StayInTheStoredTextAndFollowSettings) {
  const Model m = io::load_model_text(text, "test.yaml", test::test_catalogue(), {"L=3"});
  EXPECT_EQ(mass(m, "b2"), 9);
  const Model again = io::load_model_text(m.text, "stored.yaml", test::test_catalogue());
  EXPECT_EQ(mass(again, "b2"), 9);
  const double t = 0.8;
  EXPECT_EQ(function(again).value({&t, 1}), function(m).value({&t, 1}));
}

}  // namespace
}  // namespace mortise::model
