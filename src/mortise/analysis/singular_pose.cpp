#include "mortise/analysis/singular_pose.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "mortise/gauss/fronts.h"
#include "mortise/gauss/loops.h"
#include "mortise/mechanism/parts.h"

namespace mortise::analysis {

namespace {

constexpr double least_share = 5e-3;  // least share of a row that is named, of the largest
constexpr double vanished = 1e-5;     // σ_r, relative, that counts as zero: dense output is good to about this

// S A L⁻ᵀ, and L.
void whiten(const gauss::GaussProblem& problem, Matrix& D, Matrix* factor = nullptr) {
  const Eigen::LLT<Matrix> cholesky(problem.dense_M());
  D = problem.dense_A();
  const gauss::Pattern& pattern = *problem.pattern;
  for (int i = 0; i < pattern.m(); ++i) D.row(i) *= pattern.row_scale[static_cast<std::size_t>(i)];
  D = cholesky.matrixU().solve<Eigen::OnTheRight>(D);
  if (factor) *factor = cholesky.matrixL();
}

// How far the dense output is off the constraints, for the rank decision.
double scaled_violation(const Evaluation& e) {
  double worst = 0;
  for (Eigen::Index i = 0; i < e.phi.size(); ++i)
    worst = std::max(worst, std::abs(e.phi[i]) / e.problem.pattern->position_size[static_cast<std::size_t>(i)]);
  return worst;
}

// The angle between two velocities in the metric of M.
double angle(const gauss::GaussProblem& problem, const Vector& u, const Vector& v) {
  Vector Mu(u.size()), Mv(v.size());
  problem.multiply_M(as_span(u), as_span(Mu));
  problem.multiply_M(as_span(v), as_span(Mv));
  const double uu = u.dot(Mu), vv = v.dot(Mv), uv = u.dot(Mv);
  if (!(uu > 0) || !(vv > 0)) return 0;
  // Of unit vectors by their difference: the cosine has no digits left at small angles.
  const double chord2 = std::max(0.0, 2 - 2 * uv / std::sqrt(uu * vv));
  return 2 * std::asin(std::min(1.0, std::sqrt(chord2) / 2));
}

}  // namespace

bool may_be_singular(const mechanism::Mechanism& mechanism) {
  if (gauss::has_loops(mechanism.pattern())) return true;
  const model::Catalogue& ours = mechanism::catalogue();
  return std::any_of(mechanism.constraints().begin(), mechanism.constraints().end(), [&](const auto& c) {
    const model::PartInfo& part = *mechanism.model().items[index(c.ref.item)].part;
    return part.type == "row" || !ours.find(part.section, part.type);
  });
}

PoseWatch::PoseWatch(const mechanism::Mechanism& mechanism, const linalg::RankPolicy& policy)
    : mechanism_(mechanism), policy_(policy), scratch_(mechanism.make_scratch()) {
  evaluation_.resize(mechanism.pattern());
  state_ = mechanism.initial_state();
  nearest_ = state_;
  dense_ = mechanism.pattern().m() <= dense_rows;
}

void PoseWatch::unpack(double t) {
  y_.resize(motion_->size());
  if (t == integrator_->t())
    std::copy(integrator_->y().begin(), integrator_->y().end(), y_.data());
  else
    integrator_->dense(t, as_span(y_));
  motion_->unpack(t, as_span(y_), state_);
  mechanism_.normalize(as_span(state_.q));
}

void PoseWatch::decompose(const State& state) {
  mechanism_.evaluate(state, need_dynamics, *scratch_, evaluation_);
  whiten(evaluation_.problem, D_);
  if (!D_.allFinite()) {  // masses of zero: they have no metric, and nothing is looked for
    values_.resize(0);
    return;
  }
  const Eigen::BDCSVD<Matrix> svd(D_, Eigen::ComputeFullU);
  values_ = svd.singularValues();
  U_ = svd.matrixU();
}

double PoseWatch::sigma(const State& state, int rank) {
  if (!dense_) {
    mechanism_.evaluate(state, need_dynamics, *scratch_, evaluation_);
    evaluation_.problem.violation = scaled_violation(evaluation_);
    if (!least_) least_ = std::make_unique<gauss::LeastSingularValue>(mechanism_.pattern());
    return least_->find(evaluation_.problem, policy_, rank).value_or(1);
  }
  decompose(state);
  return rank > 0 && rank <= values_.size() && values_[0] > 0 ? values_[rank - 1] / values_[0] : 1;
}

// Of the pose in state_.
void PoseWatch::keep_nearest(double sigma) {
  memory_.nearest = sigma;
  memory_.nearest_t = state_.t;
  nearest_.t = state_.t;
  nearest_.q = state_.q;
  nearest_.v = state_.v;
  nearest_.inputs = state_.inputs;
  nearest_.active = state_.active;
}

double PoseWatch::sigma_at(double t, int rank) {
  unpack(t);
  return sigma(state_, rank);
}

// By the left singular vectors of what vanishes.
void PoseWatch::name_rows(double there, double aside, int rank, SingularPose& pose) {
  sigma_at(there, rank);
  pose.state = state_;
  pose.rank = static_cast<int>((values_.array() > vanished * 10 * values_[0]).count());
  pose.rank = std::min(pose.rank, rank - 1);
  sigma_at(aside, rank);
  std::vector<double> share(static_cast<std::size_t>(D_.rows()), 0);
  double most = 0;
  for (int k = pose.rank; k < rank; ++k)
    for (Eigen::Index i = 0; i < D_.rows(); ++i) {
      double& s = share[static_cast<std::size_t>(i)];
      s = std::max(s, std::abs(U_(i, k)));
      most = std::max(most, s);
    }
  for (std::size_t i = 0; i < share.size(); ++i)
    if (share[i] > least_share * most) pose.rows.push_back(static_cast<int>(i));
}

// By the dependencies that the elimination finds there and not beside it.
void PoseWatch::name_rows_sparse(double there, double aside, int rank, SingularPose& pose) {
  Vector column_size(mechanism_.v_size()), q_size(mechanism_.q_size());
  mechanism_.typical_sizes(as_span(q_size), as_span(column_size));
  gauss::Fronts fronts(mechanism_.pattern(), column_size, mechanism_.pattern().velocity_size);
  const auto factor = [&](double t, const linalg::RankPolicy& policy) {
    unpack(t);
    mechanism_.evaluate(state_, need_dynamics, *scratch_, evaluation_);
    evaluation_.problem.violation = scaled_violation(evaluation_);
    fronts.factor(evaluation_.problem, policy);
  };
  factor(aside, policy_);
  std::vector<int> always;
  for (const gauss::Dependency& d : fronts.dependencies()) always.push_back(d.row);
  std::sort(always.begin(), always.end());
  linalg::RankPolicy wider = policy_;
  wider.relative = std::max(policy_.relative, 10 * vanished);
  factor(there, wider);
  pose.state = state_;
  pose.rank = std::min(fronts.rank().rank, rank - 1);
  for (const gauss::Dependency& d : fronts.dependencies()) {
    if (std::binary_search(always.begin(), always.end(), d.row)) continue;
    for (std::size_t i = 0; i < d.rows.size(); ++i)
      if (std::abs(d.scaled[static_cast<Eigen::Index>(i)]) > least_share) pose.rows.push_back(d.rows[i]);
  }
  std::sort(pose.rows.begin(), pose.rows.end());
  pose.rows.erase(std::unique(pose.rows.begin(), pose.rows.end()), pose.rows.end());
}

// Eliminations show σ² and lose half of its digits at the pose itself. Beside it σ_r is k|t − t*|, which tells t* to
// the square of the distance; σ_r counts as zero there when it is nothing beside those.
void PoseWatch::refine(double begin, double end, int rank, double& there, double& least) {
  constexpr double nothing = 0.03;
  if (least > 100 * vanished) return;
  double beside = 0;
  for (const double share : {0.1, 0.01}) {
    const double aside = share * (end - begin);
    if (there - aside < begin || there + aside > end) continue;
    const double left = sigma_at(there - aside, rank), right = sigma_at(there + aside, rank);
    if (!(left + right > 0)) return;
    there += aside * (left - right) / (left + right);
    beside = std::max(beside, 0.5 * (left + right));
  }
  if (beside == 0) return;
  least = std::min(least, sigma_at(there, rank));
  least = least < nothing * beside ? std::min(least, 0.5 * vanished) : std::max(least, vanished);
}

std::optional<SingularPose> PoseWatch::look(const integrate::Integrator& integrator, const Motion& motion) {
  const linalg::Rank& rank = motion.rank();
  if (rank.rows == 0) return std::nullopt;
  integrator_ = &integrator;
  motion_ = &motion;
  const double begin = integrator.t_old(), end = integrator.t();
  const int r = memory_.known ? std::max(static_cast<int>(memory_.rank), rank.rank) : rank.rank;
  const double before = memory_.sigma, after = rank.rank < r ? rank.largest_dropped : rank.smallest_kept;
  // Falling at this rate it could be zero inside the step. (A small σ_r alone says nothing: that of a ladder of N
  // windows is 1.2 / N everywhere.)
  const double width = end - begin, fall = memory_.rate * width;
  const bool may_vanish = memory_.known && ((fall > 0 && before < 2.5 * fall) || after < 0.2 * before);
  const bool may_rise = memory_.known && before < 0.2 * after;
  memory_.rate = width > 0 ? (before - after) / width : 0;
  memory_.known = 1;
  memory_.rank = r;
  memory_.sigma = after;
  if (after < memory_.nearest) {
    unpack(end);
    keep_nearest(after);
  }
  if (!may_vanish && !may_rise) return std::nullopt;

  if (least_) least_->forget();  // what is found does not depend on earlier looks
  // The least σ_r² inside the step, by parabolas: it is one near t*.
  double t[3] = {begin, begin + 0.5 * width, end}, f[3];
  for (int k = 0; k < 3; ++k) f[k] = std::pow(sigma_at(t[k], r), 2);
  const double near = (dense_ ? 1e-13 : 1e-4) * width;  // `refine` goes on from there
  for (int pass = 0; pass < 30; ++pass) {
    const double d10 = (f[1] - f[0]) / (t[1] - t[0]), d21 = (f[2] - f[1]) / (t[2] - t[1]);
    const double curve = (d21 - d10) / (t[2] - t[0]);
    if (!(curve > 0)) break;
    double next = 0.5 * (t[0] + t[1]) - 0.5 * d10 / curve;
    if (!std::isfinite(next)) break;
    next = std::clamp(next, begin, end);
    if (std::abs(next - t[1]) < std::max(1e-13 * std::abs(end), near)) break;
    const double value = std::pow(sigma_at(next, r), 2);
    // The three nearest to the new one, in order.
    std::vector<std::pair<double, double>> points{{t[0], f[0]}, {t[1], f[1]}, {t[2], f[2]}};
    if (std::any_of(points.begin(), points.end(), [&](const auto& p) { return p.first == next; })) break;
    points.emplace_back(next, value);
    const auto best = *std::min_element(points.begin(), points.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
    std::sort(points.begin(), points.end(), [&](const auto& a, const auto& b) {
      return std::abs(a.first - best.first) < std::abs(b.first - best.first);
    });
    points.resize(3);
    std::sort(points.begin(), points.end());
    for (int k = 0; k < 3; ++k) {
      t[k] = points[static_cast<std::size_t>(k)].first;
      f[k] = points[static_cast<std::size_t>(k)].second;
    }
    if (t[2] - t[0] < 1e-9 * width) break;
  }
  const int best = static_cast<int>(std::min_element(f, f + 3) - f);
  double there = t[best], least = std::sqrt(f[best]);
  if (!dense_) refine(begin, end, r, there, least);
  if (least < memory_.nearest) {
    unpack(there);
    keep_nearest(least);
  }
  // At an end of the step: it belongs to the step where it is inside, or was counted there.
  const bool inside = there > begin && (there < end || least < vanished);
  if (!inside || !(least < vanished) || there - memory_.passed < 1e-6 * width) return std::nullopt;
  memory_.passed = there;

  SingularPose pose;
  pose.t = there;
  pose.rank_before = r;
  pose.sigma = least;
  // Away from the pose what vanishes there is not mixed with what depends always.
  const double aside = there + 3e-3 * ((there - begin > end - there ? begin : end) - there);
  dense_ ? name_rows(there, aside, r, pose) : name_rows_sparse(there, aside, r, pose);
  const double step = 0.05 * std::min(width, std::max(there - begin, end - there));
  unpack(std::max(begin, there - step));
  const Vector u = state_.v;
  unpack(std::min(end, there + step));
  pose.turn = angle(evaluation_.problem, u, state_.v);
  return pose;
}

void PoseWatch::save(mortise::Memory& memory) const {
  static_assert(sizeof(Memory) == Memory::count * sizeof(double));
  std::copy_n(&memory_.known, Memory::count, memory.slot("poses", Memory::count).begin());
  const State& s = nearest_;
  auto slot = memory.slot("nearest pose",
                          static_cast<std::size_t>(s.q.size() + s.v.size() + s.inputs.size()) + s.active.size());
  auto at = std::copy(s.q.begin(), s.q.end(), slot.begin());
  at = std::copy(s.v.begin(), s.v.end(), at);
  at = std::copy(s.inputs.begin(), s.inputs.end(), at);
  std::copy(s.active.begin(), s.active.end(), at);
}

void PoseWatch::load(const mortise::Memory& memory) {
  const ConstSpan saved = memory.read("poses");
  if (saved.size() == Memory::count) std::copy(saved.begin(), saved.end(), &memory_.known);
  State& s = nearest_;
  const ConstSpan pose = memory.read("nearest pose");
  if (pose.size() != static_cast<std::size_t>(s.q.size() + s.v.size() + s.inputs.size()) + s.active.size()) return;
  s.t = memory_.nearest_t;
  auto at = pose.begin();
  for (Vector* part : {&s.q, &s.v, &s.inputs}) {
    std::copy_n(at, part->size(), part->begin());
    at += part->size();
  }
  std::transform(at, pose.end(), s.active.begin(), [](double on) { return static_cast<unsigned char>(on); });
}

Branches find_branches(const mechanism::Mechanism& mechanism, const State& at, const linalg::RankPolicy& policy) {
  const auto scratch = mechanism.make_scratch();
  Evaluation evaluation;
  evaluation.resize(mechanism.pattern());
  mechanism.evaluate(at, need_dynamics, *scratch, evaluation);
  Matrix D, L;
  whiten(evaluation.problem, D, &L);
  if (!D.allFinite()) return {};
  const Eigen::BDCSVD<Matrix> svd(D, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Vector& values = svd.singularValues();
  const int n = static_cast<int>(D.cols()), m = static_cast<int>(D.rows());
  int rank = 0;
  while (rank < values.size() && values[rank] > std::max(policy.relative, 10 * vanished) * values[0]) ++rank;
  const int d = n - rank, k = m - rank;
  const Matrix N = svd.matrixV().rightCols(d), Y = svd.matrixU().rightCols(k);
  const Vector scale = as_vector(ConstSpan(mechanism.pattern().row_scale));
  const Matrix to_v = L.transpose().triangularView<Eigen::Upper>().solve(Matrix::Identity(n, n));  // v = L⁻ᵀ x

  // x = x_p + N z fulfils D x = −S c_t; with time in the constraints the speed is given, else its size is free.
  const Vector c = scale.cwiseProduct(evaluation.c_t);
  const bool driven = c.lpNorm<Eigen::Infinity>() > 0;
  Vector x_p = Vector::Zero(n);
  for (int j = 0; j < rank; ++j) x_p -= svd.matrixV().col(j) * (svd.matrixU().col(j).dot(c) / values[j]);
  const Vector x_now = L.transpose() * at.v;
  const Vector z_now = N.transpose() * (x_now - x_p);
  const double size = z_now.norm();

  State probe = at;
  const auto residual = [&](const Vector& z) {
    probe.v = to_v * (x_p + N * z);
    mechanism.evaluate(probe, need_dynamics, *scratch, evaluation);
    Vector out(k + (driven ? 0 : 1));
    out.head(k) = Y.transpose() * scale.cwiseProduct(evaluation.problem.b);
    if (!driven) out[k] = (z.squaredNorm() - size * size) / std::max(size, 1e-300);
    return out;
  };
  // Quadratic: central differences are exact whatever the step.
  const double h = std::max(size, 1e-6);
  const auto jacobian = [&](const Vector& z) {
    Matrix J(k + (driven ? 0 : 1), d);
    for (int j = 0; j < d; ++j) {
      const Vector e = h * Vector::Unit(d, j);
      J.col(j) = (residual(z + e) - residual(z - e)) / (2 * h);
    }
    return J;
  };

  Branches out;
  if (!(size > 0)) return out;
  std::vector<Vector> found;
  // Deterministic starts: the velocity as it is, then a low-discrepancy walk over the sphere.
  for (int start = 0; start < 20 + 20 * d; ++start) {
    Vector z = z_now;
    if (start > 0)
      for (int j = 0; j < d; ++j)
        z[j] = size * std::sin(12.9898 * (start + 1) * (j + 1) + 4.1414 * start * start / (j + 1.0));
    double error = residual(z).norm();
    for (int pass = 0; pass < 60 && error > 0; ++pass) {
      const Matrix J = jacobian(z);
      const Vector step = J.completeOrthogonalDecomposition().solve(residual(z));
      double share = 1;
      while (share > 1e-4 && !(residual(z - share * step).norm() < error)) share /= 2;
      if (share <= 1e-4) break;
      z -= share * step;
      const double next = residual(z).norm();
      if (next > 0.9 * error && next < 1e-10 * size) break;
      error = next;
    }
    const double acceleration = size * size;  // of quadratic terms, in the scaled rows
    if (!(error < 1e-7 * std::max(acceleration, size))) continue;
    if (!driven && z.dot(z_now) < 0) z = -z;  // both senses are motions along one branch
    const auto same = [&](const Vector& w) { return (w - z).norm() < 1e-3 * size || (w + z).norm() < 1e-3 * size; };
    if (std::any_of(found.begin(), found.end(), same)) continue;
    Matrix J = jacobian(z);
    Eigen::ColPivHouseholderQR<Matrix> qr(J);
    qr.setThreshold(1e-6);
    if (qr.rank() < d) out.isolated = false;
    found.push_back(z);
    if (!out.isolated && found.size() > 8) break;
  }
  std::sort(found.begin(), found.end(),
            [&](const Vector& a, const Vector& b) { return (a - z_now).norm() < (b - z_now).norm(); });
  for (const Vector& z : found) out.velocities.push_back(to_v * (x_p + N * z));
  return out;
}

OtherBranch::OtherBranch(const mechanism::Mechanism& mechanism, const SingularPose& pose, Motion& motion,
                         const linalg::RankPolicy& policy)
    : mechanism_(mechanism), motion_(motion), pose_(pose.state) {
  if (mechanism.v_size() > most_branching) {
    SolveReport report;
    report.code = "S451";
    report.time = pose.t;
    report.message = fmt::format("branches are looked for in mechanisms of up to {} coordinates: this one has {}",
                                 most_branching, mechanism.v_size());
    report.details = {describe_pose(pose, mechanism)};
    report.advice = "branch: smooth goes on with the least change of velocity";
    throw SolveError(report);
  }
  motion.project(pose_, Motion::Start::fresh, true, false);
  const Branches branches = find_branches(mechanism, pose_, policy);
  if (!branches.isolated || branches.velocities.size() < 2) {
    SolveReport report;
    report.code = "S451";
    report.time = pose.t;
    report.message = branches.isolated ? "the singular pose has no other branch to go on with"
                                       : "the branches at the singular pose are not single directions: the mechanism "
                                         "has more than one degree of freedom";
    report.details = {describe_pose(pose, mechanism)};
    report.advice = "branch: smooth goes on with the least change of velocity";
    throw SolveError(report);
  }
  velocity_ = branches.velocities[1];
  const auto scratch = mechanism.make_scratch();
  Evaluation evaluation;
  evaluation.resize(mechanism.pattern());
  mechanism.evaluate(pose_, need_dynamics | need_energy, *scratch, evaluation);
  energy_ = evaluation.kinetic + evaluation.potential;
  Vector size_q(mechanism.q_size()), size_v(mechanism.v_size()), rate(mechanism.q_size());
  mechanism.typical_sizes(as_span(size_q), as_span(size_v));
  mechanism.qdot(as_span(pose_.q), as_span(velocity_), as_span(rate));
  ahead_ = 1e-3 / rate.cwiseQuotient(size_q).lpNorm<Eigen::Infinity>();
}

State OtherBranch::at(double dt) const {
  State state = pose_;
  state.v = velocity_;
  if (dt < 1e-3 * ahead_) return state;  // too near to be told from the other branch
  const Vector move = dt * velocity_;
  mechanism_.retract(as_span(state.q), as_span(move), as_span(state.q));
  state.t = pose_.t + dt;
  motion_.project(state, Motion::Start::fresh);
  const auto scratch = mechanism_.make_scratch();
  Evaluation evaluation;
  evaluation.resize(mechanism_.pattern());
  mechanism_.evaluate(state, need_dynamics | need_energy, *scratch, evaluation);
  const double kinetic = energy_ - evaluation.potential;
  if (evaluation.c_t.isZero(0) && kinetic > 0 && evaluation.kinetic > 0)
    state.v *= std::sqrt(kinetic / evaluation.kinetic);
  return state;
}

std::string describe_pose(const PassedPose& pose, const mechanism::Mechanism& mechanism) {
  const std::vector<int>& which = pose.rows;
  std::string rows;
  const std::size_t shown = std::min<std::size_t>(which.size(), 8);
  for (std::size_t k = 0; k < shown; ++k)
    rows += (k == 0 ? "" : k + 1 == which.size() ? " and " : ", ") + mechanism.row_name(which[k]);
  if (shown < which.size()) rows += fmt::format(" and {} more", which.size() - shown);
  return fmt::format("rank {} -> {}: {} come to depend on one another", pose.rank_before, pose.rank, rows);
}

}  // namespace mortise::analysis
