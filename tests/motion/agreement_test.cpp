// F-A1: the two McPherson struts accelerate alike in all formulations that take redundant rows.
#include <gtest/gtest.h>

#include "gauss/candidates.h"
#include "gauss/problem_builder.h"
#include "mortise/motion/motion.h"
#include "mortise/stabilize/stabilizer.h"
#include "support/examples.h"

namespace mortise::test {
namespace {

TEST(Agreement, StrutsAccelerateAlikeInAllFormulations) {
  std::mt19937 random(501);
  for (const char* name : {"mcpherson", "mcpherson-overconstrained"}) {
    const auto m = example_mechanism(name);
    const auto none = stabilize::make_stabilizer("none", {});
    const auto reference = gauss::make_formulation("udwadia-kalaba");
    Motion exact(*m, *reference, *none, {});
    State state = m->initial_state();
    state.v = gauss::testing::random_matrix(random, m->v_size(), 1);
    exact.project(state, Motion::Start::fresh);
    gauss::GaussSolution wanted, got;
    wanted.resize(m->pattern());
    got.resize(m->pattern());
    exact.accelerate(state, wanted);
    double a = 0, lambda = 0;
    for (const auto& c : gauss::testing::candidates()) {
      if (!c.can().redundant_rows || c.power == 4) continue;
      Motion motion(*m, *c.formulation, *none, {});
      motion.accelerate(state, got);
      EXPECT_EQ(got.rank.rank, 26) << c.name;
      a = std::max(a, (got.a - wanted.a).norm() / wanted.a.norm());
      lambda = std::max(lambda, (got.lambda - wanted.lambda).norm() / wanted.lambda.norm());
      EXPECT_LT((got.a - wanted.a).norm(), 1e-10 * wanted.a.norm()) << c.name << " on " << name;
      EXPECT_LT((got.lambda - wanted.lambda).norm(), 1e-10 * wanted.lambda.norm()) << c.name << " on " << name;
    }
    std::printf("%s: spread of a %.1e, of lambda %.1e\n", name, a, lambda);
  }
}

}  // namespace
}  // namespace mortise::test
