// Memory: after begin() a frame allocates nothing, HDF5 takes a bounded number of small pieces a batch and gives them
// back, and a checkpoint allocates nothing after the first.
#include <gtest/gtest.h>
#include <malloc.h>

#include "io/results_samples.h"
#include "mortise/io/checkpoint.h"
#include "support/allocation_counter.h"

namespace mortise::io {
namespace {

using namespace samples;

TEST(Allocation, AFrameTakesNoneAndABatchABoundedNumber) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "a sanitizer owns malloc here";
  const Folder folder("/dev/shm");
  const analysis::RunHeader h = header(3);
  ResultWriterOptions options;
  options.write_interval = 1e9;
  ResultWriter writer(folder / "run.h5", options);
  writer.begin(h);
  analysis::Frame f = frame(h, 0);
  writer.frame(f);
  long before = test::allocations_so_far();
  for (int k = 0; k < 200; ++k) writer.frame(f);
  EXPECT_EQ(test::allocations_so_far() - before, 0);

  for (int k = 0; k < 20; ++k) writer.frame(f), writer.flush();  // HDF5 fills its free lists
  const auto in_use = [] { return static_cast<long>(::mallinfo2().uordblks); };
  const long memory = in_use();
  before = test::allocations_so_far();
  constexpr int batches = 1000;
  for (int k = 0; k < batches; ++k) writer.frame(f), writer.flush();
  const long each = (test::allocations_so_far() - before) / batches;
  std::printf("%ld allocations a batch, %ld bytes more in use after %d batches\n", each, in_use() - memory, batches);
  RecordProperty("allocations_a_batch", static_cast<int>(each));
  EXPECT_LE(each, 1000);
  EXPECT_LE(in_use() - memory, 1 << 20);
  writer.end(summary());
}

TEST(Allocation, ACheckpointTakesNoneAfterTheFirst) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "a sanitizer owns malloc here";
  const Folder folder("/dev/shm");
  State s;
  s.q = Vector::Ones(100), s.v = Vector::Ones(90), s.work = Vector::Zero(3);
  s.active.assign(40, 1);
  s.memory.slot("history", 1000);
  CheckpointWriter writer(folder / "run.h5", {});
  writer.write(s, 0);
  const long before = test::allocations_so_far();
  for (int k = 1; k < 100; ++k) {
    s.memory.slot("history", 1000)[7] = k;
    writer.write(s, static_cast<std::uint64_t>(k));
  }
  EXPECT_EQ(test::allocations_so_far() - before, 0);
}

}  // namespace
}  // namespace mortise::io
