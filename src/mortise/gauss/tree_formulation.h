// Accelerations of a system of bodies on a tree: M* a + Aᵀλ = Q, A a = b with M* = AₜᵀM Aₜ that is never formed.
//
//     recursion             M* = F Fᵀ by the articulated recursion: a_f = F⁻ᵀF⁻¹Q, then the rows (tree_rows.h)
//     conjugate-gradients   M* only in products, F Fᵀ ≈ M* a preconditioner: in w = Fᵀa, on the w with Y w = s∘b,
//                               r ← P F⁻¹(Q − M*a),   α = rᵀr / pᵀF⁻¹M*F⁻ᵀp,   P = 1 − Y⁺Y
//                           and λ from what is left in the end. Its sums are taken in the order of the rates.
//     factor                M* = LᵀD L along the tree, then as for the recursion
//
// Preconditioners: none (F = 1), branches (each part of the tree by itself: with a trunk of f rates, 2 f + 1 steps at
// most, however long the branches are), lagged (an M* of some time ago, taken anew when it wants too many steps).
//
// The problem comes with its tree: GaussProblem::local->tree; nothing of M is read.
// Source: specs/nasa-3-natural-partitioning.md §2.5-§2.8, §3.3 (the Schur complement of the arrow-head system is
// M* a = Q; products body by body). Cost: recursion and products O(bodies); factor Σ depth².
#pragma once

#include <atomic>
#include <memory>

#include "mortise/gauss/soft_factor.h"
#include "mortise/linalg/tree_mass.h"

namespace mortise::gauss {

enum class TreeMethod : unsigned char { recursion, conjugate_gradients, factor };
enum class TreePreconditioner : unsigned char { none, branches, lagged };

struct TreeMethodSettings {
  TreeMethod method = TreeMethod::recursion;
  TreePreconditioner preconditioner = TreePreconditioner::branches;
  double tolerance = 1e-10;       // of conjugate gradients: |r| / |r| of a = 0
  int most_steps_of_lagged = 12;  // then it is taken anew
};

// What the factors of one formulation have done.
struct TreeCounters {
  std::atomic<long> solves{0}, steps{0}, most{0}, refreshed{0};
};

class TreeFormulation final : public Formulation {
 public:
  TreeFormulation(const linalg::TreeShape& shape, TreeMethodSettings settings);

  std::string name() const override;
  Capabilities can() const override;
  std::unique_ptr<Factor> prepare(const Pattern& pattern) const override { return prepare_soft(pattern); }
  // The same factor, for rows held softly, too. With conjugate gradients A M*⁻¹Aᵀ is that of the recursion; all that is
  // divided by masses is by conjugate gradients.
  std::unique_ptr<SoftFactor> prepare_soft(const Pattern& pattern) const;

  const TreeCounters& counters() const { return *counters_; }

 private:
  const linalg::TreeShape& shape_;
  TreeMethodSettings settings_;
  std::shared_ptr<TreeCounters> counters_;
};

}  // namespace mortise::gauss
