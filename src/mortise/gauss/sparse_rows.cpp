#include "mortise/gauss/sparse_rows.h"

#include <algorithm>

namespace mortise::gauss {

namespace {

constexpr int most_on_stack = 2048;  // doubles of the rows of a body

}  // namespace

SparseRows::SparseRows(const Pattern& pattern, const SparseLayout& layout, const MassBlocks& mass)
    : pattern_(pattern), layout_(layout), mass_(mass), nominal_(pattern.row_scale) {
  const auto m = index(pattern.m());
  nominal_.resize(m, 1.0);
  scale_.assign(m, 0.0);
  active_.assign(m, 0);
  Y_.setZero(pattern.A_size);
  minus_one_.assign(index(layout.widest()), -1.0);
}

bool SparseRows::take(const GaussProblem& problem) {
  A_ = problem.A.data();
  if (taken_ && std::equal(active_.begin(), active_.end(), problem.active.begin())) return false;
  taken_ = true;
  active_rows_ = 0;
  for (std::size_t i = 0; i < scale_.size(); ++i) {
    active_[i] = problem.active[i];
    scale_[i] = active_[i] ? nominal_[i] : 0;
    active_rows_ += active_[i] ? 1 : 0;
  }
  all_active_ = active_rows_ == static_cast<int>(scale_.size());
  return true;
}

void SparseRows::whiten(int block) {
  for (const Piece& e : layout_.pieces_on(block))
    mass_.whiten_rows(block, A_ + e.offset, scale_.data() + e.row, e.rows, Y_.data() + e.offset);
}

void SparseRows::add_hubs(double* K) {
  for (const int block : layout_.hubs()) whiten(block);
  for (const SparseLayout::Copy& c : layout_.copies())
    for (int i = 0; i < c.rows; ++i)
      for (int k = 0; k < c.size; ++k)
        K[c.to + (c.transposed ? k * c.stride + i : i * c.stride + k)] = Y_[c.from + i * c.size + k];
  const auto& diagonals = layout_.diagonals();
  for (std::size_t h = layout_.groups().size(); h < diagonals.size(); ++h)
    for (int k = 0; k < diagonals[h].stride; ++k) K[diagonals[h].offset + k * (diagonals[h].stride + 1)] = -1;
}

// The three products of two pieces: each with itself, and one with the other between.
void SparseRows::add_pair(const Body& body, double* K) {
  const auto all = layout_.products(body);
  const auto pieces = layout_.pieces_on(body.block);
  const SparseLayout::Product& between = all[1];
  const std::size_t r = between.row == pieces[0].offset ? 0 : 1, c = 1 - r;
  const MassBlocks::Factor mass = mass_.factor_of(body.block);
  PairOfRows rows;
  const auto set = [&](int k, const Piece& piece, const SparseLayout::Product& own) {
    rows.A[k] = A_ + piece.offset;
    rows.scale[k] = scale_.data() + piece.row;
    rows.Y[k] = Y_.data() + piece.offset;
    rows.D[k] = K + own.to;
    rows.stride[k] = own.sizes[3];
  };
  set(0, pieces[r], all[2 * r]);
  set(1, pieces[c], all[2 * c]);
  rows.E = K + between.to;
  rows.stride[2] = between.sizes[3];
  body.pair[mass.diagonal ? 0 : 1](rows, mass.L);
}

void SparseRows::add_products(const Body& body, double* K, const double* Y) const {
  for (const SparseLayout::Product& p : layout_.products(body))
    p.kernel(K + p.to, Y + p.row, Y + p.column, minus_one_.data(), p.sizes);
}

void SparseRows::add_due(int begin, int end, double* K) {
  for (const Body& body : layout_.due(begin, end)) {
    if (body.pair[mass_.factor_of(body.block).diagonal ? 0 : 1]) {
      add_pair(body, K);
    } else if (body.owns) {
      whiten(body.block);
      add_products(body, K, Y_.data());
    } else {
      add_again(body, K);
    }
  }
}

// A body whose rows another part whitens: once more, for this part alone.
void SparseRows::add_again(const Body& body, double* K) const {
  const int block = body.block, size = pattern_.columns.size(block);
  int total = 0;
  for (const Piece& e : layout_.pieces_on(block)) total += e.rows * size;
  double small[most_on_stack];
  std::vector<double> large(total > most_on_stack ? index(total) : 0);
  double* const Y = total > most_on_stack ? large.data() : small;
  double* to = Y;
  for (const Piece& e : layout_.pieces_on(block)) {
    mass_.whiten_rows(block, A_ + e.offset, scale_.data() + e.row, e.rows, to);
    to += e.rows * size;
  }
  add_products(body, K, Y);
}

}  // namespace mortise::gauss
