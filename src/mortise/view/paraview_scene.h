// What ParaView is shown of a mechanism: which points, which lines, and their numbers at a frame.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mortise/analysis/sink.h"
#include "mortise/view/skeleton.h"

namespace mortise::view {

struct ParaviewScene {
  struct Point {
    Anchor anchor;
    int kind = 0;       // 0 of a body, 1 a joint
    int item = 0;       // number of the body or joint among those of the result
    int reaction = -1;  // of a joint: where its reaction begins in Frame::reaction
  };
  std::vector<Point> points;
  std::vector<std::int64_t> connectivity, offsets;  // offsets: cells + 1
  std::vector<std::uint8_t> types;                  // 1 vertex, 3 line
  std::vector<std::int32_t> cell_item;
  int dimension = 2;

  std::size_t cells() const { return types.size(); }
};

// Bodies and joints that the frames of the result keep.
ParaviewScene make_scene(const mechanism::Mechanism& mechanism, const analysis::RunHeader& header);

// The numbers of a frame, three a point each.
struct ParaviewFrame {
  double t = 0;
  std::vector<double> points, velocity, force, torque;
};
void fill(const ParaviewScene& scene, const mechanism::Mechanism& mechanism, const analysis::Frame& frame,
          ParaviewFrame& out);

}  // namespace mortise::view
