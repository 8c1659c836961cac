#include "mortise/gauss/block_lu.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "mortise/gauss/with_size.h"
#include "mortise/graph/elimination.h"

namespace mortise::gauss {

BlockLu::BlockLu(const std::vector<Node>& nodes, const std::vector<std::pair<int, int>>& edges) {
  const int count = static_cast<int>(nodes.size());
  graph::EliminationOptions options;
  for (const Node& node : nodes) {
    options.sizes.push_back(node.size);
    options.waits.push_back(node.waits ? 1 : 0);
    begin_.push_back(total_);
    total_ += node.size;
  }
  std::vector<std::vector<int>> pairs;
  for (const auto& [a, b] : edges)
    if (a != b) pairs.push_back({a, b});
  const graph::Elimination e = graph::eliminate(count, pairs, options);
  step_of_ = e.position;
  pivot_.assign(index(total_), 0);
  int values = 0;
  const auto take = [&](int size) {
    const int at = values;
    values += size;
    return at;
  };
  for (const int v : e.order) {
    const int size = nodes[index(v)].size;
    Step step{v, size, begin(v), take(size * size), static_cast<int>(neighbours_.size()), 0, nodes[index(v)].waits};
    for (const int w : e.separator[index(v)]) {
      const int other = nodes[index(w)].size, lower = take(size * other);
      places_.emplace_back(w, static_cast<int>(neighbours_.size()));
      neighbours_.push_back({begin(w), other, lower, take(size * other)});
    }
    std::sort(places_.begin() + step.first_neighbour, places_.end());
    steps_.push_back(step);
  }
  steps_.push_back({-1, 0, total_, values, static_cast<int>(neighbours_.size()), 0, false});
  for (Step& step : steps_) {
    step.first_update = static_cast<int>(updates_.size());
    if (step.node < 0) break;
    const std::vector<int>& separator = e.separator[index(step.node)];
    for (std::size_t j = 0; j < separator.size(); ++j)
      for (std::size_t k = 0; k < separator.size(); ++k) {
        const Neighbour& row = neighbours_[index(step.first_neighbour) + j];
        const Neighbour& column = neighbours_[index(step.first_neighbour) + k];
        updates_.push_back({place(separator[j], separator[k]), row.lower, column.upper, row.size, column.size});
      }
  }
  values_.assign(index(values), 0.0);
}

int BlockLu::place(int row, int column) const {
  const int r = step_of_[index(row)], c = step_of_[index(column)];
  const Step& first = steps_[index(std::min(r, c))];
  if (r == c) return first.diagonal;
  const int later = r > c ? row : column;
  const auto begin = places_.begin() + first.first_neighbour, end = places_.begin() + (&first + 1)->first_neighbour;
  const auto found = std::lower_bound(begin, end, std::pair<int, int>{later, -1});
  if (found == end || found->first != later) throw std::logic_error("BlockLu: no such block");
  const Neighbour& n = neighbours_[index(found->second)];
  return r > c ? n.lower : n.upper;
}

void BlockLu::clear() { std::fill(values_.begin(), values_.end(), 0.0); }

std::size_t BlockLu::bytes() const {
  return values_.size() * sizeof(double) + updates_.size() * sizeof(Update) + neighbours_.size() * sizeof(Neighbour) +
         steps_.size() * sizeof(Step);
}

// D becomes its L (ones on the diagonal, not stored) and U, rows exchanged.
bool BlockLu::factor_pivot(const Step& step) {
  const int n = step.size;
  double* const D = values_.data() + step.diagonal;
  int* const pivot = pivot_.data() + step.x;
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(D[i * n + k]) > std::abs(D[best * n + k])) best = i;
    pivot[k] = best;
    if (best != k) std::swap_ranges(D + k * n, D + (k + 1) * n, D + best * n);
    const double p = D[k * n + k];
    if (!(std::abs(p) > 0) || !std::isfinite(p)) return false;
    if (step.waits) least_ = std::min(least_, std::abs(p));
    for (int i = k + 1; i < n; ++i) {
      const double l = D[i * n + k] /= p;
      for (int j = k + 1; j < n; ++j) D[i * n + j] -= l * D[k * n + j];
    }
  }
  return true;
}

// x (size × columns, row-major) becomes D⁻¹x.
void BlockLu::solve_pivot(const Step& step, double* x, int columns) const {
  const int n = step.size;
  const double* const D = values_.data() + step.diagonal;
  const int* const pivot = pivot_.data() + step.x;
  for (int k = 0; k < n; ++k)
    if (pivot[k] != k) std::swap_ranges(x + k * columns, x + (k + 1) * columns, x + pivot[k] * columns);
  for (int i = 1; i < n; ++i)
    for (int k = 0; k < i; ++k)
      for (int c = 0; c < columns; ++c) x[i * columns + c] -= D[i * n + k] * x[k * columns + c];
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k)
      for (int c = 0; c < columns; ++c) x[i * columns + c] -= D[i * n + k] * x[k * columns + c];
    const double r = 1 / D[i * n + i];
    for (int c = 0; c < columns; ++c) x[i * columns + c] *= r;
  }
}

bool BlockLu::factor() {
  least_ = std::numeric_limits<double>::infinity();
  vanished_ = -1;
  double* const values = values_.data();
  for (std::size_t s = 0; s + 1 < steps_.size(); ++s) {
    const Step& step = steps_[s];
    if (!factor_pivot(step)) {
      vanished_ = step.node;
      return false;
    }
    for (int k = step.first_neighbour; k < steps_[s + 1].first_neighbour; ++k)
      solve_pivot(step, values + neighbours_[index(k)].upper, neighbours_[index(k)].size);
    with_size(step.size, [&](auto fixed) {
      const int n = fixed.value > 0 ? fixed.value : step.size;
      for (int k = step.first_update; k < steps_[s + 1].first_update; ++k) {
        const Update& u = updates_[index(k)];
        const double* __restrict L = values + u.lower;
        const double* __restrict U = values + u.upper;
        double* __restrict to = values + u.to;
        for (int i = 0; i < u.rows; ++i)
          for (int m = 0; m < n; ++m) {
            const double l = L[i * n + m];
            for (int j = 0; j < u.columns; ++j) to[i * u.columns + j] -= l * U[m * u.columns + j];
          }
      }
    });
  }
  return true;
}

void BlockLu::solve(double* x) const {
  const double* const values = values_.data();
  for (std::size_t s = 0; s + 1 < steps_.size(); ++s) {
    const Step& step = steps_[s];
    double* const own = x + step.x;
    solve_pivot(step, own, 1);
    for (int k = step.first_neighbour; k < steps_[s + 1].first_neighbour; ++k) {
      const Neighbour& n = neighbours_[index(k)];
      const double* L = values + n.lower;
      double* const y = x + n.x;
      for (int i = 0; i < n.size; ++i, L += step.size) {
        double sum = 0;
        for (int m = 0; m < step.size; ++m) sum += L[m] * own[m];
        y[i] -= sum;
      }
    }
  }
  for (std::size_t s = steps_.size() - 1; s-- > 0;) {
    const Step& step = steps_[s];
    double* const own = x + step.x;
    for (int k = step.first_neighbour; k < steps_[s + 1].first_neighbour; ++k) {
      const Neighbour& n = neighbours_[index(k)];
      const double* U = values + n.upper;
      const double* const y = x + n.x;
      for (int i = 0; i < step.size; ++i, U += n.size) {
        double sum = 0;
        for (int m = 0; m < n.size; ++m) sum += U[m] * y[m];
        own[i] -= sum;
      }
    }
  }
}

}  // namespace mortise::gauss
