// `output: bodies:, joints:, precision:`: what a file keeps, how large it is, and that it reads back.
#include <sys/stat.h>

#include <sstream>

#include "io/results_samples.h"
#include "mortise/analysis/quantity.h"
#include "mortise/io/results_csv.h"
#include "support/memory_run.h"

namespace mortise::io {
namespace {

std::string chain(const std::string& output) {
  return R"model(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  link$i: {repeat: {i: 60}, mass: 1, inertia: 0.01, at: [i, 0], center: [0.5, 0], points: {tip: [1, 0]}}
joints:
  A: {type: revolute, between: [ground, link0], at: [0, 0]}
  pin$i: {repeat: {i: 59}, type: revolute, between: ["link$i", "link$(i+1)"], at: [i+1, 0]}
analysis: {until: 0.2, tolerance: 1e-6}
output: {
every: 0.001, checkpoint: {steps: 5})model" +
         output + "}\n";
}

struct Written {
  samples::Folder folder;
  std::string path = folder / "run.h5";
  std::unique_ptr<mechanism::Mechanism> mechanism;

  explicit Written(const std::string& output) : mechanism(test::compile(chain(output))) {
    ResultWriter writer(path);
    analysis::DynamicsOptions options;
    options.sink = &writer;
    analysis::run_dynamics(*mechanism, options);
  }
  // Holes of the file take none.
  double bytes_on_disk() const {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return 512.0 * static_cast<double>(status.st_blocks);
  }
};

Written& whole() {
  static Written run("");
  return run;
}

TEST(RestrictedResults, KeepTheNamedBodiesAndJointsAndNothingElse) {
  Written few(", bodies: [link59, \"link1?\"], joints: [A, pin58]");
  ResultReader reader(few.path), full(whole().path);
  ASSERT_EQ(reader.header().bodies.size(), 11u);
  EXPECT_EQ(reader.header().bodies.front(), "link10");
  EXPECT_EQ(reader.header().bodies.back(), "link59");
  EXPECT_EQ(reader.header().joints, (std::vector<std::string>{"A", "pin58"}));
  EXPECT_EQ(reader.header().row_names.size(), 4u);
  ASSERT_EQ(reader.frames(), full.frames());
  analysis::Frame a, b;
  for (std::uint64_t k = 0; k < full.frames(); k += 50) {
    reader.read_frame(k, a);
    full.read_frame(k, b);
    EXPECT_EQ(a.kinetic, b.kinetic);
    ASSERT_EQ(a.pose.size(), b.pose.size());
    ASSERT_EQ(a.lambda.size(), b.lambda.size());
    for (Eigen::Index body = 0; body < 60; ++body) {
      const bool kept = body == 59 || (body >= 10 && body < 20);
      for (const auto member : {&analysis::Frame::pose, &analysis::Frame::velocity, &analysis::Frame::acceleration,
                                &analysis::Frame::q, &analysis::Frame::v, &analysis::Frame::a})
        for (Eigen::Index j = 3 * body; j < 3 * body + 3; ++j)
          EXPECT_TRUE(kept ? (a.*member)[j] == (b.*member)[j] : std::isnan((a.*member)[j])) << body;
    }
    for (Eigen::Index joint = 0; joint < 60; ++joint) {
      const bool kept = joint == 0 || joint == 59;
      for (Eigen::Index j = 3 * joint; j < 3 * joint + 3; ++j)
        EXPECT_TRUE(kept ? a.reaction[j] == b.reaction[j] : std::isnan(a.reaction[j])) << joint;
      for (Eigen::Index j = 2 * joint; j < 2 * joint + 2; ++j)
        EXPECT_TRUE(kept ? a.lambda[j] == b.lambda[j] : std::isnan(a.lambda[j])) << joint;
    }
  }
}

TEST(RestrictedResults, TellOfPointsOnKeptBodiesAndStoredQuantities) {
  Written few(", bodies: [link59], quantities: [link3.tip.x]");
  ResultReader reader(few.path), full(whole().path);
  const auto value = [&](ResultReader& from, const std::string& name) {
    analysis::Frame frame;
    mechanism::Motions motions;
    from.read_frame(150, frame);
    few.mechanism->motions(as_span(frame.q), as_span(frame.v), motions);
    return analysis::find_quantity(*few.mechanism, from.header(), name).value(frame, motions);
  };
  for (const char* name : {"link59.tip.x", "link59.tip.ay", "link3.tip.x", "energy.total"})
    EXPECT_EQ(value(reader, name), value(full, name)) << name;
  EXPECT_TRUE(std::isnan(value(reader, "link3.tip.y")));
  EXPECT_TRUE(std::isnan(value(reader, "pin3.angle")));
  EXPECT_EQ(analysis::describe_kept(reader.header()), "1 of 60 bodies (link59) and no joints");
}

TEST(RestrictedResults, TakeTheSpaceOfWhatTheyKeep) {
  const double all = whole().bytes_on_disk();
  const double numbers = 200.0 * 60 * (6 * 3 + 2 + 3) * 8;  // of bodies and joints; the rest is overhead
  ASSERT_GT(all, numbers);
  const double overhead = all - numbers;
  Written few(", bodies: [\"link?\"]"), half(", precision: float32"), none(", bodies: [], joints: []");
  EXPECT_NEAR(half.bytes_on_disk(), overhead + numbers / 2, 0.1 * numbers);
  EXPECT_NEAR(few.bytes_on_disk(), overhead + 200.0 * 10 * 6 * 3 * 8, 0.1 * numbers);
  EXPECT_LT(none.bytes_on_disk(), overhead + 0.1 * numbers);
}

TEST(RestrictedResults, Float32RoundsEachNumberOnceAndKeepsTimesAndEnergies) {
  Written half(", precision: float32");
  ResultReader reader(half.path), full(whole().path);
  EXPECT_TRUE(reader.header().single);
  reader.verify();
  analysis::Frame a, b;
  for (std::uint64_t k = 0; k < full.frames(); k += 20) {
    reader.read_frame(k, a);
    full.read_frame(k, b);
    EXPECT_EQ(a.t, b.t);
    EXPECT_EQ(a.kinetic, b.kinetic);
    EXPECT_EQ(a.potential, b.potential);
    EXPECT_TRUE(a.work == b.work);
    for (const auto member : {&analysis::Frame::pose, &analysis::Frame::reaction, &analysis::Frame::q})
      EXPECT_TRUE(a.*member == (b.*member).cast<float>().cast<double>());
  }
}

TEST(RestrictedResults, HaveColumnsForWhatTheyKeep) {
  Written few(", bodies: [link7], joints: [pin58]");
  ResultReader reader(few.path), full(whole().path);
  std::ostringstream here, there;
  export_csv(reader, here, {',', 40, {"link7", "pin58"}}, "csv");
  export_csv(full, there, {',', 40, {"link7", "pin58"}}, "csv");
  EXPECT_EQ(here.str(), there.str());
  try {
    export_csv(reader, here, {',', 1, {"link8"}}, "csv");
    FAIL();
  } catch (const ResultError& error) {
    EXPECT_NE(std::string(error.what()).find("has no column 'link8'; did you mean 'link7'?; it keeps 1 of 60 bodies"),
              std::string::npos)
        << error.what();
  }
}

TEST(RestrictedResults, ResumeToTheSameBytes) {
  Written straight(", bodies: [link5], joints: [\"pin*\"], precision: float32");
  const samples::Folder folder;
  const std::string path = folder / "run.h5";
  test::Recorder recorder;
  test::run(*straight.mechanism, recorder);
  ASSERT_GE(recorder.checkpoints.size(), 2u);
  const auto saved = decode(recorder.checkpoints[1].bytes);
  ASSERT_TRUE(saved);
  ASSERT_GT(saved->frames, 0u);
  std::filesystem::copy_file(straight.path, path);
  {
    ResultWriter writer = ResultWriter::resume(path, saved->frames);
    analysis::DynamicsOptions options;
    options.sink = &writer;
    options.resume = &saved->state;
    options.resume_frames = saved->frames;
    analysis::run_dynamics(*straight.mechanism, options);
  }
  ResultReader a(straight.path), b(path);
  ASSERT_EQ(a.frames(), b.frames());
  analysis::Frame x, y;
  for (std::uint64_t k = 0; k < a.frames(); ++k) {
    a.read_frame(k, x);
    b.read_frame(k, y);
    EXPECT_TRUE(samples::same(x, y)) << k;
  }
}

TEST(RestrictedResults, UnknownNamesAreMistakesWithTheNearestName) {
  const auto message = [](const std::string& output) -> std::string {
    try {
      test::compile(chain(output));
    } catch (const ModelError& error) {
      std::string text;
      for (const Diagnostic& d : error.diagnostics()) text += d.code + " " + d.message + " " + d.hint + "\n";
      return text;
    }
    return "";
  };
  EXPECT_EQ(message(", bodies: [lnk7], joints: [pni58]"),
            "M117 output: no body is called 'lnk7' did you mean 'link7'?\n"
            "M119 output: no joint or driver is called 'pni58' did you mean 'pin58'?\n");
  EXPECT_EQ(message(", bodies: [\"rod*\"]"), "M117 output: no body is called 'rod*' \n");
  EXPECT_EQ(message(", bodies: [link1, link1]"), "M112 'link1' stands twice in 'bodies' \n");
  EXPECT_EQ(message(", precision: float16").substr(0, 4), "M207");
}

}  // namespace
}  // namespace mortise::io
