// to = Y w − c on the rows of one group: in registers where every piece has all of its rows, as those of joints do.
//
// Cost: each value of Y once.
#pragma once

#include <span>
#include <type_traits>

#include "mortise/gauss/sparse_layout.h"
#include "mortise/gauss/with_size.h"

namespace mortise::gauss {

using RowPieces = std::span<const SparseLayout::RowPiece>;

// False: there is a piece of fewer rows.
template <int rows>
[[gnu::always_inline]] inline bool whole_row_residual(RowPieces pieces, int row, const double* __restrict all_Y,
                                                      const double* __restrict all_w, const double* __restrict c,
                                                      double* __restrict to) {
  double sum[rows] = {};
  for (const SparseLayout::RowPiece& e : pieces) {
    if (e.rows != rows) return false;
    const double *const Y = all_Y + e.offset, *const w = all_w + e.begin;
    const auto add = [&](auto fixed) {
      const int size = fixed.value > 0 ? fixed.value : e.size;
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < size; ++j) sum[i] += Y[i * size + j] * w[j];
    };
    if (e.size == 3)
      add(std::integral_constant<int, 3>{});
    else if (e.size == 6)
      add(std::integral_constant<int, 6>{});
    else
      add(std::integral_constant<int, 0>{});
  }
  for (int i = 0; i < rows; ++i) to[row + i] = sum[i] - c[row + i];
  return true;
}

inline void row_residual(const SparseLayout::Group& group, RowPieces pieces, const double* all_Y, const double* all_w,
                         const double* c, double* to) {
  if (group.rows == 2 && whole_row_residual<2>(pieces, group.row, all_Y, all_w, c, to)) return;
  if (group.rows == 5 && whole_row_residual<5>(pieces, group.row, all_Y, all_w, c, to)) return;
  double sum[6] = {};
  for (const SparseLayout::RowPiece& e : pieces) {
    const double* Y = all_Y + e.offset;
    const double* w = all_w + e.begin;
    double* part = sum + (e.row - group.row);
    with_size(e.size, [&](auto fixed) {
      const int size = fixed.value > 0 ? fixed.value : e.size;
      for (int i = 0; i < e.rows; ++i, Y += size)
        for (int j = 0; j < size; ++j) part[i] += Y[j] * w[j];
    });
  }
  for (int i = 0; i < group.rows; ++i) to[group.row + i] = sum[i] - c[group.row + i];
}

}  // namespace mortise::gauss
