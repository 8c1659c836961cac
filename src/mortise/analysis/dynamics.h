// Dynamics: from an assembled state through time. Owns the run loop: steps, frames, checkpoints, interruption.
//
// Frames are taken from dense output, so they do not influence the steps; with projection each frame is brought to
// rounding of the constraints (a copy: the run's own state stays). Checkpoints fall by step count or model time, never
// by the clock. Events (events.h) end a step where they happen; the integrator begins anew there, and a frame is
// written before and after. An integrator that cannot be saved whole begins anew at every checkpoint, in the straight
// run too.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "mortise/analysis/assemble.h"
#include "mortise/analysis/singular_pose.h"
#include "mortise/analysis/sink.h"
#include "mortise/integrate/integrator.h"
#include "mortise/mechanism/mechanism.h"
#include "mortise/motion/motion.h"

namespace mortise::analysis {

// Where checkpoints go; called only after the sink was flushed.
class CheckpointSink {
 public:
  virtual ~CheckpointSink() = default;
  virtual void checkpoint(const State& state, std::uint64_t frames) = 0;
};

struct Progress {
  double t = 0, until = 0, h = 0;
  long steps = 0;
  double violation = 0;
};

struct DynamicsOptions {
  Sink* sink = nullptr;
  CheckpointSink* checkpoints = nullptr;
  const State* resume = nullptr;  // a checkpoint's state, `resume_frames` frames being in the sink already
  std::uint64_t resume_frames = 0;
  const std::atomic<int>* interrupt = nullptr;        // not 0: end after this step
  const model::AnalysisSettings* settings = nullptr;  // instead of the model's own
  std::function<void(const Progress&)> progress;
  // After events that switched rows: the state there, and how many lines the ledger has.
  std::function<void(const State&, std::size_t)> after_events;
};

struct NearestPose {
  double t = 0, sigma = 1;  // when, and how near: a singular value relative to the largest
  std::vector<int> joints;  // whose rows are nearly dependent there; none where nothing comes near
};

struct DynamicsResult {
  std::vector<EventEntry> events;  // the ledger; of a resumed run, what happened after the checkpoint
  RunSummary summary;
  State state;  // at the end
  AssemblyReport assembly;
  linalg::Rank rank;  // at the first frame; of a resumed run, the first after the checkpoint
  std::uint64_t frames = 0;
  bool interrupted = false;
  double flops = 0;                  // of one solution for accelerations, the last; 0: not counted
  std::vector<std::string> remarks;  // what a reader of the summary should know
  std::vector<PassedPose> poses;     // singular ones, on the way
  NearestPose nearest;               // to a singular pose; sigma 1: nobody looked (other coordinates than absolute)
};

// The formulation, stabilisation and integrator named in the model's analysis settings, as one line: goes into the
// result and, hashed, into checkpoints.
std::string describe(const model::AnalysisSettings& settings);

// Throws SolveError (S430, exit 5) when rows at a solution contradict one another.
void check_consistent(const mechanism::Mechanism& mechanism, const Motion& motion, const gauss::GaussSolution& solution,
                      double t);

// Steps that shrink to nothing (S402) mostly run into the end of a formula: looks for it on both sides of `there` (a
// short step can land behind a pole), unit of rounding by unit first (a pole is one number), then further and further.
SolveReport explain_lost_step(const mechanism::Mechanism& mechanism, const Motion& motion, State there, double until,
                              SolveReport report);

// Throws SolveError; the sink then holds all frames up to the failure and its end() was called.
DynamicsResult run_dynamics(const mechanism::Mechanism& mechanism, const DynamicsOptions& options);

}  // namespace mortise::analysis
