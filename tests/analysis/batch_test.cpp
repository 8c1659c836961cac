// Batches: every lane is the ordinary run of its copy, bit by bit the same wherever the copy stands.
#include "mortise/analysis/batch.h"

#include <gtest/gtest.h>

#include <cstring>

#include "mortise/analysis/stepper.h"
#include "support/allocation_counter.h"
#include "support/compile.h"

namespace mortise::test {
namespace {

using analysis::Batch;
using analysis::BatchCopy;
using analysis::BatchLook;

constexpr double batch_step = 1e-3;

std::shared_ptr<const mechanism::Mechanism> shared_example(const std::string& name,
                                                           std::vector<std::string> settings = {}) {
  return compile_example(name, settings);
}

// The same method for one copy.
struct AloneRun {
  explicit AloneRun(const mechanism::Mechanism& m, double step = batch_step) : settings(m.model().analysis) {
    settings.integrator = "rk4";
    settings.step = step;
    settings.stabilize = "projection";
    settings.coordinates = "absolute";
    settings.formulation = "udwadia-kalaba";
    stepper = std::make_unique<analysis::Stepper>(m, settings);
    solution.resize(m.pattern());
  }
  void to(const State& start, double t) {
    stepper->start(start);
    stepper->advance_to(t);
    state = stepper->state();
    stepper->motion().accelerate(state, solution, need_energy);
  }
  model::AnalysisSettings settings;
  std::unique_ptr<analysis::Stepper> stepper;
  gauss::GaussSolution solution;
  State state;
};

double largest_gap(const Vector& a, const Vector& b) {
  return a.size() == 0 ? 0 : (a - b).lpNorm<Eigen::Infinity>() / std::max(1.0, b.lpNorm<Eigen::Infinity>());
}

// Copies with other speeds: the assembled one, every velocity a little different, brought to the constraints.
std::vector<BatchCopy> faster_and_faster(const std::shared_ptr<const mechanism::Mechanism>& m, int count,
                                         double push = 0.05) {
  const Batch as_modelled({{m, {}}}, {batch_step, 1});
  std::vector<BatchCopy> copies;
  for (int k = 0; k < count; ++k) {
    State state = as_modelled.look(0).state;
    for (Eigen::Index i = 0; i < state.v.size(); ++i)
      state.v[i] = state.v[i] * (1 + 0.02 * k) + push * k * std::sin(1.0 + static_cast<double>(i));
    copies.push_back({m, state});
  }
  return copies;
}

void expect_ordinary_runs(const std::string& name, const std::vector<BatchCopy>& copies, double until,
                          double step = batch_step) {
  Batch batch(copies, {step, 1});
  batch.advance(until);
  for (int k = 0; k < batch.size(); ++k) {
    SCOPED_TRACE(name + ", copy " + std::to_string(k));
    ASSERT_EQ(batch.failure(k), "");
    EXPECT_EQ(batch.way(k), Batch::Way::lanes) << batch.why(k);
    const BatchLook at = batch.look(k);
    AloneRun alone(batch.mechanism(k), step);
    const Batch begin({copies[static_cast<std::size_t>(k)]}, {step, 1});
    alone.to(begin.look(0).state, until);
    EXPECT_EQ(at.state.t, until);
    EXPECT_LT(largest_gap(at.state.q, alone.state.q), 1e-10);
    EXPECT_LT(largest_gap(at.state.v, alone.state.v), 1e-10);
    EXPECT_LT(largest_gap(at.state.work, alone.state.work), 1e-10);
    EXPECT_LT(largest_gap(at.a, alone.solution.a), 1e-9);
    EXPECT_LT(largest_gap(at.state.lambda, alone.solution.lambda), 1e-8);
    const Evaluation& e = alone.stepper->motion().evaluation();
    EXPECT_NEAR(at.kinetic, e.kinetic, 1e-9 * std::max(1.0, e.kinetic));
    EXPECT_NEAR(at.potential, e.potential, 1e-9 * std::max(1.0, std::abs(e.potential)));
    EXPECT_LT(at.violation.position, 1e-11);
    EXPECT_LT(at.violation.velocity, 1e-11);
  }
}

TEST(Batch, EveryLaneIsTheOrdinaryRunOfItsCopyInThePlane) {
  for (const char* name : {"pendulum", "double-pendulum", "four-bar", "five-bar", "slider-crank", "chain", "knife-edge",
                           "kinematics-four-bar", "gear-train"})
    expect_ordinary_runs(name, faster_and_faster(shared_example(name), 5), 0.05);
  expect_ordinary_runs("andrews", faster_and_faster(shared_example("andrews"), 5), 1e-3, 2e-5);
  expect_ordinary_runs("n-four-bar", faster_and_faster(shared_example("n-four-bar", {"N=4"}), 5), 0.05);
}

TEST(Batch, EveryLaneIsTheOrdinaryRunOfItsCopyInSpace) {
  for (const char* name :
       {"heavy-top", "torque-free-body", "spatial-double-pendulum", "bricard", "n-four-bar-spatial",
        "spatial-slider-crank", "stewart-platform", "rolling-disc", "rolling-ball", "mcpherson", "chain-spatial"})
    expect_ordinary_runs(name, faster_and_faster(shared_example(name), 5), 0.03);
  for (const char* name : {"gallery/bennett", "gallery/sarrus", "gallery/four-bar-in-space", "gallery/n-four-bar-flat"})
    expect_ordinary_runs(name, faster_and_faster(shared_example(name), 3, 0), 0.03);
}

TEST(Batch, CopiesDifferInParameters) {
  std::vector<BatchCopy> five_bars, springs;
  for (int k = 0; k < 6; ++k) {
    five_bars.push_back({shared_example("five-bar", {"L=" + std::to_string(1 + 0.1 * k),
                                                     "bodies.left.mass=" + std::to_string(1 + 0.5 * k)}),
                         {}});
    springs.push_back({compile("mortise: 1\ndimension: spatial\ngravity: [0, 0, -9.81]\nparameters: {k: " +
                               std::to_string(20 + 7 * k) + R"(}
bodies:
  arm: {mass: 1, inertia: [0.01, 0.1, 0.09 + k/5000], at: [0.5, 0, 0], points: {tip: [0.5, 0, 0]}}
  bob: {type: particle, mass: k/50, at: [1, 0, -1]}
joints:
  A: {type: universal, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1], axis_second: [0, 1, 0]}
  rope: {type: distance, between: [arm.tip, bob], length: 1 + k/1000}
forces:
  spring: {type: spring, between: [ground, bob], stiffness: k, damping: 0.1*k, length: 0.5, force: k/30*sin(3*t)}
  wind: {type: force, body: bob, value: [0.1*k, 0.2*t, 0]}
  drag: {type: drag, body: bob, linear: k/100}
)"),
                       {}});
  }
  expect_ordinary_runs("five-bar", five_bars, 0.1);
  expect_ordinary_runs("spring", springs, 0.1);
  const Batch batch(springs, {batch_step, 1});
  EXPECT_EQ(batch.copy_by_copy(), std::vector<std::string>{"drag"});
}

std::vector<double> numbers(const Batch& batch, int copy) {
  const BatchLook at = batch.look(copy);
  std::vector<double> all;
  for (const Vector* v : {&at.state.q, &at.state.v, &at.state.work, &at.state.lambda, &at.a})
    all.insert(all.end(), v->begin(), v->end());
  for (const double x : {at.kinetic, at.potential, at.violation.position, at.violation.velocity}) all.push_back(x);
  return all;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST(Batch, ACopyHasTheSameBitsForAnyNumberOfThreadsAndAtAnyPlace) {
  for (const char* name : {"five-bar", "n-four-bar-spatial", "rolling-disc"}) {
    const std::vector<BatchCopy> copies = faster_and_faster(shared_example(name), 13);
    Batch one(copies, {batch_step, 1}), three(copies, {batch_step, 3});
    std::vector<BatchCopy> backwards(copies.rbegin(), copies.rend());
    Batch turned(backwards, {batch_step, 2});
    for (Batch* batch : {&one, &three, &turned}) batch->advance(0.0305);
    for (int k = 0; k < one.size(); ++k) {
      EXPECT_TRUE(same_bits(numbers(one, k), numbers(three, k))) << name << " " << k;
      EXPECT_TRUE(same_bits(numbers(one, k), numbers(turned, one.size() - 1 - k))) << name << " " << k;
      Batch alone({copies[static_cast<std::size_t>(k)]}, {batch_step, 1});
      alone.advance(0.0305);
      EXPECT_TRUE(same_bits(numbers(one, k), numbers(alone, 0))) << name << " " << k;
    }
  }
}

TEST(Batch, StepsEndOnAGridWhateverTheStops) {
  const auto m = shared_example("double-pendulum");
  Batch straight({{m, {}}}, {batch_step, 1}), stopping({{m, {}}}, {batch_step, 1});
  straight.advance(0.1);
  for (int k = 1; k <= 10; ++k) stopping.advance(0.01 * k);
  EXPECT_TRUE(same_bits(numbers(straight, 0), numbers(stopping, 0)));
  EXPECT_THROW(straight.advance(0.05), std::invalid_argument);
}

TEST(Batch, AStepAllocatesNothing) {
  if (!allocations_are_counted()) GTEST_SKIP();
  for (const char* name : {"five-bar", "bricard", "kinematics-four-bar", "gear-train"}) {
    Batch batch(faster_and_faster(shared_example(name), 6), {batch_step, 1});
    batch.advance(0.01);
    AllocationCounter heap;
    batch.advance(0.02);
    EXPECT_EQ(heap.count(), 0) << name;
  }
}

TEST(Batch, EnergyStaysInEveryCopy) {
  Batch batch(faster_and_faster(shared_example("five-bar"), 8), {batch_step, 2});
  std::vector<double> before;
  for (int k = 0; k < batch.size(); ++k) before.push_back(batch.look(k).kinetic + batch.look(k).potential);
  batch.advance(1);
  for (int k = 0; k < batch.size(); ++k)
    EXPECT_NEAR(batch.look(k).kinetic + batch.look(k).potential, before[static_cast<std::size_t>(k)], 1e-8) << k;
}

TEST(Batch, CopiesThatHaveNoLanesAreRunAlone) {
  const std::string fed = R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies: {arm: {mass: 1, inertia: 0.1, at: [0.5, 0]}}
joints: {A: {type: revolute, between: [ground, arm], at: [0, 0]}}
forces: {motor: {type: torque, body: arm, value: -0.1*A.rate}}
)";
  const std::shared_ptr<const mechanism::Mechanism> m = compile(fed);
  const auto pendulum = shared_example("pendulum"), chain = shared_example("chain");
  Batch batch({{pendulum, {}}, {m, {}}, {chain, {}}, {pendulum, {}}}, {batch_step, 1});
  batch.advance(0.05);
  EXPECT_EQ(batch.way(1), Batch::Way::alone);
  EXPECT_NE(batch.why(1).find("A.rate"), std::string::npos) << batch.why(1);
  for (const int k : {0, 2, 3}) EXPECT_EQ(batch.why(k), "");
  EXPECT_TRUE(same_bits(numbers(batch, 0), numbers(batch, 3)));
  AloneRun alone(*m);
  alone.to(m->initial_state(), 0.05);
  EXPECT_LT(largest_gap(batch.look(1).state.q, alone.state.q), 1e-12);
}

// One copy swings to where its rope would have to be longer than it is; the others do not notice.
TEST(Batch, ALaneThatIsLostIsRunAgainAloneAndSaysWhy) {
  const auto winch = [](double shortest) {
    return std::shared_ptr<const mechanism::Mechanism>(compile(R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies: {load: {type: particle, mass: 1, at: [0, -1]}}
drivers: {winch: {type: distance, between: [ground, load], function: sqrt(1 - t/)" +
                                                               std::to_string(shortest) + R"()}}
)"));
  };
  const BatchCopy good{winch(10), {}}, bad{winch(0.02), {}};
  Batch batch({good, bad, good}, {batch_step, 1}), without({good}, {batch_step, 1});
  batch.advance(0.05);
  without.advance(0.05);
  EXPECT_EQ(batch.way(1), Batch::Way::alone);
  EXPECT_NE(batch.failure(1), "");
  EXPECT_NE(batch.why(1), "");
  EXPECT_EQ(batch.failure(0), "");
  EXPECT_TRUE(same_bits(numbers(batch, 0), numbers(without, 0)));
  EXPECT_TRUE(same_bits(numbers(batch, 2), numbers(without, 0)));
}

TEST(Batch, SaysWhatItCannotDo) {
  const auto code = [](const std::vector<BatchCopy>& copies, double step) -> std::string {
    try {
      Batch(copies, {step, 1});
      return "";
    } catch (const ModelError& error) {
      return error.diagnostics().front().code;
    }
  };
  EXPECT_EQ(code({{shared_example("pendulum"), {}}}, 0), "M476");
  EXPECT_EQ(code({{shared_example("slip-to-roll"), {}}}, 1e-3), "M477");
  EXPECT_EQ(code({{shared_example("pendulum", {"analysis.integrator=rk4", "analysis.step=0.01"}), {}}}, 0), "");
  EXPECT_THROW(Batch({}, {1e-3, 1}), std::invalid_argument);
  State late = shared_example("pendulum")->initial_state();
  late.t = 1;
  EXPECT_THROW(Batch({{shared_example("pendulum"), {}}, {shared_example("pendulum"), late}}, {1e-3, 1}),
               std::invalid_argument);
  EXPECT_THROW(Batch({{shared_example("chain"), late}}, {1e-3, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace mortise::test
