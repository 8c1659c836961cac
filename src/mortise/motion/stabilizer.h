// How a motion is kept on its constraints: what Motion asks of a stabiliser. The kinds live in stabilize/.
#pragma once

#include <string>

#include "mortise/system/system.h"

namespace mortise {

class Motion;

// In which states are near to one another: kinetic energy, or the plain sum of squares.
enum class Metric { mass, identity };

// One per run: it may remember what it chose (a partition of the coordinates).
class Stabilizer {
 public:
  virtual ~Stabilizer() = default;
  virtual std::string name() const = 0;
  // Before each evaluation: may complete a state of which only a part is integrated (coordinate partitioning).
  virtual void complete(State&, Motion&) {}
  // Before each acceleration solve: may change b (Baumgarte).
  virtual void before_solve(Evaluation&) {}
  // After it: may change the accelerations.
  virtual void after_solve(gauss::GaussSolution&, Motion&) {}
  // Of all projections of the motion.
  virtual Metric metric() const { return Metric::mass; }
  // Whether after_step takes away every error across the constraints.
  virtual bool projects() const { return false; }
  // After each accepted step: may move the state back to the constraints. Returns whether it moved anything.
  virtual bool after_step(State&, Motion&) { return false; }
  // Forgets what it chose, at every checkpoint of a straight run too: a resumed one has the same bits.
  virtual void forget() {}
};

}  // namespace mortise
