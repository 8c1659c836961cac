#include "mortise/gauss/singh_likins.h"

#include <Eigen/SVD>
#include <algorithm>

#include "mortise/gauss/null_space_factor.h"

namespace mortise::gauss {

namespace {

class SinghLikinsFactor final : public NullSpaceFactor {
 public:
  explicit SinghLikinsFactor(const Pattern& pattern)
      : NullSpaceFactor(pattern), svd_(pattern.m(), pattern.n(), Eigen::ComputeThinU | Eigen::ComputeFullV) {
    t_.setZero(std::min(n(), m()));
  }

 private:
  bool decompose() override {
    rank_.smallest_kept = 1;
    if (A_.size() == 0) {
      set_freedoms(n());
      N().setIdentity();
      return factor_tangent();
    }
    svd_.compute(A_);
    factor_flops_.svd(m(), n());
    const auto& sigma = svd_.singularValues();
    const double cut = policy_.cut(sigma[0], violation_);
    int r = 0;
    while (r < sigma.size() && sigma[r] > cut) ++r;
    rank_.rank = r;
    rank_.largest = sigma[0];
    if (sigma[0] > 0) {
      rank_.threshold = cut / sigma[0];
      if (r > 0) rank_.smallest_kept = sigma[r - 1] / sigma[0];
      if (r < sigma.size()) rank_.largest_dropped = sigma[r] / sigma[0];
    }
    set_freedoms(n() - r);
    N() = svd_.matrixV().rightCols(n() - r);
    return factor_tangent();
  }

  void resolve(const Vector& Q, const Vector& e, Vector& a, Vector& mu) override {
    const int r = rank_.rank;
    if (r == 0) {
      a.setZero();
      mu.setZero();
      move_along_tangent(Q, a);
      return;
    }
    auto t = t_.head(r);
    const auto sigma = svd_.singularValues().head(r).array();
    t.noalias() = svd_.matrixU().leftCols(r).transpose() * e;
    t.array() /= sigma;
    a.noalias() = svd_.matrixV().leftCols(r) * t;
    move_along_tangent(Q, a);
    t.noalias() = svd_.matrixV().leftCols(r).transpose() * reaction(Q, a);
    t.array() /= sigma;
    mu.noalias() = svd_.matrixU().leftCols(r) * t;
    solve_flops_.product(2 * (n() + m()), r, 1);
  }

  Eigen::JacobiSVD<Matrix> svd_;
  Vector t_;
};

}  // namespace

Capabilities SinghLikins::can() const {
  Capabilities c;
  c.redundant_rows = c.singular_mass = c.gives_rank = true;
  return c;
}

std::unique_ptr<Factor> SinghLikins::prepare(const Pattern& pattern) const {
  return std::make_unique<SinghLikinsFactor>(pattern);
}

}  // namespace mortise::gauss
