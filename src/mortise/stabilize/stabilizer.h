// The registry of stabilisations.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mortise/motion/stabilizer.h"

namespace mortise::stabilize {

struct Gains {
  double alpha = 10, beta = 10, gamma = 10;
};

struct StabilizerEntry {
  std::string name;
  std::string help;  // one line
  std::unique_ptr<Stabilizer> (*make)(const Gains&);
};
const std::vector<StabilizerEntry>& stabilizers();
std::unique_ptr<Stabilizer> make_stabilizer(const std::string& name,
                                            const Gains& gains);  // throws std::invalid_argument

}  // namespace mortise::stabilize
