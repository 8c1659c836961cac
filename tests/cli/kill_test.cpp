// Fifty kills over runs of about half a second; kill_full.cpp has two hundred over runs of two seconds and more.
#include "cli/kills.h"

namespace mortise::test {
namespace {

TEST(Kill, LosesNothingAndResumesBitByBit) {
  const Folder folder;
  const std::string spatial = folder.write("spatial.yaml", spatial_model());
  Kills tally;
  unsigned seed = 1;
  for (const Victim& victim :
       {Victim{"five-bar", example("five-bar"), 150, {}},
        Victim{"crossing", example("five-bar-crossing"), 120, {"analysis.integrator=rk45"}},
        Victim{"n-four-bar", example("n-four-bar"), 20, {"N=8"}}, Victim{"spatial", spatial, 60, {}}})
    Tormentor(victim, tally, seed++).torment(victim.name == "spatial" ? 14 : 12);
  tally.expect_no_loss(0.8, 0.1);
}

}  // namespace
}  // namespace mortise::test
