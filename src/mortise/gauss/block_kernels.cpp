#include "mortise/gauss/block_kernels.h"

#include <array>
#include <utility>

#include "mortise/linalg/types.h"

namespace mortise::gauss {

namespace {

constexpr int unrolled = 6;  // sizes up to this have kernels of their own

// Zero stands for a size that is known only at run time.
template <int R, int C, int S>
void update(double* __restrict to, const double* __restrict V_row, const double* __restrict V_col,
            const double* __restrict r, const int* sizes) {
  const int rows = R ? R : sizes[0], columns = C ? C : sizes[1], inner = S ? S : sizes[2], stride = sizes[3];
  for (int a = 0; a < rows; ++a) {
    double scaled[S ? S : 1];
    if constexpr (S > 0)
      for (int k = 0; k < S; ++k) scaled[k] = V_row[a * S + k] * r[k];
    for (int b = 0; b < columns; ++b) {
      double sum = 0;
      if constexpr (S > 0) {
        for (int k = 0; k < S; ++k) sum += scaled[k] * V_col[b * S + k];
      } else {
        for (int k = 0; k < inner; ++k) sum += V_row[a * inner + k] * r[k] * V_col[b * inner + k];
      }
      to[a * stride + b] -= sum;
    }
  }
}

template <int... I>
constexpr auto kernels(std::integer_sequence<int, I...>) {
  constexpr int n = unrolled;
  return std::array<BlockUpdate, sizeof...(I)>{update<I / (n * n) + 1, I / n % n + 1, I % n + 1>...};
}

template <int R, int S, bool diagonal>
[[gnu::always_inline]] inline void whiten(const double* __restrict A, const double* __restrict scale,
                                          const double* __restrict L, double* __restrict Y) {
  for (int i = 0; i < R; ++i, A += S, Y += S) {
    const double s = scale[i];
    if (s == 0) {
      for (int j = 0; j < S; ++j) Y[j] = 0;
    } else if (diagonal) {
      for (int j = 0; j < S; ++j) Y[j] = s * A[j] * L[j];
    } else {
      for (int j = 0; j < S; ++j) {
        double sum = 0;
        for (int l = 0; l <= j; ++l) sum += A[l] * L[j * S + l];
        Y[j] = s * sum;
      }
    }
  }
}

template <int R, int C, int S, bool lower>
[[gnu::always_inline]] inline void add_product(const double* __restrict V, const double* __restrict W,
                                               double* __restrict to, int stride) {
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < (lower ? i + 1 : C); ++j) {
      double sum = 0;
      for (int k = 0; k < S; ++k) sum += V[i * S + k] * W[j * S + k];
      to[i * stride + j] += sum;
    }
}

template <int R, int C, int S, bool diagonal>
void pair(const PairOfRows& rows, const double* L) {
  double Y_R[R * S], Y_C[C * S];
  whiten<R, S, diagonal>(rows.A[0], rows.scale[0], L, Y_R);
  whiten<C, S, diagonal>(rows.A[1], rows.scale[1], L, Y_C);
  add_product<R, R, S, true>(Y_R, Y_R, rows.D[0], rows.stride[0]);
  add_product<C, C, S, true>(Y_C, Y_C, rows.D[1], rows.stride[1]);
  add_product<R, C, S, false>(Y_R, Y_C, rows.E, rows.stride[2]);
  for (int k = 0; k < R * S; ++k) rows.Y[0][k] = Y_R[k];
  for (int k = 0; k < C * S; ++k) rows.Y[1][k] = Y_C[k];
}

template <int S, bool diagonal, int... I>
constexpr auto pairs(std::integer_sequence<int, I...>) {
  return std::array<PairKernel, sizeof...(I)>{pair<I / 6 + 1, I % 6 + 1, S, diagonal>...};
}

}  // namespace

PairKernel pair_kernel(int rows_R, int rows_C, int size, bool diagonal) {
  // Rows of planar joints, 1 to 3; of spatial ones, 1 to 6.
  static constexpr auto planar = pairs<3, true>(std::make_integer_sequence<int, 36>{});
  static constexpr auto spatial = pairs<6, true>(std::make_integer_sequence<int, 36>{});
  static constexpr auto turned = pairs<6, false>(std::make_integer_sequence<int, 36>{});
  if (rows_R > 6 || rows_C > 6) return nullptr;
  const auto k = index((rows_R - 1) * 6 + rows_C - 1);
  if (size == 3 && diagonal) return planar[k];
  if (size == 6) return diagonal ? spatial[k] : turned[k];
  return nullptr;
}

BlockUpdate block_update(int rows, int columns, int inner) {
  static constexpr auto table = kernels(std::make_integer_sequence<int, unrolled * unrolled * unrolled>{});
  if (rows > unrolled || columns > unrolled || inner > unrolled) return update<0, 0, 0>;
  return table[index(((rows - 1) * unrolled + columns - 1) * unrolled + inner - 1)];
}

}  // namespace mortise::gauss
