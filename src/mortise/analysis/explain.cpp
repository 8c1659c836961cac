// Why a run cannot go on: constraints that contradict one another, or a step that was lost because something is not
// finite, or out of all proportion, near the place where the steps ended.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mortise/analysis/dynamics.h"

namespace mortise::analysis {

// Rows that no acceleration can fulfil: constraints that agreed before contradict one another now.
void check_consistent(const mechanism::Mechanism& mechanism, const Motion& motion, const gauss::GaussSolution& solution,
                      double t) {
  const auto& verdicts = solution.verdicts;
  const auto conflicting = [](gauss::RowVerdict v) { return v == gauss::RowVerdict::conflicting; };
  if (std::none_of(verdicts.begin(), verdicts.end(), conflicting)) return;
  // The accelerations are the best compromise: it misses exactly the rows that stand against one another.
  const gauss::GaussProblem& problem = motion.evaluation().problem;
  Vector off(problem.b.size());
  problem.multiply_A(as_span(solution.a), as_span(off));
  off = (off - problem.b).cwiseAbs().cwiseProduct(as_vector(ConstSpan(problem.pattern->row_scale)));
  const double worst = off.maxCoeff();
  std::string rows;
  for (int i = 0; i < off.size(); ++i)
    if (off[i] > 0.02 * worst || conflicting(verdicts[static_cast<std::size_t>(i)]))
      rows += (rows.empty() ? "" : ", ") + mechanism.row_name(i);
  SolveReport report;
  report.code = "S430";
  report.exit = ExitCode::conflict;
  report.time = t;
  report.message = "constraints contradict one another from here on";
  report.details.push_back("cannot be met together: " + rows);
  report.advice = "drop or change one of them (two drivers on one motion?)";
  // Rows that are redundant only on the constraints come to disagree when the state has left them.
  const Violation drift = motion.violation(motion.evaluation());
  if (std::max(drift.position, drift.velocity) > 1e-10) {
    report.details.push_back(
        fmt::format("the state has drifted off the constraints: by {:.1e} in positions, {:.1e} in "
                    "velocities (scaled)",
                    drift.position, drift.velocity));
    report.advice = "stabilize: projection keeps the state on the constraints; " + report.advice;
  }
  throw SolveError(report);
}

SolveReport explain_lost_step(const mechanism::Mechanism& mechanism, const Motion& motion, State there, double until,
                              SolveReport report) {
  const double begin = there.t, unit = begin > 0 ? begin - std::nextafter(begin, 0.0) : 1e-16 * until;
  for (double distance = 0; distance < 1e-3 * until; distance += std::max(unit, distance / 128))
    for (const double side : {1.0, -1.0}) {
      there.t = begin + side * distance;
      const SolveReport blame = mechanism.blame_non_finite(there);
      if (!blame.place.known()) continue;
      report.details.insert(report.details.begin(), fmt::format("{} at t = {:.17g} s", blame.message, there.t));
      report.place = blame.place;
      return report;
    }
  // No number is missing, but one may be out of all proportion: a pole that the steps cannot reach. Names what asks for
  // the largest acceleration by far: a row, or the forces on a body.
  const gauss::Pattern& pattern = mechanism.pattern();
  const gauss::GaussProblem& problem = motion.evaluation().problem;
  double largest = 0;
  std::string what;
  for (const mechanism::Constraint& c : mechanism.constraints())
    for (int row = c.row; row < c.row + c.rows; ++row) {
      const double share = std::abs(problem.b[row]) * until / pattern.velocity_size[static_cast<std::size_t>(row)];
      if (!(share > largest)) continue;
      largest = share;
      what = fmt::format("{} '{}' asks for an acceleration of {:.1e} here", c.driver ? "driver" : "joint",
                         mechanism.name(c.ref), std::abs(problem.b[row]));
      if (share > 1e9) report.place = mechanism.place(c.ref);
    }
  Vector q_sizes(mechanism.q_size()), v_sizes(mechanism.v_size());
  mechanism.typical_sizes(as_span(q_sizes), as_span(v_sizes));
  for (int block = 0; block < pattern.columns.count(); ++block)
    for (int k = 0; k < pattern.columns.size(block); ++k) {
      const int column = pattern.columns.begin(block) + k;
      const double mass =
          problem.M[pattern.M_offset[static_cast<std::size_t>(block)] + k * pattern.columns.size(block) + k];
      const double share = std::abs(problem.Q[column]) / mass * until / v_sizes[column];
      if (!(share > largest)) continue;
      largest = share;
      what = fmt::format("the forces on body '{}' ask for an acceleration of {:.1e} here", mechanism.block_name(block),
                         std::abs(problem.Q[column]) / mass);
      report.place = {};
    }
  if (!what.empty()) report.details.insert(report.details.begin(), what);
  return report;
}

}  // namespace mortise::analysis
