// Every formulation, pseudoinverse, choice of coordinates, integrator and stabilisation has a page, and the example on
// it is a model that uses it and runs.
#include "mortise/view/method_pages.h"

#include <gtest/gtest.h>

#include <set>

#include "mortise/gauss/rivals.h"
#include "mortise/integrate/integrator.h"
#include "support/examples.h"

namespace mortise::view {
namespace {

// What this build cannot do, in a few words; "" = everything is there.
std::string missing_here(MethodKind kind, const std::string& name) {
  if (kind == MethodKind::formulation && (name == "gauss-de" || name == "gauss-cmaes")) return gauss::rivals_missing();
  if (kind == MethodKind::integrator)
    for (const integrate::IntegratorEntry& entry : integrate::integrators())
      if (entry.name == name && !entry.make) return entry.help;
  return "";
}

std::string setting_of(MethodKind kind, const model::AnalysisSettings& a) {
  switch (kind) {
    case MethodKind::formulation:
      return a.formulation;
    case MethodKind::pseudoinverse:
      return a.pseudoinverse;
    case MethodKind::coordinates:
      return a.coordinates;
    case MethodKind::integrator:
      return a.integrator;
    case MethodKind::stabilization:
      break;
  }
  return a.stabilize;
}

TEST(MethodPages, ShowEveryMethodWithAnExampleThatRuns) {
  for (const MethodKind kind : method_kinds())
    for (const MethodEntry& entry : methods_of(kind)) {
      SCOPED_TRACE(section_of(kind) + " " + entry.name);
      const MethodPage& page = method_page(kind, entry.name);
      for (const char* text : {page.law, page.when, page.cost}) EXPECT_GT(std::string(text).size(), 5u);
      if (!missing_here(kind, entry.name).empty()) continue;
      const mortise::test::Recording r = mortise::test::run_text(method_example(page));
      EXPECT_EQ(r.result.summary.status, "done");
      EXPECT_EQ(setting_of(kind, r.mechanism->model().analysis), entry.name);
      // Those that search reach three digits; without stabilisation constraints drift; soft rows miss by ε|λ|.
      const std::set<std::string> soft{
          "none", "baumgarte", "staggered", "penalty", "trapezoidal", "backward-euler", "staggered-explicit-implicit"};
      const bool rough = entry.name.starts_with("gauss-") || soft.count(entry.name) > 0;
      EXPECT_LT(r.last("constraint.position"), rough ? 1e-2 : 1e-12);
    }
}

TEST(MethodPages, NameNoMethodThatIsNotThere) {
  const std::vector<MethodPage>* tables[] = {&formulation_pages(), &pseudoinverse_pages(), &coordinate_pages(),
                                             &integrator_pages(), &stabilization_pages()};
  for (std::size_t k = 0; k < method_kinds().size(); ++k) {
    const std::vector<MethodEntry> entries = methods_of(method_kinds()[k]);
    ASSERT_EQ(tables[k]->size(), entries.size()) << section_of(method_kinds()[k]);
    for (const MethodPage& page : *tables[k])
      EXPECT_TRUE(std::any_of(entries.begin(), entries.end(), [&](const MethodEntry& e) {
        return e.name == page.name;
      })) << page.name;
  }
  EXPECT_THROW(method_page(MethodKind::integrator, "euler"), std::out_of_range);
}

TEST(MethodPages, TellWhatTheRegistryKnows) {
  EXPECT_NE(method_text(MethodKind::formulation, "lagrange").find("| no | no | yes |"), std::string::npos);
  EXPECT_NE(method_text(MethodKind::formulation, "least-squares-2").find("| yes | yes | yes |"), std::string::npos);
  EXPECT_NE(method_text(MethodKind::integrator, "rk4").find("`step` is needed"), std::string::npos);
}

}  // namespace
}  // namespace mortise::view
