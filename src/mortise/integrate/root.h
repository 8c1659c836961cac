// Where a motion meets an event: the earliest sign change of witness functions g(t, y) inside the last step.
//
// A witness changes sign where something happens: a gap closes, a clutch slips, a driver reaches its end. After each
// step `search` looks at the dense output of the step at `samples` interior points and at its end, takes the first
// interval in which a wanted sign change lies, and closes in on it until the bracket is two neighbouring numbers of t
// or a few units of rounding wide (Illinois: the secant that halves the weight of an end that stays, Dowell and
// Jarratt, BIT 11 (1971) 168-174; a bisection whenever three secants have not cut the bracket to an eighth).
//
// The root that is reported is the upper end of the bracket: there the sign has changed, so a run that goes on from it
// does not find the same root again.
//   - Witnesses that have changed sign at the same reported time fire together, in the order of their indices.
//   - A witness that is zero where the search begins is not armed: it takes the first sign that it shows at a sample.
//   So
//     an event may begin on its own root, and `disarm` says so for a witness that is there only up to rounding.
//   - Reaching zero from a wanted side is a root, whether or not the sign changes afterwards.
// Two roots of one witness between two samples cancel and are missed. `samples` (default 4: fifths of a step) is the
// guard: a witness that dips through zero and back within a fifth of a step goes unseen. A smaller max_step or more
// samples find it; the cost is one dense output and one evaluation of all witnesses a sample.
// The signs live in `save`/`load`, so a resumed run finds the same roots. Nothing is allocated after construction and
// the first `arm`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mortise/integrate/integrator.h"

namespace mortise::integrate {

enum class Direction { any, rising, falling };

struct Witness {
  std::string name;                            // for messages
  std::function<double(double, ConstSpan)> g;  // g(t, y)
  Direction direction = Direction::any;
};

struct Root {
  double t = 0;
  std::span<const int> witnesses;  // those that fired, by ascending index; valid until the next search
  bool rising(std::size_t i) const { return signs[i] > 0; }
  std::span<const signed char> signs;  // +1 rising, −1 falling, of each in `witnesses`
};

class RootFinder {
 public:
  explicit RootFinder(std::vector<Witness> witnesses, int samples = 4);

  // Notes the signs at (t, y): at the start, and after an event has changed the state.
  void arm(double t, ConstSpan y);
  // Witness k counts as zero here: it is armed by the first sign that it shows later.
  void disarm(int k);

  // The earliest root after the time searched so far and up to integrator.t(); nothing: the whole step has been
  // searched. May be called again after a root, to find the next one of the same step.
  // Throws SolveError (S403) when a witness is not finite.
  std::optional<Root> search(const Integrator& integrator);

  double searched() const { return searched_; }
  long evaluations() const { return evaluations_; }  // of single witnesses

  void save(Memory& memory) const;
  void load(const Memory& memory, std::size_t size_of_y);

 private:
  double witness(int k, double t, ConstSpan y);
  bool wanted(int k, double sign, double g) const;
  double close_in(const Integrator& integrator, int k, double a, double ga, double b, double gb);

  std::vector<Witness> witnesses_;
  int samples_;
  double searched_ = 0;
  long evaluations_ = 0;
  std::vector<double> sign_;  // −1, 0 (not armed), 1 at searched_
  std::vector<double> g_a_, g_b_;
  Vector y_;
  std::vector<int> fired_;
  std::vector<signed char> fired_signs_;
};

}  // namespace mortise::integrate
