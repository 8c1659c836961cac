// The Gauss problem in coordinates where the mass matrix is the identity: what every formulation with a regular M
// starts from.
//
// With M = L Lᵀ (block by block), w = Lᵀa and the rows scaled to a nominal norm of one,
//
//     Y = diag(s) A L⁻ᵀ,   w_f = L⁻¹Q,        M a + Aᵀλ = Q,  A a = b     ⇔     w + Yᵀμ = w_f,  Y w = s∘b,   λ = s∘μ.
//
// Y has the block pattern of A. Rows that are off are zero.
//
// Source: specs/formulations.md §0, D = A L⁻ᵀ; row scaling of Pattern::row_scale.
// Cost: that of MassBlocks for L, O(size) per entry of A for Y.
#pragma once

#include <vector>

#include "mortise/gauss/mass_blocks.h"

namespace mortise::gauss {

class WhitenedRows {
 public:
  explicit WhitenedRows(const Pattern& pattern);

  // Returns the first velocity block whose mass is not positive definite, −1 when all are.
  int factor(const GaussProblem& problem, const linalg::RankPolicy& policy);

  int n() const { return n_; }
  int m() const { return m_; }
  int active_rows() const { return active_rows_; }
  bool active(int row) const { return active_[static_cast<std::size_t>(row)] != 0; }
  double scale(int row) const { return scale_[static_cast<std::size_t>(row)]; }  // 0 on rows that are off

  double flops() const { return flops_; }  // of the last `factor`

  // A block of Y: rows × size doubles at values() + offset, row-major, for columns begin .. begin + size.
  struct Block {
    int row, rows, begin, size, offset;
  };
  const std::vector<Block>& blocks() const { return blocks_; }
  const double* values() const { return Y_.data(); }

  void whiten(const double* Q, double* w) const { mass_.whiten(Q, w); }      // w = L⁻¹Q
  void unwhiten(const double* w, double* a) const { mass_.unwhiten(w, a); }  // a = L⁻ᵀw
  void multiply(const double* w, double* y) const;                           // y = Y w
  void subtract_transposed(const double* mu, double* w) const;               // w ← w − Yᵀμ

 private:
  int n_ = 0, m_ = 0, active_rows_ = 0;
  std::vector<Block> blocks_;
  std::vector<int> mass_of_;  // the mass block of each row block
  MassBlocks mass_;
  std::vector<double> nominal_;  // row_scale of the pattern
  std::vector<double> scale_;
  std::vector<unsigned char> active_;
  std::vector<double> Y_;
  double flops_ = 0;
};

}  // namespace mortise::gauss
