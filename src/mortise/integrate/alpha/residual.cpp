#include "mortise/integrate/alpha/residual.h"

#include <cmath>

namespace mortise::integrate {

Residual::Residual(const System& system) : system_(system), scratch_(system.make_scratch()) {
  evaluation_.resize(system.pattern());
  pull_.setZero(system.v_size());
  z_.setZero(system.feedback_size());
}

void Residual::at(const State& state, ConstSpan a, Vector& r) {
  system_.evaluate(state, need_dynamics, *scratch_, evaluation_);
  gauss::GaussProblem& p = evaluation_.problem;
  if (p.C.size() > 0) p.Q += p.C;
  if (z_.size() > 0) {
    system_.feedback(state, a, as_span(state.lambda), *scratch_, evaluation_, as_span(z_));
    system_.add_feedback(state, as_span(z_), need_dynamics, *scratch_, evaluation_);
  }
  p.multiply_M(a, as_span(r));
  p.multiply_At(as_span(state.lambda), as_span(pull_));
  r += pull_ - p.Q;
  if (!std::isfinite(r.sum() + evaluation_.phi.sum() + evaluation_.phidot.sum()))
    throw SolveError(system_.blame_non_finite(state));
}

void Residual::rows_at(const State& state) {
  system_.evaluate(state, need_constraints, *scratch_, evaluation_);
  if (!std::isfinite(evaluation_.phi.sum() + evaluation_.phidot.sum()))
    throw SolveError(system_.blame_non_finite(state));
}

}  // namespace mortise::integrate
