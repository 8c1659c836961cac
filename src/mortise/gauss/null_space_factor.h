// What the formulations share that write the equations of motion along a basis N of the motions left free, A N = 0,
//
//     a = a₀ + N z,      (NᵀM N) z = Nᵀ(Q − M a₀),      A a₀ = e,
//
// so many equations as there are degrees of freedom. M may be singular: NᵀM N must be regular, that is, every motion
// left free has mass; else the accelerations are not unique and the case is refused.
//
// Source: specs/gigsp-and-genetic.md §2, (4.1) and (4.3).
// Cost: M N block by block, n d² for the symmetric product, d³/3 for its Cholesky factor; d = n − r.
#pragma once

#include "mortise/gauss/dense_factor.h"

namespace mortise::gauss {

class NullSpaceFactor : public DenseFactor {
 protected:
  explicit NullSpaceFactor(const Pattern& pattern);

  // Rank and gap from the pivots on the diagonal of a column-pivoted QR of A or Aᵀ.
  void decide_rank(const Matrix& R);
  double cut() const { return policy_.cut(rank_.largest, violation_); }

  auto N() { return N_.leftCols(freedoms_); }  // the basis, written by the formulation
  void set_freedoms(int d) { freedoms_ = d; }
  bool factor_tangent();                                // after N is known
  void move_along_tangent(const Vector& Q, Vector& a);  // from a₀ to a
  // Q − M a: what the rows have to bear.
  const Vector& reaction(const Vector& Q, const Vector& a);

 private:
  int freedoms_ = 0;
  Matrix N_, MN_, K_;
  Vector z_, force_;
};

}  // namespace mortise::gauss
