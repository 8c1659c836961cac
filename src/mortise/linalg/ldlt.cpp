#include "mortise/linalg/ldlt.h"

#include <algorithm>
#include <cmath>

#include "mortise/linalg/householder_kernels.h"

namespace mortise::linalg {

void Ldlt::resize(int m) {
  m_ = m;
  stride_ = round_up_to_lanes(std::max(m, 1));
  L_ = LaneArray(offset(m));
  for (LaneArray* work : {&diagonal_, &inverse_, &x_}) *work = LaneArray(index(stride_));
  failed_ = -1;
  pivot_ = 1;
}

bool Ldlt::factor(double threshold) {
  failed_ = -1;
  pivot_ = 1;
  double largest = 0;
  for (int k = 0; k < m_; ++k) {
    diagonal_[index(k)] = L_[offset(k) + index(k)];
    largest = std::max(largest, diagonal_[index(k)]);
  }
  for (int k = 0; k < m_; ++k) {
    double* __restrict c = column(k);
    const double d = c[k], original = diagonal_[index(k)];
    // A row that has vanished altogether counts by its own length, any other by what is left of it.
    const double relative = original > threshold * largest ? d / original : 0;
    pivot_ = std::min(pivot_, relative);
    if (!(relative > threshold)) {
      failed_ = k;
      pivot_ = std::max(relative, 0.0);
      return false;
    }
    const double inverse = 1 / d;
    inverse_[index(k)] = inverse;
    for (int j = k + 1; j < m_; ++j) {
      if (c[j] == 0) continue;
      const int start = round_down_to_lanes(j);
      add_scaled(-c[j] * inverse, c + start, column(j) + start, stride_ - start);
    }
    const int start = round_down_to_lanes(k);
    for (int i = start; i <= k; ++i) c[i] = 0;
    for (int i = start; i < stride_; i += lane_count) lanes(c + i) *= inverse;
  }
  return true;
}

void Ldlt::dependent_rows(double significance, std::vector<int>& rows) {
  rows.clear();
  if (failed_ < 0) return;
  const int k = failed_;
  double* c = x_.data();
  for (int j = 0; j < k; ++j) c[j] = L_[offset(j) + index(k)];
  for (int j = k - 1; j >= 0; --j)
    for (int i = j + 1; i < k; ++i) c[j] -= L_[offset(j) + index(i)] * c[i];
  double largest = std::sqrt(std::max(diagonal_[index(k)], 0.0));
  for (int j = 0; j < k; ++j) {
    c[j] = std::abs(c[j]) * std::sqrt(diagonal_[index(j)]);
    largest = std::max(largest, c[j]);
  }
  for (int j = 0; j < k; ++j)
    if (c[j] > significance * largest) rows.push_back(j);
  rows.push_back(k);
}

void Ldlt::solve(Span x) {
  double* z = x_.data();
  std::copy(x.begin(), x.begin() + m_, z);
  std::fill(z + m_, z + stride_, 0.0);
  for (int k = 0; k < m_; ++k) {
    const int start = round_down_to_lanes(k);
    add_scaled(-z[k], column(k) + start, z + start, stride_ - start);
  }
  for (int k = 0; k < m_; ++k) z[k] *= inverse_[index(k)];
  for (int k = m_ - 1; k >= 0; --k) {
    const int start = round_down_to_lanes(k);
    z[k] -= dot(column(k) + start, z + start, stride_ - start);
  }
  std::copy(z, z + m_, x.begin());
}

}  // namespace mortise::linalg
