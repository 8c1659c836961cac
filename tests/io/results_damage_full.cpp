#include <gtest/gtest.h>

#include "io/results_damage.h"

namespace mortise::io {
namespace {

using namespace samples;

TEST(DamageFull, TenThousandMutationsGiveAMessageOrTheRightNumbers) {
  EXPECT_EQ(in_child([] {
              const damage::Outcome outcome = damage::mutate(10000, 3, false);
              damage::expect_message_or_right_numbers(outcome);
              std::fflush(stdout);
              return std::min(outcome.wrong, 90);
            }),
            0);
}

}  // namespace
}  // namespace mortise::io
