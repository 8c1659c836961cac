#include "mortise/integrate/trapezoidal/implicit_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mortise/error.h"
#include "mortise/integrate/trapezoidal/feedback_multipliers.h"
#include "mortise/system/measure.h"

namespace mortise::integrate {

namespace {

constexpr double finest_share = 1e-6;
constexpr std::size_t own_numbers = 6;

// Of the automatic ε: what ε leaves of a row is a share of what the step itself misses. The trapezoidal rule damps no
// ringing: below about a hundredth of δ²S it grows in the end, so that share is all there is, and it falls with h² as
// the error of the rule does. Backward Euler damps it: with correctors ε may be as small as the tolerance asks, as long
// as the matrix keeps half of its digits.
double share_of(ImplicitFormula formula, const Settings& settings) {
  const ImplicitSettings& own = settings.implicit;
  if (formula == ImplicitFormula::trapezoidal || own.correctors == 0) return own.share;
  return std::clamp(settings.tolerance, std::min(finest_share, own.share), own.share);
}

std::unique_ptr<ImplicitMultipliers> make_multipliers(const gauss::Pattern& pattern, ImplicitFormula formula,
                                                      const Settings& settings, const linalg::RankPolicy& policy) {
  const ImplicitSettings& own = settings.implicit;
  const auto soft = [&](SoftScheme scheme) {
    return std::make_unique<SoftMultipliers>(
        pattern, SoftSettings{scheme, formula, own.epsilon, share_of(formula, settings), settings.step}, policy);
  };
  const auto feedback = [&](FeedbackScheme scheme) {
    return std::make_unique<FeedbackMultipliers>(
        pattern, FeedbackSettings{scheme, formula, own.alpha, own.beta, own.gamma}, policy);
  };
  if (own.scheme == "anchored-iterated") return soft(SoftScheme::anchored_iterated);
  if (own.scheme == "anchored") return soft(SoftScheme::anchored);
  if (own.scheme == "history") return soft(SoftScheme::history);
  if (own.scheme == "baumgarte-explicit") return feedback(FeedbackScheme::explicit_);
  if (own.scheme == "baumgarte-implicit") return feedback(FeedbackScheme::implicit_);
  if (own.scheme == "baumgarte-integral") return feedback(FeedbackScheme::integral);
  throw std::invalid_argument(fmt::format("unknown scheme '{}' of an implicit step; there are {}", own.scheme,
                                          fmt::join(implicit_schemes(), ", ")));
}

}  // namespace

const std::vector<std::string>& implicit_schemes() {
  static const std::vector<std::string> all{"anchored-iterated",  "anchored",           "history",
                                            "baumgarte-implicit", "baumgarte-explicit", "baumgarte-integral"};
  return all;
}

ImplicitStep::ImplicitStep(const System& system, ImplicitFormula formula, const Settings& settings,
                           const linalg::RankPolicy& policy)
    : system_(system),
      scheme_(settings.implicit.scheme),
      correctors_(settings.implicit.correctors),
      tolerance_(settings.tolerance),
      policy_(policy),
      coordinates_(system, formula),
      multipliers_(make_multipliers(system.pattern(), formula, settings, policy)),
      scratch_(system.make_scratch()) {
  const gauss::Pattern& pattern = system.pattern();
  evaluation_.resize(pattern);
  state_.q.setZero(system.q_size());
  state_.v.setZero(system.v_size());
  state_.lambda.setZero(pattern.m());
  state_.work.setZero(work_count);
  f_.setZero(pattern.n());
  Q_.setZero(pattern.n());
  for (Vector* z : {&z_, &z_next_, &z_scale_}) z->setZero(system.feedback_size());
  if (z_.size() > 0) system.feedback_sizes(as_span(z_scale_));
}

void ImplicitStep::evaluate(double t, ConstSpan q, ConstSpan v) {
  state_.t = t;
  state_.q = as_vector(q);
  state_.v = as_vector(v);
  ++evaluations_;
  system_.evaluate(state_, need_dynamics, *scratch_, evaluation_);
  gauss::GaussProblem& p = evaluation_.problem;
  if (p.C.size() > 0) p.Q += p.C;
  if (!std::isfinite(p.Q.sum() + p.b.sum() + evaluation_.phi.sum() + evaluation_.phidot.sum()))
    throw SolveError(system_.blame_non_finite(state_));
}

void ImplicitStep::begin(const State& state, ConstSpan a, ConstSpan lambda) {
  state_.active = state.active;
  state_.inputs = state.inputs;
  t_ = state.t;
  coordinates_.begin(as_span(state.q), as_span(state.v), a);
  evaluate(t_, as_span(state.q), as_span(state.v));
  multipliers_->begin({evaluation_, coordinates_.a(), 0}, lambda);
}

void ImplicitStep::switch_rows(const std::vector<unsigned char>& active) {
  state_.active = active;
  evaluate(t_, as_span(coordinates_.q()), as_span(coordinates_.v()));
  multipliers_->switch_rows({evaluation_, coordinates_.a(), 0});
}

void ImplicitStep::move(const State& state, ConstSpan a) {
  coordinates_.begin(as_span(state.q), as_span(state.v), a);
  evaluate(t_, as_span(state.q), as_span(state.v));
  multipliers_->switch_rows({evaluation_, coordinates_.a(), 0});
}

void ImplicitStep::solve_trial(double t) {
  const gauss::GaussProblem& p = evaluation_.problem;
  if (const int block = coordinates_.divide(p, policy_, as_span(p.Q)); block >= 0)
    refuse(t, {gauss::Refusal::Kind::singular_mass, block, {}, 0, 0});
  const bool solved = multipliers_->solve({evaluation_, coordinates_.free_acceleration(), coordinates_.free_velocity(),
                                           coordinates_.way_back(), coordinates_.delta()});
  if (multipliers_->reciprocal_condition() > 0)
    worst_condition_ = std::min(worst_condition_, multipliers_->reciprocal_condition());
  if (!solved) refuse(t, multipliers_->refusal());
  p.multiply_At(as_span(multipliers_->lambda()), as_span(f_));
  coordinates_.accelerate(as_span(f_));
}

// Loads that depend on multipliers and accelerations (friction in joints): repeated until they agree.
void ImplicitStep::close_loads(double t) {
  constexpr int most = 60;
  constexpr double wanted = 1e-13, rounding = 1e-10;
  Q_ = evaluation_.problem.Q;
  const double dissipated = evaluation_.power_dissipated, applied = evaluation_.power_applied;
  double before = std::numeric_limits<double>::infinity();
  for (int k = 0;; ++k) {
    evaluation_.problem.Q = Q_;
    evaluation_.power_dissipated = dissipated;
    evaluation_.power_applied = applied;
    system_.add_feedback(state_, as_span(z_), need_dynamics, *scratch_, evaluation_);
    solve_trial(t);
    system_.feedback(state_, as_span(coordinates_.trial_a()), as_span(multipliers_->lambda()), *scratch_, evaluation_,
                     as_span(z_next_));
    double gap = 0;
    for (Eigen::Index i = 0; i < z_.size(); ++i)
      gap =
          std::max(gap, std::abs(z_next_[i] - z_[i]) / std::max({std::abs(z_[i]), std::abs(z_next_[i]), z_scale_[i]}));
    z_.swap(z_next_);
    if (!std::isfinite(gap)) throw SolveError(system_.blame_non_finite(state_));
    if (gap <= wanted || (gap <= rounding && gap > 0.5 * before)) return;
    if (k == most) no_agreement(t, gap, "forces that depend on reactions");
    before = gap;
  }
}

void ImplicitStep::solve(double t_new) {
  const double t = t_new_ = t_new;
  coordinates_.predict(t_new - t_);
  const bool until_agreed = correctors_ < 0;
  double change = 0;
  for (trials_ = 1;; ++trials_) {
    evaluate(t, as_span(coordinates_.trial_q()), as_span(coordinates_.trial_v()));
    if (z_.size() > 0)
      close_loads(t);
    else
      solve_trial(t);
    change = coordinates_.correct();
    if (!std::isfinite(change)) throw SolveError(system_.blame_non_finite(state_));
    if (until_agreed ? change <= tolerance_ : trials_ > correctors_) break;
    if (trials_ == most_trials) no_agreement(t, change, "the positions");
  }
  iterations_.steps += 1;
  iterations_.total += trials_;
  iterations_.most = std::max(iterations_.most, static_cast<double>(trials_));
  iterations_.largest_change = std::max(iterations_.largest_change, change);
}

void ImplicitStep::accept() {
  coordinates_.accept();
  t_ = t_new_;
  evaluate(t_, as_span(coordinates_.q()), as_span(coordinates_.v()));
  if (z_.size() > 0) system_.add_feedback(state_, as_span(z_), need_dynamics, *scratch_, evaluation_);
  multipliers_->accept({evaluation_, coordinates_.a(), coordinates_.delta()});
}

void ImplicitStep::refuse(double t, const gauss::Refusal& why) const {
  if (why.kind == gauss::Refusal::Kind::singular_mass)
    throw SolveError(singular_mass(system_, t, why.block,
                                   "it has a motion without mass or inertia, and an implicit step divides by both"));
  SolveReport report;
  report.code = "S485";
  report.time = t;
  report.message = fmt::format("scheme {}: the rows have become dependent, and A M⁻¹Aᵀ is singular", scheme_);
  std::string rows;
  for (const int row : why.rows) rows += (rows.empty() ? "" : ", ") + system_.row_name(row);
  report.details.push_back("rows: " + rows);
  report.details.push_back(fmt::format("reciprocal condition {:.1e}, below {:.0e}: no multipliers can be trusted",
                                       why.pivot, FeedbackMultipliers::singular));
  report.advice = "scheme: anchored-iterated (stabilize: staggered), which needs no rank";
  throw SolveError(report);
}

void ImplicitStep::no_agreement(double t, double change, const char* what) const {
  SolveReport report;
  report.code = "S486";
  report.time = t;
  report.message = fmt::format("the step does not converge: {} still change after {} trials", what, most_trials);
  report.details.push_back(fmt::format("scheme {}, h = {:.3g} s; the last change is {:.1e}, the tolerance {:.1e}",
                                       scheme_, t - t_, change, tolerance_));
  report.advice =
      "a smaller step; integrator generalized-alpha or bdf for stiff springs and dampers; scheme anchored-iterated "
      "where "
      "Baumgarte's feedback outgrows the step";
  throw SolveError(report);
}

void ImplicitStep::save(Memory& memory, const std::string& prefix) const {
  coordinates_.save(memory, prefix + ".coordinates");
  multipliers_->save(memory, prefix + ".multipliers");
  const Span own = memory.slot(prefix + ".iterations", own_numbers + index(z_.size()));
  const double numbers[own_numbers] = {iterations_.steps, iterations_.total,
                                       iterations_.most,  iterations_.largest_change,
                                       worst_condition_,  static_cast<double>(evaluations_)};
  std::copy(std::begin(numbers), std::end(numbers), own.begin());
  as_vector(own.subspan(own_numbers)) = z_;
}

void ImplicitStep::load(const State& state, const Memory& memory, const std::string& prefix) {
  state_.active = state.active;
  state_.inputs = state.inputs;
  coordinates_.load(memory, prefix + ".coordinates");
  multipliers_->load(memory, prefix + ".multipliers");
  const ConstSpan own = memory.read(prefix + ".iterations");
  if (own.size() != own_numbers + index(z_.size()))
    throw std::invalid_argument("the checkpoint does not fit the implicit step of this model");
  iterations_ = {own[0], own[1], own[2], own[3]};
  worst_condition_ = own[4];
  z_ = as_vector(own.subspan(own_numbers));
  t_ = state.t;
  evaluate(t_, as_span(coordinates_.q()), as_span(coordinates_.v()));
  evaluations_ = static_cast<long>(own[5]);
}

}  // namespace mortise::integrate
