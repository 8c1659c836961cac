// Contact by springs that are there only while bodies touch: they store the energy of an impact and return a share of
// it (004, Task 1; specs/nasa-6-massively-parallel-transient-fe.md §3.6).
//
//     loading     f = k x                              x = −gap, ẋ ≥ 0
//     returning   f = (k/η)(x − x_p)                   η = e²,  x_p = (1 − η) x_max:  η ½k x_max² comes back
//     parted      0, until the gap opens (x = 0) or, still inside, they approach again
//     resting     f = max(0, k (x − x₀) + c ẋ),  c = 2√(kµ):  after an approach from inside, and at once where e = 0
//
// The force is continuous at the reversal, equal and opposite at one point, and never pulls: momentum and spin are
// exact. What does not come back, (1 − η) ½k x_max², is booked as dissipated at the reversal. An impact without other
// forces lasts (π/2)√(µ/k)(1 + √η) and ends at e times its speed; under weight, too, the energy is that share. Bodies
// that would bounce less high than they are inside come to rest on a damped spring; nothing creeps.
//
// Phases change where the gap, its rate or the force cross zero: events, so that every integrator meets its tolerance
// across them. Phase, x_p or x₀, x_max and what was lost are numbers in State::inputs: constant within a step.
//
// One side of a pair is a ball: a sphere, an end of a capsule on a plane, a corner of a box on a plane (radius zero).
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "mortise/mechanism/contact/contact_set.h"

namespace mortise::mechanism {

class ContactSprings final : public ForceGroup {
 public:
  enum Phase : int { apart = 0, loading = 1, returning = 2, parted = 3, resting = 4 };
  static constexpr int slots = 4;  // phase, x_p or x₀, x_max, lost

  struct Pair {
    ContactPiece ball, other;
    double k = 0, eta = 1, damping = 0;
    double mass = 0;  // reduced
    int slot = 0;
    int item = 0;  // number of the force
    int event = 0;
  };
  struct Item {
    int item = 0;
    std::size_t begin = 0, end = 0;  // its pairs
    Place place;
  };
  std::vector<Pair> pairs;
  std::vector<Item> items;
  std::deque<std::string> names;  // ends of the names of events; their addresses stay
  const Mechanism* mechanism = nullptr;

  // How deep a pair is, how fast it goes deeper, along which normal (from the ball on) and where.
  struct Depth {
    double x = 0, rate = 0;
    Eigen::Vector3d normal = Eigen::Vector3d::Zero(), point = Eigen::Vector3d::Zero();
  };
  Depth depth(const Pair& pair, const Motions& motions) const;
  struct Push {
    double force = 0, stored = 0, dissipated = 0;
  };
  static Push push(const Pair& pair, ConstSpan memory, double x, double rate);

  // For events. Witness 0 or 1 of a pair: falls through zero where its phase ends; 1 where there is none.
  double witness(int pair, int which, const Motions& motions, ConstSpan inputs) const;
  double tolerance(int pair) const;
  // The phase that follows at this state; writes the memory, returns what was lost. `what`: for the ledger.
  double advance(int pair, const Motions& motions, Span inputs, const char*& what) const;
  // At the start of a run; returns how deep a pair is that begins inside (0: it does not).
  double begin(int pair, const Motions& motions, Span inputs) const;

  int first() const override { return items.front().item; }
  void apply(const Motions& motions, const ForceContext& context, unsigned needs, Evaluation& out) const override;
  int first_non_finite(const Motions& motions, const ForceContext& context, Place& place) const override;

 private:
  Eigen::Vector3d velocity(int body, const Eigen::Vector3d& x, const Motions& motions) const;
  void add(int body, const Eigen::Vector3d& x, const Eigen::Vector3d& force, const Motions& motions, Vector& Q) const;
};

}  // namespace mortise::mechanism
