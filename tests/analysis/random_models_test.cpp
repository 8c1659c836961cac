// Random physical models from the registry of parts: each takes ten steps with finite numbers and held constraints, or
// is refused by an error that names what is in the way. (100,000 of them: random_models_full.cpp.)
#include <gtest/gtest.h>

#include <iostream>

#include "mortise/mechanism/parts.h"
#include "support/random_trial.h"

namespace mortise::test {
namespace {

class RandomModels : public testing::TestWithParam<int> {};

TEST_P(RandomModels, RunTenStepsOrSayWhyNot) {
  const Census census = try_random_models(static_cast<std::uint64_t>(GetParam()), 500);
  std::cout << census.str() << "\n";
  for (const std::string& defect : census.defects) ADD_FAILURE() << defect;
  EXPECT_GE(2 * census.ran, census.models);
  for (const mechanism::Part& part : mechanism::parts()) {
    if (part.info.section == model::Section::event) continue;  // have random sequences of their own (RandomEvents)
    const std::string name = std::string(model::item_name(part.info.section)) + " " + part.info.type;
    EXPECT_TRUE(census.parts.contains(name)) << name << " was in no model that ran";
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomModels, testing::Values(0, 500, 1000, 1500));

}  // namespace
}  // namespace mortise::test
