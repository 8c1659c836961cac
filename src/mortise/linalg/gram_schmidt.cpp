#include "mortise/linalg/gram_schmidt.h"

#include <algorithm>
#include <cmath>

#include "mortise/linalg/householder_kernels.h"
#include "mortise/linalg/pivoting.h"

namespace mortise::linalg {

namespace {
// A pivot whose squared length fell below this share has h_j in it by more than twice the rounding of a unit vector.
constexpr double once_is_enough = 0.25;

}  // namespace

void RowGramSchmidt::resize(int most_rows, int most_columns) {
  m_ = most_rows;
  n_ = most_columns;
  most_ = std::min(most_rows, most_columns);
  stride_ = round_up_to_lanes(std::max(most_columns, 1));
  G_ = LaneArray(offset(most_rows));
  R_.assign(r_offset(most_rows), 0);
  for (auto* v : {&norm2_, &reference2_, &first2_}) v->assign(index(most_rows), 0);
  order_.assign(index(most_rows), 0);
  fate_.assign(index(most_rows), RowFate::kept);
  rank_ = {};
}

void RowGramSchmidt::begin(int rows, int columns) {
  m_ = rows;
  n_ = columns;
  std::fill(G_.data(), G_.data() + offset(rows), 0.0);
}

// g ← g − (h_j·g) h_j once more for all pivots so far; what comes off belongs to R.
void RowGramSchmidt::second_pass(int i, int pivots) {
  double* g = row(i);
  for (int j = 0; j < pivots; ++j) {
    const double c = dot(H(j), g, stride_);
    add_scaled(-c, H(j), g, stride_);
    R_[r_offset(i) + index(j)] += c;
  }
  norm2_[index(i)] = reference2_[index(i)] = dot(g, g, stride_);
  flops_.add(4.0 * n_ * pivots + 2.0 * n_);
}

void RowGramSchmidt::append(int i, int k) {
  const double norm = std::sqrt(norm2_[index(i)]);
  double* h = row(i);
  for (int l = 0; l < stride_; ++l) h[l] /= norm;
  flops_.add(n_);
  R_[r_offset(i) + index(k)] = norm;
  fate_[index(i)] = RowFate::kept;
  rank_.smallest_kept = std::min(rank_.smallest_kept, norm / rank_.largest);
  for (int p = k + 1; p < m_; ++p) {
    const int j = order_[index(p)];
    double* g = row(j);
    const double c = dot(h, g, stride_);
    flops_.dot(n_);
    R_[r_offset(j) + index(k)] = c;
    if (c == 0) continue;
    add_scaled(-c, h, g, stride_);
    flops_.dot(n_);
    double& left = norm2_[index(j)];
    left -= c * c;
    if (left > cancelled * reference2_[index(j)]) continue;
    left = reference2_[index(j)] = dot(g, g, stride_);
    flops_.dot(n_);
  }
}

void RowGramSchmidt::factor(const RankPolicy& policy, double violation, Order order) {
  flops_.clear();
  rank_ = {};
  rank_.rows = m_;
  rank_.smallest_kept = 1;
  rank_.threshold = policy.threshold(violation);
  double longest2 = 0;
  for (int i = 0; i < m_; ++i) {
    order_[index(i)] = i;
    const double norm2 = dot(row(i), row(i), stride_);
    norm2_[index(i)] = reference2_[index(i)] = first2_[index(i)] = norm2;
    longest2 = std::max(longest2, norm2);
    std::fill_n(R_.begin() + static_cast<std::ptrdiff_t>(r_offset(i)), most_, 0.0);
  }
  flops_.add(2.0 * n_ * m_);
  rank_.largest = std::sqrt(longest2);
  const double threshold = policy.cut(rank_.largest, violation), threshold2 = threshold * threshold;
  if (policy.fixed > 0 && longest2 > 0) rank_.threshold = threshold / rank_.largest;
  for (int i = 0; i < m_; ++i) fate_[index(i)] = norm2_[index(i)] > threshold2 ? RowFate::dropped : RowFate::vanished;

  int k = 0, turn = 0;
  const int most = std::min(m_, n_);
  while (k < most) {
    int p = k;
    if (order == Order::given) {
      // Rows that were dropped stay between the pivots and the turn.
      p = turn++;
      if (p == m_) break;
    } else {
      double left2 = 0;
      for (int j = k; j < m_; ++j) left2 = std::max(left2, norm2_[index(order_[index(j)])]);
      if (!(left2 > threshold2)) break;
      while (!(norm2_[index(order_[index(p)])] >= left2 * (1 - tie))) ++p;
    }
    const int pivot = order_[index(p)];
    if (norm2_[index(pivot)] < once_is_enough * first2_[index(pivot)]) second_pass(pivot, k);
    if (!(norm2_[index(pivot)] > threshold2)) continue;
    for (; p > k; --p) order_[index(p)] = order_[index(p - 1)];
    order_[index(k)] = pivot;
    append(pivot, k++);
  }
  rank_.rank = k;
  double left2 = 0;
  for (int p = k; p < m_; ++p) left2 = std::max(left2, norm2_[index(order_[index(p)])]);
  if (k < n_ && rank_.largest > 0) rank_.largest_dropped = std::sqrt(left2) / rank_.largest;
}

void RowGramSchmidt::solve(double* x) const {
  for (int k = 0; k < rank_.rank; ++k) {
    const double* r = R_.data() + r_offset(kept(k));
    double sum = x[k];
    for (int j = 0; j < k; ++j) sum -= r[j] * x[j];
    x[k] = sum / r[k];
  }
}

void RowGramSchmidt::solve_transposed(double* x) const {
  for (int k = rank_.rank - 1; k >= 0; --k) {
    const double* r = R_.data() + r_offset(kept(k));
    x[k] /= r[k];
    for (int j = 0; j < k; ++j) x[j] -= r[j] * x[k];
  }
}

void RowGramSchmidt::dependency(int row, double* c) const {
  if (fate_[index(row)] == RowFate::vanished) {
    std::fill_n(c, rank_.rank, 0.0);
    return;
  }
  std::copy_n(R_.data() + r_offset(row), rank_.rank, c);
  solve_transposed(c);
}

}  // namespace mortise::linalg
