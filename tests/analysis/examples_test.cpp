// Every example runs with no option set, and the numbers its comment states hold.
#include "support/examples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace mortise::test {
namespace {

struct Stated {
  const char* quantity;
  double t, value, within;
};

struct Example {
  int coordinates, rows, rank;
  std::vector<Stated> numbers;
  double drift = 1e-6;  // of energy, relative to the largest kinetic energy
  double held = 1e-12;  // violations, scaled
};

// Values as the comments print them; `within` is what the default tolerance of 1e-8 gives, with a margin.
const std::map<std::string, Example>& table() {
  static const std::map<std::string, Example> all{
      {"pendulum", {2, 1, 1, {{"bob.x", 10, -0.27508746, 1e-5}, {"bob.y", 10, -0.96141921, 1e-5}}}},
      {"double-pendulum", {6, 4, 4, {{"lower.tip.x", 10, -0.01015518, 1e-5}, {"lower.tip.y", 10, -1.90905123, 1e-5}}}},
      {"bouncing-ball",
       {9, 0, 0, {{"ball1.y", 0.905, 1.1, 1e-3}, {"ball2.y", 0.675, 0.35, 1e-3}, {"ball3.y", 2, 0.1, 1e-3}}, 1e-3}},
      {"block-on-incline",
       {9,
        0,
        0,
        {{"third.vx", 1, 0.65715 * 0.8660254, 1e-4}, {"on3.fy", 1, 2 * 9.81 * 0.75 + 9.81 * 0.4330127, 1e-4}},
        1e-9}},
      {"newtons-cradle", {10, 5, 5, {}, 2e-2}},
      {"pile", {396, 0, 0, {{"pile.fz", 2.5, 647.5, 5}}, 1e-9}},
      {"slider-crank", {9, 9, 9, {{"slider.x", 0, 0.4, 1e-14}, {"crank.angle", 2, 20, 1e-12}}}},
      {"four-bar", {9, 8, 8, {{"crank.angle", 10, -1.91351061, 5e-5}}}},
      {"five-bar", {12, 12, 11, {{"left.angle", 20, -0.56940663, 2e-5}}}},
      // In joint coordinates (tree), tolerance 1e-12.
      {"chain", {30, 20, 20, {{"link9.tip.x", 0.5, 9.66746982, 1e-7}, {"link9.tip.y", 0.5, -1.22627814, 1e-7}}}},
      {"chain-spatial",
       {60, 50, 50, {{"link9.tip.x", 0.5, 9.67569836, 1e-7}, {"link9.tip.z", 0.5, -0.0268598662, 1e-7}}}},
      // By quadrature of the one coordinate, sqrt(I(angle)/2T) over the angle.
      {"change-point-four-bar",
       {9, 8, 8, {{"crank.angle", 2.5, 6.47403432, 1e-7}, {"rocker.wz", 2.5, -1.59023807, 1e-7}}}},
      {"five-bar-crossing", {12, 12, 11, {{"left.angle", 20, -1.13880634, 2e-5}, {"coupler.angle", 20, 0, 1e-11}}}},
      {"n-four-bar",
       {15, 14, 14, {{"vertical0.B0.x", 10, 0.32845811, 1e-5}, {"vertical0.B0.y", 10, 0.94451854, 1e-5}}}},
      {"n-four-bar-spatial",
       {30, 35, 29, {{"vertical0.B0.x", 10, 0.32845811, 1e-5}, {"vertical0.B0.y", 10, 0.94451854, 1e-5}}}},
      {"andrews",
       {21,
        20,
        20,
        {{"K1.angle", 0.03, 15.81077119629904, 1e-7},
         {"K1.wz", 0.03, 1139.920302151208, 1e-5},
         {"E3.reaction.fx", 0, 98.5668703962410896, 1e-9},
         {"E3.reaction.fy", 0, -6.12268834425566266, 1e-9}}}},
      {"bricard",
       {30,
        30,
        29,
        {{"rod3.end.x", 10, 0.99999996, 1e-6},
         {"rod3.end.y", 10, -1.00026901, 1e-6},
         {"rod3.end.z", 10, 0.99973095, 1e-6}}}},
      {"spatial-double-pendulum",
       {12,
        8,
        8,
        {{"lower.tip.x", 5, -0.67538806, 1e-4},
         {"lower.tip.y", 5, -1.16854914, 1e-4},
         {"lower.tip.z", 5, -0.19226464, 1e-4}}}},
      {"heavy-top",
       {6,
        3,
        3,
        {{"top.center.x", 2, -0.15041682, 1e-6},
         {"top.center.y", 2, -0.72416559, 1e-6},
         {"top.center.z", 2, -0.67302227, 1e-6}}}},
      {"rolling-disc",
       {6,
        3,
        3,
        {{"coin.x", 10, 0.82375143, 1e-5}, {"coin.y", 10, -0.36821286, 1e-5}, {"coin.z", 10, 0.43301270, 1e-5}}}},
      // Creeps: the tolerance is that of motions at √(g·size), a thousand times faster.
      {"mcpherson", {30, 26, 26, {{"arm.z", 10, -0.01055960, 2e-7}, {"rack.y", 10, -0.37447382, 2e-7}}, 2e-3}},
      {"mcpherson-overconstrained",
       {30, 31, 26, {{"arm.z", 10, -0.01055960, 2e-7}, {"rack.y", 10, -0.37447382, 2e-7}}, 2e-3}},
      {"stewart-platform", {78, 78, 78, {{"platform.z", 4, 0.99268541639991, 1e-12}, {"platform.qw", 4, 1, 1e-12}}}},
      // Agrees with a run at tolerance 1e-11 to 3e-9 m and 2e-4 N.
      {"car-suspension",
       {24,
        17,
        17,
        {{"knuckle.z", 1.06, 0.37275291, 2e-8},
         {"stop.force", 1.06, 3411.798, 2e-3},
         {"wheel.fz", 1.08, 0, 0},
         {"chassis.z", 1.2, 0.52647179, 2e-8},
         {"chassis.z", 3, 0.48937355, 2e-8}}}},
      {"geneva-cam",
       {6,
        6,
        6,
        {{"slider.x", 0.2, 0.10, 1e-12},
         {"slider.x", 0.375, 0.13, 1e-12},
         {"slider.x", 0.6, 0.16, 1e-12},
         {"slider.x", 0.875, 0.13, 1e-12},
         {"slider.vx", 0.375, 0.45, 1e-12},
         {"cam.angle", 2, 4 * M_PI, 1e-12}}}},
      {"spatial-slider-crank",
       {18,
        17,
        17,
        {{"slider.x", 0, 0.2, 1e-14},
         {"slider.vx", 0, 0.24, 1e-12},
         {"rod.wx", 0, 1.92, 1e-12},
         {"rod.wy", 0, -0.96, 1e-12},
         {"rod.wz", 0, 0.48, 1e-12},
         {"rod.vx", 0, 0.12, 1e-12},
         {"rod.vy", 0, -0.24, 1e-12},
         {"rod.vz", 0, 0, 1e-12},
         {"slider.x", 5, 0.24682595, 3e-6},
         {"crank.wx", 5, 7.3888037, 3e-4},
         {"energy.total", 5, 0.7693848, 1e-6}}}},
      {"knife-edge", {3, 1, 1, {{"skate.x", 10, 0.46093296, 1e-6}, {"skate.y", 10, 16.88847724, 1e-6}}}},
      {"gear-train",
       {24,
        33,
        23,
        {{"motor.wz", 10, 200, 1e-6},
         {"carrier.wz", 10, -25, 1e-6},
         {"planet.wz", 10, 50, 1e-6},
         {"spur.reaction.tz", 10, -0.8, 1e-9}}}},
      {"differential",
       {24,
        22,
        22,
        {{"left.wy", 10, 60.02, 1e-7},
         {"right.wy", 10, 20.02, 1e-7},
         {"cage.wy", 10, 40.02, 1e-7},
         {"side2.reaction.ty", 10, 6.006, 1e-9}}}},
      {"rolling-ball",
       {6, 4, 4, {{"ball.x", 2, 2.4098716, 1e-5}, {"ball.x", 5, 5.8750634, 1e-5}, {"ball.x", 10, 11.7144536, 1e-5}}}},
      {"rolling-ball-offset", {6, 4, 4, {{"ball.x", 10, 15.552876, 1e-5}, {"ball.y", 10, 0.154466, 1e-5}}}},
      {"bicycle",
       {24,
        21,
        21,
        {{"steer.angle", 5, -0.0081856710, 1e-6},
         {"frame.wx", 5, 0.0390159629, 1e-6},
         {"frame.y", 5, -4.9015942, 2e-5}}}},
      {"flyball-governor", {24, 20, 20, {{"slider.z", 10, 0.619622917, 1e-7}, {"shaft.wz", 10, 5.54820362, 1e-6}}}},
      {"skidding-wheel",
       {3, 0, 0, {{"wheel.vx", 4, 2, 1e-12}, {"wheel.wz", 4, -20, 1e-11}, {"wheel.y", 4, 0.1, 1e-14}}}},
      {"slip-to-roll",
       {9,
        7,
        7,
        {{"crank.angle", 0.2, 2.04930928, 1e-8},
         {"disc.x", 0.2, 0.37532750, 1e-8},
         {"disc.vx", 0.2, -0.00478585, 1e-8}}}},
      {"speed-driver",
       {27,
        24,
        24,
        {{"sleeve.z", 1.6, 0.1536541, 1e-7}, {"motor.wz", 1.6, 5.498989, 1e-6}, {"machine.wz", 1.6, 8.449424, 1e-6}}}},
      // By the staggered procedure, of second order in the step.
      {"double-pendulum-spatial",
       {12, 6, 6, {{"lower.x", 3, -0.606298, 6e-4}, {"lower.z", 3, -0.871304, 6e-4}}, 1e-3, 1e-2}},
      {"loop-of-balls", {24, 15, 15, {{"first.wz", 8, 0.139204, 3e-4}, {"second.wz", 8, -0.134798, 3e-4}}, 1e-3, 1e-3}},
      {"seven-link-deployment",
       {21,
        14,
        14,
        {{"link0.angle", 2, 0.0709, 2e-4}, {"link0.angle", 3, -0.0770, 2e-4}, {"lock1.reaction.tz", 2, 3.24, 1e-3}},
        1e-3,
        1e-2}},
      {"three-link-lock", {9, 6, 6, {{"link3.tip.x", 1.8, 2.99963, 1e-5}}, 1e-2, 1e-2}},
      {"stiff-linkage", {9, 6, 6, {{"follower.angle", 1, -4.00437, 3e-4}}, 1e-3, 1e-2}},
      {"vehicle-drop", {78, 68, 68, {{"chassis.z", 0.6, 0.14682, 2e-5}, {"chassis.z", 1, 0.32958, 2e-5}}}},
      {"triple-pendulum", {18, 9, 9, {{"bar3.x", 0.5, 1.690798, 2e-6}, {"bar3.z", 2, -0.610645, 2e-6}}}},
      {"manipulator-tip-speed",
       {18, 18, 18, {{"fore.tip.x", 180, 3, 1e-6}, {"fore.tip.y", 180, 5, 1e-6}, {"fore.tip.z", 180, 6, 1e-6}}}},
      {"inverted-pendulum", {15, 14, 13, {{"rod.y", 3, -0.5, 1e-9}}}},
      {"torque-free-body",
       {6,
        0,
        0,
        {{"body.nose.x", 10, -0.13178203, 1e-5},
         {"body.nose.y", 10, -0.87859547, 1e-5},
         {"body.nose.z", 10, 0.45902450, 1e-5},
         {"energy.total", 10, 25.1125, 1e-5}}}},
      {"kinematics-four-bar",
       {9,
        9,
        9,
        {{"coupler.wz", 0, -5.99096572, 1e-8},
         {"rocker.wz", 0, -3.99173479, 1e-8},
         {"coupler.alphaz", 0, 26.0800166, 1e-6},
         {"rocker.alphaz", 0, 53.3305883, 1e-6}}}},
      {"kinematics-five-bar",
       {12,
        14,
        12,
        {{"right.angle", 10, 2 * M_PI * std::sin(10.0), 1e-13}, {"right.wz", 5, 2 * M_PI * std::cos(5.0), 1e-12}}}},
      {"inverse-dynamics-five-bar",
       {12,
        14,
        12,
        {{"left-motor.effort", 0.5, 27.90114197 / 5, 1e-8}, {"right-motor.effort", 0.5, 4 * 27.90114197 / 5, 1e-8}}}},
  };
  return all;
}

// Those that give no motion: their numbers are checked in the tests of their analyses.
const std::vector<std::string>& reports() {
  static const std::vector<std::string> all{"assemble-slider-crank", "statics-chain", "modes-double-pendulum",
                                            "sweep-pendulum"};
  return all;
}

std::vector<std::filesystem::path> example_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(MORTISE_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Examples, AllHaveAnEntryHere) {
  std::vector<std::string> files, entries = reports();
  for (const auto& path : example_files()) files.push_back(path.stem().string());
  for (const auto& [name, example] : table()) entries.push_back(name);
  std::sort(files.begin(), files.end());
  std::sort(entries.begin(), entries.end());
  EXPECT_EQ(files, entries);
}

TEST(Examples, RunWithNothingSetAndGiveTheNumbersTheyState) {
  for (const auto& [name, example] : table()) {
    SCOPED_TRACE(name);
    const Recording r = run_example(name);
    EXPECT_TRUE(r.mechanism->model().notes.empty());
    EXPECT_EQ(r.result.summary.status, "done");
    EXPECT_EQ(r.mechanism->pattern().n(), example.coordinates);
    EXPECT_EQ(r.result.rank.rows, example.rows);
    EXPECT_EQ(r.result.rank.rank, example.rank);
    EXPECT_LT(r.result.summary.energy_drift, example.drift);
    EXPECT_LT(r.result.summary.worst_position, example.held);
    EXPECT_LT(r.result.summary.worst_velocity, example.held);
    double error = 0;
    for (const Stated& s : example.numbers) {
      EXPECT_NEAR(r.at(s.quantity, s.t), s.value, s.within) << s.quantity;
      error = std::max(error, std::abs(r.at(s.quantity, s.t) - s.value));
    }
    report(name, r, error);
  }
}

// A comment tells what it is and what to look at; files stay short enough to be read whole.
TEST(Examples, AreShortAndSayWhatToLookAt) {
  for (const auto& path : example_files()) {
    SCOPED_TRACE(path.filename().string());
    std::ifstream file(path);
    std::string line, comment;
    int lines = 0;
    bool in_comment = true;
    while (std::getline(file, line)) {
      ++lines;
      EXPECT_LE(line.size(), 120u) << "line " << lines;
      in_comment = in_comment && line.starts_with("#");
      if (in_comment) comment += line + "\n";
    }
    EXPECT_LE(lines, 75);
    EXPECT_NE(comment.find("Look at: "), std::string::npos);
  }
}

}  // namespace
}  // namespace mortise::test
