// Rows of a problem on a tree, whitened by a factor M* ≈ F Fᵀ: what closes its loops and drives it.
//
//     Y = diag(s) A F⁻ᵀ,    a = F⁻ᵀw:        Y w = s∘b,    w ← w + Y⁺(s∘b − Y w),     λ = s∘μ with Yᵀμ = w_f − w
//
// A row of Y is found by one sweep along the paths from its bodies to their roots. Rows that share no path share no
// column of Y: each such cluster is a small dense matrix of its own, decomposed by CompleteOrthogonal, which decides on
// its rank. Two vehicles side by side are two clusters, a vehicle with four suspensions is one.
//
// Source: specs/nasa-3-natural-partitioning.md §2.8 (a), (G M*⁻¹Gᵀ)⁻¹ without squaring G; formulations.md §3.
// Cost: a sweep of the path a row, then O(m_c² n_c) for a cluster of m_c rows over n_c rates.
#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "mortise/gauss/problem.h"
#include "mortise/linalg/householder_cod.h"
#include "mortise/linalg/tree_factor.h"

namespace mortise::gauss {

class TreeRows {
 public:
  TreeRows(const Pattern& pattern, const linalg::TreeShape& shape);

  void factor(const GaussProblem& problem, const linalg::TreeFactor& mass, const linalg::RankPolicy& policy);
  bool empty() const { return clusters_.empty(); }
  const linalg::Rank& rank() const { return rank_; }

  // w ← the nearest one with Y w = s∘b (or as near to that as can be); λ from the way it took; what was found of the
  // rows and what is left.
  void impose(ConstSpan b, Vector& w, GaussSolution& solution);
  // w ← w − Y⁺Y w
  void project(Vector& w);
  // λ with Yᵀμ = rest, the shortest.
  void multipliers(const Vector& rest, Vector& lambda);
  // Rows held softly, (diag(κ) + A M*⁻¹Aᵀ) λ = r: serves `solve_soft` alone. False where κ drowns in rounding.
  bool factor_soft(const GaussProblem& problem, const linalg::TreeFactor& mass, ConstSpan kappa);
  void solve_soft(ConstSpan r, Span lambda);

  // How the given row follows from kept ones; as Factor::dependency.
  Vector dependency(int row) const;

 private:
  struct Group {  // rows of one item: they have the same path
    int row, rows;
    std::vector<int> bodies;  // from the leaves
    std::vector<int> blocks;  // of Pattern::A
  };
  struct Cluster {
    std::vector<int> rows, rates;  // of the problem
    std::vector<Group> groups;
    linalg::CompleteOrthogonal D;
    Matrix Y;  // by rows of the problem, transposed: rates × rows
    Matrix S;  // diag(s²κ) + YᵀY, where rows are held softly
    Eigen::LLT<Matrix> soft;
    Vector w, y, e, mu;
  };

  void take_rows(const GaussProblem& problem);
  template <class Work>
  void for_each_cluster(const Work& work);
  void whiten_rows(Cluster& cluster, const GaussProblem& problem, const linalg::TreeFactor& mass);
  void factor_cluster(Cluster& cluster, const GaussProblem& problem, const linalg::TreeFactor& mass,
                      const linalg::RankPolicy& policy);
  void impose_on(Cluster& cluster, ConstSpan b, Vector& w, GaussSolution& solution) const;

  const Pattern& pattern_;
  std::vector<Cluster> clusters_;
  std::vector<int> cluster_of_;  // of each row
  std::vector<int> local_rate_;  // of each rate in its cluster
  std::vector<double> scale_;
  std::vector<unsigned char> active_;
  std::vector<linalg::Vector6> sweep_;
  Vector tau_, y_;
  linalg::RankPolicy policy_;
  linalg::Rank rank_;
  double violation_ = 0;
  int active_rows_ = 0;
};

}  // namespace mortise::gauss
