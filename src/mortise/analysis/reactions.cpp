#include "mortise/analysis/reactions.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "mortise/analysis/diagnose_parts.h"

namespace mortise::analysis {

namespace {
constexpr int most_dense = 400;
}  // namespace

struct ReactionRule::Work {
  Posed posed;
  gauss::Fronts fronts;
  bool ready = false;
  std::vector<int> joints;      // that take part
  std::vector<Matrix> metrics;  // G of each of these
  Matrix normal;                // TᵀGT, where there are few, scaled by
  Vector length;
  Eigen::CompleteOrthogonalDecomposition<Matrix> factor;

  Work(const mechanism::Mechanism& m, const State& state)
      : posed(m, state), fronts(m.pattern(), posed.column_size, m.pattern().velocity_size) {}

  int count() const { return static_cast<int>(fronts.dependencies().size()); }

  // G x, on the rows of the joints that take part.
  Vector weigh(const Vector& x) const {
    Vector out = Vector::Zero(x.size());
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const mechanism::Constraint& c = posed.m.constraints()[index(joints[k])];
      out.segment(c.row, c.rows) = metrics[k] * x.segment(c.row, c.rows);
    }
    return out;
  }
  Vector combine(const Vector& c) const {
    Vector out = Vector::Zero(posed.m.pattern().m());
    for (int k = 0; k < count(); ++k) {
      const gauss::Dependency& d = fronts.dependencies()[index(k)];
      for (std::size_t i = 0; i < d.rows.size(); ++i)
        out[d.rows[i]] += c[k] * d.coefficients[static_cast<Eigen::Index>(i)];
    }
    return out;
  }
  Vector project(const Vector& x) const {
    Vector out(count());
    for (int k = 0; k < count(); ++k) {
      const gauss::Dependency& d = fronts.dependencies()[index(k)];
      out[k] = 0;
      for (std::size_t i = 0; i < d.rows.size(); ++i)
        out[k] += x[d.rows[i]] * d.coefficients[static_cast<Eigen::Index>(i)];
    }
    return out;
  }
};

ReactionRule::ReactionRule(const mechanism::Mechanism& mechanism, const std::string& rule,
                           const linalg::RankPolicy& policy)
    : mechanism_(mechanism), rule_(rule), policy_(policy) {
  const model::Model& model = mechanism.model();
  const double length = mechanism.characteristic_length();
  for (const mechanism::Constraint& c : mechanism.constraints()) {
    const model::ItemCopy item(model, model.items[index(c.ref.item)], c.ref.copy);
    const double stiffness = item.number("stiffness", 0), turning = item.number("turning_stiffness", 0);
    for (const char* field : {"stiffness", "turning_stiffness"})
      if (item.has(field) && !(item.number(field) > 0))
        throw ModelError(Diagnostic{"M450", fmt::format("'{}' of '{}' is not positive", field, item.name()),
                                    item.place(field), "leave it out where none is known", false});
    stiffness_.push_back(stiffness);
    turning_.push_back(turning > 0 ? turning : stiffness * length * length);
  }
}

ReactionRule::~ReactionRule() = default;

Matrix ReactionRule::metric(int joint) const {
  const mechanism::Constraint& c = mechanism_.constraints()[index(joint)];
  if (rule_ == "minimum-norm-raw") return Matrix::Identity(c.rows, c.rows);
  if (rule_ == "mass-weighted") {
    Vector g(c.rows);
    for (int k = 0; k < c.rows; ++k) g[k] = std::pow(mechanism_.pattern().row_scale[index(c.row + k)], -2);
    return g.asDiagonal();
  }
  const bool planar = mechanism_.dimension() == 2;
  const double length = mechanism_.characteristic_length();
  double force = 1, torque = 1 / (length * length);
  if (rule_ == "stiffness-weighted") {
    if (c.driver) return Matrix::Zero(c.rows, c.rows);
    if (!(stiffness_[index(joint)] > 0)) {
      SolveReport report;
      report.code = "S450";
      report.time = work_->posed.state.t;
      report.place = mechanism_.place(c.ref);
      report.message =
          fmt::format("reactions: stiffness-weighted needs the stiffness of joint '{}'", mechanism_.name(c.ref));
      report.details = {"its reaction is not unique: rigid bodies do not decide how it shares its load"};
      report.advice = "give every joint that `mortise check` lists under Reactions a `stiffness` [N/m]";
      throw SolveError(report);
    }
    force = 1 / stiffness_[index(joint)];
    torque = 1 / turning_[index(joint)];
  }
  const Matrix B = wrenches(work_->posed, joint);
  Vector weights(planar ? 3 : 6);
  if (planar)
    weights << force, force, torque;
  else
    weights << force, force, force, torque, torque, torque;
  return B.transpose() * weights.asDiagonal() * B;
}

void ReactionRule::prepare(const State& state) {
  if (!work_) work_ = std::make_unique<Work>(mechanism_, state);
  Work& w = *work_;
  if (w.ready && w.posed.state.q == state.q && w.posed.state.t == state.t && w.posed.state.active == state.active)
    return;
  w.posed.state = state;
  w.posed.evaluate();
  w.fronts.factor(w.posed.e.problem, policy_);
  std::vector<int> rows;
  for (const gauss::Dependency& d : w.fronts.dependencies()) rows.insert(rows.end(), d.rows.begin(), d.rows.end());
  w.joints = w.posed.joints_of(rows);
  w.metrics.clear();
  for (const int joint : w.joints) w.metrics.push_back(metric(joint));
  if (w.count() > 0 && w.count() <= most_dense) {
    w.normal.resize(w.count(), w.count());
    for (int k = 0; k < w.count(); ++k) w.normal.col(k) = w.project(w.weigh(w.combine(Vector::Unit(w.count(), k))));
    // One length for all self-stresses; a direction without weight (rigid drivers alone) stays as it is.
    w.length.resize(w.count());
    for (int k = 0; k < w.count(); ++k) w.length[k] = w.normal(k, k) > 0 ? 1 / std::sqrt(w.normal(k, k)) : 1;
    w.normal = (w.length.asDiagonal() * w.normal * w.length.asDiagonal()).eval();
    w.factor.compute(w.normal);
  }
  w.ready = true;
}

void ReactionRule::apply(const State& state, Vector& lambda) {
  prepare(state);
  const Work& w = *work_;
  if (w.count() == 0) return;
  const Vector right = -w.project(w.weigh(lambda));
  if (w.count() <= most_dense) {
    lambda += w.combine(w.length.cwiseProduct(w.factor.solve(w.length.cwiseProduct(right))));
    return;
  }
  Vector c = Vector::Zero(w.count()), r = right, p = r;
  double size = r.squaredNorm();
  const double enough = 1e-28 * size;
  for (int iteration = 0; iteration < 10 * w.count() && size > enough; ++iteration) {
    const Vector Gp = w.project(w.weigh(w.combine(p)));
    const double step = size / p.dot(Gp);
    c += step * p;
    r -= step * Gp;
    const double next = r.squaredNorm();
    p = r + (next / size) * p;
    size = next;
  }
  lambda += w.combine(c);
}

}  // namespace mortise::analysis
