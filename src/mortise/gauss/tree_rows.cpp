#include "mortise/gauss/tree_rows.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace mortise::gauss {

namespace {

int root_of(std::vector<int>& up, int k) {
  while (up[index(k)] != k) k = up[index(k)] = up[index(up[index(k)])];
  return k;
}

}  // namespace

TreeRows::TreeRows(const Pattern& pattern, const linalg::TreeShape& shape)
    : pattern_(pattern),
      cluster_of_(index(pattern.m()), -1),
      local_rate_(index(pattern.n()), -1),
      scale_(index(pattern.m()), 0),
      active_(index(pattern.m()), 1),
      sweep_(index(shape.bodies())),
      tau_(Vector::Zero(pattern.n())),
      y_(Vector::Zero(pattern.n())) {
  std::vector<Group> groups;
  for (std::size_t k = 0; k < pattern.A.size(); ++k) {
    const RowBlock& e = pattern.A[k];
    if (groups.empty() || groups.back().row != e.row) groups.push_back({e.row, e.rows, {}, {}});
    groups.back().blocks.push_back(static_cast<int>(k));
  }
  std::vector<int> up(index(shape.bodies()));  // bodies that share a row
  std::iota(up.begin(), up.end(), 0);
  for (Group& group : groups) {
    for (const int k : group.blocks)
      for (int j = shape.body_of(pattern.columns.begin(pattern.A[index(k)].block)); j >= 0; j = shape.parent(j))
        group.bodies.push_back(j);
    std::sort(group.bodies.begin(), group.bodies.end(), std::greater<>());
    group.bodies.erase(std::unique(group.bodies.begin(), group.bodies.end()), group.bodies.end());
    for (const int j : group.bodies) up[index(root_of(up, j))] = root_of(up, group.bodies.front());
  }
  std::vector<int> cluster_at(up.size(), -1);
  for (Group& group : groups) {
    int& at = cluster_at[index(root_of(up, group.bodies.front()))];
    if (at < 0) {
      at = static_cast<int>(clusters_.size());
      clusters_.emplace_back();
    }
    Cluster& cluster = clusters_[index(at)];
    for (int i = 0; i < group.rows; ++i) {
      cluster_of_[index(group.row + i)] = at;
      cluster.rows.push_back(group.row + i);
    }
    for (const int j : group.bodies)
      for (int k = shape.begin(j); k < shape.begin(j) + shape.size(j); ++k) cluster.rates.push_back(k);
    cluster.groups.push_back(std::move(group));
  }
  for (Cluster& cluster : clusters_) {
    std::sort(cluster.rates.begin(), cluster.rates.end());
    cluster.rates.erase(std::unique(cluster.rates.begin(), cluster.rates.end()), cluster.rates.end());
    for (std::size_t k = 0; k < cluster.rates.size(); ++k) local_rate_[index(cluster.rates[k])] = static_cast<int>(k);
    const auto n = static_cast<Eigen::Index>(cluster.rates.size()), m = static_cast<Eigen::Index>(cluster.rows.size());
    cluster.D.resize(static_cast<int>(n), static_cast<int>(m));
    cluster.Y.setZero(n, m);
    cluster.S.setZero(m, m);
    for (Vector* x : {&cluster.w, &cluster.y}) x->setZero(n);
    for (Vector* x : {&cluster.e, &cluster.mu}) x->setZero(m);
  }
}

// Which rows are on, and their scales.
void TreeRows::take_rows(const GaussProblem& problem) {
  std::copy(problem.active.begin(), problem.active.end(), active_.begin());
  active_rows_ = 0;
  for (std::size_t i = 0; i < scale_.size(); ++i) {
    scale_[i] = active_[i] ? pattern_.row_scale[i] : 0;
    active_rows_ += active_[i];
  }
}

// Clusters have bodies and rates of their own, and so their own part of all work.
template <class Work>
void TreeRows::for_each_cluster(const Work& work) {
  if (clusters_.size() > 3)
    linalg::for_each_task(clusters_.size(), [this, &work](std::size_t k) { work(clusters_[k]); });
  else
    for (Cluster& cluster : clusters_) work(cluster);
}

void TreeRows::factor(const GaussProblem& problem, const linalg::TreeFactor& mass, const linalg::RankPolicy& policy) {
  policy_ = policy;
  violation_ = problem.violation;
  take_rows(problem);
  const auto work = [this, &problem, &mass](Cluster& cluster) { factor_cluster(cluster, problem, mass, policy_); };
  for_each_cluster(work);

  rank_ = {};
  rank_.smallest_kept = 1;
  for (const Cluster& cluster : clusters_) {
    const linalg::Rank& r = cluster.D.rank();
    rank_.rank += r.rank;
    rank_.largest = std::max(rank_.largest, r.largest);
    rank_.smallest_kept = std::min(rank_.smallest_kept, r.smallest_kept);
    rank_.largest_dropped = std::max(rank_.largest_dropped, r.largest_dropped);
    rank_.threshold = std::max(rank_.threshold, r.threshold);
  }
  rank_.rows = active_rows_;
}

void TreeRows::whiten_rows(Cluster& cluster, const GaussProblem& problem, const linalg::TreeFactor& mass) {
  cluster.Y.setZero();
  Eigen::Index column = 0;
  for (const Group& group : cluster.groups)
    for (int i = 0; i < group.rows; ++i, ++column) {
      const double scale = scale_[index(group.row + i)];
      if (scale == 0) continue;
      for (const int rate : cluster.rates) tau_[rate] = 0;
      for (const int k : group.blocks) {
        const RowBlock& e = pattern_.A[index(k)];
        const int size = pattern_.columns.size(e.block), begin = pattern_.columns.begin(e.block);
        const double* from = problem.A.data() + e.offset + i * size;
        for (int l = 0; l < size; ++l) tau_[begin + l] += scale * from[l];
      }
      for (const int rate : cluster.rates) y_[rate] = 0;
      mass.whiten_path(group.bodies, tau_.data(), y_.data(), sweep_);
      for (std::size_t k = 0; k < cluster.rates.size(); ++k)
        cluster.Y(static_cast<Eigen::Index>(k), column) = y_[cluster.rates[k]];
    }
}

void TreeRows::factor_cluster(Cluster& cluster, const GaussProblem& problem, const linalg::TreeFactor& mass,
                              const linalg::RankPolicy& policy) {
  whiten_rows(cluster, problem, mass);
  cluster.D.clear();
  for (Eigen::Index i = 0; i < cluster.Y.cols(); ++i)
    if (scale_[index(cluster.rows[index(i)])] != 0)
      std::copy_n(cluster.Y.col(i).data(), cluster.rates.size(), cluster.D.column(static_cast<int>(i)));
  cluster.D.factor(policy, problem.violation);
}

bool TreeRows::factor_soft(const GaussProblem& problem, const linalg::TreeFactor& mass, ConstSpan kappa) {
  take_rows(problem);
  const auto work = [this, &problem, &mass, kappa](Cluster& cluster) {
    whiten_rows(cluster, problem, mass);
    cluster.S.noalias() = cluster.Y.transpose() * cluster.Y;
    for (Eigen::Index i = 0; i < cluster.S.rows(); ++i) {
      const std::size_t row = index(cluster.rows[index(i)]);
      cluster.S(i, i) += scale_[row] == 0 ? 1 : scale_[row] * scale_[row] * kappa[row];
    }
    cluster.soft.compute(cluster.S);
  };
  for_each_cluster(work);
  return std::all_of(clusters_.begin(), clusters_.end(),
                     [](const Cluster& cluster) { return cluster.soft.info() == Eigen::Success; });
}

void TreeRows::solve_soft(ConstSpan r, Span lambda) {
  for (Cluster& c : clusters_) {
    for (std::size_t i = 0; i < c.rows.size(); ++i)
      c.e[static_cast<Eigen::Index>(i)] = scale_[index(c.rows[i])] * r[index(c.rows[i])];
    c.soft.solveInPlace(c.e);
    for (std::size_t i = 0; i < c.rows.size(); ++i)
      lambda[index(c.rows[i])] = scale_[index(c.rows[i])] * c.e[static_cast<Eigen::Index>(i)];
  }
}

void TreeRows::impose(ConstSpan b, Vector& w, GaussSolution& solution) {
  solution.rank = rank_;
  solution.residual = 0;
  for (Cluster& cluster : clusters_) impose_on(cluster, b, w, solution);
}

void TreeRows::impose_on(Cluster& c, ConstSpan b, Vector& w, GaussSolution& solution) const {
  const auto m = static_cast<Eigen::Index>(c.rows.size());
  for (std::size_t k = 0; k < c.rates.size(); ++k) c.w[static_cast<Eigen::Index>(k)] = w[c.rates[k]];
  double scale = 0;
  const auto right = [&](Eigen::Index i) {
    const std::size_t row = index(c.rows[index(i)]);
    return active_[row] ? scale_[row] * b[row] : 0.0;
  };
  c.e.noalias() = c.Y.transpose() * c.w;
  for (Eigen::Index i = 0; i < m; ++i) {
    const double sb = right(i);
    scale = std::max({scale, std::abs(sb), std::abs(c.e[i])});
    c.e[i] = sb - c.e[i];
  }
  c.D.solve(as_span(c.e), as_span(c.y), as_span(c.mu));
  c.w += c.y;
  for (Eigen::Index i = 0; i < m; ++i) {
    const std::size_t row = index(c.rows[index(i)]);
    solution.lambda[c.rows[index(i)]] = -scale_[row] * c.mu[i];
  }
  double bound = std::numeric_limits<double>::infinity();
  if (c.D.rank().rank < m) {
    bound = policy_.inconsistency(violation_, c.D.rank().smallest_kept, scale);
    c.D.contradiction(as_span(c.e), as_span(c.mu));
  }
  const auto fates = c.D.fates();
  for (Eigen::Index i = 0; i < m; ++i) {
    const std::size_t row = index(c.rows[index(i)]);
    RowVerdict& verdict = solution.verdicts[row];
    if (!active_[row])
      verdict = RowVerdict::inactive;
    else if (fates[index(i)] == linalg::RowFate::kept)
      verdict = RowVerdict::independent;
    else if (std::abs(c.mu[i]) > bound)
      verdict = RowVerdict::conflicting;
    else
      verdict = fates[index(i)] == linalg::RowFate::vanished ? RowVerdict::vanished : RowVerdict::redundant;
  }
  c.e.noalias() = c.Y.transpose() * c.w;
  for (Eigen::Index i = 0; i < m; ++i) solution.residual = std::max(solution.residual, std::abs(c.e[i] - right(i)));
  for (std::size_t k = 0; k < c.rates.size(); ++k) w[c.rates[k]] = c.w[static_cast<Eigen::Index>(k)];
}

void TreeRows::project(Vector& w) {
  for (Cluster& c : clusters_) {
    for (std::size_t k = 0; k < c.rates.size(); ++k) c.w[static_cast<Eigen::Index>(k)] = w[c.rates[k]];
    c.e.noalias() = c.Y.transpose() * c.w;
    c.D.solve(as_span(c.e), as_span(c.y), as_span(c.mu));
    for (std::size_t k = 0; k < c.rates.size(); ++k) w[c.rates[k]] -= c.y[static_cast<Eigen::Index>(k)];
  }
}

void TreeRows::multipliers(const Vector& rest, Vector& lambda) {
  for (Cluster& c : clusters_) {
    for (std::size_t k = 0; k < c.rates.size(); ++k) c.w[static_cast<Eigen::Index>(k)] = rest[c.rates[k]];
    c.e.noalias() = c.Y.transpose() * c.w;
    c.D.solve(as_span(c.e), as_span(c.y), as_span(c.mu));
    for (std::size_t i = 0; i < c.rows.size(); ++i)
      lambda[c.rows[i]] = scale_[index(c.rows[i])] * c.mu[static_cast<Eigen::Index>(i)];
  }
}

Vector TreeRows::dependency(int row) const {
  const Cluster& c = clusters_[index(cluster_of_[index(row)])];
  const auto local = std::find(c.rows.begin(), c.rows.end(), row) - c.rows.begin();
  const Vector own = c.D.dependency(static_cast<int>(local));
  Vector out = Vector::Zero(pattern_.m());
  for (std::size_t i = 0; i < c.rows.size(); ++i)
    if (const double share = own[static_cast<Eigen::Index>(i)]; share != 0)
      out[c.rows[i]] = share * scale_[index(c.rows[i])] / scale_[index(row)];
  return out;
}

}  // namespace mortise::gauss
