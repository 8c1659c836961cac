#include "mortise/gauss/direct.h"

#include <Eigen/LU>
#include <cmath>

#include "mortise/gauss/dense_factor.h"
#include "mortise/linalg/pseudoinverse.h"

namespace mortise::gauss {

namespace {

class DirectFactor final : public DenseFactor {
 public:
  DirectFactor(const Pattern& pattern, const std::string& name)
      : DenseFactor(pattern, Form::plain),
        size_(pattern.n() + pattern.m()),
        lu_(size_, size_),
        inverse_(linalg::make_pseudoinverse(name)) {
    X_.setZero(size_, size_);
    X_inverse_.setZero(size_, size_);
    right_.setZero(size_);
    x_.setZero(size_);
    inverse_->invert(X_, {}, 0, X_inverse_);  // takes its memory here, and not in the middle of a run
  }

 private:
  bool decompose() override {
    rank_.smallest_kept = 1;
    regular_ = true;
    if (size_ == 0) return true;
    assemble();
    lu_.compute(X_);
    factor_flops_.lu(size_);
    const auto pivots = lu_.matrixLU().diagonal().cwiseAbs();
    const double largest = lu_.maxPivot(), smallest = pivots.minCoeff();
    const double cut = policy_.squared_cut(largest, violation_, size_);
    regular_ = smallest > cut;
    if (regular_) {
      for (int i = 0; i < m(); ++i) rank_.rank += active(i);
      rank_.largest = largest;
      rank_.threshold = std::sqrt(cut / largest);
      rank_.smallest_kept = std::sqrt(smallest / largest);
      return true;
    }
    return decompose_singular();
  }

  bool decompose_singular() {
    inverse_->invert(X_, squared_policy(size_), 0, X_inverse_);
    factor_flops_.add(inverse_->flops());
    rank_ = inverse_->rank();
    for (double* square : {&rank_.smallest_kept, &rank_.largest_dropped, &rank_.threshold})
      *square = std::sqrt(*square);
    double determined = 0, held = 0;  // traces of the blocks of X⁺X
    for (int i = 0; i < size_; ++i) {
      const double entry = X_inverse_.row(i).dot(X_.col(i));
      if (i < n())
        determined += entry;
      else if (active(i - n()))
        held += entry;
    }
    factor_flops_.dot(static_cast<double>(size_) * size_);
    if (const int missing = n() - static_cast<int>(std::lround(determined)); missing > 0)
      return refuse_not_unique(missing);
    rank_.rank = static_cast<int>(std::lround(held));
    return true;
  }

  // Rows that are off have a one on the diagonal: their multipliers are zero.
  void assemble() {
    const double mass = n() > 0 ? M_.diagonal().cwiseAbs().maxCoeff() : 0;
    const double row = A_.size() > 0 ? A_.colwise().norm().maxCoeff() : 0;
    beta_ = mass > 0 ? 1 / mass : 1;
    alpha_ = row > policy_.noise ? 1 / row : 1;
    X_.setZero();
    X_.topLeftCorner(n(), n()) = beta_ * M_;
    X_.bottomLeftCorner(m(), n()) = alpha_ * A_;
    X_.topRightCorner(n(), m()) = alpha_ * A_.transpose();
    for (int i = 0; i < m(); ++i)
      if (!active(i)) X_(n() + i, n() + i) = 1;
  }

  void resolve(const Vector& Q, const Vector& e, Vector& a, Vector& mu) override {
    if (size_ == 0) return;
    right_.head(n()) = beta_ * Q;
    right_.tail(m()) = alpha_ * e;
    if (regular_) {
      x_.noalias() = lu_.permutationP() * right_;
      lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(x_);
      lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(x_);
      right_.noalias() = lu_.permutationQ() * x_;
      x_.swap(right_);
    } else {
      // Refined once: X⁺ written out carries rounding times the square of the condition.
      x_.noalias() = X_inverse_ * right_;
      right_.noalias() -= X_ * x_;
      x_.noalias() += X_inverse_ * right_;
      solve_flops_.dot(2.0 * size_ * size_);
    }
    solve_flops_.dot(static_cast<double>(size_) * size_);
    a = x_.head(n());
    mu = alpha_ / beta_ * x_.tail(m());
  }

  int size_;
  Eigen::FullPivLU<Matrix> lu_;
  std::unique_ptr<linalg::Pseudoinverse> inverse_;
  Matrix X_, X_inverse_;
  Vector right_, x_;
  double alpha_ = 1, beta_ = 1;
  bool regular_ = true;
};

}  // namespace

Direct::Direct(const FormulationSettings& settings)
    : pseudoinverse_(settings.pseudoinverse.empty() ? "svd" : settings.pseudoinverse) {
  linalg::make_pseudoinverse(pseudoinverse_);
}

Capabilities Direct::can() const {
  Capabilities c;
  c.redundant_rows = c.singular_mass = c.gives_rank = c.pseudoinverse = c.unsquared = true;
  return c;
}

std::unique_ptr<Factor> Direct::prepare(const Pattern& pattern) const {
  return std::make_unique<DirectFactor>(pattern, pseudoinverse_);
}

}  // namespace mortise::gauss
