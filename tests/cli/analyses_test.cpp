// Every analysis from the command line: what it prints, as text and as JSON, and what it leaves.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/process.h"

namespace mortise::test {
namespace {

using Json = nlohmann::json;

std::string example(const std::string& name) { return std::string(MORTISE_SOURCE_DIR "/examples/") + name + ".yaml"; }

Ended run_in(const Folder& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "run");
  ProcessOptions options;
  options.folder = folder.path();
  return execute(program(), arguments, options);
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Analyses, AreListed) {
  const Ended list = execute(program(), {"list", "analyses"});
  EXPECT_EQ(list.code, 0);
  for (const char* name : {"assemble", "kinematics", "dynamics", "inverse-dynamics", "statics", "modes", "sweep"})
    EXPECT_NE(list.out.find(std::string(name) + " "), std::string::npos) << name;
}

TEST(Analyses, OfUnknownTypeAreRefusedWithTheNearestName) {
  Folder folder;
  const Ended end = run_in(folder, {example("pendulum"), "--set", "analysis.type=kinematic"});
  EXPECT_EQ(end.code, 3);
  EXPECT_NE(end.err.find("M207"), std::string::npos);
  EXPECT_NE(end.err.find("did you mean 'kinematics'?"), std::string::npos) << end.err;
}

TEST(Analyses, KinematicsOfAnyModelRunsOrSaysWhatIsNotDriven) {
  Folder folder;
  const Ended driven = run_in(folder, {example("slider-crank"), "--set", "analysis.type=kinematics", "-o", "k.h5"});
  EXPECT_EQ(driven.code, 0) << driven.text();
  EXPECT_EQ(driven.out.find("energy drift"), std::string::npos);
  const Ended probe = execute(program(), {"probe", folder / "k.h5", "slider.ax", "--at", "0"});
  // −r ω² (1 + r/l) at dead centre: −10·(1 + 1/3).
  EXPECT_NE(probe.out.find("-13.33333333"), std::string::npos) << probe.text();
  const Ended free = run_in(folder, {example("five-bar"), "--set", "analysis.type=kinematics", "-o", "f.h5"});
  EXPECT_EQ(free.code, 4);
  EXPECT_NE(free.err.find("S425"), std::string::npos);
  EXPECT_NE(free.err.find("free motion 1: left, middle and right turn; coupler moves along"), std::string::npos)
      << free.err;
}

TEST(Analyses, InverseDynamicsLeavesEffortsInTheResultFile) {
  Folder folder;
  const Ended end = run_in(folder, {example("inverse-dynamics-five-bar"), "-o", "i.h5"});
  EXPECT_EQ(end.code, 0) << end.text();
  EXPECT_NE(end.out.find("1 combination of efforts moves nothing"), std::string::npos) << end.out;
  const Ended probe =
      execute(program(), {"probe", folder / "i.h5", "left-motor.effort", "right-motor.effort", "--at", "0.5"});
  EXPECT_NE(probe.out.find("5.5802283"), std::string::npos) << probe.text();
  EXPECT_NE(probe.out.find("22.320913"), std::string::npos) << probe.text();
}

TEST(Analyses, StaticsPrintsPosesReactionsAndStability) {
  Folder folder;
  const Ended end = run_in(folder, {example("statics-chain"), "-o", "s.h5"});
  EXPECT_EQ(end.code, 0) << end.text();
  EXPECT_NE(end.out.find("equilibrium stable"), std::string::npos) << end.out;
  EXPECT_NE(end.out.find("19.62"), std::string::npos) << end.out;
  EXPECT_EQ(execute(program(), {"probe", folder / "s.h5", "link4.y", "--at", "0"}).code, 0);
  const Json j = Json::parse(run_in(folder, {example("statics-chain"), "--json"}).out);
  EXPECT_EQ(j["stability"], "stable");
  EXPECT_EQ(j["degrees_of_freedom"], 6);
  EXPECT_NEAR(j["reactions"]["first"][1].get<double>(), 19.62, 1e-9);
}

TEST(Analyses, ModesPrintsFrequenciesAndGivesShapes) {
  Folder folder;
  const Ended end = run_in(folder, {example("modes-double-pendulum"), "--set", "c=0", "-o", "m.h5"});
  EXPECT_EQ(end.code, 0) << end.text();
  EXPECT_NE(end.out.find("0.38152613"), std::string::npos) << end.out;
  EXPECT_NE(end.out.find("0.92108557"), std::string::npos) << end.out;
  EXPECT_EQ(execute(program(), {"probe", folder / "m.h5", "lower.x", "--at", "0"}).code, 0);
  const Json j = Json::parse(run_in(folder, {example("modes-double-pendulum"), "--json"}).out);
  ASSERT_EQ(j["modes"].size(), 2u);
  EXPECT_EQ(j["modes"][0]["shape"].size(), 4u);
  EXPECT_GT(j["modes"][0]["damping"].get<double>(), 0.005);
}

TEST(Analyses, AssembleShowsThePoseOnItsConstraints) {
  Folder folder;
  const Json j = Json::parse(run_in(folder, {example("assemble-slider-crank"), "--json"}).out);
  EXPECT_NEAR(j["quantities"]["slider.x"].get<double>(), 0.33722813, 1e-8);
  EXPECT_NEAR(j["quantities"]["slider.vx"].get<double>(), -1.01678108, 1e-8);
  EXPECT_EQ(j["moved"].size(), 2u) << j.dump();
}

TEST(Analyses, SweepWritesTheSameTableForOneAndTwoJobs) {
  Folder folder;
  for (const char* jobs : {"1", "2"}) {
    const Ended end = run_in(folder, {example("sweep-pendulum"), "--set", std::string("analysis.sweep.jobs=") + jobs,
                                      "-o", std::string("jobs") + jobs + ".csv"});
    EXPECT_EQ(end.code, 0) << end.text();
    EXPECT_NE(end.out.find("10 of 10 cases done"), std::string::npos) << end.out;
  }
  const std::string one = text_of(folder / "jobs1.csv");
  EXPECT_EQ(one, text_of(folder / "jobs2.csv"));
  EXPECT_TRUE(one.starts_with("case,start,L,rod.wz [rad/s],max(rod.wz) [rad/s],status\n")) << one;
  const Json j = Json::parse(run_in(folder, {example("sweep-pendulum"), "--json"}).out);
  // √(3 g / L (1 − cos start)), met within a frame.
  EXPECT_NEAR(j["cases"][1]["results"][1].get<double>(), 0.7659, 1e-3);
}

}  // namespace
}  // namespace mortise::test
