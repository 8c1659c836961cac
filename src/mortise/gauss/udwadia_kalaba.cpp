#include "mortise/gauss/udwadia_kalaba.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "mortise/gauss/dense_factor.h"
#include "mortise/gauss/reuse.h"
#include "mortise/linalg/householder_cod.h"
#include "mortise/linalg/pseudoinverse.h"

namespace mortise::gauss {

namespace {

class UdwadiaKalabaFactor final : public Factor {
 public:
  UdwadiaKalabaFactor(const Pattern& pattern, int reuse, bool compensate)
      : rows_(pattern), reuse_(reuse), compensate_(compensate && reuse > 1) {
    D_.resize(pattern.n(), pattern.m());
    if (compensate_) D_now_.resize(pattern.n(), pattern.m());
    reuse_.reserve(index(pattern.m()));
    w_.setZero(pattern.n());
    y_.setZero(pattern.n());
    for (Vector* v : {&e_, &mu_, &sb_, &gap_, &mu_now_}) v->setZero(pattern.m());
  }

  void step_accepted() override { reuse_.step_accepted(); }
  void forget() override { reuse_.forget(); }

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
    factor_flops_.add(rows_.flops());
    old_ = !reuse_.due(problem.active);
    if (!old_) {
      decompose(D_, policy, problem.violation);
      reuse_.refreshed(problem.active);
    } else if (compensate_) {
      decompose(D_now_, policy, problem.violation);
    }
    rank_ = (old_ && compensate_ ? D_now_ : D_).rank();
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
    if (old_ && compensate_) {
      rows_.multiply(w_.data(), gap_.data());
      gap_ = sb_ - gap_;
      D_now_.solve(as_span(gap_), as_span(y_), as_span(mu_now_));
      w_ += y_;
      mu_ += mu_now_;
    }
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
  void decompose(linalg::CompleteOrthogonal& D, const linalg::RankPolicy& policy, double violation) {
    D.clear();
    for (const auto& block : rows_.blocks()) {
      const double* Y = rows_.values() + block.offset;
      for (int i = 0; i < block.rows; ++i, Y += block.size) {
        double* column = D.column(block.row + i) + block.begin;
        for (int k = 0; k < block.size; ++k) column[k] += Y[k];
      }
    }
    D.factor(policy, violation);
    factor_flops_.add(D.flops());
  }

  // Verdicts from the fates of the rows and the right-hand side e; overwrites μ. An old inverse alone cannot tell a
  // contradiction from its own age, and names none.
  void judge(double scale, GaussSolution& solution) {
    linalg::CompleteOrthogonal& D = old_ && compensate_ ? D_now_ : D_;
    const auto fates = D.fates();
    const int m = rows_.m();
    double bound = std::numeric_limits<double>::infinity();
    if (rank_.rank < m && (!old_ || compensate_)) {
      bound = policy_.inconsistency(violation_, rank_.smallest_kept, scale);
      D.contradiction(as_span(e_), as_span(mu_));
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
  linalg::CompleteOrthogonal D_, D_now_;  // to be reused, and to make up for its age
  Reuse reuse_;
  bool compensate_, old_ = false;
  linalg::Rank rank_;
  linalg::RankPolicy policy_;
  double violation_ = 0;
  Vector w_, y_, e_, mu_, sb_, gap_, mu_now_;
  bool ready_ = false;
};

// With the pseudoinverse written out: w = w_f + D⁺(e − D w_f), μ = −(D⁺)ᵀD⁺(e − D w_f).
class PseudoinverseFactor final : public DenseFactor {
 public:
  PseudoinverseFactor(const Pattern& pattern, const std::string& name, int reuse, bool compensate)
      : DenseFactor(pattern, Form::whitened),
        inverse_(linalg::make_pseudoinverse(name)),
        reuse_(reuse),
        compensate_(compensate && reuse > 1) {
    P_.setZero(pattern.n(), pattern.m());
    if (compensate_) P_now_.setZero(pattern.n(), pattern.m());
    y_.setZero(pattern.n());
    gap_.setZero(pattern.m());
    reuse_.reserve(index(pattern.m()));
    inverse_->invert(A_, {}, 0, P_);  // takes its memory here, and not in the middle of a run
  }

  void step_accepted() override { reuse_.step_accepted(); }
  void forget() override { reuse_.forget(); }

 private:
  bool decompose() override {
    old_ = !reuse_.due(active_rows());
    if (!old_ || compensate_) {
      inverse_->invert(A_, policy_, violation_, old_ ? P_now_ : P_);
      factor_flops_.add(inverse_->flops());
    } else {
      // An old inverse cannot tell a contradiction from its own age.
      std::fill(fate_.begin(), fate_.end(), Fate::kept);
    }
    if (!old_) reuse_.refreshed(active_rows());
    rank_ = inverse_->rank();
    return true;
  }
  void resolve(const Vector& w_f, const Vector& e, Vector& w, Vector& mu) override {
    w = w_f;
    mu.setZero();
    approach(P_, e, w, mu);
    if (old_ && compensate_) approach(P_now_, e, w, mu);
  }
  void approach(const Matrix& P, const Vector& e, Vector& w, Vector& mu) {
    gap_ = e;
    gap_.noalias() -= A_ * w;
    y_.noalias() = P * gap_;
    w += y_;
    mu.noalias() -= P.transpose() * y_;
    solve_flops_.product(3 * n(), m(), 1);
  }

  std::unique_ptr<linalg::Pseudoinverse> inverse_;
  Reuse reuse_;
  bool compensate_, old_ = false;
  Matrix P_, P_now_;
  Vector y_, gap_;
};

}  // namespace

UdwadiaKalaba::UdwadiaKalaba(const FormulationSettings& settings)
    : pseudoinverse_(settings.pseudoinverse), reuse_(settings.reuse), compensate_(settings.compensate_by_projection) {
  if (pseudoinverse_ == "cod") pseudoinverse_.clear();
  if (!pseudoinverse_.empty()) linalg::make_pseudoinverse(pseudoinverse_);
}

Capabilities UdwadiaKalaba::can() const {
  Capabilities c;
  c.pseudoinverse = true;
  c.redundant_rows = true;
  c.gives_rank = true;
  c.remembers = reuse_ > 1;
  c.stale = reuse_ > 1 && !compensate_;
  return c;
}

std::unique_ptr<Factor> UdwadiaKalaba::prepare(const Pattern& pattern) const {
  if (!pseudoinverse_.empty())
    return std::make_unique<PseudoinverseFactor>(pattern, pseudoinverse_, reuse_, compensate_);
  return std::make_unique<UdwadiaKalabaFactor>(pattern, reuse_, compensate_);
}

}  // namespace mortise::gauss
