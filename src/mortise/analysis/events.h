// Events of a run: finds when they happen, switches rows, lets velocities jump, and keeps the ledger.
//
//   search   after each step: the earliest zero of the witnesses on the dense output, or a time that has come
//   handle   at that state: (1) switches what the events say; (2) impulses, where rows that are now on are violated or
//            stops are hit (impulse.h); (3) which stops stay closed and which slips stick, so that the accelerations
//            fit: a closed stop pushes, an open one that touches does not sink in, sticking friction is within its cone
//
// Bounces that follow one another ever faster end in rest (`rest_speed`); events that pile up otherwise end the run
// with S460. A stop that was just left is not looked at before the top of its flight, to which the next step is cut.
// All modes are in State::active and State::inputs; what else is remembered goes into State::memory: a resumed run
// finds the same events with the same bits. Handling an event allocates, the steps between them do not.
//
// All states here are absolute. Where a run integrates other unknowns, `read_with` says how to come from its (t, y) to
// them, and the run lifts and lowers the states of begin, arm, handle and load.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mortise/analysis/impulse.h"
#include "mortise/analysis/sink.h"
#include "mortise/analysis/watch.h"
#include "mortise/model/model.h"

namespace mortise::analysis {

class EventRun {
 public:
  EventRun(const mechanism::Mechanism& mechanism, const linalg::RankPolicy& policy);

  void read_with(Watch::Reader reader) { watch_.read_with(std::move(reader)); }
  // Modes at the start: what touches, what slips. Throws SolveError (S462) for a stop that begins inside.
  void begin(State& state, std::vector<EventEntry>& ledger);
  // The next step must not go past this.
  double stop(double t, double until) const;
  // After the integrator has begun at (t, y) with the modes of the state.
  void arm(double t, ConstSpan y, const State& state);
  // The time of the earliest event in the last step.
  std::optional<double> search(const integrate::Integrator& integrator);
  // Handles what `search` found; t, q and v of the state are those of that time.
  void handle(State& state, std::vector<EventEntry>& ledger);

  void forget() { watch_.forget(); }
  void save(Memory& memory) const;
  void load(const State& state, std::size_t size_of_y);

 private:
  struct Plan;  // of one handling
  const mechanism::Event& event(int k) const { return mechanism_.events()[static_cast<std::size_t>(k)]; }
  double next_time(const mechanism::Event& event, const State& state) const;
  void switch_rows(Plan& plan, const mechanism::Event& event, bool on);
  void fire(Plan& plan, const Watched& w);
  void trigger(Plan& plan, int number);
  void lock(Plan& plan, const mechanism::Event& event);
  void jump(Plan& plan);
  void find_modes(Plan& plan);
  void take_up(Plan& plan);
  void plan_flight(const Plan& plan);
  void note(Plan& plan, int number, const char* what, const std::vector<int>& constraints);
  void set_slip(State& state, const mechanism::Event& event, double mode, const Vector& direction, double length);
  void guard(double t, int fired);
  [[noreturn]] void fail_inside(double t, const char* code, const mechanism::Event& event, double gap) const;
  double kinetic(const State& state) const;
  void close(Plan& plan, double before) const;
  std::string names(const std::vector<int>& constraints) const;
  int constraint_of(int row) const;

  const mechanism::Mechanism& mechanism_;
  Watch watch_;
  integrate::RootFinder finder_;
  ImpulseSolver impulses_;
  std::vector<Watched> fired_;     // by the last search
  std::vector<int> just_fired_;    // numbers of these witnesses, until they are armed again
  State modes_;                    // only active and inputs
  double apex_ = 0;                // of a flight: no step goes past it; 0: none
  double recent_ = 0, crowd_ = 0;  // since when events crowd, and how many
  Vector vector_;
};

}  // namespace mortise::analysis
