// Direct: the saddle system as it stands,
//
//     X [a; λ] = [Q; b],      X = [M Aᵀ; A 0],
//
// by LU with complete pivoting while X is regular, by its pseudoinverse (default: singular values) where rows depend on
// one another. M may be singular: X is regular as long as no motion lacks both mass and constraint and the rows are
// independent. With dependent rows λ is the shortest, and contradicting rows are met by least squares.
//
// Threshold. X is built from scaled blocks, [βM αAᵀ; αA 0] with both blocks of size one. To a singular value σ of A
// with mass one belong the eigenvalues (1 ± √(1 + 4σ²))/2 of X: the small one is −σ², so X shows squares, and its rank
// is decided by RankPolicy::squared_cut: σ below about 1e-7 of the largest count as zero. Blowing A up against M would
// show σ itself, and lose M in the rounding of A.
// The null space of X is null[M; A] × null Aᵀ: the diagonal of X⁺X tells both numbers apart, motions that nothing
// determines (refused: not unique) and rows too many.
//
// Source: specs/formulations.md §2 and §3 (direct), 002 eqs. (10) and (11).
// Cost: 2(n + m)³/3 and n + m pivot searches; the pseudoinverse of an (n + m)² matrix where rows are redundant.
#pragma once

#include "mortise/gauss/formulation.h"

namespace mortise::gauss {

class Direct final : public Formulation {
 public:
  explicit Direct(const FormulationSettings& settings = {});  // throws std::invalid_argument
  std::string name() const override { return "direct"; }
  Capabilities can() const override;
  std::unique_ptr<Factor> prepare(const Pattern& pattern) const override;

 private:
  std::string pseudoinverse_;
};

}  // namespace mortise::gauss
