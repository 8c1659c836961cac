// Counts every allocation of this test program, Eigen's too: malloc itself is replaced (glibc only, and not under a
// sanitizer, which does the same).
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "gauss/five_bar.h"
#include "mortise/gauss/lagrange.h"
#include "mortise/gauss/udwadia_kalaba.h"
#include "mortise/linalg/lanes.h"

#if defined(__SANITIZE_ADDRESS__)
#define MORTISE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MORTISE_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(MORTISE_SANITIZED)

namespace {
std::atomic<long> allocations{0};
}

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* p, std::size_t size) {
  ++allocations;
  return __libc_realloc(p, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}

namespace mortise::gauss::testing {
namespace {

long count(Factor& factor, const OwnedProblem& p, GaussSolution& solution) {
  const long before = allocations;
  for (int k = 0; k < 3; ++k)
    if (factor.factor(p.problem, {})) factor.solve(as_span(p.problem.Q), as_span(p.problem.b), solution);
  return allocations - before;
}

TEST(Factor, AllocatesNothingAfterPrepare) {
  const FiveBar redundant(1.0);
  FiveBar regular(1.0);
  regular.problem.active[11] = 0;
  GaussSolution solution;
  solution.resize(redundant.pattern);
  for (const auto& entry : formulations()) {
    const auto factor = make_formulation(entry.name)->prepare(redundant.pattern);
    EXPECT_EQ(count(*factor, redundant, solution), 0) << entry.name << (entry.name == "lagrange" ? " (refusing)" : "");
    EXPECT_EQ(count(*factor, regular, solution), 0) << entry.name;
  }
  const long before = allocations;
  EXPECT_EQ(Vector::Zero(100).eval().norm() + linalg::LaneArray(8)[0], 0);
  EXPECT_GE(allocations, before + 2) << "the counter counts";
}

}  // namespace
}  // namespace mortise::gauss::testing

#endif
