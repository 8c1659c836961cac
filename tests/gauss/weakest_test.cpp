// The least singular value by soft solutions, of problems whose singular values were ordered, redundant rows included.
#include "mortise/gauss/weakest.h"

#include <gtest/gtest.h>

#include "gauss/random_problems.h"

namespace mortise::gauss {
namespace {

TEST(Weakest, IsTheLeastSingularValueThatIsNotZero) {
  std::mt19937 random(11);
  for (int k = 0; k < 60; ++k) {
    testing::Order order;
    order.smallest = k % 3 == 0 ? 0.3 : k % 3 == 1 ? 0.05 : 0.004;
    order.rank = k % 2 == 0 ? 8 : 6;
    order.scaled = k % 5 == 0;
    order.off = k % 7 == 0 ? 1 : 0;
    testing::OwnedProblem p;
    testing::draw(p, random, order);
    EXPECT_NEAR(weakest_singular_value(p.problem, {}), order.smallest, 0.1 * order.smallest) << k;
  }
}

TEST(Weakest, CountsWhatIsFarBelowAThousandthAsZero) {
  std::mt19937 random(12);
  testing::Order order;
  order.smallest = 1e-6;
  testing::OwnedProblem p;
  testing::draw(p, random, order);
  EXPECT_GE(weakest_singular_value(p.problem, {}), 1e-3);
}

}  // namespace
}  // namespace mortise::gauss
