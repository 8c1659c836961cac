#include "mortise/gauss/sparse_layout.h"

#include <algorithm>
#include <utility>

namespace mortise::gauss {

namespace {

constexpr int most_joints = 40;  // of a body that is eliminated on paper

}  // namespace

SparseLayout::SparseLayout(const Pattern& pattern) {
  for (int block = 0; block < pattern.columns.count(); ++block)
    widest_ = std::max(widest_, pattern.columns.size(block));
  find_groups(pattern);
  find_pieces(pattern);
  find_hubs();
  make_matrix(pattern);
  place_copies(pattern);
  place_products(pattern);
}

void SparseLayout::find_groups(const Pattern& p) {
  group_of_row_.resize(index(p.m()));
  for (int i = 0; i < p.m(); ++i) {
    const bool same = i > 0 && p.rows[index(i)].item == p.rows[index(i - 1)].item && groups_.back().rows < 6;
    if (same)
      ++groups_.back().rows;
    else
      groups_.push_back({i, 1});
    group_of_row_[index(i)] = static_cast<int>(groups_.size()) - 1;
  }
}

// By velocity block, for columns, and by group, for rows.
void SparseLayout::find_pieces(const Pattern& p) {
  std::vector<std::vector<Piece>> on_block(index(p.columns.count()));
  std::vector<std::vector<RowPiece>> of_group(groups_.size());
  for (const RowBlock& e : p.A) {
    const int size = p.columns.size(e.block);
    for (int i = 0; i < e.rows;) {
      const int g = group_of_row_[index(e.row + i)];
      const Group& group = groups_[index(g)];
      const int rows = std::min(e.rows - i, group.row + group.rows - (e.row + i)), offset = e.offset + i * size;
      on_block[index(e.block)].push_back({g, e.row + i, rows, offset});
      of_group[index(g)].push_back({e.row + i, rows, p.columns.begin(e.block), size, offset});
      i += rows;
    }
  }
  for (const auto& list : on_block) {
    first_piece_.push_back(static_cast<int>(pieces_.size()));
    pieces_.insert(pieces_.end(), list.begin(), list.end());
  }
  first_piece_.push_back(static_cast<int>(pieces_.size()));
  for (const auto& list : of_group) {
    first_row_piece_.push_back(static_cast<int>(row_pieces_.size()));
    row_pieces_.insert(row_pieces_.end(), list.begin(), list.end());
  }
  first_row_piece_.push_back(static_cast<int>(row_pieces_.size()));
}

// A body is a hub when it would join many groups of rows.
void SparseLayout::find_hubs() {
  hub_.assign(index(blocks()), -1);
  for (int block = 0; block < blocks(); ++block) {
    std::vector<int> with;
    for (const Piece& piece : pieces_on(block)) with.push_back(piece.group);
    std::sort(with.begin(), with.end());
    with.erase(std::unique(with.begin(), with.end()), with.end());
    if (static_cast<int>(with.size()) <= most_joints) continue;
    hub_[index(block)] = static_cast<int>(hubs_.size());
    hubs_.push_back(block);
  }
}

void SparseLayout::make_matrix(const Pattern& p) {
  const int groups = static_cast<int>(groups_.size());
  std::vector<BlockLdlt::Node> nodes;
  std::vector<unsigned char> held(groups_.size(), 1);  // by hubs alone: no pivot before one of them is gone
  std::vector<std::pair<int, int>> edges;
  for (int block = 0; block < blocks(); ++block) {
    const auto list = pieces_on(block);
    const int hub = hub_[index(block)];
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (hub >= 0) {
        edges.push_back({list[i].group, groups + hub});
        continue;
      }
      held[index(list[i].group)] = 0;
      for (std::size_t j = 0; j < i; ++j) edges.push_back({list[i].group, list[j].group});
    }
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) nodes.push_back({groups_[g].rows, 1, held[g] != 0});
  for (const int block : hubs_) nodes.push_back({p.columns.size(block), -1, false});
  matrix_ = std::make_unique<BlockLdlt>(nodes, edges);
  for (int g = 0; g < static_cast<int>(nodes.size()); ++g) diagonals_.push_back(matrix_->diagonal(g));
}

void SparseLayout::place_copies(const Pattern& p) {
  const int groups = static_cast<int>(groups_.size());
  for (const int block : hubs_)
    for (const Piece& e : pieces_on(block)) {
      const BlockLdlt::Place to = matrix_->between(e.group, groups + hub_[index(block)]);
      const int row = e.row - groups_[index(e.group)].row;
      copies_.push_back({to.offset + (to.transposed ? row : row * to.stride), to.stride, e.offset, e.rows,
                         p.columns.size(block), to.transposed});
    }
}

// Of all pairs of rows of a body.
void SparseLayout::place_products(const Pattern& p) {
  struct Due {
    int step;
    Body body;
    std::vector<Product> products;
  };
  std::vector<Due> due;
  for (int block = 0; block < blocks(); ++block) {
    const auto list = pieces_on(block);
    if (list.empty() || hub_[index(block)] >= 0) continue;
    const int size = p.columns.size(block);
    const std::size_t first = due.size();
    std::vector<int> local(1, 0);  // of its pieces, where another part owns them: next to one another
    for (const Piece& e : list) local.push_back(local.back() + e.rows * size);
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const int step = std::min(matrix_->step_of(list[i].group), matrix_->step_of(list[j].group));
        const int node = step == matrix_->step_of(list[i].group) ? list[i].group : list[j].group;
        const int part = matrix_->part_of(node);
        std::size_t k = first;
        while (k < due.size() && due[k].body.part != part) ++k;
        if (k == due.size()) due.push_back({step, {block, part, k == first, 0, {}}, {}});
        due[k].step = std::min(due[k].step, step);
        const bool owns = due[k].body.owns;
        due[k].products.push_back(
            product(list[i], owns ? list[i].offset : local[i], list[j], owns ? list[j].offset : local[j], size));
      }
  }
  for (Due& d : due)
    if (d.body.owns && d.products.size() == 3 && pieces_on(d.body.block).size() == 2)
      for (const bool diagonal : {true, false}) {
        const int* sizes = d.products[1].sizes;
        d.body.pair[diagonal ? 0 : 1] = pair_kernel(sizes[0], sizes[1], sizes[2], diagonal);
      }
  std::stable_sort(due.begin(), due.end(), [](const Due& a, const Due& b) { return a.step < b.step; });
  body_of_step_.assign(diagonals_.size() + 1, 0);
  for (Due& d : due) {
    ++body_of_step_[index(d.step) + 1];
    d.body.first_product = static_cast<int>(products_.size());
    bodies_.push_back(d.body);
    products_.insert(products_.end(), d.products.begin(), d.products.end());
  }
  bodies_.push_back({-1, 0, false, static_cast<int>(products_.size()), {}});
  for (std::size_t s = 1; s < body_of_step_.size(); ++s) body_of_step_[s] += body_of_step_[s - 1];
  for (const Product& q : products_) product_flops_ += 2.0 * q.sizes[0] * q.sizes[1] * q.sizes[2];
}

// Of two pieces with their values of Y. The lower triangle of a diagonal block is read.
SparseLayout::Product SparseLayout::product(const Piece& e, int e_at, const Piece& f, int f_at, int size) const {
  const int e_row = e.row - groups_[index(e.group)].row, f_row = f.row - groups_[index(f.group)].row;
  const bool same = e.group == f.group;
  const BlockLdlt::Place to = same ? matrix_->diagonal(e.group) : matrix_->between(e.group, f.group);
  const bool as_is = same ? e_row >= f_row : !to.transposed;
  const Piece &r = as_is ? e : f, &c = as_is ? f : e;
  const int row = as_is ? e_row : f_row, column = as_is ? f_row : e_row;
  return {block_update(r.rows, c.rows, size),
          to.offset + row * to.stride + column,
          as_is ? e_at : f_at,
          as_is ? f_at : e_at,
          {r.rows, c.rows, size, to.stride}};
}

}  // namespace mortise::gauss
