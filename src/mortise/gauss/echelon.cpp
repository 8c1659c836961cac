#include "mortise/gauss/echelon.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace mortise::gauss {

std::vector<int> to_echelon(Matrix& N, const Vector& weights) {
  constexpr double pivot_share = 0.05, equal = 1 - 1e-6;
  const auto m = static_cast<int>(N.rows()), k = static_cast<int>(N.cols());
  std::vector<int> order(static_cast<std::size_t>(m));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return weights[a] > weights[b]; });
  std::vector<int> rows;
  std::vector<unsigned char> taken(static_cast<std::size_t>(m), 0);
  for (int done = 0; done < k; ++done) {
    const double largest = N.rightCols(k - done).cwiseAbs().maxCoeff();
    int row = -1, column = -1;
    for (std::size_t begin = 0; begin < order.size() && row < 0;) {
      std::size_t end = begin;
      double best = pivot_share * largest;
      for (; end < order.size() && weights[order[end]] == weights[order[begin]]; ++end) {
        const int i = order[end];
        if (taken[static_cast<std::size_t>(i)]) continue;
        for (int j = done; j < k; ++j)
          if (std::abs(N(i, j)) >= best * (row < 0 ? 1 : equal))
            best = std::max(best, std::abs(N(i, j))), row = i, column = j;
      }
      begin = end;
    }
    if (row < 0 || !(largest > 0)) throw std::logic_error("echelon form of vectors that are no basis");
    taken[static_cast<std::size_t>(row)] = 1;
    rows.push_back(row);
    N.col(column).swap(N.col(done));
    N.col(done) /= N(row, done);
    for (int j = 0; j < k; ++j) {
      if (j == done) continue;
      N.col(j) -= N(row, j) * N.col(done);
      N(row, j) = 0;
    }
  }
  return rows;
}

}  // namespace mortise::gauss
