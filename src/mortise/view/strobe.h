// Strobe picture of a motion: several poses of the run on one sheet, the first in outline, the last strongest.
//
// Poses are not taken at equal times, which shows a long swing at random phases, but so that they differ: from the
// first and the last pose on, the frame farthest from all chosen ones (largest displacement of a point) comes next.
// Between them they cover the motion, and none hides another. Cost: one pass over at most 3000 frames, O(poses ·
// candidates · points) for the choice.
#pragma once

#include <Eigen/Geometry>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mortise/analysis/sink.h"
#include "mortise/view/plot.h"
#include "mortise/view/skeleton.h"

namespace mortise::view {

// The frames of a run, from a file or from memory.
struct FrameSource {
  std::uint64_t count = 0;
  std::function<void(std::uint64_t, analysis::Frame&)> read;
  std::optional<std::vector<std::uint32_t>> bodies;  // that the frames keep, rising; none: all
};

struct Strobe {
  Skeleton skeleton;
  Camera camera;
  std::vector<double> times;                         // of the poses, ascending
  std::vector<Motions> poses;                        // may be empty: no frame is finite
  std::vector<std::vector<Eigen::Vector2d>> traces;  // one per tracer, in the picture's plane; NaN: a gap
  std::optional<double> traced_from;                 // the paths' first time, when they begin after the run
  Eigen::AlignedBox2d extent;                        // of all that is drawn, m
};

Strobe make_strobe(const mechanism::Mechanism& mechanism, const FrameSource& frames, int most_poses = 14);

// Height of the picture, legend and caption included, that shows the extent in a width without distortion.
double strobe_height(const Strobe& strobe, double width, double most);
void draw(Svg& svg, const Strobe& strobe, const Box& box);

// Indices of `count` columns that are far from one another, ascending; the first and last are among them. Each column
// holds the points of one pose.
std::vector<std::size_t> spread_choice(const std::vector<Eigen::VectorXd>& columns, std::size_t count);

}  // namespace mortise::view
