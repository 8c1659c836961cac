// The genetic search: the source's double pendulum, its variants, their independence of threads, and what a motion
// needs of it (warm starts, projections, rows that depend on or contradict one another).
#include "mortise/gauss/genetic.h"

#include <gtest/gtest.h>

#include "gauss/pendulum_motion.h"
#include "mortise/gauss/genetic_search.h"
#include "mortise/gauss/udwadia_kalaba.h"

namespace mortise::gauss::testing {
namespace {

using Variant = GeneticSettings::Variant;

GaussFunction function_of(const OwnedProblem& p) {
  GaussFunction f(p.pattern.n(), p.pattern.m());
  f.set_matrices(p.problem.dense_M(), p.problem.dense_A());
  f.set_right_sides(p.problem.Q, p.problem.b);
  return f;
}

GeneticSettings from_50(Variant variant, int runs) {
  GeneticSettings s;
  s.variant = variant;
  s.range = 50;
  s.runs = runs;
  return s;
}

// Of the source's instant, after exactly `settings.runs`, for seeds 1 … 20, in ascending order.
std::vector<double> errors_of_20_seeds(GeneticSettings settings) {
  const DoublePendulum p;
  GaussFunction f = function_of(p);
  std::vector<double> errors;
  for (settings.seed = 1; settings.seed <= 20; ++settings.seed) {
    const std::vector<SearchRun> table = table_of_runs(f, settings);
    const SearchRun& last = table.at(static_cast<std::size_t>(settings.runs));
    errors.push_back((last.a - DoublePendulum::exact()).cwiseAbs().maxCoeff());
  }
  std::sort(errors.begin(), errors.end());
  return errors;
}

// Strings at any angle, both turning.
void pose(DoublePendulum& p, int k) {
  const double t1 = 0.3 + 0.2 * k, t2 = 1 + 0.37 * k;
  const Eigen::Vector2d u1(std::sin(t1), std::cos(t1)), u2(std::sin(t2), std::cos(t2));
  const Eigen::Vector2d n1(std::cos(t1), -std::sin(t1)), n2(std::cos(t2), -std::sin(t2));
  Eigen::Vector4d q, v;
  q << u1, u1 + u2;
  v << 3 * n1, 3 * n1 - 2 * n2;
  p.set(q, v);
}

TEST(RandomBits, AreTheSameOnEveryMachine) {
  RandomBits a(1, 0), b(1, 1), c(2, 0);
  EXPECT_EQ(a.next(), 0x6ec85f1f8547bc0cu);
  EXPECT_EQ(b.next(), 0x5c5b2489b31beb7bu);
  EXPECT_EQ(c.next(), 0xae79f8b366208474u);
  double sum = 0, square = 0;
  for (int k = 0; k < 100000; ++k) {
    const double u = a.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    square += u * u;
    ASSERT_LT(b.below(7), 7u);
  }
  EXPECT_NEAR(sum / 1e5, 0.5, 4e-3);
  EXPECT_NEAR(square / 1e5, 1.0 / 3, 4e-3);
}

TEST(GeneticSearch, FindsTheDoublePendulumFromFiftyInEightRuns) {
  const std::vector<double> errors = errors_of_20_seeds(from_50(Variant::global, 8));
  RecordProperty("median", std::to_string(errors[10]));
  RecordProperty("worst", std::to_string(errors.back()));
  EXPECT_LT(errors[17], 1e-2) << "18 of 20 seeds";
  EXPECT_LT(errors[10], 1e-3);
}

TEST(GeneticSearch, FourIslandsFindItInTenRunsFromEverySeed) {
  const std::vector<double> errors = errors_of_20_seeds(from_50(Variant::island, 10));
  RecordProperty("median", std::to_string(errors[10]));
  RecordProperty("worst", std::to_string(errors.back()));
  EXPECT_LT(errors[10], 1e-5);
  EXPECT_LT(errors.back(), 1e-3);
}

TEST(GeneticSearch, ATorusOfCellsFindsItInEightRuns) {
  const std::vector<double> errors = errors_of_20_seeds(from_50(Variant::cellular, 8));
  RecordProperty("median", std::to_string(errors[10]));
  RecordProperty("worst", std::to_string(errors.back()));
  EXPECT_LT(errors.back(), 1e-2);
  EXPECT_LT(errors[10], 3e-4);
}

TEST(GeneticSearch, PrintsTheTableOfItsRuns) {
  const DoublePendulum p;
  GaussFunction f = function_of(p);
  const std::vector<SearchRun> table = table_of_runs(f, from_50(Variant::global, 8));
  ASSERT_GE(table.size(), 9u);
  EXPECT_EQ(table[0].a, Vector::Zero(4));
  // No acceleration: Z = ½·2·9.8², and rows missed by b.
  EXPECT_NEAR(table[0].Z1 / (96.04 + 1e8 * p.problem.b.squaredNorm()), 1, 1e-12);
  EXPECT_EQ(table[1].range, 50);
  EXPECT_EQ(table[1].weight, 10);
  EXPECT_EQ(table[8].weight, 1e8);
  for (std::size_t k = 1; k < table.size(); ++k) EXPECT_EQ(table[k].run, static_cast<int>(k));
  EXPECT_NEAR(table.back().Z1, 1070.2625, 1e-2);
  EXPECT_GE(table.back().Z1, 1070.2625 - 1e-4) << "never below the minimum";
  const std::string text = print(table);
  EXPECT_NE(text.find("Z1"), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), static_cast<long>(table.size()) + 1);
}

TEST(GeneticSearch, TheSameSeedGivesTheSameBitsOnAnyNumberOfThreads) {
  const DoublePendulum p;
  GaussFunction f = function_of(p);
  for (const Variant variant : {Variant::global, Variant::island, Variant::cellular}) {
    GeneticSettings settings = from_50(variant, 3);
    settings.threads = 1;
    const Vector one = table_of_runs(f, settings).back().a;
    for (const int threads : {2, 4}) {
      settings.threads = threads;
      EXPECT_EQ(table_of_runs(f, settings).back().a, one) << static_cast<int>(variant) << " " << threads;
    }
    settings.seed = 2;
    EXPECT_NE(table_of_runs(f, settings).back().a, one);
  }
}

TEST(GeneticSearch, FollowsTheAnswerBeyondItsRanges) {
  const DoublePendulum p;
  GaussFunction f = function_of(p);
  GeneticSettings settings = from_50(Variant::global, 12);
  settings.range = 0.5;  // the answer is 64 times as far
  EXPECT_LT((table_of_runs(f, settings).back().a - DoublePendulum::exact()).cwiseAbs().maxCoeff(), 1e-1);
}

TEST(Genetic, FindsEveryPoseAlikeAndItsForcesToo) {
  double worst = 0, worst_lambda = 0, penalty = 0;
  for (int k = 0; k < 20; ++k) {
    DoublePendulum p;
    pose(p, k);
    const Oracle truth = oracle(p);
    FormulationSettings settings;
    settings.seed = static_cast<unsigned>(k);
    const GaussSolution solution = solve(Genetic(settings), p);
    worst = std::max(worst, (solution.a - truth.a).cwiseAbs().maxCoeff());
    worst_lambda = std::max(worst_lambda, (solution.lambda - truth.lambda).cwiseAbs().maxCoeff());
    const Vector by_penalty = 2e8 * (p.problem.dense_A() * solution.a - p.problem.b);
    penalty = std::max(penalty, (by_penalty - truth.lambda).cwiseAbs().maxCoeff());
    EXPECT_EQ(solution.verdicts[0], RowVerdict::independent);
  }
  RecordProperty("a", std::to_string(worst));
  RecordProperty("lambda", std::to_string(worst_lambda));
  RecordProperty("lambda_by_penalty", std::to_string(penalty));
  EXPECT_LT(worst_lambda, 1e-2);
  EXPECT_GT(penalty, 10 * worst_lambda) << "why the forces are not taken from the penalty";
}

TEST(Genetic, AcceptsRedundantRowsAndNamesContradictoryOnes) {
  const DoublePendulum pendulum;
  OwnedProblem p;
  lay_out(p, {2, 2}, {1, 1, 1, 1});
  Matrix A = Matrix::Zero(4, 4);
  A.topRows(2) = pendulum.problem.dense_A();
  A.row(2) = A.row(0) + A.row(1);  // the fourth row has vanished
  p.fill(Matrix::Identity(4, 4), A);
  p.problem.Q = pendulum.problem.Q;
  p.problem.b << pendulum.problem.b, pendulum.problem.b.sum(), 0;
  GaussSolution solution = solve(Genetic(FormulationSettings{}), p);
  EXPECT_LT((solution.a - DoublePendulum::exact()).cwiseAbs().maxCoeff(), 1e-2);
  EXPECT_LT((solution.lambda - oracle(p).lambda).cwiseAbs().maxCoeff(), 1e-2);
  EXPECT_EQ(std::count(solution.verdicts.begin(), solution.verdicts.end(), RowVerdict::conflicting), 0);
  EXPECT_EQ(solution.verdicts[2], RowVerdict::redundant);
  EXPECT_EQ(solution.rank.rank, 2);

  p.problem.b[2] += 0.3;
  solution = solve(Genetic(FormulationSettings{}), p);
  EXPECT_LT((solution.a - oracle(p).a).cwiseAbs().maxCoeff(), 1e-2) << "the compromise";
  EXPECT_EQ(solution.verdicts[2], RowVerdict::conflicting);
  EXPECT_EQ(solution.verdicts[3], RowVerdict::vanished);
}

TEST(Genetic, NeedsNoMassWhereTheConstraintsHold) {
  OwnedProblem p;
  lay_out(p, {3}, {1});
  Matrix M = Matrix::Zero(3, 3), A(1, 3);
  M(0, 0) = 2;
  M(1, 1) = 1;
  A << 0, 1, -2;  // the third coordinate is a massless pulley on the second
  p.fill(M, A);
  p.problem.Q << 3, 4, -1;
  p.problem.b << 0.5;
  // M a + Aᵀλ = Q: λ = ½, a₂ = 4 − ½, a₃ = (a₂ − ½)/2.
  const GaussSolution solution = solve(Genetic(FormulationSettings{}), p);
  EXPECT_LT((solution.a - Eigen::Vector3d(1.5, 3.5, 1.5)).cwiseAbs().maxCoeff(), 1e-2);
  EXPECT_NEAR(solution.lambda[0], 0.5, 1e-2);

  A << 1, 1, 0;
  p.fill(M, A);
  const auto factor = Genetic(FormulationSettings{}).prepare(p.pattern);
  EXPECT_FALSE(factor->factor(p.problem, {}));
  EXPECT_EQ(factor->refusal().kind, Refusal::Kind::not_unique);
  EXPECT_EQ(factor->refusal().missing, 1);
}

TEST(Genetic, ContinuesFromTheLastAcceptedStepUntilItForgets) {
  DoublePendulum p;
  const auto factor = Genetic(FormulationSettings{}).prepare(p.pattern);
  const auto look = [&] {
    GaussSolution solution;
    EXPECT_TRUE(factor->factor(p.problem, {}));
    factor->solve(as_span(p.problem.Q), as_span(p.problem.b), solution);
    return solution.a;
  };
  const Vector first = look();
  const double cold = factor->flops();
  EXPECT_EQ(look(), first) << "a solve between steps is a function of its arguments";
  factor->step_accepted();
  const Vector second = look();
  EXPECT_LT(factor->flops(), 0.6 * cold);
  EXPECT_NE(second, first);
  EXPECT_LT((second - DoublePendulum::exact()).cwiseAbs().maxCoeff(), 0.3);
  factor->forget();
  EXPECT_EQ(look(), first);
}

TEST(Genetic, FindsSmallStepsOfAProjectionAsWellAsAccelerations) {
  DoublePendulum p;
  pose(p, 3);
  const auto factor = Genetic(FormulationSettings{}).prepare(p.pattern);
  GaussSolution solution;
  ASSERT_TRUE(factor->factor(p.problem, {}));
  factor->solve(as_span(p.problem.Q), as_span(p.problem.b), solution);
  factor->step_accepted();
  p.problem.Q.setZero();
  p.problem.b << 3e-9, -1e-9;
  factor->solve(as_span(p.problem.Q), as_span(p.problem.b), solution);
  EXPECT_LT((solution.a - oracle(p).a).cwiseAbs().maxCoeff(), 1e-3 * 3e-9);
}

TEST(Genetic, DoesNotTurnWhatIsNotANumberIntoOne) {
  DoublePendulum p;
  p.problem.b[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(std::isfinite(solve(Genetic(FormulationSettings{}), p).a.sum()));
}

TEST(Genetic, FollowsTheDoublePendulumForASecond) {
  const Eigen::Vector2d truth = swing(UdwadiaKalaba(), 1e-3, 1000).angles();
  const Eigen::Vector2d found = swing(Genetic(FormulationSettings{}), 1e-2, 100).angles();
  RecordProperty("angle_error", std::to_string((found - truth).cwiseAbs().maxCoeff()));
  EXPECT_LT((found - truth).cwiseAbs().maxCoeff(), 1e-3);  // rad
}

TEST(Genetic, RefusesPopulationsItCannotArrange) {
  const DoublePendulum p;
  GeneticSettings settings;
  settings.variant = Variant::cellular;
  settings.population = 90;
  EXPECT_THROW(Genetic(settings).prepare(p.pattern), std::invalid_argument);
  settings.population = 2;
  EXPECT_THROW(Genetic(settings).prepare(p.pattern), std::invalid_argument);
}

}  // namespace
}  // namespace mortise::gauss::testing
