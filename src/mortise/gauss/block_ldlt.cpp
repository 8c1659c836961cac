#include "mortise/gauss/block_ldlt.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

#include "mortise/gauss/with_size.h"
#include "mortise/graph/elimination.h"
#include "mortise/graph/subtrees.h"
#include "mortise/linalg/parallel.h"

namespace mortise::gauss {

namespace {

constexpr int steps_at_a_time = 256;
constexpr int least_for_parts = 8192;  // unknowns

// D (S × S, row-major, lower triangle) becomes C − I below the diagonal and the reciprocals of the pivots on it. The
// number of the first pivot of the wrong sign, or −1.
// Two columns at a time: their pivots are a and d/a with d = a c − b², so that one division does not wait for the
// other.
template <int S>
int factor_pivot(double* __restrict D, double sign, int size) {
  const int n = S ? S : size;
  int j = 0;
  for (; j + 1 < n; j += 2) {
    const double a = D[j * n + j], b = D[(j + 1) * n + j], d = a * D[(j + 1) * n + j + 1] - b * b;
    if (!(sign * a > 0)) return j;
    if (!(d > 0)) return j + 1;
    const double r = 1 / a, s = a / d, c = b * r;
    for (int i = j + 2; i < n; ++i) {
      const double first = D[i * n + j], second = D[i * n + j + 1] - first * c;
      const double by_first = first * r, by_second = second * s;
      for (int k = j + 2; k < i; ++k) D[i * n + k] -= by_first * D[k * n + j] + by_second * D[k * n + j + 1];
      D[i * n + i] -= by_first * first + by_second * second;
      D[i * n + j] = first;  // until all rows below have used them
      D[i * n + j + 1] = second;
    }
    for (int i = j + 2; i < n; ++i) {
      D[i * n + j] *= r;
      D[i * n + j + 1] *= s;
    }
    D[j * n + j] = r;
    D[(j + 1) * n + j] = c;
    D[(j + 1) * n + j + 1] = s;
  }
  for (; j < n; ++j) {
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
void forward_step(const double* __restrict D, const double* __restrict V, double* __restrict x, int size,
                  const BlockLdlt::Neighbour* neighbours, const BlockLdlt::Neighbour* end, double* all) {
  const int n = S ? S : size;
  for (int j = 1; j < n; ++j)
    for (int k = 0; k < j; ++k) x[j] -= D[j * n + k] * x[k];
  for (int j = 0; j < n; ++j) x[j] *= D[j * n + j];
  for (; neighbours != end; ++neighbours) {
    double* __restrict y = all + neighbours->x;
    const auto rows = [&](int size) {
      for (int a = 0; a < size; ++a, V += n) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += V[k] * x[k];
        y[a] -= sum;
      }
    };
    neighbours->size == n ? rows(n) : rows(neighbours->size);  // n is known to the compiler, and most are like it
  }
}

template <int S>
void backward_step(const double* __restrict D, const double* __restrict V, double* __restrict x, int size,
                   const BlockLdlt::Neighbour* neighbours, const BlockLdlt::Neighbour* end, const double* all,
                   double* large) {
  const int n = S ? S : size;
  double fixed[S ? S : 1];
  double* sum = S ? fixed : large;
  for (int k = 0; k < n; ++k) sum[k] = 0;
  for (; neighbours != end; ++neighbours) {
    const double* __restrict y = all + neighbours->x;
    const auto rows = [&](int size) {
      for (int a = 0; a < size; ++a, V += n)
        for (int k = 0; k < n; ++k) sum[k] += V[k] * y[a];
    };
    neighbours->size == n ? rows(n) : rows(neighbours->size);
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
  bool waiting = false;
  for (const Node& node : nodes) {
    options.sizes.push_back(node.size);
    options.waits.push_back(node.waits ? 1 : 0);
    waiting = waiting || node.waits || node.sign < 0;
    begin_.push_back(total_);
    total_ += node.size;
  }
  for (const auto& [a, b] : edges)
    if (a != b) pairs.push_back({a, b});
  const bool split = total_ >= least_for_parts && !waiting;
  if (split) options.late = graph::middle(count, pairs);
  const graph::Elimination e = graph::eliminate(count, pairs, options);
  graph::Parts parts;
  parts.of.assign(nodes.size(), 0);
  if (split) parts = graph::subtrees(e, options.sizes);

  std::vector<std::vector<int>> order(index(parts.count) + 1);  // of each part, and of what is behind them
  const auto part_of = [&](int v) { return parts.of[index(v)] >= 0 ? parts.of[index(v)] : parts.count; };
  for (const int v : e.order) order[index(part_of(v))].push_back(v);
  step_of_.resize(nodes.size());
  parts_.resize(order.size());
  int values = 0, most = 1;
  for (std::size_t p = 0; p < order.size(); ++p) {
    Part& part = parts_[p];
    part.first_step = static_cast<int>(steps_.size());
    std::map<int, int> own;  // unknowns of nodes behind the parts: where this one keeps its own
    int pivots = 0;
    for (const int v : order[p]) {
      const int size = nodes[index(v)].size;
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
        places_.push_back({w, step.rows});
        int x = begin(w);
        if (part_of(w) != static_cast<int>(p)) {
          const auto [at, fresh] = own.insert({w, total_ + room_});
          if (fresh) {
            part.unknowns.push_back({at->second, x, nodes[index(w)].size});
            room_ += nodes[index(w)].size;
          }
          x = at->second;
        }
        neighbours_.push_back({x, nodes[index(w)].size});
        step.rows += nodes[index(w)].size;
      }
      values += size * size + size * step.rows;
      pivots += size;
      largest_front_ = std::max(largest_front_, size + step.rows);
      flops_ += size * size * (size / 3.0 + step.rows) + 2.0 * size * step.rows * (step.rows + 1) / 2;
      solve_flops_ += 2.0 * size * size + 4.0 * size * step.rows;
      step_of_[index(v)] = static_cast<int>(steps_.size());
      steps_.push_back(step);
      most = std::max(most, size);
    }
    part.small.reserve(index(pivots));
  }
  for (Part& part : parts_) part.reciprocals.assign(index(most), 0);
  Step end{};
  end.first_neighbour = static_cast<int>(neighbours_.size());
  steps_.push_back(end);

  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Part& part = parts_[p];
    std::map<std::pair<int, int>, int> own;  // blocks behind the parts
    const int last = p + 1 < parts_.size() ? parts_[p + 1].first_step : static_cast<int>(steps_.size()) - 1;
    for (int s = part.first_step; s < last; ++s) {
      Step& step = steps_[index(s)];
      step.first_update = static_cast<int>(updates_.size());
      const auto *around = places_.data() + step.first_neighbour,
                 *behind = places_.data() + steps_[index(s) + 1].first_neighbour;
      for (const auto* i = around; i < behind; ++i) {
        const int v = i->first, columns = nodes[index(v)].size;
        for (const auto* j = i; j < behind; ++j) {
          const int w = j->first, rows = nodes[index(w)].size;
          Place to = i == j ? diagonal(v) : between(w, v);
          if (part_of(v) != static_cast<int>(p) && part_of(w) != static_cast<int>(p)) {
            const auto [at, fresh] = own.insert({{w, v}, values});
            if (fresh) {
              part.blocks.push_back({values, to.offset, rows, columns, to.stride});
              values += rows * columns;
            }
            to = {at->second, columns, false};
          }
          updates_.push_back({block_update(rows, columns, step.size),
                              to.offset,
                              step.V + j->second * step.size,
                              step.V + i->second * step.size,
                              {rows, columns, step.size, to.stride}});
        }
      }
    }
  }
  steps_.back().first_update = static_cast<int>(updates_.size());
  values_.assign(index(values), 0);
  small_.reserve(index(total_));
}

int BlockLdlt::part_of(int node) const {
  const auto behind = std::upper_bound(parts_.begin(), parts_.end(), step_of(node),
                                       [](int step, const Part& part) { return step < part.first_step; });
  return static_cast<int>(behind - parts_.begin()) - 1;
}

BlockLdlt::Place BlockLdlt::diagonal(int node) const {
  const Step& step = steps_[index(step_of(node))];
  return {step.D, step.size, false};
}

BlockLdlt::Place BlockLdlt::between(int row, int col) const {
  const bool transposed = step_of(row) < step_of(col);
  if (transposed) std::swap(row, col);
  const std::size_t s = index(step_of(col));
  for (int k = steps_[s].first_neighbour; k < steps_[s + 1].first_neighbour; ++k)
    if (places_[index(k)].first == row)
      return {steps_[s].V + places_[index(k)].second * steps_[s].size, steps_[s].size, transposed};
  throw std::logic_error("no block between these nodes");
}

void BlockLdlt::clear() { std::fill(values_.begin(), values_.end(), 0.0); }

void BlockLdlt::clear_but() {
  for (const Range& r : cleared_) std::fill(values_.begin() + r.begin, values_.begin() + r.end, 0.0);
}

void BlockLdlt::leave_out(const std::vector<Range>& ranges) {
  ranges_ = ranges;
  cleared_.clear();
  int next = 0, from = 0;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const int end = p + 1 < parts_.size() ? parts_[p + 1].first_step : steps();
    parts_[p].first_range = next;
    while (next < static_cast<int>(ranges_.size()) && ranges_[index(next)].begin < end) ++next;
    parts_[p].last_range = next;
  }
  for (const Range& r : ranges_) {  // values of consecutive steps are next to one another
    const Step &first = step(r.begin), &last = step(r.end - 1);
    cleared_.push_back({from, first.V});
    from = last.V + last.rows * last.size;
  }
  cleared_.push_back({from, static_cast<int>(values_.size())});
}

bool BlockLdlt::eliminate_steps(int begin, int end, const Prepare& prepare, double* r, Pivots& pivots, double* x) {
  double* const values = values_.data();
  for (int first = begin; first < end; first += steps_at_a_time) {
    const int last = std::min(first + steps_at_a_time, end);
    if (prepare) prepare(first, last);
    for (int s = first; s < last; ++s) {
      const Step& step = steps_[index(s)];
      double* D = values + step.D;
      const bool regular = with_size(step.size, [&](auto fixed) {
        if (factor_pivot<fixed.value>(D, step.sign, step.size) >= 0) return false;
        forward_rows<fixed.value>(D, values + step.V, step.rows, step.size);
        if (x)
          forward_step<fixed.value>(D, values + step.V, x + step.x, step.size,
                                    neighbours_.data() + step.first_neighbour,
                                    neighbours_.data() + steps_[index(s) + 1].first_neighbour, x);
        return true;
      });
      if (!regular) return false;
      for (int k = 0; k < step.size; ++k) {
        r[k] = D[k * step.size + k];
        if (step.sign > 0) pivots.note(step.node, k, r[k]);
      }
      const int last_update = steps_[index(s) + 1].first_update;
      for (int u = step.first_update; u < last_update; ++u) {
        const UpdateStep& up = updates_[index(u)];
        up.kernel(values + up.to, values + up.row, values + up.col, r, up.sizes);
      }
    }
  }
  return true;
}

void BlockLdlt::eliminate(Part& part, int end, double cut, const Prepare& prepare, const EliminateRange* range,
                          double* x) {
  part.small.clear();
  Pivots pivots(cut, part.small);
  double* const r = part.reciprocals.data();
  int at = part.first_step;
  part.regular = true;
  const auto own = [&](int up_to) { return eliminate_steps(at, up_to, prepare, r, pivots, x); };
  for (int k = range ? part.first_range : part.last_range; k < part.last_range && part.regular; ++k) {
    part.regular = own(ranges_[index(k)].begin) && (*range)(k, pivots);
    at = ranges_[index(k)].end;
  }
  part.regular = part.regular && own(end);
  part.least = pivots.least();
}

bool BlockLdlt::factor(double cut, const Prepare& prepare, double* x) { return factor_parts(cut, prepare, nullptr, x); }

bool BlockLdlt::factor_but(double cut, const Prepare& prepare, const EliminateRange& range, double* x) {
  return factor_parts(cut, prepare, &range, x);
}

void BlockLdlt::begin_unknowns(const Part& part, double* x) {
  for (const OwnUnknowns& own : part.unknowns) std::fill_n(x + own.from, own.size, 0.0);
}

void BlockLdlt::gather_unknowns(double* x) const {
  for (const Part& part : parts_)
    for (const OwnUnknowns& own : part.unknowns)
      for (int k = 0; k < own.size; ++k) x[own.to + k] += x[own.from + k];
}

bool BlockLdlt::factor_parts(double cut, const Prepare& prepare, const EliminateRange* range, double* x) {
  const auto one = [&](std::size_t p) {
    if (x) begin_unknowns(parts_[p], x);
    eliminate(parts_[p], parts_[p + 1].first_step, cut, prepare, range, x);
  };
  if (parts() > 1)
    linalg::for_each_task(index(parts()), one);
  else
    one(0);
  for (const Part& part : parts_)
    for (const OwnBlock& own : part.blocks)
      for (int i = 0; i < own.rows; ++i)
        for (int j = 0; j < own.columns; ++j)
          values_[index(own.to + i * own.stride + j)] += values_[index(own.from + i * own.columns + j)];
  if (x) gather_unknowns(x);
  eliminate(parts_.back(), steps(), cut, prepare, range, x);
  small_.clear();
  least_ = 1e300;
  bool regular = true;
  for (const Part& part : parts_) {
    small_.insert(small_.end(), part.small.begin(), part.small.end());
    least_ = std::min(least_, part.least);
    regular = regular && part.regular;
  }
  return regular;
}

double BlockLdlt::least_of_all() const {
  double least = least_;
  for (const Small& small : small_) least = std::min(least, small.pivot);
  return least;
}

void BlockLdlt::forward(int begin, int end, double* x) const {
  const double* const values = values_.data();
  for (int s = begin; s < end; ++s) {
    const Step& step = steps_[index(s)];
    const Neighbour* first = neighbours_.data() + step.first_neighbour;
    const Neighbour* last = neighbours_.data() + steps_[index(s) + 1].first_neighbour;
    with_size(step.size, [&](auto fixed) {
      forward_step<fixed.value>(values + step.D, values + step.V, x + step.x, step.size, first, last, x);
    });
  }
}

void BlockLdlt::backward(int begin, int end, double* x, double* large) const {
  const double* const values = values_.data();
  for (int s = end - 1; s >= begin; --s) {
    const Step& step = steps_[index(s)];
    const Neighbour* first = neighbours_.data() + step.first_neighbour;
    const Neighbour* last = neighbours_.data() + steps_[index(s) + 1].first_neighbour;
    with_size(step.size, [&](auto fixed) {
      backward_step<fixed.value>(values + step.D, values + step.V, x + step.x, step.size, first, last, x, large);
    });
  }
}

void BlockLdlt::solve(double* x) {
  forward_parts(x, nullptr);
  backward_parts(x, nullptr);
}

void BlockLdlt::backward(double* x) { backward_parts(x, nullptr); }

void BlockLdlt::solve_but(double* x, const std::function<void(int)>& forward,
                          const std::function<void(int)>& backward) {
  forward_parts(x, &forward);
  backward_parts(x, &backward);
}

void BlockLdlt::backward_but(double* x, const std::function<void(int)>& backward) { backward_parts(x, &backward); }

void BlockLdlt::forward_parts(double* x, const std::function<void(int)>* range) {
  const auto down = [&](const Part& part, int end) {
    int at = part.first_step;
    if (range)
      for (int k = part.first_range; k < part.last_range; ++k) {
        forward(at, ranges_[index(k)].begin, x);
        (*range)(k);
        at = ranges_[index(k)].end;
      }
    forward(at, end, x);
  };
  const auto one = [&](std::size_t p) {
    begin_unknowns(parts_[p], x);
    down(parts_[p], parts_[p + 1].first_step);
  };
  if (parts() > 1)
    linalg::for_each_task(index(parts()), one);
  else
    one(0);
  gather_unknowns(x);
  down(parts_.back(), steps());
}

void BlockLdlt::backward_parts(double* x, const std::function<void(int)>* range) {
  const auto up = [&](Part& part, int end) {
    int at = end;
    if (range)
      for (int k = part.last_range - 1; k >= part.first_range; --k) {
        backward(ranges_[index(k)].end, at, x, part.reciprocals.data());
        (*range)(k);
        at = ranges_[index(k)].begin;
      }
    backward(part.first_step, at, x, part.reciprocals.data());
  };
  const auto one = [&](std::size_t p) {
    for (const OwnUnknowns& own : parts_[p].unknowns) std::copy_n(x + own.to, own.size, x + own.from);
    up(parts_[p], parts_[p + 1].first_step);
  };
  up(parts_.back(), steps());
  if (parts() > 1)
    linalg::for_each_task(index(parts()), one);
  else
    one(0);
}

std::size_t BlockLdlt::bytes() const {
  return values_.size() * sizeof(double) + steps_.size() * sizeof(Step) + updates_.size() * sizeof(UpdateStep) +
         neighbours_.size() * sizeof(Neighbour) + places_.size() * sizeof(places_[0]);
}

}  // namespace mortise::gauss
