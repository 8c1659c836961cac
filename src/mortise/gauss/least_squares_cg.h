// Conjugate gradients on the normal equations (CGLS): of the x that come nearest to B x = g, the shortest, with nothing
// but products with B and Bᵀ. B = A or Aᵀ, of any shape and rank.
//
// Starting from zero the iterates stay in the range of Bᵀ, which is why dependent rows need no decision about rank: a
// direction without a singular value is never entered. The residual is computed anew and the iteration repeated until
// that gains nothing (κ² of the normal equations times rounding is made up for in this way).
//
// Cost: 4 rows · columns an iteration; rank(B) iterations in exact arithmetic, some more for condition numbers of 1e3
// and beyond.
// Source: Björck, Numerical Methods for Least Squares Problems, algorithm 7.4.1.
#pragma once

#include "mortise/linalg/flops.h"
#include "mortise/linalg/types.h"

namespace mortise::gauss {

class LeastSquaresCg {
 public:
  enum class Side { rows, columns };  // B = A, or B = Aᵀ
  void resize(int m, int n);          // the shape of A

  // Overwrites x; afterwards `residual` is g − B x.
  void solve(const Matrix& A, Side side, const Vector& g, Vector& x);
  const Vector& residual() const { return last_->r; }

  linalg::Flops flops;  // since cleared by the caller
  int iterations = 0;   // of the last call

 private:
  struct Work {
    Vector r, q;        // as long as g
    Vector s, p, step;  // as long as x
  };
  Work work_[2];  // one a side
  const Work* last_ = nullptr;
};

}  // namespace mortise::gauss
