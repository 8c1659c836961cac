// Rotations against Eigen's, written in another way, and against their own inverses.
#include "mortise/geometry/rotation.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

namespace mortise::geometry {
namespace {

using Eigen::AngleAxisd;
using Eigen::Matrix3d;
using Eigen::Vector3d;

class Rotation : public testing::Test {
 protected:
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  Vector3d vector(double largest) {
    return {number(-largest, largest), number(-largest, largest), number(-largest, largest)};
  }
  Quaternion rotation() { return Quaternion{number(-1, 1), number(-1, 1), number(-1, 1), number(-1, 1)}.normalized(); }
  static double distance(const Matrix3d& A, const Matrix3d& B) { return (A - B).cwiseAbs().maxCoeff(); }
  static Matrix3d about(int axis, double angle) { return AngleAxisd(angle, Vector3d::Unit(axis)).toRotationMatrix(); }

  std::mt19937_64 random_{42};
};

TEST_F(Rotation, MatrixTurnsBodyComponentsIntoWorldComponents) {
  const Matrix3d R = matrix(from_axis_angle({0, 0, 2}, M_PI / 2));
  EXPECT_LT((R * Vector3d::UnitX() - Vector3d::UnitY()).norm(), 1e-15);
  for (int trial = 0; trial < 200; ++trial) {
    const Quaternion q = rotation();
    EXPECT_LT(distance(matrix(q), Eigen::Quaterniond(q.w, q.x, q.y, q.z).toRotationMatrix()), 2e-15);
  }
}

TEST_F(Rotation, ProductOfQuaternionsIsTheProductOfMatrices) {
  for (int trial = 0; trial < 200; ++trial) {
    const Quaternion p = rotation(), q = rotation();
    EXPECT_LT(distance(matrix(p * q), matrix(p) * matrix(q)), 3e-15);
    EXPECT_LT(distance(matrix(p.conjugate()), matrix(p).transpose()), 1e-15);
    const Quaternion one = p * p.conjugate();
    EXPECT_NEAR(one.w, 1, 1e-15);
    EXPECT_NEAR(one.x * one.x + one.y * one.y + one.z * one.z, 0, 1e-30);
  }
}

TEST_F(Rotation, MatrixIsARotationForQuaternionsOfAnyLength) {
  for (double length : {1e-3, 0.9, 1 + 1e-6, 50.0}) {
    const Quaternion q = rotation();
    const Matrix3d R = matrix(Quaternion{length * q.w, length * q.x, length * q.y, length * q.z});
    EXPECT_LT(distance(R.transpose() * R, Matrix3d::Identity()), 2e-15);
    EXPECT_NEAR(R.determinant(), 1, 2e-15);
    EXPECT_LT(distance(R, matrix(q)), 2e-15);
  }
}

TEST_F(Rotation, FromMatrixIsTheInverseOfMatrixHalfTurnsIncluded) {
  const auto round_trip = [](const Matrix3d& R) {
    const Quaternion q = from_matrix(R);
    EXPECT_GE(q.w, 0);
    EXPECT_NEAR(q.norm(), 1, 1e-15);
    EXPECT_LT(distance(matrix(q), R), 3e-15);
  };
  for (int trial = 0; trial < 200; ++trial) round_trip(matrix(rotation()));
  for (int axis = 0; axis < 3; ++axis)
    for (double angle : {0.0, M_PI, M_PI - 1e-9, -M_PI + 1e-12, M_PI / 2}) round_trip(about(axis, angle));
  round_trip(AngleAxisd(M_PI, Vector3d(1, 2, 3).normalized()).toRotationMatrix());
}

TEST_F(Rotation, RollPitchYawTurnsAboutFixedAxesXThenYThenZ) {
  for (int trial = 0; trial < 100; ++trial) {
    const Vector3d a = vector(3);
    EXPECT_LT(distance(matrix(from_rpy(a[0], a[1], a[2])), about(2, a[2]) * about(1, a[1]) * about(0, a[0])), 2e-15);
    const Quaternion extrinsic = from_euler("xyz", false, a);
    EXPECT_LT(distance(matrix(extrinsic), matrix(from_rpy(a[0], a[1], a[2]))), 2e-15);
  }
}

TEST_F(Rotation, EulerAnglesOfAllSequencesAreProductsOfThree) {
  for (const char* s : {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"}) {
    const Vector3d a = vector(3);
    const Matrix3d R0 = about(s[0] - 'x', a[0]), R1 = about(s[1] - 'x', a[1]), R2 = about(s[2] - 'x', a[2]);
    EXPECT_LT(distance(matrix(from_euler(s, true, a)), R0 * R1 * R2), 2e-15) << s << " about carried axes";
    EXPECT_LT(distance(matrix(from_euler(s, false, a)), R2 * R1 * R0), 2e-15) << s << " about fixed axes";
  }
}

TEST_F(Rotation, ExponentialTurnsAboutTheVectorByItsLength) {
  for (double size : {3.0, 1.0, 1e-3, 1.0001e-4, 0.9999e-4, 1e-6, 1e-9, 1e-300}) {
    const Vector3d r = size * vector(1).normalized();
    const Quaternion q = exponential(r);
    EXPECT_NEAR(q.norm(), 1, 1e-15) << size;
    EXPECT_LT(distance(matrix(q), AngleAxisd(r.norm(), r.normalized()).toRotationMatrix()), 2e-15) << size;
    EXPECT_LT((logarithm(q) - r).norm(), 2e-15 * size) << size;
  }
  const Quaternion one = exponential(Vector3d::Zero());
  EXPECT_EQ(one.w, 1);
  EXPECT_EQ(logarithm(one), Vector3d::Zero());
}

TEST_F(Rotation, LogarithmTakesTheShortWay) {
  const Vector3d axis = Vector3d(1, -2, 0.5).normalized();
  EXPECT_LT((logarithm(from_axis_angle(axis, 1.5 * M_PI)) + 0.5 * M_PI * axis).norm(), 3e-15);
  EXPECT_NEAR(logarithm(from_axis_angle(axis, M_PI)).norm(), M_PI, 1e-15);
  for (int trial = 0; trial < 200; ++trial) {
    const Quaternion q = rotation(), minus{-q.w, -q.x, -q.y, -q.z};
    EXPECT_LE(logarithm(q).norm(), M_PI + 1e-15);
    EXPECT_LT((logarithm(q) - logarithm(minus)).norm(), 1e-15) << "a rotation has two quaternions and one logarithm";
    EXPECT_LT(distance(matrix(exponential(logarithm(q))), matrix(q)), 5e-15);
  }
}

TEST_F(Rotation, RateOfAQuaternionIsHalfItsProductWithTheBodyAngularVelocity) {
  const Quaternion q = rotation();
  const Vector3d w = vector(2);
  const double h = 1e-4;
  const Matrix3d numeric = (matrix(q * exponential(h * w)) - matrix(q * exponential(-h * w))) / (2 * h);
  EXPECT_LT(distance(numeric, matrix(q) * skew<double>(w)), 1e-7);
  const Quaternion rate = q * Quaternion{0, w.x() / 2, w.y() / 2, w.z() / 2};
  const Quaternion plus = q * exponential(h * w), minus = q * exponential(-h * w);
  EXPECT_NEAR((plus.x - minus.x) / (2 * h), rate.x, 1e-8);
  EXPECT_NEAR((plus.w - minus.w) / (2 * h), rate.w, 1e-8);
}

TEST_F(Rotation, SkewIsTheCrossProduct) {
  const Vector3d a = vector(2), b = vector(2);
  EXPECT_LT((skew<double>(a) * b - a.cross(b)).norm(), 1e-15);
}

TEST_F(Rotation, TriadIsRightHandedForEveryAxis) {
  const auto check = [](const Vector3d& axis) {
    Vector3d x, y;
    complete_triad(axis, x, y);
    Matrix3d E;
    E << x, y, axis;
    EXPECT_LT(distance(E.transpose() * E, Matrix3d::Identity()), 2e-15);
    EXPECT_NEAR(E.determinant(), 1, 2e-15);
  };
  for (int k = 0; k < 3; ++k) {
    check(Vector3d::Unit(k));
    check(-Vector3d::Unit(k));
  }
  for (int trial = 0; trial < 200; ++trial) check(vector(1).normalized());
}

// specs/nasa-5-explicit-implicit.md §2.3: q_new = 2 q̃ − q_old, q̃ = q_old + (h/2) q̃ ⊗ (0, ω/2), Δ = 1 + |hω|²/16.
TEST_F(Rotation, CayleyIsTheMidPointRuleInClosedForm) {
  double residual = 0, angle = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Quaternion old = rotation();
    const Vector3d turn = vector(0.6);
    const Quaternion now = old * cayley(turn);
    const Quaternion half{(old.w + now.w) / 2, (old.x + now.x) / 2, (old.y + now.y) / 2, (old.z + now.z) / 2};
    const Quaternion rate = half * Quaternion{0, turn.x() / 2, turn.y() / 2, turn.z() / 2};
    residual = std::max({residual, std::abs(now.w - old.w - rate.w), std::abs(now.x - old.x - rate.x),
                         std::abs(now.y - old.y - rate.y), std::abs(now.z - old.z - rate.z)});
    angle = std::max(angle, std::abs(logarithm(cayley(turn)).norm() - 4 * std::atan(turn.norm() / 4)));
  }
  EXPECT_LT(residual, 1e-15);
  EXPECT_LT(angle, 1e-14);
}

TEST_F(Rotation, CayleyKeepsTheNormAndThePrintedDenominatorDoesNot) {
  const Vector3d turn(0.1, 0.2, -0.15);
  Quaternion q = rotation(), printed = q;
  const double square = turn.squaredNorm(), wrong = (1 + square / 16) / (1 + square / 4);  // of q̃, printed over right
  for (int k = 0; k < 1000; ++k) {
    q = q * cayley(turn);
    const Quaternion next = printed * cayley(turn);
    const auto blend = [&](double before, double after) { return wrong * (before + after) - before; };
    printed = {blend(printed.w, next.w), blend(printed.x, next.x), blend(printed.y, next.y), blend(printed.z, next.z)};
  }
  const auto norm = [](const Quaternion& p) { return std::sqrt(p.w * p.w + p.x * p.x + p.y * p.y + p.z * p.z); };
  EXPECT_NEAR(norm(q), 1, 3e-13);  // the norm of one turn is rounded, and that a thousand times
  EXPECT_LT(norm(printed), 0.1);
}

}  // namespace
}  // namespace mortise::geometry
