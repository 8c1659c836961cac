// Stretches of open chains in the elimination of `sparse`: consecutive steps of which each hands on to the next alone,
// with one body between two joints of as many rows, and with places that are a fixed distance apart. They are
// eliminated and solved by kernels of their own (gauss/stretch_kernels.h), which look nothing up: chains, arms, ropes
// and tracks are made of such steps, and so are the legs between the branches of a tree.
//
// A joint within a stretch has rows on no third body, so nothing else adds to its blocks. What goes on before the first
// and behind the last joint does not matter.
//
// Cost: of the search O(steps).
#pragma once

#include <vector>

#include "mortise/gauss/mass_blocks.h"
#include "mortise/gauss/sparse_layout.h"
#include "mortise/gauss/stretch_kernels.h"

namespace mortise::gauss {

// A number of the first step, and how much larger that of the next one is.
struct Walk {
  int first = 0, step = 0;
  int at(int n) const { return first + n * step; }
};

struct Stretch {
  int begin = 0, end = 0;  // steps
  int rows = 0, size = 0;  // of each joint; columns of each body
  Walk row;                // of each joint; those of the joint behind are row.at(count())
  Walk own, next;          // values of A and Y of each body: on its first and on its second joint
  Walk block, column, mass;
  int D = 0, D_behind = 0;  // of the first step and of the one behind the last

  int count() const { return end - begin; }
};

class Stretches {
 public:
  Stretches(const Pattern& pattern, const SparseLayout& layout, BlockLdlt& matrix);

  bool empty() const { return all_.empty(); }
  bool most() const { return most_; }  // of the groups are in one
  const std::vector<Stretch>& all() const { return all_; }
  // Groups and velocity blocks that are in none, and, of those in one, the groups at its beginning and the blocks at
  // both ends: their right-hand sides have contributions from without.
  const std::vector<int>& loose_groups() const { return loose_groups_; }
  const std::vector<int>& loose_blocks() const { return loose_blocks_; }
  const std::vector<int>& first_groups() const { return first_groups_; }
  const std::vector<int>& end_blocks() const { return end_blocks_; }

  // Before an elimination. False: masses, or sizes, for which there are no kernels.
  bool take(const MassBlocks& mass, const double* A, const double* scale, double* Y, double* K);
  // With vectors `forward` is done as well.
  bool eliminate(int k, BlockLdlt::Pivots& pivots, const StretchVectors* v = nullptr) const;
  // Of the same factorisation; vectors as a whole. `x` has the right-hand side of the first rows, and of those behind.
  void forward(int k, const StretchVectors& v) const;
  double backward(int k, const StretchVectors& v) const;  // the largest |x| of its rows

 private:
  struct Ready {
    const StretchKernels* kernels = nullptr;
    StretchData data{};
  };
  StretchVectors of(const Stretch& stretch, const StretchVectors& whole) const;

  const BlockLdlt& matrix_;
  std::vector<Stretch> all_;
  std::vector<Ready> ready_;
  std::vector<int> loose_groups_, loose_blocks_, first_groups_, end_blocks_;
  std::uint64_t mass_version_ = 0;
  bool fits_ = false, most_ = false;
};

}  // namespace mortise::gauss
