// L Σ Lᵀ of a sparse symmetric quasi-definite matrix of small dense blocks: no pivoting, order and places found once.
//
// Nodes have a size and a sign: +1 where the matrix is positive definite on them, −1 where negative. A node's pivot
// block is C diag(p) Cᵀ with pivots p of that sign; V_j = K_j C⁻ᵀ for each later neighbour j, and K_ij −= V_i p⁻¹V_jᵀ.
// Kernels of all sizes up to six are unrolled, and each operation knows its place: a factorisation walks one list.
//
// The order is of least degree (size of what is joined to a node; of equals the one named first). A node may have to
// wait for a neighbour (`waits`): a pivot that is nothing before that. Large graphs fall into parts (graph/subtrees.h)
// that are eliminated side by side; what a part does to the nodes behind all parts it keeps to itself until they are
// reached, and it is added there part by part: the bits do not depend on the number of threads.
//
// Cost: O(Σ s³) over the nodes' fronts; memory the blocks of L.
#pragma once

#include <functional>
#include <vector>

#include "mortise/gauss/block_kernels.h"
#include "mortise/linalg/types.h"

namespace mortise::gauss {

class BlockLdlt {
 public:
  struct Node {
    int size = 0;
    int sign = 1;
    bool waits = false;  // until a neighbour of the other sign was eliminated
  };
  // `edges`: pairs of nodes with a block between them.
  BlockLdlt(const std::vector<Node>& nodes, const std::vector<std::pair<int, int>>& edges);

  // Places of the values before a factorisation: row-major, `stride` doubles from row to row.
  struct Place {
    int offset = 0, stride = 0;
    bool transposed = false;  // the block (i, j) that was asked for lies there as (j, i)
  };
  Place diagonal(int node) const;         // the lower triangle is read
  Place between(int row, int col) const;  // block (row, col); an edge
  double* values() { return values_.data(); }
  void clear();

  // Steps are taken in order, a few at a time: `prepare(begin, end)` is called, on any thread, before the steps begin
  // .. end − 1 (step_of of their nodes), to add to values that these and later ones need. No two calls at a time have
  // steps of one part. Values are to be zero before, `clear`.
  // Pivots below `cut` of nodes with sign +1 are noted as small. False: a pivot has the wrong sign.
  bool factor(double cut, const std::function<void(int begin, int end)>& prepare = {});
  int step_of(int node) const { return step_of_[static_cast<std::size_t>(node)]; }
  int parts() const { return static_cast<int>(parts_.size()) - 1; }
  int part_of(int node) const;  // parts() for those behind all of them

  int small_pivots() const { return static_cast<int>(small_.size()); }
  struct Small {
    int node, k;
    double pivot;
  };
  const std::vector<Small>& small() const { return small_; }
  double least_pivot() const { return least_; }  // of those that are not small, on nodes with sign +1
  double least_of_all() const;                   // the small ones included

  // x: unknowns of all nodes, node i from begin(i) on, and room behind them.
  int begin(int node) const { return begin_[static_cast<std::size_t>(node)]; }
  int unknowns() const { return total_; }
  int size() const { return total_ + room_; }
  void solve(double* x);

  double flops() const { return flops_; }              // of a factorisation
  double solve_flops() const { return solve_flops_; }  // of a solution
  struct Neighbour {                                   // unknowns of a later node
    int x, size;
  };
  std::size_t bytes() const;
  int largest_front() const { return largest_front_; }

 private:
  struct Step {                     // one node, in the order of elimination
    int node, size, x, D, V, rows;  // rows: of V, all neighbours together
    int first_update, first_neighbour;
    double sign;
  };
  struct UpdateStep {
    BlockUpdate kernel;
    int to, row, col;  // offsets
    int sizes[4];      // rows, columns, inner, stride
  };
  // What a part keeps of the nodes behind all parts: copies of blocks and of unknowns.
  struct OwnBlock {
    int from, to, rows, columns, stride;
  };
  struct OwnUnknowns {
    int from, to, size;
  };
  struct Part {
    int first_step = 0;
    std::vector<OwnBlock> blocks;
    std::vector<OwnUnknowns> unknowns;
    std::vector<Small> small;
    std::vector<double> reciprocals;
    double least = 0;
    bool regular = true;
  };
  void eliminate(Part& part, int end, double cut, const std::function<void(int begin, int end)>& prepare);
  void forward(int begin, int end, double* x) const;
  void backward(int begin, int end, double* x, double* large) const;

  std::vector<Step> steps_;  // and one behind the last
  std::vector<UpdateStep> updates_;
  std::vector<Neighbour> neighbours_;
  std::vector<int> begin_, step_of_;
  std::vector<Part> parts_;                  // and, last, what comes behind them
  std::vector<std::pair<int, int>> places_;  // later neighbours of all steps and the row of V where each begins
  std::vector<double> values_;
  std::vector<Small> small_;
  double least_ = 0, flops_ = 0, solve_flops_ = 0;
  int total_ = 0, room_ = 0, largest_front_ = 0;
};

}  // namespace mortise::gauss
