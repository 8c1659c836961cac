// A mechanism to play with from a program: step it, ask it, set its inputs, branch it, control it.
//
//     Simulation sim(ModelBuilder::planar("Pendulum"). … .build(parts.catalogue()));
//     sim.every(0.01, [](Simulation& s) { s.set("torque", -10 * s.get("A.angle")); });
//     sim.advance_to(5);
//     std::cout << sim.get("arm.x");
//
// Time is exact: `advance_to(t)` ends at t, repeated `step(dt)` at t₀ + n·dt (a product, not a sum), and what was asked
// for with `every(T)` is called at k·T. The integrator of the model's analysis settings lands on these times; where an
// input has changed it begins anew there, so that the jump lies between two steps and costs no accuracy.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "mortise/analysis/assemble.h"
#include "mortise/analysis/events.h"
#include "mortise/analysis/observe.h"
#include "mortise/analysis/quantity.h"
#include "mortise/analysis/stepper.h"
#include "mortise/mechanism/parts.h"

namespace mortise::analysis {

class Simulation {
 public:
  // Compiles and assembles. Throws ModelError for mistakes in the model, SolveError where it cannot be assembled. The
  // part list must be that of the model's catalogue.
  explicit Simulation(model::Model model, const mechanism::PartList& parts = mechanism::standard_parts());
  explicit Simulation(std::shared_ptr<const mechanism::Mechanism> mechanism);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  const mechanism::Mechanism& mechanism() const { return *mechanism_; }
  const AssemblyReport& assembly() const { return assembly_; }
  double t() const { return stepper_.t(); }

  void step(double dt);
  void advance_to(double t);  // not before the present; throws std::invalid_argument
  // Called before every step of the integrator, in the thread that advances: what it throws ends the advance there, at
  // a good state.
  void watch(std::function<void()> each_step) { watch_ = std::move(each_step); }

  // An input of the model (`inputs:`). Throws ModelError (M190) with the nearest name.
  void set(const std::string& input, double value);
  // Any named quantity, here and now: the names of `mortise probe`. Throws ModelError (M160) with the nearest name.
  double get(const std::string& quantity);

  // What has happened so far (`events:` of the model); not part of state().
  const std::vector<EventEntry>& events() const { return ledger_; }

  // Calls back at every k·period from the present on (k = 0, 1, …), on arrival there: get() tells what is measured,
  // set() holds until the next call. Several are called in the order in which they were added. A callback may not
  // advance the simulation itself.
  void every(double period, std::function<void(Simulation&)> callback);

  // All that the future depends on, except what callbacks remember themselves: copy it, restore it here or in another
  // simulation of the same model with the same callbacks; both go on with the same bits.
  State state();
  void restore(const State& state);

  const integrate::Counters& counters() const { return stepper_.counters(); }

 private:
  struct Sampled {
    double period = 0;
    double next = 0;  // the k of the next call
    std::function<void(Simulation&)> callback;
  };

  void call_due();
  void integrate_to(double t);
  void integrate_steps(double t);
  const Frame& frame();

  std::shared_ptr<const mechanism::Mechanism> mechanism_;
  Stepper stepper_;
  ReactionRule rule_;
  Observer observer_;
  std::unique_ptr<EventRun> events_;
  std::vector<EventEntry> ledger_;
  AssemblyReport assembly_;
  Vector inputs_;
  bool inputs_changed_ = false;
  std::vector<Sampled> sampled_;
  std::function<void()> watch_;
  bool calling_ = false;
  double dt_ = 0, dt_start_ = 0, dt_count_ = 0;  // step(dt) has been called dt_count_ times since dt_start_
  std::unordered_map<std::string, Quantity> quantities_;
  Frame frame_;
  State scratch_;
  bool frame_is_now_ = false;
};

}  // namespace mortise::analysis
