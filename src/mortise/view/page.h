// Pages: what `mortise plot` leaves. An overview of a run, or panels of chosen quantities, one per unit.
#pragma once

#include <string>
#include <vector>

#include "mortise/analysis/quantity.h"
#include "mortise/view/plot.h"
#include "mortise/view/strobe.h"

namespace mortise::view {

// A run as a result file or a test gives it.
struct Run {
  analysis::RunHeader header;
  analysis::RunSummary summary;  // of an unfinished run: zeros
  bool finished = false;
  FrameSource frames;
};

// All return the text of an SVG file. Cost: one pass over all frames (the overview: and one over at most 3400).
std::string overview_page(const mechanism::Mechanism& mechanism, const Run& run, Readings* readings = nullptr);
std::string motion_page(const mechanism::Mechanism& mechanism, const Run& run);  // the motion alone
std::string quantity_page(const mechanism::Mechanism& mechanism, const Run& run,
                          const std::vector<analysis::Quantity>& quantities, bool log);

// "1 degree of freedom, rank 11 of 12 rows · 0 to 20 s · …": in a line.
std::string describe_run(const mechanism::Mechanism& mechanism, const Run& run, const std::vector<double>& time);

}  // namespace mortise::view
