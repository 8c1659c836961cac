// S = L D Lᵀ of a symmetric positive definite matrix, in place and without pivoting; names the rows when S is singular.
//
// Meant for S = D Dᵀ, the Gram matrix of constraint rows: pivot k is the squared length of what row k adds to the rows
// before it, so pivot / S_kk is the squared sine of its angle to them. When that vanishes,
//
//     row k = Σ c_j row j,      L₁₁ᵀ c = (L_k1 … L_k,k−1)ᵀ,
//
// and the rows with a coefficient of note are those that depend on one another.
//
// Cost: m³/6 multiply-adds (columns that are zero where the pivot column is are skipped), m² a solve. Memory m².
#pragma once

#include <vector>

#include "mortise/linalg/lanes.h"
#include "mortise/linalg/types.h"

namespace mortise::linalg {

class Ldlt {
 public:
  void resize(int m);
  int m() const { return m_; }

  // Before `factor`: clear all, then write the lower triangle, entry (i, j) at column(j)[i], i ≥ j.
  void clear() { L_.clear(); }
  double* column(int j) { return L_.data() + offset(j); }
  int column_stride() const { return stride_; }

  // True when every pivot exceeds `threshold` of its diagonal entry, and every diagonal entry that share of the
  // largest. Otherwise `failed_row` and `pivot` tell where and how small.
  bool factor(double threshold);
  int failed_row() const { return failed_; }
  // The smallest pivot relative to its diagonal entry: up to the failure, where there was one.
  double pivot() const { return pivot_; }
  // After a failure: the rows that depend on one another, in ascending order. `significance` is relative to the largest
  // contribution |c_j| √S_jj.
  void dependent_rows(double significance, std::vector<int>& rows);

  // x ← S⁻¹ x; x has m entries.
  void solve(Span x);

 private:
  std::size_t offset(int j) const { return static_cast<std::size_t>(j) * static_cast<std::size_t>(stride_); }

  int m_ = 0, stride_ = 0;
  int failed_ = -1;
  double pivot_ = 1;
  LaneArray L_;         // columns of L below the diagonal, zeros above and on it once factored
  LaneArray diagonal_;  // of S
  LaneArray inverse_;   // 1 / D_kk
  LaneArray x_;         // work
};

}  // namespace mortise::linalg
