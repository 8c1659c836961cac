#include "mortise/integrate/contact/contact_islands.h"

#include <numeric>

namespace mortise::integrate {

void ContactIslands::find(const ContactSolver& solver, std::span<const ContactPoint> points) {
  parent_.resize(index(solver.clusters()));
  std::iota(parent_.begin(), parent_.end(), 0);
  const auto root = [&](int k) {
    while (parent_[index(k)] != k) k = parent_[index(k)] = parent_[index(parent_[index(k)])];
    return k;
  };
  const auto cluster_of = [&](const ContactPoint& point) {
    return solver.cluster(point.block[0] >= 0 ? point.block[0] : point.block[1]);
  };
  for (const ContactPoint& point : points)
    if (point.block[0] >= 0 && point.block[1] >= 0) {
      const int a = root(solver.cluster(point.block[0])), b = root(solver.cluster(point.block[1]));
      parent_[index(std::max(a, b))] = std::min(a, b);
    }
  // Counted, then laid out in the order of their first contacts.
  island_.assign(parent_.size(), -1);
  first_.assign(1, 0);
  for (const ContactPoint& point : points) {
    int& island = island_[index(root(cluster_of(point)))];
    if (island < 0) {
      island = static_cast<int>(first_.size()) - 1;
      first_.push_back(0);
    }
    ++first_[index(island + 1)];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  contacts_.resize(points.size());
  for (std::size_t k = points.size(); k-- > 0;) {
    const auto island = index(island_[index(root(cluster_of(points[k])))]);
    contacts_[index(--first_[island + 1])] = static_cast<int>(k);
  }
  // Every begin has become that of the island before it.
  for (std::size_t k = 1; k < first_.size(); ++k) first_[k - 1] = first_[k];
  first_.back() = static_cast<int>(points.size());
}

}  // namespace mortise::integrate
