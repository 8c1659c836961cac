#include "mortise/gauss/whitened_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mortise/gauss/with_size.h"

namespace mortise::gauss {

namespace {

constexpr int largest_inverted = 7;  // blocks of bodies

}  // namespace

WhitenedRows::WhitenedRows(const Pattern& p) : n_(p.n()), m_(p.m()) {
  for (int k = 0; k < p.columns.count(); ++k)
    mass_.push_back({p.columns.begin(k), p.columns.size(k), p.M_offset[index(k)], false, false});
  for (const RowBlock& e : p.A) {
    blocks_.push_back({e.row, e.rows, p.columns.begin(e.block), p.columns.size(e.block), e.offset});
    mass_of_.push_back(e.block);
  }
  nominal_ = p.row_scale;
  nominal_.resize(index(m_), 1.0);
  scale_.assign(index(m_), 0.0);
  active_.assign(index(m_), 0);
  Y_.assign(index(p.A_size), 0.0);
  M_.assign(index(p.M_size), 0.0);
  L_inverse_.assign(index(p.M_size), 0.0);
}

int WhitenedRows::factor(const GaussProblem& problem, const linalg::RankPolicy& policy) {
  flops_ = 0;
  if (!factored_ || std::memcmp(M_.data(), problem.M.data(), M_.size() * sizeof(double)) != 0) {
    factored_ = false;
    std::copy(problem.M.data(), problem.M.data() + M_.size(), M_.data());
    for (std::size_t k = 0; k < mass_.size(); ++k)
      if (!factor_block(mass_[k], M_.data() + mass_[k].offset, policy.mass)) return static_cast<int>(k);
    factored_ = true;
  }
  active_rows_ = 0;
  for (std::size_t i = 0; i < scale_.size(); ++i) {
    active_[i] = problem.active[i];
    scale_[i] = active_[i] ? nominal_[i] : 0;
    active_rows_ += active_[i] ? 1 : 0;
  }
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Block& e = blocks_[k];
    const MassBlock& mass = mass_[index(mass_of_[k])];
    const double* __restrict A = problem.A.data() + e.offset;
    const double* __restrict inverse = L_inverse_.data() + mass.offset;
    double* __restrict Y = Y_.data() + e.offset;
    with_size(e.size, [&](auto fixed) {
      const int size = fixed.value > 0 ? fixed.value : e.size;
      flops_ += static_cast<double>(e.rows) * size * (mass.diagonal ? 2 : size + 1);
      for (int i = 0; i < e.rows; ++i, A += size, Y += size) {
        const double s = scale_[index(e.row + i)];
        if (s == 0) {
          for (int j = 0; j < size; ++j) Y[j] = 0;
        } else if (mass.diagonal) {
          for (int j = 0; j < size; ++j) Y[j] = s * A[j] * inverse[j * size + j];
        } else if (!mass.inverted) {
          for (int j = 0; j < size; ++j) {
            double sum = s * A[j];
            for (int l = 0; l < j; ++l) sum -= inverse[j * size + l] * Y[l];
            Y[j] = sum * inverse[j * size + j];
          }
        } else {
          for (int j = 0; j < size; ++j) {
            double sum = 0;
            for (int l = 0; l <= j; ++l) sum += A[l] * inverse[j * size + l];
            Y[j] = s * sum;
          }
        }
      }
    });
  }
  return -1;
}

// L⁻¹ of one block, row by row: row i of L from those above it, then row i of the inverse. Of large blocks L itself is
// kept, with the reciprocals of its diagonal: substitution costs as much as a product with the inverse, and half of the
// factorisation is saved.
bool WhitenedRows::factor_block(MassBlock& block, const double* M, double smallest_pivot) {
  const int size = block.size;
  double* factor = L_inverse_.data() + block.offset;
  block.diagonal = true;
  block.inverted = size <= largest_inverted;
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < i; ++j) block.diagonal = block.diagonal && M[i * size + j] == 0;
  for (int i = 0; i < size; ++i) {
    double d = M[i * size + i];
    double* row = factor + i * size;
    for (int j = 0; j < size; ++j) row[j] = 0;
    for (int j = 0; j < i && !block.diagonal; ++j) {
      const double* above = factor + j * size;
      double L_ij = 0;
      if (block.inverted) {
        // L_ij = Σ_{k≤j} L⁻¹_jk M_ik: the row of L needs only the inverse of what lies above it.
        for (int k = 0; k <= j; ++k) L_ij += above[k] * M[i * size + k];
        for (int k = 0; k <= j; ++k) row[k] -= L_ij * above[k];
      } else {
        double sum = M[i * size + j];
        for (int k = 0; k < j; ++k) sum -= row[k] * above[k];
        row[j] = L_ij = sum * above[j];
      }
      d -= L_ij * L_ij;
      flops_ += block.inverted ? 4 * j + 6 : 2 * j + 3;
    }
    if (!(d > smallest_pivot * std::abs(M[i * size + i])) || !std::isfinite(d)) return false;
    const double reciprocal = 1 / std::sqrt(d);
    for (int k = 0; k < i && block.inverted; ++k) row[k] *= reciprocal;
    row[i] = reciprocal;
  }
  return true;
}

void WhitenedRows::whiten(const double* __restrict Q, double* __restrict w) const {
  for (const MassBlock& mass : mass_) {
    const double* inverse = L_inverse_.data() + mass.offset;
    with_size(mass.size, [&](auto fixed) {
      const int size = fixed.value > 0 ? fixed.value : mass.size;
      if (mass.diagonal) {
        for (int i = 0; i < size; ++i) w[mass.begin + i] = inverse[i * size + i] * Q[mass.begin + i];
        return;
      }
      for (int i = 0; i < size; ++i) {
        double sum = 0;
        if (mass.inverted) {
          for (int k = 0; k <= i; ++k) sum += inverse[i * size + k] * Q[mass.begin + k];
        } else {
          for (int k = 0; k < i; ++k) sum += inverse[i * size + k] * w[mass.begin + k];
          sum = (Q[mass.begin + i] - sum) * inverse[i * size + i];
        }
        w[mass.begin + i] = sum;
      }
    });
  }
}

void WhitenedRows::unwhiten(const double* __restrict w, double* __restrict a) const {
  for (const MassBlock& mass : mass_) {
    const double* inverse = L_inverse_.data() + mass.offset;
    with_size(mass.size, [&](auto fixed) {
      const int size = fixed.value > 0 ? fixed.value : mass.size;
      if (mass.diagonal) {
        for (int i = 0; i < size; ++i) a[mass.begin + i] = inverse[i * size + i] * w[mass.begin + i];
        return;
      }
      for (int i = size - 1; i >= 0; --i) {
        double sum = 0;
        if (mass.inverted) {
          for (int k = i; k < size; ++k) sum += inverse[k * size + i] * w[mass.begin + k];
        } else {
          for (int k = i + 1; k < size; ++k) sum += inverse[k * size + i] * a[mass.begin + k];
          sum = (w[mass.begin + i] - sum) * inverse[i * size + i];
        }
        a[mass.begin + i] = sum;
      }
    });
  }
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
