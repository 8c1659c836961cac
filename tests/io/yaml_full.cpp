// Limits that take seconds to reach.
#include <gtest/gtest.h>

#include "mortise/io/yaml.h"

namespace mortise::io {
namespace {

TEST(YamlReader, StopsAtTwoMillionValues) {
  std::string text = "[";
  for (int k = 0; k <= most_values; ++k) text += "1,";
  try {
    read_yaml_text(text + "1]", "x.yaml");
    FAIL();
  } catch (const ModelError& e) {
    EXPECT_EQ(e.diagnostics().front().code, "M513");
  }
}

}  // namespace
}  // namespace mortise::io
