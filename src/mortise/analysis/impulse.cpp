#include "mortise/analysis/impulse.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "mortise/system/measure.h"

namespace mortise::analysis {

ImpulseSolver::ImpulseSolver(const System& system, const linalg::RankPolicy& policy)
    : system_(system), policy_(policy), factor_(gauss::make_formulation("auto")->prepare(system.pattern())) {
  problem_.resize(system.pattern());
  solution_.resize(system.pattern());
}

// The solution for given normal impulses of the contacts that slide.
void ImpulseSolver::respond(const Vector& push, const std::vector<UnilateralRow>& rows,
                            const std::vector<int>& sliding) {
  Vector Q = momentum_;
  for (std::size_t k = 0; k < sliding.size(); ++k) {
    const auto contact = static_cast<std::size_t>(sliding[k]);
    Q -= rows[contact].sliding * push[static_cast<Eigen::Index>(k)] * directions_[contact];
  }
  factor_->solve(as_span(Q), as_span(right_), solution_);
}

// Solves for the rows that are on now.
void ImpulseSolver::attempt(double t, const Evaluation& e, const std::vector<unsigned char>& on,
                            const std::vector<UnilateralRow>& rows) {
  problem_.active = on;
  right_ = -e.c_t;
  std::vector<int> sliding;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const UnilateralRow& u = rows[k];
    problem_.active[static_cast<std::size_t>(u.row)] = u.on;
    right_[u.row] += u.target;
    for (const int tangent : u.tangents) problem_.active[static_cast<std::size_t>(tangent)] = u.on && !u.slides;
    if (u.on && u.slides) sliding.push_back(static_cast<int>(k));
  }
  if (!factor_->factor(problem_, policy_))
    throw SolveError(singular_mass(system_, t, factor_->refusal().block, "an impulse divides by mass and inertia"));
  const auto count = static_cast<Eigen::Index>(sliding.size());
  Vector push = Vector::Zero(count);
  respond(push, rows, sliding);
  if (count == 0) return;
  const auto normal = [&] {
    Vector p(count);
    for (Eigen::Index k = 0; k < count; ++k)
      p[k] = -solution_.lambda[rows[static_cast<std::size_t>(sliding[static_cast<std::size_t>(k)])].row];
    return p;
  };
  const Vector start = normal();
  Eigen::MatrixXd system = Eigen::MatrixXd::Identity(count, count);  // of p = start + J p
  for (Eigen::Index k = 0; k < count; ++k) {
    push.setZero();
    push[k] = 1;
    respond(push, rows, sliding);
    system.col(k) -= normal() - start;
  }
  push = system.partialPivLu().solve(start);
  respond(push, rows, sliding);
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto contact = static_cast<std::size_t>(sliding[static_cast<std::size_t>(k)]);
    const UnilateralRow& u = rows[contact];
    for (std::size_t j = 0; j < u.tangents.size(); ++j)
      solution_.lambda[u.tangents[j]] = u.sliding * push[k] * along_[contact][static_cast<Eigen::Index>(j)];
  }
}

Impulse ImpulseSolver::solve(double t, const Vector& v, const Evaluation& e, const std::vector<unsigned char>& on,
                             std::vector<UnilateralRow>& rows) {
  const gauss::Pattern& pattern = system_.pattern();
  problem_.M = e.problem.M;
  problem_.A = e.problem.A;
  momentum_.setZero(pattern.n());
  problem_.multiply_M(as_span(v), as_span(momentum_));
  directions_.assign(rows.size(), Vector::Zero(pattern.n()));
  along_.assign(rows.size(), Vector());
  for (UnilateralRow& u : rows) u.on = true, u.slides = u.jams = false;

  problem_.active.assign(problem_.active.size(), 1);
  Vector speed(pattern.m());
  const auto speeds = [&](const Vector& velocity) {
    std::vector<unsigned char> kept(problem_.active.size(), 1);
    kept.swap(problem_.active);
    problem_.multiply_A(as_span(velocity), as_span(speed));
    kept.swap(problem_.active);
    speed += e.c_t;
  };
  // Of a contact that sticks in the solution at hand.
  const auto friction = [&](const UnilateralRow& u) {
    Vector d(static_cast<Eigen::Index>(u.tangents.size()));
    for (std::size_t j = 0; j < u.tangents.size(); ++j)
      d[static_cast<Eigen::Index>(j)] = solution_.lambda[u.tangents[j]];
    return d;
  };
  const auto beyond_cone = [&](const UnilateralRow& u) {
    return friction(u).norm() > u.sticking * -solution_.lambda[u.row] * (1 + 1e-12);
  };
  // In the direction of the friction that sticking would need.
  const auto slide = [&](std::size_t k, UnilateralRow& u) {
    along_[k] = friction(u).normalized();
    Vector lambda = Vector::Zero(pattern.m());
    for (std::size_t j = 0; j < u.tangents.size(); ++j) lambda[u.tangents[j]] = along_[k][static_cast<Eigen::Index>(j)];
    std::vector<unsigned char> kept(problem_.active.size(), 1);
    kept.swap(problem_.active);
    problem_.multiply_At(as_span(lambda), as_span(directions_[k]));
    kept.swap(problem_.active);
    u.slides = true;
  };
  const int most = 50 + 20 * static_cast<int>(rows.size());
  for (int turn = 0;; ++turn) {
    if (turn == most) {
      SolveReport report;
      report.code = "S465";
      report.time = t;
      report.message = fmt::format("{} contacts and stops meet at once, and no impulse fits all of them", rows.size());
      for (const UnilateralRow& u : rows) report.details.push_back(system_.row_name(u.row));
      report.advice = "rows that depend on one another (a body on many supports) or much friction: leave one out";
      throw SolveError(std::move(report));
    }
    attempt(t, e, on, rows);
    speeds(solution_.a);
    const double largest = solution_.lambda.lpNorm<Eigen::Infinity>();
    bool changed = false;
    for (std::size_t k = 0; k < rows.size() && !changed; ++k) {
      UnilateralRow& u = rows[k];
      const double fast = pattern.velocity_size[static_cast<std::size_t>(u.row)];
      const bool pulls = u.on && solution_.lambda[u.row] > 1e-12 * largest;
      const bool sticks = u.on && !u.slides && !u.jams && !u.tangents.empty();
      if (sticks && (pulls || beyond_cone(u))) {
        slide(k, u);
        changed = true;
      } else if (pulls) {  // while it slides: it jams; while it jams or is smooth: it takes no part
        u.jams = u.on = u.slides;
        u.slides = false;
        changed = true;
      } else if (!u.on && speed[u.row] < u.target - 1e-12 * fast) {
        u.on = true;
        changed = true;
      }
    }
    if (!changed) break;
  }

  Impulse out;
  out.v = solution_.a;
  out.lambda = solution_.lambda;
  Vector P(pattern.n());
  problem_.active.assign(problem_.active.size(), 1);
  problem_.multiply_At(as_span(out.lambda), as_span(P));
  out.work = -0.5 * P.dot(out.v + v);
  out.driven = out.lambda.dot(e.c_t);
  for (int row = 0; row < pattern.m(); ++row) {
    if (!on[static_cast<std::size_t>(row)]) continue;
    const double off = std::abs(speed[row]) / pattern.velocity_size[static_cast<std::size_t>(row)];
    if (off > out.residual) out.residual = off, out.worst = row;
  }
  return out;
}

}  // namespace mortise::analysis
