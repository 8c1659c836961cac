// A thousand kills in memory and a thousand on the disk.
#include <gtest/gtest.h>

#include "io/results_torture.h"

namespace mortise::io {
namespace {

using namespace samples;

TEST(TortureFull, AThousandKillsInMemoryLoseNothing) {
  const Folder folder("/dev/shm");
  torture::expect_no_loss(torture::torment(folder, 1000, 300, 2));
}

TEST(TortureFull, AThousandKillsOnTheDiskLoseNothing) {
  const Folder folder;
  torture::expect_no_loss(torture::torment(folder, 1000, 300, 3));
}

}  // namespace
}  // namespace mortise::io
