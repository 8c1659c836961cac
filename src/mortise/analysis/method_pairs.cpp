#include "mortise/analysis/method_pairs.h"

#include <fmt/format.h>

#include <algorithm>

#include "mortise/integrate/integrator.h"

namespace mortise::analysis {

namespace {

const std::string two_stages = "staggered-explicit-implicit";

bool of_baumgarte(const std::string& scheme) { return scheme.starts_with("baumgarte-"); }

Diagnostic error(const char* code, std::string message, const Place& place, std::string advice) {
  return {code, std::move(message), place, std::move(advice), false};
}

}  // namespace

bool takes_implicit_steps(const std::string& integrator) {
  return integrator == "trapezoidal" || integrator == "backward-euler";
}

bool integrates_multipliers(const std::string& integrator) {
  return integrator == two_stages || takes_implicit_steps(integrator);
}

bool takes_masses_of_trees(const std::string& integrator) {
  const std::vector<std::string> by_rates = integrate::flow_integrators();
  return integrator == two_stages || std::find(by_rates.begin(), by_rates.end(), integrator) != by_rates.end();
}

std::string scheme_of(const model::AnalysisSettings& a) {
  if (!a.scheme.empty()) return a.scheme;
  if (a.stabilize == "baumgarte") return "baumgarte-implicit";
  return a.stabilize == "none" ? "baumgarte-explicit" : "anchored-iterated";
}

std::optional<Diagnostic> misfit(const model::AnalysisSettings& a) {
  const auto has = [&](const char* level) {
    return std::find(a.levels.begin(), a.levels.end(), level) != a.levels.end();
  };
  const bool both = a.levels.empty() || (has("position") && has("velocity"));
  if (a.integrator == "generalized-alpha" && a.stabilize != "none" && !(a.stabilize == "projection" && both))
    return error("M497", "integrator 'generalized-alpha' fulfils the rows itself",
                 a.place_stabilize.known() ? a.place_stabilize : a.place_integrator,
                 "stabilize: none, or projection (of positions and velocities)");
  if (a.coordinates == "natural" && a.accelerations != "recursion" && !takes_masses_of_trees(a.integrator))
    return error("M489",
                 fmt::format("integrator '{}' needs the mass matrix, which 'accelerations: {}' does without",
                             a.integrator, a.accelerations),
                 a.place_coordinates, "coordinates: natural, whose matrix is then formed");
  if (a.coordinates == "natural" && a.preconditioner == "lagged" && a.integrator == two_stages)
    return error("M489", fmt::format("integrator '{}' keeps no factorisation of some time ago", two_stages),
                 a.place_coordinates, "preconditioner: branches");
  if (a.stabilize == "staggered" && !integrates_multipliers(a.integrator))
    return error("M480",
                 fmt::format("stabilize: staggered needs an integrator that takes implicit steps for multipliers, and "
                             "'{}' does not",
                             a.integrator),
                 a.place_stabilize,
                 "integrator: trapezoidal, backward-euler or staggered-explicit-implicit; with this one stabilize: "
                 "projection, or penalty, which decides no rank either");
  if (integrates_multipliers(a.integrator) && (a.stabilize == "penalty" || a.stabilize == "partition"))
    return error(
        "M482",
        a.stabilize == "penalty"
            ? fmt::format("integrator '{}' solves for its own multipliers: there is nothing for a penalty to "
                          "replace",
                          a.integrator)
            : fmt::format("integrator '{}' moves all coordinates: a partition would undo its steps", a.integrator),
        a.place_stabilize,
        a.stabilize == "penalty" ? "stabilize: staggered is the implicit form of it, with the same epsilon"
                                 : "stabilize: staggered or projection");
  if (a.integrator == two_stages && a.stabilize == "baumgarte")
    return error("M482",
                 fmt::format("integrator '{}' solves for its own multipliers, which know no feedback", two_stages),
                 a.place_stabilize, "stabilize: staggered, or projection where all rows are holonomic");
  for (const integrate::IntegratorEntry& entry : integrate::integrators())
    if (entry.name == a.integrator && !entry.any_flow && a.type == "kinematics")
      return error("M484",
                   fmt::format("integrator '{}' needs masses and forces, and kinematics has none", a.integrator),
                   a.place_integrator, "integrator: adams, rk45 or rk4");
  if (!takes_implicit_steps(a.integrator)) return std::nullopt;
  const bool feedback = a.stabilize == "baumgarte" || a.stabilize == "none";
  if (!a.scheme.empty() && of_baumgarte(a.scheme) != feedback)
    return error("M481", fmt::format("scheme '{}' does not go with stabilize: {}", a.scheme, a.stabilize),
                 a.place_integrator,
                 feedback ? "baumgarte-implicit, baumgarte-explicit or baumgarte-integral, or stabilize: staggered"
                          : "anchored-iterated, anchored or history, or stabilize: baumgarte");
  if (!a.joint_gains.empty())
    return error("M482", fmt::format("integrator '{}' knows no gains of single joints", a.integrator),
                 a.joint_gains.front().place, "alpha, beta and gamma of all, or integrator: rk4");
  return std::nullopt;
}

bool go_together(const std::string& integrator, const std::string& stabilize) {
  model::AnalysisSettings settings;
  settings.integrator = integrator;
  settings.stabilize = stabilize;
  return !misfit(settings);
}

}  // namespace mortise::analysis
