// Broad phase: pairs of boxes along the axes that overlap, by sorting one end of each along the axis on which they lie
// furthest apart (Cohen, Lin, Manocha, Ponamgi, I-COLLIDE, 1995).
//
// Nothing is remembered between calls, and the pairs come in the order of their numbers: they depend on the boxes
// alone. Cost: O(n log n + those that overlap along the axis); no allocation once the numbers of boxes and pairs have
// been met.
#pragma once

#include <Eigen/Core>
#include <span>
#include <utility>
#include <vector>

namespace mortise::mechanism {

struct Bounds {
  Eigen::Vector3d low = Eigen::Vector3d::Zero(), high = Eigen::Vector3d::Zero();
};

class SweepAndPrune {
 public:
  using Pair = std::pair<int, int>;  // first < second

  // Touching counts as overlapping.
  const std::vector<Pair>& find(std::span<const Bounds> bounds);

 private:
  std::vector<int> order_;
  std::vector<Pair> pairs_;
};

}  // namespace mortise::mechanism
