// The tables of Runge-Kutta pairs, proved: a method has order p when Σ bᵢ Φᵢ(τ) = 1/γ(τ) for every rooted tree τ with
// up to p nodes (Butcher). For τ = [τ₁ … τₘ], the root with its subtrees,
//
//     Φᵢ(τ) = Π_k Σⱼ aᵢⱼ Φⱼ(τ_k),       γ(τ) = |τ| Π_k γ(τ_k),       Φᵢ(•) = γ(•) = 1.
//
// Source: Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, II.2 theorem 2.13.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mortise/integrate/tableau.h"

namespace mortise::integrate {
namespace {

struct Tree {
  std::vector<std::size_t> children;  // places in the list of all trees, never rising
  int order = 1;
  long double gamma = 1;
};

// All rooted trees with up to `most` nodes, by order; each exactly once, since the children never rise.
std::vector<Tree> rooted_trees(int most) {
  std::vector<Tree> trees{Tree{}};
  for (int order = 2; order <= most; ++order) {
    std::vector<Tree> found;
    Tree root;
    const auto grow = [&](auto&& self, int left, std::size_t largest) -> void {
      if (left == 0) {
        root.order = order;
        root.gamma = order;
        for (const std::size_t child : root.children) root.gamma *= trees[child].gamma;
        found.push_back(root);
        return;
      }
      for (std::size_t child = 0; child <= largest && child < trees.size(); ++child) {
        if (trees[child].order > left) break;
        root.children.push_back(child);
        self(self, left - trees[child].order, child);
        root.children.pop_back();
      }
    };
    grow(grow, order - 1, trees.size());
    trees.insert(trees.end(), found.begin(), found.end());
  }
  return trees;
}

using Weights = std::vector<std::vector<long double>>;  // Φᵢ of each tree

Weights elementary_weights(const Tableau& table, const std::vector<Tree>& trees) {
  const auto s = static_cast<std::size_t>(table.stages);
  Weights phi;
  for (const Tree& tree : trees) {
    std::vector<long double> here(s, 1);
    for (const std::size_t child : tree.children)
      for (std::size_t i = 0; i < s; ++i) {
        long double sum = 0;
        for (std::size_t j = 0; j < i; ++j)
          sum += static_cast<long double>(table.a_at(static_cast<int>(i), static_cast<int>(j))) * phi[child][j];
        here[i] *= sum;
      }
    phi.push_back(here);
  }
  return phi;
}

// The largest miss of the conditions with exactly `order` nodes.
double miss(std::span<const double> b, const std::vector<Tree>& trees, const Weights& phi, int order) {
  long double worst = 0;
  for (std::size_t k = 0; k < trees.size(); ++k) {
    if (trees[k].order != order) continue;
    long double sum = 0;
    for (std::size_t i = 0; i < b.size(); ++i) sum += b[i] * phi[k][i];
    worst = std::max(worst, std::abs(sum - 1 / trees[k].gamma));
  }
  return static_cast<double>(worst);
}

TEST(RootedTrees, AreAsManyAsCayleyCounted) {
  const std::vector<Tree> trees = rooted_trees(9);
  std::vector<int> count(10);
  for (const Tree& tree : trees) ++count[static_cast<std::size_t>(tree.order)];
  EXPECT_EQ(count, (std::vector<int>{0, 1, 1, 2, 4, 9, 20, 48, 115, 286}));
}

struct ConditionClaim {
  const Tableau& (*table)();
  double rounding;  // of the coefficients, which are large where they cancel
};

class Table : public testing::TestWithParam<ConditionClaim> {};

TEST_P(Table, HasItsOrdersByEveryRootedTreeAndNotOneMore) {
  const Tableau& table = GetParam().table();
  const int p = table.order;
  const std::vector<Tree> trees = rooted_trees(p + 1);
  const Weights phi = elementary_weights(table, trees);
  for (int order = 1; order <= p; ++order)
    EXPECT_LE(miss(table.b, trees, phi, order), GetParam().rounding) << "trees with " << order << " nodes";
  for (int order = 1; order < p; ++order)
    EXPECT_LE(miss(table.b_hat, trees, phi, order), GetParam().rounding) << "b̂, trees with " << order << " nodes";
  EXPECT_GT(miss(table.b, trees, phi, p + 1), 1e-7);
  EXPECT_GT(miss(table.b_hat, trees, phi, p), 1e-5);  // or the estimate would not see the leading error
  for (int i = 0; i < table.stages; ++i) {
    double sum = 0;
    for (int j = 0; j < i; ++j) sum += table.a_at(i, j);
    EXPECT_NEAR(sum, table.c[static_cast<std::size_t>(i)], GetParam().rounding);
  }
}

// A digit that is wrong in one number shows: the check can fail.
TEST_P(Table, FailsWithOneNumberChanged) {
  const Tableau& table = GetParam().table();
  const std::vector<Tree> trees = rooted_trees(table.order);
  for (std::size_t k = 0; k < table.a.size(); ++k) {
    // The last row of a pair that ends with f(t + h, y₁) is b itself, which is proved by itself.
    const bool is_b = table.ends_with_rates && k >= table.a.size() - static_cast<std::size_t>(table.stages - 1);
    if (table.a[k] == 0 || is_b) continue;
    std::vector<double> a(table.a.begin(), table.a.end());
    a[k] *= 1 + 1e-6;
    Tableau changed = table;
    changed.a = a;
    const Weights phi = elementary_weights(changed, trees);
    double worst = 0;
    for (int order = 1; order <= table.order; ++order) worst = std::max(worst, miss(table.b, trees, phi, order));
    EXPECT_GT(worst, 3 * GetParam().rounding) << "number " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Pairs, Table,
                         testing::Values(ConditionClaim{rkv56_tableau, 2e-15}, ConditionClaim{rk78_tableau, 1e-14}),
                         [](const auto& info) { return std::string(info.param.table().name); });

}  // namespace
}  // namespace mortise::integrate
