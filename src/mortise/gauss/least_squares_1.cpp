#include "mortise/gauss/least_squares_1.h"

#include <cmath>

#include "mortise/gauss/dense_factor.h"
#include "mortise/linalg/pseudoinverse.h"

namespace mortise::gauss {

namespace {

class LeastSquares1Factor final : public DenseFactor {
 public:
  LeastSquares1Factor(const Pattern& pattern, const std::string& name)
      : DenseFactor(pattern, Form::whitened), inverse_(linalg::make_pseudoinverse(name)) {
    S_.setZero(pattern.m(), pattern.m());
    S_inverse_.setZero(pattern.m(), pattern.m());
    gap_.setZero(pattern.m());
    inverse_->invert(S_, {}, 0, S_inverse_);  // takes its memory here, and not in the middle of a run
  }

 private:
  bool decompose() override {
    S_.noalias() = A_ * A_.transpose();
    factor_flops_.gram(m(), n());
    inverse_->invert(S_, squared_policy(m()), 0, S_inverse_);
    factor_flops_.add(inverse_->flops());
    rank_ = inverse_->rank();
    for (double* square : {&rank_.largest, &rank_.smallest_kept, &rank_.largest_dropped, &rank_.threshold})
      *square = std::sqrt(*square);
    return true;
  }

  void resolve(const Vector& w_f, const Vector& e, Vector& w, Vector& mu) override {
    gap_ = -e;
    gap_.noalias() += A_ * w_f;
    mu.noalias() = S_inverse_ * gap_;
    w = w_f;
    w.noalias() -= A_.transpose() * mu;
    solve_flops_.product(2 * n() + m(), m(), 1);
  }

  std::unique_ptr<linalg::Pseudoinverse> inverse_;
  Matrix S_, S_inverse_;
  Vector gap_;
};

}  // namespace

LeastSquares1::LeastSquares1(const FormulationSettings& settings)
    : pseudoinverse_(settings.pseudoinverse.empty() ? "svd" : settings.pseudoinverse) {
  linalg::make_pseudoinverse(pseudoinverse_);
}

Capabilities LeastSquares1::can() const {
  Capabilities c;
  c.redundant_rows = c.gives_rank = c.pseudoinverse = c.unsquared = true;
  return c;
}

std::unique_ptr<Factor> LeastSquares1::prepare(const Pattern& pattern) const {
  return std::make_unique<LeastSquares1Factor>(pattern, pseudoinverse_);
}

}  // namespace mortise::gauss
