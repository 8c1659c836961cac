// Kills a run at random moments, looks at what is left, lets the next run go on from there, and so forth until it ends.
#pragma once

#include <signal.h>
#include <sys/mman.h>

#include <random>

#include "io/results_samples.h"
#include "mortise/io/checkpoint.h"
#include "mortise/io/results_faults.h"
#include "mortise/io/results_layout.h"

namespace mortise::io::torture {

using namespace samples;

// What the child tells the parent about where it was killed.
struct Place {
  volatile int in_checkpoint = 0, in_begin = 0, resuming = 0, writing = 0;
};

inline Place* place() {
  static auto* shared =
      new (::mmap(nullptr, sizeof(Place), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Place;
  return shared;
}

inline bool slow_checkpoints = false;

inline void checkpoint_hook(faults::CheckpointMoment moment) {
  if (moment == faults::CheckpointMoment::begin) place()->in_checkpoint = 1;
  if (moment == faults::CheckpointMoment::half_written && slow_checkpoints) ::usleep(5000);
  if (moment == faults::CheckpointMoment::renamed) place()->in_checkpoint = 0;
}

inline const analysis::RunHeader& run_header() {
  static const analysis::RunHeader h = header(2, 4, 4);
  return h;
}

inline CheckpointIdentity identity() { return {hash_text(run_header().model_text), hash_text(run_header().options)}; }

// A "simulation" whose every step needs the last: a resume from a wrong state cannot end in the right file.
inline State start() {
  State s;
  s.q = Vector::Constant(12, 0.3);
  s.v = Vector::Zero(12);
  s.work = Vector::Zero(3);
  s.active.assign(8, 1);
  s.memory.slot("steps", 1)[0] = 0;
  return s;
}

inline void step(State& s) {
  for (double& x : s.q) x = 3.9 * x * (1 - x);  // chaotic: one wrong bit shows
  s.v = s.q.array().cos();
  s.t += 0.01;
  s.memory.slot("steps", 1)[0] += 1;
}

inline void show(const State& s, std::uint64_t k, analysis::Frame& f) {
  fill(run_header(), k, f);
  f.q = s.q, f.v = s.v, f.t = s.t;
}

constexpr std::uint64_t frames_a_checkpoint = 7;

// Begins, or goes on after a kill, until `frames` frames are written.
inline int run(const std::string& path, std::uint64_t frames) {
  faults::set_checkpoint_hook(checkpoint_hook);
  const std::optional<Checkpoint> saved = read_newest(path, identity());
  place()->resuming = saved.has_value();
  place()->in_begin = 1;
  ResultWriterOptions options;
  options.buffer_bytes = 20000;
  ResultWriter writer = saved ? ResultWriter::resume(path, saved->frames, options) : ResultWriter(path, options);
  writer.begin(run_header());
  place()->in_begin = 0;
  place()->writing = 1;
  CheckpointWriter checkpoints(path, identity());
  State state = saved ? saved->state : start();
  analysis::Frame f;
  for (std::uint64_t k = writer.frames(); k < frames; ++k) {
    step(state);
    show(state, k, f);
    writer.frame(f);
    if (k % frames_a_checkpoint == 0) {
      writer.flush();
      checkpoints.write(state, writer.frames());
    }
  }
  writer.end(summary());
  remove_checkpoints(path);
  return 0;
}

struct Tally {
  int kills = 0, unreadable = 0, torn = 0, bad_checkpoints = 0, ahead = 0, completed = 0, differing = 0;
  int in_checkpoint = 0, in_begin = 0, while_resuming = 0, before_rename = 0;
  std::uint64_t frames_lost_at_most = 0;
  std::string first_trouble;
  void trouble(int& counter, const std::string& text) {
    ++counter;
    if (first_trouble.empty()) first_trouble = text;
  }
};

// All frames of the run, once and for all.
inline std::vector<analysis::Frame> expected_frames(std::uint64_t frames) {
  std::vector<analysis::Frame> all(frames);
  State state = start();
  for (std::uint64_t k = 0; k < frames; ++k) step(state), show(state, k, all[k]);
  return all;
}

inline void inspect(const std::string& path, const std::vector<analysis::Frame>& expected, bool finished,
                    Tally& tally) {
  std::uint64_t frames = 0;
  try {
    ResultReader reader(path, trusted());
    frames = reader.frames();
    analysis::Frame f;
    for (std::uint64_t k = 0; k < frames; ++k) {
      reader.read_frame(k, f);
      if (k >= expected.size() || !same(f, expected[k])) {
        tally.trouble(finished ? tally.differing : tally.torn, "frame " + std::to_string(k) + " is another");
        break;
      }
    }
    if (finished && (frames != expected.size() || !reader.finished()))
      tally.trouble(tally.differing, "the finished file has " + std::to_string(frames) + " frames");
  } catch (const std::exception& error) {
    tally.trouble(tally.unreadable, error.what());
    return;
  }
  if (finished) return;
  const bool any = fs::exists(path + ".ckpt-0") || fs::exists(path + ".ckpt-1");
  const std::optional<Checkpoint> saved = read_newest(path);
  if (any && !saved) tally.trouble(tally.bad_checkpoints, "no generation is whole");
  if (!saved) return;
  if (saved->frames > frames) tally.trouble(tally.ahead, "the checkpoint is ahead of the result");
  if (saved->frames > 0 && saved->frames <= expected.size() && saved->state.q != expected[saved->frames - 1].q)
    tally.trouble(tally.bad_checkpoints, "the checkpoint's state is another");
  tally.frames_lost_at_most = std::max(tally.frames_lost_at_most, frames - saved->frames);
}

inline Tally torment(const Folder& folder, int kills, std::uint64_t frames, unsigned seed) {
  const std::string path = folder / "run.h5";
  const std::vector<analysis::Frame> expected = expected_frames(frames);
  std::mt19937 random(seed);
  Tally tally;
  bool fresh = true;  // nothing of this run has been published yet
  while (tally.kills < kills) {
    *place() = Place{};
    slow_checkpoints = random() % 2 == 0;
    const bool while_writing = random() % 4 != 0;  // else at any moment from the start of the process on
    const unsigned wait = random() % (slow_checkpoints ? 30000 : 15000);
    const pid_t child = ::fork();
    if (child == 0) {
      int code = 99;
      try {
        code = run(path, frames);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "the run failed: %s\n", error.what());
      }
      ::_exit(code);
    }
    for (int patience = 0; while_writing && !place()->writing && patience < 10000; ++patience) ::usleep(100);
    ::usleep(wait);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status)) {  // it was faster
      ++tally.completed;
      if (WEXITSTATUS(status) != 0) tally.trouble(tally.differing, "the run failed");
      inspect(path, expected, true, tally);
      for (const auto& entry : fs::directory_iterator(folder.path())) fs::remove(entry);
      fresh = true;
      continue;
    }
    ++tally.kills;
    tally.in_checkpoint += place()->in_checkpoint;
    tally.in_begin += place()->in_begin;
    tally.while_resuming += place()->in_begin && place()->resuming;
    if (!fs::exists(path)) {
      ++tally.before_rename;
      if (!fresh) tally.trouble(tally.unreadable, "the file vanished");
      continue;
    }
    fresh = false;
    inspect(path, expected, false, tally);
  }
  const int last = in_child([&] { return run(path, frames); });
  if (last != 0) tally.trouble(tally.differing, "the last run failed");
  inspect(path, expected, true, tally);
  ++tally.completed;
  int leftovers = 0;
  for (const auto& entry : fs::directory_iterator(folder.path())) leftovers += entry.path() != path;
  if (leftovers > 0) tally.trouble(tally.differing, "files are left beside the result");
  return tally;
}

inline void expect_no_loss(const Tally& t) {
  std::printf(
      "%d kills (%d inside a checkpoint, %d inside begin, %d of these while resuming, %d before the first rename), "
      "%d runs completed: %d unreadable, %d torn, %d bad checkpoints, %d checkpoints ahead, %d results differ; "
      "at most %d frames behind the checkpoint\n",
      t.kills, t.in_checkpoint, t.in_begin, t.while_resuming, t.before_rename, t.completed, t.unreadable, t.torn,
      t.bad_checkpoints, t.ahead, t.differing, static_cast<int>(t.frames_lost_at_most));
  EXPECT_EQ(t.unreadable, 0) << t.first_trouble;
  EXPECT_EQ(t.torn, 0) << t.first_trouble;
  EXPECT_EQ(t.bad_checkpoints, 0) << t.first_trouble;
  EXPECT_EQ(t.ahead, 0) << t.first_trouble;
  EXPECT_EQ(t.differing, 0) << t.first_trouble;
  EXPECT_GE(t.in_checkpoint * 5, t.kills) << "too few kills fell into a checkpoint";
  EXPECT_GT(t.while_resuming, 0);
  EXPECT_GT(t.completed, 0);
}

}  // namespace mortise::io::torture
