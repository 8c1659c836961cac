// Events as a Mechanism knows them: what an event looks at, and which rows it switches. Who looks, and when, is
// analysis/events.h.
//
//   mark, lock, unlock   at a time, or when a formula of named quantities crosses zero
//   breaks               when the reaction of a joint exceeds a limit: its rows are off for good
//   stop                 rows φ ≥ 0 that push only (−λ ≥ 0): ends of a joint's range, contacts
//   slip                 velocity rows that hold while |λ| ≤ µ_s N; else they are off and µ_k N acts against the slip
//   spring               a spring that is there while two bodies touch (contact/contact_springs.h)
//   rigid                never happens by itself: the numbers of contact-rigid (contact/rigid_contacts.h)
//
// A contact with friction is a stop and a slip. What an event remembers (modes, directions, held values) are numbers at
// `slot` in State::inputs: constant within a step, in every checkpoint, and open to forces.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "mortise/mechanism/mechanism.h"
#include "mortise/mechanism/quantities.h"

namespace mortise::mechanism {

class ContactSprings;
struct ContactSet;

struct Event {
  enum class Kind { mark, lock, unlock, breaks, stop, slip, spring, rigid };
  enum class Crossing { any, rising, falling };
  // Of a slip, in its first slot; the direction of the slip follows, one number a row.
  static constexpr double apart = 0, sticks = 1, slides = 2;

  ItemRef ref;
  Kind kind = Kind::mark;
  int slot = 0, slots = 0;

  // mark, lock, unlock
  double at = std::numeric_limits<double>::quiet_NaN(), every = 0;  // times at + k·every; every 0: once
  model::Function when;                                             // where `at` is not given
  std::vector<Quantity> quantities;                                 // of the formula
  Crossing crossing = Crossing::any;
  bool once = true;
  bool by_time() const { return at == at; }
  bool needs(Quantity::Source source) const;

  // lock, unlock, breaks
  std::vector<int> constraints;
  bool here = false;  // lock: holds the φ that the rows have then
  struct Hold {
    int row, slot;
  };
  std::vector<Hold> holds;       // where State::inputs has the φ of a row that is held
  double force = 0, torque = 0;  // limits of breaks; 0: none

  // stop and slip
  std::vector<int> rows;
  double restitution = 0;
  double rest_speed = -1;  // a slower rebound is none; below 0: a 10⁻⁴ of what is typical
  int partner = -1;        // of a contact with friction: the slip of the stop, and the other way round

  // slip
  int friction = -1;       // the force that acts while it slides
  double coefficient = 0;  // µ_k, or the force itself with a normal load of 1
  double static_ = 0;      // µ_s
  bool latch = false;      // once it sticks it never slips again
  double band = 0;         // of slip speed that already counts as none

  // spring, rigid
  const ContactSprings* springs = nullptr;
  int pair = -1;
  std::shared_ptr<const ContactSet> contacts{};
};

}  // namespace mortise::mechanism
