// Two results of one model, frame by frame: the same bits, or what differs, since when and by how much.
#pragma once

#include <cstdint>
#include <string>

#include "mortise/io/results_reader.h"

namespace mortise::cli {

struct FrameDifference {
  std::uint64_t compared = 0;  // frames that both have
  std::uint64_t equal = 0;     // of these, from the first on, to the bit
  double since = 0;            // time of the first that differs
  std::string what;            // in it: "q", "reaction", … ; "" = none differs
  double largest_pose = 0;     // of all frames at equal times: largest difference of a position [m] or angle [rad]
  double largest_at = 0;       // when
  double last_pose = 0;        // at the last of them

  bool same() const { return what.empty(); }
};

// Cost: one pass over both files.
FrameDifference compare_frames(io::ResultReader& first, io::ResultReader& second);

}  // namespace mortise::cli
