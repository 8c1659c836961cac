#include "mortise/gauss/tree_formulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mortise/error.h"
#include "mortise/gauss/local_rows.h"
#include "mortise/gauss/tree_rows.h"

namespace mortise::gauss {

namespace {

class TreeSolver : public SoftFactor {
 public:
  TreeSolver(const Pattern& pattern, const linalg::TreeShape& shape, std::unique_ptr<linalg::TreeFactor> mass)
      : shape_(shape), mass_(std::move(mass)), rows_(pattern, shape), w_(Vector::Zero(pattern.n())) {}

  bool factor(const GaussProblem& problem, const linalg::RankPolicy& policy) override {
    if (!factor_mass(problem, policy)) return false;
    rows_.factor(problem, *mass_, policy);
    return true;
  }

  void solve(ConstSpan Q, ConstSpan b, GaussSolution& solution) override {
    mass_->whiten(Q.data(), w_.data());
    rows_.impose(b, w_, solution);
    mass_->unwhiten(w_.data(), solution.a.data());
  }

  bool factor_soft(const GaussProblem& problem, const linalg::RankPolicy& policy, ConstSpan kappa) override {
    if (!factor_mass(problem, policy)) return false;
    if (rows_.factor_soft(problem, exact(problem, policy), kappa)) return true;
    refusal_.kind = Refusal::Kind::dependent_rows;  // κ below the rounding of S
    return false;
  }
  void solve_soft(ConstSpan r, Span lambda) override { rows_.solve_soft(r, lambda); }

  bool factor_mass(const GaussProblem& problem, const linalg::RankPolicy& policy) override {
    refusal_ = {};
    if (!mass_is_of_tree(problem)) throw std::logic_error("a problem without its tree");
    return take_mass(*problem.local->tree, policy);
  }
  void divide_by_mass(ConstSpan x, Span y) override {
    mass_->whiten(x.data(), w_.data());
    mass_->unwhiten(w_.data(), y.data());
  }

  Vector dependency(int row) const override { return rows_.dependency(row); }

 protected:
  // The factor that is M* itself.
  virtual const linalg::TreeFactor& exact(const GaussProblem&, const linalg::RankPolicy&) { return *mass_; }
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

// Sums are those of pieces, in their order, whoever added them up: the same bits for any number of threads. Threads
// take part where vectors are long.
constexpr std::size_t piece = 8192, long_vector = 4 * piece;

// Of one piece: four running sums, which do not depend on how vectors lie in memory.
double dot_of_piece(const double* x, const double* y, std::size_t n) {
  double sum[4] = {};
  const std::size_t whole = n - n % 4;
  for (std::size_t k = 0; k < whole; k += 4)
    for (std::size_t l = 0; l < 4; ++l) sum[l] += x[k + l] * y[k + l];
  for (std::size_t k = whole; k < n; ++k) sum[0] += x[k] * y[k];
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

template <class Work>
void for_each_piece(std::size_t n, const Work& work) {
  const auto part = [n, &work](std::size_t k) { work(k, k * piece, std::min(n, (k + 1) * piece)); };
  const std::size_t pieces = (n + piece - 1) / piece;
  if (n < long_vector)
    for (std::size_t k = 0; k < pieces; ++k) part(k);
  else
    linalg::for_each_task(pieces, part);
}

class Gradients final : public TreeSolver {
 public:
  Gradients(const Pattern& pattern, const linalg::TreeShape& shape, std::unique_ptr<linalg::TreeFactor> mass,
            const TreeMethodSettings& settings, std::shared_ptr<TreeCounters> counters)
      : TreeSolver(pattern, shape, std::move(mass)),
        settings_(settings),
        counters_(std::move(counters)),
        now_(shape),
        sums_(index(pattern.n()) / piece + 1) {
    for (Vector* x : {&p_, &r_, &v_, &x_, &load_}) x->setZero(pattern.n());
  }

  void forget() override { old_ = true; }

  void solve(ConstSpan Q, ConstSpan b, GaussSolution& solution) override {
    mass_->whiten(Q.data(), w_.data());
    const double whole = std::sqrt(dot(w_, w_));
    rows_.impose(b, w_, solution);
    held_ = !rows_.empty();
    descend(Q, std::max(whole, std::sqrt(dot(w_, w_))));
    mass_->unwhiten(w_.data(), solution.a.data());
    if (!held_) return;
    now_.multiply(solution.a.data(), v_.data());
    for (Eigen::Index k = 0; k < v_.size(); ++k) v_[k] = Q[index(k)] - v_[k];
    mass_->whiten(v_.data(), r_.data());
    rows_.multipliers(r_, solution.lambda);
  }

  void divide_by_mass(ConstSpan x, Span y) override {
    load_ = as_vector(x);
    mass_->whiten(load_.data(), w_.data());
    held_ = false;
    descend(as_span(static_cast<const Vector&>(load_)), std::sqrt(dot(w_, w_)));
    mass_->unwhiten(w_.data(), y.data());
  }

 private:
  double dot(const Vector& x, const Vector& y) {
    const auto part = [this, &x, &y](std::size_t k, std::size_t begin, std::size_t end) {
      sums_[k] = dot_of_piece(x.data() + begin, y.data() + begin, end - begin);
    };
    for_each_piece(index(x.size()), part);
    double sum = 0;
    for (std::size_t k = 0; k * piece < index(x.size()); ++k) sum += sums_[k];
    return sum;
  }

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

  const linalg::TreeFactor& exact(const GaussProblem& problem, const linalg::RankPolicy& policy) override {
    if (!exact_) exact_ = linalg::make_articulated_factor(shape_);
    exact_->factor(*problem.local->tree, policy.mass);
    return *exact_;
  }

  // From w on until |r| is small against `size`.
  void descend(ConstSpan Q, double size) {
    residual(Q);
    double square = dot(r_, r_);
    const double wanted = settings_.tolerance * size;
    p_ = r_;
    const long most = 10 + 5 * static_cast<long>(w_.size());
    long steps = 0;
    while (!(std::sqrt(square) <= wanted)) {
      if (steps == most) fail(std::sqrt(square) / wanted * settings_.tolerance, steps);
      operate(p_, v_);
      const double curvature = dot(p_, v_);
      const double alpha = square / curvature;
      const auto advance = [this, alpha](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
          const auto i = static_cast<Eigen::Index>(k);
          w_[i] += alpha * p_[i];
          r_[i] -= alpha * v_[i];
        }
      };
      for_each_piece(index(w_.size()), advance);
      const double next = dot(r_, r_), share = next / square;
      const auto turn = [this, share](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
          const auto i = static_cast<Eigen::Index>(k);
          p_[i] = r_[i] + share * p_[i];
        }
      };
      for_each_piece(index(p_.size()), turn);
      square = next;
      ++steps;
      if (!std::isfinite(square)) fail(square, steps);
    }
    last_steps_ = steps;
    ++counters_->solves;
    counters_->steps += steps;
    long most_so_far = counters_->most;
    while (most_so_far < steps && !counters_->most.compare_exchange_weak(most_so_far, steps)) {
    }
  }

  // r = P F⁻¹(Q − M*F⁻ᵀw)
  void residual(ConstSpan Q) {
    mass_->unwhiten(w_.data(), x_.data());
    now_.multiply(x_.data(), v_.data());
    for (Eigen::Index k = 0; k < v_.size(); ++k) v_[k] = Q[index(k)] - v_[k];
    mass_->whiten(v_.data(), r_.data());
    if (held_) rows_.project(r_);
  }
  // to = P F⁻¹M*F⁻ᵀ from
  void operate(const Vector& from, Vector& to) {
    mass_->unwhiten(from.data(), x_.data());
    now_.multiply(x_.data(), to.data());
    x_ = to;
    mass_->whiten(x_.data(), to.data());
    if (held_) rows_.project(to);
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
  std::unique_ptr<linalg::TreeFactor> exact_;  // only where rows are held softly
  Vector p_, r_, v_, x_, load_;
  std::vector<double> sums_;
  long last_steps_ = 0;
  bool old_ = true, held_ = false;
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

std::unique_ptr<SoftFactor> TreeFormulation::prepare_soft(const Pattern& pattern) const {
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
