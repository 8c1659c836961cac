// The examples of specs/orthogonal-complement.md §4 at single instants: closed forms, data, singular choices.
#include "support/blajer.h"

#include <gtest/gtest.h>

#include <random>

#include "mortise/gauss/gigsp.h"
#include "mortise/gauss/orthogonal_complement.h"
#include "mortise/gauss/udwadia_kalaba.h"

namespace mortise::test {
namespace {

using namespace gauss;
using Form = OrthogonalComplement::Form;
using Coordinates = BlajerLine::Coordinates;

constexpr double degree = std::numbers::pi / 180;
constexpr double line_c = 1.0538661936;

struct Solved {
  GaussSolution solution;
  Matrix N;
  std::vector<int> y;
};

Solved solve(Instant& at, const std::vector<int>& y = {}, Form form = Form::minimal) {
  OrthogonalComplementFactor factor(at.system.pattern(), form);
  factor.set_complementary(y);
  EXPECT_TRUE(factor.factor(at.problem(), {}));
  Solved out;
  factor.solve(as_span(at.problem().Q), as_span(at.problem().b), out.solution);
  out.N = factor.basis();
  out.y = factor.complementary();
  return out;
}

GaussSolution by(const Formulation& formulation, Instant& at) {
  const auto factor = formulation.prepare(at.system.pattern());
  EXPECT_TRUE(factor->factor(at.problem(), {}));
  GaussSolution s;
  factor->solve(as_span(at.problem().Q), as_span(at.problem().b), s);
  return s;
}

Matrix J_extended(const LocalRows& local, const std::vector<int>& y) {
  Matrix J = Matrix::Zero(3, 3);
  J.topRows(local.k()) = local.J;
  for (std::size_t i = 0; i < y.size(); ++i) J(local.k() + static_cast<int>(i), y[i]) = 1;
  return J;
}

double condition(const Matrix& J) {
  const Vector sigma = Eigen::JacobiSVD<Matrix>(J).singularValues();
  return sigma[0] / sigma[sigma.size() - 1];
}

std::vector<std::vector<int>> choices(int k) {
  if (k == 1) return {{1, 2}, {0, 2}, {0, 1}};
  return {{0}, {1}, {2}};
}

std::vector<std::unique_ptr<ChainSystem>> all_systems() {
  std::vector<std::unique_ptr<ChainSystem>> out;
  out.push_back(std::make_unique<BlajerFourBar>(false));
  out.push_back(std::make_unique<BlajerFourBar>(true));
  out.push_back(std::make_unique<BlajerLine>(Coordinates::two, 30 * degree, line_c));
  out.push_back(std::make_unique<BlajerLine>(Coordinates::normal, 30 * degree, line_c));
  return out;
}

// O-A1
TEST(Blajer, BasisIsOrthogonalToTheRowsForEveryAdmissibleChoice) {
  std::mt19937 random(81);
  std::uniform_real_distribution<double> angle(-3, 3);
  double worst = 0, against_inverse = 0;
  int tried = 0;
  for (const auto& system : all_systems())
    for (int trial = 0; trial < 50; ++trial) {
      Instant at(*system, Eigen::Vector3d(angle(random), angle(random), angle(random)), Vector::Zero(3));
      const int k = at.local().k();
      for (const auto& y : choices(k)) {
        const Matrix J = J_extended(at.local(), y);
        if (condition(J) > 20) continue;
        ++tried;
        const Solved s = solve(at, y);
        ASSERT_EQ(s.y, y);
        Matrix D = Matrix::Zero(3, s.N.cols());
        const LocalMatrix& local = at.local().points[0].at.D;
        D.topLeftCorner(k, local.rows()) = local.transpose();
        D.bottomRightCorner(3 - k, 3 - k).setIdentity();
        worst = std::max(worst, (at.problem().dense_A() * s.N).cwiseAbs().maxCoeff());
        against_inverse = std::max(against_inverse, (s.N - J.inverse() * D).cwiseAbs().maxCoeff());
      }
    }
  EXPECT_GT(tried, 400);
  EXPECT_LT(worst, 1e-13);
  EXPECT_LT(against_inverse, 1e-13);
}

// O-A2: (25a), (25b), (33a), (33b).
TEST(Blajer, ClosedFormsOfTheSourceAreTheComputedBasis) {
  std::mt19937 random(83);
  std::uniform_real_distribution<double> angle(-3, 3);
  const ChainData data;
  const Eigen::Vector3d& l = data.l;
  const double alpha = 30 * degree, tangent = std::tan(alpha);
  const auto systems = all_systems();
  int printed_fails = 0, tried = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Vector q = Eigen::Vector3d(angle(random), angle(random), angle(random));
    const double s31 = std::sin(q[2] - q[0]), p31 = std::sin(q[2] + q[0]), c1 = std::cos(q[0] - alpha);
    if (std::min({std::abs(s31), std::abs(p31), std::abs(c1)}) < 0.1) continue;
    ++tried;
    const Eigen::Vector3d D_25a(-l[1] * std::sin(q[2] - q[1]) / (l[0] * s31), 1,
                                -l[1] * std::sin(q[1] - q[0]) / (l[2] * s31));
    const Eigen::Vector3d D_25b(-l[1] * std::sin(q[2] + q[1]) / (l[0] * p31), 1,
                                -l[1] * std::sin(q[1] - q[0]) / (l[2] * p31));
    Matrix D_33a(3, 2), D_33b(3, 2);
    D_33a << (std::cos(q[2]) + std::sin(q[2]) * tangent) / (l[0] * s31), D_25a[0], 0, D_25a[1],
        -(std::cos(q[0]) + std::sin(q[0]) * tangent) / (l[2] * s31), D_25a[2];
    D_33b << -l[1] * std::cos(q[1] - alpha) / (l[0] * c1), -l[2] * std::cos(q[2] - alpha) / (l[0] * c1), 1, 0, 0, 1;
    Instant a(*systems[0], q, Vector::Zero(3)), b(*systems[1], q, Vector::Zero(3)),
        line_a(*systems[2], q, Vector::Zero(3)), line_b(*systems[3], q, Vector::Zero(3));
    ASSERT_LT((solve(a, {1}).N - D_25a).norm(), 1e-13 * D_25a.norm());
    ASSERT_LT((solve(b, {1}).N - D_25b).norm(), 1e-13 * D_25b.norm());
    ASSERT_LT((solve(line_a, {1}).N - D_33a).norm(), 1e-13 * D_33a.norm());
    const Matrix N = solve(line_b, {1, 2}).N;
    ASSERT_LT((N - D_33b).norm(), 1e-13 * D_33b.norm());
    D_33b(0, 1) = -D_33b(0, 1);  // as printed
    printed_fails += (line_b.problem().dense_A() * D_33b).norm() > 0.05;
  }
  EXPECT_GT(tried, 100);
  EXPECT_GT(printed_fails, 9 * tried / 10);
}

// O-A3, O-A4, O-A10
TEST(Blajer, FourBarDataAreThoseOfTheSheet) {
  const BlajerFourBar system;
  EXPECT_NEAR(system.pivot()[0], 1.732472389, 1e-9);
  EXPECT_NEAR(system.pivot()[1], -0.216656461, 1e-9);
  Instant start(system, blajer_pose(), Vector::Zero(3));
  const Vector v = 1.5 * solve(start, {1}).N.col(0);
  EXPECT_LT((v - Eigen::Vector3d(-1.542690263, 1.5, -0.923076923)).cwiseAbs().maxCoeff(), 1e-9);
  Instant at(system, blajer_pose(), v);
  EXPECT_NEAR(at.evaluation.kinetic + at.evaluation.potential, 17.992681005, 1e-9);
  const GaussSolution gigsp = by(Gigsp(), at), uk = by(UdwadiaKalaba(), at);
  const std::array<Eigen::Vector3d, 3> D{Eigen::Vector3d(1, -.972327, .598355), Eigen::Vector3d(-1.028460, 1, -.615385),
                                         Eigen::Vector3d(1.671248, -1.625, 1)};
  for (int y = 0; y < 3; ++y) {
    const Solved s = solve(at, {y}), stacked = solve(at, {y}, Form::stacked);
    EXPECT_LT((s.N - D[static_cast<std::size_t>(y)]).norm(), 2e-6);
    EXPECT_LT((s.solution.a - Eigen::Vector3d(-3.460994570, 3.504215054, 0.680210062)).cwiseAbs().maxCoeff(), 1e-9);
    const Vector reaction = local_reactions(at.local(), as_span(s.solution.lambda));
    EXPECT_LT((reaction - Eigen::Vector2d(-3.130967197, 14.418582678)).cwiseAbs().maxCoeff(), 1e-9);
    for (const GaussSolution* other : {&gigsp, &uk, &stacked.solution}) {
      EXPECT_LT((s.solution.a - other->a).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LT((s.solution.lambda - other->lambda).cwiseAbs().maxCoeff(), 1e-12);
    }
    // (37) as it should be: J′⁻ᵀ of the reaction of constraint j is that constraint alone, in its local frame.
    const Matrix J = J_extended(at.local(), {y}), A = at.problem().dense_A();
    for (int j = 0; j < 2; ++j) {
      const Vector r = -A.row(j).transpose() * s.solution.lambda[j], in_frame = J.transpose().inverse() * r;
      EXPECT_NEAR(in_frame[j], -s.solution.lambda[j], 1e-12);
      EXPECT_NEAR(in_frame[1 - j], 0, 1e-12);
      EXPECT_NEAR(in_frame[2], 0, 1e-12);
      EXPECT_GT((J.inverse() * r - in_frame).norm(), 0.1) << "the printed form, without the transpose, is wrong";
    }
  }
  // (38), direct elimination
  const Matrix M = at.problem().dense_M(), A = at.problem().dense_A(), W = M.inverse() * A.transpose();
  const Vector a_f = M.inverse() * at.problem().Q;
  const Vector direct = a_f + W * (A * W).inverse() * (at.problem().b - A * a_f);
  EXPECT_LT((direct - gigsp.a).norm(), 1e-12);
}

// O-A5, first half, and O-A6.
TEST(Blajer, ParallelLinksDecideWhichCoordinateMayBeComplementary) {
  const BlajerFourBar system;
  Instant parallel(system, Eigen::Vector3d(40, -20, 40) * degree, Vector::Zero(3));
  EXPECT_EQ(solve(parallel).y, (std::vector<int>{0}));
  OrthogonalComplementFactor fixed(system.pattern(), Form::minimal);
  fixed.set_complementary({1});
  EXPECT_FALSE(fixed.factor(parallel.problem(), {}) && fixed.condition() < 1e12) << "θ₂ is singular here";
  for (double other = -180; other < 180; other += 7) {
    Instant at(system, Eigen::Vector3d(40, other, 40) * degree, Vector::Zero(3));
    if (std::abs(std::sin((other - 40) * degree)) > 0.05) {
      EXPECT_NE(solve(at).y, (std::vector<int>{1})) << other;
    }
  }
  const auto factor_condition = [&](int y) {
    Matrix J2(2, 2);
    for (int j = 0, c = 0; j < 3; ++j)
      if (j != y) J2.col(c++) = parallel.local().J.col(j);
    return condition(J2);
  };
  EXPECT_NEAR(factor_condition(0), 2.11, 0.005);
  EXPECT_NEAR(factor_condition(2), 1.82, 0.005);

  Instant all(system, Eigen::Vector3d(40, 40, 40) * degree, Vector::Zero(3));
  const Solved s = solve(all);
  EXPECT_EQ(s.solution.rank.rank, 1);
  EXPECT_EQ(std::count(s.solution.verdicts.begin(), s.solution.verdicts.end(), RowVerdict::redundant) +
                std::count(s.solution.verdicts.begin(), s.solution.verdicts.end(), RowVerdict::conflicting),
            1);
  EXPECT_EQ(s.N.cols(), 2);
}

// A crank-rocker through a full turn. Where crank and coupler are in line, θ₃ cannot be complementary.
TEST(Blajer, BasisHoldsThroughAFullTurnOfTheCrank) {
  ChainData data;
  data.l = {0.4, 1, 0.8};
  const BlajerFourBar system(false, data, {1, 0});
  OrthogonalComplementFactor factor(system.pattern(), Form::minimal);
  double worst = 0, worst_condition = 0;
  int changes = 0, singular = 0;
  std::vector<int> last;
  const auto visit = [&](double crank, double coupler_minus_crank_known) {
    // Joint 2 seen from the far pivot: two sides and the distance between give the other angles.
    const Eigen::Vector2d p(data.l[0] * std::cos(crank), data.l[0] * std::sin(crank)), to = system.pivot() - p;
    const double d = to.norm(), base = std::atan2(to[1], to[0]);
    const double up = std::acos((data.l[1] * data.l[1] + d * d - data.l[2] * data.l[2]) / (2 * data.l[1] * d));
    const double coupler = std::isnan(coupler_minus_crank_known) ? base + up : crank + coupler_minus_crank_known;
    const Eigen::Vector2d left = to - data.l[1] * Eigen::Vector2d(std::cos(coupler), std::sin(coupler));
    const Vector q = Eigen::Vector3d(crank, coupler, std::atan2(left[1], left[0]));
    Instant at(system, q, Vector::Zero(3));
    ASSERT_LT(at.evaluation.phi.norm(), 1e-12);
    ASSERT_TRUE(factor.factor(at.problem(), {}));
    worst = std::max(worst, (at.problem().dense_A() * factor.basis()).cwiseAbs().maxCoeff());
    worst_condition = std::max(worst_condition, factor.condition());
    changes += !last.empty() && last != factor.complementary();
    last = factor.complementary();
    OrthogonalComplementFactor fixed(system.pattern(), Form::minimal);
    fixed.set_complementary({2});
    singular += !fixed.factor(at.problem(), {}) || fixed.condition() > 1e12;
  };
  for (int k = 0; k < 360; ++k) visit((k + 0.5) * degree, std::nan(""));
  // Crank and coupler in line: a triangle with the sides 1 ± 0.4, 0.8 and 1.
  const double stretched = std::acos((1.4 * 1.4 + 1 - 0.64) / (2 * 1.4)), folded = std::acos((0.36 + 1 - 0.64) / 1.2);
  visit(-stretched, 0);
  visit(std::numbers::pi - folded, std::numbers::pi);
  EXPECT_EQ(singular, 2) << "a fixed θ₃ fails at both dead centres";
  EXPECT_LT(worst, 1e-13);
  EXPECT_LT(worst_condition, 100);
  RecordProperty("changes", changes);
}

// O-A8
TEST(Blajer, LineDataAreThoseOfTheSheetInBothLocalCoordinates) {
  const double alpha = 30 * degree;
  const BlajerLine two(Coordinates::two, alpha, line_c), normal(Coordinates::normal, alpha, line_c);
  const Vector v = Eigen::Vector3d(-0.9983834289, 1, -0.5);
  Instant a(two, blajer_pose(), v), b(normal, blajer_pose(), v);
  EXPECT_NEAR(a.evaluation.phi[0], 0, 1e-9);
  EXPECT_NEAR(b.evaluation.phi[0], 0, 1e-9);
  EXPECT_NEAR(b.evaluation.phidot[0], 0, 1e-9);
  const Solved in_two = solve(a, {1}), in_one = solve(b, {1, 2});
  const Eigen::Vector3d acceleration(-3.8799249191, 1.6151673033, -9.0838447309);
  EXPECT_LT((in_two.solution.a - acceleration).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((in_one.solution.a - acceleration).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_NEAR(-in_two.solution.lambda[0], 10.8614021567, 1e-9);
  EXPECT_NEAR(-in_one.solution.lambda[0], -12.5416669179, 1e-9);
  EXPECT_NEAR(in_one.solution.lambda[0], -in_two.solution.lambda[0] / std::cos(alpha), 1e-12);
  Matrix D_a(3, 2), D_b(3, 2);
  D_a << 0.2617493620, -1.0284601755, 0, 1, 1.0041594533, -0.6153846154;
  D_b << -0.8680508601, 0.2606651375, 1, 0, 0, 1;
  EXPECT_LT((in_two.N - D_a).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((in_one.N - D_b).cwiseAbs().maxCoeff(), 1e-9);
  const Vector force_a = a.problem().dense_A().transpose() * in_two.solution.lambda,
               force_b = b.problem().dense_A().transpose() * in_one.solution.lambda;
  EXPECT_LT((force_a - force_b).norm(), 1e-12 * force_a.norm());
  for (Instant* at : {&a, &b}) {
    EXPECT_LT((by(UdwadiaKalaba(), *at).a - in_two.solution.a).norm(), 1e-11);
    EXPECT_LT((solve(*at, {}, Form::stacked).solution.a - in_two.solution.a).norm(), 1e-12 * acceleration.norm());
  }
  const double upright = std::numbers::pi / 2, x = two.data().tip(blajer_pose())[0];
  EXPECT_THROW(BlajerLine(Coordinates::two, upright, x), LocalRankDeficient);
  const BlajerLine wall(Coordinates::normal, upright, x);
  Instant at(wall, blajer_pose(), Vector::Zero(3));
  EXPECT_NEAR(at.evaluation.phi[0], 0, 1e-12);
  EXPECT_LT((solve(at).solution.a - by(Gigsp(), at).a).norm(), 1e-11);
}

}  // namespace
}  // namespace mortise::test
