#include "mortise/gauss/loops.h"

#include <gtest/gtest.h>

#include <vector>

namespace mortise::test {
namespace {

// Items of two rows each on the named blocks of three columns.
gauss::Pattern joined(int blocks, const std::vector<std::vector<int>>& items) {
  gauss::Pattern p;
  for (int b = 0; b < blocks; ++b) p.columns.append(3);
  for (std::size_t k = 0; k < items.size(); ++k) {
    const int row = p.m();
    for (int component = 0; component < 2; ++component) p.rows.push_back({static_cast<int>(k), component, {}, {}});
    for (const int block : items[k]) p.append_block(row, 2, block);
  }
  return p;
}

TEST(Loops, AreThoseOfBodiesAndGround) {
  using gauss::has_loops;
  EXPECT_FALSE(has_loops(joined(3, {})));
  EXPECT_FALSE(has_loops(joined(3, {{0}, {0, 1}, {1, 2}})));            // a chain
  EXPECT_FALSE(has_loops(joined(4, {{1, 0}, {1, 2}, {3, 1}})));         // a star that flies
  EXPECT_TRUE(has_loops(joined(3, {{0}, {0, 1}, {1, 2}, {2}})));        // a four-bar
  EXPECT_TRUE(has_loops(joined(1, {{0}, {0}})));                        // two pins on one body
  EXPECT_TRUE(has_loops(joined(2, {{0, 1}, {0, 1}})));                  // two joints between the same bodies
  EXPECT_TRUE(has_loops(joined(4, {{0}, {0, 1}, {0, 2}, {1, 2, 3}})));  // a row over three bodies
}

}  // namespace
}  // namespace mortise::test
