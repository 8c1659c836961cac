#include "mortise/gauss/mass_blocks.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mortise/gauss/with_size.h"
#include "mortise/linalg/parallel.h"

namespace mortise::gauss {

namespace {

constexpr int largest_inverted = 7;  // blocks of bodies

}  // namespace

MassBlocks::MassBlocks(const Pattern& p) : columns_(p.n()) {
  for (int k = 0; k < p.columns.count(); ++k)
    blocks_.push_back({p.columns.begin(k), p.columns.size(k), 0, p.M_offset[index(k)], false, false});
  M_.assign(index(p.M_size), 0.0);
  L_.assign(index(p.n() + p.M_size), 0.0);
}

int MassBlocks::factor(const GaussProblem& problem, const linalg::RankPolicy& policy) {
  flops_ = 0;
  const bool stamped = problem.mass_stamp != 0 && problem.mass_stamp == stamp_;
  if (factored_ && (stamped || std::memcmp(M_.data(), problem.M.data(), M_.size() * sizeof(double)) == 0)) return -1;
  factored_ = false;
  stamp_ = problem.mass_stamp;
  std::copy(problem.M.data(), problem.M.data() + M_.size(), M_.data());
  ++version_;
  for (std::size_t k = 0; k < blocks_.size(); ++k)
    if (!factor_block(blocks_[k], M_.data() + blocks_[k].M, policy.mass)) return static_cast<int>(k);
  factored_ = true;
  return -1;
}

// L⁻¹ of one block, row by row: row i of L from those above it, then row i of the inverse.
bool MassBlocks::factor_block(Block& block, const double* M, double smallest_pivot) {
  const int size = block.size;
  block.diagonal = true;
  block.inverted = size <= largest_inverted;
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < i; ++j) block.diagonal = block.diagonal && M[i * size + j] == 0;
  block.offset = block.diagonal ? block.begin : columns_ + block.M;
  double* factor = L_.data() + block.offset;
  for (int i = 0; i < size; ++i) {
    double d = M[i * size + i];
    if (block.diagonal) {
      if (!(d > 0) || !std::isfinite(d)) return false;
      factor[i] = 1 / std::sqrt(d);
      continue;
    }
    double* row = factor + i * size;
    for (int j = 0; j < size; ++j) row[j] = 0;
    for (int j = 0; j < i; ++j) {
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

double MassBlocks::whiten_rows(int which, const double* __restrict A, const double* scale, int rows,
                               double* __restrict Y) const {
  const Block& block = blocks_[index(which)];
  const double* __restrict L = L_.data() + block.offset;
  return with_size(block.size, [&](auto fixed) {
    const int size = fixed.value > 0 ? fixed.value : block.size;
    for (int i = 0; i < rows; ++i, A += size, Y += size) {
      const double s = scale[i];
      if (s == 0) {
        for (int j = 0; j < size; ++j) Y[j] = 0;
      } else if (block.diagonal) {
        for (int j = 0; j < size; ++j) Y[j] = s * A[j] * L[j];
      } else if (!block.inverted) {
        for (int j = 0; j < size; ++j) {
          double sum = s * A[j];
          for (int l = 0; l < j; ++l) sum -= L[j * size + l] * Y[l];
          Y[j] = sum * L[j * size + j];
        }
      } else {
        for (int j = 0; j < size; ++j) {
          double sum = 0;
          for (int l = 0; l <= j; ++l) sum += A[l] * L[j * size + l];
          Y[j] = s * sum;
        }
      }
    }
    return static_cast<double>(rows) * size * (block.diagonal ? 2 : size + 1);
  });
}

void MassBlocks::whiten_full(int which, const double* __restrict Q, double* __restrict w) const {
  const Block& block = blocks_[index(which)];
  const double* L = L_.data() + block.offset;
  with_size(block.size, [&](auto fixed) {
    const int size = fixed.value > 0 ? fixed.value : block.size;
    if (block.diagonal) {
      for (int i = 0; i < size; ++i) w[i] = L[i] * Q[i];
      return;
    }
    for (int i = 0; i < size; ++i) {
      double sum = 0;
      if (block.inverted) {
        for (int k = 0; k <= i; ++k) sum += L[i * size + k] * Q[k];
      } else {
        for (int k = 0; k < i; ++k) sum += L[i * size + k] * w[k];
        sum = (Q[i] - sum) * L[i * size + i];
      }
      w[i] = sum;
    }
  });
}

void MassBlocks::whiten(const double* Q, double* w) const {
  linalg::for_each_index(blocks_.size(), [&](std::size_t b) {
    whiten_block(static_cast<int>(b), Q + blocks_[b].begin, w + blocks_[b].begin);
  });
}

void MassBlocks::unwhiten_full(int which, const double* __restrict w, double* __restrict a) const {
  const Block& block = blocks_[index(which)];
  const double* L = L_.data() + block.offset;
  with_size(block.size, [&](auto fixed) {
    const int size = fixed.value > 0 ? fixed.value : block.size;
    if (block.diagonal) {
      for (int i = 0; i < size; ++i) a[i] = L[i] * w[i];
      return;
    }
    for (int i = size - 1; i >= 0; --i) {
      double sum = 0;
      if (block.inverted) {
        for (int k = i; k < size; ++k) sum += L[k * size + i] * w[k];
      } else {
        for (int k = i + 1; k < size; ++k) sum += L[k * size + i] * a[k];
        sum = (w[i] - sum) * L[i * size + i];
      }
      a[i] = sum;
    }
  });
}

void MassBlocks::unwhiten(const double* w, double* a) const {
  linalg::for_each_index(blocks_.size(), [&](std::size_t b) {
    unwhiten_block(static_cast<int>(b), w + blocks_[b].begin, a + blocks_[b].begin);
  });
}

}  // namespace mortise::gauss
