// A thousand random sequences of events.
#include "support/random_events.h"

namespace mortise::test {
namespace {

TEST(RandomEventsFull, NoSequenceCrashesAndEveryLedgerEqualsTheEnergyJump) {
  RandomEventCount count;
  for (unsigned seed = 1; seed <= 1000; ++seed) try_random_events(seed, count);
  std::printf("%d runs, %d events, %d with impulses, %d refused; ledger off by %.1e\n", count.runs, count.events,
              count.impulses, count.refused, count.worst);
  EXPECT_GT(count.impulses, 3000);
  EXPECT_LE(count.refused, 5);
}

}  // namespace
}  // namespace mortise::test
