// Fifty kills over runs of half a second; kill_full.cpp has more, over runs of two seconds and all examples.
#include "cli/kills.h"

namespace mortise::test {
namespace {

TEST(Kill, LosesNothingAndResumesBitByBit) {
  const Folder folder;
  const std::string spatial = folder.write("spatial.yaml", spatial_model());
  Kills tally;
  unsigned seed = 1;
  for (const Victim& victim :
       {Victim{"five-bar", example("five-bar"), 0.4, {}},
        Victim{"crossing", example("five-bar-crossing"), 0.4, {"analysis.integrator=rk45"}},
        Victim{"n-four-bar", example("n-four-bar"), 0.4, {"N=8"}}, Victim{"spatial", spatial, 0.4, {}}})
    Tormentor(victim, tally, seed++).torment(victim.name == "spatial" ? 14 : 12);
  tally.expect_no_loss(0.8, 0.1);
}

}  // namespace
}  // namespace mortise::test
