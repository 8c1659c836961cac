#include "mortise/gauss/pack_factor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "mortise/gauss/with_size.h"
#include "mortise/graph/elimination.h"

namespace mortise::gauss {

namespace {

constexpr int most_pack_steps = 20;

// Rows of one item: a node of the elimination.
struct ItemRows {
  int row, rows;
};

std::vector<ItemRows> rows_by_item(const Pattern& p) {
  std::vector<ItemRows> items;
  for (int i = 0; i < p.m(); ++i) {
    if (i > 0 && p.rows[index(i)].item == p.rows[index(i - 1)].item)
      ++items.back().rows;
    else
      items.push_back({i, 1});
  }
  return items;
}

// A block of A as part of a node: `row` counts within the node.
struct NodePiece {
  int node, row, rows, offset, size;
};

std::map<int, std::vector<NodePiece>> pieces_by_column(const Pattern& p, const std::vector<ItemRows>& items) {
  std::vector<int> node_of(index(p.m()));
  for (std::size_t g = 0; g < items.size(); ++g)
    for (int i = items[g].row; i < items[g].row + items[g].rows; ++i) node_of[index(i)] = static_cast<int>(g);
  std::map<int, std::vector<NodePiece>> pieces;
  for (const RowBlock& e : p.A) {
    const int node = node_of[index(e.row)];
    pieces[e.block].push_back({node, e.row - items[index(node)].row, e.rows, e.offset, p.columns.size(e.block)});
  }
  return pieces;
}

// ---- kernels: those of block_ldlt.cpp on packs
// ---------------------------------------------------------------------------

template <int S>
void factor_pack_pivot(Pack* __restrict D, int size, Mask& irregular) {
  const int n = S ? S : size;
  for (int j = 0; j < n; ++j) {
    const Mask regular = D[j * n + j] > Pack(0);
    irregular = irregular | ~regular;
    const Pack r = Pack(1) / select(regular, D[j * n + j], Pack(1));
    for (int i = j + 1; i < n; ++i) {
      const Pack c = D[i * n + j] * r;
      for (int k = j + 1; k <= i; ++k) D[i * n + k] -= c * D[k * n + j];
    }
    for (int i = j + 1; i < n; ++i) D[i * n + j] *= r;
    D[j * n + j] = r;
  }
}

template <int S>
void forward_pack_rows(const Pack* __restrict D, Pack* __restrict V, int rows, int size) {
  const int n = S ? S : size;
  for (int a = 0; a < rows; ++a, V += n)
    for (int j = 1; j < n; ++j) {
      Pack sum = V[j];
      for (int k = 0; k < j; ++k) sum -= D[j * n + k] * V[k];
      V[j] = sum;
    }
}

template <int S>
void update_pack(Pack* __restrict to, const Pack* __restrict V_row, const Pack* __restrict V_col,
                 const Pack* __restrict r, int rows, int columns, int stride, int size) {
  const int inner = S ? S : size;
  for (int a = 0; a < rows; ++a, V_row += inner, to += stride) {
    if constexpr (S > 0) {
      Pack scaled[S];
      for (int k = 0; k < S; ++k) scaled[k] = V_row[k] * r[k];
      const Pack* V = V_col;
      for (int b = 0; b < columns; ++b, V += S) {
        Pack sum = scaled[0] * V[0];
        for (int k = 1; k < S; ++k) sum += scaled[k] * V[k];
        to[b] -= sum;
      }
    } else {
      for (int b = 0; b < columns; ++b) {
        Pack sum(0);
        for (int k = 0; k < inner; ++k) sum += V_row[k] * r[k] * V_col[b * inner + k];
        to[b] -= sum;
      }
    }
  }
}

}  // namespace

PackPlan::PackPlan(const Pattern& p) : n_(p.n()), m_(p.m()), A_size_(p.A_size) {
  for (int k = 0; k < p.columns.count(); ++k)
    mass_.push_back({p.columns.begin(k), p.columns.size(k), p.M_offset[index(k)]});
  for (const RowBlock& e : p.A)
    blocks_.push_back({e.row, e.rows, p.columns.begin(e.block), p.columns.size(e.block), e.offset, e.block});
  const std::vector<ItemRows> items = rows_by_item(p);
  const auto pieces = pieces_by_column(p, items);

  graph::EliminationOptions options;
  for (const ItemRows& item : items) options.sizes.push_back(item.rows);
  std::vector<std::vector<int>> pairs;
  for (const auto& [block, list] : pieces)
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (list[i].node != list[j].node) pairs.push_back({list[i].node, list[j].node});
  const graph::Elimination e = graph::eliminate(static_cast<int>(items.size()), pairs, options);

  // Of each node: its diagonal block, then one block a later neighbour, all with `size` columns.
  std::vector<std::map<int, int>> place(items.size());  // offset of the block with each later neighbour
  std::vector<int> diagonal(items.size());
  for (const int v : e.order) {
    const int size = items[index(v)].rows;
    Step step{size, items[index(v)].row, values_, values_ + size * size, 0, 0, static_cast<int>(neighbours_.size())};
    diagonal[index(v)] = step.D;
    for (const int w : e.separator[index(v)]) {
      place[index(v)][w] = step.V + step.rows * size;
      neighbours_.push_back({items[index(w)].row, items[index(w)].rows});
      step.rows += items[index(w)].rows;
    }
    values_ += size * (size + step.rows);
    largest_ = std::max(largest_, size);
    steps_.push_back(step);
  }
  // The block of two nodes: rows are those of the later one.
  const auto block_of = [&](int v, int w) {
    const bool swapped = e.position[index(v)] < e.position[index(w)];
    const int row = swapped ? w : v, column = swapped ? v : w;
    const int at = v == w ? diagonal[index(v)] : place[index(column)].at(row);
    return std::pair{at, swapped};
  };
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const int v = e.order[s];
    steps_[s].first_update = static_cast<int>(updates_.size());
    const std::vector<int>& around = e.separator[index(v)];
    for (std::size_t i = 0; i < around.size(); ++i)
      for (std::size_t j = i; j < around.size(); ++j) {
        const int column = around[i], row = around[j], columns = items[index(column)].rows;
        updates_.push_back({block_of(row, column).first, place[index(v)].at(row), place[index(v)].at(column),
                            items[index(row)].rows, columns, columns});
      }
  }
  Step end{};
  end.first_update = static_cast<int>(updates_.size());
  end.first_neighbour = static_cast<int>(neighbours_.size());
  steps_.push_back(end);

  for (const auto& [block, list] : pieces)
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const NodePiece *row = &list[i], *column = &list[j];
        const auto [at, swapped] = block_of(row->node, column->node);
        // The lower triangle of a diagonal block is read.
        if (row->node == column->node ? row->row < column->row : swapped) std::swap(row, column);
        const int stride = items[index(column->node)].rows;
        products_.push_back({at + row->row * stride + column->row, stride, row->offset, column->offset, row->rows,
                             column->rows, row->size});
      }
  std::stable_sort(products_.begin(), products_.end(), [](const Product& a, const Product& b) { return a.to < b.to; });
  for (std::size_t g = 0; g < items.size(); ++g)
    for (int k = 0; k < items[g].rows; ++k) diagonal_.push_back(diagonal[g] + k * (items[g].rows + 1));
}

// L⁻¹ row by row, as WhitenedRows::factor_block.
int PackMetric::factor(const PackPlan& plan, const std::vector<Pack>& M, const std::vector<Pack>& row_scale,
                       const linalg::RankPolicy& policy) {
  inverse_.assign(M.size(), Pack(0));
  first_.assign(index(plan.n_), 0);
  scale_ = row_scale;
  for (std::size_t b = 0; b < plan.mass_.size(); ++b) {
    const auto [begin, size, offset] = plan.mass_[b];
    const Pack* m = M.data() + offset;
    Pack* L = inverse_.data() + offset;
    for (int i = 0; i < size; ++i) {
      Pack d = m[i * size + i];
      Pack* row = L + i * size;
      int first = i;
      for (int j = 0; j < i; ++j) {
        const Pack* above = L + j * size;
        Pack L_ij(0);
        for (int k = 0; k <= j; ++k) L_ij += above[k] * m[i * size + k];
        if (!any(~(L_ij == Pack(0)))) continue;
        for (int k = 0; k <= j; ++k) row[k] -= L_ij * above[k];
        first = std::min(first, first_[index(begin + j)]);
        d -= L_ij * L_ij;
      }
      if (any(~(d > Pack(policy.mass) * abs(m[i * size + i])))) return static_cast<int>(b);
      const Pack reciprocal = Pack(1) / sqrt(d);
      for (int k = first; k < i; ++k) row[k] *= reciprocal;
      row[i] = reciprocal;
      first_[index(begin + i)] = first;
    }
  }
  return -1;
}

PackFactor::PackFactor(const PackPlan& plan, const linalg::RankPolicy& policy) : plan_(plan), policy_(policy) {
  Y_.assign(index(plan.A_size_), Pack(0));
  K_.assign(index(plan.values_), Pack(0));
  w_.assign(index(plan.n_), Pack(0));
  push_ = w_;
  mu_.assign(index(plan.m_), Pack(0));
  c_ = residual_ = change_ = x_ = mu_;
  active_.assign(index(plan.m_), 1);
  reciprocals_.assign(index(plan.largest_), Pack(0));
}

Mask PackFactor::factor(const PackMetric& metric, const std::vector<Pack>& A, const std::vector<unsigned char>& active,
                        const Pack& violation, Mask& redundant) {
  metric_ = &metric;
  std::copy(active.begin(), active.end(), active_.begin());
  violation_ = violation;
  cut_ = map(violation, [&](double v) { return policy_.pivot_cut(v); });
  const Pack shift = map(violation, [&](double v) { return policy_.pivot_shift(v); });
  for (const PackPlan::Block& e : plan_.blocks_) {
    const Pack* __restrict a = A.data() + e.offset;
    const Pack* __restrict L = metric.inverse_.data() + plan_.mass_[index(e.mass)].offset;
    const int* first = metric.first_.data() + e.column;
    Pack* __restrict Y = Y_.data() + e.offset;
    for (int i = 0; i < e.rows; ++i, a += e.size, Y += e.size) {
      const Pack s = active_[index(e.row + i)] ? metric.scale_[index(e.row + i)] : Pack(0);
      for (int j = 0; j < e.size; ++j) {
        Pack sum = a[j] * L[j * e.size + j];
        for (int l = first[j]; l < j; ++l) sum += a[l] * L[j * e.size + l];
        Y[j] = s * sum;
      }
    }
  }
  shift_ = select(redundant, shift, Pack(0));
  eliminate();
  const Mask late = ~redundant & (irregular_ | small_);
  if (any(late)) {
    shift_ = select(late, shift, shift_);
    eliminate();
  }
  // Rounding ate the shift: growth in the elimination. A larger one costs steps, not accuracy.
  for (int tries = 0; tries < 3 && any(irregular_); ++tries) {
    shift_ = select(irregular_, Pack(100) * max(shift_, shift), shift_);
    eliminate();
  }
  redundant = small_;
  return irregular_;
}

// S + shift I; rows that are off get a diagonal entry of one.
void PackFactor::assemble() {
  std::fill(K_.begin(), K_.end(), Pack(0));
  for (const PackPlan::Product& p : plan_.products_) {
    const Pack *E = Y_.data() + p.row, *F = Y_.data() + p.column;
    Pack* to = K_.data() + p.to;
    with_size(p.size, [&](auto fixed) {
      const int size = fixed.value ? fixed.value : p.size;
      for (int i = 0; i < p.rows; ++i)
        for (int j = 0; j < p.columns; ++j) {
          Pack sum = E[i * size] * F[j * size];
          for (int k = 1; k < size; ++k) sum += E[i * size + k] * F[j * size + k];
          to[i * p.stride + j] += sum;
        }
    });
  }
  for (std::size_t i = 0; i < plan_.diagonal_.size(); ++i)
    K_[index(plan_.diagonal_[i])] += active_[i] ? shift_ : Pack(1);
}

void PackFactor::eliminate() {
  assemble();
  irregular_ = small_ = Mask::none();
  least_ = Pack(1);
  const Pack cut = cut_ + shift_;
  Pack* const K = K_.data();
  Pack* const r = reciprocals_.data();
  const auto& steps = plan_.steps_;
  for (std::size_t s = 0; s + 1 < steps.size(); ++s) {
    const PackPlan::Step& step = steps[s];
    Pack* D = K + step.D;
    const PackPlan::Update *up = plan_.updates_.data() + step.first_update,
                           *end = plan_.updates_.data() + steps[s + 1].first_update;
    with_size(step.size, [&](auto fixed) {
      factor_pack_pivot<fixed.value>(D, step.size, irregular_);
      forward_pack_rows<fixed.value>(D, K + step.V, step.rows, step.size);
      for (int k = 0; k < step.size; ++k) {
        r[k] = D[k * step.size + k];
        const Mask small = r[k] * cut > Pack(1);
        small_ = small_ | small;
        least_ = select(~small & (r[k] * least_ > Pack(1)), Pack(1) / r[k], least_);
      }
      for (; up != end; ++up)
        update_pack<fixed.value>(K + up->to, K + up->row, K + up->col, r, up->rows, up->columns, up->stride, step.size);
    });
  }
}

void PackFactor::substitute(Pack* x) {
  const Pack* const K = K_.data();
  const auto& steps = plan_.steps_;
  const PackPlan::Neighbour* const around = plan_.neighbours_.data();
  for (std::size_t s = 0; s + 1 < steps.size(); ++s) {
    const PackPlan::Step& step = steps[s];
    with_size(step.size, [&](auto fixed) {
      const int n = fixed.value ? fixed.value : step.size;
      const Pack *D = K + step.D, *V = K + step.V;
      Pack* __restrict own = x + step.x;
      for (int j = 1; j < n; ++j)
        for (int k = 0; k < j; ++k) own[j] -= D[j * n + k] * own[k];
      for (int j = 0; j < n; ++j) own[j] *= D[j * n + j];
      for (int e = step.first_neighbour; e < steps[s + 1].first_neighbour; ++e)
        for (int a = 0; a < around[e].size; ++a, V += n) {
          Pack sum = V[0] * own[0];
          for (int k = 1; k < n; ++k) sum += V[k] * own[k];
          x[around[e].x + a] -= sum;
        }
    });
  }
  for (std::size_t s = steps.size() - 1; s-- > 0;) {
    const PackPlan::Step& step = steps[s];
    with_size(step.size, [&](auto fixed) {
      const int n = fixed.value ? fixed.value : step.size;
      const Pack *D = K + step.D, *V = K + step.V;
      Pack* __restrict own = x + step.x;
      Pack fixed_sum[fixed.value ? fixed.value : 1];
      Pack* const sum = fixed.value ? fixed_sum : reciprocals_.data();
      for (int k = 0; k < n; ++k) sum[k] = Pack(0);
      for (int e = step.first_neighbour; e < steps[s + 1].first_neighbour; ++e)
        for (int a = 0; a < around[e].size; ++a, V += n)
          for (int k = 0; k < n; ++k) sum[k] += V[k] * x[around[e].x + a];
      for (int k = 0; k < n; ++k) own[k] -= D[k * n + k] * sum[k];
      for (int j = n - 1; j > 0; --j)
        for (int k = 0; k < j; ++k) own[k] -= D[j * n + k] * own[j];
    });
  }
}

// change_ = (S + shift I)⁻¹ from; rows are the unknowns, in their order.
void PackFactor::precondition(const std::vector<Pack>& from) {
  change_ = from;
  substitute(change_.data());
  for (std::size_t i = 0; i < active_.size(); ++i)
    if (!active_[i]) change_[i] = Pack(0);
}

// w_ = L⁻¹Q
void PackFactor::whiten(const Pack* Q) {
  if (!Q) return std::fill(w_.begin(), w_.end(), Pack(0));
  for (const PackPlan::MassBlock& mass : plan_.mass_)
    for (int i = 0; i < mass.size; ++i) {
      const Pack* L = metric_->inverse_.data() + mass.offset + i * mass.size;
      Pack sum = L[i] * Q[mass.begin + i];
      for (int k = metric_->first_[index(mass.begin + i)]; k < i; ++k) sum += L[k] * Q[mass.begin + k];
      w_[index(mass.begin + i)] = sum;
    }
}

// residual_ = Y w − c, and its largest entry.
Pack PackFactor::residual() {
  for (std::size_t i = 0; i < c_.size(); ++i) residual_[i] = -c_[i];
  for (const PackPlan::Block& e : plan_.blocks_) {
    const Pack *Y = Y_.data() + e.offset, *w = w_.data() + e.column;
    for (int i = 0; i < e.rows; ++i, Y += e.size) {
      Pack sum = Y[0] * w[0];
      for (int k = 1; k < e.size; ++k) sum += Y[k] * w[k];
      residual_[index(e.row + i)] += sum;
    }
  }
  Pack most(0);
  for (const Pack& r : residual_) most = max(abs(r), most);
  return most;
}

// μ += change_, w −= Yᵀchange_ in some lanes; the others keep their bits.
void PackFactor::add_step(const Mask& lanes) {
  std::fill(push_.begin(), push_.end(), Pack(0));
  for (const PackPlan::Block& e : plan_.blocks_) {
    const Pack* Y = Y_.data() + e.offset;
    Pack* to = push_.data() + e.column;
    for (int i = 0; i < e.rows; ++i, Y += e.size)
      for (int k = 0; k < e.size; ++k) to[k] += Y[k] * change_[index(e.row + i)];
  }
  for (std::size_t i = 0; i < mu_.size(); ++i) mu_[i] = select(lanes, mu_[i] + change_[i], mu_[i]);
  for (std::size_t i = 0; i < w_.size(); ++i) w_[i] = select(lanes, w_[i] - push_[i], w_[i]);
}

Mask PackFactor::solve(const Pack* Q, const Pack* b, Pack* a, Pack* lambda, Multipliers which) {
  whiten(Q);
  std::fill(c_.begin(), c_.end(), Pack(0));
  Pack size = residual();  // of the terms whose difference the residual is
  for (std::size_t i = 0; i < c_.size(); ++i) {
    c_[i] = active_[i] ? metric_->scale_[i] * b[i] : Pack(0);
    size = max(size, abs(c_[i]));
    residual_[i] -= c_[i];
    mu_[i] = Pack(0);
  }
  const Pack enough = Pack(16 * std::numeric_limits<double>::epsilon()) * size;
  precondition(residual_);
  Mask open = Pack(0) <= Pack(0);
  add_step(open);
  Pack left = residual();
  open = left > enough;
  for (int step = 0; step < most_pack_steps && any(open); ++step) {
    precondition(residual_);
    add_step(open);
    const Pack now = residual();
    const Mask better = now < Pack(0.7) * left;
    left = select(open, now, left);
    open = open & (now > enough) & better;
  }
  for (const PackPlan::MassBlock& mass : plan_.mass_) {  // a = L⁻ᵀ w
    Pack* to = a + mass.begin;
    const Pack* w = w_.data() + mass.begin;
    for (int i = 0; i < mass.size; ++i) {
      const Pack* L = metric_->inverse_.data() + mass.offset + i * mass.size;
      to[i] = L[i] * w[i];
      for (int k = metric_->first_[index(mass.begin + i)]; k < i; ++k) to[k] += L[k] * w[i];
    }
  }
  if (lambda) {
    if (which == Multipliers::minimum_norm) take_out_unseen();
    for (std::size_t i = 0; i < mu_.size(); ++i) lambda[i] = active_[i] ? metric_->scale_[i] * mu_[i] : Pack(0);
  }
  // Only where pivots are small can rows contradict one another.
  const Pack kept = sqrt(max(least_ - shift_, Pack(0)));
  Pack bound;
  for (int lane = 0; lane < linalg::pack_width; ++lane)
    bound.set(lane, policy_.inconsistency(violation_[lane], std::min(1.0, kept[lane]), size[lane]));
  return small_ & ~(left <= bound);
}

// Takes out of μ what S does not see, where a shift let it in: X = shift (S + shift I)⁻¹ is one there and nearly
// nothing elsewhere; X²(3 − 2X) doubles the digits (gauss/sparse.cpp).
void PackFactor::take_out_unseen() {
  const Mask shifted = shift_ > Pack(0);
  if (!any(shifted)) return;
  const auto apply = [&](std::vector<Pack>& x) {
    precondition(x);
    for (Pack& entry : change_) entry *= shift_;
  };
  x_ = mu_;
  apply(x_);
  x_ = change_;
  apply(x_);
  x_ = change_;
  for (std::size_t i = 0; i < mu_.size(); ++i) mu_[i] = select(shifted, mu_[i] - Pack(3) * x_[i], mu_[i]);
  apply(x_);
  for (std::size_t i = 0; i < mu_.size(); ++i) mu_[i] = select(shifted, mu_[i] + Pack(2) * change_[i], mu_[i]);
}

}  // namespace mortise::gauss
