// Named quantities of frames: those of mechanism/quantities.h, computed from what a frame holds.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mortise/analysis/sink.h"
#include "mortise/mechanism/quantities.h"

namespace mortise::analysis {

struct Quantity {
  std::string name;
  std::string unit;
  std::function<double(const Frame&, const mechanism::Motions&)> value;  // the motions are those of the frame
};

// Throws ModelError (M160) with the nearest name when there is no such quantity. The mechanism must live as long.
Quantity find_quantity(const mechanism::Mechanism& mechanism, const std::string& name);
// For frames of a file: where it does not keep all bodies, what `output: quantities:` stored is read from there.
Quantity find_quantity(const mechanism::Mechanism& mechanism, const RunHeader& header, const std::string& name);
using mechanism::quantity_names;

// "3 of 1000 bodies (link0, link1, link2) and no joints": of a restricted file.
std::string describe_kept(const RunHeader& header);

// Everything a frame tells but what the forces did.
mechanism::Instant instant(const Frame& frame, const mechanism::Motions& motions);

}  // namespace mortise::analysis
