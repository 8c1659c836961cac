#include "mortise/linalg/householder_cod.h"

#include <algorithm>
#include <cmath>

#include "mortise/linalg/householder_kernels.h"
#include "mortise/linalg/pivoting.h"

namespace mortise::linalg {

void CompleteOrthogonal::resize(int n, int m) {
  n_ = n;
  m_ = m;
  stride_ = round_up_to_lanes(std::max(n, 1));
  const int most = std::min(n, m);
  const int split = std::min(most, m / 2);  // r (m − r) is largest here
  const int padded = round_up_to_lanes(std::max(n, m));
  W_ = LaneArray(offset(m));
  V_ = LaneArray(offset(most));
  T_ = LaneArray(offset(m));
  Z_ = LaneArray(index(split) * index(m - split) + index(m));
  for (LaneArray* work : {&tau_, &zeta_, &R_pivot_, &T_pivot_, &norm2_, &reference2_, &t_, &x_})
    *work = LaneArray(index(padded));
  order_.assign(index(m), 0);
  fate_.assign(index(m), RowFate::kept);
  rank_ = {};
}

void CompleteOrthogonal::factor(const RankPolicy& policy, double violation) {
  rank_ = {};
  rank_.rows = m_;
  rank_.smallest_kept = 1;
  rank_.threshold = policy.threshold(violation);
  double longest2 = 0;
  for (int j = 0; j < m_; ++j) {
    order_[index(j)] = j;
    const double norm2 = dot(column(j), column(j), stride_);
    norm2_[index(j)] = reference2_[index(j)] = norm2;
    longest2 = std::max(longest2, norm2);
  }
  const double longest = std::sqrt(longest2);
  const double threshold = policy.cut(longest, violation);
  if (policy.fixed > 0 && longest > 0) rank_.threshold = threshold / longest;
  classify_rows(threshold);
  rank_.largest = longest;
  reduce_columns(threshold);
  if (rank_.rank < m_) reduce_rows();
}

void CompleteOrthogonal::classify_rows(double threshold) {
  for (int j = 0; j < m_; ++j)
    fate_[index(j)] = norm2_[index(j)] > threshold * threshold ? RowFate::dropped : RowFate::vanished;
}

// Dᵀ P = Q R: at step k the longest remaining column becomes the pivot, and H = I − τ u uᵀ maps its entries k.. to
// R_kk e_k with u = x − R_kk e_k,  R_kk = −sign(x_k)|x|,  τ = 1 / (|x|² + |x_k||x|).
void CompleteOrthogonal::reduce_columns(double threshold) {
  const int most = std::min(n_, m_);
  const double threshold2 = threshold * threshold;
  int k = 0;
  double longest2 = 0;
  for (;; ++k) {
    longest2 = 0;
    for (int j = k; j < m_; ++j) longest2 = std::max(longest2, norm2_[index(order(j))]);
    if (k == most || !(longest2 > threshold2)) break;

    int p = k;
    while (!(norm2_[index(order(p))] >= longest2 * (1 - tie))) ++p;
    const int pivot = order(p);
    for (; p > k; --p) order_[index(p)] = order_[index(p - 1)];
    order_[index(k)] = pivot;
    fate_[index(pivot)] = RowFate::kept;

    const int start = round_down_to_lanes(k), size = stride_ - start;
    double* x = column(pivot) + start;
    double* u = V_.data() + offset(k) + start;
    for (int i = 0; i < k - start; ++i) u[i] = 0;
    for (int i = k - start; i < size; ++i) {
      u[i] = x[i];
      x[i] = 0;
    }
    const double norm2 = dot(u, u, size), norm = std::sqrt(norm2), head = u[k - start];
    const double R_kk = head > 0 ? -norm : norm;
    x[k - start] = R_kk;
    u[k - start] = head - R_kk;
    const double tau = 1 / (norm2 + std::abs(head) * norm);
    tau_[index(k)] = tau;
    R_pivot_[index(k)] = 1 / R_kk;
    if (k == 0) rank_.largest = norm;
    rank_.smallest_kept = std::min(rank_.smallest_kept, norm / rank_.largest);

    reflect(u, tau, W_.data() + start, index(stride_), order_.data() + k + 1, m_ - k - 1, size);
    for (int j = k + 1; j < m_; ++j) {
      const int c = order(j);
      const double R_kj = W_[offset(c) + index(k)];
      double& remaining = norm2_[index(c)];
      remaining -= R_kj * R_kj;
      if (remaining > cancelled * reference2_[index(c)]) continue;
      remaining = 0;
      for (std::size_t i = offset(c) + index(k) + 1; i < offset(c) + index(n_); ++i) remaining += W_[i] * W_[i];
      reference2_[index(c)] = remaining;
    }
  }
  rank_.rank = k;
  if (k < m_ && k < n_ && rank_.largest > 0) rank_.largest_dropped = std::sqrt(longest2) / rank_.largest;
}

// [R₁₁ R₁₂] = [T 0] Zᵀ: from the last row up, a reflection of entry k with the dropped columns clears row k of R₁₂.
// Everything runs along columns: the rows above k are done together. R stays as it is for `contradiction`.
void CompleteOrthogonal::reduce_rows() {
  const int r = rank_.rank, dropped = m_ - r, padded = round_up_to_lanes(r);
  for (int k = 0; k < m_; ++k) {
    double* w = W_.data() + offset(order(k));
    if (k >= r) std::fill(w + r, w + stride_, 0.0);
    std::copy(w, w + padded, T_.data() + offset(order(k)));
  }
  double* s = x_.data();
  for (int k = r - 1; k >= 0; --k) {
    double* pivot = T_.data() + offset(order(k));
    double* z = Z_.data() + index(k) * index(dropped);
    double tail2 = 0;
    for (int l = 0; l < dropped; ++l) {
      z[l] = T_[offset(order(r + l)) + index(k)];
      tail2 += z[l] * z[l];
    }
    const double head = pivot[k];
    zeta_[index(k)] = 0;
    T_pivot_[index(k)] = 1 / head;
    if (tail2 == 0) continue;
    const double norm = std::sqrt(head * head + tail2);
    const double T_kk = head > 0 ? -norm : norm;
    // u = (1, z) with the head divided out, so that only z is stored.
    const double scale = 1 / (head - T_kk);
    for (int l = 0; l < dropped; ++l) z[l] *= scale;
    const double zeta = (T_kk - head) / T_kk;
    zeta_[index(k)] = zeta;
    T_pivot_[index(k)] = 1 / T_kk;

    const int above = round_up_to_lanes(k);
    std::copy(pivot, pivot + above, s);
    for (int l = 0; l < dropped; ++l) add_scaled(z[l], T_.data() + offset(order(r + l)), s, above);
    for (int l = 0; l < dropped; ++l) add_scaled(-zeta * z[l], s, T_.data() + offset(order(r + l)), above);
    for (int i = 0; i < k; ++i) pivot[i] -= zeta * s[i];
    pivot[k] = T_kk;
  }
}

// t ← T⁻ᵀ t or R₁₁⁻ᵀ t, entry by entry: the columns hold what each entry needs of those before it.
void CompleteOrthogonal::forward_substitute(const double* triangle, bool original, double* t) {
  const LaneArray& pivot = original ? R_pivot_ : T_pivot_;
  double* x = x_.data();
  const int r = rank_.rank;
  std::fill(x, x + round_up_to_lanes(r), 0.0);
  for (int k = 0; k < r; ++k) {
    const double sum = dot(triangle + offset(order(k)), x, round_up_to_lanes(k));
    x[k] = (t[k] - sum) * pivot[index(k)];
  }
  std::copy(x, x + r, t);
}

double CompleteOrthogonal::flops() const {
  double sum = 2.0 * n_ * m_;
  for (int k = 0; k < rank_.rank; ++k)
    sum += 4.0 * (n_ - k) * (m_ - k) + (rank_.rank < m_ ? 4.0 * k * (m_ - rank_.rank) : 0);
  return sum;
}

void CompleteOrthogonal::solve(ConstSpan e, Span y, Span mu) {
  const int r = rank_.rank, dropped = m_ - r;
  const bool full = dropped == 0;
  double* t = t_.data();
  for (int k = 0; k < m_; ++k) t[k] = e[index(order(k))];
  for (int k = r - 1; k >= 0 && !full; --k) {  // t ← Zᵀ Pᵀ e
    const double* z = Z_.data() + index(k) * index(dropped);
    double sum = t[k];
    for (int l = 0; l < dropped; ++l) sum += z[l] * t[r + l];
    sum *= zeta_[index(k)];
    t[k] -= sum;
    for (int l = 0; l < dropped; ++l) t[r + l] -= sum * z[l];
  }
  const double* triangle = full ? W_.data() : T_.data();
  forward_substitute(triangle, full, t);

  double* x = x_.data();  // y = Q [t; 0]
  std::copy(t, t + r, x);
  std::fill(x + r, x + stride_, 0.0);
  for (int k = r - 1; k >= 0; --k) {
    const int start = round_down_to_lanes(k), size = stride_ - start;
    const double* u = V_.data() + offset(k) + start;
    add_scaled(-tau_[index(k)] * dot(u, x + start, size), u, x + start, size);
  }
  std::copy(x, x + n_, y.begin());

  const LaneArray& pivot = full ? R_pivot_ : T_pivot_;  // μ = P Z₁ T⁻¹ t
  std::fill(t + r, t + round_up_to_lanes(std::max(n_, m_)), 0.0);
  for (int k = r - 1; k >= 0; --k) {
    const double value = t[k] * pivot[index(k)];
    const double* c = triangle + offset(order(k));
    for (int i = 0; i < k; ++i) t[i] -= value * c[i];
    t[k] = value;
  }
  for (int k = 0; k < r && !full; ++k) {
    const double* z = Z_.data() + index(k) * index(dropped);
    double sum = t[k];
    for (int l = 0; l < dropped; ++l) sum += z[l] * t[r + l];
    sum *= zeta_[index(k)];
    t[k] -= sum;
    for (int l = 0; l < dropped; ++l) t[r + l] -= sum * z[l];
  }
  for (int k = 0; k < m_; ++k) mu[index(order(k))] = t[k];
}

void CompleteOrthogonal::contradiction(ConstSpan e, Span excess) {
  const int r = rank_.rank;
  double* t = t_.data();
  for (int k = 0; k < r; ++k) {
    t[k] = e[index(order(k))];
    excess[index(order(k))] = 0;
  }
  forward_substitute(W_.data(), true, t);
  for (int k = r; k < m_; ++k) {
    const int row = order(k);
    double sum = e[index(row)];
    if (fate_[index(row)] == RowFate::dropped)
      for (int i = 0; i < r; ++i) sum -= W_[offset(row) + index(i)] * t[i];
    excess[index(row)] = sum;
  }
}

Vector CompleteOrthogonal::dependency(int row) const {
  Vector c = Vector::Zero(m_);
  if (fate_[index(row)] == RowFate::vanished) return c;
  if (fate_[index(row)] == RowFate::kept) {
    c[row] = 1;
    return c;
  }
  const int r = rank_.rank;
  Vector t = Eigen::Map<const Vector>(W_.data() + offset(row), r);
  for (int k = r - 1; k >= 0; --k) {
    t[k] *= R_pivot_[index(k)];
    t.head(k) -= t[k] * Eigen::Map<const Vector>(W_.data() + offset(order(k)), k);
    c[order(k)] = t[k];
  }
  return c;
}

}  // namespace mortise::linalg
