// The inner loops of the Householder reductions: dot products and updates of columns padded to whole lanes.
#pragma once

#include "mortise/linalg/lanes.h"

namespace mortise::linalg {

// x·y and y ← y + s x over `size` doubles, a multiple of lane_count.
inline double dot(const double* __restrict x, const double* __restrict y, int size) {
  Lanes even{}, odd{};
  int i = 0;
  for (; i + 2 * lane_count <= size; i += 2 * lane_count) {
    even += lanes(x + i) * lanes(y + i);
    odd += lanes(x + i + lane_count) * lanes(y + i + lane_count);
  }
  if (i < size) even += lanes(x + i) * lanes(y + i);
  const Lanes sum = even + odd;
  return fold(sum);
}

inline void add_scaled(double s, const double* __restrict x, double* __restrict y, int size) {
  for (int i = 0; i < size; i += lane_count) lanes(y + i) += s * lanes(x + i);
}

// c ← (I − τ u uᵀ) c for one column of `chunks` lane groups. Fixed = the number of groups when it is known to the
// compiler: u and c then stay in registers.
template <int Fixed>
inline void reflect_one(const double* __restrict u, double tau, double* __restrict c) {
  Lanes sum = lanes(u) * lanes(c);
  for (int i = 1; i < Fixed; ++i) sum += lanes(u + i * lane_count) * lanes(c + i * lane_count);
  const double s = tau * fold(sum);
  for (int i = 0; i < Fixed; ++i) lanes(c + i * lane_count) -= s * lanes(u + i * lane_count);
}

// Two columns at a time: their chains of additions overlap.
template <int Fixed>
inline void reflect_two(const double* __restrict u, double tau, double* __restrict c, double* __restrict d) {
  Lanes sum_c = lanes(u) * lanes(c), sum_d = lanes(u) * lanes(d);
  for (int i = 1; i < Fixed; ++i) {
    sum_c += lanes(u + i * lane_count) * lanes(c + i * lane_count);
    sum_d += lanes(u + i * lane_count) * lanes(d + i * lane_count);
  }
  const double s = tau * fold(sum_c), t = tau * fold(sum_d);
  for (int i = 0; i < Fixed; ++i) {
    lanes(c + i * lane_count) -= s * lanes(u + i * lane_count);
    lanes(d + i * lane_count) -= t * lanes(u + i * lane_count);
  }
}

// The same for long columns: four at a time, so that u is read once for four of them, and each is still in the first
// cache when it is updated.
inline void reflect_four(const double* __restrict u, double tau, double* __restrict a, double* __restrict b,
                         double* __restrict c, double* __restrict d, int size) {
  Lanes sum_a{}, sum_b{}, sum_c{}, sum_d{};
  for (int i = 0; i < size; i += lane_count) {
    sum_a += lanes(u + i) * lanes(a + i);
    sum_b += lanes(u + i) * lanes(b + i);
    sum_c += lanes(u + i) * lanes(c + i);
    sum_d += lanes(u + i) * lanes(d + i);
  }
  const double s_a = tau * fold(sum_a), s_b = tau * fold(sum_b), s_c = tau * fold(sum_c), s_d = tau * fold(sum_d);
  if (s_a == 0 && s_b == 0 && s_c == 0 && s_d == 0) return;  // columns of far-away bodies
  for (int i = 0; i < size; i += lane_count) {
    lanes(a + i) -= s_a * lanes(u + i);
    lanes(b + i) -= s_b * lanes(u + i);
    lanes(c + i) -= s_c * lanes(u + i);
    lanes(d + i) -= s_d * lanes(u + i);
  }
}

// Reflects the columns base + stride·index[0..count), each from the entry where u begins.
template <int Fixed>
inline void reflect_short(const double* u, double tau, double* base, std::size_t stride, const int* index, int count) {
  int j = 0;
  for (; j + 2 <= count; j += 2)
    reflect_two<Fixed>(u, tau, base + stride * static_cast<std::size_t>(index[j]),
                       base + stride * static_cast<std::size_t>(index[j + 1]));
  if (j < count) reflect_one<Fixed>(u, tau, base + stride * static_cast<std::size_t>(index[j]));
}

inline void reflect_long(const double* u, double tau, double* base, std::size_t stride, const int* index, int count,
                         int size) {
  int j = 0;
  for (; j + 4 <= count; j += 4)
    reflect_four(u, tau, base + stride * static_cast<std::size_t>(index[j]),
                 base + stride * static_cast<std::size_t>(index[j + 1]),
                 base + stride * static_cast<std::size_t>(index[j + 2]),
                 base + stride * static_cast<std::size_t>(index[j + 3]), size);
  for (; j < count; ++j) {
    double* c = base + stride * static_cast<std::size_t>(index[j]);
    const double s = tau * dot(u, c, size);
    if (s != 0) add_scaled(-s, u, c, size);
  }
}

inline void reflect(const double* u, double tau, double* base, std::size_t stride, const int* index, int count,
                    int size) {
  switch (size / lane_count) {
    case 1:
      return reflect_short<1>(u, tau, base, stride, index, count);
    case 2:
      return reflect_short<2>(u, tau, base, stride, index, count);
    case 3:
      return reflect_short<3>(u, tau, base, stride, index, count);
    case 4:
      return reflect_short<4>(u, tau, base, stride, index, count);
    case 5:
      return reflect_short<5>(u, tau, base, stride, index, count);
    case 6:
      return reflect_short<6>(u, tau, base, stride, index, count);
    default:
      return reflect_long(u, tau, base, stride, index, count, size);
  }
}

}  // namespace mortise::linalg
