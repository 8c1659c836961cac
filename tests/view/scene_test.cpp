// Scenes: what the viewer's page is told about bodies, joints, free motions and frames.
#include "mortise/view/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "mortise/analysis/checkup.h"
#include "mortise/view/base64.h"
#include "mortise/view/frame_packer.h"
#include "support/compile.h"
#include "support/examples.h"

namespace mortise::view {
namespace {

// A run in memory as the viewer takes it.
Run run_of(const mortise::test::Recording& recording) {
  view::Run run;
  const mechanism::Mechanism& m = *recording.mechanism;
  run.header.model_name = m.model().name;
  run.header.dimension = m.dimension();
  run.finished = true;
  run.summary.status = "done";
  run.frames.count = recording.frames.size();
  run.frames.read = [&recording](std::uint64_t k, analysis::Frame& f) {
    f = recording.frames[static_cast<std::size_t>(k)];
  };
  return run;
}

Scene scene_of(const mortise::test::Recording& recording, const Run& run) {
  return make_scene(*recording.mechanism, run, first_diagnosis(*recording.mechanism, run));
}

std::vector<float> floats(const std::string& bytes) {
  std::vector<float> out(bytes.size() / sizeof(float));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(float));
  return out;
}

// The point of a joint in the world, carried by one of its two bodies.
Eigen::Vector3d carried(const SceneJoint& joint, std::size_t side, const analysis::Frame& f, int dimension) {
  const int body = joint.bodies[side];
  if (body < 0) return joint.at[side];
  if (dimension == 2) {
    const double* p = f.pose.data() + 3 * body;
    return Eigen::Vector3d(p[0], p[1], 0) + Eigen::AngleAxisd(p[2], Eigen::Vector3d::UnitZ()) * joint.at[side];
  }
  const double* p = f.pose.data() + 7 * body;
  return Eigen::Vector3d(p[0], p[1], p[2]) + Eigen::Quaterniond(p[3], p[4], p[5], p[6]) * joint.at[side];
}

TEST(Scene, NamesTheJointsThatTakePartInTheRedundancyOfTheFiveBar) {
  const mortise::test::Recording r = mortise::test::run_example("five-bar", {"analysis.until=0.5"});
  const auto run = run_of(r);
  const Scene scene = scene_of(r, run);
  ASSERT_EQ(scene.joints.size(), 6u);
  for (const SceneJoint& joint : scene.joints) {
    EXPECT_EQ(joint.redundant, 2) << joint.name;
    EXPECT_FALSE(joint.conflict) << joint.name;
    EXPECT_TRUE(joint.placed);
  }
  EXPECT_EQ(scene.freedoms, 1);
  EXPECT_EQ(scene.rank, 11);
  EXPECT_EQ(scene.facts, "planar · 4 bodies, 6 joints · 1 degree of freedom · 1 redundant row");
  EXPECT_NE(scene.diagnosis.find("Redundant"), std::string::npos);
}

TEST(Scene, KeepsJointsClosedOnTheScreen) {
  for (const char* name : {"five-bar", "bricard", "stewart-platform"}) {
    const mortise::test::Recording r = mortise::test::run_example(name, {"analysis.until=0.3"});
    const auto run = run_of(r);
    const Scene scene = scene_of(r, run);
    for (const SceneJoint& joint : scene.joints) {
      if (joint.driver || joint.type == "prismatic") continue;
      for (const analysis::Frame* f : {&r.frames.front(), &r.frames.back()})
        EXPECT_LT((carried(joint, 0, *f, scene.dimension) - carried(joint, 1, *f, scene.dimension)).norm(), 1e-9)
            << name << " " << joint.name;
    }
  }
}

TEST(Scene, MovesBothSidesOfAJointAlikeInAFreeMotion) {
  for (const char* name : {"five-bar", "bricard", "double-pendulum", "heavy-top"}) {
    const mortise::test::Recording r = mortise::test::run_example(name, {"analysis.until=0.1"});
    const auto run = run_of(r);
    const Scene scene = scene_of(r, run);
    ASSERT_FALSE(scene.modes.empty()) << name;
    const analysis::Frame& f = r.frames.front();
    for (const SceneMode& mode : scene.modes) {
      double fastest = 0;
      for (const auto& v : mode.v)
        fastest = std::max(fastest, Eigen::Map<const Eigen::Vector<double, 6>>(v.data()).norm());
      EXPECT_GT(fastest, 0.01 * scene.length);
      for (const SceneJoint& joint : scene.joints) {
        const auto velocity = [&](std::size_t side) -> Eigen::Vector3d {
          if (joint.bodies[side] < 0) return Eigen::Vector3d::Zero();
          const auto body = static_cast<std::size_t>(joint.bodies[side]);
          SceneJoint origin = joint;
          origin.at[side].setZero();
          const Eigen::Vector3d arm =
              carried(joint, side, f, scene.dimension) - carried(origin, side, f, scene.dimension);
          const auto& v = mode.v[body];
          return Eigen::Vector3d(v[0], v[1], v[2]) + Eigen::Vector3d(v[3], v[4], v[5]).cross(arm);
        };
        EXPECT_LT((velocity(0) - velocity(1)).norm(), 1e-7 * fastest) << name << " " << joint.name;
      }
    }
  }
}

TEST(Scene, DrawsEveryBodyOfEveryKind) {
  for (const char* name : {"five-bar", "car-suspension", "rolling-ball", "rolling-disc", "heavy-top", "gear-train",
                           "double-pendulum", "torque-free-body", "andrews"}) {
    const mortise::test::Recording r = mortise::test::run_example(name, {"analysis.until=0.02"});
    const auto run = run_of(r);
    const Scene scene = scene_of(r, run);
    for (const SceneBody& body : scene.bodies) EXPECT_FALSE(body.shapes.empty()) << name << " " << body.name;
    EXPECT_TRUE(scene.extent.min().allFinite() && scene.extent.max().allFinite()) << name;
    EXPECT_GT(scene.extent.diagonal().norm(), 0) << name;
  }
}

TEST(Scene, DrawsABallWithTheRadiusThatItsJointNames) {
  const mortise::test::Recording r = mortise::test::run_example("rolling-ball", {"analysis.until=0.02"});
  const auto run = run_of(r);
  const Scene scene = scene_of(r, run);
  const model::Item* joint = r.mechanism->model().section(model::Section::joint).front();
  const double radius = model::ItemCopy(r.mechanism->model(), *joint, 0).number("radius");
  ASSERT_FALSE(scene.bodies[0].shapes.empty());
  EXPECT_EQ(scene.bodies[0].shapes[0].kind, Shape::Kind::sphere);
  EXPECT_EQ(scene.bodies[0].shapes[0].size.x(), radius);
}

// The top of each slab is the plane that the model names; walls would hide what they hold.
TEST(Scene, DrawsWhatBodiesStandOn) {
  const mortise::test::Recording blocks = mortise::test::run_example("block-on-incline", {"analysis.until=0.02"});
  const auto run = run_of(blocks);
  const Scene scene = scene_of(blocks, run);
  ASSERT_EQ(scene.ground.size(), 3u);
  const double degrees[] = {20, 26, 30};
  for (std::size_t k = 0; k < 3; ++k) {
    const Shape& slab = scene.ground[k];
    EXPECT_EQ(slab.kind, Shape::Kind::box);
    const double angle = degrees[k] * std::acos(-1.0) / 180;
    const Eigen::Vector3d normal = slab.axes * Eigen::Vector3d::UnitZ();
    EXPECT_LT((normal - Eigen::Vector3d(std::sin(angle), std::cos(angle), 0)).norm(), 1e-12) << k;
    const Eigen::Vector3d top = slab.at + 0.5 * slab.size.z() * normal;
    EXPECT_NEAR((top - Eigen::Vector3d(static_cast<double>(k), 0, 0)).dot(normal), 0, 1e-12) << k;
    // The block of 0.4 m by 0.2 m stands on it, not beside it.
    const Eigen::Vector3d foot = slab.axes.conjugate() * (Eigen::Vector3d(static_cast<double>(k), 0, 0) - slab.at);
    EXPECT_LT(std::abs(foot.x()), 0.5 * slab.size.x());
    EXPECT_LT(std::abs(foot.y()), 0.5 * slab.size.y());
    EXPECT_GT(std::max(slab.size.x(), slab.size.y()), 0.4);
  }
  const mortise::test::Recording pile = mortise::test::run_example("pile", {"analysis.until=0.004"});
  const auto heap = run_of(pile);
  const Scene room = scene_of(pile, heap);
  ASSERT_EQ(room.ground.size(), 1u);
  EXPECT_NEAR(room.ground[0].at.z() + 0.5 * room.ground[0].size.z(), 0, 1e-12);
}

TEST(Scene, ShowsWhatContradictsAtTheBestCompromise) {
  const auto m = mortise::test::compile_example("gallery/five-bar-broken");
  const analysis::Checkup checkup = analysis::check_up(*m);
  ASSERT_FALSE(checkup.assembled);
  view::Run run;
  run.frames.count = 0;
  const Scene scene = make_scene(*m, run, checkup.diagnosis);
  int red = 0;
  for (const SceneJoint& joint : scene.joints) red += joint.conflict;
  EXPECT_GT(red, 2);
}

TEST(Scene, IsJsonThatTellsTheLayoutOfItsFrames) {
  const mortise::test::Recording r = mortise::test::run_example("bricard", {"analysis.until=0.1"});
  const auto run = run_of(r);
  const auto json = nlohmann::json::parse(to_json(scene_of(r, run)));
  EXPECT_EQ(json["format"], "mortise-scene");
  EXPECT_EQ(json["bodies"].size(), r.mechanism->bodies().size());
  std::size_t bytes = 0;
  for (const auto& field : json["frames"]["fields"]) {
    EXPECT_EQ(field["offset"], bytes);
    EXPECT_EQ(field["columns"].size(), field["width"]);
    EXPECT_EQ(field["units"].size(), field["width"]);
    bytes += 4 * field["items"].get<std::size_t>() * field["width"].get<std::size_t>();
  }
  EXPECT_EQ(json["frames"]["bytes"], bytes);
  EXPECT_EQ(json["frames"]["count"], r.frames.size());
}

TEST(FramePacker, WritesPosesVelocitiesReactionsAndEnergiesOfAFrame) {
  const mortise::test::Recording r = mortise::test::run_example("bricard", {"analysis.until=0.1"});
  const auto run = run_of(r);
  const FramePacker packer(*r.mechanism, run);
  std::string bytes;
  packer.pack(2, 1, bytes);
  ASSERT_EQ(bytes.size(), packer.bytes());
  const std::vector<float> numbers = floats(bytes);
  const analysis::Frame& f = r.frames[2];
  std::vector<double> expected;
  for (const Vector* part : {&f.pose, &f.velocity, &f.reaction})
    expected.insert(expected.end(), part->data(), part->data() + part->size());
  for (const double x : {f.kinetic, f.potential, f.kinetic + f.potential, f.position_error, f.velocity_error})
    expected.push_back(x);
  ASSERT_EQ(numbers.size(), expected.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) EXPECT_EQ(numbers[k], static_cast<float>(expected[k])) << k;
}

TEST(FramePacker, GivesAnyRangeOfBytesAsTheWholeHasThem) {
  const mortise::test::Recording r = mortise::test::run_example("five-bar", {"analysis.until=0.2"});
  const auto run = run_of(r);
  const FramePacker packer(*r.mechanism, run);
  std::string whole;
  packer.pack(0, run.frames.count, whole);
  ASSERT_EQ(whole.size(), packer.bytes() * run.frames.count);
  for (const std::size_t begin :
       {std::size_t{0}, std::size_t{1}, packer.bytes() - 1, 3 * packer.bytes(), whole.size() - 5})
    for (const std::size_t count : {std::size_t{1}, std::size_t{4}, packer.bytes(), 2 * packer.bytes() + 3})
      if (begin + count <= whole.size()) {
        EXPECT_EQ(packer.range(begin, count), whole.substr(begin, count));
      }
}

TEST(FramePacker, MarksWhatWasNotComputedAsNotANumber) {
  const auto m = mortise::test::compile_example("five-bar");
  view::Run run;
  run.frames.count = 1;
  run.frames.read = [](std::uint64_t, analysis::Frame& f) { f = {}; };
  const FramePacker packer(*m, run);
  std::string bytes;
  packer.pack(0, 1, bytes);
  EXPECT_TRUE(std::isnan(floats(bytes).front()));
}

TEST(Base64, FollowsTheExamplesOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

}  // namespace
}  // namespace mortise::view
