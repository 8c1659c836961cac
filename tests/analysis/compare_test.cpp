// Comparing methods: combinations, answers, reasons and tables.
#include "mortise/analysis/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "mortise/gauss/formulation.h"
#include "mortise/linalg/pseudoinverse.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

using analysis::CaseResult;
using analysis::Comparison;
using analysis::Method;

TEST(Compare, CombinesEveryFormulationWithEveryPseudoinverseItCanUse) {
  const auto methods = analysis::combine({}, {});
  for (const auto& entry : gauss::formulations()) {
    const gauss::Capabilities can = entry.make({})->can();
    const auto count =
        std::count_if(methods.begin(), methods.end(), [&](const Method& m) { return m.formulation == entry.name; });
    if (entry.name == "auto" || can.search)
      EXPECT_EQ(count, 0) << entry.name;
    else
      EXPECT_EQ(count, can.pseudoinverse ? static_cast<long>(linalg::pseudoinverses().size()) : 1) << entry.name;
  }
  analysis::MethodSets sets;
  sets.formulations = {"lagrange", "udwadia-kalaba"};
  sets.pseudoinverses = {"svd"};
  sets.stabilize = {"none", "projection"};
  sets.tolerances = {1e-4, 1e-6, 1e-8};
  EXPECT_EQ(analysis::combine(sets, {}).size(), 12u);
}

TEST(Compare, LetsAutoPickUnlessAPseudoinverseIsNamed) {
  const auto own = compile_example("n-four-bar", {"N=20"})->model().analysis;
  analysis::MethodSets sets;
  sets.formulations = {"auto"};
  ASSERT_EQ(analysis::combine(sets, own).size(), 1u);
  EXPECT_EQ(analysis::combine(sets, own).front().pseudoinverse, "");
  sets.pseudoinverses = {"svd"};
  ASSERT_EQ(analysis::combine(sets, own).size(), 1u);
  EXPECT_EQ(analysis::combine(sets, own).front().pseudoinverse, "svd");
}

TEST(Compare, RefusesUnknownNamesWithTheNearestOne) {
  analysis::MethodSets sets;
  sets.formulations = {"gigps"};
  try {
    analysis::combine(sets, {});
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.diagnostics().front().code, "M207");
  }
}

Comparison five_bar(const analysis::MethodSets& sets, const analysis::CompareOptions& options = {}) {
  const auto m = compile_example("five-bar", {"analysis.until=2", "output.every=0.1"});
  return analysis::compare(*m, analysis::combine(sets, m->model().analysis), options);
}

TEST(Compare, ListsAMethodThatCannotDoTheCaseWithItsReason) {
  analysis::MethodSets sets;
  sets.formulations = {"lagrange", "udwadia-kalaba"};
  sets.pseudoinverses = {"svd"};
  const Comparison c = five_bar(sets);
  ASSERT_EQ(c.cases.size(), 2u);
  EXPECT_FALSE(c.cases[0].ran);
  EXPECT_EQ(c.cases[0].reason, "rows depend on one another");
  EXPECT_TRUE(c.cases[1].ran);
  EXPECT_TRUE(c.cases[1].correct);
  EXPECT_EQ(c.cases[1].rank, 11);
  EXPECT_GT(c.cases[1].flops, 1000);
  EXPECT_LT(c.cases[1].error, 1e-6);
  EXPECT_LT(c.cases[1].sum_phi2, 1e-28);
  EXPECT_LT(c.reference_error, 1e-9);
  EXPECT_EQ(c.reference_until, 2);
}

TEST(Compare, SaysUntilWhenAnAnswerIsRight) {
  analysis::MethodSets sets;
  sets.formulations = {"udwadia-kalaba"};
  sets.pseudoinverses = {"cod"};
  sets.tolerances = {1e-2, 1e-8};
  analysis::CompareOptions strict;
  strict.within = 1e-6;
  const Comparison c = five_bar(sets, strict);
  EXPECT_FALSE(c.cases[0].correct);
  EXPECT_TRUE(c.cases[0].ran);
  EXPECT_LT(c.cases[0].correct_until, 2);
  EXPECT_GT(c.cases[0].error, 1e-6);
  EXPECT_TRUE(c.cases[1].correct);
  EXPECT_EQ(c.cases[1].correct_until, 2);
}

TEST(Compare, GivesTheSameAnswersForAnyNumberOfJobs) {
  analysis::MethodSets sets;
  sets.pseudoinverses = {"svd", "cod"};
  analysis::CompareOptions one, three;
  three.jobs = 3;
  const Comparison a = five_bar(sets, one), b = five_bar(sets, three);
  ASSERT_EQ(a.cases.size(), b.cases.size());
  for (std::size_t k = 0; k < a.cases.size(); ++k) {
    EXPECT_EQ(a.cases[k].method, b.cases[k].method);
    EXPECT_EQ(a.cases[k].last, b.cases[k].last) << a.cases[k].method.formulation;
    EXPECT_EQ(a.cases[k].evaluations, b.cases[k].evaluations);
  }
}

TEST(Compare, StopsARunThatTakesTooLongAndSaysSo) {
  analysis::MethodSets sets;
  sets.formulations = {"udwadia-kalaba"};
  sets.pseudoinverses = {"svd"};
  analysis::CompareOptions hurried;
  hurried.limit = 1e-9;
  const Comparison c = five_bar(sets, hurried);
  EXPECT_EQ(c.cases[0].reason, "stopped after 1e-09 s");
  EXPECT_FALSE(c.cases[0].ran);
  EXPECT_FALSE(c.cases[0].correct);
  EXPECT_LT(c.cases[0].reached, 2);
}

TEST(Compare, NeedsAReference) {
  const auto m = compile(R"(
mortise: 1
dimension: planar
bodies: {bar: {mass: 1, inertia: 1, points: {end: [1, 0]}}}
joints:
  A: {type: revolute, between: [ground, bar], at: [0, 0]}
  B: {type: distance, between: [ground, bar.end], length: 3}
)");
  try {
    analysis::compare(*m, analysis::combine({}, m->model().analysis), {});
    FAIL();
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S440");
  }
}

TEST(Compare, PrintsOneLineACaseAndLeavesOutWhatAllShare) {
  analysis::MethodSets sets;
  sets.formulations = {"lagrange", "udwadia-kalaba"};
  sets.pseudoinverses = {"svd"};
  const Comparison c = five_bar(sets);
  const std::string table = analysis::compare_table(c);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3);
  EXPECT_NE(table.find("rows depend on one another"), std::string::npos);
  EXPECT_NE(table.find("2 s (all)"), std::string::npos);
  EXPECT_EQ(table.find("integrator"), std::string::npos) << table;
  const std::string markdown = analysis::compare_markdown(c);
  EXPECT_NE(markdown.find("| formulation"), std::string::npos);
  EXPECT_NE(markdown.find("---:"), std::string::npos);
  std::istringstream csv(analysis::compare_csv(c));
  std::string line;
  std::getline(csv, line);
  const auto commas = std::count(line.begin(), line.end(), ',');
  while (std::getline(csv, line)) EXPECT_GE(std::count(line.begin(), line.end(), ','), commas);
}

}  // namespace
}  // namespace mortise::test
