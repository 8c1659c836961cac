// The table of local constraints: each complement in closed form, and the one found by QR.
#include "mortise/gauss/local_rows.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numbers>

namespace mortise::gauss {
namespace {

// D̂Ĉᵀ = 0 with all rows that there can be; the QR fallback spans the same.
void expect_complement(const LocalConstraint& at) {
  const Eigen::Index m = at.C.rows(), n = at.C.cols();
  ASSERT_EQ(at.D.rows(), n - m);
  ASSERT_EQ(Eigen::FullPivLU<Matrix>(at.C).rank(), m);
  const LocalMatrix Q = local_complement(at.C);
  ASSERT_EQ(Q.rows(), n - m);
  if (n == m) return;
  ASSERT_EQ(at.D.cols(), n);
  const double size = at.C.norm() * at.D.norm();
  EXPECT_LE((at.D * at.C.transpose()).norm(), 1e-16 * size);
  EXPECT_EQ(Eigen::FullPivLU<Matrix>(at.D).rank(), n - m);
  EXPECT_LT((Q * at.C.transpose()).norm(), 1e-15 * at.C.norm());
  Matrix both(2 * (n - m), n);
  both << at.D, Q;
  EXPECT_EQ(Eigen::FullPivLU<Matrix>(both).setThreshold(1e-12).rank(), n - m);
}

TEST(LocalConstraint, PlanarPinFixesBothCoordinates) { expect_complement(planar_pin()); }
TEST(LocalConstraint, SphericalClosureFixesThree) { expect_complement(spherical_closure()); }
TEST(LocalConstraint, RevoluteClosureFixesFive) { expect_complement(revolute_closure()); }
TEST(LocalConstraint, PrescribedCoordinateIsFixed) { expect_complement(prescribed_coordinate()); }
TEST(LocalConstraint, PointOnALineIsFixedAlongItsNormal) { expect_complement(point_on_line_along_normal()); }
TEST(LocalConstraint, PointOnALineMovesAlongIt) {
  for (double alpha : {0.0, 0.5, 1.2, -1.5, 3.0}) expect_complement(point_on_line(alpha));
}
TEST(LocalConstraint, PointOnACircleMovesAcrossTheRadius) {
  for (double angle : {0.0, 0.4, 2.0, 5.0})
    expect_complement(point_on_circle(2 * std::cos(angle), 2 * std::sin(angle)));
}
TEST(LocalConstraint, PointOnASurfaceMovesInItsTangentPlane) {
  expect_complement(point_on_surface(0, 0));
  expect_complement(point_on_surface(0.7, -1.3));
}
TEST(LocalConstraint, RollingDiscMovesAndTurns) { expect_complement(rolling_disc(0.3)); }

TEST(LocalConstraint, IsRefusedWhereItsCoordinatesFail) {
  EXPECT_THROW(point_on_line(std::numbers::pi / 2), LocalRankDeficient);
  EXPECT_THROW(point_on_circle(0, 0), LocalRankDeficient);
  LocalMatrix C(2, 3);
  C << 1, 2, 3, 2, 4, 6;
  EXPECT_THROW(local_complement(C), LocalRankDeficient);
}

}  // namespace
}  // namespace mortise::gauss
