// Eliminations along stretches of open chains against dense factorisations.
#include "mortise/gauss/stretches.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <Eigen/LU>
#include <cmath>
#include <random>

#include "mortise/gauss/sparse.h"

namespace mortise::gauss {
namespace {

// A chain of bodies of `size` columns, hung up at its first one by `rows` rows a joint, with numbers of no pattern.
struct Chain {
  Pattern pattern;
  GaussProblem problem;

  // `branch`: a body from which a second chain of as many bodies hangs; −1: none.
  Chain(int bodies, int size, int rows, bool diagonal, int branch = -1) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<int> before;
    for (int k = 0; k < bodies; ++k) before.push_back(k - 1);
    for (int k = 0; branch >= 0 && k < bodies; ++k) before.push_back(k == 0 ? branch : bodies + k - 1);
    for (std::size_t k = 0; k < before.size(); ++k) pattern.columns.append(size);
    for (int k = 0; k < static_cast<int>(before.size()); ++k) {
      const int row = pattern.m();
      for (int i = 0; i < rows; ++i) {
        pattern.rows.push_back({k, i});
        pattern.row_scale.push_back(0.5 + 0.1 * i);
        pattern.position_size.push_back(1);
        pattern.velocity_size.push_back(1);
      }
      if (before[index(k)] >= 0) pattern.append_block(row, rows, before[index(k)]);
      pattern.append_block(row, rows, k);
    }
    pattern.layout_mass();
    pattern.version = 1;
    problem.resize(pattern);
    // A joint holds its second body more than its first one, or errors grow from link to link.
    for (Eigen::Index i = 0; i < problem.A.size(); ++i) problem.A[i] = 0.2 * uniform(random);
    for (const RowBlock& e : pattern.A)
      for (int i = 0; i < e.rows; ++i)
        problem.A[e.offset + i * size + i] += e.block == pattern.rows[index(e.row)].item ? 1 : -0.5;
    for (Eigen::Index i = 0; i < problem.Q.size(); ++i) problem.Q[i] = uniform(random);
    for (Eigen::Index i = 0; i < problem.b.size(); ++i) problem.b[i] = uniform(random);
    for (int k = 0; k < pattern.columns.count(); ++k) {
      Matrix M = Matrix::Identity(size, size);
      for (int i = 0; i < size; ++i) M(i, i) = 1 + 0.3 * std::sin(k + 2.0 * i);
      if (!diagonal)
        for (int i = 0; i < size; ++i)
          for (int j = 0; j < i; ++j) M(i, j) = M(j, i) = 0.1 * std::cos(3.0 * k + i + 2.0 * j);
      for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) problem.M[pattern.M_offset[index(k)] + i * size + j] = M(i, j);
    }
  }

  std::vector<Stretch> stretches() const {
    SparseLayout layout(pattern);
    const auto matrix = layout.take_matrix();
    return Stretches(pattern, layout, *matrix).all();
  }
  GaussSolution solve() const {
    const auto factor = make_sparse_factor(pattern);
    GaussSolution solution;
    solution.resize(pattern);
    EXPECT_TRUE(factor->factor(problem, {}));
    factor->solve(as_span(problem.Q), as_span(problem.b), solution);
    expect_the_same_at_once(solution);
    return solution;
  }
  // The right-hand side that goes along with the elimination, and the next one that does not.
  void expect_the_same_at_once(const GaussSolution& expected) const {
    const auto factor = make_sparse_factor(pattern);
    GaussSolution once, again;
    EXPECT_TRUE(factor->factor_and_solve(problem, {}, once));
    again.resize(pattern);
    factor->solve(as_span(problem.Q), as_span(problem.b), again);
    for (const GaussSolution* solution : {&once, &again}) {
      EXPECT_TRUE((solution->a.array() == expected.a.array()).all());
      EXPECT_TRUE((solution->lambda.array() == expected.lambda.array()).all());
      EXPECT_EQ(solution->residual, expected.residual);
      EXPECT_EQ(solution->rank.rank, expected.rank.rank);
      EXPECT_EQ(solution->verdicts, expected.verdicts);
    }
  }
  // How far M a + Aᵀλ = Q, A a = b are missed, beside a dense solution.
  void expect_solved() const {
    const GaussSolution solution = solve();
    const Matrix A = problem.dense_A();
    const auto n = A.cols(), m = A.rows();
    Matrix saddle = Matrix::Zero(n + m, n + m);
    saddle.topLeftCorner(n, n) = problem.dense_M();
    Vector right(n + m), off(m);
    right << problem.Q, problem.b;
    for (int i = 0; i < static_cast<int>(m); ++i) {
      if (!problem.active[index(i)]) {
        saddle(n + i, n + i) = 1;
        right[n + i] = 0;
        continue;
      }
      saddle.row(n + i).head(n) = A.row(i);
      saddle.col(n + i).head(n) = A.row(i).transpose();
    }
    const Vector exact = saddle.partialPivLu().solve(right);
    const double size = exact.cwiseAbs().maxCoeff();
    EXPECT_LT((solution.a - exact.head(n)).cwiseAbs().maxCoeff(), 1e-9 * size);
    EXPECT_LT((solution.lambda - exact.tail(m)).cwiseAbs().maxCoeff(), 1e-9 * size);
    EXPECT_EQ(solution.rank.redundant(), 0);
  }
};

TEST(Stretches, AreFoundInAChainButForItsLastJoint) {
  const auto found = Chain(30, 3, 2, true).stretches();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].count(), 29);
  EXPECT_EQ(found[0].rows, 2);
  EXPECT_EQ(found[0].size, 3);
}

TEST(Stretches, EndWhereAChainBranches) {
  const auto found = Chain(30, 3, 2, true, 12).stretches();
  ASSERT_GE(found.size(), 2u);
  for (const Stretch& s : found) EXPECT_LE(s.count(), 30);
}

TEST(Stretches, GiveTheSolutionOfADenseFactorisation) {
  for (const bool diagonal : {true, false}) {
    for (const int rows : {1, 2}) Chain(25, 3, rows, diagonal).expect_solved();
    for (const int rows : {3, 4, 5}) Chain(17, 6, rows, diagonal).expect_solved();
    for (const int branch : {0, 7, 16}) {
      Chain(17, 6, 5, diagonal, branch).expect_solved();
      Chain(17, 3, 2, diagonal, branch).expect_solved();
    }
  }
  Chain(12, 3, 3, true).expect_solved();  // rows as many as columns: nothing moves
  Chain(12, 6, 6, true).expect_solved();
  Chain(12, 6, 6, false).expect_solved();
}

TEST(Stretches, AreLeftAloneWhereARowIsOff) {
  Chain chain(20, 3, 2, true);
  chain.problem.active[17] = 0;
  chain.expect_solved();
}

TEST(Stretches, OfALongChainGiveTheSameBitsOnAnyNumberOfThreads) {
  const Chain chain(6000, 3, 2, true);
  ASSERT_GE(chain.stretches().size(), 2u);  // a part of the elimination each
  GaussSolution first;
  for (const std::size_t threads : {1u, 2u, 4u}) {
    const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism, threads);
    const GaussSolution solution = chain.solve();
    if (threads == 1) first = solution;
    EXPECT_TRUE((solution.a.array() == first.a.array()).all());
    EXPECT_TRUE((solution.lambda.array() == first.lambda.array()).all());
  }
  // And they are the solution.
  const GaussProblem& p = chain.problem;
  Vector left(p.Q.size()), rest(p.b.size()), load(p.Q.size());
  p.multiply_M(as_span(first.a), as_span(left));
  p.multiply_At(as_span(first.lambda), as_span(load));
  p.multiply_A(as_span(first.a), as_span(rest));
  const double size = load.cwiseAbs().maxCoeff();
  EXPECT_LT((left + load - p.Q).cwiseAbs().maxCoeff(), 1e-11 * size);
  EXPECT_LT((rest - p.b).cwiseAbs().maxCoeff(), 1e-9 * size);
}

}  // namespace
}  // namespace mortise::gauss
