// Bodies held in a plane: spatial bodies with the coordinates of planar ones. Every part sees them as it sees others.
#include <gtest/gtest.h>

#include "mechanism/part_samples.h"
#include "mechanism/workbench.h"

namespace mortise::test {
namespace {

std::string held(std::string text, std::initializer_list<std::pair<const char*, const char*>> planes) {
  for (const auto& [body, normal] : planes) {
    const auto at = text.find("mass:", text.find(std::string("\n  ") + body + ":"));
    text.insert(at, std::string("plane: ") + normal + ", ");
  }
  return text;
}

// The state of the free bodies at the pose and velocity of the held ones, and S with v_free = S v_held. S is constant
// along a motion: the normal is at rest in the world and in the body.
State freed(const Mechanism& free, const Mechanism& held, const State& state, Matrix& S) {
  State out = free.initial_state();
  out.t = state.t;
  S.setZero(free.v_size(), held.v_size());
  for (std::size_t k = 0; k < free.bodies().size(); ++k) {
    const mechanism::Body &f = free.bodies()[k], &h = held.bodies()[k];
    if (!h.plane) {
      out.q.segment(f.q, f.q_size()) = state.q.segment(h.q, h.q_size());
      S.block(f.v, h.v, f.v_size(), h.v_size()).setIdentity();
      continue;
    }
    const Pose p = pose(held, state, static_cast<int>(k));
    out.q.segment<3>(f.q) = p.r;
    S.block<3, 2>(f.v, h.v) = h.plane->leftCols<2>();
    if (f.particle) continue;
    const Eigen::Quaterniond turned(p.R);
    out.q.segment<4>(f.q + 3) << turned.w(), turned.x(), turned.y(), turned.z();
    S.block<3, 1>(f.v + 3, h.v + 2) = p.R.transpose() * h.plane->col(2);
  }
  out.v = S * state.v;
  return out;
}

class InPlanes : public testing::TestWithParam<PartSample> {};

TEST_P(InPlanes, RowsAreThoseOfFreeBodiesRestrictedToThePlanes) {
  const std::string text = GetParam().text();
  Workbench free(text);
  Random random{7};
  double worst = 0;
  for (const std::string& variant :
       {held(text, {{"first", "[0.3, -0.5, 0.8]"}}), held(text, {{"second", "[0, 1, 0]"}}),
        held(text, {{"first", "[0, 0, 1]"}, {"second", "[0, 0, 1]"}, {"bead", "[1, 1, 0]"}}),
        held(text, {{"first", "[1, 2, 3]"}, {"second", "[-3, 0.1, 0.4]"}})}) {
    Workbench plane(variant);
    for (int trial = 0; trial < 25; ++trial) {
      const State state = random_state(*plane.mechanism, random);
      Matrix S;
      const State same = freed(*free.mechanism, *plane.mechanism, state, S);
      const Evaluation &e = plane.evaluate(state), &f = free.evaluate(same);
      const Matrix A = f.problem.dense_A() * S, here = e.problem.dense_A();
      for (int i = 0; i < A.rows(); ++i)
        worst = std::max(worst, (A.row(i) - here.row(i)).norm() / std::max(1.0, A.row(i).norm()));
      worst = std::max({worst, difference(e.phi, f.phi), difference(e.phidot, f.phidot), difference(e.c_t, f.c_t),
                        difference(e.problem.b, f.problem.b)});
    }
  }
  RecordProperty("worst", testing::PrintToString(worst));
  EXPECT_LT(worst, 1e-12);
}

std::vector<PartSample> spatial_samples() {
  std::vector<PartSample> out;
  for (const PartSample& sample : part_samples())
    if (sample.dimension == 3) out.push_back(sample);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Parts, InPlanes, testing::ValuesIn(spatial_samples()),
                         [](const testing::TestParamInfo<PartSample>& info) { return info.param.name(); });

TEST(BodiesInPlanes, HaveTheEnergiesAndWeightsOfFreeOnes) {
  const std::string text = std::string("mortise: 1\ndimension: spatial\ngravity: [0.3, 0.2, -9.81]") + spatial_bodies;
  Workbench free(text), plane(held(text, {{"first", "[0.3, -0.5, 0.8]"}, {"bead", "[1, 1, 0]"}}));
  Random random{8};
  for (int trial = 0; trial < 25; ++trial) {
    const State state = random_state(*plane.mechanism, random);
    Matrix S;
    const State same = freed(*free.mechanism, *plane.mechanism, state, S);
    const Evaluation &e = plane.evaluate(state), &f = free.evaluate(same);
    EXPECT_NEAR(e.kinetic, f.kinetic, 1e-12);
    EXPECT_NEAR(e.potential, f.potential, 1e-11);
    EXPECT_LT((e.problem.Q - S.transpose() * f.problem.Q).norm(), 1e-11);
    EXPECT_LT((e.problem.dense_M() - S.transpose() * f.problem.dense_M() * S).norm(), 1e-12);
  }
}

TEST(BodiesInPlanes, RefuseAVelocityOutOfThePlane) {
  const auto code = [](const char* velocity) -> std::string {
    try {
      compile(std::string(
                  "mortise: 1\ndimension: spatial\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], plane: [0, 0, 1], ") +
              velocity + "}\n");
    } catch (const ModelError& error) {
      return error.diagnostics()[0].code;
    }
    return "";
  };
  EXPECT_EQ(code("velocity: [1, 0, 0.1]"), "M151");
  EXPECT_EQ(code("angular_velocity: [1, 0, 0]"), "M151");
  EXPECT_EQ(code("angular_velocity: [0, 0, 3], velocity: [1, 2, 0]"), "");
}

}  // namespace
}  // namespace mortise::test
