#include "mortise/linalg/pseudoinverses/augmented.h"

#include <algorithm>
#include <cmath>

namespace mortise::linalg {

void Augmented::invert(const Matrix& A, const RankPolicy& policy, double violation, Matrix& P) {
  if (!begin(A, P)) return;
  const bool tall = A.rows() > A.cols();
  const Eigen::Index m = std::min(A.rows(), A.cols()), n = std::max(A.rows(), A.cols());
  B_.resize(m, n);
  if (tall)
    B_ = A.transpose();
  else
    B_ = A;
  const double longest = std::sqrt(B_.rowwise().squaredNorm().maxCoeff());
  const double least = policy.cut(longest, violation);
  if (!(longest > least)) return found(0, longest, least, 0, longest);
  B_ /= longest;

  K_.setZero(n + m, n + m);
  K_.topLeftCorner(n, n).diagonal().setOnes();
  K_.bottomLeftCorner(m, n) = B_;
  K_.topRightCorner(n, m) = B_.transpose();
  const double largest = std::sqrt(K_.colwise().squaredNorm().maxCoeff());
  RankPolicy scaled = policy;
  scaled.fixed /= longest;
  const double cut = scaled.squared_cut(largest, violation, static_cast<int>(n + m));
  const Pivots pivots = factor(K_, cut);
  const auto sigma = [&](double pivot) { return longest * std::sqrt(pivot / largest); };
  found(std::max(pivots.rank - static_cast<int>(n), 0), longest, sigma(cut), sigma(pivots.smallest_kept),
        sigma(pivots.longest_dropped));

  F_.resize(n + m, m);
  Z_.resize(n + m, m);
  dZ_.resize(n + m, m);
  F_.setZero();
  F_.bottomRows(m).diagonal().setOnes();
  solve(F_, Z_);
  for (int k = 0; k < refinements_; ++k) {
    residual();
    solve(F_, dZ_);
    Z_ += dZ_;
  }
  if (tall)
    P = Z_.topRows(n).transpose() / longest;
  else
    P = Z_.topRows(n) / longest;
}

// F = [0; I] − K Z, with K's own blocks.
void Augmented::residual() {
  const Eigen::Index m = B_.rows(), n = B_.cols();
  for (Eigen::Index j = 0; j < m; ++j) {
    const auto x = Z_.col(j).head(n);
    const auto mu = Z_.col(j).tail(m);
    auto f = F_.col(j).head(n);
    auto g = F_.col(j).tail(m);
    f.noalias() = B_.transpose() * mu;
    f = -f - x;
    g.noalias() = B_ * x;
    g = -g;
    g[j] += 1;
  }
  flops_.product(2 * static_cast<double>(n), static_cast<double>(m), static_cast<double>(m));
}

}  // namespace mortise::linalg
