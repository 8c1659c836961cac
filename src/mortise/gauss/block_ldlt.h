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
// A caller that knows more of some steps than their blocks (gauss/stretches.h) may take whole ranges of them upon
// itself, in eliminations and in solutions.
//
// Cost: O(Σ s³) over the nodes' fronts; memory the blocks of L.
#pragma once

#include <functional>
#include <span>
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

  // One step of the elimination: a node with the places of its pivot block D (size × size) and of V (rows × size, right
  // behind D), and its later neighbours.
  struct Neighbour {  // unknowns of a later node
    int x, size;
  };
  struct Step {
    int node, size, x, D, V, rows;  // rows: of V, all neighbours together
    int first_update, first_neighbour;
    double sign;
  };
  int steps() const { return static_cast<int>(steps_.size()) - 1; }
  const Step& step(int s) const { return steps_[static_cast<std::size_t>(s)]; }
  std::span<const Neighbour> neighbours(int s) const {
    const auto first = static_cast<std::size_t>(step(s).first_neighbour);
    return {neighbours_.data() + first, static_cast<std::size_t>(step(s + 1).first_neighbour) - first};
  }

  // Steps begin .. end − 1 that are left to the caller: ascending, apart from one another, none over the end of a part.
  struct Range {
    int begin, end;
  };
  void leave_out(const std::vector<Range>& ranges);
  // Zeroes what the caller of `factor_but` does not write himself: all but V, and the D behind the first one, of the
  // ranges.
  void clear_but();

  struct Small {
    int node, k;
    double pivot;
  };
  // Steps are taken in order, a few at a time: `prepare(begin, end)` is called, on any thread, before the steps begin
  // .. end − 1 (step_of of their nodes), to add to values that these and later ones need. No two calls at a time have
  // steps of one part. Values are to be zero before, `clear`.
  // Pivots below `cut` of nodes with sign +1 are noted as small. False: a pivot has the wrong sign.
  // With `x` a right-hand side goes along, and `backward` makes the solution of it.
  bool factor(double cut, const std::function<void(int begin, int end)>& prepare = {}, double* x = nullptr);
  // The same with `range(k, pivots)` for the steps of range k: it leaves C and p⁻¹ in D, V in V, adds to D of the step
  // behind the range, tells `pivots` of all pivots and returns whether their sign is right.
  class Pivots {
   public:
    Pivots(double cut, std::vector<Small>& small) : cut_(cut), small_(small) {}
    double cut() const { return cut_; }
    double least() const { return least_; }
    void note(int node, int k, double reciprocal) {
      // r > 1 / cut: a small pivot.
      if (reciprocal * cut_ > 1)
        small_.push_back({node, k, 1 / reciprocal});
      else if (reciprocal * least_ > 1)
        least_ = 1 / reciprocal;
    }

   private:
    double cut_, least_ = 1e300;
    std::vector<Small>& small_;
  };
  // With `x`, `range` does its part of what goes along, too.
  bool factor_but(double cut, const std::function<void(int begin, int end)>& prepare,
                  const std::function<bool(int k, Pivots& pivots)>& range, double* x = nullptr);
  int step_of(int node) const { return step_of_[static_cast<std::size_t>(node)]; }
  int parts() const { return static_cast<int>(parts_.size()) - 1; }
  int part_of(int node) const;  // parts() for those behind all of them

  int small_pivots() const { return static_cast<int>(small_.size()); }
  const std::vector<Small>& small() const { return small_; }
  double least_pivot() const { return least_; }  // of those that are not small, on nodes with sign +1
  double least_of_all() const;                   // the small ones included

  // x: unknowns of all nodes, node i from begin(i) on, and room behind them.
  int begin(int node) const { return begin_[static_cast<std::size_t>(node)]; }
  int unknowns() const { return total_; }
  int size() const { return total_ + room_; }
  void solve(double* x);
  void backward(double* x);
  // The same with `forward(k)` and `backward(k)` for the steps of range k.
  void solve_but(double* x, const std::function<void(int k)>& forward, const std::function<void(int k)>& backward);
  void backward_but(double* x, const std::function<void(int k)>& backward);

  double flops() const { return flops_; }              // of a factorisation
  double solve_flops() const { return solve_flops_; }  // of a solution
  std::size_t bytes() const;
  int largest_front() const { return largest_front_; }

 private:
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
    int first_range = 0, last_range = 0;  // of those left to the caller
  };
  using Prepare = std::function<void(int begin, int end)>;
  using EliminateRange = std::function<bool(int k, Pivots& pivots)>;
  bool factor_parts(double cut, const Prepare& prepare, const EliminateRange* range, double* x);
  void forward_parts(double* x, const std::function<void(int)>* range);
  void backward_parts(double* x, const std::function<void(int)>* range);
  void eliminate(Part& part, int end, double cut, const Prepare& prepare, const EliminateRange* range, double* x);
  static void begin_unknowns(const Part& part, double* x);
  void gather_unknowns(double* x) const;
  bool eliminate_steps(int begin, int end, const Prepare& prepare, double* r, Pivots& pivots, double* x);
  void forward(int begin, int end, double* x) const;
  void backward(int begin, int end, double* x, double* large) const;

  std::vector<Step> steps_;  // and one behind the last
  std::vector<UpdateStep> updates_;
  std::vector<Neighbour> neighbours_;
  std::vector<int> begin_, step_of_;
  std::vector<Part> parts_;                  // and, last, what comes behind them
  std::vector<std::pair<int, int>> places_;  // later neighbours of all steps and the row of V where each begins
  std::vector<double> values_;
  std::vector<Range> ranges_;   // left to the caller
  std::vector<Range> cleared_;  // of values, by clear_but
  std::vector<Small> small_;
  double least_ = 0, flops_ = 0, solve_flops_ = 0;
  int total_ = 0, room_ = 0, largest_front_ = 0;
};

}  // namespace mortise::gauss
