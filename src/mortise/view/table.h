// Quantities of a run as columns over its frames: what plots are drawn from.
#pragma once

#include <limits>
#include <vector>

#include "mortise/analysis/quantity.h"
#include "mortise/view/strobe.h"

namespace mortise::view {

struct Window {
  double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();
};

struct Table {
  std::vector<double> time;
  std::vector<std::vector<double>> columns;  // one per quantity
};

// The frames within the window. Cost: one pass over all frames.
Table tabulate(const mechanism::Mechanism& mechanism, const FrameSource& frames,
               const std::vector<analysis::Quantity>& quantities, const Window& window = {});

}  // namespace mortise::view
