// The pseudoinverse as a least squares problem of the augmented matrix, for both factorisations of it:
//
//     K [x; μ] = [0; e_i],      K = [I Bᵀ; B 0],      B = A / (longest row of A),      A⁺e_i = x / (longest row of A).
//
// K has n + m rows and columns and rank n + r, so it is singular whenever rows of A depend on one another; yet every
// least squares solution, the basic one of a pivoted factorisation among them, has the same x. That needs m ≤ n: a
// matrix with m > n is inverted by way of its transpose.
//
// K shows σ², not σ: singular values below about 1e-7 of the largest cannot be told from zero, and drop out
// (RankPolicy::squared_cut). Its columns x are solved for one by one, so their errors do not fit one another: x has an
// error of the condition, A⁺A that of its square. Refinement with the residual of K gains a factor of two to five, a
// second step nothing.
//
// Rank: `largest` is the longest row of A (of Aᵀ when m > n); kept, dropped and threshold are square roots of the
// pivots of K relative to its first one, so that they compare with the singular values that the others see.
//
// Source: specs/pseudoinverses.md §2, §3 (pinv_ls_householder, pinv_ls_mgs) and policy (d), 001 eqs. (11)-(14).
#pragma once

#include "mortise/linalg/pseudoinverse.h"

namespace mortise::linalg {

class Augmented : public Pseudoinverse {
 public:
  void invert(const Matrix& A, const RankPolicy& policy, double violation, Matrix& P) final;

 protected:
  struct Pivots {
    int rank = 0;
    double smallest_kept = 0, longest_dropped = 0;
  };
  explicit Augmented(int refinements) : refinements_(refinements) {}
  virtual Pivots factor(const Matrix& K, double cut) = 0;
  // A basic solution Z of K Z ≈ F; destroys F.
  virtual void solve(Matrix& F, Matrix& Z) = 0;

 private:
  void residual();

  int refinements_;
  Matrix B_, K_, F_, Z_, dZ_;
};

}  // namespace mortise::linalg
