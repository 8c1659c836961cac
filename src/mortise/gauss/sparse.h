// `sparse`: multipliers by block elimination along the joint graph, O(bodies) where loops are small; any rank.
//
// In the coordinates of WhitenedRows (masses of one, rows of nominal length one) the problem is
//
//     w + Yᵀμ = w_f,   Y w = c        so that        S μ = Y w_f − c,   S = Y Yᵀ.
//
// Bodies with few joints are eliminated on paper: each adds Y_e Y_fᵀ to the blocks of S between its joints. Bodies with
// many joints (hubs) would couple all of those: they stay as unknowns, [S Y_h; Y_hᵀ −I]. What remains is a symmetric
// quasi-definite matrix of small blocks, factored as L Σ Lᵀ without pivoting in an order of least degree, which is
// found once a topology (Vanderbei, SIAM J. Optim. 5 (1995) 100-113: any order will do).
//
// Redundant rows make S singular. Then εI is added to it, and proximal steps (the method of multipliers: Rockafellar,
// Math. Oper. Res. 1 (1976) 97-116) remove its trace,
//
//     μ += (S + εI)⁻¹ (Y w − c),
//
// until the rows hold to rounding: a mode σ² of S is wrong by ε/(σ² + ε) of what it was before. What S does not see is
// taken out of μ, so that the multipliers are those of minimum norm. While no pivot is small ε is zero and one
// substitution does.
//
// A residual that stays where pivots are small is a contradiction: the rows are named in `verdicts`.
//
// Cost: O(Σ s³) over the fronts' sizes s, no allocation; one substitution a solution, three where rows are redundant.
#pragma once

#include "mortise/gauss/soft_factor.h"

namespace mortise::gauss {

class SparseFactor : public SoftFactor {
 public:
  // Every pivot was either of a redundant row or far from zero: squares of singular values, which S shows, cost no
  // digits here. Near singular poses they do.
  virtual bool clear() const = 0;
};
// `any_rank` false: rows that may be redundant are refused, at once and without allocation.
std::unique_ptr<SparseFactor> make_sparse_factor(const Pattern& pattern, bool any_rank = true);

class Sparse final : public Formulation {
 public:
  std::string name() const override { return "sparse"; }
  Capabilities can() const override {
    Capabilities can;
    can.redundant_rows = can.gives_rank = can.remembers = true;
    return can;
  }
  std::unique_ptr<Factor> prepare(const Pattern& pattern) const override { return make_sparse_factor(pattern); }
};

}  // namespace mortise::gauss
