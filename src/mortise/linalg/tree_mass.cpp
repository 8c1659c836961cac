#include "mortise/linalg/tree_mass.h"

#include <algorithm>
#include <functional>

namespace mortise::linalg {

void TreeShape::append(int parent, int rates, Carry carry) {
  for (int k = 0; k < rates; ++k) body_of_.push_back(bodies());
  parent_.push_back(parent);
  begin_.push_back(begin_.back() + rates);
  carry_.push_back(carry);
}

void TreeShape::finish(int task, int parallel) {
  const int n = bodies();
  first_child_.assign(index(n), -1);
  next_sibling_.assign(index(n), -1);
  std::vector<int> end(index(n));
  for (int j = n; j-- > 0;) {
    end[index(j)] = std::max(end[index(j)], j + 1);
    const int p = parent(j);
    if (p < 0) continue;
    next_sibling_[index(j)] = first_child_[index(p)];
    first_child_[index(p)] = j;
    end[index(p)] = std::max(end[index(p)], end[index(j)]);
  }

  // Whole subtrees of at most `task` bodies, neighbours together; what is above them is the trunk.
  const int most = std::max(task, n / 64);
  trunk_.clear();
  tasks_.clear();
  for (int j = 0; j < n;) {
    const int after = end[index(j)];
    if (after - j > most) {
      trunk_.push_back(j++);
      continue;
    }
    if (!tasks_.empty() && tasks_.back().end == j && after - tasks_.back().begin <= most)
      tasks_.back().end = after;
    else
      tasks_.push_back({j, after});
    j = after;
  }
  parallel_ = n >= parallel && tasks_.size() > 1;

  part_.assign(index(n), -1);
  parts_ = largest_trunk_ = 0;
  for (int root = 0; root < n; root = end[index(root)]) {
    int fork = root, trunk = size(root);
    while (first_child(fork) >= 0 && next_sibling(first_child(fork)) < 0) trunk += size(fork = first_child(fork));
    const bool branches = first_child(fork) >= 0;
    const int own = parts_++;
    if (branches) largest_trunk_ = std::max(largest_trunk_, trunk);
    for (int j = root; j < end[index(root)]; ++j) {
      if (!branches || j <= fork)
        part_[index(j)] = own;
      else
        part_[index(j)] = parent(j) == fork ? parts_++ : part_[index(parent(j))];
    }
  }
}

double TreeShape::speed_up(int workers) const {
  if (!parallel_ || workers < 2) return 1;
  std::vector<int> sizes, load(index(workers), 0);
  for (const Run& run : tasks_) sizes.push_back(run.end - run.begin);
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  for (const int size : sizes) *std::min_element(load.begin(), load.end()) += size;  // the longest first
  const int critical = static_cast<int>(trunk_.size()) + *std::max_element(load.begin(), load.end());
  return static_cast<double>(bodies()) / critical;
}

TreeMass::TreeMass(const TreeShape& shape)
    : shape_(&shape), links_(index(shape.bodies())), H_(6 * index(shape.rates())), work_(index(shape.bodies())) {}

void TreeMass::velocities(const double* rates, std::vector<Vector6>& w) const {
  const auto call = [&](int j) {
    const int p = shape_->parent(j);
    Vector6 own = p < 0 ? Vector6(Vector6::Zero()) : carry_down(shape_->carry(j), link(j).r, w[index(p)]);
    const double *h = H(j), *eta = rates + shape_->begin(j);
    for (int k = 0; k < shape_->size(j); ++k, h += 6) add6(eta[k], h, own.data());
    w[index(j)] = own;
  };
  shape_->from_roots(call);
}

void TreeMass::gather(std::vector<Vector6>& f, double* out) const {
  const auto call = [&](int j) {
    Vector6 sum = f[index(j)];
    for (int c = shape_->first_child(j); c >= 0; c = shape_->next_sibling(c)) add6(1, f[index(c)].data(), sum.data());
    const double* h = H(j);
    double* to = out + shape_->begin(j);
    for (int k = 0; k < shape_->size(j); ++k, h += 6) to[k] = dot6(sum.data(), h);
    f[index(j)] = carry_up(shape_->carry(j), link(j).r, sum);
  };
  shape_->from_leaves(call);
}

void TreeMass::multiply(const double* x, double* y) const {
  velocities(x, work_);
  const auto turn = [&](int j) {
    const TreeLink& l = link(j);
    Vector6& w = work_[index(j)];
    const double x = w[3], y = w[4], z = w[5];
    for (int i = 0; i < 3; ++i) {
      w[i] *= l.mass;
      w[3 + i] = l.J(i, 0) * x + l.J(i, 1) * y + l.J(i, 2) * z;
    }
  };
  shape_->in_any_order(turn);
  gather(work_, y);
}

}  // namespace mortise::linalg
