// Memory: after begin() a frame allocates nothing, HDF5 takes a bounded number of small pieces a batch and gives them
// back, and a checkpoint allocates nothing after the first.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>

#include "io/results_samples.h"
#include "mortise/io/checkpoint.h"

#if defined(__SANITIZE_ADDRESS__)
#define MORTISE_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MORTISE_COUNTS_ALLOCATIONS 0
#endif
#endif
#ifndef MORTISE_COUNTS_ALLOCATIONS
#define MORTISE_COUNTS_ALLOCATIONS 1
#endif

namespace {
std::atomic<long> allocations{0};
}

#if MORTISE_COUNTS_ALLOCATIONS
// Every malloc of this program passes here: operator new, Eigen's and HDF5's.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* malloc(std::size_t size) noexcept {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) noexcept {
  ++allocations;
  return __libc_realloc(old, size);
}
}
#endif

namespace mortise::io {
namespace {

using namespace samples;

TEST(Allocation, AFrameTakesNoneAndABatchABoundedNumber) {
  if (!MORTISE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns malloc here";
  const Folder folder("/dev/shm");
  const analysis::RunHeader h = header(3);
  ResultWriterOptions options;
  options.write_interval = 1e9;
  ResultWriter writer(folder / "run.h5", options);
  writer.begin(h);
  analysis::Frame f = frame(h, 0);
  writer.frame(f);
  long before = allocations;
  for (int k = 0; k < 200; ++k) writer.frame(f);
  EXPECT_EQ(allocations - before, 0);

  for (int k = 0; k < 20; ++k) writer.frame(f), writer.flush();  // HDF5 fills its free lists
  const auto in_use = [] { return static_cast<long>(::mallinfo2().uordblks); };
  const long memory = in_use();
  before = allocations;
  constexpr int batches = 1000;
  for (int k = 0; k < batches; ++k) writer.frame(f), writer.flush();
  const long each = (allocations - before) / batches;
  std::printf("%ld allocations a batch, %ld bytes more in use after %d batches\n", each, in_use() - memory, batches);
  RecordProperty("allocations_a_batch", static_cast<int>(each));
  EXPECT_LE(each, 1000);
  EXPECT_LE(in_use() - memory, 1 << 20);
  writer.end(summary());
}

TEST(Allocation, ACheckpointTakesNoneAfterTheFirst) {
  if (!MORTISE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer owns malloc here";
  const Folder folder("/dev/shm");
  State s;
  s.q = Vector::Ones(100), s.v = Vector::Ones(90), s.work = Vector::Zero(3);
  s.active.assign(40, 1);
  s.memory.slot("history", 1000);
  CheckpointWriter writer(folder / "run.h5", {});
  writer.write(s, 0);
  const long before = allocations;
  for (int k = 1; k < 100; ++k) {
    s.memory.slot("history", 1000)[7] = k;
    writer.write(s, static_cast<std::uint64_t>(k));
  }
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace
}  // namespace mortise::io
