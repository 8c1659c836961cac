// Checkpoints: what is written comes back, what is torn is passed over, what belongs to another model is refused.
#include "mortise/io/checkpoint.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <random>

#include "io/results_samples.h"
#include "mortise/io/results_faults.h"
#include "mortise/io/results_layout.h"

namespace mortise::io {
namespace {

using namespace samples;

State state(int k) {
  State s;
  s.t = 0.1 * k;
  s.q = Vector::LinSpaced(14, k, k + 1.0 / 3);
  s.v = s.q.array().sin();
  s.lambda = Vector::Constant(5, -0.0);
  s.work = Vector::Constant(3, 1e-300);
  s.active = {1, 0, 1, 1, 0};
  s.memory.slot("adams.history", 33)[32] = 0.1 + k;
  s.memory.slot("steps", 1)[0] = k;
  s.memory.slot("empty", 0);
  return s;
}

void expect_same(const State& a, const State& b) {
  EXPECT_EQ(a.t, b.t);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.lambda, b.lambda);
  EXPECT_EQ(a.work, b.work);
  EXPECT_EQ(a.active, b.active);
  EXPECT_EQ(a.memory, b.memory);
}

TEST(Checkpoint, GivesBackTheState) {
  const Folder folder;
  const std::string path = folder / "run.h5";
  EXPECT_FALSE(read_newest(path));
  CheckpointWriter writer(path, {7, 8});
  for (int k = 0; k < 5; ++k) {
    writer.write(state(k), static_cast<std::uint64_t>(10 * k));
    const auto saved = read_newest(path, {7, 8});
    ASSERT_TRUE(saved);
    expect_same(saved->state, state(k));
    EXPECT_EQ(saved->frames, static_cast<std::uint64_t>(10 * k));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}), 2);
  remove_checkpoints(path);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Checkpoint, OfAnotherModelOrOtherOptionsIsRefused) {
  const Folder folder;
  const std::string path = folder / "run.h5";
  CheckpointWriter(path, {hash_text("model"), hash_text("options")}).write(state(1), 3);
  const auto message = [&](CheckpointIdentity expected) -> std::string {
    try {
      read_newest(path, expected);
    } catch (const ResultError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({hash_text("model"), hash_text("options")}), "");
  EXPECT_NE(message({hash_text("model2"), hash_text("options")}).find("another model"), std::string::npos);
  EXPECT_NE(message({hash_text("model"), hash_text("options2")}).find("other options"), std::string::npos);
}

TEST(Checkpoint, FallsBackToTheOtherGenerationWhenOneIsDamaged) {
  const Folder folder("/dev/shm");
  const std::string path = folder / "run.h5";
  CheckpointWriter writer(path, {});
  for (int k = 0; k < 4; ++k) writer.write(state(k), static_cast<std::uint64_t>(k));  // 2 in .ckpt-0, 3 in .ckpt-1
  const std::vector<char> whole = bytes_of(path + ".ckpt-1");
  std::mt19937 random(1);
  for (int n = 0; n < 2000; ++n) {
    std::vector<char> bytes = whole;
    if (n % 2) {
      bytes.resize(random() % bytes.size());
    } else {
      const std::size_t at = random() % bytes.size();
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
    }
    write_bytes(path + ".ckpt-1", bytes);
    const auto saved = read_newest(path);
    ASSERT_TRUE(saved);
    ASSERT_EQ(saved->frames, 2U);
  }
  // A new writer goes on from the valid generation and replaces the damaged one.
  CheckpointWriter next(path, {});
  next.write(state(9), 9);
  EXPECT_EQ(read_newest(path)->frames, 9U);
}

TEST(Checkpoint, CountsThatDoNotFitAreRefusedWithoutAllocatingThem) {
  std::vector<std::byte> bytes;
  encode(state(1), 1, 1, {}, bytes);
  for (std::size_t at = 16; at + 16 <= bytes.size(); at += 8) {
    std::vector<std::byte> forged = bytes;  // a huge count with a right checksum
    const std::uint64_t huge = 1ULL << 60;
    std::memcpy(forged.data() + at, &huge, 8);
    const std::uint64_t sum = hash_bytes(forged.data(), forged.size() - 8);
    std::memcpy(forged.data() + forged.size() - 8, &sum, 8);
    decode(forged);
  }
}

TEST(Checkpoint, IsAWellKnownFailureWhenTheFolderIsGone) {
  std::string path;
  {
    const Folder folder;
    path = folder / "run.h5";
    EXPECT_NO_THROW(CheckpointWriter(path, {}));
  }
  EXPECT_THROW(CheckpointWriter(path, {}), OutputError);
}

TEST(Checkpoint, OfAFormerRunGoesWhenAFreshOneBegins) {
  const Folder folder;
  const std::string path = folder / "run.h5";
  CheckpointWriter(path, {}).write(state(1), 100);
  write(path, header(2), 3);
  EXPECT_FALSE(read_newest(path));
}

TEST(Resume, KeepsTheFramesOfTheCheckpointAndGoesOn) {
  const Folder folder;
  const std::string path = folder / "run.h5";
  const analysis::RunHeader h = header(3);
  in_child([&] {
    ResultWriter writer(path);
    writer.begin(h);
    for (std::uint64_t k = 0; k < 50; ++k) writer.frame(frame(h, k));
    writer.flush();
    ::kill(::getpid(), SIGKILL);
    return 0;
  });
  ResultWriter writer = ResultWriter::resume(path, 30);
  writer.begin(h);
  EXPECT_EQ(writer.frames(), 30U);
  for (std::uint64_t k = 30; k < 80; ++k) writer.frame(frame(h, k));
  writer.end(summary());
  write(folder / "straight.h5", h, 80);
  ResultReader resumed(path), straight(folder / "straight.h5");
  ASSERT_EQ(resumed.frames(), straight.frames());
  analysis::Frame a, b;
  for (std::uint64_t k = 0; k < 80; ++k) {
    resumed.read_frame(k, a), straight.read_frame(k, b);
    ASSERT_TRUE(same(a, b)) << k;
  }
}

TEST(Resume, RefusesAnotherModelAndMissingFrames) {
  const Folder folder;
  const std::string path = folder / "run.h5";
  write(path, header(2), 10);
  const auto message = [&](const analysis::RunHeader& h, std::uint64_t keep) -> std::string {
    try {
      ResultWriter writer = ResultWriter::resume(path, keep);
      writer.begin(h);
    } catch (const ResultError& error) {
      return error.what();
    }
    return "";
  };
  analysis::RunHeader other = header(2);
  other.model_text += " ";
  EXPECT_NE(message(other, 5).find("another model"), std::string::npos);
  EXPECT_NE(message(header(2), 11).find("it has 10"), std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}), 1);  // no part is left
  EXPECT_EQ(ResultReader(path).frames(), 10U);
}

}  // namespace
}  // namespace mortise::io
