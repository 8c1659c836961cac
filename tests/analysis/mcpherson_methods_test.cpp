// The McPherson struts by every formulation and stabilisation: the same motion, whatever rows are redundant. Checks
// F-A5, F-A9, F-A10 of specs/formulations.md.
#include <gtest/gtest.h>

#include <cmath>

#include "mortise/gauss/formulation.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

struct MethodOutcome {
  Vector pose;
  double worst_phi = 0, first_phi = 0, last_phi = 0;  // ‖φ‖₂ over the frames
  long evaluations = 0;
};

MethodOutcome ride(bool redundant, bool kick, const std::string& formulation, const std::string& stabilize,
                   double tolerance) {
  const auto m = compile_example(redundant ? "mcpherson-overconstrained" : "mcpherson",
                                 {"output.every=0.5", kick ? "kick=1" : "kick=0"});
  model::AnalysisSettings s = m->model().analysis;
  s.formulation = formulation;
  s.stabilize = stabilize;
  s.integrator = "rk45";
  s.tolerance = tolerance;
  Recorder recorder;
  analysis::DynamicsOptions options;
  options.sink = &recorder;
  options.settings = &s;
  analysis::run_dynamics(*m, options);
  MethodOutcome out;
  Evaluation e;
  e.resize(m->pattern());
  const auto scratch = m->make_scratch();
  State state = m->initial_state();
  for (const analysis::Frame& frame : recorder.frames) {
    state.t = frame.t;
    state.q = frame.q;
    state.v = frame.v;
    m->evaluate(state, need_constraints, *scratch, e);
    out.last_phi = e.phi.norm();
    out.worst_phi = std::max(out.worst_phi, out.last_phi);
    if (frame.t == 1) out.first_phi = out.last_phi;
  }
  out.pose = recorder.frames.back().pose;
  out.evaluations = recorder.summary.evaluations;
  return out;
}

// Centres of arm (y, z), carrier (x, y, z) and rack (y) at 10 s.
Vector marks(const Vector& pose) {
  Vector out(6);
  out << pose[1], pose[2], pose[7], pose[8], pose[9], pose[29];
  return out;
}

Vector expected(bool kick) {
  Vector out(6);
  if (kick)
    out << .149926932, .004681367, -.031819252, .217468232, .263942220, -.358404595;
  else
    out << .149627854, -.010559603, -.032766128, .221428630, .234771197, -.374473817;
  return out;
}

TEST(McPhersonMethods, ReachTheKnownEndStatesInEveryModeAndVariant) {
  for (const bool kick : {false, true})
    for (const std::string how : {"none", "baumgarte", "partition", "projection"}) {
      const MethodOutcome plain = ride(false, kick, "udwadia-kalaba", how, 1e-10);
      const MethodOutcome redundant = ride(true, kick, "udwadia-kalaba", how, 1e-10);
      const double bar = how == "none" ? 1e-6 : 1e-7;
      EXPECT_LT((marks(plain.pose) - expected(kick)).cwiseAbs().maxCoeff(), bar) << how << kick;
      EXPECT_LT((marks(redundant.pose) - expected(kick)).cwiseAbs().maxCoeff(), bar) << how << kick;
      EXPECT_LT((plain.pose - redundant.pose).cwiseAbs().maxCoeff(), 1e-9) << how << kick;
    }
}

TEST(McPhersonMethods, AgreeForAllFormulations) {
  const MethodOutcome reference = ride(true, true, "udwadia-kalaba", "projection", 1e-8);
  for (const auto& entry : gauss::formulations()) {
    const gauss::Capabilities can = entry.make({})->can();
    if (can.search) continue;
    const bool redundant = can.redundant_rows;
    for (const std::string how : {"projection", "partition", "baumgarte"}) {
      const MethodOutcome run = ride(redundant, true, entry.name, how, 1e-8);
      EXPECT_LT((run.pose - reference.pose).cwiseAbs().maxCoeff(), 1e-6) << entry.name << " " << how;
    }
  }
}

TEST(McPhersonMethods, HoldTheConstraintsAsTheirStabilisationPromises) {
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    const MethodOutcome none = ride(true, true, "udwadia-kalaba", "none", tolerance);
    const MethodOutcome damped = ride(true, true, "udwadia-kalaba", "baumgarte", tolerance);
    const MethodOutcome partition = ride(true, true, "udwadia-kalaba", "partition", tolerance);
    EXPECT_LT(damped.worst_phi, 10 * tolerance) << tolerance;
    EXPECT_LT(partition.worst_phi, 1e-3 * tolerance) << tolerance;
    EXPECT_GT(none.last_phi, 1.5 * none.first_phi) << "drift grows " << tolerance;
    EXPECT_GT(none.last_phi, 2 * damped.last_phi) << tolerance;
  }
}

TEST(McPhersonMethods, PayForStabilisationWhatTheLiteratureSays) {
  const double none = static_cast<double>(ride(true, true, "udwadia-kalaba", "none", 1e-10).evaluations);
  const double damped = static_cast<double>(ride(true, true, "udwadia-kalaba", "baumgarte", 1e-10).evaluations);
  const double partition = static_cast<double>(ride(true, true, "udwadia-kalaba", "partition", 1e-10).evaluations);
  RecordProperty("baumgarte", std::to_string(damped / none));
  RecordProperty("partition", std::to_string(partition / none));
  EXPECT_GT(damped / none, 2);
  EXPECT_LT(damped / none, 5);
  EXPECT_LT(partition / none, 1.5);
}

}  // namespace
}  // namespace mortise::test
