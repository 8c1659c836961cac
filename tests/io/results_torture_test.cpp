// A hundred kills, the quick dose; results_torture_full.cpp has a thousand on each kind of file system.
#include "io/results_torture.h"

#include <gtest/gtest.h>

namespace mortise::io {
namespace {

using namespace samples;

TEST(Torture, AHundredKillsLoseNothing) {
  const Folder folder("/dev/shm");  // no real disk: fsync is free there, so more happens between two kills
  torture::expect_no_loss(torture::torment(folder, 100, 200, 1));
}

int writes_to_live = 0;
int die_in_time(std::size_t) {
  if (writes_to_live-- == 0) ::raise(SIGKILL);
  return 0;
}

TEST(Torture, KilledBeforeTheRenameLeavesOnlyAPartThatTheNextRunRemoves) {
  const Folder folder("/dev/shm");
  const std::string path = folder / "run.h5";
  const auto files = [&] { return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}); };
  const int status = in_child([&] {
    writes_to_live = 10;
    faults::set_write_hook(die_in_time);
    write(path, header(2), 5);
    return 0;
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(files(), 1);
  EXPECT_EQ(fs::directory_iterator(folder.path())->path().filename().string().find("run.h5.part-"), 0U);
  // Parts of living processes and files of others stay.
  write_bytes(path + ".part-" + std::to_string(::getppid()), {'x'});
  write_bytes(folder / "other.h5.part-999999999", {'x'});
  EXPECT_EQ(in_child([&] { return write(path, header(2), 5), 0; }), 0);
  EXPECT_EQ(files(), 3);
  EXPECT_EQ(ResultReader(path).frames(), 5U);
}

// The process dies before the n-th write of HDF5, for many n: begin, batches, the counter, the end.
TEST(Torture, DeathBeforeAnyWriteLeavesWholeFrames) {
  const Folder folder("/dev/shm");
  const std::string path = folder / "run.h5";
  const analysis::RunHeader h = header(2);
  int killed = 0, published = 0;
  for (int n = 0; n < 600; n += 7) {
    fs::remove(path);
    const int status = in_child([&] {
      writes_to_live = n;
      faults::set_write_hook(die_in_time);
      ResultWriter writer(path);
      writer.begin(h);
      for (std::uint64_t k = 0; k < 40; ++k) {
        writer.frame(frame(h, k));
        if (k % 4 == 3) writer.flush();
      }
      writer.end(summary());
      return 0;
    });
    killed += WIFSIGNALED(status);
    if (!fs::exists(path)) continue;
    ++published;
    ResultReader reader(path, trusted());
    analysis::Frame f;
    for (std::uint64_t k = 0; k < reader.frames(); ++k) {
      reader.read_frame(k, f);
      ASSERT_TRUE(same(f, frame(h, k))) << "write " << n << ", frame " << k;
    }
  }
  EXPECT_GT(killed, 60);
  EXPECT_GT(published, 60);
}

}  // namespace
}  // namespace mortise::io
