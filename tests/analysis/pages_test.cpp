// Every part has a page, and the example on it is a model that uses the part and runs.
#include "mortise/mechanism/pages.h"

#include <gtest/gtest.h>

#include "support/examples.h"

namespace mortise::test {
namespace {

TEST(Pages, ShowEveryPartWithItsLawAndAnExampleThatRuns) {
  for (const mechanism::Part& part : mechanism::parts()) {
    SCOPED_TRACE(part.info.type);
    EXPECT_STRNE(part.page.rows, "");
    EXPECT_STRNE(part.page.signs, "");
    ASSERT_STRNE(part.page.example, "");
    const Recording r = run_text(part.page.example);
    EXPECT_EQ(r.result.summary.status, "done");
    bool used = false;
    for (const model::Item& item : r.mechanism->model().items) used = used || item.part->type == part.info.type;
    EXPECT_TRUE(used) << "the example does not show the part";
  }
}

TEST(Pages, NameEveryFieldAndRow) {
  for (const mechanism::Part& part : mechanism::parts()) {
    const std::string text = page(part);
    for (const model::FieldSpec& field : part.info.fields)
      EXPECT_NE(text.find("| `" + field.name + "` |"), std::string::npos) << part.info.type << " " << field.name;
    const Recording r = run_text(part.page.example, {"analysis.until=0.001"});
    for (const mechanism::Constraint& c : r.mechanism->constraints()) {
      if (r.mechanism->model().items[static_cast<std::size_t>(c.ref.item)].part->type != part.info.type) continue;
      for (const char* row : c.row_names)
        EXPECT_NE(std::string(part.page.rows).find(row), std::string::npos) << part.info.type << " row " << row;
    }
  }
}

}  // namespace
}  // namespace mortise::test
