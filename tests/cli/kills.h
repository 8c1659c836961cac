// Kills runs of the program at random moments, looks at what is left, lets the next run go on from there.
//
// A kill is aimed either at a random time after the file of this run appeared (its first frame follows at once), or at
// the inside of a checkpoint: MORTISE_FAULT=checkpoint-slow makes each write pause half-way, and the kill falls when
// the half-written part is seen.
#pragma once

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/result_files.h"
#include "mortise/io/checkpoint.h"
#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"

namespace mortise::test {

struct Victim {
  std::string name, model;
  double seconds;                     // that an uninterrupted run takes at least
  std::vector<std::string> settings;  // more of them
};

struct Kills {
  int kills = 0, before_first = 0, in_window = 0, in_checkpoint = 0, resumed = 0, completed = 0;
  int unreadable = 0, torn = 0, checkpoint_ahead = 0, lost_checkpoints = 0, differing = 0, failed = 0;
  double straight_seconds = 0;  // of the fastest uninterrupted run
  std::string first_trouble;
  void trouble(int& counter, const std::string& text) {
    ++counter;
    if (first_trouble.empty()) first_trouble = text;
  }
  void print() const {
    std::printf(
        "%d kills (%d between first and last frame, %d inside a checkpoint, %d before the first frame, %d while "
        "resumed), "
        "%d runs completed, shortest straight run %.2f s: %d unreadable, %d torn, %d lost checkpoints, %d checkpoints "
        "ahead, %d results differ, %d runs failed\n",
        kills, in_window, in_checkpoint, before_first, resumed, completed, straight_seconds, unreadable, torn,
        lost_checkpoints, checkpoint_ahead, differing, failed);
  }
  void expect_no_loss(double share_in_window, double share_in_checkpoint) const {
    print();
    EXPECT_EQ(unreadable + torn + lost_checkpoints + checkpoint_ahead + differing + failed, 0) << first_trouble;
    EXPECT_GE(in_window, share_in_window * kills);
    EXPECT_GE(in_checkpoint, share_in_checkpoint * kills);
    EXPECT_GT(completed, 0);
    EXPECT_GT(resumed, 0);
  }
};

inline ino_t inode(const std::string& path) {
  struct stat s {};
  return ::stat(path.c_str(), &s) == 0 ? s.st_ino : 0;
}

class Tormentor {
 public:
  Tormentor(const Victim& victim, Kills& tally, unsigned seed) : victim_(victim), tally_(tally), random_(seed) {
    measure();
    arguments_ = {"run", victim.model, "-o", path_, "--resume", "-q"};
    for (const std::string& s : settings_) arguments_.insert(arguments_.end(), {"--set", s});
  }

  // Begins again and again until `kills` have fallen; the last run ends unharmed.
  void torment(int kills) {
    const int goal = tally_.kills + kills;
    bool published = false;
    while (tally_.kills < goal) {
      const bool finished = once(published);
      if (!finished) continue;
      published = false;
      for (const auto& entry : fs::directory_iterator(folder_.path()))
        if (entry.path() != straight_) fs::remove(entry);
    }
    const Ended last = execute(program(), arguments_);
    judge_finished(last);
  }

 private:
  std::uniform_real_distribution<double> uniform_{0, 1};

  // The straight run: until it is long enough, and then with about one checkpoint in a tenth of a second.
  void measure() {
    double until = io::load_model(victim_.model, mechanism::catalogue(), victim_.settings).analysis.until, seconds = 0;
    nlohmann::json report;
    const auto run = [&] {
      settings_ = victim_.settings;
      settings_.push_back("analysis.until=" + std::to_string(until));
      settings_.push_back("output.every=" + std::to_string(until / 500));
      if (!report.is_null()) {
        const long steps = report["steps"].get<long>();
        const long tenth = static_cast<long>(static_cast<double>(steps) * 0.1 / seconds);
        settings_.push_back("output.checkpoint.steps=" +
                            std::to_string(std::clamp(tenth, 2L, std::max(2L, steps / 6))));
      }
      std::vector<std::string> arguments{"run", victim_.model, "-o", straight_, "--json"};
      for (const std::string& s : settings_) arguments.insert(arguments.end(), {"--set", s});
      const Ended end = execute(program(), arguments);
      if (end.code != 0) throw std::runtime_error(victim_.name + ": " + shown(end));
      seconds = end.seconds;
      report = nlohmann::json::parse(end.out);
    };
    run();
    for (int k = 0; k < 6 && (k == 0 || seconds < victim_.seconds); ++k) {
      until *= std::clamp(1.4 * victim_.seconds / seconds, 1.0, 20.0);
      run();
    }
    straight_seconds_ = seconds;
    if (tally_.straight_seconds == 0 || straight_seconds_ < tally_.straight_seconds)
      tally_.straight_seconds = straight_seconds_;
  }

  bool half_written(pid_t id) const {
    for (const char* k : {"0", "1"})
      if (fs::exists(path_ + ".ckpt-" + k + ".part-" + std::to_string(id))) return true;
    return false;
  }

  // One run with one kill; true when the run was faster and has ended.
  bool once(bool& published) {
    const bool aimed = random_() % 3 == 0, anywhere = !aimed && random_() % 8 == 0;
    const double wait = uniform_(random_) * straight_seconds_ * 0.9;
    const ino_t before = inode(path_);
    const bool resuming = fs::exists(path_ + ".ckpt-0") || fs::exists(path_ + ".ckpt-1");
    ProcessOptions options;
    if (aimed) options.setting = {{"MORTISE_FAULT", "checkpoint-slow"}};
    Process run(program(), arguments_, options);
    while (!anywhere && inode(path_) == before && run.running()) ::usleep(200);
    const bool began = inode(path_) != before;
    const double begin = run.seconds();
    const auto sleep_until = [&](double end) {
      while (run.seconds() < end && run.running()) ::usleep(500);
    };
    sleep_until(begin + wait * (aimed ? 0.3 : anywhere ? 0.1 : 1));
    while (aimed && !half_written(run.id()) && run.running()) ::usleep(100);
    const pid_t id = run.id();
    run.kill(SIGKILL);
    const Ended end = run.wait();
    if (end.signal == 0) {
      judge_finished(end);
      return true;
    }
    ++tally_.kills;
    tally_.resumed += resuming;
    const bool begun = began || inode(path_) != before;
    (begun ? tally_.in_window : tally_.before_first) += 1;
    tally_.in_checkpoint += half_written(id);
    published = published || begun;
    if (!fs::exists(path_)) {
      if (published) tally_.trouble(tally_.unreadable, "the file vanished");
      return false;
    }
    judge_killed(resuming);
    return false;
  }

  void judge_killed(bool had_checkpoint) {
    std::uint64_t frames = 0;
    bool finished = false;  // killed behind its last frame: the checkpoints of a finished run are taken away
    try {
      io::ResultReader reader(path_, trusted());
      frames = reader.frames();
      finished = reader.finished();
      try {
        reader.verify();
        compare_with_straight(reader);
      } catch (const std::exception& error) {
        tally_.trouble(tally_.torn, error.what());
      }
    } catch (const std::exception& error) {
      tally_.trouble(tally_.unreadable, error.what());
    }
    const auto saved = io::read_newest(path_);
    if (had_checkpoint && !saved && !finished) tally_.trouble(tally_.lost_checkpoints, "no generation is whole");
    if (saved && saved->frames > frames)
      tally_.trouble(tally_.checkpoint_ahead, "the checkpoint is ahead of the result");
  }

  // What the killed run left is the beginning of the straight one.
  void compare_with_straight(io::ResultReader& reader) {
    io::ResultReader straight(straight_, trusted());
    analysis::Frame a, b;
    for (std::uint64_t k = 0; k < reader.frames(); ++k) {
      reader.read_frame(k, a);
      straight.read_frame(k, b);
      if (const std::string what = difference(a, b); !what.empty())
        throw std::runtime_error("frame " + std::to_string(k) + " differs in " + what);
    }
  }

  void judge_finished(const Ended& end) {
    ++tally_.completed;
    if (end.code != 0) return tally_.trouble(tally_.failed, victim_.name + ": " + shown(end));
    const std::string what = difference(straight_, path_);
    if (!what.empty()) tally_.trouble(tally_.differing, victim_.name + ": " + what);
    int left = 0;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      left += entry.path() != straight_ && entry.path() != path_;
    if (left > 0) tally_.trouble(tally_.differing, victim_.name + ": files are left beside the result");
  }

  const Victim victim_;
  Kills& tally_;
  std::mt19937 random_;
  Folder folder_;
  std::string path_ = folder_ / "run.h5", straight_ = folder_ / "straight.h5";
  std::vector<std::string> settings_, arguments_;
  double straight_seconds_ = 0;
};

}  // namespace mortise::test
