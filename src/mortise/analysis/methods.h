// What the analysis settings name, made: formulation, stabiliser, rank policy. The one place that reads these settings.
#pragma once

#include <memory>

#include "mortise/gauss/formulation.h"
#include "mortise/integrate/integrator.h"
#include "mortise/model/model.h"
#include "mortise/motion/stabilizer.h"

namespace mortise::analysis {

// The names in the settings exist, go together, and are in this build; the integrator has what it needs. Throws
// ModelError (M206, M207; M480-M484 for what does not go together) with the place of the setting and the nearest name.
void check_settings(const model::AnalysisSettings& settings);
// The same but for which integrator goes with which stabilisation.
void check_names(const model::AnalysisSettings& settings);

linalg::RankPolicy rank_policy(const model::AnalysisSettings& settings);
std::unique_ptr<gauss::Formulation> make_formulation(const model::AnalysisSettings& settings);
// With which poses are assembled: the default one, and one that does without mass where that of the run does, too. Both
// meet contradicting rows by least squares, as assembly needs it.
std::string assembly_formulation(const model::AnalysisSettings& settings);
// Gains of single joints are those of the rows that the system names after them ("A.x"). Throws ModelError (M207) for a
// joint without rows.
std::unique_ptr<Stabilizer> make_stabilizer(const model::AnalysisSettings& settings, const System& system);

std::unique_ptr<integrate::Integrator> make_integrator(const model::AnalysisSettings& settings);

}  // namespace mortise::analysis
