#include "mortise/gauss/problem.h"

#include "mortise/gauss/local_rows.h"
#include "mortise/linalg/tree_mass.h"

namespace mortise::gauss {

int Pattern::append_block(int row, int row_count, int block) {
  A.push_back({row, row_count, block, A_size});
  A_size += row_count * columns.size(block);
  return static_cast<int>(A.size()) - 1;
}

void Pattern::layout_mass() {
  M_offset.assign(static_cast<std::size_t>(columns.count()), 0);
  M_size = 0;
  for (int k = 0; k < columns.count(); ++k) {
    M_offset[static_cast<std::size_t>(k)] = M_size;
    M_size += columns.size(k) * columns.size(k);
  }
}

void GaussProblem::resize(const Pattern& p) {
  pattern = &p;
  M.setZero(p.M_size);
  mass_stamp = 0;
  A.setZero(p.A_size);
  Q.setZero(p.n());
  b.setZero(p.m());
  active.assign(static_cast<std::size_t>(p.m()), 1);
  violation = 0;
  local = nullptr;
}

void GaussProblem::multiply_A(ConstSpan x, Span y) const {
  as_vector(y).setZero();
  for (const RowBlock& e : pattern->A) {
    const int size = pattern->columns.size(e.block);
    const double* value = A.data() + e.offset;
    const double* column = x.data() + pattern->columns.begin(e.block);
    for (int i = 0; i < e.rows; ++i, value += size)
      for (int k = 0; k < size; ++k) y[static_cast<std::size_t>(e.row + i)] += value[k] * column[k];
  }
  for (std::size_t i = 0; i < active.size(); ++i)
    if (!active[i]) y[i] = 0;
}

void GaussProblem::multiply_At(ConstSpan lambda, Span y) const {
  as_vector(y).setZero();
  for (const RowBlock& e : pattern->A) {
    const int size = pattern->columns.size(e.block);
    const double* value = A.data() + e.offset;
    double* column = y.data() + pattern->columns.begin(e.block);
    for (int i = 0; i < e.rows; ++i, value += size) {
      const std::size_t row = static_cast<std::size_t>(e.row + i);
      if (!active[row]) continue;
      for (int k = 0; k < size; ++k) column[k] += value[k] * lambda[row];
    }
  }
}

void GaussProblem::multiply_M(ConstSpan x, Span y) const {
  if (local && local->tree) return local->tree->multiply(x.data(), y.data());
  for (int block = 0; block < pattern->columns.count(); ++block) {
    const int size = pattern->columns.size(block), begin = pattern->columns.begin(block);
    const double* value = M.data() + pattern->M_offset[static_cast<std::size_t>(block)];
    for (int i = 0; i < size; ++i, value += size) {
      double sum = 0;
      for (int k = 0; k < size; ++k) sum += value[k] * x[static_cast<std::size_t>(begin + k)];
      y[static_cast<std::size_t>(begin + i)] = sum;
    }
  }
}

Matrix GaussProblem::dense_M() const {
  Matrix out = Matrix::Zero(pattern->n(), pattern->n());
  if (local && local->tree) {
    Vector x = Vector::Zero(pattern->n());
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      x[k] = 1;
      local->tree->multiply(x.data(), out.col(k).data());
      x[k] = 0;
    }
    return out;
  }
  for (int block = 0; block < pattern->columns.count(); ++block) {
    const int size = pattern->columns.size(block), begin = pattern->columns.begin(block);
    const double* value = M.data() + pattern->M_offset[static_cast<std::size_t>(block)];
    for (int i = 0; i < size; ++i)
      for (int k = 0; k < size; ++k) out(begin + i, begin + k) = value[i * size + k];
  }
  return out;
}

Matrix GaussProblem::dense_A() const {
  Matrix out = Matrix::Zero(pattern->m(), pattern->n());
  for (const RowBlock& e : pattern->A) {
    const int size = pattern->columns.size(e.block), begin = pattern->columns.begin(e.block);
    for (int i = 0; i < e.rows; ++i)
      if (active[static_cast<std::size_t>(e.row + i)])
        for (int k = 0; k < size; ++k) out(e.row + i, begin + k) += A[e.offset + i * size + k];
  }
  return out;
}

void GaussSolution::resize(const Pattern& p) {
  a.setZero(p.n());
  lambda.setZero(p.m());
  rank = {};
  residual = 0;
  verdicts.assign(static_cast<std::size_t>(p.m()), RowVerdict::independent);
}

}  // namespace mortise::gauss
