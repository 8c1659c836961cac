// The hundred thousand models of which random_models_test.cpp tries the first two thousand.
#include <gtest/gtest.h>

#include <iostream>

#include "support/random_trial.h"

namespace mortise::test {
namespace {

class HundredThousandRandomModels : public testing::TestWithParam<int> {};

TEST_P(HundredThousandRandomModels, RunTenStepsOrSayWhyNot) {
  const Census census = try_random_models(static_cast<std::uint64_t>(GetParam()), 5000);
  std::cout << census.str() << "\n";
  for (const std::string& defect : census.defects) ADD_FAILURE() << defect;
  EXPECT_GE(2 * census.ran, census.models);
}

INSTANTIATE_TEST_SUITE_P(Seeds, HundredThousandRandomModels, testing::Range(0, 100000, 5000));

}  // namespace
}  // namespace mortise::test
