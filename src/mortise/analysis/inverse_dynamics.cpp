#include "mortise/analysis/inverse_dynamics.h"

#include <fmt/format.h>

#include <algorithm>

#include "mortise/analysis/efforts.h"
#include "mortise/analysis/kinematics.h"
#include "mortise/analysis/observe.h"

namespace mortise::analysis {

namespace {

// Frames of a motion on their way to the sink: efforts and reactions are put in.
class EffortSink final : public Sink {
 public:
  EffortSink(const mechanism::Mechanism& m, const model::AnalysisSettings& settings, Sink* next)
      : efforts_(m, settings), observer_(m, efforts_.motion(), false), state_(m.initial_state()), next_(next) {
    observer_.resize(frame_);
    solution_.resize(m.pattern());
  }

  void begin(const RunHeader& header) override {
    if (next_) next_->begin(header);
  }
  void frame(const Frame& given) override {
    state_.t = given.t;
    state_.q = given.q;
    state_.v = given.v;
    state_.work = given.work;
    state_.inputs = given.inputs;
    efforts_.solve(state_, solution_);
    free_shares = std::max(free_shares, efforts_.free_shares());
    observer_.describe(state_, solution_, efforts_.evaluation(), frame_);
    if (next_) next_->frame(frame_);
  }
  void flush() override {
    if (next_) next_->flush();
  }
  void end(const RunSummary& summary) override {
    if (next_) next_->end(summary);
  }

  int free_shares = 0;

 private:
  Efforts efforts_;
  Observer observer_;
  State state_;
  Sink* next_;
  gauss::GaussSolution solution_;
  Frame frame_;
};

}  // namespace

InverseDynamicsResult run_inverse_dynamics(const mechanism::Mechanism& mechanism, const DynamicsOptions& options) {
  const model::AnalysisSettings& settings = options.settings ? *options.settings : mechanism.model().analysis;
  EffortSink sink(mechanism, settings, options.sink);
  DynamicsOptions own = options;
  own.sink = &sink;
  InverseDynamicsResult result;
  try {
    static_cast<DynamicsResult&>(result) = run_kinematics(mechanism, own);
  } catch (const SolveError& error) {
    if (error.report().code != "S425") throw;
    result.driven = false;  // found before the first frame
    static_cast<DynamicsResult&>(result) = run_dynamics(mechanism, own);
  }
  result.free_shares = sink.free_shares;
  if (!result.driven)
    result.remarks.emplace_back("the drivers leave motions free: these follow the forces, as in dynamics");
  if (result.free_shares > 0)
    result.remarks.push_back(fmt::format(
        "{} of efforts moves nothing: shares are those with the least sum of squares of effort / weight "
        "(analysis.weights)",
        result.free_shares == 1 ? "1 combination" : fmt::format("each of {} combinations", result.free_shares)));
  return result;
}

}  // namespace mortise::analysis
