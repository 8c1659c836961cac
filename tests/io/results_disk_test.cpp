// A disk that fills up, or refuses: an OutputError that says so, and the frames written before stay readable.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "io/results_samples.h"
#include "mortise/io/checkpoint.h"
#include "mortise/io/results_faults.h"

namespace mortise::io {
namespace {

using namespace samples;

// Writes until the disk refuses; 0 when that came as an OutputError with a reason, and again at every later call.
int write_until_refused(const std::string& path, const std::string& reason, bool flush_often) {
  const analysis::RunHeader h = header(3);
  ResultWriterOptions options;
  options.buffer_bytes = 64 << 10;
  ResultWriter writer(path, options);
  writer.begin(h);
  try {
    for (std::uint64_t k = 0; k < 1000000; ++k) {
      writer.frame(frame(h, k));
      if (flush_often && k % 50 == 49) writer.flush();
    }
  } catch (const OutputError& error) {
    const std::string text = error.what();
    if (text.find(reason) == std::string::npos || text.find("remain readable") == std::string::npos) return 2;
    if (error.file() != path) return 3;
    try {
      writer.end(summary());
    } catch (const OutputError&) {
      return 0;
    }
    return 4;
  }
  return 5;
}

void expect_whole_frames(const std::string& path, std::uint64_t at_least) {
  ResultReader reader(path);
  EXPECT_FALSE(reader.finished());
  EXPECT_GE(reader.frames(), at_least);
  analysis::Frame f;
  for (std::uint64_t k = 0; k < reader.frames(); ++k) {
    reader.read_frame(k, f);
    ASSERT_TRUE(same(f, frame(reader.header(), k))) << k;
  }
}

TEST(Disk, LimitOfFileSizeIsAnOutputError) {
  for (const bool flush_often : {false, true})
    for (const rlim_t limit : {1'000'003UL, 3'141'592UL, 7'777'777UL}) {
      const Folder folder("/dev/shm");
      const std::string path = folder / "run.h5";
      const int status = in_child([&] {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit small{limit, limit};
        ::setrlimit(RLIMIT_FSIZE, &small);
        const int result = write_until_refused(path, "File too large", flush_often);
        if (result == 0) std::exit(0);  // with HDF5's exit handlers: they must not hang or crash either
        return result;
      });
      EXPECT_TRUE(WIFEXITED(status)) << status;
      EXPECT_EQ(WEXITSTATUS(status), 0);
      expect_whole_frames(path, limit > 3'000'000 ? 100 : 0);
    }
}

TEST(Disk, TooSmallForTheFileItselfLeavesNothingBehind) {
  const Folder folder("/dev/shm");
  const int status = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{20000, 20000};
    ::setrlimit(RLIMIT_FSIZE, &small);
    analysis::RunHeader h = header(3);
    h.model_text = std::string(100000, 'm');
    try {
      ResultWriter writer(folder / "run.h5");
      writer.begin(h);
    } catch (const OutputError&) {
      return 0;
    }
    return 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Disk, FullIsAnOutputError) {
  const Folder folder;
  if (::mount("none", folder.path().c_str(), "tmpfs", 0, "size=3m") != 0)
    GTEST_SKIP() << "a small tmpfs cannot be mounted here";
  struct Unmount {
    std::string path;
    ~Unmount() { ::umount(path.c_str()); }
  } const at_the_end{folder.path()};
  const std::string path = folder / "run.h5";
  const int status = in_child([&] {
    const int result = write_until_refused(path, "No space left on device", true);
    if (result == 0) std::exit(0);
    return result;
  });
  EXPECT_EQ(status, 0);
  expect_whole_frames(path, 100);

  State state;
  state.q = Vector::Ones(100000);
  CheckpointWriter checkpoints(path, {});
  try {
    for (int k = 0; k < 10; ++k) checkpoints.write(state, 1);
    ADD_FAILURE() << "the disk should be full";
  } catch (const OutputError& error) {
    EXPECT_NE(std::string(error.what()).find("No space left on device"), std::string::npos) << error.what();
  }
}

// The n-th write of HDF5 fails half way: for every n of the first 400 (a prime step here, every one when
// MORTISE_EVERY_WRITE is set), and whatever it was that did not reach the disk, the file has only whole frames (or does
// not exist, when it was not published yet).
long writes_until_refusal = -1;
int refuse_once(std::size_t) { return writes_until_refusal >= 0 && writes_until_refusal-- == 0 ? EIO : 0; }

TEST(Disk, RefusingAnySingleWriteNeverTearsAFrame) {
  const Folder folder("/dev/shm");
  const std::string path = folder / "run.h5";
  const analysis::RunHeader h = header(2);
  int refused = 0, published = 0;
  const int stride = std::getenv("MORTISE_EVERY_WRITE") ? 1 : 3;
  for (int n = 0; n < 400; n += stride) {
    fs::remove(path);
    writes_until_refusal = n;
    faults::set_write_hook(refuse_once);
    std::uint64_t written = 0;
    try {
      ResultWriter writer(path);
      writer.begin(h);
      for (; written < 40; ++written) {
        writer.frame(frame(h, written));
        if (written % 4 == 3) writer.flush();
      }
      writer.end(summary());
    } catch (const OutputError& error) {
      ++refused;
      EXPECT_NE(std::string(error.what()).find("Input/output error"), std::string::npos) << error.what();
    }
    faults::set_write_hook(nullptr);
    if (!fs::exists(path)) {
      EXPECT_TRUE(fs::is_empty(folder.path()));
      continue;
    }
    ++published;
    ResultReader reader(path, trusted());
    EXPECT_GE(reader.frames() + 4, written);
    analysis::Frame f;
    for (std::uint64_t k = 0; k < reader.frames(); ++k) {
      reader.read_frame(k, f);
      ASSERT_TRUE(same(f, frame(h, k))) << "write " << n << ", frame " << k;
    }
  }
  RecordProperty("refused", refused);
  EXPECT_GT(refused, 300 / stride);
  EXPECT_GT(published, 100 / stride);
}

}  // namespace
}  // namespace mortise::io
