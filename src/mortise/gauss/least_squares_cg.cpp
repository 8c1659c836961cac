#include "mortise/gauss/least_squares_cg.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mortise::gauss {

void LeastSquaresCg::resize(int m, int n) {
  for (const Side side : {Side::rows, Side::columns}) {
    Work& work = work_[static_cast<int>(side)];
    const int of_g = side == Side::rows ? m : n, of_x = side == Side::rows ? n : m;
    for (Vector* v : {&work.r, &work.q}) v->setZero(of_g);
    for (Vector* v : {&work.s, &work.p, &work.step}) v->setZero(of_x);
  }
}

void LeastSquaresCg::solve(const Matrix& A, Side side, const Vector& g, Vector& x) {
  Work& work = work_[static_cast<int>(side)];
  auto& [r, q, s, p, step] = work;
  last_ = &work;
  iterations = 0;
  x.setZero();
  r = g;
  if (A.size() == 0) return;
  const auto multiply = [&](const Vector& in, Vector& out) {
    if (side == Side::rows)
      out.noalias() = A * in;
    else
      out.noalias() = A.transpose() * in;
  };
  const auto multiply_transposed = [&](const Vector& in, Vector& out) {
    if (side == Side::rows)
      out.noalias() = A.transpose() * in;
    else
      out.noalias() = A * in;
  };
  const double eps = std::numeric_limits<double>::epsilon(), size = A.norm();
  const int most = 10 * static_cast<int>(std::min(A.rows(), A.cols())) + 20;
  multiply_transposed(r, s);
  double before = s.norm();
  for (int sweep = 0; sweep < 6; ++sweep) {
    // What rounding alone leaves of Bᵀr.
    const double floor = eps * size * (g.norm() + size * x.norm());
    if (before <= floor) return;
    step.setZero();
    p = s;
    double gamma = s.squaredNorm();
    // Beyond this the recursion follows its own rounding, and grows again.
    const double rounding = std::max(eps * before, eps * size * r.norm());
    const double enough = rounding * rounding;
    for (int k = 0; k < most && gamma > enough; ++k, ++iterations) {
      flops.add(4.0 * static_cast<double>(A.size()));
      multiply(p, q);
      const double curvature = q.squaredNorm();
      if (!(curvature > 0)) break;
      const double alpha = gamma / curvature;
      step += alpha * p;
      r -= alpha * q;
      multiply_transposed(r, s);
      const double next = s.squaredNorm();
      p = s + (next / gamma) * p;
      gamma = next;
    }
    // Kept only when the residual computed anew says that it is nearer.
    x += step;
    multiply(x, q);
    r = g - q;
    multiply_transposed(r, s);
    const double now = s.norm();
    if (!(now < before)) {
      x -= step;
      multiply(x, q);
      r = g - q;
      return;
    }
    if (now > 0.5 * before) return;
    before = now;
  }
}

}  // namespace mortise::gauss
