#include "mortise/analysis/kinds.h"

#include <fmt/format.h>

#include "mortise/analysis/inverse_dynamics.h"
#include "mortise/analysis/kinematics.h"
#include "mortise/analysis/methods.h"
#include "mortise/analysis/observe.h"

namespace mortise::analysis {

namespace {

DynamicsResult inverse_dynamics(const mechanism::Mechanism& m, const DynamicsOptions& options) {
  return run_inverse_dynamics(m, options);
}

}  // namespace

const std::vector<AnalysisKind>& analyses() {
  static const std::vector<AnalysisKind> all{
      {"assemble", "the nearest pose and velocities that fulfil all constraints", nullptr},
      {"kinematics", "the motion that joints and drivers dictate, exact; masses and forces do not matter",
       run_kinematics},
      {"dynamics", "the motion under forces (default)", run_dynamics},
      {"inverse-dynamics", "efforts of the drivers and reactions along the driven motion", inverse_dynamics},
      {"statics", "an equilibrium, its stability and its free motions", nullptr},
      {"modes", "frequencies, damping ratios and shapes about an equilibrium", nullptr},
      {"sweep", "one analysis over a grid or a random sample of numbers, as a table", nullptr},
  };
  return all;
}

const AnalysisKind& find_analysis(const std::string& name, const Place& place) {
  std::vector<std::string> names;
  for (const AnalysisKind& kind : analyses()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  const std::string near = nearest_name(name, names);
  throw ModelError(
      Diagnostic{"M207", fmt::format("unknown analysis type '{}'", name), place,
                 (near.empty() ? "" : fmt::format("did you mean '{}'?   ", near)) + "(mortise list analyses)", false});
}

AssemblyResult run_assembly(const mechanism::Mechanism& m) {
  const model::AnalysisSettings& settings = m.model().analysis;
  AssemblyResult result;
  result.state = m.initial_state();
  result.report =
      assemble(m, result.state, {true, settings.allow_flip, rank_policy(settings), assembly_formulation(settings)});
  const auto formulation = make_formulation(settings);
  const auto stabilizer = make_stabilizer(settings, m);
  Motion motion(m, *formulation, *stabilizer, rank_policy(settings));
  Observer observer(m, motion, false);
  observer.resize(result.frame);
  observer.observe(result.state, result.frame);
  result.rank = observer.solution().rank;
  check_consistent(m, motion, observer.solution(), result.state.t);
  return result;
}

}  // namespace mortise::analysis
