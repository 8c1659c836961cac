// The least singular value of the rows of a mechanism in O(bodies): inverse iteration on the sparse elimination.
//
// With masses of one and rows of nominal length one (gauss/whitened_rows.h) S = Y Yᵀ, and x ← S⁺x turns towards the
// left singular vector of the least σ of Y that is not zero; |x| / |S⁺x| goes to σ². S⁺x is what `sparse` gives for
// Q = 0, b = x, redundant rows included: those are not counted. The largest σ comes from x ← S x.
//
// Poses that are asked for one after the other are near one another: each begins with the vector of the one before
// (and some of the first one, lest a direction be missed), and σ_1 is that of the first pose. `forget` begins anew.
// Cost: a factorisation and about ten solutions, fewer where a pose was looked at before; no allocation where the
// redundant rows stay as many as they are.
#pragma once

#include <memory>
#include <optional>

#include "mortise/gauss/sparse.h"
#include "mortise/gauss/whitened_rows.h"

namespace mortise::gauss {

class LeastSingularValue {
 public:
  explicit LeastSingularValue(const Pattern& pattern);

  // σ_rank / σ_1. Where fewer rows count as independent than `rank`: the largest that was dropped. None: masses of zero
  // have no metric.
  std::optional<double> find(const GaussProblem& problem, const linalg::RankPolicy& policy, int rank);
  void forget() {
    factor_->forget();
    most_ = 0;
  }

 private:
  double largest();

  const Pattern& pattern_;
  WhitenedRows rows_;
  std::unique_ptr<SparseFactor> factor_;
  GaussSolution solution_;
  Vector start_, x_, w_, Q_, b_;
  double most_ = 0;  // σ_1; 0: nothing is known
};

}  // namespace mortise::gauss
