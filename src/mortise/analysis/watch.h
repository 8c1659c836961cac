// What events look at, as functions of (t, y): gaps, slips, reactions against their limits, formulas. The zeros of
// these witnesses are the times of the events (integrate/root.h).
//
//   when    the formula                                              mark, lock, unlock
//   broken  1 − max(|F|/force, |τ|/torque)              falling      breaks
//   gap     φ of a row that is off                      falling      stop
//   push    −λ of a row that is on                      falling      stop
//   cone    µ_s |N| − |λ_t| of rows that stick          falling      slip
//   slip    d·s of rows that slide (several: |s| less a band)  falling  slip
//   spring  where the phase of a contact spring ends           falling  spring
//
// One evaluation of the constraints serves all witnesses at a time; accelerations and multipliers are solved for only
// while somebody asks for them. Nothing is allocated after construction, but by a reader.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "mortise/integrate/root.h"
#include "mortise/mechanism/event.h"
#include "mortise/motion/motion.h"

namespace mortise::analysis {

struct Watched {
  enum class What { when, broken, gap, push, cone, slip, spring };
  int event = 0;
  What what = What::when;
  int row = 0;   // of gap and push: the row; its number in the event
  int slot = 0;  // of spring: which of its witnesses
};

class Watch {
 public:
  Watch(const mechanism::Mechanism& mechanism, const linalg::RankPolicy& policy);

  const std::vector<Watched>& watched() const { return watched_; }
  std::vector<integrate::Witness> witnesses();

  // How (t, y) is read where y is not that of absolute coordinates: t, q, v and work of the absolute state.
  using Reader = std::function<void(double t, ConstSpan y, State& absolute)>;
  void read_with(Reader reader) { reader_ = std::move(reader); }

  // From here on rows and modes are those of the state.
  void set_modes(const State& state);
  void forget() { motion_.forget(); }

  // Solves at a state; rows() and solution() are then those of it.
  void look(State& state, bool solve);
  const mechanism::Motions& motions() const { return motions_; }
  const Evaluation& rows() const { return rows_; }  // with the rows of all events (and those of `extra`) on
  const gauss::GaussSolution& solution() const { return solution_; }
  void add_rows(const std::vector<int>& extra);  // to be evaluated with those of the events

  double value(const Watched& w);  // at the last look
  // How far it may be on the wrong side by rounding alone.
  double tolerance(const Watched& w) const;
  double static_limit(const mechanism::Event& event);
  // Slip of an event's rows at the last look; returns its length.
  double slip(const mechanism::Event& event, Vector& out) const;
  double friction(const mechanism::Event& event, Vector& out) const;  // the same for λ

 private:
  double at(const Watched& w, double t, ConstSpan y);
  double formula(const mechanism::Event& event);
  double load(const mechanism::Event& event);
  mechanism::Instant instant();

  const mechanism::Mechanism& mechanism_;
  std::unique_ptr<gauss::Formulation> formulation_;
  std::unique_ptr<Stabilizer> stabilizer_;
  Motion motion_;
  std::unique_ptr<Scratch> scratch_, force_scratch_;
  std::vector<Watched> watched_;
  std::vector<unsigned char> probe_, on_;  // rows that are evaluated although they may be off; with those that are on
  State state_;                            // of the witnesses; its modes are those of the run
  const State* seen_ = nullptr;            // of the last look
  Evaluation rows_;
  gauss::GaussSolution solution_;
  mechanism::Motions motions_;
  Vector reactions_, vector_;
  std::vector<double> variables_;
  double force_scale_ = 1;
  bool solve_ = false, solved_ = false, fresh_ = false;
  Reader reader_;
};

}  // namespace mortise::analysis
