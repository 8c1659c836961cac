// Block elimination against dense factorisations, on random graphs.
#include "mortise/gauss/block_ldlt.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <random>
#include <set>

namespace mortise::gauss {
namespace {

// A random quasi-definite matrix [P Bᵀ; B −N] on a graph of nodes, P and N diagonally dominant.
struct Sample {
  std::vector<BlockLdlt::Node> nodes;
  std::vector<std::pair<int, int>> edges;
  Matrix K;
  std::vector<int> begin;

  Sample(std::mt19937& random, int count, int extra) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    int total = 0;
    for (int k = 0; k < count; ++k) {
      nodes.push_back({1 + static_cast<int>(random() % 8), random() % 4 == 0 ? -1 : 1, false});
      begin.push_back(total);
      total += nodes.back().size;
    }
    std::set<std::pair<int, int>> joined;
    for (int k = 1; k < count; ++k) joined.insert({static_cast<int>(random() % static_cast<unsigned>(k)), k});
    for (int k = 0; k < extra; ++k) {
      const int a = static_cast<int>(random() % static_cast<unsigned>(count)),
                b = static_cast<int>(random() % static_cast<unsigned>(count));
      if (a != b) joined.insert(std::minmax(a, b));
    }
    edges.assign(joined.begin(), joined.end());
    K.setZero(total, total);
    for (const auto& [a, b] : edges) {
      const Matrix block =
          Matrix::NullaryExpr(nodes[index(a)].size, nodes[index(b)].size, [&] { return uniform(random); });
      K.block(begin[index(a)], begin[index(b)], block.rows(), block.cols()) = block;
      K.block(begin[index(b)], begin[index(a)], block.cols(), block.rows()) = block.transpose();
    }
    for (int k = 0; k < count; ++k) {
      const int s = nodes[index(k)].size, at = begin[index(k)];
      const Matrix R = Matrix::NullaryExpr(s, s, [&] { return uniform(random); });
      // Dominant against the blocks of nodes of the same sign.
      double norm = 1;
      for (const auto& [a, b] : edges)
        if ((a == k || b == k) && nodes[index(a)].sign == nodes[index(b)].sign) norm += 8;
      K.block(at, at, s, s) = nodes[index(k)].sign * (R * R.transpose() + norm * Matrix::Identity(s, s));
    }
  }

  void fill(BlockLdlt& ldlt) const {
    ldlt.clear();
    const auto put = [&](const BlockLdlt::Place& to, const Matrix& block) {
      for (Eigen::Index i = 0; i < block.rows(); ++i)
        for (Eigen::Index j = 0; j < block.cols(); ++j)
          ldlt.values()[to.transposed ? to.offset + j * to.stride + i : to.offset + i * to.stride + j] = block(i, j);
    };
    for (int k = 0; k < static_cast<int>(nodes.size()); ++k)
      put(ldlt.diagonal(k), K.block(begin[index(k)], begin[index(k)], nodes[index(k)].size, nodes[index(k)].size));
    for (const auto& [a, b] : edges)
      put(ldlt.between(a, b), K.block(begin[index(a)], begin[index(b)], nodes[index(a)].size, nodes[index(b)].size));
  }
};

TEST(BlockLdlt, SolvesQuasiDefiniteMatricesOfRandomGraphs) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const Sample sample(random, 1 + trial % 30, trial % 3 == 0 ? 0 : trial % 17);
    BlockLdlt ldlt(sample.nodes, sample.edges);
    ASSERT_EQ(ldlt.unknowns(), sample.K.rows());
    ASSERT_EQ(ldlt.size(), ldlt.unknowns());  // one part
    sample.fill(ldlt);
    ASSERT_TRUE(ldlt.factor(1e-12)) << trial;
    EXPECT_EQ(ldlt.small_pivots(), 0);
    const Vector right = Vector::Random(sample.K.rows());
    Vector x = right;
    ldlt.solve(x.data());
    EXPECT_LT((sample.K * x - right).norm(), 1e-11 * right.norm()) << trial;
  }
}

// A chain is eliminated from an end: no fill, and fronts of two nodes, whatever its length.
TEST(BlockLdlt, OfAChainHasFrontsOfTwoNodes) {
  std::vector<BlockLdlt::Node> nodes(1000, {2, 1, false});
  std::vector<std::pair<int, int>> edges;
  for (int k = 0; k + 1 < 1000; ++k) edges.push_back({k, k + 1});
  const BlockLdlt ldlt(nodes, edges);
  EXPECT_EQ(ldlt.largest_front(), 4);
}

// A ladder long enough to be eliminated in parts, against the residual of its matrix.
TEST(BlockLdlt, OfALongLadderIsEliminatedInPartsThatGiveTheSameBitsOnAnyNumberOfThreads) {
  const int rungs = 3000;
  std::vector<BlockLdlt::Node> nodes(2 * rungs, {2, 1, false});
  std::vector<std::pair<int, int>> edges;
  for (int k = 0; k < rungs; ++k) {
    edges.push_back({k, rungs + k});
    if (k + 1 < rungs) edges.push_back({k, k + 1}), edges.push_back({rungs + k, rungs + k + 1});
  }
  BlockLdlt ldlt(nodes, edges);
  ASSERT_GE(ldlt.parts(), 2);
  const auto value = [](int a, int b, int i, int j) { return 0.9 * std::sin(3.0 * a + 7.0 * b + 2.0 * i + j); };
  const auto multiply = [&](const Vector& x) {
    Vector y = 5 * x;
    for (const auto& [a, b] : edges)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
          y[2 * a + i] += value(a, b, i, j) * x[2 * b + j];
          y[2 * b + j] += value(a, b, i, j) * x[2 * a + i];
        }
    return y;
  };
  const auto add = [&](int a, int b, bool diagonal) {
    const BlockLdlt::Place to = diagonal ? ldlt.diagonal(a) : ldlt.between(a, b);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        ldlt.values()[to.transposed ? to.offset + j * to.stride + i : to.offset + i * to.stride + j] +=
            diagonal ? (i == j ? 5 : 0) : value(a, b, i, j);
  };
  Vector right(ldlt.unknowns());
  for (Eigen::Index k = 0; k < right.size(); ++k) right[k] = std::cos(0.1 * static_cast<double>(k));
  Vector first;
  for (const std::size_t threads : {1u, 2u, 4u}) {
    const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism, threads);
    ldlt.clear();
    // Each block when the first step that reads it is near; those behind the parts last.
    std::vector<std::vector<std::pair<int, int>>> due(nodes.size());
    for (int k = 0; k < 2 * rungs; ++k) due[index(ldlt.step_of(k))].push_back({k, k});
    for (const auto& [a, b] : edges) due[index(std::min(ldlt.step_of(a), ldlt.step_of(b)))].push_back({a, b});
    ASSERT_TRUE(ldlt.factor(1e-12, [&](int begin, int end) {
      for (int s = begin; s < end; ++s)
        for (const auto& [a, b] : due[index(s)]) add(a, b, a == b);
    }));
    Vector x = Vector::Zero(ldlt.size());
    x.head(right.size()) = right;
    ldlt.solve(x.data());
    EXPECT_LT((multiply(x.head(right.size())) - right).norm(), 1e-12 * right.norm());
    if (first.size() == 0) first = x.head(right.size());
    EXPECT_EQ((first - x.head(right.size())).cwiseAbs().maxCoeff(), 0) << threads << " threads";
  }
}

TEST(BlockLdlt, CountsSmallPivotsAndRefusesThoseOfTheWrongSign) {
  BlockLdlt ldlt({{2, 1, false}, {1, 1, false}}, {{0, 1}});
  // Rows (1, 0), (0, 1) and their sum: the last pivot is what was added.
  const double shift = 1e-10;
  const auto set = [&](double more) {
    ldlt.clear();
    double* K = ldlt.values();
    const auto d0 = ldlt.diagonal(0), d1 = ldlt.diagonal(1), e = ldlt.between(1, 0);
    K[d0.offset] = K[d0.offset + d0.stride + 1] = 1 + shift;
    K[d1.offset] = 2 + more;
    for (int k = 0; k < 2; ++k) K[e.offset + (e.transposed ? k * e.stride : k)] = 1;
  };
  set(shift);
  ASSERT_TRUE(ldlt.factor(1e-8));
  ASSERT_EQ(ldlt.small_pivots(), 1);
  EXPECT_NEAR(ldlt.small()[0].pivot, 3 * shift, 2e-10);
  set(-1);
  EXPECT_FALSE(ldlt.factor(1e-8));
}

}  // namespace
}  // namespace mortise::gauss
