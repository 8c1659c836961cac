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

// The most memory that the program had so far [bytes].
double peak_memory();
// What the model and its run took: the peak beyond what the program had before it was loaded.
struct MemoryUse {
  double peak = 0, a_body = 0;  // bytes
};
MemoryUse memory_use(const mechanism::Mechanism& m, double before);
void print_memory(const MemoryUse& memory);

// How far the assembly moved a body; what is rounding is 0.
std::string move_words(const mechanism::Mechanism& m, const analysis::BodyMove& move);
void print_assembly(const mechanism::Mechanism& m, const analysis::AssemblyReport& report);
void print_events(const mechanism::Mechanism& m, const std::vector<analysis::EventEntry>& events,
                  const std::vector<Stretch>& stretches);
// Poses where the motion could have gone on in another way, or the nearest to one.
void print_poses(const mechanism::Mechanism& m, const analysis::DynamicsResult& result);
void print_json(const mechanism::Mechanism& m, const analysis::DynamicsResult& r, const std::vector<Stretch>& stretches,
                const std::string& output, const MemoryUse& memory);

}  // namespace mortise::cli
