#include "mortise/mechanism/contact/sweep_and_prune.h"

#include <algorithm>

namespace mortise::mechanism {

const std::vector<SweepAndPrune::Pair>& SweepAndPrune::find(std::span<const Bounds> bounds) {
  pairs_.clear();
  if (bounds.empty()) return pairs_;
  Eigen::Vector3d sum = Eigen::Vector3d::Zero(), square = Eigen::Vector3d::Zero();
  for (const Bounds& b : bounds) {
    const Eigen::Vector3d centre = 0.5 * (b.low + b.high);
    sum += centre;
    square += centre.cwiseProduct(centre);
  }
  int axis = 0;
  const auto count = static_cast<double>(bounds.size());
  (square - sum.cwiseProduct(sum) / count).maxCoeff(&axis);

  order_.resize(bounds.size());
  for (std::size_t k = 0; k < bounds.size(); ++k) order_[k] = static_cast<int>(k);
  const auto low = [&](int k) { return bounds[static_cast<std::size_t>(k)].low[axis]; };
  std::sort(order_.begin(), order_.end(), [&](int i, int j) { return low(i) < low(j) || (low(i) == low(j) && i < j); });
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const Bounds& a = bounds[static_cast<std::size_t>(order_[k])];
    for (std::size_t j = k + 1; j < order_.size() && low(order_[j]) <= a.high[axis]; ++j) {
      const Bounds& b = bounds[static_cast<std::size_t>(order_[j])];
      if ((a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all())
        pairs_.emplace_back(std::min(order_[k], order_[j]), std::max(order_[k], order_[j]));
    }
  }
  std::sort(pairs_.begin(), pairs_.end());
  return pairs_;
}

}  // namespace mortise::mechanism
