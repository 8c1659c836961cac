#include "mortise/system/system.h"

#include <algorithm>

namespace mortise {

void Evaluation::resize(const gauss::Pattern& p) {
  problem.resize(p);
  phi.setZero(p.m());
  phidot.setZero(p.m());
  c_t.setZero(p.m());
  kinetic = potential = power_dissipated = power_applied = 0;
}

void System::qdot(ConstSpan, ConstSpan v, Span out) const { std::copy(v.begin(), v.end(), out.begin()); }

void System::tangent(ConstSpan, ConstSpan qdot, Span v) const { std::copy(qdot.begin(), qdot.end(), v.begin()); }

void System::retract(ConstSpan q, ConstSpan dv, Span out) const {
  for (std::size_t i = 0; i < q.size(); ++i) out[i] = q[i] + dv[i];
}

void System::typical_sizes(Span q, Span v) const {
  std::fill(q.begin(), q.end(), 1.0);
  std::fill(v.begin(), v.end(), 1.0);
}

std::string System::row_name(int row) const { return "row " + std::to_string(row); }
std::string System::block_name(int block) const { return "block " + std::to_string(block); }

SolveReport System::blame_non_finite(const State& state) const {
  SolveReport report;
  report.code = "S410";
  report.time = state.t;
  report.message = "the system gave a number that is not finite";
  return report;
}

}  // namespace mortise
