// The analyses of `mortise run` that give a report instead of a motion: assemble, statics, modes, sweep.
#pragma once

#include <string>

#include "mortise/mechanism/mechanism.h"

namespace mortise::cli {

struct ReportOptions {
  std::string output;  // "" = none; a pose or the animations of modes as a result file, a sweep as CSV
  bool quiet = false, json = false;
};

// Returns the exit code; throws as the analyses do.
int run_report(const mechanism::Mechanism& mechanism, const ReportOptions& options);

}  // namespace mortise::cli
