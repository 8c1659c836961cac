#include "mortise/gauss/tangent_projector.h"

namespace mortise::gauss {

TangentProjector::TangentProjector(int n, int m, const std::string& pseudoinverse)
    : inverse_(linalg::make_pseudoinverse(pseudoinverse)) {
  P_.setZero(n, m);
  for (Matrix* matrix : {&E_, &E2_, &work_}) matrix->setZero(n, n);
  inverse_->invert(Matrix::Zero(m, n), {}, 0, P_);  // takes its memory here, and not in the middle of a run
}

void TangentProjector::project(const Matrix& A, const linalg::RankPolicy& policy, double violation,
                               linalg::Flops& flops) {
  const auto n = static_cast<double>(A.cols()), m = static_cast<double>(A.rows());
  inverse_->invert(A, policy, violation, P_);
  flops.add(inverse_->flops());
  work_.setIdentity();
  work_.noalias() -= P_ * A;
  flops.product(n, m, n);
  E_ = 0.5 * (work_ + work_.transpose());
  for (int pass = 0; pass < 2; ++pass) {
    E2_.noalias() = E_ * E_;
    work_ = -2 * E_;
    work_.diagonal().array() += 3;
    E_.noalias() = E2_ * work_;
    work_ = E_.transpose();
    E_ = 0.5 * (E_ + work_);
    flops.product(2 * n, n, n);
  }
}

}  // namespace mortise::gauss
