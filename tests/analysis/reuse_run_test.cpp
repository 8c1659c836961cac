// Runs with a generalized inverse that is kept for some steps, and with formulations that remember: near the exact
// motion, and the same bits after a resume.
#include <gtest/gtest.h>

#include <cmath>

#include "support/memory_run.h"

namespace mortise::test {
namespace {

std::vector<std::string> reuse_settings(const std::string& formulation, const std::string& stabilize,
                                        const std::string& step = "0.001") {
  return {"analysis.until=1",
          "output.every=0.05",
          "analysis.integrator=rk4",
          "analysis.step=" + step,
          "analysis.formulation=" + formulation,
          "analysis.stabilize=" + stabilize,
          "output.checkpoint={steps: 100}"};
}

double apart(const Recorder& a, const Recorder& b) {
  double worst = 0;
  for (std::size_t k = 0; k < a.frames.size(); ++k)
    worst = std::max(worst, (a.frames[k].v - b.frames[k].v).cwiseAbs().maxCoeff());
  return worst;
}

// The old reaction is partly tangent to the constraints, which no feedback takes away: an error of first order in the
// age.
TEST(Reuse, IsOffByTheAgeOfTheInverse) {
  const auto run_with = [](const std::string& how, const std::string& step) {
    Recorder recorder;
    run(*compile_example("four-bar", reuse_settings(how, "baumgarte", step)), recorder);
    return recorder;
  };
  const Recorder exact = run_with("udwadia-kalaba", "0.00025");
  double speed = 0;
  for (const analysis::Frame& frame : exact.frames) speed = std::max(speed, frame.v.cwiseAbs().maxCoeff());
  for (const std::string how :
       {"{type: udwadia-kalaba, reuse: 5}", "{type: udwadia-kalaba, reuse: 5, compensate: projection}",
        "{type: udwadia-kalaba, reuse: 5, pseudoinverse: svd}"}) {
    const double coarse = apart(run_with(how, "0.0005"), exact), fine = apart(run_with(how, "0.00025"), exact);
    EXPECT_LT(fine, 0.05 * speed) << how;
    EXPECT_NEAR(fine / coarse, 0.5, 0.1) << how << ": " << coarse << " then " << fine << ", speeds up to " << speed;
  }
  // With an old QR the method of Kim and Vanderploeg is exact for the current rows.
  EXPECT_LT(apart(run_with("{type: kim-vanderploeg, reuse: 5}", "0.00025"), exact), 1e-8 * speed);
}

TEST(Reuse, ResumesWithTheSameBits) {
  for (const char* how : {"{type: udwadia-kalaba, reuse: 7}", "{type: kim-vanderploeg, reuse: 7}",
                          "orthogonal-complement", "coordinate-partition"})
    for (const char* stabilize : {"baumgarte", "partition", "projection"}) {
      const auto m = compile_example("four-bar", reuse_settings(how, stabilize));
      Recorder straight;
      run(*m, straight);
      ASSERT_GE(straight.checkpoints.size(), 3u);
      Recorder resumed;
      resumed.frames = straight.frames;
      run(*m, resumed, 0, &straight.checkpoints[2].bytes);
      ASSERT_EQ(resumed.frames.size(), straight.frames.size());
      for (std::size_t k = 0; k < straight.frames.size(); ++k) {
        ASSERT_EQ(resumed.frames[k].q, straight.frames[k].q) << how << " " << stabilize << " frame " << k;
        ASSERT_EQ(resumed.frames[k].v, straight.frames[k].v) << how << " " << stabilize << " frame " << k;
      }
    }
}

}  // namespace
}  // namespace mortise::test
