// What the formulations for dense matrices share: copies of M and A, scaling of rows, what is said of the solution. A
// formulation then is its formula: `decompose` once, `resolve` for each right-hand side.
//
// The rows are scaled by s = Pattern::row_scale, so that rank does not depend on units; rows that are off are zero.
//   plain       M a + Aᵀμ = Q,  A a = e         with  A ← diag(s) A C⁻¹,  M ← C⁻¹M C⁻¹,  a ← C a,  Q ← C⁻¹Q,  λ = s∘μ
//   whitened    the same with  M = I:           a ← Lᵀa,  Q ← L⁻¹Q,  A ← diag(s) A L⁻ᵀ  (gauss/whitened_rows.h)
// Those which need M positive definite take the whitened form and never see M; those which do not, the plain one. There
// C is diagonal, C_j = max(√M_jj, |A_j|): coordinates with mass are weighed by it, those without by what holds them,
// and ranks do not depend on units in this form either. Neither a nor the shortest μ is changed by C.
//   unscaled    plain with C = I, for formulations whose rows come with a description in the coordinates themselves
//
// Meant for comparison and for problems of up to some hundred coordinates: O(n²) memory, O(n³) time.
#pragma once

#include <optional>

#include "mortise/gauss/formulation.h"
#include "mortise/gauss/whitened_rows.h"

namespace mortise::gauss {

class DenseFactor : public Factor {
 public:
  enum class Form { plain, whitened, unscaled };

  bool factor(const GaussProblem& problem, const linalg::RankPolicy& policy) final;
  void solve(ConstSpan Q, ConstSpan b, GaussSolution& solution) final;

 protected:
  DenseFactor(const Pattern& pattern, Form form);

  // Works on M_ and A_; sets rank_ and, where it knows them, the fates of the rows. False: the case is refused, and
  // refusal_ says why.
  virtual bool decompose() = 0;
  // a and μ for the right-hand sides Q and e. Where μ is not unique: the shortest.
  virtual void resolve(const Vector& Q, const Vector& e, Vector& a, Vector& mu) = 0;

  enum class Fate : unsigned char { unknown, kept, dropped, vanished };
  int n() const { return static_cast<int>(A_.cols()); }
  int m() const { return static_cast<int>(A_.rows()); }
  const Pattern& pattern() const { return *pattern_; }  // of the problem being factored
  bool active(int row) const { return active_[static_cast<std::size_t>(row)] != 0; }
  const std::vector<unsigned char>& active_rows() const { return active_; }
  // Y = M X, not for the whitened form, block by block; counts its operations in `flops`.
  void mass_times(const Eigen::Ref<const Matrix>& X, Eigen::Ref<Matrix> Y, linalg::Flops& flops) const;
  // For matrices that show squares of the singular values of A: the same decision by RankPolicy::squared_cut.
  linalg::RankPolicy squared_policy(int size) const;
  // For matrices whose rank is a question of mass and no longer of rows: only rounding counts as zero.
  linalg::RankPolicy mass_policy(int size) const;
  // Refuses: so many motions have neither mass nor constraint.
  bool refuse_not_unique(int missing);

  const LocalRows* local_ = nullptr;  // of the problem being factored, valid in `decompose`
  Matrix M_;                          // n×n; whitened: empty, it is the identity
  Matrix A_;                          // m×n, scaled
  linalg::RankPolicy policy_;
  double violation_ = 0;
  linalg::Rank rank_;
  std::vector<Fate> fate_;  // reset to unknown before `decompose`
  // How much more a dropped row asks for than the kept ones give it; set by `resolve` where fates are known.
  Vector excess_;

 private:
  void judge(double scale, GaussSolution& solution);
  void scale_columns();

  Form form_;
  const Pattern* pattern_ = nullptr;
  std::optional<WhitenedRows> rows_;
  std::vector<double> scale_;
  std::vector<unsigned char> active_;
  std::vector<unsigned char> diagonal_;  // of the mass blocks
  Vector column_;                        // C
  Vector Q_, e_, w_, mu_, residual_;
  int active_rows_ = 0;
  bool ready_ = false;
};

}  // namespace mortise::gauss
