#include "mortise/gauss/weakest.h"

#include <algorithm>
#include <cmath>

#include "mortise/gauss/soft_factor.h"

namespace mortise::gauss {

namespace {
constexpr int weakest_turns = 20;
constexpr double weakest_settled = 1e-3;  // relative change of σ² from turn to turn
constexpr double weakest_tau = 1e-6;
}  // namespace

double weakest_singular_value(const GaussProblem& problem, const linalg::RankPolicy& policy) {
  const Pattern& pattern = *problem.pattern;
  const Eigen::Index m = pattern.m();
  if (m == 0) return 1;
  Vector scale = Vector::Ones(m), kappa(m), x(m), y(m), r(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    if (!pattern.row_scale.empty()) scale[i] = pattern.row_scale[static_cast<std::size_t>(i)];
    kappa[i] = weakest_tau / (scale[i] * scale[i]);
    // Without any pattern of its own: a ladder's vectors have one.
    x[i] = problem.active[static_cast<std::size_t>(i)] ? std::sin(12.9898 * static_cast<double>((i + 1) % 9973)) : 0;
  }
  const auto factor = make_soft_factor(pattern, problem);
  if (!factor->factor_soft(problem, policy, as_span(static_cast<const Vector&>(kappa)))) return 1;
  const auto solve = [&](const Vector& right, Vector& out) {
    r = right.cwiseQuotient(scale);
    factor->solve_soft(as_span(static_cast<const Vector&>(r)), as_span(out));
    out = out.cwiseQuotient(scale).eval();
  };
  double largest = 0;
  for (int turn = 0; turn < weakest_turns; ++turn) {
    const double size = x.norm();
    if (!(size > 0)) return 1;
    x /= size;
    solve(x, y);
    Vector seen = x - weakest_tau * y;
    solve(seen, y);
    const double before = largest;
    largest = x.dot(y);
    x = y;
    if (std::abs(largest - before) <= weakest_settled * largest) break;
  }
  if (!(largest > 0) || !std::isfinite(largest)) return 1;
  // σ²/(σ² + τ)² is the eigenvalue.
  const double twice = 2 * weakest_tau * largest,
               square = (1 - twice + std::sqrt(std::max(0.0, 1 - 2 * twice))) / (2 * largest);
  return std::clamp(std::sqrt(std::max(0.0, square)), std::sqrt(weakest_tau), 1.0);
}

}  // namespace mortise::gauss
