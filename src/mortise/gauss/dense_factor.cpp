#include "mortise/gauss/dense_factor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace mortise::gauss {

DenseFactor::DenseFactor(const Pattern& p, Form form) : form_(form), scale_(index(p.m())), active_(index(p.m())) {
  A_.setZero(p.m(), p.n());
  if (form != Form::whitened) {
    M_.setZero(p.n(), p.n());
    column_.setOnes(p.n());
    diagonal_.assign(index(p.columns.count()), 0);
  } else {
    rows_.emplace(p);
  }
  for (Vector* v : {&Q_, &w_}) v->setZero(p.n());
  for (Vector* v : {&e_, &mu_, &residual_, &excess_}) v->setZero(p.m());
  fate_.assign(index(p.m()), Fate::unknown);
}

bool DenseFactor::factor(const GaussProblem& problem, const linalg::RankPolicy& policy) {
  const Pattern& p = *problem.pattern;
  pattern_ = &p;
  local_ = problem.local;
  ready_ = false;
  refusal_.kind = Refusal::Kind::none;
  refusal_.block = -1;
  refusal_.rows.clear();
  refusal_.missing = 0;
  refusal_.pivot = 0;
  factor_flops_.clear();
  solve_flops_.clear();
  policy_ = policy;
  violation_ = problem.violation;
  active_rows_ = 0;
  for (int i = 0; i < m(); ++i) {
    active_[index(i)] = problem.active[index(i)];
    active_rows_ += active_[index(i)] != 0;
    scale_[index(i)] = active_[index(i)] ? p.row_scale[index(i)] : 0;
  }
  A_.setZero();
  if (rows_) {
    if (const int block = rows_->factor(problem, policy); block >= 0) {
      refusal_.kind = Refusal::Kind::singular_mass;
      refusal_.block = block;
      return false;
    }
    factor_flops_.add(rows_->flops());
    for (const WhitenedRows::Block& e : rows_->blocks())
      for (int i = 0; i < e.rows; ++i)
        for (int k = 0; k < e.size; ++k) A_(e.row + i, e.begin + k) += rows_->values()[e.offset + i * e.size + k];
  } else {
    for (int k = 0; k < p.columns.count(); ++k) {
      const int size = p.columns.size(k), begin = p.columns.begin(k);
      const double* value = problem.M.data() + p.M_offset[index(k)];
      diagonal_[index(k)] = 1;
      for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) {
          M_(begin + i, begin + j) = value[i * size + j];
          if (i != j && value[i * size + j] != 0) diagonal_[index(k)] = 0;
        }
    }
    for (const RowBlock& e : p.A) {
      const int size = p.columns.size(e.block), begin = p.columns.begin(e.block);
      for (int i = 0; i < e.rows; ++i)
        for (int k = 0; k < size; ++k)
          A_(e.row + i, begin + k) += scale_[index(e.row + i)] * problem.A[e.offset + i * size + k];
    }
    scale_columns();
  }
  rank_ = {};
  std::fill(fate_.begin(), fate_.end(), Fate::unknown);
  if (!decompose()) return false;
  rank_.rows = active_rows_;
  return ready_ = true;
}

// The floor keeps a column of rounding errors what it is.
void DenseFactor::scale_columns() {
  constexpr double floor = 1e-6;
  if (form_ == Form::raw) {
    column_.setOnes();
    return;
  }
  for (int j = 0; j < n(); ++j) column_[j] = std::max(std::sqrt(std::max(M_(j, j), 0.0)), A_.col(j).norm());
  const double largest = n() > 0 ? column_.maxCoeff() : 0;
  if (!(largest > 0)) {
    column_.setOnes();
    return;
  }
  for (int j = 0; j < n(); ++j) {
    column_[j] = std::max(column_[j], floor * largest);
    A_.col(j) /= column_[j];
    M_.col(j) /= column_[j];
  }
  for (int j = 0; j < n(); ++j) M_.col(j).array() /= column_.array();
}

void DenseFactor::mass_times(const Eigen::Ref<const Matrix>& X, Eigen::Ref<Matrix> Y, linalg::Flops& flops) const {
  const Blocks& columns = pattern_->columns;
  for (int k = 0; k < columns.count(); ++k) {
    const int begin = columns.begin(k), size = columns.size(k);
    if (diagonal_[index(k)]) {
      for (Eigen::Index j = 0; j < X.cols(); ++j)
        for (int i = begin; i < begin + size; ++i) Y(i, j) = M_(i, i) * X(i, j);
      flops.add(static_cast<double>(size * X.cols()));
    } else {
      Y.middleRows(begin, size).noalias() = M_.block(begin, begin, size, size) * X.middleRows(begin, size);
      flops.product(size, size, static_cast<double>(X.cols()));
    }
  }
}

linalg::RankPolicy DenseFactor::squared_policy(int size) const {
  linalg::RankPolicy policy = policy_;
  policy.relative = policy_.squared_cut(1, violation_, size);
  policy.fixed = policy.per_violation = 0;
  policy.noise = policy_.noise * policy_.noise;
  return policy;
}

linalg::RankPolicy DenseFactor::mass_policy(int size) const {
  linalg::RankPolicy policy = policy_;
  policy.relative = std::max(policy_.mass, 8 * std::max(size, 1) * std::numeric_limits<double>::epsilon());
  policy.fixed = policy.per_violation = 0;
  return policy;
}

bool DenseFactor::refuse_not_unique(int missing) {
  refusal_.kind = Refusal::Kind::not_unique;
  refusal_.missing = missing;
  return false;
}

void DenseFactor::solve(ConstSpan Q, ConstSpan b, GaussSolution& solution) {
  if (!ready_) throw std::logic_error("solve without a factorisation");
  solve_flops_.clear();
  solution.a.resize(n());
  solution.lambda.resize(m());
  solution.verdicts.resize(index(m()));
  for (int i = 0; i < m(); ++i) e_[i] = active(i) ? scale_[index(i)] * b[index(i)] : 0;
  if (rows_)
    rows_->whiten(Q.data(), Q_.data());
  else
    Q_ = as_vector(Q).cwiseQuotient(column_);
  resolve(Q_, e_, w_, mu_);
  // The terms whose sum the rows ask for: near rest they cancel to nothing, and a share of nothing would be no bound.
  double scale = 0;
  for (int i = 0; i < m(); ++i) scale = std::max({scale, std::abs(e_[i]), A_.row(i).cwiseAbs().dot(w_.cwiseAbs())});
  residual_.noalias() = A_ * w_;
  residual_ -= e_;
  solution.residual = m() > 0 ? residual_.lpNorm<Eigen::Infinity>() : 0;
  if (rows_)
    rows_->unwhiten(w_.data(), solution.a.data());
  else
    solution.a = w_.cwiseQuotient(column_);
  for (int i = 0; i < m(); ++i) solution.lambda[i] = scale_[index(i)] * mu_[i];
  solution.rank = rank_;
  judge(scale, solution);
}

// A formulation that knows which rows it dropped says what they ask beyond the kept ones; the others show a
// contradiction by the rows that their compromise misses.
void DenseFactor::judge(double scale, GaussSolution& solution) {
  const double bound = policy_.inconsistency(violation_, rank_.smallest_kept, scale);
  for (int i = 0; i < m(); ++i) {
    RowVerdict& verdict = solution.verdicts[index(i)];
    const Fate fate = fate_[index(i)];
    const double off = fate == Fate::dropped ? excess_[i] : residual_[i];
    if (!active(i))
      verdict = RowVerdict::inactive;
    else if (fate != Fate::kept && std::abs(off) > bound)
      verdict = RowVerdict::conflicting;
    else if (fate == Fate::dropped)
      verdict = RowVerdict::redundant;
    else if (fate == Fate::vanished)
      verdict = RowVerdict::vanished;
    else
      verdict = RowVerdict::independent;
  }
}

}  // namespace mortise::gauss
