// Counts heap allocations, so that a test can claim that a loop makes none:
//
//     AllocationCounter heap;
//     … the loop …
//     EXPECT_EQ(heap.count(), 0);
//
// Linking this file replaces malloc and its relatives of the executable by counting ones; operator new and Eigen end
// there, too. All threads are counted. Where it cannot be done (sanitizers, other C libraries than glibc)
// `allocations_are_counted` is false and the count stays 0: skip the test.
#pragma once

namespace mortise::test {

bool allocations_are_counted();
long allocations_so_far();

class AllocationCounter {
 public:
  AllocationCounter() : before_(allocations_so_far()) {}
  long count() const { return allocations_so_far() - before_; }

 private:
  long before_;
};

}  // namespace mortise::test
