// Simulations: exact times, the same bits whichever way they are driven, controllers between steps.
#include "mortise/analysis/simulation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/sampled_plant.h"
#include "mortise/model/builder.h"
#include "support/frames.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

using analysis::Simulation;
using model::Map;
using model::ModelBuilder;

model::Model two_links(const std::string& integrator, double tolerance = 1e-9) {
  return ModelBuilder::planar("Two links")
      .gravity({0, -9.81})
      .body("upper", {{"mass", 1}, {"inertia", 0.1}, {"at", {0.5, 0}}})
      .body("lower", {{"mass", 1}, {"inertia", 0.1}, {"at", {1.5, 0}}, {"points", Map{{"tip", {0.5, 0}}}}})
      .joint("A", "revolute", {{"between", {"ground", "upper"}}, {"at", {0, 0}}})
      .joint("B", "revolute", {{"between", {"upper", "lower"}}, {"at", {1, 0}}})
      .joint("twin", "revolute", {{"between", {"upper", "lower"}}, {"at", {1, 0}}})
      .analysis({{"integrator", integrator}, {"tolerance", tolerance}, {"step", 0.002}})
      .build(mechanism::catalogue());
}

bool same(const State& a, const State& b) {
  return a.t == b.t && same_bits(a.q, b.q) && same_bits(a.v, b.v) && same_bits(a.work, b.work);
}

TEST(Simulation, StepsLandOnMultiplesExactly) {
  Simulation sim(two_links("rk45"));
  for (int k = 1; k <= 300; ++k) {
    sim.step(0.01);
    ASSERT_EQ(sim.t(), k * 0.01);
  }
  sim.step(0.3);
  EXPECT_EQ(sim.t(), 300 * 0.01 + 0.3);
  sim.advance_to(sim.t());
  EXPECT_THROW(sim.advance_to(1), std::invalid_argument);
  EXPECT_THROW(sim.step(0), std::invalid_argument);
  EXPECT_THROW(sim.step(std::nan("")), std::invalid_argument);
}

TEST(Simulation, MovesAsARunDoes) {
  Simulation sim(two_links("adams", 1e-11));
  const auto m = mechanism::Mechanism::compile(std::make_shared<const model::Model>(two_links("adams", 1e-11)));
  Recorder recorder;
  run(*m, recorder);  // to 1 s
  sim.advance_to(1);
  const analysis::Frame& last = recorder.frames.back();
  ASSERT_EQ(last.t, 1);
  EXPECT_NEAR(sim.get("lower.x"), last.pose[3], 1e-9);
  EXPECT_NEAR(sim.get("A.reaction.fy"), last.reaction[1], 1e-6);
  EXPECT_NEAR(sim.get("energy.balance"), recorder.frames[0].kinetic + recorder.frames[0].potential, 1e-8);
}

class SimulationBy : public testing::TestWithParam<std::string> {};

TEST_P(SimulationBy, GoesOnWithTheSameBitsFromAStateThatWasKept) {
  Simulation straight(two_links(GetParam(), 1e-7));
  for (int k = 0; k < 7; ++k) straight.step(0.03);
  const State kept = straight.state();
  for (int k = 0; k < 10; ++k) straight.step(0.03);
  const State end = straight.state();

  // Back to it, after having gone elsewhere.
  straight.step(0.5);
  straight.restore(kept);
  for (int k = 0; k < 10; ++k) straight.step(0.03);
  EXPECT_TRUE(same(straight.state(), end));

  // In another simulation.
  Simulation other(two_links(GetParam(), 1e-7));
  other.restore(kept);
  for (int k = 0; k < 10; ++k) other.step(0.03);
  EXPECT_TRUE(same(other.state(), end));
  EXPECT_EQ(other.t(), 17 * 0.03);
}

TEST_P(SimulationBy, IsNotChangedByQuestions) {
  Simulation quiet(two_links(GetParam(), 1e-7)), asked(two_links(GetParam(), 1e-7));
  for (int k = 0; k < 20; ++k) {
    quiet.step(0.02);
    asked.step(0.02);
    EXPECT_TRUE(std::isfinite(asked.get("lower.tip.vx") + asked.get("A.reaction.fx") + asked.get("energy.total")));
  }
  EXPECT_TRUE(same(quiet.state(), asked.state()));
}

INSTANTIATE_TEST_SUITE_P(Integrators, SimulationBy, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const auto& entry : integrate::integrators())
                             if (entry.make) names.push_back(entry.name);
                           return names;
                         }()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Simulation, CallsBackAtExactlyTheMultiples) {
  Simulation sim(two_links("adams"));
  std::vector<double> fast, slow;
  sim.every(0.01, [&](Simulation& s) { fast.push_back(s.t()); });
  sim.every(0.025, [&](Simulation& s) { slow.push_back(s.t()); });
  for (int k = 0; k < 10; ++k) sim.step(0.1);
  ASSERT_EQ(fast.size(), 101u);
  ASSERT_EQ(slow.size(), 41u);
  for (std::size_t k = 0; k < fast.size(); ++k) EXPECT_EQ(fast[k], static_cast<double>(k) * 0.01);
  for (std::size_t k = 0; k < slow.size(); ++k) EXPECT_EQ(slow[k], static_cast<double>(k) * 0.025);
  EXPECT_THROW(sim.every(0, [](Simulation&) {}), std::invalid_argument);
  EXPECT_THROW(sim.every(1, nullptr), std::invalid_argument);
}

TEST(Simulation, DoesNotLetACallbackAdvanceIt) {
  Simulation sim(two_links("adams"));
  sim.every(0.1, [](Simulation& s) { s.step(0.01); });
  EXPECT_THROW(sim.step(0.05), std::logic_error);
}

TEST(Simulation, ProposesTheNearestName) {
  Simulation sim(two_links("adams"));
  try {
    sim.get("lowr.x");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.diagnostics()[0].code, "M160");
    EXPECT_EQ(error.diagnostics()[0].hint, "did you mean 'lower.x'?");
  }
  try {
    sim.set("torque", 1);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.diagnostics()[0].code, "M190");
    EXPECT_NE(error.diagnostics()[0].hint.find("inputs: {"), std::string::npos);
  }
}

TEST(Simulation, ChecksTheAnalysisSettings) {
  try {
    Simulation sim(two_links("adam"));
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.diagnostics()[0].code, "M207");
    EXPECT_EQ(error.diagnostics()[0].place.str(), "Two links: analysis.integrator");
  }
}

TEST(Simulation, RefusesAStateOfAnother) {
  Simulation sim(two_links("adams"));
  EXPECT_THROW(sim.restore(sim.mechanism().initial_state()), std::invalid_argument);
  const State plain = sim.state();
  sim.every(0.1, [](Simulation&) {});
  EXPECT_THROW(sim.restore(plain), std::invalid_argument);
}

// J θ̈ = −k θ − c θ̇ + u as a mechanism: a rotor on a torsional spring and damper, from θ = 1.
model::Model rotor(const std::string& integrator, double tolerance) {
  return ModelBuilder::planar("Rotor")
      .input("u", 0)
      .body("rotor", {{"mass", 1}, {"inertia", plant_J}, {"angle", 1}})
      .joint("A", "revolute", {{"between", {"ground", "rotor"}}, {"at", {0, 0}}})
      .force("spring", "torsional-spring-damper-actuator",
             {{"joint", "A"}, {"stiffness", plant_k}, {"damping", plant_c}, {"angle", 0}})
      .force("motor", "torque", {{"body", "rotor"}, {"value", "input.u"}})
      .analysis({{"integrator", integrator}, {"tolerance", tolerance}, {"step", 0.001}})
      .build(mechanism::catalogue());
}

void control(Simulation& s) { s.set("u", controller(s.get("rotor.angle"), s.get("rotor.wz"))); }

TEST_P(SimulationBy, FollowsASampledControllerExactly) {
  // Integrators of fixed steps are as good as their order makes steps of 1 ms; `bdf` as its tolerance.
  static const std::map<std::string, std::pair<double, double>> others{// errors of the motion, of the energy
                                                                       {"bdf", {1e-6, 1e-5}},
                                                                       {"staggered-explicit-implicit", {1e-5, 1e-5}},
                                                                       {"trapezoidal", {1e-5, 3e-5}},
                                                                       {"generalized-alpha", {1e-5, 3e-5}},
                                                                       {"contact-stepping", {1e-5, 1e-5}},
                                                                       {"backward-euler", {3e-2, 0.1}}};
  const auto other = others.find(GetParam());
  const auto [motion, energy] = other == others.end() ? std::pair(1e-9, 1e-9) : other->second;
  Simulation sim(rotor(GetParam(), GetParam() == "bdf" ? 1e-10 : 1e-12));
  sim.every(0.05, control);
  SampledReference exact(0.05);
  double worst = 0;
  for (int k = 0; k < 100; ++k) {
    sim.advance_to((k + 1) * 0.05);
    exact.step();
    worst =
        std::max({worst, std::abs(sim.get("rotor.angle") - exact.x[0]), std::abs(sim.get("rotor.wz") - exact.x[1])});
  }
  EXPECT_LE(worst, motion);
  EXPECT_EQ(sim.get("input.u"), controller(sim.get("rotor.angle"), sim.get("rotor.wz")));  // sampled on arrival
  // What the input did is in the balance.
  EXPECT_NEAR(sim.get("energy.balance"), 0.5 * plant_k, energy);
}

TEST_P(SimulationBy, GoesOnWithTheSameBitsUnderAController) {
  Simulation straight(rotor(GetParam(), 1e-8)), other(rotor(GetParam(), 1e-8));
  straight.every(0.03, control);
  other.every(0.03, control);
  straight.advance_to(0.4);
  const State between = straight.state();  // between two samples
  straight.advance_to(16 * 0.03);
  const State on = straight.state();  // on one: called already, not yet moved on
  straight.advance_to(2);
  const State end = straight.state();
  other.restore(on);
  other.advance_to(2);
  EXPECT_TRUE(same(other.state(), end));
  EXPECT_EQ(other.get("input.u"), straight.get("input.u"));
  other.restore(between);
  other.advance_to(16 * 0.03);
  other.state();  // as above: an integrator that cannot be saved begins anew here
  other.advance_to(2);
  EXPECT_TRUE(same(other.state(), end));
}

TEST(Simulation, RestartsOnlyWhereAnInputChanges) {
  Simulation free(rotor("adams", 1e-9)), asked(rotor("adams", 1e-9));
  asked.every(0.1, [](Simulation& s) { s.set("u", 0); });  // nothing new
  for (int k = 1; k <= 20; ++k) free.advance_to(k * 0.1);
  asked.advance_to(2);
  EXPECT_EQ(free.counters().steps, asked.counters().steps);
  EXPECT_TRUE(same(free.state(), asked.state()));
  EXPECT_THROW(asked.set("u", std::nan("")), std::invalid_argument);
  try {
    asked.set("v", 1);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(error.diagnostics()[0].hint.find("u"), std::string::npos);
  }
}

TEST(Simulation, NamesTheFormulaThatEndsASimulation) {
  Simulation sim(ModelBuilder::planar("Pole")
                     .body("b", {{"mass", 1}, {"inertia", 1}})
                     .joint("A", "revolute", {{"between", {"ground", "b"}}, {"at", {0, 0}}})
                     .driver("motor", "rotation", {{"joint", "A"}, {"function", "sqrt(1 - t)"}})
                     .build(mechanism::catalogue()));
  try {
    sim.advance_to(2);
    FAIL();
  } catch (const SolveError& error) {
    EXPECT_NE(std::string(error.what()).find("motor"), std::string::npos) << error.what();
    EXPECT_LT(sim.t(), 1.0000001);
    EXPECT_GT(sim.t(), 0.9);
  }
}

}  // namespace
}  // namespace mortise::test
