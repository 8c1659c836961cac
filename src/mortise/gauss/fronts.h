// Rank, dependencies and free motions of the rows of a mechanism, loop by loop: no matrix larger than a front.
//
// The rows, scaled to a length of one in columns scaled to a typical speed of one, are eliminated body by body along a
// tree decomposition of the joint graph (graph/elimination.h). The front of body k has the rows that name k and no body
// before it, and the rows that its children hand on; its columns are those of k and of its separator, F = [F₁ F₂].
//
//   1. Rows of F that depend on the others are found by pivoted QR of Fᵀ, with singular values where the gap is narrow,
//      and RankPolicy decides. Rows are taken joint by joint, those with a long ancestry last, and of each dependency
//      tᵀF = 0 the row that was taken last is dropped: what is handed on comes from few joints, and the next dependency
//      is as local as the mechanism allows.
//   2. F₁ P = U R: r pivots settle the motion of k, x_k = R⁻¹(y − Uᵀ F₂ x_s); columns without a pivot are free motions.
//   3. Wᵀ F₂ with Wᵀ F₁ = 0, W orthonormal, is handed to the parent.
//
// Steps 2 and 3 are orthogonal, so errors add and do not multiply. A dependency is traced back through the W of the
// children to the rows of the mechanism; those found together are then brought to echelon form, each with a row of its
// own that takes part in no other of them and in none found later: the row that is *named*. Leave all named rows out
// and the rest is independent, of the same rank.
//
// Cost: O(Σ c³) over the fronts' columns c, O(bodies) for a mechanism of small loops; tracing: the rows that take part.
#pragma once

#include <Eigen/QR>
#include <vector>

#include "mortise/gauss/problem.h"
#include "mortise/graph/elimination.h"

namespace mortise::gauss {

// Σ coefficients · rows = 0: a left null vector of A.
struct Dependency {
  int row = 0;            // the named one
  std::vector<int> rows;  // ascending; a single one vanishes at this pose
  Vector coefficients;    // of the rows of A as they are; of scaled rows the largest is 1
  Vector scaled;          // the same for scaled rows: shares without units
  int group = 0;          // those of one group were found together
};

class Fronts {
 public:
  // `column_size`: a typical speed of each column, `row_size`: of each row (Pattern::velocity_size).
  Fronts(const Pattern& pattern, const Vector& column_size, const std::vector<double>& row_size);

  // Uses A, active and violation of the problem.
  void factor(const GaussProblem& problem, const linalg::RankPolicy& policy);

  const linalg::Rank& rank() const { return rank_; }  // pivots are those of the fronts
  int degrees_of_freedom() const { return n_ - rank_.rank; }
  const std::vector<Dependency>& dependencies() const { return dependencies_; }
  int width() const { return elimination_.width; }  // bodies in the largest separator
  int largest_front() const { return largest_; }    // columns
  double row_scale(int row) const { return scale_[static_cast<std::size_t>(row)]; }

  // x with A x = right on all rows but the named ones, which agree if they can; the coordinates that are free stay 0.
  Vector solve(const Vector& right) const;
  // Free motion k of `degrees_of_freedom()`: A x = 0. Bodies behind the one it begins with stand still.
  Vector motion(int k) const;

 private:
  struct Source {   // of a row in a front
    int child;      // position of the front that handed it on; −1: a row of the mechanism
    int row;        // there
    double weight;  // rows of the mechanism behind it
    int turn;       // when it was taken: what comes last is dropped first
  };
  struct Front {
    std::vector<int> bodies;    // the front's own first, then its separator
    std::vector<int> children;  // positions
    std::vector<Source> rows;   // those that were kept
    Matrix U, W;                // kept × r, kept × handed on
    Matrix R;                   // r × own columns, permuted back: R x_k + S x_s = Uᵀ y
    Matrix S;                   // r × columns of the separator
    Matrix handed;              // handed on × columns of the separator
    std::vector<int> pivots;    // own columns with a pivot, in their order
    std::vector<int> free;      // own columns without
    int own = 0, others = 0;    // columns
    double weight = 0;          // rows of the mechanism behind what is handed on
  };
  struct Entry {
    int block, offset;
  };

  void eliminate(int position, const GaussProblem& problem);
  int decide(const Matrix& F, const Eigen::ColPivHouseholderQR<Matrix>& qr);  // the rank
  bool independent(const Matrix& F);
  void compress(Matrix& F, std::vector<Source>& rows);
  void trace(const std::vector<Source>& rows, const Vector& t, Dependency& out);
  void separate(std::size_t begin, const std::vector<int>& dropped);
  void resolve(const Front& front, const Vector& y, Vector& x) const;
  int column(const Front& front, int block) const;

  const Pattern& pattern_;
  Vector column_size_;
  std::vector<double> row_size_;
  int n_ = 0;
  graph::Elimination elimination_;
  std::vector<std::vector<Entry>> entries_;   // of each row
  std::vector<std::vector<int>> front_rows_;  // of each position: rows of the mechanism
  std::vector<int> joint_;                    // of each row: the first row of its joint
  std::vector<int> row_front_;                // position
  std::vector<Front> fronts_;                 // by position
  std::vector<double> scale_;
  std::vector<Dependency> dependencies_;
  std::vector<int> named_;                 // row → its dependency, −1
  std::vector<std::pair<int, int>> free_;  // (position, which of `free`)
  std::vector<double> trace_;              // scratch of `trace`
  linalg::Rank rank_;
  linalg::RankPolicy policy_;
  double violation_ = 0;
  int largest_ = 0, groups_ = 0;
};

}  // namespace mortise::gauss
