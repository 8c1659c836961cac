// Runs in every choice of coordinates: the same motion as in absolute ones, the same bits after a checkpoint, and clear
// words where a choice does not fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "mortise/analysis/methods.h"
#include "mortise/analysis/simulation.h"
#include "mortise/coordinates/coordinate_system.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

struct Machine {
  std::string name, example;
  std::vector<std::string> settings;
};

const std::vector<Machine> machines{
    {"double_pendulum", "double-pendulum", {}},
    {"five_bar", "five-bar", {}},
    {"four_bar", "four-bar", {}},
    {"mcpherson", "mcpherson", {"kick=1"}},
    {"heavy_top", "heavy-top", {"output.every=0.01"}},
    {"slider_crank", "spatial-slider-crank", {}},
};

// A formulation that can: for singular masses one that says so, or none in this build.
std::string formulation_for(const std::string& coordinates, int dimension) {
  if (coordinates != "euler-parameters" || dimension == 2) return "auto";
  for (const gauss::FormulationEntry& entry : gauss::formulations()) {
    const gauss::Capabilities can = entry.make({})->can();
    if (can.singular_mass && can.redundant_rows && !can.search) return entry.name;
  }
  return "";
}

struct Finished {
  Recorder recorder;
  analysis::DynamicsResult result;
};

Finished run_in(const Machine& machine, const std::string& coordinates, const std::string& formulation,
                const std::string& tolerance) {
  std::vector<std::string> settings = machine.settings;
  for (const char* s : {"analysis.until=2", "output.every=0.05"}) settings.push_back(s);
  settings.push_back("analysis.tolerance=" + tolerance);
  settings.push_back("analysis.coordinates=" + coordinates);
  settings.push_back("analysis.formulation=" + formulation);
  const auto m = compile_example(machine.example, settings);
  Finished out;
  out.result = run(*m, out.recorder);
  return out;
}

class SameMotion : public testing::TestWithParam<std::tuple<Machine, std::string>> {};

TEST_P(SameMotion, AsInAbsoluteCoordinates) {
  const auto& [machine, coordinates] = GetParam();
  const std::string formulation = formulation_for(coordinates, compile_example(machine.example)->dimension());
  if (formulation.empty()) GTEST_SKIP() << "no formulation for singular masses in this build";
  const Finished wanted = run_in(machine, "absolute", "auto", "1e-10");
  const Finished found = run_in(machine, coordinates, formulation, "1e-10");
  ASSERT_EQ(found.recorder.frames.size(), wanted.recorder.frames.size());
  double off = 0, reaction = 0;
  for (std::size_t k = 0; k < wanted.recorder.frames.size(); ++k) {
    const analysis::Frame &a = wanted.recorder.frames[k], &b = found.recorder.frames[k];
    const auto relative = [](const Vector& x, const Vector& y) {
      return x.size() ? (x - y).cwiseAbs().maxCoeff() / std::max(1.0, y.cwiseAbs().maxCoeff()) : 0;
    };
    off = std::max({off, relative(b.q, a.q), relative(b.v, a.v), relative(b.pose, a.pose)});
    reaction = std::max(reaction, relative(b.reaction, a.reaction));
    EXPECT_EQ(b.lambda.size(), a.lambda.size());
  }
  std::printf("%s in %s (%s): off by %.1e, reactions %.1e, energy drift %.1e, %ld evaluations (absolute %ld)\n",
              machine.name.c_str(), coordinates.c_str(), formulation.c_str(), off, reaction,
              found.recorder.summary.energy_drift, found.recorder.summary.evaluations,
              wanted.recorder.summary.evaluations);
  EXPECT_LT(off, 1e-7);
  EXPECT_LT(reaction, 1e-6);
  EXPECT_EQ(found.recorder.summary.rank, wanted.recorder.summary.rank);
  EXPECT_EQ(found.result.state.q.size(), wanted.result.state.q.size());
}

std::vector<std::string> mapped_choices() {
  std::vector<std::string> out;
  for (const auto& entry : coordinates::coordinate_systems())
    if (entry.name != "absolute") out.push_back(entry.name);
  return out;
}

std::string plain(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Runs, SameMotion,
                         testing::Combine(testing::ValuesIn(machines), testing::ValuesIn(mapped_choices())),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" + plain(std::get<1>(info.param));
                         });

class Resumed : public testing::TestWithParam<std::string> {};

TEST_P(Resumed, GoesOnWithTheSameBits) {
  const std::string formulation = formulation_for(GetParam(), 3);
  if (formulation.empty()) GTEST_SKIP() << "no formulation for singular masses in this build";
  for (const std::string integrator : {"adams", "rk45"}) {
    const auto m = compile_example(
        "spatial-double-pendulum",
        {"analysis.until=1", "output.every=0.02", "analysis.coordinates=" + GetParam(),
         "analysis.formulation=" + formulation, "analysis.integrator=" + integrator, "output.checkpoint={steps: 20}"});
    Recorder straight, broken;
    run(*m, straight);
    ASSERT_GE(straight.checkpoints.size(), 2u);
    run(*m, broken, 33);
    ASSERT_FALSE(broken.checkpoints.empty());
    const std::vector<std::byte> last = broken.checkpoints.back().bytes;
    run(*m, broken, 0, &last);
    ASSERT_EQ(broken.frames.size(), straight.frames.size());
    for (std::size_t k = 0; k < straight.frames.size(); ++k)
      ASSERT_EQ(difference(straight.frames[k], broken.frames[k]), "") << integrator << " frame " << k;
    EXPECT_EQ(difference(straight.summary, broken.summary), "") << integrator;
  }
}

INSTANTIATE_TEST_SUITE_P(Choices, Resumed, testing::ValuesIn(mapped_choices()),
                         [](const auto& info) { return plain(info.param); });

// The frames are chosen for a rotation about the vertical; the torque then turns the body about x, and a quarter of a
// turn at 2 rad/s² takes sqrt(π/2) s.
const char* const gimbal = R"(mortise: 1
dimension: spatial
bodies:
  still: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [5, 0, 0]}
  gimbal: {mass: 1, inertia: [0.1, 0.1, 0.1], angular_velocity: [0, 0, 0.01]}
forces:
  twist: {type: torque, body: gimbal, value: [0.2, 0, 0]}
analysis: {until: 2, coordinates: euler-angles, tolerance: 1e-10}
output: {every: 0.01, checkpoint: {steps: 5}}
)";

TEST(CoordinateRuns, EulerAnglesPassTheGimbalLockInNewFrames) {
  const auto m = compile(gimbal);
  Recorder recorder, absolute, broken;
  run(*m, recorder);
  run(*compile(gimbal, {"analysis.coordinates=absolute"}), absolute);
  ASSERT_EQ(recorder.frames.size(), absolute.frames.size());
  double off = 0;
  for (std::size_t k = 0; k < recorder.frames.size(); ++k)
    off = std::max(off, (recorder.frames[k].q - absolute.frames[k].q).cwiseAbs().maxCoeff());
  std::printf("off by %.1e\n", off);
  EXPECT_LT(off, 1e-8);
  // Bit by bit from every checkpoint: before, at and after the change.
  ASSERT_GT(recorder.checkpoints.size(), 4u);
  for (const Recorder::Saved& saved : std::vector<Recorder::Saved>(recorder.checkpoints)) {
    Recorder resumed;
    resumed.frames = recorder.frames;
    run(*m, resumed, 0, &saved.bytes);
    ASSERT_EQ(resumed.frames.size(), recorder.frames.size());
    for (std::size_t k = 0; k < recorder.frames.size(); ++k)
      ASSERT_EQ(difference(recorder.frames[k], resumed.frames[k]), "") << "from t = " << saved.t << ", frame " << k;
    EXPECT_EQ(difference(recorder.summary, resumed.summary), "") << "from t = " << saved.t;
  }
}

TEST(CoordinateRuns, GimbalLockWithinAStepStopsTheRunAndNamesTheBody) {
  const auto m = compile(gimbal, {"analysis.integrator=rk4", "analysis.step=0.25"});
  Recorder recorder;
  try {
    run(*m, recorder);
    FAIL() << "went through";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S424");
    EXPECT_NE(error.report().message.find("'gimbal'"), std::string::npos) << error.what();
    EXPECT_NEAR(error.report().time, std::sqrt(M_PI / 2), 0.05);
  }
  EXPECT_EQ(recorder.ends, 1);
  EXPECT_GT(recorder.frames.size(), 100u);
}

TEST(CoordinateRuns, EulerParametersWithARegularFormulationNameTheBody) {
  const auto m =
      compile_example("heavy-top", {"analysis.coordinates=euler-parameters", "analysis.formulation=lagrange"});
  Recorder recorder;
  try {
    run(*m, recorder);
    FAIL() << "ran";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S420");
    EXPECT_NE(error.report().message.find("'top'"), std::string::npos) << error.what();
  }
}

TEST(CoordinateRuns, UnknownNamesAreRefusedWithTheNearest) {
  const auto m = compile_example("heavy-top", {"analysis.coordinates=euler-angels"});
  try {
    analysis::check_settings(m->model().analysis);
    FAIL() << "accepted";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.diagnostics().front().code, "M207");
    EXPECT_NE(error.diagnostics().front().hint.find("'euler-angles'"), std::string::npos) << error.what();
  }
}

TEST(CoordinateRuns, ASimulationSaysThatItRunsInAbsoluteCoordinates) {
  const std::shared_ptr<const mechanism::Mechanism> m =
      compile_example("heavy-top", {"analysis.coordinates=euler-angles"});
  EXPECT_THROW(analysis::Simulation{m}, ModelError);
}

}  // namespace
}  // namespace mortise::test
