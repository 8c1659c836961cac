// Frames with known contents, a folder that cleans up after itself, and comparison of result files bit by bit.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "mortise/error.h"
#include "mortise/io/results.h"

namespace mortise::io::samples {

namespace fs = std::filesystem;

class Folder {
 public:
  explicit Folder(const std::string& wanted = "") {  // "/dev/shm" where it exists, else the usual place
    const std::string parent = fs::is_directory(wanted) ? wanted : fs::temp_directory_path().string();
    std::string pattern = parent + "/mortise-results-XXXXXX";
    if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline analysis::RunHeader header(int dimension, int bodies = 3, int joints = 2) {
  analysis::RunHeader h;
  h.dimension = dimension;
  h.q_size = bodies * (dimension == 2 ? 3 : 7);
  h.v_size = bodies * (dimension == 2 ? 3 : 6);
  h.rows = joints * 2;
  for (int k = 0; k < bodies; ++k) h.bodies.push_back("body" + std::to_string(k));
  for (int k = 0; k < joints; ++k) {
    h.joints.push_back("joint" + std::to_string(k));
    h.row_names.push_back(h.joints.back() + ".x");
    h.row_names.push_back(h.joints.back() + ".y");
  }
  h.model_name = "Kurbeltrieb – crank";
  h.model_text = "mortise: 1\nname: Kurbeltrieb – crank\n";
  h.version = "0.1.0";
  h.options = "integrator=adams tolerance=1e-8";
  return h;
}

// Every number of frame k follows from k and its place: bit patterns without structure, finite.
inline void fill(const analysis::RunHeader& h, std::uint64_t k, analysis::Frame& f) {
  const bool planar = h.dimension == 2;
  const auto nb = static_cast<Eigen::Index>(h.bodies.size()), nj = static_cast<Eigen::Index>(h.joints.size());
  double seed = static_cast<double>(k) + 0.5;
  const auto next = [&] { return std::sin(seed = seed * 1.0000001 + 0.37); };
  const auto numbers = [&](Vector& v, Eigen::Index n) {
    v.resize(n);
    for (double& x : v) x = next();
  };
  f.t = static_cast<double>(k) * 0.01;
  numbers(f.q, h.q_size), numbers(f.v, h.v_size), numbers(f.a, h.v_size), numbers(f.lambda, h.rows), numbers(f.work, 3);
  numbers(f.pose, nb * (planar ? 3 : 7)), numbers(f.velocity, nb * (planar ? 3 : 6));
  numbers(f.acceleration, nb * (planar ? 3 : 6)), numbers(f.reaction, nj * (planar ? 3 : 6));
  for (double* x : {&f.kinetic, &f.potential, &f.dissipated, &f.applied, &f.constraint_work, &f.position_error,
                    &f.velocity_error, &f.acceleration_error})
    *x = next();
}

inline analysis::Frame frame(const analysis::RunHeader& h, std::uint64_t k) {
  analysis::Frame f;
  fill(h, k, f);
  return f;
}

inline bool same(const analysis::Frame& a, const analysis::Frame& b) {
  const auto equal = [](const Vector& x, const Vector& y) {
    return x.size() == y.size() && (x.size() == 0 || std::memcmp(x.data(), y.data(), sizeof(double) * x.size()) == 0);
  };
  const double s[] = {a.t,
                      a.kinetic,
                      a.potential,
                      a.dissipated,
                      a.applied,
                      a.constraint_work,
                      a.position_error,
                      a.velocity_error,
                      a.acceleration_error};
  const double r[] = {b.t,
                      b.kinetic,
                      b.potential,
                      b.dissipated,
                      b.applied,
                      b.constraint_work,
                      b.position_error,
                      b.velocity_error,
                      b.acceleration_error};
  return std::memcmp(s, r, sizeof s) == 0 && equal(a.q, b.q) && equal(a.v, b.v) && equal(a.a, b.a) &&
         equal(a.lambda, b.lambda) && equal(a.work, b.work) && equal(a.pose, b.pose) && equal(a.velocity, b.velocity) &&
         equal(a.acceleration, b.acceleration) && equal(a.reaction, b.reaction);
}

inline analysis::RunSummary summary() {
  analysis::RunSummary s;
  s.status = "done";
  s.evaluations = 1234, s.steps = 99, s.failed_steps = 2, s.rank = 4;
  s.cpu_evaluate = 0.1, s.cpu_total = 0.25, s.energy_drift = -1e-9, s.worst_position = 1e-13, s.worst_velocity = 2e-12;
  return s;
}

inline void write(const std::string& path, const analysis::RunHeader& h, std::uint64_t frames,
                  ResultWriterOptions options = {}) {
  ResultWriter writer(path, options);
  writer.begin(h);
  for (std::uint64_t k = 0; k < frames; ++k) writer.frame(frame(h, k));
  writer.end(summary());
}

inline ReadOptions trusted() {
  ReadOptions options;
  options.probe = false;
  return options;
}

inline std::vector<char> bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(const std::string& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// Runs `work` in a child process and returns how it ended (a status of waitpid). No test macros inside.
template <class Work>
int in_child(Work&& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 99;
    try {
      code = work();
    } catch (...) {
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace mortise::io::samples
