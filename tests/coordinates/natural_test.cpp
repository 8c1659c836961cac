// Natural partitioning: B A = 0 on every example, γ, the ways to the accelerations against one another and against the
// absolute solution, reactions from the leaves to the roots, and the other forms of the same equations.
#include "mortise/coordinates/natural.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <cstdio>
#include <filesystem>

#include "coordinates/random_machines.h"
#include "mortise/analysis/assemble.h"
#include "support/allocation_counter.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

using coordinates::CoordinateSettings;
using coordinates::Natural;

// A mechanism at an admissible state, described by both.
struct Pair {
  std::unique_ptr<Mechanism> mechanism;
  std::unique_ptr<Natural> natural;
  State absolute, mapped;
  std::unique_ptr<Probe> probe, own;

  Pair(std::unique_ptr<Mechanism> m, const State& start, const CoordinateSettings& settings) : mechanism(std::move(m)) {
    natural = std::make_unique<Natural>(*mechanism, start, settings);
    natural->lower(start, mapped);
    natural->lift(mapped, absolute);
    probe = std::make_unique<Probe>(*mechanism);
    own = std::make_unique<Probe>(*natural);
  }

  Vector lifted(const Vector& rates) const {
    State state = mapped, out;
    state.v = rates;
    natural->lift(state, out);
    return out.v;
  }
  Matrix null_space() const {
    Matrix A(mechanism->v_size(), natural->v_size());
    for (int k = 0; k < A.cols(); ++k) A.col(k) = lifted(Vector::Unit(A.cols(), k));
    return A;
  }
  std::vector<int> fulfilled() const {
    std::vector<unsigned char> kept(index(mechanism->pattern().m()), 0);
    for (const int row : natural->absolute_rows()) kept[index(row)] = 1;
    std::vector<int> out;
    for (int i = 0; i < mechanism->pattern().m(); ++i)
      if (!kept[index(i)]) out.push_back(i);
    return out;
  }
  gauss::GaussSolution solve() const {
    const gauss::Formulation* formulation = natural->formulation();
    const auto factor = formulation->prepare(natural->pattern());
    gauss::GaussSolution solution;
    solution.resize(natural->pattern());
    const Evaluation& e = (*own)(mapped);
    EXPECT_TRUE(factor->factor(e.problem, {}));
    factor->solve(as_span(e.problem.Q), as_span(e.problem.b), solution);
    return solution;
  }
};

CoordinateSettings by(const char* accelerations, const char* preconditioner = "branches") {
  CoordinateSettings settings;
  settings.accelerations = accelerations;
  settings.preconditioner = preconditioner;
  settings.tolerance = 1e-13;
  return settings;
}

std::vector<std::string> example_names() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(MORTISE_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".yaml") out.push_back(entry.path().stem());
  std::sort(out.begin(), out.end());
  return out;
}

template <class Check>
void for_each_machine_by(const CoordinateSettings& settings, int count, const Check& check) {
  Random random(2025);
  for (int k = 0; k < count; ++k) {
    const int dimension = k % 4 == 3 ? 2 : 3;
    const std::string text = random_machine(random, dimension, 2 + k % 6, k % 3 % dimension);
    SCOPED_TRACE(text);
    auto m = compile(text);
    const State start = admissible_state(*m, random);
    Pair pair(std::move(m), start, settings);
    check(pair, random);
  }
}

Vector absolute_solution(const Pair& pair, Vector& lambda) {
  const Evaluation& e = (*pair.probe)(pair.absolute);
  gauss::GaussSolution solution;
  solution.resize(pair.mechanism->pattern());
  const auto factor = gauss::make_formulation("udwadia-kalaba")->prepare(pair.mechanism->pattern());
  EXPECT_TRUE(factor->factor(e.problem, {}));
  factor->solve(as_span(e.problem.Q), as_span(e.problem.b), solution);
  lambda = solution.lambda;
  return solution.a;
}

// B A of the rows that the tree fulfils, each row relative to its length.
double worst_product(const Matrix& B, const Matrix& A) {
  double worst = 0;
  for (int i = 0; i < B.rows(); ++i)
    for (int k = 0; k < A.cols(); ++k) {
      const double size = std::max(1.0, (B.row(i).cwiseAbs() * A.col(k).cwiseAbs()).value());
      worst = std::max(worst, std::abs(B.row(i).dot(A.col(k))) / size);
    }
  return worst;
}

TEST(Natural, RowsOfTheTreeVanishOnEveryExampleAndThoseOfLoopsOnTheSecondNullSpace) {
  double on_tree = 0, on_loops = 0;
  int examples = 0, loops = 0;
  for (const std::string& name : example_names()) {
    std::unique_ptr<Mechanism> m;
    State start;
    try {
      m = compile_example(name);
      if (m->bodies().size() > 40) continue;
      start = m->initial_state();
      analysis::assemble(*m, start, {});
    } catch (const std::runtime_error&) {
      continue;  // an example of a mistake
    }
    SCOPED_TRACE(name);
    Pair pair(std::move(m), start, by("recursion"));
    const Matrix all = (*pair.probe)(pair.absolute).problem.dense_A(), A = pair.null_space();
    const std::vector<int> rows = pair.fulfilled();
    Matrix B(static_cast<Eigen::Index>(rows.size()), all.cols());
    for (std::size_t i = 0; i < rows.size(); ++i) B.row(static_cast<Eigen::Index>(i)) = all.row(rows[i]);
    const double off = worst_product(B, A);
    EXPECT_LT(off, 1e-13);
    on_tree = std::max(on_tree, off);
    ++examples;
    if (pair.natural->pattern().m() == 0) continue;
    const Matrix G = (*pair.own)(pair.mapped).problem.dense_A();
    Eigen::JacobiSVD<Matrix> svd(G, Eigen::ComputeFullV);
    svd.setThreshold(1e-9);
    const Matrix N = svd.matrixV().rightCols(G.cols() - svd.rank());
    const double closed = worst_product(all, A * N);
    EXPECT_LT(closed, 1e-13);
    on_loops = std::max(on_loops, closed);
    ++loops;
  }
  std::printf("B A: %.1e on %d examples, %.1e on the loops of %d\n", on_tree, examples, on_loops, loops);
  EXPECT_GT(examples, 30);
  EXPECT_GT(loops, 15);
}

TEST(Natural, SpansTheNullSpaceThatSingularValuesFind) {
  double angle = 0;
  for_each_machine_by(by("recursion"), 40, [&](Pair& pair, Random&) {
    const Matrix all = (*pair.probe)(pair.absolute).problem.dense_A(), A = pair.null_space();
    const std::vector<int> rows = pair.fulfilled();
    if (rows.empty()) return;
    Matrix B(static_cast<Eigen::Index>(rows.size()), all.cols());
    for (std::size_t i = 0; i < rows.size(); ++i) B.row(static_cast<Eigen::Index>(i)) = all.row(rows[i]);
    Eigen::JacobiSVD<Matrix> svd(B, Eigen::ComputeFullV);
    svd.setThreshold(1e-10);
    ASSERT_EQ(B.cols() - svd.rank(), A.cols());
    if (A.cols() == 0) return;
    const Matrix N = svd.matrixV().rightCols(A.cols());
    const Matrix Q = Eigen::HouseholderQR<Matrix>(A).householderQ() * Matrix::Identity(A.rows(), A.cols());
    // Sine of the largest angle between the two.
    const Matrix apart = Q - N * (N.transpose() * Q);
    angle = std::max(angle, apart.norm());
  });
  std::printf("largest angle %.1e\n", angle);
  EXPECT_LT(angle, 1e-12);
}

TEST(Natural, BiasIsWhatTheRowsAskForAndTheRateOfA) {
  double rows = 0, rate = 0;
  for_each_machine_by(by("recursion"), 40, [&](Pair& pair, Random& random) {
    pair.mapped.v = random_vector(random, pair.natural->v_size(), 1);
    pair.natural->lift(pair.mapped, pair.absolute);
    (*pair.own)(pair.mapped);
    Vector gamma(pair.mechanism->v_size());
    const Vector zero = Vector::Zero(pair.natural->v_size());
    pair.natural->lift_acceleration(as_span(zero), *pair.own->scratch, as_span(gamma));
    const Evaluation& e = (*pair.probe)(pair.absolute);
    const Vector left = e.problem.dense_A() * gamma - e.problem.b;
    for (const int i : pair.fulfilled()) rows = std::max(rows, std::abs(left[i]) / (1 + std::abs(e.problem.b[i])));
    const auto velocity = [&](double h) -> Vector {
      const State state = along(*pair.natural, pair.mapped, zero, h);
      State out;
      pair.natural->lift(state, out);
      return out.v;
    };
    rate = std::max(rate, difference(derivative(velocity, 1e-3), gamma));
  });
  std::printf("B γ + Ḃ u̇: %.1e; γ off dA/dt by %.1e\n", rows, rate);
  EXPECT_LT(rows, 1e-12);
  EXPECT_LT(rate, 1e-9);
}

TEST(Natural, EveryWayGivesTheAbsoluteAccelerations) {
  for (const auto& settings : {by("recursion"), by("factor"), by("conjugate-gradients", "none"),
                               by("conjugate-gradients", "branches"), by("conjugate-gradients", "lagged")}) {
    double worst = 0, rows = 0;
    for_each_machine_by(settings, 40, [&](Pair& pair, Random&) {
      Vector lambda;
      const Vector wanted = absolute_solution(pair, lambda);
      const gauss::GaussSolution own = pair.solve();
      Vector a(wanted.size()), all(lambda.size());
      pair.natural->lift_solution(as_span(own.a), as_span(own.lambda), *pair.own->scratch, as_span(a), as_span(all));
      worst = std::max(worst, difference(a, wanted));
      // Reactions: M a + Bᵀλ = Q, and where they are unique they are the absolute ones.
      const gauss::GaussProblem& p = (*pair.probe)(pair.absolute).problem;
      Vector forces(a.size()), Ma(a.size());
      p.multiply_At(as_span(all), as_span(forces));
      p.multiply_M(as_span(a), as_span(Ma));
      rows = std::max(rows, difference(Ma + forces, p.Q));
      EXPECT_LT(difference(all, lambda), 1e-9);
    });
    std::printf("%s %s: accelerations off by %.1e, equations of motion by %.1e\n", settings.accelerations.c_str(),
                settings.preconditioner.c_str(), worst, rows);
    EXPECT_LT(worst, 1e-11);
    EXPECT_LT(rows, 1e-10);
  }
}

// (4.1) the saddle system, (4.2) the unsymmetric one, (4.3) the arrow head, (3.1.9) the matrix M* itself.
TEST(Natural, FourFormsOfTheEquationsAgree) {
  double worst = 0;
  int compared = 0;
  for_each_machine_by(by("recursion"), 80, [&](Pair& pair, Random&) {
    if (pair.natural->pattern().m() > 0) return;
    const gauss::GaussProblem& p = (*pair.probe)(pair.absolute).problem;
    const Matrix M = p.dense_M(), B = p.dense_A(), A = pair.null_space();
    const Vector F = p.Q;
    (*pair.own)(pair.mapped);
    Vector gamma(A.rows());
    const Vector zero = Vector::Zero(A.cols());
    pair.natural->lift_acceleration(as_span(zero), *pair.own->scratch, as_span(gamma));
    const auto n = M.rows(), m = B.rows(), f = A.cols();

    Matrix saddle = Matrix::Zero(n + m, n + m);
    saddle << M, B.transpose(), B, Matrix::Zero(m, m);
    Vector right(n + m);
    right << F, p.b;
    const Vector first = saddle.fullPivLu().solve(right).head(n);
    Matrix tall(f + m, n);
    tall << A.transpose() * M, B;
    Vector tall_right(f + m);
    tall_right << A.transpose() * F, p.b;
    const Vector second = tall.fullPivLu().solve(tall_right);
    Matrix arrow = Matrix::Zero(n + f, n + f);
    arrow << -M, M * A, A.transpose() * M, Matrix::Zero(f, f);
    Vector arrow_right(n + f);
    arrow_right << -M * gamma, A.transpose() * F;
    const Vector third = arrow.fullPivLu().solve(arrow_right).head(n);
    const Matrix reduced = A.transpose() * M * A;
    EXPECT_LT((reduced - reduced.transpose()).norm(), 1e-14 * reduced.norm());
    const Eigen::LLT<Matrix> cholesky(reduced);
    ASSERT_TRUE(f == 0 || cholesky.info() == Eigen::Success);
    const Vector fourth = A * cholesky.solve(A.transpose() * (F - M * gamma)) + gamma;
    const gauss::GaussSolution own = pair.solve();
    Vector fifth(n);
    pair.natural->lift_acceleration(as_span(own.a), *pair.own->scratch, as_span(fifth));
    for (const Vector& x : {second, third, fourth, fifth}) worst = std::max(worst, difference(x, first));
    // M* by its sweeps.
    EXPECT_LT((pair.own->evaluation.problem.dense_M() - reduced).norm(), 1e-13 * reduced.norm());
    ++compared;
  });
  std::printf("(4.1), (4.2), (4.3), (3.1.9), recursion: %.1e apart in %d mechanisms\n", worst, compared);
  EXPECT_GT(compared, 10);
  EXPECT_LT(worst, 1e-11);
}

TEST(Natural, EvaluatesAndSolvesWithoutAllocating) {
  if (!allocations_are_counted()) GTEST_SKIP();
  for (const auto& settings : {by("recursion"), by("factor"), by("conjugate-gradients", "lagged")})
    for_each_machine_by(settings, 8, [&](Pair& pair, Random&) {
      const auto factor = pair.natural->formulation()->prepare(pair.natural->pattern());
      gauss::GaussSolution solution;
      solution.resize(pair.natural->pattern());
      for (int pass = 0; pass < 2; ++pass) {
        const AllocationCounter counter;
        const Evaluation& e = (*pair.own)(pair.mapped);
        factor->factor(e.problem, {});
        factor->solve(as_span(e.problem.Q), as_span(e.problem.b), solution);
        EXPECT_TRUE(pass == 0 || counter.count() == 0) << settings.accelerations;
      }
    });
}

TEST(Natural, CutsTheVehicleWhereTheSheetDoes) {
  const auto m = compile_example("vehicle-drop");
  const auto system = Natural(*m, m->initial_state(), by("recursion"));
  EXPECT_EQ(system.v_size(), 26);
  EXPECT_EQ(system.pattern().m(), 16);
  EXPECT_EQ(system.shape().largest_trunk(), 6);
  EXPECT_EQ(system.shape().parts(), 9);
  const std::vector<std::string> remarks = system.remarks();
  ASSERT_EQ(remarks.size(), 3u);
  EXPECT_EQ(remarks[0].substr(0, 44), "26 independent velocities: chassis (free) 6,");
  EXPECT_EQ(remarks[1].substr(0, 31), "cut, 12 rows, closes a loop: fl");
}

TEST(Natural, SaysWhenConjugateGradientsDoNotArrive) {
  // Masses over ten orders of magnitude, nothing that evens them out, and asked for what no sum can give.
  std::string text = "mortise: 1\ndimension: spatial\ngravity: [0, 1, -9.81]\nbodies:\n", joints = "joints:\n";
  for (int k = 0; k < 20; ++k) {
    const double m = std::pow(10.0, k % 3 == 0 ? 5 : -5);
    text += fmt::format("  b{}: {{mass: {}, inertia: [{}, {}, {}], at: [{}, 0, 0]}}\n", k, m, 0.01 * m, 0.08 * m,
                        0.09 * m, k + 0.5);
    joints += fmt::format("  j{}: {{type: spherical, between: [{}, b{}], at: [{}, 0, 0]}}\n", k,
                          k == 0 ? "ground" : fmt::format("b{}", k - 1), k, k);
  }
  auto m = compile(text + joints);
  const State start = m->initial_state();
  CoordinateSettings settings = by("conjugate-gradients", "none");
  settings.tolerance = 0;
  Pair pair(std::move(m), start, settings);
  try {
    pair.solve();
    FAIL() << "arrived";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S490");
    EXPECT_NE(error.report().message.find("steps"), std::string::npos) << error.report().message;
  }
}

TEST(Natural, RefusesAFactorThatWouldNotFit) {
  const auto m = compile_example("chain-spatial", {"N=20000"});  // code M488
  try {
    const Natural natural(*m, m->initial_state(), by("factor"));
    FAIL() << "a factor of gigabytes";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.diagnostics().front().code, "M488");
  }
}

TEST(Natural, RefusesABodyThatMovesWithoutMassByName) {
  const auto m = compile(R"(mortise: 1
dimension: spatial
bodies:
  arm: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [0.5, 0, 0]}
  ghost: {mass: 0, inertia: [0, 0, 0], at: [1, 0, 0]}
joints:
  A: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}
  B: {type: revolute, between: [arm, ghost], at: [1, 0, 0], axis: [0, 1, 0]}
analysis: {coordinates: natural}
)");
  Recorder recorder;
  try {
    run(*m, recorder);
    FAIL() << "a motion without mass was accelerated";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S420");
    EXPECT_NE(error.report().message.find("ghost"), std::string::npos) << error.report().message;
  }
}

}  // namespace
}  // namespace mortise::test
