// The motion does not depend on how it is described: units, order, names, axes of the world, origins of bodies.
#include <gtest/gtest.h>

#include "mechanism/machines.h"
#include "mortise/motion/motion.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

struct Outcome {
  std::map<std::string, Pose> poses;  // after the run; centre of mass and axes
  linalg::Rank rank;
  std::vector<gauss::RowVerdict> verdicts;
};

Outcome outcome(const std::string& text) {
  const auto m = compile(text);
  const analysis::DynamicsResult result = run(*m);
  Outcome out;
  for (int body = 0; body < static_cast<int>(m->bodies().size()); ++body)
    out.poses[m->block_name(body)] = pose(*m, result.state, body);
  const auto formulation = gauss::make_formulation("udwadia-kalaba");
  const auto stabilizer = stabilize::make_stabilizer("none", {});
  Motion motion(*m, *formulation, *stabilizer, {});
  gauss::GaussSolution solution;
  solution.resize(m->pattern());
  State state = result.state;
  motion.accelerate(state, solution);
  out.rank = solution.rank;
  out.verdicts = solution.verdicts;
  return out;
}

const Outcome& reference() {
  static const Outcome r = outcome(SpatialFourBar{}.text());
  return r;
}

void expect_same(const Outcome& other, const SpatialFourBar& how, const std::map<std::string, std::string>& names) {
  const Outcome& r = reference();
  EXPECT_EQ(other.rank.rank, 17);
  EXPECT_EQ(other.rank.rows, 20);
  double worst = 0;
  for (const auto& [name, pose] : r.poses) {
    const Pose& p = other.poses.at(names.empty() ? name : names.at(name));
    worst = std::max(worst, (how.world.transpose() * p.r / how.length - pose.r).norm());
    worst = std::max(worst, (how.world.transpose() * p.R - pose.R).norm());
  }
  testing::Test::RecordProperty("worst", testing::PrintToString(worst));
  EXPECT_LT(worst, 1e-9);
}

TEST(Invariance, OfTheReferenceItself) {
  EXPECT_EQ(reference().rank.rank, 17);
  const Pose start{{0.15, 0.25, 0}, Matrix3d::Identity()};
  EXPECT_GT((reference().poses.at("crank").r - start.r).norm(), 0.05) << "it must move to show anything";
}

TEST(Invariance, MillimetresAndGramsGiveTheSameMotionRankAndVerdicts) {
  SpatialFourBar how;
  how.length = how.mass = 1000;
  const Outcome o = outcome(how.text());
  expect_same(o, how, {});
  EXPECT_EQ(o.verdicts, reference().verdicts);
}

TEST(Invariance, InchesAndTonsToo) {
  SpatialFourBar how;
  how.length = 1 / 0.0254, how.mass = 1e-3;
  const Outcome o = outcome(how.text());
  expect_same(o, how, {});
  EXPECT_EQ(o.verdicts, reference().verdicts);
}

TEST(Invariance, OrderOfJointsAndNamesOfBodiesDoNotMatter) {
  SpatialFourBar how;
  how.reordered = true;
  how.crank = "z_last", how.coupler = "m", how.rocker = "a_first";
  expect_same(outcome(how.text()), how, {{"crank", "z_last"}, {"coupler", "m"}, {"rocker", "a_first"}});
}

TEST(Invariance, AxesOfTheWorldDoNotMatter) {
  SpatialFourBar how;
  how.world = Eigen::AngleAxisd(1.1, Vector3d(1, -2, 0.7).normalized()).toRotationMatrix();
  expect_same(outcome(how.text()), how, {});
}

// The same body described from its hinge, with its centre of mass elsewhere, and from its centre of mass.
TEST(Invariance, OriginOfABodyDoesNotMatter) {
  const auto pendulum = [](bool at_center) {
    const Matrix3d R = (Eigen::AngleAxisd(0.9, Vector3d::UnitZ()) * Eigen::AngleAxisd(-0.3, Vector3d::UnitY()) *
                        Eigen::AngleAxisd(0.4, Vector3d::UnitX()))
                           .toRotationMatrix();
    const Vector3d at(0.3, 0.1, -0.2), center(0.4, -0.2, 0.3), tip(0.9, 0.1, -0.1), spin(0.5, 1, -2);
    const Vector3d origin = at_center ? Vector3d(at + R * center) : at, offset = at_center ? center : Vector3d::Zero();
    const auto text = [](const Vector3d& x) { return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x.x(), x.y(), x.z()); };
    const Vector3d velocity = spin.cross(origin - at);
    return fmt::format(R"(
mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  top: {{mass: 2, inertia: {{xx: 0.3, yy: 0.4, zz: 0.5, xy: 0.05, xz: -0.03, yz: 0.02}}, at: {}, center: {}, velocity: {},
        angular_velocity: {}, orientation: {{rpy: [0.4, -0.3, 0.9]}}, points: {{tip: {}}}}}
joints:
  ball: {{type: spherical, between: [ground, top], at: [0.3, 0.1, -0.2]}}
forces:
  pull: {{type: spring, between: [ground, top.tip], stiffness: 5, length: 0.4}}
  push: {{type: force, body: top.tip, value: [1, 0, t], in: body}}
analysis: {{until: 1, tolerance: 1e-12}}
)",
                       text(origin), text(center - offset), text(velocity), text(spin), text(tip - offset));
  };
  const Outcome hinge = outcome(pendulum(false)), center = outcome(pendulum(true));
  EXPECT_LT((hinge.poses.at("top").r - center.poses.at("top").r).norm(), 1e-9);
  EXPECT_LT((hinge.poses.at("top").R - center.poses.at("top").R).norm(), 1e-9);
}

TEST(Invariance, OriginOfAPlanarBodyDoesNotMatter) {
  const auto text = [](double x, double y, double cx, double cy, double tx, double ty) {
    return fmt::format(R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies: {{arm: {{mass: 2, inertia: 0.3, at: [{:.17g}, {:.17g}], angle: 0.5, center: [{}, {}], points: {{tip: [{}, {}]}}}}}}
joints: {{pin: {{type: revolute, between: [ground, arm], at: [0, 0]}}}}
forces: {{pull: {{type: spring, between: [ground, arm.tip], stiffness: 5, length: 0.4}}}}
analysis: {{until: 1, tolerance: 1e-12}}
)",
                       x, y, cx, cy, tx, ty);
  };
  const double c = std::cos(0.5), s = std::sin(0.5);
  const Outcome hinge = outcome(text(0, 0, 0.4, 0.3, 1, 0.2));
  const Outcome center = outcome(text(c * 0.4 - s * 0.3, s * 0.4 + c * 0.3, 0, 0, 0.6, -0.1));
  EXPECT_LT((hinge.poses.at("arm").r - center.poses.at("arm").r).norm(), 1e-9);
  EXPECT_LT((hinge.poses.at("arm").R - center.poses.at("arm").R).norm(), 1e-9);
}

TEST(Inertia, InItsOwnFrameIsTheTurnedTensor) {
  const auto m = compile(R"(
mortise: 1
dimension: spatial
bodies:
  own: {mass: 1, inertia: {xx: 0.5, yy: 0.6, zz: 0.7, xy: 0.05, xz: -0.07, yz: 0.03}, inertia_frame: {rpy: [0.4, -0.3, 0.9]},
        orientation: {rpy: [1, 2, 3]}, center: [1, 2, 3]}
)");
  Matrix3d J;
  J << 0.5, 0.05, -0.07, 0.05, 0.6, 0.03, -0.07, 0.03, 0.7;
  const Matrix3d F = (Eigen::AngleAxisd(0.9, Vector3d::UnitZ()) * Eigen::AngleAxisd(-0.3, Vector3d::UnitY()) *
                      Eigen::AngleAxisd(0.4, Vector3d::UnitX()))
                         .toRotationMatrix();
  EXPECT_LT((m->bodies()[0].inertia - F * J * F.transpose()).norm(), 1e-15);
  EXPECT_EQ((m->bodies()[0].inertia - m->bodies()[0].inertia.transpose()).norm(), 0);
}

}  // namespace
}  // namespace mortise::test
