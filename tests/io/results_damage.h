// Damages result files in random ways: the reader gives the right numbers or a message, never anything else.
#pragma once

#include <signal.h>

#include <random>

#include "io/results_samples.h"

namespace mortise::io::damage {

using namespace samples;

struct Outcome {
  int refused = 0, unharmed = 0, wrong = 0;
  std::string first_wrong;
};

// What reading a file ends in: 0 right numbers, 1 a message that names the file, 2 wrong numbers or another exception.
inline int judge(const std::string& path, std::uint64_t frames, bool finished, bool probe, std::string& trouble) {
  try {
    ReadOptions options;
    options.probe = probe;
    ResultReader reader(path, options);
    const analysis::RunHeader h = header(3);
    bool right = reader.frames() == frames && reader.finished() == finished && reader.header().bodies == h.bodies &&
                 reader.header().joints == h.joints && reader.header().row_names == h.row_names &&
                 reader.header().model_text == h.model_text && reader.header().options == h.options;
    if (finished) right = right && reader.summary().status == "done" && reader.summary().steps == 99;
    analysis::Frame f;
    for (std::uint64_t k = 0; k < reader.frames() && right; ++k) {
      reader.read_frame(k, f);
      right = same(f, frame(h, k));
    }
    if (!right) trouble = "wrong numbers";
    return right ? 0 : 2;
  } catch (const ResultError& error) {
    if (std::string(error.what()).find(path + ": ") == 0) return 1;
    trouble = error.what();
  } catch (const std::exception& error) {
    trouble = error.what();
  }
  return 2;
}

// A finished file, and one whose writer was killed.
inline std::vector<char> sample(const Folder& folder, std::uint64_t frames, bool finished) {
  const std::string path = folder / "sample.h5";
  in_child([&] {
    ResultWriter writer(path);
    const analysis::RunHeader h = header(3);
    writer.begin(h);
    for (std::uint64_t k = 0; k < frames; ++k) writer.frame(frame(h, k));
    writer.flush();
    if (!finished) ::raise(SIGKILL);
    writer.end(summary());
    return 0;
  });
  return bytes_of(path);
}

inline Outcome mutate(int mutations, unsigned seed, bool probe) {
  const Folder folder("/dev/shm");
  constexpr std::uint64_t frames = 60;
  const std::vector<char> whole[] = {sample(folder, frames, false), sample(folder, frames, true)};
  std::vector<std::size_t> used[2];  // bytes that hold something
  for (int kind = 0; kind < 2; ++kind)
    for (std::size_t k = 0; k < whole[kind].size(); ++k)
      if (whole[kind][k] != 0) used[kind].push_back(k);
  std::mt19937_64 random(seed);
  Outcome outcome;
  const std::string path = folder / "damaged.h5";
  for (int n = 0; n < mutations; ++n) {
    const bool finished = random() % 2 == 0;
    const auto& places = used[finished];
    std::vector<char> bytes = whole[finished];
    const auto any = [&] { return random() % 4 == 0 ? random() % bytes.size() : places[random() % places.size()]; };
    std::string what;
    switch (random() % 5) {
      case 0:  // cut
        bytes.resize(random() % bytes.size());
        what = "cut to " + std::to_string(bytes.size());
        break;
      case 1:  // a stretch of zeros
      {
        const std::size_t at = any(), length = 1 + random() % 2000;
        for (std::size_t k = at; k < std::min(at + length, bytes.size()); ++k) bytes[k] = 0;
        what = "zeros at " + std::to_string(at);
        break;
      }
      case 2: {  // random bytes in the structures at the front
        const std::size_t at = random() % 20000;
        for (std::size_t k = at; k < std::min<std::size_t>(at + 4, bytes.size()); ++k)
          bytes[k] = static_cast<char>(random());
        what = "noise at " + std::to_string(at);
        break;
      }
      default: {  // one bit
        const std::size_t at = any();
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
        what = "bit at " + std::to_string(at);
      }
    }
    write_bytes(path, bytes);
    std::string trouble;
    const int end = judge(path, frames, finished, probe, trouble);
    (end == 0 ? outcome.unharmed : end == 1 ? outcome.refused : outcome.wrong)++;
    if (end == 2 && outcome.first_wrong.empty())
      outcome.first_wrong = (finished ? "finished, " : "killed, ") + what + ": " + trouble;
  }
  return outcome;
}

inline void expect_message_or_right_numbers(const Outcome& outcome) {
  std::printf("%d refused with a message, %d read with right numbers, %d wrong\n", outcome.refused, outcome.unharmed,
              outcome.wrong);
  EXPECT_EQ(outcome.wrong, 0) << outcome.first_wrong;
  EXPECT_GT(outcome.refused, 0);
}

}  // namespace mortise::io::damage
