#include "mortise/gauss/least_squares_2.h"

#include "mortise/gauss/dense_factor.h"
#include "mortise/gauss/tangent_projector.h"

namespace mortise::gauss {

namespace {

class LeastSquares2Factor final : public DenseFactor {
 public:
  LeastSquares2Factor(const Pattern& pattern, const std::string& name)
      : DenseFactor(pattern, Form::plain),
        tangent_(pattern.n(), pattern.m(), name),
        inverse_(linalg::make_pseudoinverse(name)) {
    for (Matrix* matrix : {&K_, &W_, &work_}) matrix->setZero(n(), n());
    force_.setZero(n());
    inverse_->invert(K_, {}, 0, W_);  // takes its memory here, and not in the middle of a run
  }

 private:
  bool decompose() override {
    tangent_.project(A_, policy_, violation_, factor_flops_);
    rank_ = tangent_.rank();
    const Matrix& E = tangent_.E();
    mass_times(E, work_, factor_flops_);
    K_.noalias() = E * work_;
    inverse_->invert(K_, mass_policy(n()), 0, W_);
    factor_flops_.add(inverse_->flops());
    if (const int missing = n() - rank_.rank - inverse_->rank().rank; missing > 0) return refuse_not_unique(missing);
    work_.noalias() = W_ * E;
    W_.noalias() = E * work_;
    factor_flops_.product(3 * n(), n(), n());
    return true;
  }

  void resolve(const Vector& Q, const Vector& e, Vector& a, Vector& mu) override {
    a.noalias() = tangent_.P() * e;
    force_ = Q;
    force_.noalias() -= M_ * a;
    a.noalias() += W_ * force_;
    force_ = Q;
    force_.noalias() -= M_ * a;
    mu.noalias() = tangent_.P().transpose() * force_;
    solve_flops_.product(n(), 2 * m() + 3 * n(), 1);
  }

  TangentProjector tangent_;
  std::unique_ptr<linalg::Pseudoinverse> inverse_;
  Matrix K_, W_, work_;
  Vector force_;
};

}  // namespace

LeastSquares2::LeastSquares2(const FormulationSettings& settings)
    : pseudoinverse_(settings.pseudoinverse.empty() ? "svd" : settings.pseudoinverse) {
  linalg::make_pseudoinverse(pseudoinverse_);
}

Capabilities LeastSquares2::can() const {
  Capabilities c;
  c.redundant_rows = c.singular_mass = c.gives_rank = c.pseudoinverse = c.unsquared = true;
  return c;
}

std::unique_ptr<Factor> LeastSquares2::prepare(const Pattern& pattern) const {
  return std::make_unique<LeastSquares2Factor>(pattern, pseudoinverse_);
}

}  // namespace mortise::gauss
