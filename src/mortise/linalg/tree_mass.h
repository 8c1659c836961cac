// The mass matrix of a tree of rigid bodies, M* = AᵀM A, by sweeps along the tree: never formed.
//
// Body j hangs on its parent p(j) < j with rates η_j of its own. In world axes, w = (velocity of the mass centre, ω):
//
//     w_j = X_j w_p + H_j η_j,        X_j = [ 1  −r̃ ; 0  1 ]  (shift: the joint turns with the parent),
//                                           [ 1  −r̃ ; 0  0 ]  (pivot: ω_j is free, r ends at the joint),   or 0 (a
//                                           root)
//
//     forward  (roots → leaves):  w_j = X_j w_p + H_j η_j                        (= A η)
//     local    (each body):       f_j = (m_j w_v, J_j w_ω)                       (= M w)
//     backward (leaves → roots):  v_j = H_jᵀf_j,   f_p += X_jᵀf_j                (= Aᵀf)
//
// Bodies of a subtree follow one another, so large trees are cut into runs of whole subtrees, one task each, below a
// trunk that is done in order. A body adds up what its children hand it in their order, whoever computed it: the bits
// depend neither on the number of threads nor on which branch comes first.
//
// Source: specs/nasa-3-natural-partitioning.md §2.3, §2.4, §2.6. Cost: about 18 f + 30 multiply-adds a body and sweep.
#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "mortise/linalg/parallel.h"
#include "mortise/linalg/types.h"

namespace mortise::linalg {

enum class Carry : unsigned char { none, shift, pivot };

using Vector6 = Eigen::Matrix<double, 6, 1>;

// Who hangs on whom: fixed while the mechanism stands.
class TreeShape {
 public:
  // Bodies in preorder: a parent right before the first of its subtrees. −1: a root.
  void append(int parent, int rates, Carry carry);
  // `task`: bodies to a task at most; trees below `parallel` bodies are done by the calling thread.
  void finish(int task = 64, int parallel = 512);

  int bodies() const { return static_cast<int>(parent_.size()); }
  int rates() const { return begin_.back(); }
  int parent(int j) const { return parent_[index(j)]; }
  int begin(int j) const { return begin_[index(j)]; }  // of its rates
  int size(int j) const { return begin_[index(j) + 1] - begin_[index(j)]; }
  Carry carry(int j) const { return carry_[index(j)]; }
  int first_child(int j) const { return first_child_[index(j)]; }  // −1: none
  int next_sibling(int j) const { return next_sibling_[index(j)]; }
  int body_of(int rate) const { return body_of_[index(rate)]; }

  // Parts of which a preconditioner knows nothing but themselves: the bodies from a root to its first branching, and
  // each branch below.
  int part(int j) const { return part_[index(j)]; }
  int parts() const { return parts_; }
  int largest_trunk() const { return largest_trunk_; }  // rates of such a way to a branching

  // Calls of each body, parents first; or children first. Bodies that need not wait for one another may be called at
  // the same time.
  template <class Call>
  void from_roots(const Call& call) const {
    if (!parallel_) {
      for (int j = 0; j < bodies(); ++j) call(j);
      return;
    }
    for (const int j : trunk_) call(j);
    for_each_task(tasks_.size(), [this, &call](std::size_t k) {
      for (int j = tasks_[k].begin; j < tasks_[k].end; ++j) call(j);
    });
  }
  template <class Call>
  void from_leaves(const Call& call) const {
    if (!parallel_) {
      for (int j = bodies(); j-- > 0;) call(j);
      return;
    }
    for_each_task(tasks_.size(), [this, &call](std::size_t k) {
      for (int j = tasks_[k].end; j-- > tasks_[k].begin;) call(j);
    });
    for (std::size_t k = trunk_.size(); k-- > 0;) call(trunk_[k]);
  }
  template <class Call>
  void in_any_order(const Call& call) const {
    from_roots(call);
  }
  std::size_t tasks() const { return parallel_ ? tasks_.size() : 1; }
  // How many bodies there are for each that one of so many workers must do in a sweep: what its division into tasks
  // allows at most, were nothing lost to waiting.
  double speed_up(int workers) const;

 private:
  struct Run {
    int begin, end;
  };
  std::vector<int> parent_, begin_{0}, first_child_, next_sibling_, part_, body_of_, trunk_;
  std::vector<Carry> carry_;
  std::vector<Run> tasks_;
  int parts_ = 0, largest_trunk_ = 0;
  bool parallel_ = false;
};

// Calls with the number of rates as a constant, where loops over them should be unrolled.
template <class Call>
inline void with_rates(int count, const Call& call) {
  switch (count) {
    case 0:
      return call(std::integral_constant<int, 0>{});
    case 1:
      return call(std::integral_constant<int, 1>{});
    case 2:
      return call(std::integral_constant<int, 2>{});
    case 3:
      return call(std::integral_constant<int, 3>{});
    case 4:
      return call(std::integral_constant<int, 4>{});
    case 5:
      return call(std::integral_constant<int, 5>{});
    default:
      return call(std::integral_constant<int, 6>{});
  }
}

struct TreeLink {
  Eigen::Vector3d r = Eigen::Vector3d::Zero();
  double mass = 0;
  Eigen::Matrix3d J = Eigen::Matrix3d::Zero();  // about the mass centre
};

// Its numbers at one instant, in world axes. One per thread: products use its work.
class TreeMass {
 public:
  explicit TreeMass(const TreeShape& shape);

  const TreeShape& shape() const { return *shape_; }
  TreeLink& link(int j) { return links_[index(j)]; }
  const TreeLink& link(int j) const { return links_[index(j)]; }
  double* H(int j) { return H_.data() + 6 * index(shape_->begin(j)); }  // 6 × rates, by columns
  const double* H(int j) const { return H_.data() + 6 * index(shape_->begin(j)); }

  // w_j of all bodies from rates; 6 numbers a body.
  void velocities(const double* rates, std::vector<Vector6>& w) const;
  // out = Aᵀf; f is changed: what a body hands to its parent stays there.
  void gather(std::vector<Vector6>& f, double* out) const;
  // y = M* x
  void multiply(const double* x, double* y) const;

 private:
  const TreeShape* shape_;
  std::vector<TreeLink> links_;
  std::vector<double> H_;
  mutable std::vector<Vector6> work_;
};

// By components: vectors written in halves and read as a whole keep the processor waiting.
inline double dot6(const double* x, const double* y) {
  return ((x[0] * y[0] + x[1] * y[1]) + (x[2] * y[2] + x[3] * y[3])) + (x[4] * y[4] + x[5] * y[5]);
}
inline void add6(double share, const double* x, double* y) {
  for (int k = 0; k < 6; ++k) y[k] += share * x[k];
}

// X_j w_p, and what f_j is on the parent: X_jᵀf_j.
inline Vector6 carry_down(Carry carry, const Eigen::Vector3d& r, const Vector6& w) {
  if (carry == Carry::none) return Vector6::Zero();
  const double wx = w[3], wy = w[4], wz = w[5];
  const bool turns = carry == Carry::shift;
  Vector6 out;
  out[0] = w[0] + (wy * r[2] - wz * r[1]);
  out[1] = w[1] + (wz * r[0] - wx * r[2]);
  out[2] = w[2] + (wx * r[1] - wy * r[0]);
  out[3] = turns ? wx : 0;
  out[4] = turns ? wy : 0;
  out[5] = turns ? wz : 0;
  return out;
}
inline Vector6 carry_up(Carry carry, const Eigen::Vector3d& r, const Vector6& f) {
  if (carry == Carry::none) return Vector6::Zero();
  const double x = f[0], y = f[1], z = f[2];
  const bool turns = carry == Carry::shift;
  Vector6 out;
  out[0] = x;
  out[1] = y;
  out[2] = z;
  out[3] = (turns ? f[3] : 0) + (r[1] * z - r[2] * y);
  out[4] = (turns ? f[4] : 0) + (r[2] * x - r[0] * z);
  out[5] = (turns ? f[5] : 0) + (r[0] * y - r[1] * x);
  return out;
}

}  // namespace mortise::linalg
