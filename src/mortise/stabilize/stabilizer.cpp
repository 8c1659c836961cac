#include "mortise/stabilize/stabilizer.h"

#include <stdexcept>

#include "mortise/stabilize/kinds.h"

namespace mortise::stabilize {

const std::vector<StabilizerEntry>& stabilizers() {
  static const std::vector<StabilizerEntry> all{
      {"projection", "positions and velocities brought back to the constraints after each step (default)",
       make_projection},
      {"baumgarte", "constraint errors damped as an oscillator: gains alpha, beta, gamma", make_baumgarte},
      {"partition", "independent coordinates integrated, the dependent ones solved for in every evaluation",
       make_partition},
      {"staggered",
       "multipliers are integrated instead of solved for, and no rank is decided: with integrators that do so",
       make_staggered},
      {"penalty",
       "stiff springs and dampers in the place of joints, any rank: multipliers are what rows miss, by epsilon",
       make_penalty},
      {"none", "constraints hold at acceleration level only, and drift", make_none},
  };
  return all;
}

std::unique_ptr<Stabilizer> make_stabilizer(const std::string& name, const Settings& settings) {
  for (const StabilizerEntry& entry : stabilizers())
    if (entry.name == name) return entry.make(settings);
  throw std::invalid_argument("unknown stabilisation '" + name + "'");
}

}  // namespace mortise::stabilize
