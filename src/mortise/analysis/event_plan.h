// What one handling of events carries from stage to stage (events.cpp, event_modes.cpp).
#pragma once

#include <set>
#include <vector>

#include "mortise/analysis/events.h"

namespace mortise::analysis {

struct EventRun::Plan {
  State& state;
  std::vector<EventEntry>& ledger;
  std::size_t first;                  // entry of this time
  std::vector<int> new_rows;          // bilateral, on from now
  std::set<int> hit;                  // rows of stops whose gap is zero here, up to what projection moved since
  std::set<int> left;                 // rows of stops that were released now: they stay open
  std::set<int> tried;                // slips that may stick from now
  std::set<int> torn;                 // slips that begin to slide now
  std::set<int> bounced;              // rows that are left with a speed
  bool start;                         // of the run
  std::vector<unsigned char> closed;  // rows that were on before
};

}  // namespace mortise::analysis
