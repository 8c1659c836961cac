#include "mortise/gauss/fronts.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "mortise/gauss/echelon.h"

namespace mortise::gauss {

namespace {

constexpr double shortest = 1e-3;   // rows shorter than this share of their nominal length are not stretched further
constexpr double forgotten = 1e-9;  // shares of a dependency below this are rounding

}  // namespace

Fronts::Fronts(const Pattern& pattern, const Vector& column_size, const std::vector<double>& row_size)
    : pattern_(pattern), column_size_(column_size), row_size_(row_size), n_(pattern.n()) {
  entries_.resize(index(pattern.m()));
  joint_.assign(index(pattern.m()), -1);
  for (const RowBlock& e : pattern.A)
    for (int i = 0; i < e.rows; ++i) {
      entries_[index(e.row + i)].push_back({e.block, e.offset + i * pattern.columns.size(e.block)});
      joint_[index(e.row + i)] = e.row;
    }

  std::vector<std::vector<int>> joints;
  for (const auto& row : entries_) {
    std::vector<int> blocks;
    for (const Entry& e : row) blocks.push_back(e.block);
    if (blocks.size() > 1 && (joints.empty() || joints.back() != blocks)) joints.push_back(std::move(blocks));
  }
  elimination_ = graph::eliminate(pattern.columns.count(), joints);

  const auto position = [&](int block) { return elimination_.position[index(block)]; };
  fronts_.resize(index(pattern.columns.count()));
  front_rows_.resize(fronts_.size());
  for (int block = 0; block < pattern.columns.count(); ++block) {
    Front& front = fronts_[index(position(block))];
    front.bodies = {block};
    front.own = pattern.columns.size(block);
    for (const int other : elimination_.separator[index(block)]) {
      front.bodies.push_back(other);
      front.others += pattern.columns.size(other);
    }
    largest_ = std::max(largest_, front.own + front.others);
    if (const int parent = elimination_.parent[index(block)]; parent >= 0)
      fronts_[index(position(parent))].children.push_back(position(block));
  }
  row_front_.assign(index(pattern.m()), -1);
  for (int row = 0; row < pattern.m(); ++row) {
    for (const Entry& e : entries_[index(row)])
      if (int& at = row_front_[index(row)]; at < 0 || position(e.block) < at) at = position(e.block);
    if (row_front_[index(row)] >= 0) front_rows_[index(row_front_[index(row)])].push_back(row);
  }
  scale_.assign(index(pattern.m()), 0.0);
  named_.assign(index(pattern.m()), -1);
  trace_.assign(index(pattern.m()), 0.0);
}

int Fronts::column(const Front& front, int block) const {
  int at = 0;
  for (const int other : front.bodies) {
    if (other == block) return at;
    at += pattern_.columns.size(other);
  }
  return -1;
}

void Fronts::factor(const GaussProblem& problem, const linalg::RankPolicy& policy) {
  policy_ = policy;
  violation_ = problem.violation;
  rank_ = {};
  rank_.largest = 1;
  rank_.smallest_kept = 1;
  rank_.threshold = policy.threshold(violation_);
  dependencies_.clear();
  free_.clear();
  groups_ = 0;
  std::fill(named_.begin(), named_.end(), -1);
  for (int row = 0; row < pattern_.m(); ++row) {
    scale_[index(row)] = 0;
    if (!problem.active[index(row)]) continue;
    ++rank_.rows;
    double length2 = 0;
    for (const Entry& e : entries_[index(row)])
      for (int k = 0; k < pattern_.columns.size(e.block); ++k)
        length2 += std::pow(problem.A[e.offset + k] * column_size_[pattern_.columns.begin(e.block) + k], 2);
    const double length = std::sqrt(length2) / row_size_[index(row)];
    if (length > policy.cut(1, violation_)) {
      scale_[index(row)] = 1 / (row_size_[index(row)] * std::max(length, shortest));
    } else {  // vanishes at this pose: a dependency of its own
      named_[index(row)] = static_cast<int>(dependencies_.size());
      dependencies_.push_back({row, {row}, Vector::Ones(1), Vector::Ones(1), groups_++});
      rank_.largest_dropped = std::max(rank_.largest_dropped, length);
    }
  }
  for (int position = 0; position < static_cast<int>(fronts_.size()); ++position) eliminate(position, problem);
}

void Fronts::eliminate(int position, const GaussProblem& problem) {
  Front& front = fronts_[index(position)];
  const int columns = front.own + front.others;

  // Rows of few joints first: what can be said about few joints is said about these.
  std::vector<Source> waiting;
  for (const int row : front_rows_[index(position)])
    if (scale_[index(row)] > 0) waiting.push_back({-1, row, 1, 0});
  for (const int child : front.children)
    for (int k = 0; k < fronts_[index(child)].handed.rows(); ++k)
      waiting.push_back({child, k, fronts_[index(child)].weight, 0});
  std::stable_sort(waiting.begin(), waiting.end(),
                   [](const Source& a, const Source& b) { return a.weight < b.weight; });

  std::vector<Source> rows;
  Matrix F;
  const auto take = [&](std::size_t begin, std::size_t end) {
    F.conservativeResize(static_cast<Eigen::Index>(rows.size() + end - begin), columns);
    F.bottomRows(static_cast<Eigen::Index>(end - begin)).setZero();
    for (std::size_t i = begin; i < end; ++i) {
      const auto into = static_cast<Eigen::Index>(rows.size());
      rows.push_back(waiting[i]);
      if (waiting[i].child < 0) {
        for (const Entry& e : entries_[index(waiting[i].row)]) {
          const int at = column(front, e.block), first = pattern_.columns.begin(e.block);
          for (int k = 0; k < pattern_.columns.size(e.block); ++k)
            F(into, at + k) += scale_[index(waiting[i].row)] * problem.A[e.offset + k] * column_size_[first + k];
        }
      } else {
        const Front& child = fronts_[index(waiting[i].child)];
        int from = 0;
        for (std::size_t b = 1; b < child.bodies.size(); ++b) {
          const int size = pattern_.columns.size(child.bodies[b]), at = column(front, child.bodies[b]);
          F.row(into).segment(at, size) += child.handed.row(waiting[i].row).segment(from, size);
          from += size;
        }
      }
    }
  };
  // All at once where nothing depends on anything. Else joint by joint and child by child, so that each dependency is
  // found with as few of them as possible, and a body that carries thousands of others never sees all their rows.
  const std::size_t count = waiting.size();
  if (count > 0 && count <= index(columns)) take(0, count);
  if (count > 0 && (count > index(columns) || !independent(F))) {
    rows.clear();
    F.resize(0, columns);
    for (std::size_t next = 0; next < count;) {
      std::size_t end = next + 1;
      const auto same = [&](const Source& a, const Source& b) {
        return a.child == b.child && (a.child >= 0 || joint_[index(a.row)] == joint_[index(b.row)]);
      };
      while (end < count && same(waiting[end], waiting[next])) ++end;
      for (std::size_t i = next; i < end; ++i) waiting[i].turn = static_cast<int>(next);
      take(next, end);
      compress(F, rows);
      next = end;
    }
  }

  // The motion of the front's own body.
  const int kept = static_cast<int>(rows.size());
  int r = 0;
  front.pivots.clear();
  front.free.clear();
  front.U.resize(kept, 0);
  front.W.resize(kept, 0);
  front.R.resize(0, front.own);
  if (kept > 0) {
    const Eigen::ColPivHouseholderQR<Matrix> qr(F.leftCols(front.own));
    const double cut = policy_.cut(1, violation_);
    while (r < std::min(kept, front.own) && std::abs(qr.matrixR()(r, r)) > cut) ++r;
    const Matrix Q = qr.householderQ() * Matrix::Identity(kept, kept);
    front.U = Q.leftCols(r);
    front.W = Q.rightCols(kept - r);
    front.R = qr.matrixR().topRows(r);
    for (int k = 0; k < r; ++k)
      for (int j = 0; j < k; ++j) front.R(k, j) = 0;
    for (int k = 0; k < front.own; ++k)
      (k < r ? front.pivots : front.free).push_back(qr.colsPermutation().indices()[k]);
  } else {
    front.free.resize(index(front.own));
    std::iota(front.free.begin(), front.free.end(), 0);
  }
  front.S = front.U.transpose() * F.rightCols(kept > 0 ? front.others : 0);
  if (kept == 0) front.S.resize(0, front.others);
  rank_.rank += r;
  for (std::size_t k = 0; k < front.free.size(); ++k) free_.push_back({position, static_cast<int>(k)});

  if (front.others == 0) {  // a root: what no column is left for depends on the rest
    const std::size_t found = dependencies_.size();
    for (Eigen::Index k = 0; k < front.W.cols(); ++k) trace(rows, front.W.col(k), dependencies_.emplace_back());
    separate(found, {});
    front.W.resize(kept, 0);
  }
  front.handed = front.W.transpose() * F.rightCols(kept > 0 ? front.others : 0);
  if (front.W.cols() == 0) front.handed.resize(0, front.others);
  // Rows of one length, orthogonal where nothing is lost by it: dropping rows must not shorten them level by level.
  if (front.handed.rows() > 0) {
    const Eigen::LLT<Matrix> llt(front.handed * front.handed.transpose());
    const Vector pivots = llt.matrixLLT().diagonal();
    if (llt.info() == Eigen::Success && pivots.minCoeff() > 1e-2 * pivots.maxCoeff()) {
      llt.matrixL().solveInPlace(front.handed);
      front.W = llt.matrixL().solve(front.W.transpose()).transpose().eval();
    }
  }
  front.rows = rows;
  front.weight = 0;
  int before = -1;
  for (const Source& s : rows) {
    if (s.child < 0 || s.child != before) front.weight += s.weight;
    before = s.child;
  }
}

int Fronts::decide(const Matrix& F, const Eigen::ColPivHouseholderQR<Matrix>& qr) {
  const int pivots = static_cast<int>(std::min(F.rows(), F.cols()));
  const auto pivot = [&](int k) { return std::abs(qr.matrixR()(k, k)); };
  const double largest = pivot(0), cut = policy_.cut(largest, violation_);
  int r = 0;
  while (r < pivots && pivot(r) > cut) ++r;
  double kept = r > 0 ? pivot(r - 1) : largest, dropped = r < pivots ? pivot(r) : 0;
  // Pivots may flatter the last rows; where one comes near the cut the singular values decide.
  if (kept < 1e4 * cut || dropped > 1e-3 * cut) {
    const Vector sigma = Eigen::JacobiSVD<Matrix>(F).singularValues();
    r = 0;
    while (r < pivots && sigma[r] > policy_.cut(sigma[0], violation_)) ++r;
    kept = r > 0 ? sigma[r - 1] : sigma[0];
    dropped = r < pivots ? sigma[r] : 0;
  }
  if (r > 0) rank_.smallest_kept = std::min(rank_.smallest_kept, kept / largest);
  rank_.largest_dropped = std::max(rank_.largest_dropped, dropped / largest);
  return r;
}

bool Fronts::independent(const Matrix& F) {
  const Eigen::ColPivHouseholderQR<Matrix> qr(F.transpose());
  return decide(F, qr) == F.rows();
}

// Takes the rows out of F that depend on the others.
void Fronts::compress(Matrix& F, std::vector<Source>& rows) {
  const int m = static_cast<int>(F.rows());
  const Eigen::ColPivHouseholderQR<Matrix> qr(F.transpose());
  const int r = decide(F, qr);
  const int k = m - r;
  if (k == 0) return;

  Matrix N(m, k);
  Matrix basis(m, k);
  basis.topRows(r) =
      -qr.matrixR().topLeftCorner(r, r).triangularView<Eigen::Upper>().solve(qr.matrixR().topRightCorner(r, k));
  basis.bottomRows(k).setIdentity();
  N = qr.colsPermutation() * basis;

  Vector weights(m);
  for (int i = 0; i < m; ++i) weights[i] = rows[index(i)].turn;
  const std::vector<int> gone = to_echelon(N, weights);
  const std::size_t found = dependencies_.size();
  std::vector<int> dropped;  // rows of the mechanism
  for (int j = 0; j < k; ++j) {
    trace(rows, N.col(j), dependencies_.emplace_back());
    if (const Source& last = rows[index(gone[index(j)])]; last.child < 0) dropped.push_back(last.row);
  }
  separate(found, dropped);

  std::vector<unsigned char> drop(index(m), 0);
  for (const int i : gone) drop[index(i)] = 1;
  int to = 0;
  for (int i = 0; i < m; ++i) {
    if (drop[index(i)]) continue;
    F.row(to) = F.row(i).eval();
    rows[index(to++)] = rows[index(i)];
  }
  rows.resize(index(to));
  F.conservativeResize(to, F.cols());
}

// From a combination of the rows of a front to one of rows of the mechanism.
void Fronts::trace(const std::vector<Source>& rows, const Vector& t, Dependency& out) {
  struct Visit {
    int front;
    Vector c;
  };
  std::vector<Visit> stack;
  std::vector<int> touched;
  const double least = forgotten * t.cwiseAbs().maxCoeff();
  const auto spread = [&](const std::vector<Source>& sources, const Vector& c) {
    const std::size_t first = stack.size();
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const double share = c[static_cast<Eigen::Index>(i)];
      const Source& s = sources[i];
      if (s.child < 0) {
        if (share == 0) continue;
        trace_[index(s.row)] += share;
        touched.push_back(s.row);
        continue;
      }
      if (std::abs(share) < least) continue;
      const auto same = std::find_if(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end(),
                                     [&](const Visit& v) { return v.front == s.child; });
      Visit& visit = same == stack.end()
                         ? stack.emplace_back(Visit{s.child, Vector::Zero(fronts_[index(s.child)].handed.rows())})
                         : *same;
      visit.c[s.row] += share;
    }
  };
  spread(rows, t);
  while (!stack.empty()) {
    const Visit visit = std::move(stack.back());
    stack.pop_back();
    const Front& front = fronts_[index(visit.front)];
    spread(front.rows, front.W * visit.c);
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  out.rows = touched;
  out.scaled.resize(static_cast<Eigen::Index>(touched.size()));
  for (std::size_t i = 0; i < touched.size(); ++i) {
    out.scaled[static_cast<Eigen::Index>(i)] = trace_[index(touched[i])];
    trace_[index(touched[i])] = 0;
  }
}

// Gives each dependency found since `begin` a row of its own, which takes part in no other one.
void Fronts::separate(std::size_t begin, const std::vector<int>& dropped) {
  if (begin == dependencies_.size()) return;
  // Rows that were named before are expressed by the others.
  std::vector<int> rows;
  for (std::size_t d = begin; d < dependencies_.size(); ++d) {
    Dependency& dependency = dependencies_[d];
    std::vector<int> touched;
    for (std::size_t i = 0; i < dependency.rows.size(); ++i) {
      trace_[index(dependency.rows[i])] = dependency.scaled[static_cast<Eigen::Index>(i)];
      touched.push_back(dependency.rows[i]);
    }
    // In the order in which they were found: each holds rows that later ones name, none that earlier ones do.
    std::set<int> others;
    const auto note = [&](int row) {
      if (named_[index(row)] >= 0) others.insert(named_[index(row)]);
    };
    for (const int row : dependency.rows) note(row);
    const bool again = !others.empty();
    while (!others.empty()) {
      const Dependency& o = dependencies_[index(*others.begin())];
      others.erase(others.begin());
      const auto own = std::lower_bound(o.rows.begin(), o.rows.end(), o.row) - o.rows.begin();
      const double factor = trace_[index(o.row)] / o.scaled[own];
      for (std::size_t i = 0; i < o.rows.size(); ++i) {
        trace_[index(o.rows[i])] -= factor * o.scaled[static_cast<Eigen::Index>(i)];
        touched.push_back(o.rows[i]);
        if (o.rows[i] != o.row) note(o.rows[i]);
      }
      trace_[index(o.row)] = 0;
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    if (again) {
      dependency.rows = touched;
      dependency.scaled.resize(static_cast<Eigen::Index>(touched.size()));
      for (std::size_t i = 0; i < touched.size(); ++i)
        dependency.scaled[static_cast<Eigen::Index>(i)] = trace_[index(touched[i])];
    }
    for (const int row : touched) trace_[index(row)] = 0;
    rows.insert(rows.end(), dependency.rows.begin(), dependency.rows.end());
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());

  const auto m = static_cast<Eigen::Index>(rows.size()), k = static_cast<Eigen::Index>(dependencies_.size() - begin);
  Matrix N = Matrix::Zero(m, k);
  for (Eigen::Index j = 0; j < k; ++j) {
    const Dependency& d = dependencies_[begin + static_cast<std::size_t>(j)];
    for (std::size_t i = 0; i < d.rows.size(); ++i)
      N(std::lower_bound(rows.begin(), rows.end(), d.rows[i]) - rows.begin(), j) =
          d.scaled[static_cast<Eigen::Index>(i)];
    N.col(j) /= N.col(j).cwiseAbs().maxCoeff();
  }
  // Named are rows that were dropped; else such that one dependency has for itself, and of these those that lie far
  // down the tree: they are in no later dependency.
  Vector weights(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    const int row = rows[static_cast<std::size_t>(i)];
    const auto shared = static_cast<double>((N.row(i).array().abs() > forgotten).count());
    const bool gone = std::find(dropped.begin(), dropped.end(), row) != dropped.end();
    weights[i] = gone ? 1 : -shared * static_cast<double>(fronts_.size()) - row_front_[index(row)];
  }
  const std::vector<int> own = to_echelon(N, weights);
  for (Eigen::Index j = 0; j < k; ++j) {
    const std::size_t at = begin + static_cast<std::size_t>(j);
    Dependency& d = dependencies_[at];
    N.col(j) /= N.col(j).cwiseAbs().maxCoeff();
    d.rows.clear();
    std::vector<double> scaled;
    for (Eigen::Index i = 0; i < m; ++i) {
      if (std::abs(N(i, j)) <= forgotten) continue;
      d.rows.push_back(rows[static_cast<std::size_t>(i)]);
      scaled.push_back(N(i, j));
    }
    d.scaled = Eigen::Map<const Vector>(scaled.data(), static_cast<Eigen::Index>(scaled.size()));
    d.coefficients = d.scaled;
    for (std::size_t i = 0; i < d.rows.size(); ++i)
      d.coefficients[static_cast<Eigen::Index>(i)] *= scale_[index(d.rows[i])];
    d.row = rows[index(own[static_cast<std::size_t>(j)])];
    d.group = groups_;
    named_[index(d.row)] = static_cast<int>(at);
  }
  ++groups_;
}

// The front's own part of x from that of its separator, with y = Uᵀ (right-hand sides) and what x says on free columns.
void Fronts::resolve(const Front& front, const Vector& y, Vector& x) const {
  Vector right = y;
  int from = 0;
  for (std::size_t b = 1; b < front.bodies.size(); ++b) {
    const int size = pattern_.columns.size(front.bodies[b]), begin = pattern_.columns.begin(front.bodies[b]);
    right.noalias() -= front.S.middleCols(from, size) * x.segment(begin, size);
    from += size;
  }
  const int begin = pattern_.columns.begin(front.bodies[0]);
  const auto r = static_cast<Eigen::Index>(front.pivots.size());
  for (std::size_t k = 0; k < front.free.size(); ++k)
    right -= front.R.col(r + static_cast<Eigen::Index>(k)) * x[begin + front.free[k]];
  const Vector own = front.R.leftCols(r).triangularView<Eigen::Upper>().solve(right);
  for (Eigen::Index k = 0; k < r; ++k) x[begin + front.pivots[static_cast<std::size_t>(k)]] = own[k];
}

Vector Fronts::solve(const Vector& right) const {
  std::vector<Vector> handed(fronts_.size()), own(fronts_.size());
  for (std::size_t p = 0; p < fronts_.size(); ++p) {
    const Front& front = fronts_[p];
    Vector y(static_cast<Eigen::Index>(front.rows.size()));
    for (std::size_t i = 0; i < front.rows.size(); ++i) {
      const Source& s = front.rows[i];
      y[static_cast<Eigen::Index>(i)] =
          s.child < 0 ? scale_[index(s.row)] * right[s.row] : handed[index(s.child)][s.row];
    }
    own[p] = front.U.transpose() * y;
    handed[p] = front.W.transpose() * y;
  }
  Vector x = Vector::Zero(n_);
  for (std::size_t p = fronts_.size(); p-- > 0;) resolve(fronts_[p], own[p], x);
  return x.cwiseProduct(column_size_);
}

Vector Fronts::motion(int k) const {
  const auto [start, which] = free_[index(k)];
  Vector x = Vector::Zero(n_);
  const Front& first = fronts_[index(start)];
  x[pattern_.columns.begin(first.bodies[0]) + first.free[index(which)]] = 1;
  std::vector<int> stack{start};
  while (!stack.empty()) {
    const Front& front = fronts_[index(stack.back())];
    const bool root = stack.back() == start;
    stack.pop_back();
    // Behind a separator that stands still everything does.
    double moves = root ? 1 : 0;
    for (std::size_t b = 1; b < front.bodies.size(); ++b)
      moves = std::max(moves, x.segment(pattern_.columns.begin(front.bodies[b]), pattern_.columns.size(front.bodies[b]))
                                  .cwiseAbs()
                                  .maxCoeff());
    if (moves == 0) continue;
    resolve(front, Vector::Zero(static_cast<Eigen::Index>(front.pivots.size())), x);
    stack.insert(stack.end(), front.children.begin(), front.children.end());
  }
  return x.cwiseProduct(column_size_);
}

}  // namespace mortise::gauss
