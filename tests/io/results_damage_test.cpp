#include "io/results_damage.h"

#include <gtest/gtest.h>

#include "mortise/io/results_probe.h"

namespace mortise::io {
namespace {

using namespace samples;

TEST(Damage, GivesAMessageOrTheRightNumbers) { damage::expect_message_or_right_numbers(damage::mutate(250, 1, true)); }

// In a process of its own, since HDF5 complains at exit about memory that it lost on damaged files.
TEST(Damage, DoesSoWithoutTheProbeToo) {
  EXPECT_EQ(in_child([] {
              const damage::Outcome outcome = damage::mutate(250, 2, false);
              if (outcome.wrong > 0) std::fprintf(stderr, "%s\n", outcome.first_wrong.c_str());
              return outcome.wrong;
            }),
            0);
}

// The counter is the only 8-byte word 60 of which a flip becomes a message about the counter.
int flips_of_the_counter_found(const Folder& folder, bool finished) {
  const std::vector<char> whole = damage::sample(folder, 60, finished);
  const std::string path = folder / "damaged.h5";
  int found = 0;
  for (std::size_t at = 0; at + 8 <= whole.size() && found < 65; ++at) {
    std::uint64_t word = 0;
    std::memcpy(&word, &whole[at], 8);
    if (word != 60) continue;
    for (std::size_t bit = 0; bit <= 64; ++bit) {
      std::vector<char> bytes = whole;
      if (bit < 64)
        bytes[at + bit / 8] = static_cast<char>(bytes[at + bit / 8] ^ 1 << bit % 8);
      else
        std::memset(&bytes[at], 0, 8);  // no frames: a believable number
      write_bytes(path, bytes);
      try {
        ResultReader reader(path, trusted());
      } catch (const ResultError& error) {
        found += std::string(error.what()).find("frame counter") != std::string::npos;
      }
    }
  }
  return found;
}

TEST(Damage, AnyFlippedBitOfTheCounterIsFound) {
  const Folder folder("/dev/shm");
  for (const bool finished : {true, false})
    EXPECT_EQ(WEXITSTATUS(in_child([&] { return flips_of_the_counter_found(folder, finished); })), 65) << finished;
}

TEST(Damage, ACrashInTheChildIsAMessageHere) {
  const auto message = [](const std::function<void()>& work, double seconds) -> std::string {
    try {
      probe_in_child("some.h5", work, seconds);
    } catch (const ResultError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([] {}, 5), "");
  EXPECT_NE(message([] { ::raise(SIGSEGV); }, 5).find("some.h5: is damaged: the HDF5 library crashed"),
            std::string::npos);
  EXPECT_NE(message([] { std::abort(); }, 5).find("crashed"), std::string::npos);
  EXPECT_NE(message([] { ::pause(); }, 0.2).find("too long"), std::string::npos);
  EXPECT_EQ(message([] { throw ResultError("some.h5", "is odd"); }, 5), "some.h5: is odd");
}

}  // namespace
}  // namespace mortise::io
