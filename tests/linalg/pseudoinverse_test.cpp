#include "mortise/linalg/pseudoinverse.h"

#include <gtest/gtest.h>

#include <limits>

#include "linalg/pseudoinverse_matrices.h"
#include "mortise/linalg/pseudoinverses/reflections.h"
#include "support/allocation_counter.h"

namespace mortise::linalg::testing {
namespace {

bool augmented(const PseudoinverseEntry& entry) { return entry.name.starts_with("ls-"); }

// Is the smallest singular value far enough from the threshold for the rank to be beyond doubt? It is 1e-10, but 4e-7
// for the 100 rows of the largest augmented matrix, which sees squares.
bool clear(const PseudoinverseEntry& entry, const Sample& sample) {
  return sample.condition < (augmented(entry) ? 1e6 : 1e8);
}

// What the Penrose conditions may miss by. The augmented matrix keeps to 1e-12 (1 + condition) up to 3e3 and cannot do
// so beyond (augmented.h).
double bar(const PseudoinverseEntry& entry, double condition) {
  if (entry.name == "greville") return 1e-12 + 1e-14 * condition * condition;
  if (augmented(entry)) return condition <= 3e3 ? 1e-12 * (1 + condition) : 1e-15 * condition * condition;
  return 2e-14 * (1 + condition);
}

TEST(Pseudoinverses, FulfilPenrosesConditionsForAnyShapeAndRank) {
  const auto samples = family();
  ASSERT_GT(samples.size(), 200U);
  for (const auto& entry : pseudoinverses()) {
    const auto pseudoinverse = entry.make();
    Matrix P;
    std::size_t checked = 0;
    double worst = 0;
    for (const Sample& sample : samples) {
      if (!clear(entry, sample)) continue;
      ++checked;
      pseudoinverse->invert(sample.A, {}, 0, P);
      const double residual = penrose_residual(sample.A, P), allowed = bar(entry, sample.condition);
      EXPECT_LE(residual, allowed) << entry.name << ": " << sample.name << ", condition " << sample.condition;
      EXPECT_EQ(pseudoinverse->rank().rank, sample.rank) << entry.name << ": " << sample.name;
      EXPECT_EQ(pseudoinverse->rank().rows, sample.A.rows());
      worst = std::max(worst, residual / allowed);
    }
    EXPECT_GT(checked, samples.size() * 8 / 10) << entry.name;
    RecordProperty(entry.name + " share of the bar", std::to_string(worst));
  }
}

// Errors that grow with the square of the condition reach 1e-9 at 1e3; the others are compared up to 1e6.
TEST(Pseudoinverses, AgreeWithOneAnother) {
  std::vector<std::unique_ptr<Pseudoinverse>> all;
  for (const auto& entry : pseudoinverses()) all.push_back(entry.make());
  int pairs = 0;
  for (const Sample& sample : family()) {
    if (sample.rank == 0 || sample.condition > 1e6) continue;
    std::vector<Matrix> P(all.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (pseudoinverses()[k].squares && sample.condition > 1e3) continue;
      all[k]->invert(sample.A, {}, 0, P[k]);
      for (std::size_t l = 0; l < k; ++l) {
        if (P[l].size() == 0) continue;
        const double bound = pseudoinverses()[k].squares || pseudoinverses()[l].squares ? 1e-9 : 1e-10;
        EXPECT_LE((P[k] - P[l]).norm(), bound * P[0].norm())
            << pseudoinverses()[k].name << " and " << pseudoinverses()[l].name << ": " << sample.name;
        ++pairs;
      }
    }
  }
  EXPECT_GT(pairs, 3000);
}

// Two equal columns in front: without column pivoting Varga's second factor is singular. A⁺ in fractions.
TEST(Pseudoinverses, InvertTheMatrixThatUnpivotedVargaFailsOn) {
  Matrix A(3, 3), exact(3, 3), P;
  A << 1, 1, 2, 1, 1, 3, 2, 2, 5;
  exact << 8, -7, 1, 8, -7, 1, -6, 6, 0;
  exact /= 6;
  for (const auto& entry : pseudoinverses()) {
    const auto pseudoinverse = entry.make();
    pseudoinverse->invert(A, {}, 0, P);
    EXPECT_EQ(pseudoinverse->rank().rank, 2) << entry.name;
    EXPECT_LT((P - exact).norm(), 1e-13) << entry.name;
  }
}

TEST(Pseudoinverses, TheAugmentedMatrixHasRankNPlusRAndOneXForAllOfItsSolutions) {
  std::mt19937 random(10);
  for (const auto& [m, n, r] : {std::tuple{6, 8, 4}, {6, 8, 6}, {12, 12, 11}, {20, 30, 9}}) {
    const Matrix left = random_matrix(random, m, r), A = left * random_matrix(random, r, n) / r;
    Matrix K = Matrix::Zero(n + m, n + m), basic = Matrix::Zero(n + m, m), F = Matrix::Zero(n + m, m);
    K.topLeftCorner(n, n).setIdentity();
    K.topRightCorner(n, m) = A.transpose();
    K.bottomLeftCorner(m, n) = A;
    F.bottomRows(m).setIdentity();
    const Matrix right_hand_sides = F;

    Reflections qr;
    Flops flops;
    qr.resize(n + m, n + m);
    qr.matrix() = K;
    const double longest = qr.longest_column();
    qr.reduce_pivoted(RankPolicy{}.squared_cut(longest, 0, n + m), flops);
    EXPECT_EQ(qr.steps(), n + r);
    qr.apply_transposed(F, flops);
    qr.solve(F, flops);
    for (int k = 0; k < qr.steps(); ++k) basic.row(qr.order(k)) = F.row(k);
    EXPECT_LT((K.transpose() * (K * basic - right_hand_sides)).norm(), 1e-11) << "a least squares solution";

    Eigen::CompleteOrthogonalDecomposition<Matrix> cod;
    cod.setThreshold(1e-10);
    cod.compute(K);
    EXPECT_EQ(cod.rank(), n + r);
    const Matrix shortest = cod.solve(right_hand_sides);
    const double scale = shortest.topRows(n).norm();
    EXPECT_LT((basic - shortest).topRows(n).norm(), 1e-12 * scale);
    if (r < m) {
      EXPECT_GT((basic - shortest).bottomRows(m).norm(), 1e-3 * scale) << "they do differ, in μ";
    }
    for (const char* name : {"ls-householder", "ls-mgs"}) {
      Matrix P;
      const auto pseudoinverse = make_pseudoinverse(name);
      pseudoinverse->invert(A, {}, 0, P);
      EXPECT_EQ(pseudoinverse->rank().rank, r) << name;
      EXPECT_LT((P - shortest.topRows(n)).norm(), 1e-11 * scale) << name;
    }
  }
}

TEST(Pseudoinverses, ShowTheGapBetweenWhatTheyKeepAndWhatTheyDrop) {
  std::mt19937 random(11);
  for (const auto& [m, n] : {std::pair{9, 14}, {14, 9}}) {
    const Matrix A = 5 * graded(random, m, n, 6, 1e3);
    for (const auto& entry : pseudoinverses()) {
      Matrix P;
      const auto pseudoinverse = entry.make();
      pseudoinverse->invert(A, {}, 0, P);
      const Rank& rank = pseudoinverse->rank();
      EXPECT_EQ(rank.rank, 6) << entry.name;
      EXPECT_EQ(rank.redundant(), m - 6) << entry.name;
      EXPECT_GT(rank.largest, 0.5) << entry.name;
      EXPECT_LE(rank.largest, 5.0001) << entry.name;
      EXPECT_GT(rank.smallest_kept, 2e-4) << entry.name << ": 1e-3 as a singular value";
      EXPECT_LT(rank.smallest_kept, 2e-2) << entry.name;
      EXPECT_LT(rank.largest_dropped, augmented(entry) ? 5e-8 : 1e-13) << entry.name;
      EXPECT_GT(rank.gap(), augmented(entry) ? 1e4 : 1e9) << entry.name;
      // 8 (n + m) ε = 4.1e-14 under the root
      EXPECT_NEAR(rank.threshold, augmented(entry) ? 2.0e-7 : 1e-10, augmented(entry) ? 2e-8 : 1e-24) << entry.name;
    }
  }
}

// Singular values 10, 1, 0.1, 1e-4: rules that cut at 5e-3 keep three, by whatever name the threshold goes. Greville's
// recursion sees what a row adds to the longer ones, so it gets rows that add just these four lengths: among others,
// the small value may hide in two of middle size.
TEST(Pseudoinverses, FollowFixedAndToleranceTiedThresholds) {
  RankPolicy fixed;
  fixed.fixed = 5e-3;
  for (unsigned seed = 0; seed < 10; ++seed) {
    std::mt19937 random(seed);
    const Vector sigma{{10, 1, 0.1, 1e-4}};
    const Matrix V = orthogonal(random, 7, 4), U = orthogonal(random, 4, 4);
    Matrix steps = Matrix::Constant(4, 4, 0.3).triangularView<Eigen::StrictlyLower>();
    steps.diagonal().setOnes();
    for (const auto& entry : pseudoinverses()) {
      const auto pseudoinverse = entry.make();
      const Matrix A = (entry.name == "greville" ? steps : U) * sigma.asDiagonal() * V.transpose();
      const auto rank = [&](const Matrix& B, const RankPolicy& policy, double violation) {
        Matrix P;
        pseudoinverse->invert(B, policy, violation, P);
        const double left = (B * P * B - B).norm();
        if (pseudoinverse->rank().rank == 3) {
          EXPECT_LT(left, 1e-3 * B.norm() / 10) << entry.name << ": only the small one is lost";
          EXPECT_GT(left, 1e-6 * B.norm()) << entry.name;
        }
        return pseudoinverse->rank().rank;
      };
      EXPECT_EQ(rank(A, {}, 0), 4) << entry.name;
      EXPECT_EQ(rank(A, {}, 5e-6), 3) << entry.name << ": 100 times the violation";
      EXPECT_EQ(rank(A, fixed, 0), 3) << entry.name;
      EXPECT_EQ(rank(A, fixed, 1e-3), 3) << entry.name << ": drift does not widen it";
      EXPECT_EQ(rank(100 * A, fixed, 0), 4) << entry.name << ": it is absolute";
      EXPECT_EQ(rank(A, RankPolicy::of_tolerance(5e-4), 0), 3) << entry.name;
      EXPECT_EQ(rank(A, RankPolicy::of_tolerance(5e-4), 1), 3) << entry.name;
      EXPECT_EQ(rank(100 * A, RankPolicy::of_tolerance(5e-4), 0), 3) << entry.name << ": it is relative";
      EXPECT_EQ(rank(A, RankPolicy::of_tolerance(1e-8), 1), 4) << entry.name;
    }
  }
}

// Leading terms at n = 60, m = 30, each within a quarter. The sheet has 4nm² for Varga, the two factorisations; A⁺
// itself is 4nm² more (varga.cpp). Of gram-schmidt's 3nm² the orthonormal rows are 2nm².
TEST(Pseudoinverses, CountTheOperationsOfTheirLeadingTerms) {
  std::mt19937 random(12);
  const Matrix A = random_matrix(random, 30, 60);
  const double nm2 = 60 * 30 * 30;
  for (const auto& [name, leading] :
       {std::pair{"varga", 8.0}, {"greville", 3.0}, {"gram-schmidt", 3.0}, {"cod", 6.0}}) {
    Matrix P;
    const auto pseudoinverse = make_pseudoinverse(name);
    pseudoinverse->invert(A, {}, 0, P);
    EXPECT_NEAR(pseudoinverse->flops() / nm2, leading, leading / 4) << name;
    const double once = pseudoinverse->flops();
    pseudoinverse->invert(A, {}, 0, P);
    EXPECT_EQ(pseudoinverse->flops(), once) << name << ": of the last call, not a sum";
  }
  // A copy of every other row is orthogonalised again where that is needed, and costs at most one more pass.
  Matrix D(60, 60);
  D << A, A;
  for (const char* name : {"greville", "gram-schmidt"}) {
    Matrix P;
    const auto pseudoinverse = make_pseudoinverse(name);
    pseudoinverse->invert(D, {}, 0, P);
    EXPECT_EQ(pseudoinverse->rank().rank, 30);
    EXPECT_LT(pseudoinverse->flops(), 6 * 60.0 * 60 * 60) << name;
  }
}

TEST(Pseudoinverses, AllocateNothingWhileTheShapeStays) {
  if (!test::allocations_are_counted()) GTEST_SKIP() << "a sanitizer owns malloc here";
  std::mt19937 random(13);
  for (const auto& [m, n] : {std::pair{3, 3}, {12, 12}, {30, 60}, {60, 30}, {70, 110}}) {
    const Matrix regular = random_matrix(random, m, n);
    Matrix redundant = regular;
    redundant.row(2) = redundant.row(0);
    for (const auto& entry : pseudoinverses()) {
      // Eigen's blocks of reflections in the singular value decomposition, from a shorter side of 48 on (svd.cpp).
      if (entry.name == "svd" && std::min(m, n) >= 48) continue;
      const auto pseudoinverse = entry.make();
      Matrix P;
      pseudoinverse->invert(regular, {}, 0, P);
      const test::AllocationCounter heap;
      pseudoinverse->invert(redundant, {}, 0, P);
      pseudoinverse->invert(regular, {}, 0, P);
      EXPECT_EQ(heap.count(), 0) << entry.name << " " << m << "×" << n;
    }
  }
  const test::AllocationCounter heap;
  Matrix P;
  make_pseudoinverse("varga")->invert(random_matrix(random, 4, 5), {}, 0, P);
  EXPECT_GE(heap.count(), 5) << "the counter counts";
}

TEST(Pseudoinverses, TakeAnotherShapeAtEveryCall) {
  std::mt19937 random(14);
  for (const auto& entry : pseudoinverses()) {
    const auto pseudoinverse = entry.make();
    for (const auto& [m, n] : {std::pair{9, 4}, {2, 11}, {11, 2}, {6, 6}}) {
      const Matrix A = random_matrix(random, m, n);
      Matrix P, fresh;
      pseudoinverse->invert(A, {}, 0, P);
      entry.make()->invert(A, {}, 0, fresh);
      EXPECT_TRUE(P == fresh) << entry.name << ": nothing of the last matrix is left";
    }
  }
}

TEST(Pseudoinverses, TakeEmptyAndVanishingMatricesAndPassOnNotANumber) {
  for (const auto& entry : pseudoinverses()) {
    const auto pseudoinverse = entry.make();
    Matrix P;
    for (const Matrix& A : {Matrix(0, 4), Matrix(3, 0), Matrix(0, 0), Matrix(Matrix::Zero(3, 5)),
                            Matrix(Matrix::Constant(5, 3, 1e-16))}) {
      pseudoinverse->invert(A, {}, 0, P);
      EXPECT_EQ(P.rows(), A.cols()) << entry.name;
      EXPECT_EQ(P.cols(), A.rows()) << entry.name;
      EXPECT_EQ(P.norm(), 0) << entry.name;
      EXPECT_EQ(pseudoinverse->rank().rank, 0) << entry.name;
      EXPECT_EQ(pseudoinverse->rank().smallest_kept, 1) << entry.name;
    }
    for (double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      Matrix A = Matrix::Identity(4, 6);
      A(2, 3) = bad;
      pseudoinverse->invert(A, {}, 0, P);
      EXPECT_TRUE(P.array().isNaN().all()) << entry.name;
      EXPECT_EQ(pseudoinverse->rank().rank, 0) << entry.name;
    }
  }
}

TEST(Pseudoinverses, AreMadeByName) {
  std::vector<std::string> names;
  for (const auto& entry : pseudoinverses()) {
    EXPECT_NE(make_pseudoinverse(entry.name), nullptr);
    EXPECT_NE(entry.help.find("condition"), std::string::npos) << entry.name << ": says what accuracy to expect";
    names.push_back(entry.name);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"svd", "cod", "varga", "gram-schmidt", "greville", "ls-householder", "ls-mgs"}));
  try {
    make_pseudoinverse("vargas");
    FAIL() << "there is none of that name";
  } catch (const std::invalid_argument& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("'vargas'"), std::string::npos) << message;
    EXPECT_NE(message.find("gram-schmidt"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace mortise::linalg::testing
