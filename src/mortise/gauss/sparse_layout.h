// Where everything of S = Y Yᵀ has its place, found once a pattern: rows in groups (the nodes of the elimination),
// their pieces on velocity blocks, the products of pieces that a body adds, and the order in which bodies are due.
//
// A body is added when the first step that needs it is near. Those of a part of the elimination are added by that part:
// a body between two parts is looked at by both (and by what is behind them), and one of them owns its values of Y.
// Bodies with very many joints (hubs) are kept as unknowns: on paper they would join all of these.
//
// Cost: O(rows + Σ pieces² of a body).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mortise/gauss/block_ldlt.h"
#include "mortise/gauss/pattern.h"

namespace mortise::gauss {

class SparseLayout {
 public:
  // Rows that belong to one item and are next to one another.
  struct Group {
    int row, rows;
  };
  // Rows of one group on one velocity block; their values of A and Y start at `offset`.
  struct Piece {
    int group, row, rows, offset;
  };
  struct RowPiece {
    int row, rows, begin, size, offset;
  };
  struct Product {  // K at `to` += Y_row Y_columnᵀ; sizes: rows, columns, inner, stride
    BlockUpdate kernel;
    int to, row, column;
    int sizes[4];
  };
  struct Body {
    int block, part;
    bool owns;  // writes Y; else it is another part that does
    int first_product;
    PairKernel pair[2] = {nullptr, nullptr};  // of two pieces: where the mass is diagonal, and where not
  };
  struct Copy {  // of hubs: values of Y in the matrix
    int to, stride, from, rows, size;
    bool transposed;
  };

  explicit SparseLayout(const Pattern& pattern);
  std::unique_ptr<BlockLdlt> take_matrix() { return std::move(matrix_); }

  int blocks() const { return static_cast<int>(first_piece_.size()) - 1; }
  std::span<const Piece> pieces_on(int block) const { return part_of(pieces_, first_piece_, block); }
  const std::vector<Group>& groups() const { return groups_; }
  std::span<const RowPiece> pieces_of(int group) const { return part_of(row_pieces_, first_row_piece_, group); }
  const std::vector<int>& hubs() const { return hubs_; }
  const std::vector<Copy>& copies() const { return copies_; }
  // Bodies that the steps begin .. end − 1 are the first to need.
  std::span<const Body> due(int begin, int end) const {
    const int first = body_of_step_[index(begin)];
    return {bodies_.data() + first, index(body_of_step_[index(end)] - first)};
  }
  std::span<const Product> products(const Body& body) const {
    return {products_.data() + body.first_product, index((&body + 1)->first_product - body.first_product)};
  }
  const std::vector<BlockLdlt::Place>& diagonals() const { return diagonals_; }  // of groups, then of hubs
  double product_flops() const { return product_flops_; }
  int widest() const { return widest_; }  // velocity block

 private:
  template <class T>
  static std::span<const T> part_of(const std::vector<T>& all, const std::vector<int>& first, int k) {
    return {all.data() + first[index(k)], index(first[index(k) + 1] - first[index(k)])};
  }
  void find_groups(const Pattern& p);
  void find_pieces(const Pattern& p);
  void find_hubs();
  void make_matrix(const Pattern& p);
  void place_copies(const Pattern& p);
  void place_products(const Pattern& p);
  Product product(const Piece& e, int e_at, const Piece& f, int f_at, int size) const;

  std::vector<Group> groups_;
  std::vector<int> group_of_row_;
  std::vector<Piece> pieces_;         // by velocity block
  std::vector<int> first_piece_;      // of each block, and one behind
  std::vector<RowPiece> row_pieces_;  // by group
  std::vector<int> first_row_piece_;  // of each group, and one behind
  std::vector<int> hub_, hubs_;       // number of each block among the hubs, or −1; their blocks
  std::unique_ptr<BlockLdlt> matrix_;
  std::vector<Body> bodies_;       // in the order of the steps that need them first, and one behind
  std::vector<int> body_of_step_;  // the first that a step needs
  std::vector<Product> products_;
  std::vector<Copy> copies_;
  std::vector<BlockLdlt::Place> diagonals_;
  double product_flops_ = 0;
  int widest_ = 0;
};

}  // namespace mortise::gauss
