#include "mortise/gauss/udwadia_phohomsiri.h"

#include "mortise/gauss/dense_factor.h"
#include "mortise/gauss/tangent_projector.h"

namespace mortise::gauss {

namespace {

class UdwadiaPhohomsiriFactor final : public DenseFactor {
 public:
  UdwadiaPhohomsiriFactor(const Pattern& pattern, const std::string& name)
      : DenseFactor(pattern, Form::plain),
        tangent_(pattern.n(), pattern.m(), name),
        inverse_(linalg::make_pseudoinverse(name)) {
    stacked_.setZero(n() + m(), n());
    stacked_inverse_.setZero(n(), n() + m());
    right_.setZero(n() + m());
    force_.setZero(n());
    inverse_->invert(stacked_, {}, 0, stacked_inverse_);  // takes its memory here, and not in the middle of a run
  }

 private:
  bool decompose() override {
    tangent_.project(A_, policy_, violation_, factor_flops_);
    rank_ = tangent_.rank();
    // Both blocks of size one, so that neither is lost in the rounding of the other.
    const double mass = n() > 0 ? M_.diagonal().cwiseAbs().maxCoeff() : 0;
    const double row = A_.size() > 0 ? A_.colwise().norm().maxCoeff() : 0;
    beta_ = mass > 0 ? 1 / mass : 1;
    alpha_ = row > policy_.noise ? 1 / row : 1;
    const Matrix& E = tangent_.E();
    stacked_.topRows(n()).noalias() = E * M_;
    stacked_.topRows(n()) *= beta_;
    stacked_.bottomRows(m()) = A_;
    stacked_.bottomRows(m()).noalias() -= A_ * E;
    stacked_.bottomRows(m()) *= alpha_;
    factor_flops_.product(n() + m(), n(), n());
    inverse_->invert(stacked_, mass_policy(n() + m()), 0, stacked_inverse_);
    factor_flops_.add(inverse_->flops());
    if (const int missing = n() - inverse_->rank().rank; missing > 0) return refuse_not_unique(missing);
    return true;
  }

  void resolve(const Vector& Q, const Vector& e, Vector& a, Vector& mu) override {
    right_.head(n()).noalias() = tangent_.E() * Q;
    right_.head(n()) *= beta_;
    right_.tail(m()) = alpha_ * e;
    a.noalias() = stacked_inverse_ * right_;
    force_ = Q;
    force_.noalias() -= M_ * a;
    mu.noalias() = tangent_.P().transpose() * force_;
    solve_flops_.product(n(), 3 * n() + 2 * m(), 1);
  }

  TangentProjector tangent_;
  std::unique_ptr<linalg::Pseudoinverse> inverse_;
  Matrix stacked_, stacked_inverse_;
  Vector right_, force_;
  double alpha_ = 1, beta_ = 1;
};

}  // namespace

UdwadiaPhohomsiri::UdwadiaPhohomsiri(const FormulationSettings& settings)
    : pseudoinverse_(settings.pseudoinverse.empty() ? "svd" : settings.pseudoinverse) {
  linalg::make_pseudoinverse(pseudoinverse_);
}

Capabilities UdwadiaPhohomsiri::can() const {
  Capabilities c;
  c.redundant_rows = c.singular_mass = c.gives_rank = c.pseudoinverse = c.unsquared = true;
  return c;
}

std::unique_ptr<Factor> UdwadiaPhohomsiri::prepare(const Pattern& pattern) const {
  return std::make_unique<UdwadiaPhohomsiriFactor>(pattern, pseudoinverse_);
}

}  // namespace mortise::gauss
