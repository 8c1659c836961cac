// Packs: arithmetic of double in every lane, whatever the neighbours hold.
#include "mortise/linalg/pack.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace mortise::linalg {
namespace {

Pack pack_of(double a, double b, double c, double d) {
  Pack x;
  x.set(0, a), x.set(1, b), x.set(2, c), x.set(3, d);
  return x;
}

TEST(Pack, ArithmeticIsThatOfDoubleLaneByLane) {
  const Pack a = pack_of(1.5, -2, 3e10, 0.1), b = pack_of(0.3, 7, -1e-5, 3);
  for (int lane = 0; lane < pack_width; ++lane) {
    EXPECT_EQ((a + b)[lane], a[lane] + b[lane]);
    EXPECT_EQ((a - b)[lane], a[lane] - b[lane]);
    EXPECT_EQ((a * b)[lane], a[lane] * b[lane]);
    EXPECT_EQ((a / b)[lane], a[lane] / b[lane]);
    EXPECT_EQ((-a)[lane], -a[lane]);
    EXPECT_EQ(abs(a)[lane], std::abs(a[lane]));
    EXPECT_EQ(sqrt(abs(a))[lane], std::sqrt(std::abs(a[lane])));
    EXPECT_EQ(floor(a)[lane], std::floor(a[lane]));
    EXPECT_EQ(atan2(a, b)[lane], std::atan2(a[lane], b[lane]));
    EXPECT_EQ(Pack(-0.0)[lane], 0.0);
    EXPECT_TRUE(std::signbit(Pack(-0.0)[lane]));
  }
}

TEST(Pack, ComparisonsGiveMasksAndSelectChoosesByThem) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Pack a = pack_of(1, 2, nan, 4), b(2);
  const Mask less = a < b, not_less = ~less;
  EXPECT_TRUE(less[0]);
  for (int lane = 1; lane < pack_width; ++lane) EXPECT_FALSE(less[lane]);
  EXPECT_TRUE(not_less[2]);
  EXPECT_TRUE((a <= b)[1] && (a == b)[1] && (a >= b)[1] && !(a > b)[1]);
  const Pack chosen = select(less, Pack(-1), a);
  EXPECT_EQ(chosen[0], -1);
  EXPECT_EQ(chosen[3], 4);
  EXPECT_TRUE(std::isnan(chosen[2]));
  EXPECT_EQ(max(a, b)[2], 2);
  EXPECT_TRUE(any(less));
  EXPECT_FALSE(any(less & not_less));
  EXPECT_FALSE(any(Mask::none()));
  Mask one = Mask::none();
  one.set(3, true);
  EXPECT_TRUE(one[3] && any(one) && (one | less)[0]);
}

TEST(Pack, SineAndCosineAreRightToRoundingOnAllRanges) {
  std::mt19937_64 random(7);
  for (const double range : {1e-300, 1e-8, 1.0, 10.0, 1e3, 9e5, 1e9, 1e300})
    for (int k = 0; k < 20000; ++k) {
      std::uniform_real_distribution<double> number(-range, range);
      Pack x, s, c;
      for (int lane = 0; lane < pack_width; ++lane) x.set(lane, number(random));
      sincos(x, s, c);
      for (int lane = 0; lane < pack_width; ++lane) {
        ASSERT_NEAR(s[lane], std::sin(x[lane]), 2.3e-16) << x[lane];
        ASSERT_NEAR(c[lane], std::cos(x[lane]), 2.3e-16) << x[lane];
      }
    }
  // Tiny angles keep all their digits, and zero is exact.
  Pack s, c;
  sincos(pack_of(0, 1e-20, M_PI, std::numeric_limits<double>::infinity()), s, c);
  EXPECT_EQ(s[0], 0);
  EXPECT_EQ(c[0], 1);
  EXPECT_EQ(s[1], 1e-20);
  EXPECT_NEAR(s[2], std::sin(M_PI), 1e-31);
  EXPECT_TRUE(std::isnan(s[3]) && std::isnan(c[3]));
}

TEST(Pack, ALaneDoesNotDependOnItsNeighbours) {
  for (const double neighbour : {0.0, 1e9, std::numeric_limits<double>::quiet_NaN()}) {
    Pack s, c, s_alone, c_alone;
    sincos(pack_of(neighbour, 0.7, neighbour, neighbour), s, c);
    sincos(Pack(0.7), s_alone, c_alone);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(s[1]), std::bit_cast<std::uint64_t>(s_alone[3]));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(c[1]), std::bit_cast<std::uint64_t>(c_alone[3]));
  }
}

TEST(Pack, IsAScalarOfSmallVectors) {
  using Vec = Eigen::Matrix<Pack, 3, 1>;
  const Vec a(pack_of(1, 2, 3, 4), Pack(2), Pack(-1)), b(Pack(0.5), pack_of(4, 3, 2, 1), Pack(7));
  for (int lane = 0; lane < pack_width; ++lane) {
    const auto one = [lane](const Vec& v) { return Eigen::Vector3d(v[0][lane], v[1][lane], v[2][lane]); };
    EXPECT_EQ(one(a.cross(b)), one(a).cross(one(b)));
    EXPECT_NEAR(a.dot(b)[lane], one(a).dot(one(b)), 1e-15);
    EXPECT_EQ(a.norm()[lane], one(a).norm());
  }
}

}  // namespace
}  // namespace mortise::linalg
