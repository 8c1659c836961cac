// `sparse` (gauss/sparse.h) for four copies at once: one order of elimination, one list of small-block operations,
// linalg::Pack as the scalar.
//
// All lanes take the same way through the code. Where they differ, numbers do: each has its own shift ε (0 while none
// of its pivots is small), and proximal steps change only lanes whose rows do not hold to rounding yet. A lane that is
// done, or needs no shift, is computed along and keeps its bits, so what a copy gets does not depend on its neighbours.
//
// Cost: as `sparse`, divided among the lanes; no allocation after construction.
#pragma once

#include <vector>

#include "mortise/gauss/pattern.h"
#include "mortise/linalg/pack.h"
#include "mortise/linalg/rank_policy.h"

namespace mortise::gauss {

using linalg::Mask;
using linalg::Pack;

// What copies of one topology share: order and places. Immutable.
class PackPlan {
 public:
  explicit PackPlan(const Pattern& pattern);

 private:
  friend class PackFactor;
  friend class PackMetric;
  struct Block {  // of A and Y
    int row, rows, column, size, offset, mass;
  };
  struct Product {
    int to, stride, row, column, rows, columns, size;  // S at `to` += Y_row Y_columnᵀ
  };
  struct MassBlock {
    int begin, size, offset;
  };
  // L Σ Lᵀ as in block_ldlt.h, without its parts for threads: packs are what threads share here.
  struct Step {  // one item's rows, in the order of elimination
    int size, x, D, V, rows, first_update, first_neighbour;
  };
  struct Update {  // S at `to` −= V_row Σ⁻¹ V_colᵀ
    int to, row, col, rows, columns, stride;
  };
  struct Neighbour {
    int x, size;
  };
  int n_ = 0, m_ = 0, A_size_ = 0, values_ = 0, largest_ = 1;
  std::vector<Block> blocks_;
  std::vector<MassBlock> mass_;
  std::vector<Product> products_;
  std::vector<int> diagonal_;  // of each row: its place in S
  std::vector<Step> steps_;    // and one behind the last
  std::vector<Update> updates_;
  std::vector<Neighbour> neighbours_;
};

// Numbers of four copies that do not change: M = L Lᵀ and the scales of the rows.
class PackMetric {
 public:
  // `M`: values laid out by the pattern. The number of the first velocity block whose mass is not positive definite in
  // some copy, or −1.
  int factor(const PackPlan& plan, const std::vector<Pack>& M, const std::vector<Pack>& row_scale,
             const linalg::RankPolicy& policy);

 private:
  friend class PackFactor;
  std::vector<Pack> inverse_;  // L⁻¹, laid out as M
  std::vector<int> first_;     // of each column: where its row of L⁻¹ begins, in all copies
  std::vector<Pack> scale_;
};

// The workspace of one thread.
class PackFactor {
 public:
  PackFactor(const PackPlan& plan, const linalg::RankPolicy& policy);

  // A: values laid out by the pattern; `violation`: scaled distance of the poses from the constraints; `redundant`:
  // lanes that had small pivots the last time, and now. Returns the lanes that cannot be factored.
  Mask factor(const PackMetric& metric, const std::vector<Pack>& A, const std::vector<unsigned char>& active,
              const Pack& violation, Mask& redundant);
  // M a + Aᵀλ = Q, A a = b. Q null: zero; λ null: not wanted. Returns the lanes whose rows contradict one another.
  enum class Multipliers { any, minimum_norm };  // of rows that depend on one another
  Mask solve(const Pack* Q, const Pack* b, Pack* a, Pack* lambda = nullptr, Multipliers which = Multipliers::any);

 private:
  void assemble();
  void eliminate();
  void substitute(Pack* x);
  void precondition(const std::vector<Pack>& from);
  void whiten(const Pack* Q);
  Pack residual();
  void add_step(const Mask& lanes);
  void take_out_unseen();

  const PackPlan& plan_;
  linalg::RankPolicy policy_;
  const PackMetric* metric_ = nullptr;
  std::vector<unsigned char> active_;
  std::vector<Pack> Y_, K_, reciprocals_, w_, mu_, c_, residual_, change_, push_, x_;
  Pack violation_, cut_, shift_, least_;
  Mask irregular_, small_;
};

}  // namespace mortise::gauss
