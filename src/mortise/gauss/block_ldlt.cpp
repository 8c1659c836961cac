#include "mortise/gauss/block_ldlt.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "mortise/gauss/with_size.h"
#include "mortise/graph/elimination.h"

namespace mortise::gauss {

namespace {

constexpr int unrolled = 6;  // sizes up to this have kernels of their own

// to (R × C, rows `stride` apart) −= V_row diag(r) V_colᵀ, both with S columns. Zero stands for a size that is known
// only at run time: rows, columns, inner, stride.
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

using Kernel = void (*)(double*, const double*, const double*, const double*, const int*);

template <int... I>
constexpr auto kernels(std::integer_sequence<int, I...>) {
  constexpr int n = unrolled;
  return std::array<Kernel, sizeof...(I)>{update<I / (n * n) + 1, I / n % n + 1, I % n + 1>...};
}

Kernel kernel(int rows, int columns, int inner) {
  static constexpr auto table = kernels(std::make_integer_sequence<int, unrolled * unrolled * unrolled>{});
  if (rows > unrolled || columns > unrolled || inner > unrolled) return update<0, 0, 0>;
  return table[index(((rows - 1) * unrolled + columns - 1) * unrolled + inner - 1)];
}

// D (S × S, row-major, lower triangle) becomes C − I below the diagonal and the reciprocals of the pivots on it. The
// number of the first pivot of the wrong sign, or −1.
template <int S>
int factor_pivot(double* __restrict D, double sign, int size) {
  const int n = S ? S : size;
  for (int j = 0; j < n; ++j) {
    double p = D[j * n + j];
    if (!(sign * p > 0)) return j;
    const double r = 1 / p;
    for (int i = j + 1; i < n; ++i) {
      const double c = D[i * n + j] * r;
      for (int k = j + 1; k <= i; ++k) D[i * n + k] -= c * D[k * n + j];
    }
    for (int i = j + 1; i < n; ++i) D[i * n + j] *= r;
    D[j * n + j] = r;
  }
  return -1;
}

// Each row of V becomes V C⁻ᵀ.
template <int S>
void forward_rows(const double* __restrict D, double* __restrict V, int rows, int size) {
  const int n = S ? S : size;
  for (int a = 0; a < rows; ++a, V += n)
    for (int j = 1; j < n; ++j) {
      double sum = V[j];
      for (int k = 0; k < j; ++k) sum -= D[j * n + k] * V[k];
      V[j] = sum;
    }
}

template <int S>
void forward(const double* __restrict D, const double* __restrict V, double* __restrict x, int size,
             const BlockLdlt::Neighbour* neighbours, const BlockLdlt::Neighbour* end, double* all) {
  const int n = S ? S : size;
  for (int j = 1; j < n; ++j)
    for (int k = 0; k < j; ++k) x[j] -= D[j * n + k] * x[k];
  for (int j = 0; j < n; ++j) x[j] *= D[j * n + j];
  for (; neighbours != end; ++neighbours) {
    double* __restrict y = all + neighbours->x;
    for (int a = 0; a < neighbours->size; ++a, V += n) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += V[k] * x[k];
      y[a] -= sum;
    }
  }
}

template <int S>
void backward(const double* __restrict D, const double* __restrict V, double* __restrict x, int size,
              const BlockLdlt::Neighbour* neighbours, const BlockLdlt::Neighbour* end, const double* all,
              double* large) {
  const int n = S ? S : size;
  double fixed[S ? S : 1];
  double* sum = S ? fixed : large;
  for (int k = 0; k < n; ++k) sum[k] = 0;
  for (; neighbours != end; ++neighbours) {
    const double* __restrict y = all + neighbours->x;
    for (int a = 0; a < neighbours->size; ++a, V += n)
      for (int k = 0; k < n; ++k) sum[k] += V[k] * y[a];
  }
  for (int k = 0; k < n; ++k) x[k] -= D[k * n + k] * sum[k];
  for (int j = n - 1; j > 0; --j)
    for (int k = 0; k < j; ++k) x[k] -= D[j * n + k] * x[j];
}

}  // namespace

BlockLdlt::BlockLdlt(const std::vector<Node>& nodes, const std::vector<std::pair<int, int>>& edges) {
  const int count = static_cast<int>(nodes.size());
  graph::EliminationOptions options;
  std::vector<std::vector<int>> pairs;
  for (const Node& node : nodes) {
    options.sizes.push_back(node.size);
    options.waits.push_back(node.waits ? 1 : 0);
    begin_.push_back(total_);
    total_ += node.size;
  }
  for (const auto& [a, b] : edges)
    if (a != b) pairs.push_back({a, b});
  const graph::Elimination e = graph::eliminate(count, pairs, options);

  step_of_.resize(nodes.size());
  place_.resize(nodes.size());
  int values = 0;
  for (int s = 0; s < count; ++s) {
    const int v = e.order[index(s)], size = nodes[index(v)].size;
    Step step{v,
              size,
              begin(v),
              values,
              values + size * size,
              0,
              0,
              static_cast<int>(neighbours_.size()),
              static_cast<double>(nodes[index(v)].sign)};
    for (const int w : e.separator[index(v)]) {
      place_[index(v)].push_back({w, step.rows});
      neighbours_.push_back({begin(w), nodes[index(w)].size});
      step.rows += nodes[index(w)].size;
    }
    values += size * size + size * step.rows;
    largest_front_ = std::max(largest_front_, size + step.rows);
    flops_ += size * size * (size / 3.0 + step.rows) + 2.0 * size * step.rows * (step.rows + 1) / 2;
    solve_flops_ += 2.0 * size * size + 4.0 * size * step.rows;
    step_of_[index(v)] = s;
    steps_.push_back(step);
  }
  for (Step& step : steps_) {
    step.first_update = static_cast<int>(updates_.size());
    const auto& around = place_[index(step.node)];
    for (std::size_t i = 0; i < around.size(); ++i) {
      const int v = around[i].first, columns = nodes[index(v)].size;
      for (std::size_t j = i; j < around.size(); ++j) {
        const int w = around[j].first, rows = nodes[index(w)].size;
        const Place to = i == j ? diagonal(v) : between(w, v);
        updates_.push_back({kernel(rows, columns, step.size),
                            to.offset,
                            step.V + around[j].second * step.size,
                            step.V + around[i].second * step.size,
                            {rows, columns, step.size, to.stride}});
      }
    }
  }
  Step end{};
  end.first_update = static_cast<int>(updates_.size());
  end.first_neighbour = static_cast<int>(neighbours_.size());
  steps_.push_back(end);
  values_.assign(index(values), 0);
  for (Step& step : steps_) most_ = std::max(most_, step.size);
  reciprocals_.assign(index(std::max(most_, 1)), 0);
  large_ = reciprocals_;
  small_.reserve(index(total_));
}

BlockLdlt::Place BlockLdlt::diagonal(int node) const {
  const Step& step = steps_[index(step_of_[index(node)])];
  return {step.D, step.size, false};
}

BlockLdlt::Place BlockLdlt::between(int row, int col) const {
  bool transposed = false;
  if (step_of_[index(row)] < step_of_[index(col)]) {
    std::swap(row, col);
    transposed = true;
  }
  const Step& step = steps_[index(step_of_[index(col)])];
  for (const auto& [node, at] : place_[index(col)])
    if (node == row) return {step.V + at * step.size, step.size, transposed};
  throw std::logic_error("no block between these nodes");
}

void BlockLdlt::clear() { std::fill(values_.begin(), values_.end(), 0.0); }

bool BlockLdlt::factor(double cut) {
  small_.clear();
  least_ = 1e300;
  double* const values = values_.data();
  const int count = static_cast<int>(steps_.size()) - 1;
  for (int s = 0; s < count; ++s) {
    const Step& step = steps_[index(s)];
    double* D = values + step.D;
    const bool regular = with_size(step.size, [&](auto fixed) {
      if (factor_pivot<fixed.value>(D, step.sign, step.size) >= 0) return false;
      forward_rows<fixed.value>(D, values + step.V, step.rows, step.size);
      return true;
    });
    if (!regular) return false;
    double* r = reciprocals_.data();
    for (int k = 0; k < step.size; ++k) {
      r[k] = D[k * step.size + k];
      if (step.sign < 0) continue;
      // r > 1 / cut: a small pivot.
      if (r[k] * cut > 1)
        small_.push_back({step.node, k, 1 / r[k]});
      else if (r[k] * least_ > 1)
        least_ = 1 / r[k];
    }
    const int end = steps_[index(s) + 1].first_update;
    for (int u = step.first_update; u < end; ++u) {
      const UpdateStep& up = updates_[index(u)];
      up.kernel(values + up.to, values + up.row, values + up.col, r, up.sizes);
    }
  }
  return true;
}

void BlockLdlt::solve(double* x) {
  const double* const values = values_.data();
  const int count = static_cast<int>(steps_.size()) - 1;
  for (int s = 0; s < count; ++s) {
    const Step& step = steps_[index(s)];
    const Neighbour* first = neighbours_.data() + step.first_neighbour;
    const Neighbour* end = neighbours_.data() + steps_[index(s) + 1].first_neighbour;
    with_size(step.size, [&](auto fixed) {
      forward<fixed.value>(values + step.D, values + step.V, x + step.x, step.size, first, end, x);
    });
  }
  for (int s = count - 1; s >= 0; --s) {
    const Step& step = steps_[index(s)];
    const Neighbour* first = neighbours_.data() + step.first_neighbour;
    const Neighbour* end = neighbours_.data() + steps_[index(s) + 1].first_neighbour;
    with_size(step.size, [&](auto fixed) {
      backward<fixed.value>(values + step.D, values + step.V, x + step.x, step.size, first, end, x, large_.data());
    });
  }
}

std::size_t BlockLdlt::bytes() const {
  return values_.size() * sizeof(double) + steps_.size() * sizeof(Step) + updates_.size() * sizeof(UpdateStep) +
         neighbours_.size() * sizeof(Neighbour);
}

}  // namespace mortise::gauss
