// The rows of a problem where masses are one, Y = diag(scale) A L⁻ᵀ, and what they add to the matrix of `sparse`,
//
//     K = [Y Yᵀ, Y_h; Y_hᵀ, −I]          Y_h: of hubs, which stay as unknowns
//
// Bodies are whitened and multiplied where the elimination first needs them: a pair of joints on a body in one kernel.
//
// Cost: each value of A and Y once, 2 rows² columns operations a body.
#pragma once

#include <vector>

#include "mortise/gauss/mass_blocks.h"
#include "mortise/gauss/sparse_layout.h"

namespace mortise::gauss {

class SparseRows {
 public:
  SparseRows(const Pattern& pattern, const SparseLayout& layout, const MassBlocks& mass);

  // Before an elimination; A is read while that lasts. True: other rows are on than before.
  bool take(const GaussProblem& problem);

  const double* A() const { return A_; }
  const double* scale() const { return scale_.data(); }  // row_scale of the pattern, but 0 on rows that are off
  double scale(int row) const { return scale_[static_cast<std::size_t>(row)]; }
  bool active(int row) const { return active_[static_cast<std::size_t>(row)] != 0; }
  int active_rows() const { return active_rows_; }
  bool all_active() const { return all_active_; }

  double* Y() { return Y_.data(); }  // laid out as A
  const double* Y() const { return Y_.data(); }
  void whiten(int block);

  void add_hubs(double* K);
  // Adds the bodies that the steps begin .. end − 1 are the first to need.
  void add_due(int begin, int end, double* K);

 private:
  using Piece = SparseLayout::Piece;
  using Body = SparseLayout::Body;
  [[gnu::always_inline]] inline void add_pair(const Body& body, double* K);
  [[gnu::always_inline]] inline void add_products(const Body& body, double* K, const double* Y) const;
  void add_again(const Body& body, double* K) const;

  const Pattern& pattern_;
  const SparseLayout& layout_;
  const MassBlocks& mass_;
  const double* A_ = nullptr;
  Vector Y_;
  std::vector<double> nominal_, scale_, minus_one_;
  std::vector<unsigned char> active_;
  int active_rows_ = 0;
  bool all_active_ = false, taken_ = false;
};

}  // namespace mortise::gauss
