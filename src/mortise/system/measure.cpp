#include "mortise/system/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mortise {

double scaled_max(const Vector& error, const std::vector<double>& sizes) {
  double worst = 0;
  for (Eigen::Index i = 0; i < error.size(); ++i)
    worst = std::max(worst, std::abs(error[i]) / sizes[static_cast<std::size_t>(i)]);
  return worst;
}

SolveReport singular_mass(const System& system, double t, int block, std::string why) {
  SolveReport report;
  report.code = "S420";
  report.time = t;
  report.message = fmt::format("the mass matrix is singular at body '{}'", system.block_name(std::max(0, block)));
  report.details.push_back(std::move(why));
  report.advice = "give the body mass and inertia above zero, or make it a particle";
  return report;
}

SolveReport not_unique(double t, int missing) {
  SolveReport report;
  report.code = "S423";
  report.time = t;
  report.message = fmt::format("{} motion{} neither mass nor constraint: the accelerations are not unique", missing,
                               missing == 1 ? " has" : "s have");
  report.advice = "give every body mass and inertia, or a joint that holds it";
  return report;
}

}  // namespace mortise
