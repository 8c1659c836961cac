// Memory of large models stays in proportion to their bodies.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/result_files.h"

namespace mortise::test {
namespace {

// Loads, assembles, takes ten steps with frames at both ends; --json leaves the short diagnosis out.
TEST(Memory, OfAHundredThousandLinksIsBoundedABody) {
  const Folder folder;
  const Ended end = execute(program(), {"run", example("chain"), "-o", folder / "chain.h5", "--json", "--set",
                                        "N=100000", "--set", "analysis.integrator=rk4", "--set", "analysis.step=1e-5",
                                        "--set", "analysis.until=1e-4", "--set", "output.every=1e-4"});
  ASSERT_EQ(end.code, 0) << shown(end);
  const nlohmann::json j = nlohmann::json::parse(end.out);
  EXPECT_EQ(j["steps"], 10);
  EXPECT_GT(j["bytes_per_body"].get<double>(), 500);
  EXPECT_LT(j["bytes_per_body"].get<double>(), 5000);
  EXPECT_LT(j["peak_bytes"].get<double>(), 600e6);
}

}  // namespace
}  // namespace mortise::test
