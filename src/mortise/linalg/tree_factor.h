// Factors of the mass matrix of a tree, M* = F Fᵀ, each with F⁻¹ and F⁻ᵀ by one sweep:
//
//     articulated   O(n): leaves to roots, with D_j = H_jᵀI_jH_j = L Lᵀ and V_j = I_jH_jL⁻ᵀ,
//                       I_p += X_jᵀ(I_j − V_jV_jᵀ)X_j;      y_j = L⁻¹(τ_j − H_jᵀp_j),   p_p += X_jᵀ(p_j + V_jy_j) (F⁻¹)
//                       η_j = L⁻ᵀ(y_j − V_jᵀX_jw_p),   w_j = X_jw_p + H_jη_j (F⁻ᵀ)
//     branches      the same for each part of the tree by itself (TreeShape::part): F Fᵀ is then M* without the blocks
//                   that couple two parts, which have the rank of the rates in the trunk: a preconditioner
//     sparse        M* itself, row by row only where one body is an ancestor of the other, as LᵀD L without fill
//     identity      F = 1
//
// A factor keeps all it needs: it stays that of the instant it was made at.
// Source: the recursion is Featherstone's articulated-body algorithm with the factor made visible (Rodriguez; Jain);
// LᵀDL: Featherstone, Rigid Body Dynamics Algorithms, §8.5; specs/nasa-3-natural-partitioning.md §2.7.
// Cost: articulated about 300 (hinge) to 900 (ball) multiply-adds a body, a sweep 50 to 100; sparse Σ depth².
#pragma once

#include <memory>
#include <span>

#include "mortise/linalg/tree_mass.h"

namespace mortise::linalg {

class TreeFactor {
 public:
  virtual ~TreeFactor() = default;
  // Returns the first body (from the leaves) whose joint moves nothing that has mass, −1 when there is none.
  virtual int factor(const TreeMass& mass, double smallest_pivot) = 0;
  virtual void whiten(const double* tau, double* y) = 0;    // y = F⁻¹τ
  virtual void unwhiten(const double* y, double* eta) = 0;  // η = F⁻ᵀy
  // The same for τ that is zero but on `bodies`: they are in descending order, with all their ancestors. Other y are
  // zero and are not written. `work` is the caller's, 6 a body of the tree: several threads may do this.
  virtual void whiten_path(std::span<const int> bodies, const double* tau, double* y,
                           std::vector<Vector6>& work) const = 0;
};

std::unique_ptr<TreeFactor> make_articulated_factor(const TreeShape& shape, bool branches_apart = false);
std::unique_ptr<TreeFactor> make_sparse_tree_factor(const TreeShape& shape);
std::unique_ptr<TreeFactor> make_identity_factor(const TreeShape& shape);

// Numbers that the sparse factor would keep.
std::size_t sparse_tree_size(const TreeShape& shape);

}  // namespace mortise::linalg
