// A model looked at before any run: assembled as far as it can be, then diagnosed. Models that cannot be assembled are
// diagnosed, too, at the best compromise: there the rows that stand against one another are dependent, and what is left
// of them is the conflict.
#pragma once

#include "mortise/analysis/assemble.h"
#include "mortise/analysis/diagnose.h"

namespace mortise::analysis {

struct Checkup {
  State state;  // that was looked at
  AssemblyReport assembly;
  bool assembled = true;
  Diagnosis diagnosis;

  bool conflict() const { return !assembled || !diagnosis.conflicts.empty(); }
};

// Throws SolveError for what assembly cannot do for other reasons than a conflict (S432, S420, S423, S410), and S431
// itself where no set of rows accounts for it. Large mechanisms whose modelled pose fulfils the joints are not
// assembled again: that would form a dense matrix of all rows.
Checkup check_up(const mechanism::Mechanism& mechanism, DiagnoseOptions options = {});

}  // namespace mortise::analysis
