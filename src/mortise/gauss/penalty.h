// Gauss' function with the constraints as a penalty: what a search minimises instead of solving equations,
//
//     Z₁(a) = ½ (a − a_f)ᵀM (a − a_f) + w |A a − e|²  =  ½ aᵀM a − aᵀQ + w |A a − e|² + ½ QᵀM⁻¹Q,     a_f = M⁻¹Q.
//
// The last constant does not move the minimum and is left out of `value`, so that M may be singular. Rows are those of
// DenseFactor, scaled: the weight matrix of the source is W = w diag(s²), dimensionless in the mass metric.
//
// Its minimiser is known, (M + 2w AᵀA) a = Q + 2w Aᵀe, and lies O(1/w) from the constrained acceleration; 2w (A a − e)
// there are the multipliers, to O(1/w) as well. It is unique exactly when the acceleration is: no motion without mass
// and rows. Rows that contradict one another show by Z₁ growing like w: Z₁(10w) / Z₁(w) → 10,
// as soon as w times the square of the contradiction exceeds Z itself.
//
// Sums run in the order of the indices, so a value has the same bits on every machine.
// Source: specs/gigsp-and-genetic.md §2, eqs. (5.2)–(5.6) there.
// Cost: 2n² + 2nm a value; the minimiser n²m + n³/3.
#pragma once

#include <Eigen/Cholesky>
#include <optional>

#include "mortise/linalg/rank_policy.h"
#include "mortise/linalg/types.h"

namespace mortise::gauss {

class GaussFunction {
 public:
  GaussFunction(int n, int m);

  int n() const { return static_cast<int>(Q_.size()); }
  int m() const { return static_cast<int>(e_.size()); }
  double flops() const { return 2.0 * n() * n() + 2.0 * n() * m(); }  // of a value

  void set_matrices(const Matrix& M, const Matrix& A);
  // To the coordinates x of a = d∘x: M ← diag(d) M diag(d), A ← A diag(d).
  void scale_coordinates(const Vector& d);
  // To those of a = T x, T orthonormal: M ← TᵀM T, A ← A T.
  void rotate_coordinates(const Matrix& T);
  void set_right_sides(const Vector& Q, const Vector& e);

  const Matrix& M() const { return M_; }
  const Matrix& A() const { return A_; }
  const Vector& Q() const { return Q_; }
  const Vector& e() const { return e_; }

  // Z₁(a) without its constant. `work` has n + m doubles of the calling thread.
  double value(const double* a, double w, double* work) const;
  // ½ QᵀM⁻¹Q, which makes `value` the Z₁ of the source; nothing when M is singular.
  std::optional<double> constant();

  // The exact minimiser. False when M + 2w AᵀA is not positive definite.
  bool minimise(double w, Vector& a);
  // Z₁(10w) / Z₁(w) at the minimisers: 10 for contradictory rows, 1 for consistent ones. Needs M positive definite.
  std::optional<double> growth(double w);
  // How many motions have neither mass nor constraint; 0: the acceleration is unique. Allocates unless it is 0.
  int undetermined_motions(const linalg::RankPolicy& policy);

 private:
  Matrix M_, A_;
  Vector Q_, e_;
  Matrix H_;
  Eigen::LLT<Matrix> cholesky_;
  Vector x_, work_;
};

}  // namespace mortise::gauss
