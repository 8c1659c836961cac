// Models of the study: bars on balls as chains and trees, vehicles side by side; and how long things take.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "mortise/coordinates/natural.h"

namespace mortise::papers {

// Bars of 1 m on balls (or hinges across them): a root on the ground and `branches` chains of `length` below it; none:
// a chain.
inline std::string bars(int branches, int length, bool hinges = false) {
  std::string bodies = "bodies:\n", joints = "joints:\n";
  const auto add = [&](const std::string& name, const std::string& parent, double x, double y) {
    bodies += fmt::format("  {}: {{mass: 1, inertia: [0.01, 0.08, 0.09], at: [{}, {}, 0]}}\n", name, x + 0.5, y);
    joints += fmt::format("  on_{}: {{type: {}, between: [{}, {}], at: [{}, {}, 0]}}\n", name,
                          hinges ? "revolute, axis: [0, 0.6, 0.8]" : "spherical", parent, name, x, y);
  };
  add("root", "ground", 0, 0);
  for (int b = 0; b < std::max(1, branches); ++b) {
    std::string parent = "root";
    for (int k = 0; k < length; ++k) {
      const std::string name = fmt::format("b{}_{}", b, k);
      add(name, parent, branches ? 1 + k : 1 + k, branches ? 0.1 * b : 0);
      parent = name;
    }
  }
  return "mortise: 1\ndimension: spatial\ngravity: [0, 0, -9.81]\n" + bodies + joints + "analysis: {until: 1}\n";
}

inline std::string read_example(const std::string& name) {
  std::ifstream in(MORTISE_SOURCE_DIR "/examples/" + name + ".yaml");
  return {std::istreambuf_iterator<char>(in), {}};
}

// Copies of the vehicle: every name gets a number.
inline std::string vehicles(int count) {
  const std::string text = read_example("vehicle-drop");
  const std::string bodies =
      text.substr(text.find("bodies:\n") + 8, text.find("joints:\n") - text.find("bodies:\n") - 8);
  const std::string joints =
      text.substr(text.find("joints:\n") + 8, text.find("forces:\n") - text.find("joints:\n") - 8);
  const std::string forces =
      text.substr(text.find("forces:\n") + 8, text.find("analysis:") - text.find("forces:\n") - 8);
  const std::regex name(R"(\b(chassis|(?:fl|fr|rl|rr)_[a-z_]+)\b)");
  std::string all[3];
  for (int k = 0; k < count; ++k) {
    const std::string with = fmt::format("$1_{}", k);
    all[0] += std::regex_replace(bodies, name, with);
    all[1] += std::regex_replace(joints, name, with);
    all[2] += std::regex_replace(forces, name, with);
  }
  return "mortise: 1\ndimension: spatial\ngravity: [0, 0, -9.81]\nbodies:\n" + all[0] + "joints:\n" + all[1] +
         "forces:\n" + all[2] + "analysis: {until: 1}\n";
}

inline coordinates::CoordinateSettings by(const char* accelerations, const char* preconditioner = "branches",
                                          double tolerance = 1e-10) {
  coordinates::CoordinateSettings settings;
  settings.accelerations = accelerations;
  settings.preconditioner = preconditioner;
  settings.tolerance = tolerance;
  return settings;
}

// Open trees take any numbers: random attitudes, body rates of about `rate`.
inline State random_tree_state(const coordinates::Natural& natural, unsigned seed, double rate) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  State state, absolute = natural.mechanism().initial_state();
  natural.lower(absolute, state);
  for (double& x : state.q) x = normal(random);
  natural.normalize(as_span(state.q));
  for (double& x : state.v) x = rate * normal(random) / std::sqrt(3.0);
  return state;
}

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Call>
double microseconds(const Call& call) {
  call();
  std::vector<double> times;
  for (double begin = now(); times.size() < 15 || (now() - begin < 0.3 && times.size() < 400);) {
    const double start = now();
    call();
    times.push_back(now() - start);
  }
  std::sort(times.begin(), times.end());
  return 1e6 * times[times.size() / 10];  // others work on the machine: nearly the best
}

}  // namespace mortise::papers
