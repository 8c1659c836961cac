#include "mortise/analysis/reactions.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "mortise/analysis/diagnose_parts.h"
#include "mortise/gauss/sparse.h"

namespace mortise::analysis {

namespace {
constexpr int most_dense = 400;
constexpr int most_rows = 6;              // of a joint in the sparse way
constexpr double least_weight = 1e-9;     // a pivot of G_j below this share of its diagonal: a direction without weight
constexpr double shortest_row = 1e-3;     // of X: where weights differ more its squares tell nothing
constexpr double unchanged_load = 1e-10;  // Aᵀλ, by typical speeds
}  // namespace

struct ReactionRule::Work {
  Posed posed;
  bool ready = false;

  // By the sparse elimination of X; `root` holds L_j of joint j at root_begin[j], column by column.
  gauss::GaussProblem rows;
  std::unique_ptr<gauss::SparseFactor> sparse;
  gauss::GaussSolution solution;
  Vector load, row_length, none;
  std::vector<double> root;
  std::vector<std::size_t> root_begin;
  bool by_sparse = false;

  // By self-stresses.
  std::unique_ptr<gauss::Fronts> fronts;
  bool stressed = false;       // they are those of this pose
  std::vector<int> joints;     // that take part
  std::vector<Small> metrics;  // G of each of these
  Matrix normal;               // TᵀGT, where there are few, scaled by
  Vector length;
  Eigen::CompleteOrthogonalDecomposition<Matrix> factor;

  Work(const mechanism::Mechanism& m, const State& state) : posed(m, state) {}

  Eigen::Map<Eigen::MatrixXd> root_of(int joint) {
    const int size = posed.m.constraints()[index(joint)].rows;
    return {root.data() + root_begin[index(joint)], size, size};
  }

  int count() const { return static_cast<int>(fronts->dependencies().size()); }

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
      const gauss::Dependency& d = fronts->dependencies()[index(k)];
      for (std::size_t i = 0; i < d.rows.size(); ++i)
        out[d.rows[i]] += c[k] * d.coefficients[static_cast<Eigen::Index>(i)];
    }
    return out;
  }
  Vector project(const Vector& x) const {
    Vector out(count());
    for (int k = 0; k < count(); ++k) {
      const gauss::Dependency& d = fronts->dependencies()[index(k)];
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
    const bool rigid = rule == "stiffness-weighted" && (c.driver || !(stiffness > 0));
    weighs_all_ = weighs_all_ && !rigid && c.rows <= most_rows;
    stiffness_.push_back(stiffness);
    turning_.push_back(turning > 0 ? turning : stiffness * length * length);
  }
}

ReactionRule::~ReactionRule() = default;

bool ReactionRule::was_sparse() const { return work_ && work_->by_sparse; }

void ReactionRule::forget() {
  if (!work_) return;
  work_->ready = false;
  if (work_->sparse) work_->sparse->forget();
}

ReactionRule::Small ReactionRule::metric(int joint) const {
  const mechanism::Constraint& c = mechanism_.constraints()[index(joint)];
  if (rule_ == "minimum-norm-raw") return Small::Identity(c.rows, c.rows);
  if (rule_ == "mass-weighted") {
    Small g = Small::Zero(c.rows, c.rows);
    for (int k = 0; k < c.rows; ++k) g(k, k) = std::pow(mechanism_.pattern().row_scale[index(c.row + k)], -2);
    return g;
  }
  const bool planar = mechanism_.dimension() == 2;
  const double length = mechanism_.characteristic_length();
  double force = 1, torque = 1 / (length * length);
  if (rule_ == "stiffness-weighted") {
    if (c.driver) return Small::Zero(c.rows, c.rows);
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
  const Small B = wrenches(work_->posed, joint);
  Small weighted = B;
  weighted.topRows(planar ? 2 : 3) *= force;
  weighted.bottomRows(planar ? 1 : 3) *= torque;
  Small G(c.rows, c.rows);
  G.noalias() = B.transpose().lazyProduct(weighted);
  return G;
}

// The rows X at this pose, factored. False: this way does not lead to the rule's choice here.
bool ReactionRule::prepare_sparse() {
  Work& w = *work_;
  const gauss::Pattern& pattern = mechanism_.pattern();
  const gauss::GaussProblem& problem = w.posed.e.problem;
  const auto& constraints = mechanism_.constraints();
  if (!w.sparse) {
    w.rows.resize(pattern);
    w.solution.resize(pattern);
    w.load.setZero(pattern.n());
    w.row_length.setZero(pattern.m());
    w.none.setZero(pattern.m());
    std::size_t size = 0;
    for (const mechanism::Constraint& c : constraints) {
      w.root_begin.push_back(size);
      size += index(c.rows * c.rows);
    }
    w.root.assign(size, 0);
    w.sparse = gauss::make_sparse_factor(pattern);
  }
  w.rows.A = problem.A;
  w.rows.active = problem.active;
  w.rows.violation = problem.violation;
  w.row_length.setZero();
  for (int j = 0; j < static_cast<int>(constraints.size()); ++j) {
    const mechanism::Constraint& c = constraints[index(j)];
    Small G = metric(j);
    for (int k = 0; k < c.rows; ++k)
      if (!problem.active[index(c.row + k)]) {  // a row that is off has no part in it
        G.row(k).setZero();
        G.col(k).setZero();
        G(k, k) = 1;
      }
    const Eigen::LLT<Small> root(G);
    if (root.info() != Eigen::Success) return false;
    for (int k = 0; k < c.rows; ++k)
      if (!(std::pow(root.matrixLLT()(k, k), 2) > least_weight * G(k, k))) return false;
    w.root_of(j) = root.matrixLLT();
    for (const int b : w.posed.blocks_of_joint[index(j)]) {
      const gauss::RowBlock& block = pattern.A[index(b)];
      if (block.row != c.row || block.rows != c.rows) return false;
      const int size = pattern.columns.size(block.block), begin = pattern.columns.begin(block.block);
      double* const X = w.rows.A.data() + block.offset;
      for (int i = 0; i < c.rows; ++i)
        for (int k = 0; k < size; ++k) {
          double x = X[i * size + k];
          for (int before = 0; before < i; ++before) x -= root.matrixLLT()(i, before) * X[before * size + k];
          X[i * size + k] = x /= root.matrixLLT()(i, i);
          w.row_length[c.row + i] += std::pow(x * w.posed.column_size[begin + k], 2);
        }
    }
  }
  double longest = 0, shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < pattern.m(); ++i) {
    if (!problem.active[index(i)]) continue;
    longest = std::max(longest, w.row_length[i]);
    shortest = std::min(shortest, w.row_length[i]);
  }
  if (!(shortest > shortest_row * shortest_row * longest)) return false;
  // The shortest μ does not depend on the masses: with these the rows have lengths of about one. A power of two, so
  // that they are the same at most poses.
  const double unit = std::exp2(std::ceil(0.5 * std::log2(longest)));
  for (int b = 0; b < pattern.columns.count(); ++b)
    for (int k = 0, size = pattern.columns.size(b); k < size; ++k)
      w.rows.M[pattern.M_offset[index(b)] + k * (size + 1)] =
          std::pow(unit / w.posed.column_size[pattern.columns.begin(b) + k], 2);
  for (const gauss::RowBlock& block : pattern.A)
    for (int i = 0, size = pattern.columns.size(block.block); i < block.rows; ++i)
      for (int k = 0; k < size; ++k) w.rows.A[block.offset + i * size + k] /= pattern.row_scale[index(block.row + i)];
  return w.sparse->factor(w.rows, policy_) && w.sparse->clear();
}

// False: λ is as it was.
bool ReactionRule::apply_sparse(Vector& lambda) {
  Work& w = *work_;
  const gauss::Pattern& pattern = mechanism_.pattern();
  w.posed.e.problem.multiply_At(as_span(static_cast<const Vector&>(lambda)), as_span(w.load));
  w.sparse->solve(as_span(static_cast<const Vector&>(w.load)), as_span(static_cast<const Vector&>(w.none)), w.solution);
  if (w.solution.rank.redundant() == 0) return true;
  Vector& found = w.solution.lambda;
  const auto& constraints = mechanism_.constraints();
  for (int j = 0; j < static_cast<int>(constraints.size()); ++j) {
    const mechanism::Constraint& c = constraints[index(j)];
    const auto root = w.root_of(j);
    for (int i = c.rows - 1; i >= 0; --i) {
      double x = found[c.row + i] / pattern.row_scale[index(c.row + i)];
      for (int after = i + 1; after < c.rows; ++after) x -= root(after, i) * found[c.row + after];
      found[c.row + i] = x / root(i, i);
    }
  }
  const double size = w.load.cwiseProduct(w.posed.column_size).lpNorm<Eigen::Infinity>();
  w.posed.e.problem.multiply_At(as_span(static_cast<const Vector&>(found)), as_span(w.solution.a));
  w.load -= w.solution.a;
  if (!(w.load.cwiseProduct(w.posed.column_size).lpNorm<Eigen::Infinity>() <= unchanged_load * size)) return false;
  for (int i = 0; i < pattern.m(); ++i)
    if (w.posed.e.problem.active[index(i)]) lambda[i] = found[i];
  return true;
}

void ReactionRule::prepare(const State& state) {
  if (!work_) work_ = std::make_unique<Work>(mechanism_, state);
  Work& w = *work_;
  State& at = w.posed.state;
  if (w.ready && at.q == state.q && at.t == state.t && at.active == state.active) return;
  at.t = state.t;
  at.q = state.q;
  at.v = state.v;
  at.inputs = state.inputs;
  at.active = state.active;
  w.posed.evaluate();
  w.stressed = false;
  w.by_sparse = way_ == Way::best && weighs_all_ && prepare_sparse();
  w.ready = true;
}

// Self-stresses at this pose, and what they weigh.
void ReactionRule::prepare_stresses() {
  Work& w = *work_;
  if (w.stressed) return;
  if (!w.fronts)
    w.fronts =
        std::make_unique<gauss::Fronts>(mechanism_.pattern(), w.posed.column_size, mechanism_.pattern().velocity_size);
  w.fronts->factor(w.posed.e.problem, policy_);
  std::vector<int> rows;
  for (const gauss::Dependency& d : w.fronts->dependencies()) rows.insert(rows.end(), d.rows.begin(), d.rows.end());
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
  w.stressed = true;
}

void ReactionRule::apply(const State& state, Vector& lambda) {
  prepare(state);
  if (work_->by_sparse && apply_sparse(lambda)) return;
  work_->by_sparse = false;
  prepare_stresses();
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
