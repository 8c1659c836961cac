// Brings the integrator `contact-stepping` and the contacts of a mechanism together.
#pragma once

#include "mortise/integrate/integrator.h"
#include "mortise/mechanism/mechanism.h"
#include "mortise/system/system.h"

namespace mortise::analysis {

// Gives the integrator the rigid contacts of the system, where it wants any. Throws ModelError (M495) for a mechanism
// with items of type contact-rigid and another integrator.
void give_contacts(integrate::Integrator& integrator, const model::AnalysisSettings& settings, const System& system);

// Throws ModelError (M495) for a mechanism with contacts of either kind: the analysis would not feel them.
void refuse_contacts(const mechanism::Mechanism& mechanism, const char* analysis);

}  // namespace mortise::analysis
