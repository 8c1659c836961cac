#include "mortise/integrate/trapezoidal/feedback_multipliers.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace mortise::integrate {

namespace {

// S = V diag(s) Vᵀ by cyclic rotations (Jacobi 1846; Golub and Van Loan §8.5); S becomes diagonal. Allocates nothing.
void diagonalise(Matrix& S, Matrix& V) {
  constexpr int most_sweeps = 30;
  const Eigen::Index n = S.rows();
  V.setIdentity();
  const double negligible = 1e-18 * S.norm();
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double largest = 0;
    for (Eigen::Index p = 0; p < n; ++p)
      for (Eigen::Index q = p + 1; q < n; ++q) {
        const double off = S(p, q);
        largest = std::max(largest, std::abs(off));
        if (!(std::abs(off) > negligible)) continue;
        const double cot = (S(q, q) - S(p, p)) / (2 * off);
        const double tan = (cot < 0 ? -1 : 1) / (std::abs(cot) + std::sqrt(cot * cot + 1));
        const double c = 1 / std::sqrt(tan * tan + 1), s = tan * c;
        for (Eigen::Index k = 0; k < n; ++k) {
          const double x = S(k, p), y = S(k, q), v = V(k, p), w = V(k, q);
          S(k, p) = c * x - s * y, S(k, q) = s * x + c * y;
          V(k, p) = c * v - s * w, V(k, q) = s * v + c * w;
        }
        for (Eigen::Index k = 0; k < n; ++k) {
          const double x = S(p, k), y = S(q, k);
          S(p, k) = c * x - s * y, S(q, k) = s * x + c * y;
        }
      }
    if (!(largest > negligible)) break;
  }
}

}  // namespace

FeedbackMultipliers::FeedbackMultipliers(const gauss::Pattern& pattern, const FeedbackSettings& settings,
                                         const linalg::RankPolicy& policy)
    : pattern_(pattern), settings_(settings), policy_(policy), mass_(pattern) {
  const int m = pattern.m();
  scale_.assign(index(m), 1);
  std::size_t widest = 0;
  for (const gauss::RowBlock& e : pattern.A)
    widest = std::max(widest, index(e.rows) * index(pattern.columns.size(e.block)));
  block_.assign(widest, 0);
  on_.reserve(index(m));
  Y_.setZero(m, pattern.n());
  S_.setZero(m, m);
  modes_.setZero(m, m);
  eigenvalues_.setZero(m);
  for (Vector* v : {&lambda_, &phi_, &integral_, &Aw_, &Aa_, &reduced_, &amplitudes_}) v->setZero(m);
  work_.setZero(pattern.n());
}

void FeedbackMultipliers::begin(const Settled& at, ConstSpan lambda) {
  lambda_ = as_vector(lambda);
  phi_ = at.at.phi;
  integral_.setZero();
}

void FeedbackMultipliers::switch_rows(const Settled& at) {
  phi_ = at.at.phi;
  for (int i = 0; i < pattern_.m(); ++i)
    if (!at.at.problem.active[index(i)]) lambda_[i] = integral_[i] = 0;
}

// S of the rows that are on, and its eigenvalues.
bool FeedbackMultipliers::decompose(const gauss::GaussProblem& p) {
  if (const int block = mass_.factor(p, policy_); block >= 0) {
    refusal_ = {gauss::Refusal::Kind::singular_mass, block, {}, 0, 0};
    return false;
  }
  on_.clear();
  for (int i = 0; i < pattern_.m(); ++i) {
    const bool on = p.active[index(i)] != 0;
    scale_[index(i)] = on ? (pattern_.row_scale.empty() ? 1 : pattern_.row_scale[index(i)]) : 0;
    if (on) on_.push_back(i);
  }
  Y_.setZero();
  for (const gauss::RowBlock& e : pattern_.A) {
    const int size = pattern_.columns.size(e.block), begin = pattern_.columns.begin(e.block);
    mass_.whiten_rows(e.block, p.A.data() + e.offset, scale_.data() + e.row, e.rows, block_.data());
    for (int i = 0; i < e.rows; ++i)
      for (int k = 0; k < size; ++k) Y_(e.row + i, begin + k) += block_[index(i * size + k)];
  }
  const auto count = static_cast<Eigen::Index>(on_.size());
  if (S_.rows() != count) {
    S_.resize(count, count);
    modes_.resize(count, count);
    eigenvalues_.resize(count);
  }
  for (Eigen::Index j = 0; j < count; ++j)
    for (Eigen::Index i = j; i < count; ++i) S_(i, j) = S_(j, i) = Y_.row(on_[index(i)]).dot(Y_.row(on_[index(j)]));
  if (count == 0) return true;
  diagonalise(S_, modes_);
  eigenvalues_ = S_.diagonal();
  const double smallest = eigenvalues_.minCoeff(), largest = eigenvalues_.maxCoeff();
  reciprocal_condition_ = largest > 0 ? smallest / largest : 0;
  if (reciprocal_condition_ >= singular) return true;
  refusal_ = {gauss::Refusal::Kind::dependent_rows, -1, {}, 0, std::max(0.0, reciprocal_condition_)};
  // All rows that take part in a combination that vanishes.
  for (Eigen::Index i = 0; i < count; ++i)
    for (Eigen::Index k = 0; k < count; ++k)
      if (eigenvalues_[k] < singular * largest &&
          std::abs(modes_(i, k)) > 0.1 * modes_.col(k).lpNorm<Eigen::Infinity>()) {
        refusal_.rows.push_back(on_[index(i)]);
        break;
      }
  return false;
}

bool FeedbackMultipliers::solve(const Trial& trial) {
  const gauss::GaussProblem& p = trial.at.problem;
  if (!decompose(p)) return false;
  const double delta = trial.delta, alpha = settings_.alpha, beta2 = settings_.beta * settings_.beta,
               gamma = settings_.gamma;
  const bool implicit = settings_.scheme == FeedbackScheme::implicit_;
  p.multiply_A(as_span(trial.free_a), as_span(Aa_));
  p.multiply_A(as_span(trial.free_v), as_span(Aw_));
  p.multiply_A(as_span(trial.back), as_span(lambda_));  // A (h_q − q_p), until λ is known
  const auto count = static_cast<Eigen::Index>(on_.size());
  for (Eigen::Index k = 0; k < count; ++k) {
    const int i = on_[index(k)];
    const bool holonomic = pattern_.rows[index(i)].kind != gauss::RowKind::nonholonomic;
    const double exact = Aa_[i] - p.b[i], phi = trial.at.phi[i], rate = trial.at.phidot[i];
    const double ahead = Aw_[i] + trial.at.c_t[i];
    double r = 0;
    if (holonomic && settings_.scheme == FeedbackScheme::integral)
      r = (ahead + 2 * gamma * phi + gamma * gamma * (integral_[i] + gained(delta, phi_[i], phi))) / delta;
    else if (holonomic && implicit)
      r = (exact + 2 * alpha * ahead + beta2 * (phi + lambda_[i] + delta * Aw_[i])) /
          (1 + 2 * alpha * delta + beta2 * delta * delta);
    else if (holonomic)
      r = exact + 2 * alpha * rate + beta2 * phi;
    else if (implicit)
      r = (exact + gamma * ahead) / (1 + gamma * delta);
    else
      r = exact + gamma * rate;
    reduced_[k] = scale_[index(i)] * r;
  }
  lambda_.setZero();
  if (count == 0) return true;
  amplitudes_.head(count).noalias() = modes_.transpose() * reduced_.head(count);
  amplitudes_.head(count).array() /= eigenvalues_.array();
  reduced_.head(count).noalias() = modes_ * amplitudes_.head(count);
  for (Eigen::Index k = 0; k < count; ++k) lambda_[on_[index(k)]] = scale_[index(on_[index(k)])] * reduced_[k];
  return true;
}

// ∫φ dt of a step, by the formula.
double FeedbackMultipliers::gained(double delta, double before, double after) const {
  return delta * (memory_of(settings_.formula) * before + after);
}

void FeedbackMultipliers::accept(const Settled& at) {
  for (Eigen::Index i = 0; i < phi_.size(); ++i) integral_[i] += gained(at.delta, phi_[i], at.at.phi[i]);
  phi_ = at.at.phi;
}

void FeedbackMultipliers::save(Memory& memory, const std::string& name) const {
  const auto m = index(pattern_.m());
  const Span slot = memory.slot(name, 3 * m);
  const Vector* parts[] = {&lambda_, &phi_, &integral_};
  for (std::size_t k = 0; k < 3; ++k) as_vector(slot.subspan(k * m, m)) = *parts[k];
}

void FeedbackMultipliers::load(const Memory& memory, const std::string& name) {
  const auto m = index(pattern_.m());
  const ConstSpan slot = memory.read(name);
  if (slot.size() != 3 * m) throw std::invalid_argument("the checkpoint does not fit the multipliers of this model");
  Vector* parts[] = {&lambda_, &phi_, &integral_};
  for (std::size_t k = 0; k < 3; ++k) *parts[k] = as_vector(slot.subspan(k * m, m));
}

}  // namespace mortise::integrate
