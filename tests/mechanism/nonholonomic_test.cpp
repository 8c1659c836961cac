// Velocity rows against the velocities of material points, taken as differences of their world positions.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "mechanism/part_samples.h"
#include "mechanism/workbench.h"

namespace mortise::test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using mechanism::Constraint;

// Velocity of the material point of a body that is at X now.
Vector3d velocity_at(const Mechanism& m, const State& state, int body, const Vector3d& X) {
  const Pose now = pose(m, state, body);
  const Vector3d on_body = now.R.transpose() * (X - now.r);
  const Vector a = Vector::Zero(m.v_size());
  return derivative(
      [&](double h) -> Vector {
        const Pose then = pose(m, along(m, state, a, h), body);
        return then.r + then.R * on_body;
      },
      2e-3);
}

// Where the two bodies touch, and the directions in which they must not slide, found anew.
struct Contact {
  Vector3d at;
  std::vector<Vector3d> directions;
};

Contact contact(const Mechanism& m, const State& state, const Constraint& c) {
  const model::ItemCopy item(m.model(), m.model().items[static_cast<std::size_t>(c.ref.item)], c.ref.copy);
  const Pose plane = pose(m, state, c.a.body), body = pose(m, state, c.b.body);
  const Matrix3d Ea = plane.R * c.a.E, Eb = body.R * c.b.E;
  const Vector3d center = body.r + body.R * c.b.p;
  if (item.part().type == "knife-edge") return {center, {m.dimension() == 2 ? Eb.col(1) : Eb.col(2)}};
  const Vector3d n = Ea.col(2);
  if (item.part().type == "no-slip") {
    // On the line of centres, shared in the ratio of the radii; the direction has length 1 when the wheels touch.
    const auto radii = item.pair("radii");
    const double sign = item.flag("internal", false) ? -1 : 1;
    const Vector3d p = plane.r + plane.R * c.a.p, s = center - p;
    const double sum = radii[0] + sign * radii[1];
    return {p + radii[0] / sum * s, {n.cross(s) / std::abs(sum)}};
  }
  if (item.part().type.starts_with("rolling-sphere"))
    return {center - item.number("radius") * n, {Ea.col(0), Ea.col(1)}};
  // The point of the rim that is lowest above the plane.
  const double lowest = std::atan2(n.dot(Eb.col(1)), n.dot(Eb.col(0))) + M_PI;
  const Vector3d rim = std::cos(lowest) * Eb.col(0) + std::sin(lowest) * Eb.col(1);
  return {center + item.number("radius") * rim, {Ea.col(0), Ea.col(1)}};
}

bool has_velocity_rows(const PartSample& sample) {
  static const std::set<std::string> sliding{"knife-edge", "rolling-disc", "no-slip", "rolling-sphere",
                                             "rolling-sphere-track"};
  return sliding.count(sample.type) > 0;
}
bool has_rates(const PartSample& sample) {
  return sample.type == std::string("speed-coupling") || sample.type == std::string("row");
}

TEST(Nonholonomic, RowsAreTheSlidingVelocityOfMaterialPointsInContact) {
  for (const PartSample& sample : part_samples()) {
    if (!has_velocity_rows(sample)) continue;
    Workbench bench(sample.text());
    const Mechanism& m = *bench.mechanism;
    const Constraint& c = m.constraints().front();
    Random random(7);
    double worst = 0;
    for (int trial = 0; trial < 100; ++trial) {
      const State state = random_state(m, random);
      const Vector phidot = bench.phidot(state);
      const Contact touch = contact(m, state, c);
      const Vector3d sliding = velocity_at(m, state, c.b.body, touch.at) - velocity_at(m, state, c.a.body, touch.at);
      int first = c.row;
      while (m.pattern().rows[static_cast<std::size_t>(first)].kind == gauss::RowKind::holonomic) ++first;
      for (std::size_t i = 0; i < touch.directions.size(); ++i)
        worst = std::max(worst, std::abs(touch.directions[i].dot(sliding) - phidot[first + static_cast<int>(i)]));
    }
    RecordProperty(sample.name(), testing::PrintToString(worst));
    EXPECT_LT(worst, 1e-9) << sample.name();
  }
}

TEST(Nonholonomic, TouchRowIsTheHeightOfTheLowestRimPoint) {
  for (const PartSample& sample : part_samples()) {
    if (sample.type != std::string("rolling-disc")) continue;
    Workbench bench(sample.text());
    const Mechanism& m = *bench.mechanism;
    const Constraint& c = m.constraints().front();
    Random random(8);
    for (int trial = 0; trial < 100; ++trial) {
      const State state = random_state(m, random);
      EXPECT_NEAR(bench.phi(state)[c.row], c.a.E.col(2).dot(contact(m, state, c).at - c.a.p), 1e-14);
    }
  }
}

TEST(Nonholonomic, TouchAndTrackRowsOfASphereAreItsCoordinatesInThePlane) {
  for (const PartSample& sample : part_samples()) {
    const std::string type = sample.type;
    if (!type.starts_with("rolling-sphere")) continue;
    Workbench bench(sample.text());
    const Mechanism& m = *bench.mechanism;
    const Constraint& c = m.constraints().front();
    const model::ItemCopy item(m.model(), m.model().items[static_cast<std::size_t>(c.ref.item)], 0);
    Random random(8);
    for (int trial = 0; trial < 100; ++trial) {
      const State state = random_state(m, random);
      const Pose plane = pose(m, state, c.a.body), ball = pose(m, state, c.b.body);
      const Vector3d s = (plane.R * c.a.E).transpose() * (ball.r + ball.R * c.b.p - plane.r - plane.R * c.a.p);
      const Vector phi = bench.phi(state);
      EXPECT_NEAR(phi[c.row], s.z() - item.number("radius"), 1e-14);
      if (c.rows == 4) {
        const double x = s.x();
        EXPECT_NEAR(phi[c.row + 3], s.y() - item.function("track").value({&x, 1}), 1e-14);
      }
    }
  }
}

TEST(Nonholonomic, OnlyTheListedPartsHaveVelocityRows) {
  for (const PartSample& sample : part_samples()) {
    const Workbench bench(sample.text());
    bool any = false;
    for (const gauss::Row& row : bench.mechanism->pattern().rows) any |= row.kind == gauss::RowKind::nonholonomic;
    EXPECT_EQ(any, has_velocity_rows(sample) || has_rates(sample) || sample.type == std::string("speed"))
        << sample.name();
  }
}

// A disc that stands upright and rolls straight keeps the speed radius × spin and turns its plane not at all.
TEST(Nonholonomic, UprightDiscRollsStraightWithRadiusTimesSpin) {
  Workbench bench(R"(
mortise: 1
dimension: spatial
bodies:
  wheel: {mass: 2, inertia: [0.1, 0.2, 0.1], at: [0, 0, 0.5], velocity: [1.5, 0, 0], angular_velocity: [0, 3, 0]}
joints:
  J: {type: rolling-disc, body: wheel, radius: 0.5, axis: [0, 1, 0]}
)");
  const Evaluation& e = bench.evaluate(bench.mechanism->initial_state());
  EXPECT_NEAR(e.phi.cwiseAbs().maxCoeff(), 0, 1e-15);
  EXPECT_NEAR(e.phidot.cwiseAbs().maxCoeff(), 0, 1e-15);
}

}  // namespace
}  // namespace mortise::test
