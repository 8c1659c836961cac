// A hundred random sequences of events; the thousand are in events_random_full.cpp.
#include "support/random_events.h"

namespace mortise::test {
namespace {

TEST(RandomEvents, NoSequenceCrashesAndEveryLedgerEqualsTheEnergyJump) {
  RandomEventCount count;
  for (unsigned seed = 1; seed <= 100; ++seed) try_random_events(seed, count);
  std::printf("%d runs, %d events, %d with impulses, %d refused; ledger off by %.1e\n", count.runs, count.events,
              count.impulses, count.refused, count.worst);
  EXPECT_GT(count.impulses, 300);
  EXPECT_EQ(count.refused, 0);
}

}  // namespace
}  // namespace mortise::test
