// How a motion is kept on its constraints: what Motion asks of a stabiliser. The kinds live in stabilize/.
#pragma once

#include <string>

#include "mortise/system/system.h"

namespace mortise {

class Motion;

// Settings only; shared by threads.
class Stabilizer {
 public:
  virtual ~Stabilizer() = default;
  virtual std::string name() const = 0;
  // Before each acceleration solve: may change b (Baumgarte).
  virtual void before_solve(Evaluation&) const {}
  // Whether after_step takes away every error across the constraints.
  virtual bool projects() const { return false; }
  // After each accepted step: may move the state back to the constraints. Returns whether it moved anything.
  virtual bool after_step(State&, Motion&) const { return false; }
};

}  // namespace mortise
