#include "mortise/analysis/nearness.h"

#include <algorithm>

#include "mortise/analysis/diagnose_parts.h"

namespace mortise::analysis {

Nearness nearness(const mechanism::Mechanism& m, const State& state, const linalg::RankPolicy& policy, double near) {
  const Posed posed(m, state);
  gauss::Fronts fronts(m.pattern(), posed.column_size, m.pattern().velocity_size);
  fronts.factor(posed.e.problem, policy);
  Nearness out{fronts.rank().smallest_kept, {}};
  if (!(out.distance < near)) return out;
  // With a cut just above the smallest pivot the rows behind it count as dependent, and are named.
  std::vector<int> before;
  for (const gauss::Dependency& d : fronts.dependencies()) before.push_back(d.row);
  linalg::RankPolicy wider = policy;
  wider.fixed = 2 * out.distance;
  fronts.factor(posed.e.problem, wider);
  std::vector<int> rows;
  for (const gauss::Dependency& d : fronts.dependencies()) {
    if (std::find(before.begin(), before.end(), d.row) != before.end()) continue;
    for (std::size_t i = 0; i < d.rows.size(); ++i)
      if (std::abs(d.scaled[static_cast<Eigen::Index>(i)]) > 2 * out.distance) rows.push_back(d.rows[i]);
  }
  out.joints = posed.joints_of(rows);
  return out;
}

}  // namespace mortise::analysis
