// The shape of a Gauss problem: fixed while the topology of the mechanism stands.
#pragma once

#include <cstdint>
#include <vector>

#include "mortise/linalg/types.h"

namespace mortise::gauss {

// Consecutive blocks of columns: block b covers offset[b] .. offset[b+1].
struct Blocks {
  std::vector<int> offset{0};

  int count() const { return static_cast<int>(offset.size()) - 1; }
  int total() const { return offset.back(); }
  int begin(int block) const { return offset[static_cast<std::size_t>(block)]; }
  int size(int block) const { return offset[static_cast<std::size_t>(block) + 1] - begin(block); }
  void append(int size) { offset.push_back(offset.back() + size); }
};

enum class RowKind : std::uint8_t { holonomic, nonholonomic, unilateral, friction };
enum class RowUnit : std::uint8_t { length, angle, speed, angular_speed };

// One scalar constraint. Names live in the model: `item` is the id of the joint or driver there.
struct Row {
  int item = 0;
  int component = 0;
  RowKind kind = RowKind::holonomic;
  RowUnit unit = RowUnit::length;
};

// A dense block of A: rows [row, row + rows) × the columns of one block, row-major at values[offset].
struct RowBlock {
  int row = 0;
  int rows = 0;
  int block = 0;
  int offset = 0;
};

struct Pattern {
  Blocks columns;                 // velocity blocks: one a body; a user's dense system is one block
  std::vector<Row> rows;          // m scalar constraints
  std::vector<RowBlock> A;        // ordered by row, then block
  int A_size = 0;                 // doubles in the values of A
  std::vector<int> M_offset;      // diagonal block b of M starts at values[M_offset[b]], dense size², row-major
  int M_size = 0;                 // doubles in the values of M
  std::vector<double> row_scale;  // 1 / nominal norm of the row in the inverse-mass metric: rank does not see units
  std::vector<double> position_size, velocity_size;  // typical |φ| and |φ̇| of each row, for scaled norms
  std::uint64_t version = 0;                         // symbolic work is keyed on it

  int n() const { return columns.total(); }
  int m() const { return static_cast<int>(rows.size()); }

  // Adds a row block (rows of one item × one column block); keeps `A_size` true. Returns its index.
  int append_block(int row, int row_count, int block);
  // Lays out the diagonal blocks of M from `columns`.
  void layout_mass();
};

}  // namespace mortise::gauss
