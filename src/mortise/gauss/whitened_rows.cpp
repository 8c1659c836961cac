#include "mortise/gauss/whitened_rows.h"

#include <algorithm>

#include "mortise/gauss/with_size.h"

namespace mortise::gauss {

WhitenedRows::WhitenedRows(const Pattern& p) : n_(p.n()), m_(p.m()), mass_(p) {
  for (const RowBlock& e : p.A) {
    blocks_.push_back({e.row, e.rows, p.columns.begin(e.block), p.columns.size(e.block), e.offset});
    mass_of_.push_back(e.block);
  }
  nominal_ = p.row_scale;
  nominal_.resize(index(m_), 1.0);
  scale_.assign(index(m_), 0.0);
  active_.assign(index(m_), 0);
  Y_.assign(index(p.A_size), 0.0);
}

int WhitenedRows::factor(const GaussProblem& problem, const linalg::RankPolicy& policy) {
  if (const int block = mass_.factor(problem, policy); block >= 0) return block;
  flops_ = mass_.flops();
  active_rows_ = 0;
  for (std::size_t i = 0; i < scale_.size(); ++i) {
    active_[i] = problem.active[i];
    scale_[i] = active_[i] ? nominal_[i] : 0;
    active_rows_ += active_[i] ? 1 : 0;
  }
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Block& e = blocks_[k];
    flops_ += mass_.whiten_rows(mass_of_[k], problem.A.data() + e.offset, scale_.data() + e.row, e.rows,
                                Y_.data() + e.offset);
  }
  return -1;
}

void WhitenedRows::multiply(const double* __restrict w, double* __restrict y) const {
  std::fill(y, y + m_, 0.0);
  for (const Block& e : blocks_) {
    const double* Y = Y_.data() + e.offset;
    const double* column = w + e.begin;
    with_size(e.size, [&](auto fixed) {
      const int size = fixed.value > 0 ? fixed.value : e.size;
      for (int i = 0; i < e.rows; ++i, Y += size) {
        double sum = 0;
        for (int k = 0; k < size; ++k) sum += Y[k] * column[k];
        y[e.row + i] += sum;
      }
    });
  }
}

void WhitenedRows::subtract_transposed(const double* __restrict mu, double* __restrict w) const {
  for (const Block& e : blocks_) {
    const double* Y = Y_.data() + e.offset;
    double* column = w + e.begin;
    with_size(e.size, [&](auto fixed) {
      const int size = fixed.value > 0 ? fixed.value : e.size;
      for (int i = 0; i < e.rows; ++i, Y += size)
        for (int k = 0; k < size; ++k) column[k] -= Y[k] * mu[e.row + i];
    });
  }
}

}  // namespace mortise::gauss
