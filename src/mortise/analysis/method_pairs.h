// Which settings of `analysis:` go together: integrators, their schemes and stabilisations.
#pragma once

#include <optional>
#include <string>

#include "mortise/error.h"
#include "mortise/model/model.h"

namespace mortise::analysis {

// What is wrong with the pair, and what to use instead (M480-M482, M484, M489); nothing where they go together.
std::optional<Diagnostic> misfit(const model::AnalysisSettings& settings);
// The same of names alone, with everything else as it is by default.
bool go_together(const std::string& integrator, const std::string& stabilize);

// `trapezoidal` and `backward-euler`.
bool takes_implicit_steps(const std::string& integrator);
// Those, and the two-stage one: their multipliers are integrated.
bool integrates_multipliers(const std::string& integrator);
// Whether it takes natural coordinates as they are, without their mass matrix: those that need rates alone, and the
// two-stage one.
bool takes_masses_of_trees(const std::string& integrator);
// The scheme of an implicit step: the one named, or that of the stabilisation.
std::string scheme_of(const model::AnalysisSettings& settings);

}  // namespace mortise::analysis
