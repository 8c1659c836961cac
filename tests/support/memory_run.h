// Runs inside the test: frames and checkpoints in memory, stopped where the test wants.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mortise/analysis/dynamics.h"
#include "mortise/io/checkpoint.h"
#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"
#include "support/compile.h"
#include "support/frames.h"

namespace mortise::test {

// Keeps every frame, every checkpoint as the bytes of its file, and the summary.
struct Recorder final : analysis::Sink, analysis::CheckpointSink {
  struct Saved {
    std::vector<std::byte> bytes;
    double t;
  };
  std::vector<analysis::Frame> frames;
  std::vector<analysis::EventEntry> events, poses;  // of the model; singular ones
  std::size_t own_events = 0;
  std::vector<Saved> checkpoints;
  analysis::RunSummary summary;
  int begins = 0, ends = 0, flushes = 0;

  void begin(const analysis::RunHeader& h) override {
    ++begins;
    own_events = h.events.size() - (!h.events.empty() && h.events.back() == analysis::singular_pose_event ? 1 : 0);
  }
  void frame(const analysis::Frame& f) override { frames.push_back(f); }
  void event(const analysis::EventEntry& e) override {
    (static_cast<std::size_t>(e.event) < own_events ? events : poses).push_back(e);
  }
  void flush() override { ++flushes; }
  void end(const analysis::RunSummary& s) override { summary = s, ++ends; }
  void checkpoint(const State& state, std::uint64_t count) override {
    checkpoints.emplace_back();
    checkpoints.back().t = state.t;
    io::encode(state, count, checkpoints.size(), {1, 2}, checkpoints.back().bytes);
  }
};

// Runs to the end, or until `stop_after` steps of this leg; goes on from `from` when given (the recorder's frames are
// cut to those that the checkpoint names, as a resumed result file is).
inline analysis::DynamicsResult run(const mechanism::Mechanism& m, Recorder& recorder, long stop_after = 0,
                                    const std::vector<std::byte>* from = nullptr) {
  analysis::DynamicsOptions options;
  std::atomic<int> interrupt{0};
  long steps = 0;
  options.sink = &recorder;
  options.checkpoints = &recorder;
  options.interrupt = &interrupt;
  options.progress = [&](const analysis::Progress&) {
    if (++steps == stop_after) interrupt = 15;
  };
  std::optional<io::Checkpoint> saved;
  if (from) {
    saved = io::decode(*from);
    if (!saved) throw std::runtime_error("the checkpoint cannot be decoded");
    options.resume = &saved->state;
    options.resume_frames = saved->frames;
    recorder.frames.resize(saved->frames);
    std::erase_if(recorder.events, [&](const auto& e) { return e.frame >= saved->frames; });
  }
  return analysis::run_dynamics(m, options);
}

}  // namespace mortise::test
