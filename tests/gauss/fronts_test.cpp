// Elimination front by front says the same as a singular value decomposition of all rows.
#include "mortise/gauss/fronts.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <random>
#include <set>

namespace mortise::gauss {
namespace {

// Bodies of three columns and joints of one to three rows between one or two of them, some of which repeat a
// combination of others on purpose.
struct RandomGraph {
  Pattern pattern;
  GaussProblem problem;

  RandomGraph(std::mt19937& random, int bodies, int joints, bool dependent) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int k = 0; k < bodies; ++k) pattern.columns.append(3);
    pattern.layout_mass();
    std::vector<std::array<int, 2>> pairs;
    std::vector<int> sizes;
    for (int j = 0; j < joints; ++j) {
      int a = static_cast<int>(random() % index(bodies)), b = static_cast<int>(random() % index(bodies));
      if (j < bodies) a = j, b = std::max(0, j - 1 - static_cast<int>(random() % 2));
      int size = 1 + static_cast<int>(random() % 3);
      if (dependent && j > 0 && random() % 4 == 0) {  // between the bodies of an earlier joint
        const auto k = random() % pairs.size();
        a = pairs[k][0], b = pairs[k][1];
        size = std::min(size, 2);
      }
      pairs.push_back({std::min(a, b), std::max(a, b)});
      sizes.push_back(size);
      const int row = pattern.m();
      for (int i = 0; i < size; ++i) pattern.rows.push_back({j, i});
      pattern.append_block(row, size, std::min(a, b));
      if (a != b) pattern.append_block(row, size, std::max(a, b));
    }
    pattern.row_scale.assign(index(pattern.m()), 1);
    pattern.velocity_size.assign(index(pattern.m()), 1);
    problem.resize(pattern);
    for (double& value : problem.A) value = uniform(random);
    if (!dependent) return;
    // Every third joint repeats the first row of an earlier one between the same bodies, enlarged.
    for (int j = 1; j < joints; ++j)
      for (int k = 0; k < j; ++k) {
        if (pairs[index(j)] != pairs[index(k)]) continue;
        for (const RowBlock& to : pattern.A)
          for (const RowBlock& from : pattern.A)
            if (pattern.rows[index(to.row)].item == j && pattern.rows[index(from.row)].item == k &&
                to.block == from.block)
              for (int c = 0; c < 3; ++c) problem.A[to.offset + c] = 2.5 * problem.A[from.offset + c];
        break;
      }
  }
};

struct Dense {
  Matrix A;
  int rank;

  explicit Dense(const GaussProblem& p) : A(p.dense_A()) {
    for (int i = 0; i < A.rows(); ++i)
      if (!p.active[index(i)]) A.row(i).setZero();
    const Vector sigma = Eigen::JacobiSVD<Matrix>(A).singularValues();
    rank = static_cast<int>((sigma.array() > 1e-9 * sigma[0]).count());
  }
};

void expect_agreement(const RandomGraph& graph) {
  Fronts fronts(graph.pattern, Vector::Ones(graph.pattern.n()), graph.pattern.velocity_size);
  fronts.factor(graph.problem, {});
  const Dense dense(graph.problem);
  ASSERT_EQ(fronts.rank().rank, dense.rank);
  ASSERT_EQ(fronts.dependencies().size(), index(fronts.rank().redundant()));
  Matrix without = dense.A;
  std::set<int> named;
  for (const Dependency& d : fronts.dependencies()) {
    Vector sum = Vector::Zero(graph.pattern.n());
    for (std::size_t i = 0; i < d.rows.size(); ++i)
      sum += d.coefficients[static_cast<Eigen::Index>(i)] * dense.A.row(d.rows[i]).transpose();
    EXPECT_LT(sum.cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_TRUE(std::binary_search(d.rows.begin(), d.rows.end(), d.row));
    named.insert(d.row);
    without.row(d.row).setZero();
    const Dependency* const last = fronts.dependencies().data() + fronts.dependencies().size();
    for (const Dependency* later = &d + 1; later < last; ++later)
      EXPECT_FALSE(std::binary_search(later->rows.begin(), later->rows.end(), d.row));
  }
  EXPECT_EQ(named.size(), fronts.dependencies().size());
  const Vector sigma = Eigen::JacobiSVD<Matrix>(without).singularValues();
  EXPECT_EQ((sigma.array() > 1e-9 * sigma[0]).count(), dense.rank);

  Matrix motions(graph.pattern.n(), fronts.degrees_of_freedom());
  for (int k = 0; k < fronts.degrees_of_freedom(); ++k) {
    motions.col(k) = fronts.motion(k);
    EXPECT_LT((dense.A * motions.col(k)).cwiseAbs().maxCoeff(), 1e-8 * motions.col(k).cwiseAbs().maxCoeff());
  }
  if (motions.cols() > 0) {
    const Vector s = Eigen::JacobiSVD<Matrix>(motions).singularValues();
    EXPECT_GT(s[s.size() - 1], 1e-6 * s[0]);
  }
}

TEST(Fronts, AgreeWithSingularValuesOnRandomGraphs) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const int bodies = 1 + static_cast<int>(random() % 12);
    expect_agreement(RandomGraph(random, bodies, bodies + static_cast<int>(random() % 14), false));
  }
}

TEST(Fronts, AgreeWithSingularValuesWhereRowsAreRepeated) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 300; ++trial) {
    const int bodies = 1 + static_cast<int>(random() % 12);
    expect_agreement(RandomGraph(random, bodies, bodies + static_cast<int>(random() % 14), true));
  }
}

TEST(Fronts, SolveWhatCanBeSolved) {
  std::mt19937 random(13);
  for (int trial = 0; trial < 100; ++trial) {
    const RandomGraph graph(random, 6, 9, true);
    Fronts fronts(graph.pattern, Vector::Ones(graph.pattern.n()), graph.pattern.velocity_size);
    fronts.factor(graph.problem, {});
    const Matrix A = graph.problem.dense_A();
    const Vector right = A * Vector::Random(graph.pattern.n());
    EXPECT_LT((A * fronts.solve(right) - right).cwiseAbs().maxCoeff(), 1e-8);
  }
}

TEST(Fronts, LeaveOutRowsThatAreOff) {
  std::mt19937 random(17);
  for (int trial = 0; trial < 50; ++trial) {
    RandomGraph graph(random, 5, 12, true);
    for (unsigned char& on : graph.problem.active) on = random() % 3 != 0;
    Fronts fronts(graph.pattern, Vector::Ones(graph.pattern.n()), graph.pattern.velocity_size);
    fronts.factor(graph.problem, {});
    EXPECT_EQ(fronts.rank().rank, Dense(graph.problem).rank);
    for (const Dependency& d : fronts.dependencies())
      for (const int row : d.rows) EXPECT_TRUE(graph.problem.active[index(row)]);
  }
}

// A row of zeros at this pose follows from nothing: it is its own dependency.
TEST(Fronts, NameARowThatVanishes) {
  std::mt19937 random(19);
  RandomGraph graph(random, 3, 3, false);
  const RowBlock& block = graph.pattern.A[1];
  for (const RowBlock& e : graph.pattern.A)
    if (e.row == block.row)
      for (int c = 0; c < 3; ++c) graph.problem.A[e.offset + c] = 0;
  Fronts fronts(graph.pattern, Vector::Ones(graph.pattern.n()), graph.pattern.velocity_size);
  fronts.factor(graph.problem, {});
  const auto& found = fronts.dependencies();
  EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                          [&](const Dependency& d) { return d.rows == std::vector<int>{block.row}; }));
}

// 3000 bodies on one carrier, each held by four rows in its three columns: no front may see them all at once.
TEST(Fronts, TakeTheRowsOfACarrierInPortions) {
  const int n = 3000;
  Pattern pattern;
  for (int k = 0; k <= n; ++k) pattern.columns.append(3);
  pattern.layout_mass();
  for (int k = 1; k <= n; ++k) {
    const int row = pattern.m();
    for (int i = 0; i < 4; ++i) pattern.rows.push_back({k, i});
    pattern.append_block(row, 4, 0);
    pattern.append_block(row, 4, k);
  }
  pattern.row_scale.assign(index(pattern.m()), 1);
  pattern.velocity_size = pattern.row_scale;
  GaussProblem problem;
  problem.resize(pattern);
  std::mt19937 random(23);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (double& value : problem.A) value = uniform(random);
  Fronts fronts(pattern, Vector::Ones(pattern.n()), pattern.velocity_size);
  fronts.factor(problem, {});
  // Each body leaves one row of its four to the carrier; three of these hold it, the rest depends on them.
  EXPECT_EQ(fronts.rank().rank, 3 * n + 3);
  EXPECT_EQ(fronts.dependencies().size(), index(n - 3));
  for (const Dependency& d : fronts.dependencies()) EXPECT_LE(d.rows.size(), 16u);  // four bodies at most
}

}  // namespace
}  // namespace mortise::gauss
