// How a motion is kept on its constraints. Settings only; shared by threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mortise/system/system.h"

namespace mortise {
class Motion;
}

namespace mortise::stabilize {

class Stabilizer {
 public:
  virtual ~Stabilizer() = default;
  virtual std::string name() const = 0;
  // Before each acceleration solve: may change b (Baumgarte).
  virtual void before_solve(Evaluation&) const {}
  // After each accepted step: may move the state back to the constraints. Returns whether it moved anything.
  virtual bool after_step(State&, Motion&) const { return false; }
};

struct Gains {
  double alpha = 10, beta = 10, gamma = 10;
};

struct StabilizerEntry {
  std::string name;
  std::string help;  // one line
  std::unique_ptr<Stabilizer> (*make)(const Gains&);
};
const std::vector<StabilizerEntry>& stabilizers();
std::unique_ptr<Stabilizer> make_stabilizer(const std::string& name, const Gains& gains);  // throws std::invalid_argument

}  // namespace mortise::stabilize
