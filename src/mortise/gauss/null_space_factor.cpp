#include "mortise/gauss/null_space_factor.h"

#include <algorithm>
#include <cmath>

#include "mortise/linalg/in_place.h"

namespace mortise::gauss {

NullSpaceFactor::NullSpaceFactor(const Pattern& pattern) : DenseFactor(pattern, Form::plain) {
  for (Matrix* matrix : {&N_, &MN_, &K_}) matrix->setZero(n(), n());
  z_.setZero(n());
  force_.setZero(n());
}

void NullSpaceFactor::decide_rank(const Matrix& R) {
  const auto pivot = [&](int k) { return std::abs(R(k, k)); };
  const int most = std::min(n(), m());
  rank_.largest = pivot(0);
  int r = 0;
  while (r < most && pivot(r) > cut()) ++r;
  rank_.rank = r;
  if (!(rank_.largest > 0)) return;
  rank_.threshold = cut() / rank_.largest;
  if (r > 0) rank_.smallest_kept = pivot(r - 1) / rank_.largest;
  if (r < most) rank_.largest_dropped = pivot(r) / rank_.largest;
}

bool NullSpaceFactor::factor_tangent() {
  const int d = freedoms_;
  if (d == 0) return true;
  mass_times(N(), MN_.leftCols(d), factor_flops_);
  auto K = K_.topLeftCorner(d, d);
  K.triangularView<Eigen::Lower>() = N().transpose() * MN_.leftCols(d);
  factor_flops_.gram(d, n());
  factor_flops_.cholesky(d);
  if (const int missing = linalg::cholesky_in_place(K, mass_policy(n()).relative); missing > 0)
    return refuse_not_unique(missing);
  return true;
}

const Vector& NullSpaceFactor::reaction(const Vector& Q, const Vector& a) {
  mass_times(a, force_, solve_flops_);
  force_ = Q - force_;
  return force_;
}

void NullSpaceFactor::move_along_tangent(const Vector& Q, Vector& a) {
  const int d = freedoms_;
  if (d == 0) return;
  auto z = z_.head(d);
  z.noalias() = N().transpose() * reaction(Q, a);
  linalg::cholesky_solve(K_.topLeftCorner(d, d), z);
  a.noalias() += N() * z;
  solve_flops_.product(2 * n() + d, d, 1);
}

}  // namespace mortise::gauss
