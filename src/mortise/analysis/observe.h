// From a state to a frame: solves for accelerations and multipliers there and derives all that results hold.
#pragma once

#include "mortise/analysis/reactions.h"
#include "mortise/analysis/sink.h"
#include "mortise/mechanism/mechanism.h"
#include "mortise/motion/motion.h"

namespace mortise::analysis {

class Observer {
 public:
  // Projected frames: the state is first brought to rounding of the constraints (a copy; the run's state stays).
  Observer(const mechanism::Mechanism& mechanism, Motion& motion, bool project);

  // What decides reactions that are not unique; none: the multipliers are those of the formulation. Not owned.
  void set_rule(ReactionRule* rule) { rule_ = rule; }
  void observe(State& state, Frame& frame);
  // The same from a solution that is at hand: no projection, no solve. The evaluation is that of the state, with
  // energies.
  void describe(const State& state, const gauss::GaussSolution& solution, const Evaluation& evaluation, Frame& frame);
  const mechanism::Motions& motions() const { return motions_; }  // of the last frame
  const gauss::GaussSolution& solution() const { return solution_; }
  void resize(Frame& frame) const;
  RunHeader header(const std::string& options) const;

 private:
  void name_kept(RunHeader& header) const;

  const mechanism::Mechanism& mechanism_;
  Motion& motion_;
  bool project_;
  ReactionRule* rule_ = nullptr;
  gauss::GaussSolution solution_;
  mechanism::Motions motions_;
  std::unique_ptr<Scratch> scratch_;  // for what forces did, where quantities ask for it
};

}  // namespace mortise::analysis
