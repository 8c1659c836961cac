#include "mortise/system/system.h"

namespace mortise {

void Evaluation::resize(const gauss::Pattern& p) {
  problem.resize(p);
  phi.setZero(p.m());
  phidot.setZero(p.m());
  c_t.setZero(p.m());
  kinetic = potential = power_dissipated = power_applied = 0;
}

}  // namespace mortise
