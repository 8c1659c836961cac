// What `mortise run` tells of a motion when it ends: how it was assembled, events with what holds after them, singular
// poses; for people, and as JSON.
#pragma once

#include <string>
#include <vector>

#include "mortise/analysis/diagnose.h"
#include "mortise/analysis/dynamics.h"

namespace mortise::cli {

// What holds between two events: the diagnosis after those before `line` of the ledger.
struct Stretch {
  std::size_t line = 0;
  analysis::Diagnosis diagnosis;
};

void print_assembly(const mechanism::Mechanism& m, const analysis::AssemblyReport& report);
void print_events(const mechanism::Mechanism& m, const std::vector<analysis::EventEntry>& events,
                  const std::vector<Stretch>& stretches);
// Poses where the motion could have gone on in another way, or the nearest to one.
void print_poses(const mechanism::Mechanism& m, const analysis::DynamicsResult& result);
void print_json(const mechanism::Mechanism& m, const analysis::DynamicsResult& r, const std::vector<Stretch>& stretches,
                const std::string& output);

}  // namespace mortise::cli
