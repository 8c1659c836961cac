// L U of a sparse matrix of small dense blocks whose pattern is symmetric, its values not: the saddle matrix
//
//     [ H   Aᵀ ]
//     [ B   −κ ]
//
// of an implicit step, where H has masses, stiffness, damping and gyroscopic terms. Pivots are sought inside a node
// only; the order is of least degree, found once (graph/elimination.h). Where the symmetric part of H is positive
// definite and B near A, no pivot vanishes in any order (Golub, Van Loan, Matrix Computations, 4.2.2); a node with
// nothing but −κ on its diagonal `waits` for a neighbour, so that its pivots are those of B H⁻¹Aᵀ.
//
// Cost: O(Σ s³) over the nodes' fronts, twice that of BlockLdlt; memory the blocks of L and U. No allocation after
// construction.
#pragma once

#include <utility>
#include <vector>

#include "mortise/linalg/types.h"

namespace mortise::gauss {

class BlockLu {
 public:
  struct Node {
    int size = 0;
    bool waits = false;
  };
  // `edges`: pairs of nodes with blocks between them.
  BlockLu(const std::vector<Node>& nodes, const std::vector<std::pair<int, int>>& edges);

  // The block (row, column), row-major without gaps: where it lies in `values`. Both nodes joined, or the same.
  int place(int row, int column) const;
  double* values() { return values_.data(); }
  std::size_t values_count() const { return values_.size(); }
  void clear();

  // False: the pivots of a node vanish; `vanished` names it.
  bool factor();
  int vanished() const { return vanished_; }
  // The smallest |pivot| of nodes that wait, of the last factorisation.
  double least_waiting_pivot() const { return least_; }

  int begin(int node) const { return begin_[index(node)]; }
  int size() const { return total_; }
  void solve(double* x) const;
  std::size_t bytes() const;

 private:
  struct Neighbour {
    int x, size, lower, upper;  // unknowns; blocks (neighbour, node) and (node, neighbour)
  };
  struct Update {
    int to, lower, upper, rows, columns;
  };
  struct Step {
    int node, size, x, diagonal, first_neighbour, first_update;
    bool waits;
  };
  bool factor_pivot(const Step& step);
  void solve_pivot(const Step& step, double* x, int columns) const;

  std::vector<Step> steps_;  // and one behind the last
  std::vector<Neighbour> neighbours_;
  std::vector<Update> updates_;
  std::vector<int> begin_, step_of_, pivot_;
  std::vector<std::pair<int, int>> places_;  // later neighbours of all steps, sorted by node; number in neighbours_
  std::vector<double> values_;
  double least_ = 0;
  int total_ = 0, vanished_ = -1;
};

}  // namespace mortise::gauss
