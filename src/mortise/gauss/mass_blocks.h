// The mass matrix of a Gauss problem as M = L Lᵀ, block by block.
//
// M is constant for most bodies in most coordinates: L is computed anew only when a bit of M changed. Of blocks of
// bodies L⁻¹ is kept (a row of it gives what a row of A is worth), of diagonal ones its diagonal alone, of larger ones
// L itself with the reciprocals of its diagonal: substitution costs as much as a product with the inverse, and half of
// the factorisation is saved.
//
// Cost: O(blocks · size³) when M changed.
#pragma once

#include <vector>

#include "mortise/gauss/problem.h"

namespace mortise::gauss {

class MassBlocks {
 public:
  explicit MassBlocks(const Pattern& pattern);

  // Returns the first velocity block whose mass is not positive definite, −1 when all are.
  int factor(const GaussProblem& problem, const linalg::RankPolicy& policy);
  double flops() const { return flops_; }  // of the last `factor`
  // Another one whenever M was factored: never 0 then.
  std::uint64_t version() const { return version_; }

  // On all threads where there are many blocks.
  void whiten(const double* Q, double* w) const;                                          // w = L⁻¹Q
  void whiten_block(int block, const double* __restrict Q, double* __restrict w) const {  // of its own columns
    if (!multiply_diagonal(blocks_[static_cast<std::size_t>(block)], Q, w)) whiten_full(block, Q, w);
  }
  void unwhiten(const double* w, double* a) const;                                          // a = L⁻ᵀw
  void unwhiten_block(int block, const double* __restrict w, double* __restrict a) const {  // of its own columns
    if (!multiply_diagonal(blocks_[static_cast<std::size_t>(block)], w, a)) unwhiten_full(block, w, a);
  }

  // Of one block: Y = diag(scale) A L⁻ᵀ for `rows` rows of A, both row-major. Rows with scale 0 are zero whatever A is.
  // Returns its multiplications and additions.
  struct Factor {
    const double* L;
    bool diagonal, inverted;  // what L is: see above
  };
  Factor factor_of(int block) const {
    const Block& b = blocks_[static_cast<std::size_t>(block)];
    return {L_.data() + b.offset, b.diagonal, b.inverted};
  }
  double whiten_rows(int block, const double* A, const double* scale, int rows, double* Y) const;

 private:
  struct Block {
    int begin, size, offset, M;  // offset: of its factor; M: of its values in M
    bool diagonal, inverted;
  };
  // Planar bodies: the usual case of few operations.
  bool multiply_diagonal(const Block& block, const double* __restrict x, double* __restrict y) const {
    if (!block.diagonal || block.size != 3) return false;
    const double* L = L_.data() + block.offset;
    for (int i = 0; i < 3; ++i) y[i] = L[i] * x[i];
    return true;
  }
  void whiten_full(int block, const double* Q, double* w) const;
  void unwhiten_full(int block, const double* w, double* a) const;
  bool factor_block(Block& block, const double* M, double smallest_pivot);

  int columns_;
  std::vector<Block> blocks_;
  std::vector<double> M_;  // as last factored
  // Factors: diagonals as vectors of velocities, behind them the others as M has its blocks, row-major. So those of
  // bodies in a row are in a row.
  std::vector<double> L_;
  std::uint64_t stamp_ = 0, version_ = 0;
  double flops_ = 0;
  bool factored_ = false;
};

}  // namespace mortise::gauss
