// M* = LᵀD L with the sparsity that branches bring; see tree_factor.h.
//
// Row k holds the entries of rate k with its own ancestors, roots first, then its diagonal: the rows of ancestors are
// beginnings of it, so elimination is a subtraction of one run of numbers from another and there is no fill.
#include <cmath>

#include "mortise/linalg/tree_factor.h"

namespace mortise::linalg {

namespace {

using Eigen::Vector3d;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

// XᵀI X column by column, then row by row.
void carry_inertia(Carry carry, const Vector3d& r, Matrix6& I) {
  for (int k = 0; k < 6; ++k) I.col(k) = carry_up(carry, r, I.col(k));
  for (int k = 0; k < 6; ++k) I.row(k) = carry_up(carry, r, I.row(k).transpose()).transpose();
}

class SparseTree final : public TreeFactor {
 public:
  explicit SparseTree(const TreeShape& shape) : shape_(shape), composite_(index(shape.bodies())) {
    std::size_t size = 0;
    for (int j = 0; j < shape.bodies(); ++j)
      for (int k = 0; k < shape.size(j); ++k) {
        int before = k > 0 ? shape.begin(j) + k - 1 : -1;
        for (int p = shape.parent(j); before < 0 && p >= 0; p = shape.parent(p))
          if (shape.size(p) > 0) before = shape.begin(p) + shape.size(p) - 1;
        before_.push_back(before);
        level_.push_back(before < 0 ? 0 : level_[index(before)] + 1);
        row_.push_back(size);
        size += index(level_.back()) + 1;
      }
    values_.assign(size, 0);
    root_.assign(index(shape.rates()), 0);
  }

  int factor(const TreeMass& mass, double smallest_pivot) override {
    assemble(mass);
    int flaw = -1;
    for (int k = shape_.rates(); k-- > 0;) {
      double* row = values_.data() + row_[index(k)];
      const double pivot = row[level_[index(k)]];
      if (!(pivot > smallest_pivot * root_[index(k)])) {
        if (flaw < 0) flaw = shape_.body_of(k);
        root_[index(k)] = 0;
        continue;
      }
      root_[index(k)] = 1 / std::sqrt(pivot);
      for (int i = before_[index(k)]; i >= 0; i = before_[index(i)]) {
        const int level = level_[index(i)];
        const double share = row[level] / pivot;
        double* other = values_.data() + row_[index(i)];
        for (int l = 0; l <= level; ++l) other[l] -= share * row[l];
        row[level] = share;  // those before are read as they were
      }
    }
    return flaw;
  }

  void whiten(const double* tau, double* y) override {
    for (int k = 0; k < shape_.rates(); ++k) y[k] = tau[k];
    for (int k = shape_.rates(); k-- > 0;) whiten_rate(k, y);
  }
  void unwhiten(const double* y, double* eta) override {
    for (int k = 0; k < shape_.rates(); ++k) {
      const double* row = values_.data() + row_[index(k)];
      double sum = y[k] * root_[index(k)];
      for (int i = before_[index(k)]; i >= 0; i = before_[index(i)]) sum -= row[level_[index(i)]] * eta[i];
      eta[k] = sum;
    }
  }
  void whiten_path(std::span<const int> bodies, const double* tau, double* y, std::vector<Vector6>&) const override {
    for (const int j : bodies)
      for (int k = shape_.begin(j); k < shape_.begin(j) + shape_.size(j); ++k) y[k] = tau[k];
    for (const int j : bodies)
      for (int k = shape_.begin(j) + shape_.size(j); k-- > shape_.begin(j);) whiten_rate(k, y);
  }

 private:
  void whiten_rate(int k, double* y) const {
    const double* row = values_.data() + row_[index(k)];
    for (int i = before_[index(k)]; i >= 0; i = before_[index(i)]) y[i] -= row[level_[index(i)]] * y[k];
    y[k] *= root_[index(k)];
  }

  // M*_ki = h_kᵀI_jX…h_i with the inertia of all that hangs on j; root_: its diagonal.
  void assemble(const TreeMass& mass) {
    for (int j = shape_.bodies(); j-- > 0;) {
      const TreeLink& link = mass.link(j);
      Matrix6& I = composite_[index(j)];
      I.setZero();
      I.diagonal().head<3>().setConstant(link.mass);
      I.bottomRightCorner<3, 3>() = link.J;
      for (int c = shape_.first_child(j); c >= 0; c = shape_.next_sibling(c)) I += composite_[index(c)];
      for (int k = shape_.begin(j); k < shape_.begin(j) + shape_.size(j); ++k) {
        double* row = values_.data() + row_[index(k)];
        Vector6 force = I * Eigen::Map<const Vector6>(mass.H(j) + 6 * (k - shape_.begin(j)));
        int at = j;
        for (int i = k; i >= 0; i = before_[index(i)]) {
          for (; at != shape_.body_of(i); at = shape_.parent(at))
            force = carry_up(shape_.carry(at), mass.link(at).r, force);
          row[level_[index(i)]] = force.dot(Eigen::Map<const Vector6>(mass.H(at) + 6 * (i - shape_.begin(at))));
        }
        root_[index(k)] = row[level_[index(k)]];
      }
      if (shape_.parent(j) >= 0) carry_inertia(shape_.carry(j), link.r, I);
    }
  }

  const TreeShape& shape_;
  std::vector<Matrix6> composite_;   // on the parent
  std::vector<int> before_, level_;  // the last rate that moves rate k from below, −1: none; how many do
  std::vector<std::size_t> row_;
  std::vector<double> values_;
  std::vector<double> root_;  // diagonal, then 1 / √D
};

}  // namespace

std::unique_ptr<TreeFactor> make_sparse_tree_factor(const TreeShape& shape) {
  return std::make_unique<SparseTree>(shape);
}

std::size_t sparse_tree_size(const TreeShape& shape) {
  std::size_t sum = 0;
  std::vector<std::size_t> depth(index(shape.bodies()));
  for (int j = 0; j < shape.bodies(); ++j) {
    const std::size_t above = shape.parent(j) < 0 ? 0 : depth[index(shape.parent(j))], own = index(shape.size(j));
    depth[index(j)] = above + own;
    sum += own * above + own * (own + 1) / 2;
  }
  return sum;
}

}  // namespace mortise::linalg
