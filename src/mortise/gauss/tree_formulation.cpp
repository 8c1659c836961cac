#include "mortise/gauss/tree_formulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mortise/error.h"
#include "mortise/gauss/local_rows.h"
#include "mortise/gauss/tree_rows.h"

namespace mortise::gauss {

namespace {

class TreeSolver : public Factor {
 public:
  TreeSolver(const Pattern& pattern, const linalg::TreeShape& shape, std::unique_ptr<linalg::TreeFactor> mass)
      : shape_(shape), mass_(std::move(mass)), rows_(pattern, shape), w_(Vector::Zero(pattern.n())) {}

  bool factor(const GaussProblem& problem, const linalg::RankPolicy& policy) override {
    refusal_ = {};
    if (!problem.local || !problem.local->tree) throw std::logic_error("a problem without its tree");
    if (!take_mass(*problem.local->tree, policy)) return false;
    rows_.factor(problem, *mass_, policy);
    return true;
  }

  void solve(ConstSpan Q, ConstSpan b, GaussSolution& solution) override {
    mass_->whiten(Q.data(), w_.data());
    rows_.impose(b, w_, solution);
    mass_->unwhiten(w_.data(), solution.a.data());
  }

  Vector dependency(int row) const override { return rows_.dependency(row); }

 protected:
  virtual bool take_mass(const linalg::TreeMass& mass, const linalg::RankPolicy& policy) { return take(mass, policy); }
  bool take(const linalg::TreeMass& mass, const linalg::RankPolicy& policy) {
    const int body = mass_->factor(mass, policy.mass);
    if (body < 0) return true;
    refusal_.kind = Refusal::Kind::singular_mass;
    refusal_.block = 0;  // that of the body: those without rates have none
    for (int j = 0; j < body; ++j) refusal_.block += shape_.size(j) > 0;
    return false;
  }

  const linalg::TreeShape& shape_;
  std::unique_ptr<linalg::TreeFactor> mass_;
  TreeRows rows_;
  Vector w_;
};

// Sums that do not depend on how vectors lie in memory: four running ones, then their sum.
double dot(const Vector& x, const Vector& y) {
  double sum[4] = {};
  const Eigen::Index n = x.size(), whole = n - n % 4;
  for (Eigen::Index k = 0; k < whole; k += 4)
    for (Eigen::Index l = 0; l < 4; ++l) sum[l] += x[k + l] * y[k + l];
  for (Eigen::Index k = whole; k < n; ++k) sum[0] += x[k] * y[k];
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

class Gradients final : public TreeSolver {
 public:
  Gradients(const Pattern& pattern, const linalg::TreeShape& shape, std::unique_ptr<linalg::TreeFactor> mass,
            const TreeMethodSettings& settings, std::shared_ptr<TreeCounters> counters)
      : TreeSolver(pattern, shape, std::move(mass)), settings_(settings), counters_(std::move(counters)), now_(shape) {
    for (Vector* x : {&p_, &r_, &v_, &x_}) x->setZero(pattern.n());
  }

  void forget() override { old_ = true; }

  void solve(ConstSpan Q, ConstSpan b, GaussSolution& solution) override {
    mass_->whiten(Q.data(), w_.data());
    const double whole = std::sqrt(dot(w_, w_));
    rows_.impose(b, w_, solution);
    residual(Q);
    double square = dot(r_, r_), wanted = settings_.tolerance * std::max(whole, std::sqrt(dot(w_, w_)));
    p_ = r_;
    const long most = 10 + 5 * static_cast<long>(w_.size());
    long steps = 0;
    while (!(std::sqrt(square) <= wanted)) {
      if (steps == most) fail(std::sqrt(square) / wanted * settings_.tolerance, steps);
      operate(p_, v_);
      const double curvature = dot(p_, v_);
      const double alpha = square / curvature;
      w_ += alpha * p_;
      r_ -= alpha * v_;
      const double next = dot(r_, r_);
      p_ = r_ + next / square * p_;
      square = next;
      ++steps;
      if (!std::isfinite(square)) fail(square, steps);
    }
    mass_->unwhiten(w_.data(), solution.a.data());
    if (!rows_.empty()) {
      now_.multiply(solution.a.data(), v_.data());
      for (Eigen::Index k = 0; k < v_.size(); ++k) v_[k] = Q[index(k)] - v_[k];
      mass_->whiten(v_.data(), r_.data());
      rows_.multipliers(r_, solution.lambda);
    }
    last_steps_ = steps;
    ++counters_->solves;
    counters_->steps += steps;
    counters_->most = std::max<long>(counters_->most, steps);
  }

 private:
  bool take_mass(const linalg::TreeMass& mass, const linalg::RankPolicy& policy) override {
    now_ = mass;
    if (settings_.preconditioner == TreePreconditioner::lagged) {
      if (!old_ && last_steps_ <= settings_.most_steps_of_lagged) return true;
      ++counters_->refreshed;
      old_ = false;
      last_steps_ = 0;
    }
    return take(mass, policy);
  }

  // r = P F⁻¹(Q − M*F⁻ᵀw)
  void residual(ConstSpan Q) {
    mass_->unwhiten(w_.data(), x_.data());
    now_.multiply(x_.data(), v_.data());
    for (Eigen::Index k = 0; k < v_.size(); ++k) v_[k] = Q[index(k)] - v_[k];
    mass_->whiten(v_.data(), r_.data());
    rows_.project(r_);
  }
  // to = P F⁻¹M*F⁻ᵀ from
  void operate(const Vector& from, Vector& to) {
    mass_->unwhiten(from.data(), x_.data());
    now_.multiply(x_.data(), to.data());
    x_ = to;
    mass_->whiten(x_.data(), to.data());
    rows_.project(to);
  }

  [[noreturn]] void fail(double reached, long steps) const {
    SolveReport report;
    report.code = "S490";
    report.message =
        fmt::format("conjugate gradients stopped at {:.1e} of the right-hand side after {} steps", reached, steps);
    report.details = {fmt::format("wanted {:.1e}, {} rates", settings_.tolerance, w_.size())};
    report.advice = "accelerations: recursion; or preconditioner: branches or lagged";
    throw SolveError(std::move(report));
  }

  TreeMethodSettings settings_;
  std::shared_ptr<TreeCounters> counters_;
  linalg::TreeMass now_;
  Vector p_, r_, v_, x_;
  long last_steps_ = 0;
  bool old_ = true;
};

}  // namespace

TreeFormulation::TreeFormulation(const linalg::TreeShape& shape, TreeMethodSettings settings)
    : shape_(shape), settings_(settings), counters_(std::make_shared<TreeCounters>()) {}

std::string TreeFormulation::name() const {
  switch (settings_.method) {
    case TreeMethod::recursion:
      return "recursion";
    case TreeMethod::conjugate_gradients:
      return "conjugate-gradients";
    case TreeMethod::factor:
      break;
  }
  return "factor";
}

Capabilities TreeFormulation::can() const {
  Capabilities c;
  c.redundant_rows = true;
  c.gives_rank = true;
  c.remembers =
      settings_.method == TreeMethod::conjugate_gradients && settings_.preconditioner == TreePreconditioner::lagged;
  return c;
}

std::unique_ptr<Factor> TreeFormulation::prepare(const Pattern& pattern) const {
  const TreePreconditioner how = settings_.preconditioner;
  switch (settings_.method) {
    case TreeMethod::recursion:
      return std::make_unique<TreeSolver>(pattern, shape_, linalg::make_articulated_factor(shape_));
    case TreeMethod::factor:
      return std::make_unique<TreeSolver>(pattern, shape_, linalg::make_sparse_tree_factor(shape_));
    case TreeMethod::conjugate_gradients:
      break;
  }
  return std::make_unique<Gradients>(pattern, shape_,
                                     how == TreePreconditioner::none
                                         ? linalg::make_identity_factor(shape_)
                                         : linalg::make_articulated_factor(shape_, how == TreePreconditioner::branches),
                                     settings_, counters_);
}

}  // namespace mortise::gauss
