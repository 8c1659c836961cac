#include "cli/kills.h"

namespace mortise::test {
namespace {

TEST(Kill, TwoHundredInRunsOfSeconds) {
  const Folder folder;
  const std::string spatial = folder.write("spatial.yaml", spatial_model());
  Kills tally;
  unsigned seed = 100;
  for (const Victim& victim :
       {Victim{"pendulum", example("pendulum"), 6000, {}}, Victim{"five-bar", example("five-bar"), 1200, {}},
        Victim{"crossing", example("five-bar-crossing"), 800, {"analysis.integrator=rk45"}},
        Victim{"n-four-bar", example("n-four-bar"), 90, {"N=8"}}, Victim{"spatial", spatial, 600, {}}})
    Tormentor(victim, tally, seed++).torment(40);
  tally.expect_no_loss(0.8, 0.1);
  EXPECT_GE(tally.straight_seconds, 2.0);
}

}  // namespace
}  // namespace mortise::test
