// The registry of analyses: what `analysis: type:` may say. A new one is a file of its own and a line here.
#pragma once

#include "mortise/analysis/dynamics.h"

namespace mortise::analysis {

struct AnalysisKind {
  std::string name;
  std::string help;  // one line
  // Of those that give a motion: frames go to the sink of the options. Others (assemble, statics, modes, sweep) have
  // results of their own: run_assembly, run_statics, run_modes, run_sweep.
  DynamicsResult (*run)(const mechanism::Mechanism&, const DynamicsOptions&) = nullptr;
};
const std::vector<AnalysisKind>& analyses();
// Throws ModelError (M207) with the nearest name.
const AnalysisKind& find_analysis(const std::string& name, const Place& place = {});

// `type: assemble`: the modelled pose on its constraints, and the frame there (accelerations and reactions as at the
// start of a run).
struct AssemblyResult {
  AssemblyReport report;
  State state;
  Frame frame;
  linalg::Rank rank;
};
AssemblyResult run_assembly(const mechanism::Mechanism& mechanism);

}  // namespace mortise::analysis
