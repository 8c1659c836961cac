// Every example is killed sixteen times in runs of two seconds and more, with an integrator that takes its turn.
#include "cli/kills.h"
#include "support/compile.h"

namespace mortise::test {
namespace {

std::vector<std::string> examples() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(MORTISE_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  // Those with checkpoints: what is not integrated has none.
  std::erase_if(names,
                [](const std::string& name) { return compile_example(name)->model().analysis.type != "dynamics"; });
  std::sort(names.begin(), names.end());
  return names;
}

class KillExample : public testing::TestWithParam<std::string> {};

TEST_P(KillExample, LosesNothingAndResumesBitByBit) {
  const std::vector<std::string> all = examples();
  const auto number = static_cast<unsigned>(std::find(all.begin(), all.end(), GetParam()) - all.begin());
  const char* const integrators[] = {"adams", "rk45", "adams"};
  Kills tally;
  Tormentor({GetParam(), example(GetParam()), 2, {std::string("analysis.integrator=") + integrators[number % 3]}},
            tally, 100 + number)
      .torment(16);
  tally.expect_no_loss(0.8, 0.1);
  EXPECT_GE(tally.straight_seconds, 2.0);
}

INSTANTIATE_TEST_SUITE_P(, KillExample, testing::ValuesIn(examples()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace mortise::test
