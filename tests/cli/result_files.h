// Result files compared bit by bit, models to run.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "mortise/io/results.h"
#include "support/frames.h"
#include "support/process.h"

namespace mortise::test {

namespace fs = std::filesystem;

inline std::string example(const std::string& name) { return MORTISE_SOURCE_DIR "/examples/" + name + ".yaml"; }

// A spatial double pendulum with a damper: two bodies on a universal and a revolute joint.
inline std::string spatial_model() {
  return "mortise: 1\nname: Spatial double pendulum\ndimension: spatial\ngravity: [0, 0, -9.81]\n"
         "bodies:\n"
         "  upper: {mass: 1, inertia: [0.02, 0.1, 0.1], at: [0.5, 0, 0], points: {tip: [0.5, 0, 0]}}\n"
         "  lower: {mass: 2, inertia: [0.1, 0.02, 0.1], at: [1, 0.5, 0], angular_velocity: [3, 0, 0]}\n"
         "joints:\n"
         "  A: {type: spherical, between: [ground, upper], at: [0, 0, 0]}\n"
         "  B: {type: revolute, between: [upper, lower], at: [1, 0, 0], axis: [1, 0, 0]}\n"
         "forces:\n"
         "  damper: {type: spring-damper-actuator, between: [ground, upper], points: [[0, 0, 1], [0.5, 0, 0]],\n"
         "           stiffness: 5, damping: 0.1, force: 0.5*sin(3*t)}\n"
         "analysis: {until: 10}\noutput: {every: 0.01}\n";
}

inline io::ReadOptions trusted() {
  io::ReadOptions options;
  options.probe = false;
  return options;
}

// "" when both files hold the same frames, to the bit, and the same summary beside the seconds it took.
inline std::string difference(const std::string& left, const std::string& right) {
  io::ResultReader a(left, trusted()), b(right, trusted());
  if (a.header().model_text != b.header().model_text) return "the models differ";
  if (a.frames() != b.frames()) return std::to_string(a.frames()) + " and " + std::to_string(b.frames()) + " frames";
  analysis::Frame x, y;
  for (std::uint64_t k = 0; k < a.frames(); ++k) {
    a.read_frame(k, x);
    b.read_frame(k, y);
    if (const std::string what = difference(x, y); !what.empty()) return "frame " + std::to_string(k) + ": " + what;
  }
  if (a.finished() != b.finished()) return "only one is finished";
  return difference(a.summary(), b.summary());
}

// The text of what a run prints with --json, of the file, and so on: one line for a failure message.
inline std::string shown(const Ended& end) {
  return "exit " + std::to_string(end.code) + ", signal " + std::to_string(end.signal) + "\n" + end.text();
}

}  // namespace mortise::test
