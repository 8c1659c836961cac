#include "mortise/integrate/contact/contact_solver.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace mortise::integrate {

ContactSolver::ContactSolver(const gauss::Pattern& pattern, int tangents)
    : pattern_(pattern), tangents_(tangents), factor_(gauss::make_formulation("auto")->prepare(pattern)) {
  response_.resize(pattern);
  response_.any_multipliers = true;
  right_.setZero(pattern.n());
  zero_.setZero(pattern.m());
  inverse_mass_.assign(static_cast<std::size_t>(pattern.M_size), 0);
  // Clusters: blocks that share a row, whether it is on or off.
  const auto blocks = static_cast<std::size_t>(pattern.columns.count());
  std::vector<int> parent(blocks);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int k) {
    while (parent[index(k)] != k) k = parent[index(k)] = parent[index(parent[index(k)])];
    return k;
  };
  jointed_.assign(blocks, 0);
  std::vector<int> of_row(static_cast<std::size_t>(pattern.m()), -1);
  for (const gauss::RowBlock& block : pattern.A) {
    jointed_[index(block.block)] = 1;
    for (int row = block.row; row < block.row + block.rows; ++row) {
      int& other = of_row[index(row)];
      if (other >= 0)
        parent[index(std::max(root(other), root(block.block)))] = std::min(root(other), root(block.block));
      other = block.block;
    }
  }
  cluster_.assign(blocks, -1);
  for (std::size_t k = 0; k < blocks; ++k) {
    const auto top = index(root(static_cast<int>(k)));
    if (cluster_[top] < 0) {
      cluster_[top] = static_cast<int>(members_.size());
      members_.emplace_back();
    }
    cluster_[k] = cluster_[top];
    members_[index(cluster_[k])].push_back(static_cast<int>(k));
  }
}

bool ContactSolver::factor(const gauss::GaussProblem& problem, const linalg::RankPolicy& policy) {
  factor_->forget();  // the bits of a step must not depend on steps before it
  if (!factor_->factor(problem, policy)) return false;
  for (int block = 0; block < pattern_.columns.count(); ++block) {
    const int size = pattern_.columns.size(block);
    if (jointed_[index(block)] || size > 6) continue;
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, 6, 6> M =
        Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
            problem.M.data() + pattern_.M_offset[index(block)], size, size);
    Eigen::LLT<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>> llt(M);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, 6, 6> inverse(size, size);
    inverse.setIdentity();
    llt.solveInPlace(inverse);
    std::copy_n(inverse.data(), size * size, inverse_mass_.data() + pattern_.M_offset[index(block)]);
  }
  return true;
}

void ContactSolver::answer_alone(int block, const double* J) {
  const int size = pattern_.columns.size(block);
  const Segment segment{pattern_.columns.begin(block), size, static_cast<int>(values_.size())};
  const double* inverse = inverse_mass_.data() + pattern_.M_offset[index(block)];
  for (int i = 0; i < size; ++i) {
    double sum = 0;
    for (int k = 0; k < size; ++k) sum += inverse[i * size + k] * J[k];
    values_.push_back(sum);
  }
  segments_.push_back(segment);
}

// Both bodies at once: they may be of one cluster.
bool ContactSolver::answer_of_clusters(const ContactPoint& point, int row) {
  bool any = false;
  int clusters[2] = {-1, -1};
  for (int side = 0; side < 2; ++side) {
    const int block = point.block[side];
    if (block < 0 || !jointed_[index(block)]) continue;
    const int begin = pattern_.columns.begin(block), size = pattern_.columns.size(block);
    for (int k = 0; k < size; ++k) right_[begin + k] = point.J[side][row][k];
    clusters[side] = cluster_[index(block)];
    any = true;
  }
  if (!any) return false;
  factor_->solve(as_span(static_cast<const Vector&>(right_)), as_span(static_cast<const Vector&>(zero_)), response_);
  for (int side = 0; side < 2; ++side) {
    const int cluster = clusters[side], block = point.block[side];
    if (cluster < 0) continue;
    right_.segment(pattern_.columns.begin(block), pattern_.columns.size(block)).setZero();
    if (side == 1 && cluster == clusters[0]) continue;
    for (const int member : members_[index(cluster)]) {
      const Segment segment{pattern_.columns.begin(member), pattern_.columns.size(member),
                            static_cast<int>(values_.size())};
      for (int k = 0; k < segment.size; ++k) values_.push_back(response_.a[segment.column + k]);
      segments_.push_back(segment);
    }
  }
  return true;
}

void ContactSolver::begin(std::span<const ContactPoint> points, ConstSpan c_t) {
  points_ = points;
  segments_.clear();
  first_segment_.clear();
  values_.clear();
  driven_.clear();
  diagonal_.assign(9 * points.size(), 0);
  for (std::size_t k = 0; k < points.size(); ++k)
    for (int row = 0; row < 3; ++row) {
      first_segment_.push_back(static_cast<int>(segments_.size()));
      if (row > tangents_) {
        driven_.push_back(0);
        continue;
      }
      const ContactPoint& point = points[k];
      driven_.push_back(answer_of_clusters(point, row) ? response_.lambda.dot(as_vector(c_t)) : 0.0);
      for (int side = 0; side < 2; ++side)
        if (const int block = point.block[side]; block >= 0 && !jointed_[index(block)])
          answer_alone(block, point.J[side][row]);
    }
  first_segment_.push_back(static_cast<int>(segments_.size()));
  // J u by a vector that is zero everywhere else.
  for (std::size_t k = 0; k < points.size(); ++k)
    for (int column = 0; column <= tangents_; ++column) {
      apply(k, column, 1, as_span(right_));
      for (int row = 0; row <= tangents_; ++row)
        diagonal_[9 * k + static_cast<std::size_t>(3 * row + column)] = rate(k, row, as_span(right_));
      for (int s = first_segment_[3 * k + index(column)]; s < first_segment_[3 * k + index(column) + 1]; ++s)
        right_.segment(segments_[index(s)].column, segments_[index(s)].size).setZero();
    }
}

double ContactSolver::rate(std::size_t contact, int row, ConstSpan v) const {
  const ContactPoint& point = points_[contact];
  double sum = 0;
  for (int side = 0; side < 2; ++side) {
    const int block = point.block[side];
    if (block < 0) continue;
    const double* x = v.data() + pattern_.columns.begin(block);
    const double* J = point.J[side][row];
    for (int k = 0; k < pattern_.columns.size(block); ++k) sum += J[k] * x[k];
  }
  return sum;
}

void ContactSolver::apply(std::size_t contact, int row, double impulse, Span v) const {
  const std::size_t at = 3 * contact + static_cast<std::size_t>(row);
  for (int s = first_segment_[at]; s < first_segment_[at + 1]; ++s) {
    const Segment& segment = segments_[index(s)];
    double* x = v.data() + segment.column;
    const double* u = values_.data() + segment.at;
    for (int k = 0; k < segment.size; ++k) x[k] += impulse * u[k];
  }
}

// One contact, the others as they are. Returns the largest change of its own rates.
double ContactSolver::local(std::size_t contact, double target, double mu, bool friction, double* p, Span v) const {
  const double* G = diagonal_.data() + 9 * contact;
  double change = 0;
  const auto move = [&](int row, double next) {
    const double step = next - p[row];
    if (step == 0) return;
    p[row] = next;
    apply(contact, row, step, v);
    change = std::max(change, std::abs(step) * G[4 * row]);
  };
  if (!(G[0] > 0)) return 0;  // held by joints in this direction
  const double gap_rate = rate(contact, 0, v);
  if (p[0] == 0 && gap_rate >= target) return 0;
  move(0, std::max(0.0, p[0] - (gap_rate - target) / G[0]));
  if (!friction || !(mu > 0)) return change;
  const double limit = mu * p[0];
  if (tangents_ == 1) {
    if (G[4] > 0) move(1, std::clamp(p[1] - rate(contact, 1, v) / G[4], -limit, limit));
    return change;
  }
  const double a = G[4], b = 0.5 * (G[5] + G[7]), c = G[8], determinant = a * c - b * b;
  const double s1 = rate(contact, 1, v), s2 = rate(contact, 2, v);
  const double middle = 0.5 * (a + c), largest = middle + std::hypot(0.5 * (a - c), b);
  if (!(largest > 0)) return change;
  double x = p[1], y = p[2];
  bool sticks = false;
  if (determinant > 1e-12 * largest * largest) {
    x = p[1] - (c * s1 - b * s2) / determinant;
    y = p[2] - (a * s2 - b * s1) / determinant;
    sticks = x * x + y * y <= limit * limit;
  }
  if (!sticks) {
    x = p[1] - s1 / largest;
    y = p[2] - s2 / largest;
    const double length = std::hypot(x, y);
    if (length > limit) x *= limit / length, y *= limit / length;
  }
  move(1, x);
  move(2, y);
  return change;
}

double ContactSolver::sweep(std::size_t first, std::size_t last, ConstSpan targets, const Sweeps& how, Span impulses,
                            Span v) const {
  double change = 0;
  for (int turn = 0; turn < how.most; ++turn) {
    change = 0;
    const auto at = [&](std::size_t k) {
      change = std::max(change, local(k, targets[k], points_[k].friction, how.friction, impulses.data() + 3 * k, v));
    };
    if (turn % 2 == 0)
      for (std::size_t k = first; k < last; ++k) at(k);
    else
      for (std::size_t k = last; k-- > first;) at(k);
    if (change <= how.wanted) break;
  }
  return change;
}

}  // namespace mortise::integrate
