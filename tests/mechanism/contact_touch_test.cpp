// Where shapes touch, against slower ways that know nothing of pairs: distances by alternating projections on convex
// sets, overlaps by supports along many directions.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>

#include "mortise/mechanism/contact/shape.h"

namespace mortise::test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using mechanism::Manifold;
using mechanism::PlacedShape;
using mechanism::ShapeKind;
using mechanism::Touch;

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  double operator()(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  Vector3d direction() {
    std::normal_distribution<double> normal;
    return Vector3d(normal(engine_), normal(engine_), normal(engine_)).normalized();
  }
  Matrix3d rotation() { return Eigen::AngleAxisd((*this)(0, 3), direction()).toRotationMatrix(); }

 private:
  std::mt19937_64 engine_;
};

PlacedShape any_shape(ShapeKind kind, Dice& dice, bool flat, double spread) {
  PlacedShape s;
  s.shape.kind = kind;
  s.shape.flat = flat;
  s.shape.radius = kind == ShapeKind::sphere || kind == ShapeKind::capsule ? dice(0.2, 1) : 0;
  if (kind == ShapeKind::capsule) s.shape.half_length = dice(0.1, 1.5);
  if (kind == ShapeKind::box) s.shape.half = Vector3d(dice(0.2, 1), dice(0.2, 1), flat ? 0 : dice(0.2, 1));
  s.p = Vector3d(dice(-spread, spread), dice(-spread, spread), flat ? 0 : dice(-spread, spread));
  s.R = flat ? Matrix3d(Eigen::AngleAxisd(dice(0, 6), Vector3d::UnitZ())) : dice.rotation();
  if (kind == ShapeKind::plane && flat) {  // its normal is the third axis
    const double a = dice(0, 6);
    s.R.col(2) = Vector3d(std::cos(a), std::sin(a), 0);
    s.R.col(0) = Vector3d(-std::sin(a), std::cos(a), 0);
    s.R.col(1) = s.R.col(2).cross(s.R.col(0));
  }
  return s;
}

// The point of the core of a shape (without its radius) nearest to x.
Vector3d project(const PlacedShape& s, const Vector3d& x) {
  const Vector3d local = s.R.transpose() * (x - s.p);
  switch (s.shape.kind) {
    case ShapeKind::sphere:
      return s.p;
    case ShapeKind::capsule:
      return s.p + std::clamp(local.z(), -s.shape.half_length, s.shape.half_length) * s.R.col(2);
    case ShapeKind::box:
      return s.p + s.R * local.cwiseMax(-s.shape.half).cwiseMin(s.shape.half);
    case ShapeKind::plane:
      break;
  }
  return s.p + s.R * Vector3d(local.x(), local.y(), std::min(0.0, local.z()));
}

// Distance of two shapes, below zero only as far as radii overlap.
double distance(const PlacedShape& a, const PlacedShape& b) {
  Vector3d x = a.p, y = b.p;
  for (int k = 0; k < 4000; ++k) {
    y = project(b, x);
    x = project(a, y);
  }
  return (x - y).norm() - a.shape.radius - b.shape.radius;
}

double support(const PlacedShape& s, const Vector3d& n) {
  const Vector3d local = s.R.transpose() * n;
  return n.dot(s.p) + s.shape.radius +
         (s.shape.kind == ShapeKind::capsule ? s.shape.half_length * std::abs(local.z()) : 0) +
         (s.shape.kind == ShapeKind::box ? s.shape.half.dot(local.cwiseAbs()) : 0);
}

const Touch* deepest(const Manifold& m) {
  const Touch* best = nullptr;
  for (int k = 0; k < m.count; ++k)
    if (!best || m[k].gap < best->gap) best = &m[k];
  return best;
}

constexpr std::array<ShapeKind, 4> kinds{ShapeKind::sphere, ShapeKind::capsule, ShapeKind::box, ShapeKind::plane};

TEST(Touch, GapsOfSeparatedShapesAreTheirDistances) {
  Dice dice(1);
  Manifold m;
  int met = 0;
  double worst = 0;
  for (const bool flat : {false, true})
    for (const ShapeKind first : kinds)
      for (const ShapeKind second : kinds) {
        if (flat && (first == ShapeKind::capsule || second == ShapeKind::capsule)) continue;
        if (first == ShapeKind::plane && second == ShapeKind::plane) continue;
        for (int k = 0; k < 40; ++k) {
          const PlacedShape a = any_shape(first, dice, flat, 2), b = any_shape(second, dice, flat, 2);
          const double d = distance(a, b);
          if (d < 0.02) continue;
          find_touches(a, b, 10, m);
          const Touch* touch = deepest(m);
          ASSERT_NE(touch, nullptr);
          worst = std::max(worst, std::abs(touch->gap - d));
          ++met;
        }
      }
  EXPECT_GT(met, 500);
  EXPECT_LT(worst, 1e-6);
}

// Moved by its gap along the normal, the second shape just touches.
TEST(Touch, ClosesWhenTheSecondShapeMovesByTheGap) {
  Dice dice(2);
  Manifold m;
  double worst = 0;
  int inside = 0;
  for (const bool flat : {false, true})
    for (const ShapeKind first : kinds)
      for (const ShapeKind second : kinds) {
        if (flat && (first == ShapeKind::capsule || second == ShapeKind::capsule)) continue;
        if (first == ShapeKind::plane && second == ShapeKind::plane) continue;
        for (int k = 0; k < 60; ++k) {
          const PlacedShape a = any_shape(first, dice, flat, 1), other = any_shape(second, dice, flat, 1);
          find_touches(a, other, 10, m);
          const Touch* touch = deepest(m);
          if (!touch || (first == ShapeKind::box && second == ShapeKind::box && touch->gap > 0)) continue;
          inside += touch->gap < 0;
          PlacedShape b = other;
          b.p -= touch->gap * touch->normal;
          // Just beyond it they are apart along the normal.
          if (first != ShapeKind::plane && second != ShapeKind::plane)
            worst = std::max(worst, std::abs(support(a, touch->normal) + support(b, -touch->normal)));
          EXPECT_NEAR(touch->normal.norm(), 1, 1e-12);
          if (flat) {
            EXPECT_EQ(touch->normal.z(), 0);
          }
        }
      }
  EXPECT_GT(inside, 200);
  EXPECT_LT(worst, 1e-9);
}

TEST(Touch, OverlapOfBoxesIsTheLeastAlongAnyDirection) {
  Dice dice(3);
  Manifold m;
  int met = 0;
  double depth_of_all = 0, least_of_all = 0;
  for (const bool flat : {false, true})
    for (int k = 0; k < 60; ++k) {
      const PlacedShape a = any_shape(ShapeKind::box, dice, flat, 0.7), b = any_shape(ShapeKind::box, dice, flat, 0.7);
      find_touches(a, b, 10, m);
      const Touch* touch = deepest(m);
      double least = 1e300;
      for (int i = 0; i < 4000; ++i) {
        Vector3d n = dice.direction();
        if (flat) n = Vector3d(n.x(), n.y(), 0).normalized();
        least = std::min(least, support(a, n) + support(b, -n));
      }
      if (least < 0.1) continue;  // directions are too few to tell
      ++met;
      ASSERT_NE(touch, nullptr);
      EXPECT_LE(-touch->gap, least + 1e-12);
      EXPECT_LT(touch->gap, 0);
      depth_of_all += -touch->gap, least_of_all += least;
      EXPECT_GE(support(a, touch->normal) + support(b, -touch->normal), -touch->gap - 1e-12);
    }
  EXPECT_GT(met, 40);
  EXPECT_GT(depth_of_all, 0.9 * least_of_all);
}

bool same(const Touch& a, const Touch& b, const Matrix3d& R, const Vector3d& p, double sign) {
  return std::abs(a.gap - b.gap) < 1e-9 && (R * a.point + p - b.point).norm() < 1e-7 &&
         (sign * (R * a.normal) - b.normal).norm() < 1e-7;
}

TEST(Touch, IsTheSameAfterExchangeAndAfterRigidMotion) {
  Dice dice(4);
  Manifold m, n;
  int met = 0;
  for (const bool flat : {false, true})
    for (const ShapeKind first : kinds)
      for (const ShapeKind second : kinds) {
        if (flat && (first == ShapeKind::capsule || second == ShapeKind::capsule)) continue;
        for (int k = 0; k < 40; ++k) {
          PlacedShape a = any_shape(first, dice, flat, 1.2), b = any_shape(second, dice, flat, 1.2);
          find_touches(a, b, 0.1, m);
          find_touches(b, a, 0.1, n);
          ASSERT_EQ(m.count, n.count);
          const auto matches = [&](const Matrix3d& R, const Vector3d& p, double sign) {
            for (int i = 0; i < m.count; ++i) {
              bool found = false;
              for (int j = 0; j < n.count; ++j) found = found || same(m[i], n[j], R, p, sign);
              EXPECT_TRUE(found) << static_cast<int>(first) << " " << static_cast<int>(second) << " " << k;
            }
          };
          matches(Matrix3d::Identity(), Vector3d::Zero(), -1);
          const Matrix3d R = flat ? Matrix3d(Eigen::AngleAxisd(dice(0, 6), Vector3d::UnitZ())) : dice.rotation();
          const Vector3d p(dice(-3, 3), dice(-3, 3), flat ? 0 : dice(-3, 3));
          for (PlacedShape* s : {&a, &b}) {
            s->p = (R * s->p + p).eval();
            s->R = (R * s->R).eval();
          }
          find_touches(a, b, 0.1, n);
          ASSERT_EQ(m.count, n.count);
          matches(R, p, 1);
          met += m.count;
        }
      }
  EXPECT_GT(met, 500);
}

PlacedShape ball(double r, const Vector3d& p) {
  PlacedShape s;
  s.shape.radius = r;
  s.p = p;
  return s;
}

PlacedShape capsule(double r, double length, const Vector3d& p, const Vector3d& axis) {
  PlacedShape s;
  s.shape.kind = ShapeKind::capsule;
  s.shape.radius = r;
  s.shape.half_length = 0.5 * length;
  s.p = p;
  s.R = Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), axis).toRotationMatrix();
  return s;
}

PlacedShape box(const Vector3d& edges, const Vector3d& p, const Matrix3d& R = Matrix3d::Identity()) {
  PlacedShape s;
  s.shape.kind = ShapeKind::box;
  s.shape.half = 0.5 * edges;
  s.shape.flat = edges.z() == 0;
  s.p = p;
  s.R = R;
  return s;
}

TEST(Touch, OfDegenerateCasesIsFiniteAndSensible) {
  Manifold m;
  find_touches(ball(1, {0, 0, 0}), ball(2, {0, 0, 0}), 0, m);  // centres coincide
  ASSERT_EQ(m.count, 1);
  EXPECT_EQ(m[0].gap, -3);
  EXPECT_EQ(m[0].normal, Vector3d::UnitY());

  find_touches(ball(0.5, {0.5, 0, 0}), box({1, 1, 1}, {0, 0, 0}), 0, m);  // the centre on a face
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR(m[0].gap, -0.5, 1e-15);
  EXPECT_NEAR(m[0].normal.x(), -1, 1e-15);

  find_touches(ball(0.1, {0, 0, 0}), box({2, 1, 3}, {0, 0, 0}), 0, m);  // in the middle: out by the shortest way
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR(m[0].gap, -0.6, 1e-15);
  EXPECT_EQ(std::abs(m[0].normal.y()), 1);

  // Parallel capsules: the middle of where they overlap, and the ends of it.
  find_touches(capsule(0.1, 2, {0, 0, 0}, Vector3d::UnitX()), capsule(0.1, 2, {1, 0, 0.2}, Vector3d::UnitX()), 1e-9, m);
  ASSERT_GE(m.count, 3);
  double low = 9, high = -9;
  for (int k = 0; k < m.count; ++k) {
    EXPECT_NEAR(m[k].gap, 0, 1e-12);
    EXPECT_NEAR(m[k].normal.z(), 1, 1e-12);
    low = std::min(low, m[k].point.x()), high = std::max(high, m[k].point.x());
  }
  EXPECT_NEAR(m[0].point.x(), 0.5, 1e-12);
  EXPECT_NEAR(low, 0, 1e-12);
  EXPECT_NEAR(high, 1, 1e-12);

  // Crossed edges of two boxes, one turned by 45 degrees about x, the other about y.
  const Matrix3d about_x = Eigen::AngleAxisd(0.25 * M_PI, Vector3d::UnitX()).toRotationMatrix(),
                 about_y = Eigen::AngleAxisd(0.25 * M_PI, Vector3d::UnitY()).toRotationMatrix();
  const double corner = std::sqrt(0.5);
  find_touches(box({1, 1, 1}, {0, 0, 0}, about_x), box({1, 1, 1}, {0.1, 0.2, 2 * corner - 0.01}, about_y), 0, m);
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR(m[0].gap, -0.01, 1e-12);
  EXPECT_NEAR(m[0].normal.z(), 1, 1e-12);
  EXPECT_NEAR(m[0].point.x(), 0.1, 1e-12);
  EXPECT_NEAR(m[0].point.y(), 0, 1e-12);

  // A box that stands on another, half over its edge: four corners of the common face.
  find_touches(box({2, 2, 2}, {0, 0, 0}), box({1, 1, 1}, {1, 0, 1.5}), 1e-9, m);
  ASSERT_EQ(m.count, 4);
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(m[k].gap, 0, 1e-15);
    EXPECT_NEAR(m[k].point.z(), 1, 1e-15);
    EXPECT_NEAR(std::abs(m[k].point.y()), 0.5, 1e-15);
    EXPECT_TRUE(std::abs(m[k].point.x() - 0.5) < 1e-15 || std::abs(m[k].point.x() - 1) < 1e-15);
  }
  // The same in the plane: two.
  find_touches(box({2, 2, 0}, {0, 0, 0}), box({1, 1, 0}, {1, 1.5, 0}), 1e-9, m);
  ASSERT_EQ(m.count, 2);
  EXPECT_NEAR(m[0].normal.y(), 1, 1e-15);

  // A capsule that lies on a box touches with both ends; one that is inside comes out by the nearest face.
  find_touches(capsule(0.1, 1, {0, 0, 0.6}, Vector3d::UnitX()), box({3, 1, 1}, {0, 0, 0}), 1e-9, m);
  EXPECT_EQ(m.count, 3);
  find_touches(capsule(0.1, 1, {0, 0, 0.4}, Vector3d::UnitX()), box({3, 1, 1}, {0, 0, 0}), 0, m);
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR(m[0].gap, -0.2, 1e-15);
  EXPECT_NEAR(m[0].normal.z(), -1, 1e-15);
}

}  // namespace
}  // namespace mortise::test
