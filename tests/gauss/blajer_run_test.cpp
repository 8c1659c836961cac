// The examples of specs/orthogonal-complement.md §4 in motion: ten seconds with a complement that changes on the way,
// and constraints that come and go.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "mortise/analysis/stepper.h"
#include "mortise/gauss/orthogonal_complement.h"
#include "mortise/integrate/integrator.h"
#include "mortise/motion/motion.h"
#include "mortise/stabilize/stabilizer.h"
#include "support/blajer.h"

namespace mortise::test {
namespace {

using namespace gauss;

// What the factor chose at every evaluation of a run.
struct Log {
  int changes = 0;
  double worst_condition = 0;
  std::vector<int> y;
};

class LoggedFactor final : public Factor {
 public:
  LoggedFactor(const Pattern& pattern, Log& log, std::vector<int> y)
      : factor_(pattern, OrthogonalComplement::Form::minimal), log_(log) {
    factor_.set_complementary(y);
  }
  bool factor(const GaussProblem& problem, const linalg::RankPolicy& policy) override {
    if (!factor_.factor(problem, policy)) return false;
    log_.changes += !log_.y.empty() && log_.y != factor_.complementary();
    log_.y = factor_.complementary();
    Matrix J2(2, 2);
    for (int j = 0, c = 0; j < 3; ++j)
      if (j != log_.y[0]) J2.col(c++) = problem.local->J.col(j);
    const Vector sigma = Eigen::JacobiSVD<Matrix>(J2).singularValues();
    log_.worst_condition = std::max(log_.worst_condition, sigma[0] / sigma[1]);
    return true;
  }
  void solve(ConstSpan Q, ConstSpan b, GaussSolution& s) override { factor_.solve(Q, b, s); }

 private:
  OrthogonalComplementFactor factor_;
  Log& log_;
};

struct Logged final : Formulation {
  Log& log;
  std::vector<int> y;
  explicit Logged(Log& l, std::vector<int> fixed = {}) : log(l), y(std::move(fixed)) {}
  std::string name() const override { return "logged"; }
  Capabilities can() const override { return OrthogonalComplement().can(); }
  std::unique_ptr<Factor> prepare(const Pattern& p) const override { return std::make_unique<LoggedFactor>(p, log, y); }
};

struct Reference {
  double t;
  std::array<double, 6> y;
};
const std::array<Reference, 4> reference{
    {{1, {0.0266652751, -2.2674513484, 0.2888263993, 4.7438518989, -2.7817680726, -4.9513326803}},
     {2, {0.3789379600, 0.9781199832, -1.2929682032, -3.3718407177, 5.4838843955, 1.9129890684}},
     {5, {1.3477833248, -0.1362113746, -0.9850080507, -1.3298609817, 1.6024646170, -1.3579454295}},
     {10, {1.5246902059, -0.8059795731, -0.5133135364, 1.6226106144, 6.2767978979, -3.1362322993}}}};

Vector start_velocity(const BlajerFourBar& system) {
  Instant at(system, blajer_pose(), Vector::Zero(3));
  OrthogonalComplementFactor factor(system.pattern(), OrthogonalComplement::Form::minimal);
  factor.set_complementary({1});
  EXPECT_TRUE(factor.factor(at.problem(), {}));
  return 1.5 * factor.basis().col(0);
}

struct Journey {
  double violation = 0, energy = 0;  // |f|, and the relative change of the energy, at any step
  std::array<double, 4> off{};       // from the reference
  Vector end;
};

Journey run(const Formulation& formulation, const std::string& stabilization, double tolerance, double until = 10) {
  const BlajerFourBar system;
  const auto stabilizer = stabilize::make_stabilizer(stabilization);
  Motion motion(system, formulation, *stabilizer, {});
  const auto integrator = integrate::make_integrator("rk78", {tolerance, 0, 0, 0});
  Vector y = Vector::Zero(motion.size());
  y.head(3) = blajer_pose();
  y.segment(3, 3) = start_velocity(system);
  integrator->start(motion, 0, as_span(y));
  Journey out;
  double E0 = 0;
  const auto look = [&] {
    const auto now = as_vector(integrator->y());
    Instant at(system, now.head(3), now.segment(3, 3));
    const double E = at.evaluation.kinetic + at.evaluation.potential;
    if (E0 == 0) E0 = E;
    out.energy = std::max(out.energy, std::abs(E / E0 - 1));
    out.violation = std::max(out.violation, at.evaluation.phi.norm());
  };
  look();
  for (std::size_t k = 0; k < reference.size() && reference[k].t <= until; ++k) {
    while (integrator->t() < reference[k].t) {
      integrator->step(reference[k].t);
      look();
    }
    const auto now = as_vector(integrator->y());
    for (int i = 0; i < 6; ++i)
      out.off[k] = std::max(out.off[k], std::abs(now[i] - reference[k].y[static_cast<std::size_t>(i)]));
    out.end = now.head(6);
  }
  return out;
}

// O-A5
TEST(BlajerRun, ChangesItsComplementOnTheWayAndKeepsTheMotion) {
  for (const std::string stabilization : {"baumgarte", "projection"}) {
    Log log;
    const Journey r = run(Logged(log), stabilization, 1e-9);
    EXPECT_LT(r.violation, 1e-9) << stabilization;
    EXPECT_LT(r.energy, 1e-7) << stabilization;
    for (std::size_t k = 0; k < 3; ++k) EXPECT_LT(r.off[k], 1e-6) << stabilization << " at " << reference[k].t;
    EXPECT_GE(log.changes, 10) << stabilization;
    EXPECT_LT(log.worst_condition, 100) << stabilization;
    RecordProperty(stabilization + "_changes", log.changes);
    std::printf("  %s: |f| %.1e, energy %.1e, states %.1e %.1e %.1e %.1e, %d changes, cond %.1f\n",
                stabilization.c_str(), r.violation, r.energy, r.off[0], r.off[1], r.off[2], r.off[3], log.changes,
                log.worst_condition);
  }
}

TEST(BlajerRun, IsTheSameWhicheverCoordinateIsComplementary) {
  Log log;
  const Vector automatic = run(Logged(log), "baumgarte", 1e-12, 2).end;
  for (int y = 0; y < 3; ++y) {
    Log fixed;
    EXPECT_LT((run(Logged(fixed, {y}), "baumgarte", 1e-12, 2).end - automatic).norm(), 1e-8) << y;
    EXPECT_GT(fixed.worst_condition, log.worst_condition);
  }
}

// Cut between links 2 and 3 instead of at the far pivot: other coordinates and masses, the same mechanism.
TEST(BlajerRun, IsTheSameForBothCuts) {
  model::AnalysisSettings settings;
  settings.formulation = "orthogonal-complement";
  settings.tolerance = 1e-11;
  const BlajerFourBar a(false), b(true);
  const Vector v = start_velocity(a), mirror = Eigen::Vector3d(1, 1, -1);
  analysis::Stepper first(a, settings), second(b, settings);
  State start = analysis::zero_state(a);
  start.q = blajer_pose();
  start.v = v;
  first.start(start);
  start.q = start.q.cwiseProduct(mirror);
  start.v = start.v.cwiseProduct(mirror);
  second.start(start);
  for (const double t : {0.5, 1.0, 2.0}) {
    first.advance_to(t);
    second.advance_to(t);
    EXPECT_LT((first.state().q - second.state().q.cwiseProduct(mirror)).norm(), 1e-7) << t;
    EXPECT_LT((first.state().v - second.state().v.cwiseProduct(mirror)).norm(), 1e-7) << t;
  }
}

// O-A9: a chain whose tip may be held (rows 0 and 1), or on a line (row 2: x sin α − y cos α = c) laid where the tip
// is.
class SwitchedChain final : public ChainSystem {
 public:
  SwitchedChain() : ChainSystem({}, 3, false), pivot_(data_.tip(blajer_pose())) {}
  Vector initial_inputs() const override { return Vector::Zero(2); }  // α, c

 protected:
  void lay_out_local(LocalRows& local) const override {
    local.points = {{0, 0, planar_pin()}, {2, 2, point_on_line_along_normal()}};
    local.J.setZero(3, 3);
  }
  void constraints(const State& s, LocalRows& local, Evaluation& out) const override {
    Eigen::Matrix<double, 2, 3> J;
    Eigen::Vector2d right;
    tip_rows(s, J, right);
    const Eigen::Vector2d tip = data_.tip(s.q), normal(std::sin(s.inputs[0]), -std::cos(s.inputs[0]));
    local.J.topRows(2) = J;
    local.J.row(2) = normal.transpose() * J;
    out.problem.b << right, normal.dot(right);
    out.phi << tip - pivot_, normal.dot(tip) - s.inputs[1];
  }

 private:
  Eigen::Vector2d pivot_;
};

TEST(BlajerRun, ConstraintsComeAndGoWithoutATraceInTheState) {
  model::AnalysisSettings settings;
  settings.formulation = "orthogonal-complement";
  settings.tolerance = 1e-10;
  const SwitchedChain chain;
  analysis::Stepper run(chain, settings);
  State s = analysis::zero_state(chain);
  s.q = blajer_pose();
  s.v = start_velocity(BlajerFourBar());
  s.active = {1, 1, 0};
  run.start(s);
  run.advance_to(0.3);
  const State closed = run.state();
  EXPECT_LT((chain.data().tip(closed.q) - chain.data().tip(blajer_pose())).norm(), 1e-9);
  ASSERT_EQ(run.motion().rank().rank, 2);

  s = closed;  // let go of the tip
  s.active = {0, 0, 0};
  run.start(s);
  EXPECT_EQ(run.state().q, closed.q);
  EXPECT_EQ(run.state().v, closed.v);
  run.advance_to(0.5);
  const State free = run.state();
  ASSERT_EQ(run.motion().rank().rank, 0);
  ASSERT_EQ(free.q.size(), closed.q.size());

  // A line along which the tip is moving: nothing jumps. One across: v jumps, q does not, and the tip moves along it.
  Eigen::Matrix<double, 2, 3> J;
  for (int i = 0; i < 3; ++i)
    J.col(i) << -chain.data().l[i] * std::sin(free.q[i]), chain.data().l[i] * std::cos(free.q[i]);
  const Eigen::Vector2d tip = chain.data().tip(free.q), moving = J * free.v;
  for (const double turn : {0.0, 0.7}) {
    const double alpha = std::atan2(moving[1], moving[0]) + turn;
    const Eigen::Vector2d normal(std::sin(alpha), -std::cos(alpha));
    s = free;
    s.active = {0, 0, 1};
    s.inputs = Eigen::Vector2d(alpha, normal.dot(tip));
    run.start(s);
    EXPECT_LT((run.state().q - free.q).norm(), 1e-13);
    if (turn == 0)
      EXPECT_LT((run.state().v - free.v).norm(), 1e-12);
    else
      EXPECT_GT((run.state().v - free.v).norm(), 0.01);
    EXPECT_LT(std::abs(normal.dot(J * run.state().v)), 1e-12);
    run.advance_to(0.7);
    EXPECT_EQ(run.motion().rank().rank, 1);
    EXPECT_EQ(run.state().q.size(), closed.q.size());
    EXPECT_LT(std::abs(normal.dot(chain.data().tip(run.state().q) - tip)), 1e-9);
    EXPECT_GT((chain.data().tip(run.state().q) - tip).norm(), 0.01) << "it does move along the line";
  }
}

}  // namespace
}  // namespace mortise::test
