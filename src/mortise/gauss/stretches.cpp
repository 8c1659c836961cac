#include "mortise/gauss/stretches.h"

#include <optional>

namespace mortise::gauss {

namespace {

constexpr int least_steps = 4;  // shorter ones are not worth it

// What a stretch knows of one of its steps.
struct Link {
  int rows, size, row, own, next, block, column, mass;
};

class Search {
 public:
  Search(const Pattern& pattern, const SparseLayout& layout, const BlockLdlt& matrix)
      : pattern_(pattern), layout_(layout), matrix_(matrix) {}

  // Step s, if it hands on to the next one alone, by one body.
  std::optional<Link> link(int s) const {
    const int groups = static_cast<int>(layout_.groups().size());
    const BlockLdlt::Step &step = matrix_.step(s), &behind = matrix_.step(s + 1);
    if (s + 1 >= matrix_.steps() || step.node >= groups || behind.node >= groups) return std::nullopt;
    const auto neighbours = matrix_.neighbours(s);
    if (neighbours.size() != 1 || neighbours[0].x != behind.x || step.size != behind.size) return std::nullopt;
    const auto due = layout_.due(s, s + 1);
    if (due.size() != 1 || !due[0].owns) return std::nullopt;
    const auto pieces = layout_.pieces_on(due[0].block);
    if (pieces.size() != 2) return std::nullopt;
    const bool turned = pieces[0].group == behind.node;
    const SparseLayout::Piece &own = pieces[turned ? 1 : 0], &next = pieces[turned ? 0 : 1];
    if (own.group != step.node || next.group != behind.node || own.rows != step.size || next.rows != behind.size)
      return std::nullopt;
    const int block = due[0].block;
    return Link{step.size,
                pattern_.columns.size(block),
                own.row,
                own.offset,
                next.offset,
                block,
                pattern_.columns.begin(block),
                pattern_.M_offset[index(block)]};
  }

  // Whether the joint of step s is between the bodies of the links before and at s alone.
  bool between(int s, const Link& before, const Link& at) const {
    const auto pieces = layout_.pieces_of(matrix_.step(s).node);
    if (pieces.size() != 2) return false;
    const int a = pieces[0].offset, b = pieces[1].offset;
    return (a == before.next && b == at.own) || (b == before.next && a == at.own);
  }

 private:
  const Pattern& pattern_;
  const SparseLayout& layout_;
  const BlockLdlt& matrix_;
};

// Takes `link` for the next of the stretch if its places go on as they did.
bool goes_on(Stretch& stretch, const Link& link) {
  const int n = stretch.count();
  const auto follows = [n](Walk& walk, int place) {
    if (n == 1) walk.step = place - walk.first;
    return walk.at(n) == place;
  };
  return link.rows == stretch.rows && link.size == stretch.size && follows(stretch.row, link.row) &&
         follows(stretch.own, link.own) && follows(stretch.next, link.next) && follows(stretch.block, link.block) &&
         follows(stretch.column, link.column) && follows(stretch.mass, link.mass);
}

std::vector<Stretch> find_stretches(const Pattern& pattern, const SparseLayout& layout, const BlockLdlt& matrix) {
  std::vector<Stretch> out;
  const Search search(pattern, layout, matrix);
  const auto finish = [&](Stretch& stretch) {
    // The rows behind are where the next ones would be: they are handed on there.
    if (stretch.count() > 0 && matrix.step(stretch.end).x != stretch.row.at(stretch.count())) --stretch.end;
    if (stretch.count() < least_steps) return;
    stretch.D = matrix.step(stretch.begin).D;
    stretch.D_behind = matrix.step(stretch.end).D;
    out.push_back(stretch);
  };
  Stretch now;
  std::optional<Link> before;
  for (int s = 0; s < matrix.steps(); ++s) {
    const std::optional<Link> link = search.link(s);
    if (link && before && search.between(s, *before, *link) && goes_on(now, *link)) {
      now.end = s + 1;
    } else {
      finish(now);
      now = {};
      if (link)
        now = {s,
               s + 1,
               link->rows,
               link->size,
               {link->row, 0},
               {link->own, 0},
               {link->next, 0},
               {link->block, 0},
               {link->column, 0},
               {link->mass, 0},
               0,
               0};
    }
    before = link;
  }
  finish(now);
  return out;
}

}  // namespace

Stretches::Stretches(const Pattern& pattern, const SparseLayout& layout, BlockLdlt& matrix)
    : matrix_(matrix), all_(find_stretches(pattern, layout, matrix)), ready_(all_.size()) {
  std::vector<BlockLdlt::Range> ranges;
  std::vector<unsigned char> group(layout.groups().size(), 0), block(index(layout.blocks()), 0);
  for (const Stretch& s : all_) {
    ranges.push_back({s.begin, s.end});
    first_groups_.push_back(matrix.step(s.begin).node);
    end_blocks_.push_back(s.block.first);
    end_blocks_.push_back(s.block.at(s.count() - 1));
    for (int n = 0; n < s.count(); ++n) {
      group[index(matrix.step(s.begin + n).node)] = 1;
      block[index(s.block.at(n))] = 1;
    }
  }
  if (empty()) return;
  for (std::size_t g = 0; g < group.size(); ++g)
    if (!group[g]) loose_groups_.push_back(static_cast<int>(g));
  for (std::size_t b = 0; b < block.size(); ++b)
    if (!block[b]) loose_blocks_.push_back(static_cast<int>(b));
  most_ = 2 * loose_groups_.size() < group.size();
  matrix.leave_out(ranges);
}

bool Stretches::take(const MassBlocks& mass, const double* A, const double* scale, double* Y, double* K) {
  if (empty()) return false;
  if (mass.version() != mass_version_) {
    mass_version_ = mass.version();
    fits_ = true;
    for (std::size_t k = 0; k < all_.size() && fits_; ++k) {
      const Stretch& s = all_[k];
      const bool diagonal = mass.factor_of(s.block.first).diagonal;
      for (int n = 1; n < s.count(); ++n) fits_ = fits_ && mass.factor_of(s.block.at(n)).diagonal == diagonal;
      ready_[k].kernels = stretch_kernels(s.rows, s.size, diagonal);
      fits_ = fits_ && ready_[k].kernels != nullptr;
      ready_[k].data.L_step = diagonal ? s.column.step : s.mass.step;
    }
  }
  if (!fits_) return false;
  for (std::size_t k = 0; k < all_.size(); ++k) {
    const Stretch& s = all_[k];
    StretchData& d = ready_[k].data;
    d.count = s.count();
    d.K = K + s.D;
    d.K_behind = K + s.D_behind;
    d.A_own = A + s.own.first;
    d.A_next = A + s.next.first;
    d.Y_own = Y + s.own.first;
    d.Y_next = Y + s.next.first;
    d.own_step = s.own.step;
    d.next_step = s.next.step;
    d.scale = scale + s.row.first;
    d.row_step = s.row.step;
    d.L = mass.factor_of(s.block.first).L;
    d.column_step = s.column.step;
  }
  return true;
}

bool Stretches::eliminate(int k, BlockLdlt::Pivots& pivots, const StretchVectors* v) const {
  struct Noting {
    const BlockLdlt& matrix;
    BlockLdlt::Pivots& pivots;
    int begin;
  } noting{matrix_, pivots, all_[index(k)].begin};
  double largest = 0;
  const StretchVectors own = v ? of(all_[index(k)], *v) : StretchVectors{};
  const bool regular = ready_[index(k)].kernels->eliminate(
      ready_[index(k)].data, v ? &own : nullptr, 1 / pivots.cut(), &largest,
      [](void* to, int n, int row, double r) {
        const Noting& noting = *static_cast<Noting*>(to);
        noting.pivots.note(noting.matrix.step(noting.begin + n).node, row, r);
      },
      &noting);
  if (largest > 0) pivots.note(matrix_.step(noting.begin).node, 0, largest);
  return regular;
}

StretchVectors Stretches::of(const Stretch& s, const StretchVectors& v) const {
  return {v.Q + s.column.first, v.b + s.row.first, v.x + s.row.first, v.a + s.column.first, v.lambda + s.row.first};
}

void Stretches::forward(int k, const StretchVectors& v) const {
  ready_[index(k)].kernels->forward(ready_[index(k)].data, of(all_[index(k)], v));
}

double Stretches::backward(int k, const StretchVectors& v) const {
  return ready_[index(k)].kernels->backward(ready_[index(k)].data, of(all_[index(k)], v));
}

}  // namespace mortise::gauss
