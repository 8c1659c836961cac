// Block elimination of unsymmetric saddle matrices is what a dense elimination gives.
#include "mortise/gauss/block_lu.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "support/allocation_counter.h"

namespace mortise::gauss {
namespace {

struct Saddle {
  std::vector<BlockLu::Node> nodes;
  std::vector<std::pair<int, int>> edges;
  Matrix dense;
  void add(BlockLu& lu, int row, int column, const Matrix& block) {
    double* to = lu.values() + lu.place(row, column);
    for (Eigen::Index i = 0; i < block.rows(); ++i)
      for (Eigen::Index j = 0; j < block.cols(); ++j) to[i * block.cols() + j] += block(i, j);
    dense.block(lu.begin(row), lu.begin(column), block.rows(), block.cols()) += block;
  }
};

// A chain of bodies, each felt by the next, with rows between neighbours and every third row closing a loop.
Saddle chain(int bodies, std::mt19937& random, std::unique_ptr<BlockLu>& lu) {
  Saddle s;
  std::uniform_real_distribution<double> any(-1, 1);
  const auto block = [&](int rows, int columns) {
    Matrix m(rows, columns);
    for (double& x : m.reshaped()) x = any(random);
    return m;
  };
  const int size = 3;
  for (int b = 0; b < bodies; ++b) s.nodes.push_back({size, false});
  for (int b = 0; b + 1 < bodies; ++b) {
    s.nodes.push_back({1 + b % 2, true});
    const int row = bodies + b;
    s.edges.emplace_back(b, b + 1);
    s.edges.emplace_back(row, b);
    s.edges.emplace_back(row, b + 1);
    if (b % 3 == 0) s.edges.emplace_back(row, (b + 5) % bodies);
  }
  lu = std::make_unique<BlockLu>(s.nodes, s.edges);
  s.dense.setZero(lu->size(), lu->size());
  for (int b = 0; b < bodies; ++b) s.add(*lu, b, b, 4 * Matrix::Identity(size, size) + block(size, size));
  for (const auto& [a, b] : s.edges) {
    const Matrix up = block(s.nodes[index(b)].size, s.nodes[index(a)].size);
    s.add(*lu, b, a, 0.3 * up);
    s.add(*lu, a, b, 0.3 * up.transpose() + 0.05 * block(s.nodes[index(a)].size, s.nodes[index(b)].size));
  }
  return s;
}

TEST(BlockLu, SolvesUnsymmetricSaddlesAsDenseEliminationDoes) {
  std::mt19937 random(5);
  for (const int bodies : {2, 3, 9, 40}) {
    std::unique_ptr<BlockLu> lu;
    const Saddle s = chain(bodies, random, lu);
    Vector x = Vector::LinSpaced(lu->size(), -1, 2);
    const Vector expected = s.dense.fullPivLu().solve(x);
    ASSERT_TRUE(lu->factor());
    EXPECT_GT(lu->least_waiting_pivot(), 0);
    lu->solve(x.data());
    EXPECT_LT((x - expected).norm(), 1e-9 * expected.norm());
  }
}

TEST(BlockLu, NamesTheNodeWhosePivotsVanish) {
  BlockLu lu({{2, false}, {1, true}}, {{0, 1}});
  EXPECT_FALSE(lu.factor());
  EXPECT_EQ(lu.vanished(), 0);
}

TEST(BlockLu, AllocatesNothingOnceItIsMade) {
  if (!mortise::test::allocations_are_counted()) GTEST_SKIP();
  std::mt19937 random(1);
  std::unique_ptr<BlockLu> lu;
  chain(20, random, lu);
  Vector x = Vector::Ones(lu->size());
  const mortise::test::AllocationCounter heap;
  EXPECT_TRUE(lu->factor());
  lu->solve(x.data());
  EXPECT_EQ(heap.count(), 0);
}

}  // namespace
}  // namespace mortise::gauss
