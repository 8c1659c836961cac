// Neither factoring nor solving takes memory once a factor is prepared.
#include <gtest/gtest.h>

#include "gauss/five_bar.h"
#include "mortise/gauss/lagrange.h"
#include "mortise/gauss/rivals.h"
#include "mortise/gauss/udwadia_kalaba.h"
#include "mortise/linalg/lanes.h"
#include "support/allocation_counter.h"

namespace mortise::gauss::testing {
namespace {

// `sparse` takes memory where the number of small pivots is another one than before: it decides the rank anew.
long count(const std::string& name, Factor& factor, const OwnedProblem& p, GaussSolution& solution) {
  for (int k = 0; k < 2 && name == "sparse"; ++k) factor.factor(p.problem, {});
  const test::AllocationCounter heap;
  for (int k = 0; k < 3; ++k)
    if (factor.factor(p.problem, {})) factor.solve(as_span(p.problem.Q), as_span(p.problem.b), solution);
  return heap.count();
}

TEST(Factor, AllocatesNothingAfterPrepare) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "a sanitizer owns malloc here";
  const FiveBar redundant(1.0);
  FiveBar regular(1.0);
  regular.problem.active[11] = 0;
  GaussSolution solution;
  solution.resize(redundant.pattern);
  for (const auto& entry : formulations()) {
    if (is_rival(entry.name)) continue;  // pagmo2 takes memory as it likes
    const auto factor = make_formulation(entry.name)->prepare(redundant.pattern);
    EXPECT_EQ(count(entry.name, *factor, redundant, solution), 0)
        << entry.name << (entry.name == "lagrange" ? " (refusing)" : "");
    EXPECT_EQ(count(entry.name, *factor, regular, solution), 0) << entry.name;
  }
  // Neither do old inverses, other pseudoinverses, nor a rank that changes.
  const FiveBar in_line(0.0);
  for (const auto& entry : formulations()) {
    if (is_rival(entry.name)) continue;  // pagmo2 takes memory as it likes
    FormulationSettings settings;
    settings.reuse = 2;
    settings.compensate_by_projection = true;
    if (make_formulation(entry.name)->can().pseudoinverse) settings.pseudoinverse = "svd";
    const auto factor = make_formulation(entry.name, settings)->prepare(redundant.pattern);
    for (const FiveBar* pose : std::initializer_list<const FiveBar*>{&redundant, &in_line, &regular}) {
      EXPECT_EQ(count(entry.name, *factor, *pose, solution), 0) << entry.name;
      factor->step_accepted();
    }
  }
  const test::AllocationCounter heap;
  EXPECT_EQ(Vector::Zero(100).eval().norm() + linalg::LaneArray(8)[0], 0);
  EXPECT_GE(heap.count(), 2) << "the counter counts";
}

}  // namespace
}  // namespace mortise::gauss::testing
