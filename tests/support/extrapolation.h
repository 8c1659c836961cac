// An integrator for reference solutions, independent of the library's: Gragg's modified midpoint rule, extrapolated in
// h² over the even sequence 2, 4, …, 16 (Hairer, Nørsett, Wanner I, II.9): order 16, fixed basic steps, no error
// control. A reference is trusted when two numbers of steps agree.
#pragma once

#include <array>
#include <cstddef>

namespace mortise::test {

template <std::size_t N, class F>
std::array<double, N> extrapolate(F&& f, std::array<double, N> y, double duration, int steps) {
  using Y = std::array<double, N>;
  constexpr std::size_t columns = 8;
  const auto along = [](const Y& a, double h, const Y& b) {
    Y out;
    for (std::size_t k = 0; k < N; ++k) out[k] = a[k] + h * b[k];
    return out;
  };
  for (int step = 0; step < steps; ++step) {
    std::array<Y, columns> table;
    for (std::size_t j = 0; j < columns; ++j) {
      const int substeps = 2 * (static_cast<int>(j) + 1);
      const double h = duration / steps / substeps;
      Y before = y, now = along(y, h, f(y));
      for (int i = 1; i < substeps; ++i) {
        const Y next = along(before, 2 * h, f(now));
        before = now;
        now = next;
      }
      const Y slope = f(now);
      Y column;
      for (std::size_t k = 0; k < N; ++k) column[k] = 0.5 * (before[k] + now[k] + h * slope[k]);
      // Aitken-Neville towards h = 0: table[l] holds the last row's entry of column l.
      for (std::size_t l = 0; l <= j; ++l) {
        const Y last = table[l];
        table[l] = column;
        if (l == j) break;
        const double ratio = static_cast<double>(j + 1) / static_cast<double>(j - l);
        for (std::size_t k = 0; k < N; ++k) column[k] += (column[k] - last[k]) / (ratio * ratio - 1);
      }
    }
    y = table[columns - 1];
  }
  return y;
}

}  // namespace mortise::test
