// Redundant, or inconsistent? A dependency tᵀA = 0 is met when tᵀφ = 0, tᵀc_t = 0 and tᵀb = 0. What is left, ρ, is what
// the rows of t ask beyond one another: row i alone would have to give in by ρ / t_i. Dependencies are circuits: leave
// any row of one out and the rest can be met, so each set is the smallest there is.
#include <algorithm>
#include <cmath>

#include "mortise/analysis/diagnose_parts.h"

namespace mortise::analysis {

namespace {

Conflict conflict_of(const Posed& posed, const Redundancy& r, Level level, double residual) {
  const gauss::Pattern& pattern = posed.m.pattern();
  Conflict c;
  c.level = level;
  c.rows = r.rows;
  c.joints = r.joints;
  c.repairs.resize(r.coefficients.size());
  double least = -1;
  for (Eigen::Index i = 0; i < r.coefficients.size(); ++i) {
    c.repairs[i] = residual / r.coefficients[i];
    const double size = std::abs(c.repairs[i]) /
                        (level == Level::position ? pattern.position_size[index(r.rows[static_cast<std::size_t>(i)])]
                                                  : pattern.velocity_size[index(r.rows[static_cast<std::size_t>(i)])]);
    if (least < 0 || size < least * (1 - 1e-6)) least = size, c.easiest = static_cast<int>(i);
  }
  return c;
}

}  // namespace

void find_conflicts(const Posed& posed, const gauss::Fronts& fronts, const DiagnoseOptions& options, Diagnosis& out) {
  const gauss::Pattern& pattern = posed.m.pattern();
  // What rounding may leave of φ and φ̇, in shares of the mechanism's size, and what assembly accepts.
  constexpr double met = 1e-9;
  const bool assembled = posed.position_error() <= met;
  double scale = 0;
  for (int row = 0; row < pattern.m(); ++row)
    scale = std::max(scale, std::abs(fronts.row_scale(row) * posed.e.problem.b[row]));
  const double bound =
      options.rank.inconsistency(posed.e.problem.violation, std::max(out.rank.smallest_kept, 1e-8), scale);

  for (const Redundancy& r : out.redundancies) {
    double position = 0, position_size = 0, velocity = 0, velocity_size = 0, acceleration = 0;
    bool holonomic = true;
    for (std::size_t i = 0; i < r.rows.size(); ++i) {
      const auto row = index(r.rows[i]);
      const double c = r.coefficients[static_cast<Eigen::Index>(i)];
      holonomic = holonomic && pattern.rows[row].kind == gauss::RowKind::holonomic;
      position += c * posed.e.phi[r.rows[i]];
      position_size = std::max(position_size, std::abs(c) * pattern.position_size[row]);
      velocity += c * posed.e.c_t[r.rows[i]];
      velocity_size = std::max(velocity_size, std::abs(c) * pattern.velocity_size[row]);
      acceleration += c * posed.e.problem.b[r.rows[i]];
    }
    if (holonomic && std::abs(position) > met * position_size) {
      out.conflicts.push_back(conflict_of(posed, r, Level::position, position));
    } else if (!assembled) {
      continue;  // off the constraints, rates say nothing
    } else if (std::abs(velocity) > met * velocity_size) {
      out.conflicts.push_back(conflict_of(posed, r, Level::velocity, velocity));
    } else if (std::abs(acceleration) > bound) {
      out.conflicts.push_back(conflict_of(posed, r, Level::acceleration, acceleration));
    }
  }
  std::stable_sort(out.conflicts.begin(), out.conflicts.end(), [](const Conflict& a, const Conflict& b) {
    return a.level != b.level                   ? a.level < b.level
           : a.joints.size() != b.joints.size() ? a.joints.size() < b.joints.size()
                                                : a.rows.size() < b.rows.size();
  });
  // One a set of joints: further rows of the same joints say the same.
  std::vector<Conflict> distinct;
  for (Conflict& c : out.conflicts)
    if (std::none_of(distinct.begin(), distinct.end(), [&](const Conflict& d) { return d.joints == c.joints; }))
      distinct.push_back(std::move(c));
  out.conflicts = std::move(distinct);
}

}  // namespace mortise::analysis
