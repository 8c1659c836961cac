#include "mortise/gauss/udwadia_kalaba.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mortise/gauss/dense_factor.h"
#include "mortise/linalg/householder_cod.h"
#include "mortise/linalg/pseudoinverse.h"

namespace mortise::gauss {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

class UdwadiaKalabaFactor final : public Factor {
 public:
  explicit UdwadiaKalabaFactor(const Pattern& pattern) : rows_(pattern) {
    D_.resize(pattern.n(), pattern.m());
    w_.setZero(pattern.n());
    y_.setZero(pattern.n());
    for (Vector* v : {&e_, &mu_, &sb_}) v->setZero(pattern.m());
  }

  bool factor(const GaussProblem& problem, const linalg::RankPolicy& policy) override {
    refusal_.kind = Refusal::Kind::none;
    refusal_.block = -1;
    ready_ = false;
    factor_flops_.clear();
    solve_flops_.clear();
    if (const int block = rows_.factor(problem, policy); block >= 0) {
      refusal_.kind = Refusal::Kind::singular_mass;
      refusal_.block = block;
      return false;
    }
    D_.clear();
    for (const auto& block : rows_.blocks()) {
      const double* Y = rows_.values() + block.offset;
      for (int i = 0; i < block.rows; ++i, Y += block.size) {
        double* column = D_.column(block.row + i) + block.begin;
        for (int k = 0; k < block.size; ++k) column[k] += Y[k];
      }
    }
    D_.factor(policy, problem.violation);
    factor_flops_.add(rows_.flops() + D_.flops());
    rank_ = D_.rank();
    rank_.rows = rows_.active_rows();
    policy_ = policy;
    violation_ = problem.violation;
    return ready_ = true;
  }

  void solve(ConstSpan Q, ConstSpan b, GaussSolution& solution) override {
    if (!ready_) throw std::logic_error("udwadia-kalaba: solve without a factorisation");
    const int n = rows_.n(), m = rows_.m();
    solution.a.resize(n);
    solution.lambda.resize(m);
    solution.verdicts.resize(index(m));
    solution.rank = rank_;
    solve_flops_.clear();
    solve_flops_.add(4.0 * n * rank_.rank + 2.0 * rank_.rank * rank_.rank);
    for (const auto& block : rows_.blocks()) solve_flops_.add(4.0 * block.rows * block.size);

    rows_.whiten(Q.data(), w_.data());
    rows_.multiply(w_.data(), e_.data());
    double scale = 0;
    for (int i = 0; i < m; ++i) {
      sb_[i] = rows_.active(i) ? rows_.scale(i) * b[index(i)] : 0;
      scale = std::max({scale, std::abs(sb_[i]), std::abs(e_[i])});
      e_[i] = sb_[i] - e_[i];
    }
    D_.solve(as_span(e_), as_span(y_), as_span(mu_));
    w_ += y_;
    rows_.unwhiten(w_.data(), solution.a.data());
    for (int i = 0; i < m; ++i) solution.lambda[i] = -rows_.scale(i) * mu_[i];

    judge(scale, solution);
    rows_.multiply(w_.data(), e_.data());
    solution.residual = 0;
    for (int i = 0; i < m; ++i) solution.residual = std::max(solution.residual, std::abs(e_[i] - sb_[i]));
  }

  Vector dependency(int row) const override {
    Vector c = D_.dependency(row);
    for (int k = 0; k < rows_.m(); ++k)
      if (c[k] != 0) c[k] *= rows_.scale(k) / rows_.scale(row);
    return c;
  }

 private:
  // Verdicts from the fates of the rows and the right-hand side e; overwrites μ.
  void judge(double scale, GaussSolution& solution) {
    const auto fates = D_.fates();
    const int m = rows_.m();
    double bound = 0;
    if (rank_.rank < m) {
      bound = policy_.inconsistency(violation_, rank_.smallest_kept, scale);
      D_.contradiction(as_span(e_), as_span(mu_));
    }
    for (int i = 0; i < m; ++i) {
      RowVerdict& verdict = solution.verdicts[index(i)];
      if (!rows_.active(i))
        verdict = RowVerdict::inactive;
      else if (fates[index(i)] == linalg::RowFate::kept)
        verdict = RowVerdict::independent;
      else if (std::abs(mu_[i]) > bound)
        verdict = RowVerdict::conflicting;
      else
        verdict = fates[index(i)] == linalg::RowFate::vanished ? RowVerdict::vanished : RowVerdict::redundant;
    }
  }

  WhitenedRows rows_;
  linalg::CompleteOrthogonal D_;
  linalg::Rank rank_;
  linalg::RankPolicy policy_;
  double violation_ = 0;
  Vector w_, y_, e_, mu_, sb_;
  bool ready_ = false;
};

// With the pseudoinverse written out: w = w_f + D⁺(e − D w_f), μ = −(D⁺)ᵀD⁺(e − D w_f).
class PseudoinverseFactor final : public DenseFactor {
 public:
  PseudoinverseFactor(const Pattern& pattern, const std::string& name)
      : DenseFactor(pattern, Form::whitened), inverse_(linalg::make_pseudoinverse(name)) {
    P_.setZero(pattern.n(), pattern.m());
    y_.setZero(pattern.n());
    gap_.setZero(pattern.m());
  }

 private:
  bool decompose() override {
    inverse_->invert(A_, policy_, violation_, P_);
    factor_flops_.add(inverse_->flops());
    rank_ = inverse_->rank();
    return true;
  }
  void resolve(const Vector& w_f, const Vector& e, Vector& w, Vector& mu) override {
    gap_ = e;
    gap_.noalias() -= A_ * w_f;
    y_.noalias() = P_ * gap_;
    w = w_f + y_;
    mu.noalias() = -P_.transpose() * y_;
    solve_flops_.product(3 * n(), m(), 1);
  }

  std::unique_ptr<linalg::Pseudoinverse> inverse_;
  Matrix P_;
  Vector y_, gap_;
};

}  // namespace

UdwadiaKalaba::UdwadiaKalaba(const FormulationSettings& settings) : pseudoinverse_(settings.pseudoinverse) {
  if (pseudoinverse_ == "cod") pseudoinverse_.clear();
  if (!pseudoinverse_.empty()) linalg::make_pseudoinverse(pseudoinverse_);
}

Capabilities UdwadiaKalaba::can() const {
  Capabilities c;
  c.pseudoinverse = true;
  c.redundant_rows = true;
  c.gives_rank = true;
  return c;
}

std::unique_ptr<Factor> UdwadiaKalaba::prepare(const Pattern& pattern) const {
  if (!pseudoinverse_.empty()) return std::make_unique<PseudoinverseFactor>(pattern, pseudoinverse_);
  return std::make_unique<UdwadiaKalabaFactor>(pattern);
}

}  // namespace mortise::gauss
