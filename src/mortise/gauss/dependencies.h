// How rows depend on one another, in the order in which they are given.
//
// The combinations t with tᵀD = 0 form a space of m − r dimensions. A row is the last of such a combination, or of
// none: those which are, are the dependent ones, and each has one combination in which no other dependent row takes
// part,
//
//     row i = −Σ_{j<i} t_j row j,    t_i = 1,       ρ_i = tᵀe,
//
// a circuit: leave any row of it out and the rest is independent. ρ ≠ 0 is what row i asks beyond the others. Which
// rows these are is a matter of the order alone; how many, of the rank, and that was decided with pivoting. So a row
// that drift makes look independent (its combination holds the others with coefficients 1/drift) stays dependent:
// shares below RankPolicy::significance count as none.
//
// The space has an orthonormal basis N at hand, so the shortest of all multipliers with the same force is μ − N Nᵀμ.
//
// Source: specs/gigsp-and-genetic.md §2, dependency vectors; the echelon form from the last row up by reflections.
// Cost: O(m (m − r)²); nothing for full rank. Memory 2 m².
#pragma once

#include <vector>

#include "mortise/linalg/gram_schmidt.h"
#include "mortise/linalg/types.h"

namespace mortise::gauss {

class RowDependencies {
 public:
  void resize(int m);
  // Of rows that were factored. `in_order` false: the dependent rows are those which the factorisation dropped.
  void find(const linalg::RowGramSchmidt& rows, const linalg::RankPolicy& policy, double violation,
            bool in_order = true);

  int count() const { return count_; }
  int row(int k) const { return row_[static_cast<std::size_t>(k)]; }          // the dependent row of combination k
  auto combination(int k) const { return T_.col(k); }                         // t, m entries, 1 at row(k)
  double residual(int k, const Vector& e) const { return T_.col(k).dot(e); }  // ρ
  // What ρ has to be measured by: a row that follows from others with large coefficients, since these nearly vanish,
  // shows their errors enlarged.
  double enlargement(int k) const { return T_.col(k).cwiseAbs().maxCoeff(); }
  // For right-hand sides e: `excess` of each dependent row is ρ by its enlargement; one that exceeds the bound
  // contradicts the others, and is granted what they give it, e − ρ. Where it takes only a small part in its
  // combination that would enlarge their errors, and it is left as it is.
  void grant(const Vector& e, double bound, Vector& excess, Vector& granted) const;
  // Whether row j takes part in combination k.
  bool takes_part(int k, int j) const;
  void shorten(Vector& mu) const;
  // row = Σ c_j row j before the rows were scaled by s, for Factor::dependency: allocates.
  Vector coefficients(int row, const std::vector<double>& s) const;
  double flops() const { return flops_; }

 private:
  void orthonormalize();
  void order_rows();

  Matrix T_, N_;  // m × count, in the first columns
  std::vector<int> row_;
  Vector u_, c_;
  int m_ = 0, count_ = 0, basis_ = 0;  // basis_: columns of N
  double significance_ = 0, flops_ = 0;
};

}  // namespace mortise::gauss
