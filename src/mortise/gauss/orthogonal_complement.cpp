#include "mortise/gauss/orthogonal_complement.h"

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace mortise::gauss {

namespace {

// A remembered choice is kept while its condition is below both (specs/orthogonal-complement.md §3, hysteresis).
constexpr double worse_than_best = 10, worst_condition = 1e6;
// How far the rows may be off Ĉ J, relative to the largest of them: more is a mistake of the system.
constexpr double mismatch = 1e-9;

}  // namespace

Capabilities OrthogonalComplement::can() const {
  Capabilities c;
  c.redundant_rows = true;
  c.singular_mass = true;
  c.gives_rank = true;
  c.remembers = true;
  return c;
}

std::unique_ptr<Factor> OrthogonalComplement::prepare(const Pattern& pattern) const {
  return std::make_unique<OrthogonalComplementFactor>(pattern, form_);
}

OrthogonalComplementFactor::OrthogonalComplementFactor(const Pattern& p, OrthogonalComplement::Form form)
    : DenseFactor(p, Form::raw), form_(form) {
  const int n = p.n(), m = p.m();
  rows_.resize(m, n);
  columns_.resize(n, n);
  previous_.resize(n, n);
  dependencies_.resize(m);
  points_.reserve(index(m));
  J_.setZero(n, n);
  N_.setZero(n, n);
  MN_.setZero(n, n);
  K_.setZero(n, n);
  if (form == OrthogonalComplement::Form::stacked) {
    stacked_.setZero(n, n);
    lu_ = Eigen::PartialPivLU<Matrix>(n);
  }
  for (auto* list : {&dep_, &y_, &last_dep_}) list->reserve(index(n));
  is_dep_.assign(index(n), 0);
  granted_.setZero(m);
  for (Vector* v : {&x_, &w_k_, &unit_, &force_, &z_}) v->setZero(n);
}

// ---- Coordinates: rows of J_ with their Ĉ -----------------------------------------------------------------------

// Ĉ_i of the active rows, Ĉᵀ P = Q R, and its complement: as given while all rows are on, else the rest of Q.
bool OrthogonalComplementFactor::take_point(const LocalPoint& point, int k, Point& out) {
  const int coordinates = static_cast<int>(point.at.C.cols());
  LocalMatrix Ct(coordinates, point.at.C.rows());
  std::array<int, most_local> active_row{};
  out.coordinate = k;
  out.count = 0;
  for (int i = 0; i < point.at.C.rows(); ++i) {
    const int row = point.row + i;
    if (!active(row)) continue;
    const double s = pattern().row_scale[index(row)];
    for (int j = 0; j < coordinates; ++j) {
      const double t = local_->scale.empty() ? 1 : local_->scale[index(point.coordinate + j)];
      Ct(j, out.count) = s * point.at.C(i, j) / t;
    }
    active_row[index(out.count++)] = row;
  }
  if (out.count == 0) return true;
  const bool whole = out.count == point.at.C.rows();
  const Eigen::ColPivHouseholderQR<LocalMatrix> qr(LocalMatrix(Ct.leftCols(out.count)));
  out.R = qr.matrixR().topLeftCorner(std::min(coordinates, out.count), out.count);
  const double smallest = out.count > coordinates ? 0 : std::abs(out.R(out.count - 1, out.count - 1));
  if (!(smallest > policy_.cut(std::abs(out.R(0, 0)), violation_))) {
    refusal_.kind = Refusal::Kind::dependent_rows;
    refusal_.pivot = smallest / std::abs(out.R(0, 0));
    for (int i = 0; i < out.count; ++i) refusal_.rows.push_back(active_row[index(i)]);
    return false;
  }
  for (int i = 0; i < out.count; ++i) out.row[index(i)] = active_row[index(qr.colsPermutation().indices()[i])];
  out.Q = qr.householderQ() * LocalMatrix::Identity(coordinates, coordinates);
  if (whole && point.at.D.rows() == coordinates - out.count) {
    out.D = point.at.D;
    for (int j = 0; j < coordinates && !local_->scale.empty(); ++j)
      out.D.col(j) *= local_->scale[index(point.coordinate + j)];
  } else {
    out.D = out.Q.rightCols(coordinates - out.count).transpose();
  }
  return true;
}

bool OrthogonalComplementFactor::take_local(bool& usable) {
  usable = true;
  k_ = 0;
  points_.clear();
  if (local_->J.cols() != n()) throw std::invalid_argument("local rows: J has another number of columns than A");
  int covered = 0;
  for (const LocalPoint& point : local_->points) {
    const int coordinates = static_cast<int>(point.at.C.cols());
    points_.emplace_back();
    Point& p = points_.back();
    if (!take_point(point, k_, p)) return false;
    if (p.count == 0) {
      points_.pop_back();
      continue;
    }
    covered += p.count;
    if (k_ + coordinates > n()) {
      usable = false;
      return true;
    }
    for (int j = 0; j < coordinates; ++j)
      J_.row(k_ + j) = (local_->scale.empty() ? 1 : local_->scale[index(point.coordinate + j)]) *
                       local_->J.row(point.coordinate + j);
    for (int i = 0; i < point.at.C.rows(); ++i) {
      const int row = point.row + i;
      double off = 0, size = 0;
      for (int c = 0; c < n() && active(row); ++c) {
        double sum = 0;
        for (int j = 0; j < coordinates; ++j) sum += point.at.C(i, j) * local_->J(point.coordinate + j, c);
        sum *= pattern().row_scale[index(row)];
        off = std::max(off, std::abs(sum - A_(row, c)));
        size = std::max({size, std::abs(sum), std::abs(A_(row, c))});
      }
      if (off > mismatch * size) throw std::invalid_argument("local rows: Ĉ J is not A in row " + std::to_string(row));
    }
    k_ += coordinates;
  }
  if (covered != active_rows_) throw std::invalid_argument("local rows: a row of A belongs to no point, or to two");
  return true;
}

// Every kept row is its own coordinate, Ĉ = I.
void OrthogonalComplementFactor::take_rows() {
  points_.clear();
  k_ = rank_.rank;
  for (int k = 0; k < k_; ++k) J_.row(k) = A_.row(rows_.kept(k));
}

// ---- The choice of the complementary coordinates ----------------------------------------------------------------

// ‖J‖ ‖J₂⁻¹‖ in the Frobenius norm: the condition of J₂, or more where other columns are longer. With one local
// coordinate J₂ is a number, perfectly conditioned however small; against the others it shows.
double OrthogonalComplementFactor::condition_of(const linalg::RowGramSchmidt& J2) {
  double inverse2 = 0;
  for (int i = 0; i < k_; ++i) {
    unit_.setZero();
    unit_[i] = 1;
    J2.solve(unit_.data());
    inverse2 += unit_.head(k_).squaredNorm();
  }
  factor_flops_.add(static_cast<double>(k_) * k_ * k_);
  return J_.topRows(k_).norm() * std::sqrt(inverse2);
}

// J₂ with the columns of last_dep_. False: singular.
bool OrthogonalComplementFactor::factor_columns() {
  previous_.begin(k_, k_);
  for (int j = 0; j < k_; ++j)
    for (int i = 0; i < k_; ++i) previous_.row(j)[i] = J_(i, last_dep_[index(j)]);
  linalg::RankPolicy any = policy_;
  any.fixed = policy_.noise;
  previous_.factor(any, 0);
  factor_flops_.add(previous_.flops());
  return previous_.rank().rank == k_;
}

bool OrthogonalComplementFactor::choose(const linalg::RankPolicy& policy) {
  columns_.begin(n(), k_);
  for (int j = 0; j < n(); ++j)
    for (int i = 0; i < k_; ++i) columns_.row(j)[i] = J_(i, j);
  columns_.factor(policy, violation_);
  factor_flops_.add(columns_.flops());
  if (columns_.rank().rank < k_) return false;
  J2_ = &columns_;
  dep_.clear();
  for (int k = 0; k < k_; ++k) dep_.push_back(columns_.kept(k));
  std::fill(is_dep_.begin(), is_dep_.end(), 0);
  for (int j : dep_) is_dep_[index(j)] = 1;

  const bool demanded = !demanded_.empty();
  if (demanded) {
    last_dep_.clear();
    for (int j = 0; j < n(); ++j)
      if (std::find(demanded_.begin(), demanded_.end(), j) == demanded_.end()) last_dep_.push_back(j);
    if (static_cast<int>(last_dep_.size()) != k_) throw std::invalid_argument("y must have n − k coordinates");
  }
  condition_ = condition_of(columns_);
  const auto chosen = [&](int j) { return is_dep_[index(j)] != 0; };
  if (demanded || (remembered_ == k_ && !std::all_of(last_dep_.begin(), last_dep_.end(), chosen))) {
    const bool regular = factor_columns();
    if (demanded && !regular) {
      refusal_.kind = Refusal::Kind::dependent_rows;
      refusal_.pivot = previous_.rank().largest_dropped;
      refusal_.rows.clear();
      return false;
    }
    const double old = regular ? condition_of(previous_) : worst_condition;
    if (demanded || (old <= worse_than_best * condition_ && old < worst_condition)) {
      condition_ = old;
      J2_ = &previous_;
      std::fill(is_dep_.begin(), is_dep_.end(), 0);
      for (int k = 0; k < k_; ++k) {
        dep_[index(k)] = last_dep_[index(previous_.kept(k))];
        is_dep_[index(dep_[index(k)])] = 1;
      }
    }
  }
  last_dep_ = dep_;
  remembered_ = demanded ? 0 : k_;
  y_.clear();
  for (int j = 0; j < n(); ++j)
    if (!is_dep_[index(j)]) y_.push_back(j);
  return true;
}

// J₂ᵀ = R₁ H
void OrthogonalComplementFactor::solve_J2(const double* y, double* x) {
  for (int k = 0; k < k_; ++k) {
    x[k] = 0;
    for (int i = 0; i < k_; ++i) x[k] += J2_->H(k)[i] * y[i];
  }
  J2_->solve_transposed(x);
}

void OrthogonalComplementFactor::solve_J2_transposed(const double* w, double* y) {
  std::copy(w, w + k_, unit_.data());
  J2_->solve(unit_.data());
  std::fill(y, y + k_, 0.0);
  for (int k = 0; k < k_; ++k)
    for (int i = 0; i < k_; ++i) y[i] += unit_[k] * J2_->H(k)[i];
}

void OrthogonalComplementFactor::build_basis() {
  free_ = n() - rank_.rank;
  N_.leftCols(free_).setZero();
  int column = 0;
  const auto put = [&](double sign) {
    solve_J2(w_k_.data(), x_.data());
    for (int k = 0; k < k_; ++k) N_(dep_[index(k)], column) = sign * x_[k];
    factor_flops_.add(3.0 * k_ * k_);
  };
  for (const Point& p : points_)
    for (int l = 0; l < p.D.rows(); ++l, ++column) {
      w_k_.setZero();
      w_k_.segment(p.coordinate, p.D.cols()) = p.D.row(l).transpose();
      put(1);
    }
  for (int j : y_) {
    w_k_.head(k_) = J_.col(j).head(k_);
    put(-1);
    N_(j, column++) = 1;
  }
}

// NᵀMN = L Lᵀ. A pivot of nothing is a motion that neither mass nor constraint holds.
bool OrthogonalComplementFactor::factor_mass() {
  MN_.leftCols(free_).noalias() = M_ * N_.leftCols(free_);
  K_.topLeftCorner(free_, free_).noalias() = N_.leftCols(free_).transpose() * MN_.leftCols(free_);
  int missing = 0;
  for (int j = 0; j < free_; ++j) {
    const double diagonal = K_(j, j);
    double d = diagonal;
    for (int l = 0; l < j; ++l) d -= K_(j, l) * K_(j, l);
    const bool held = d > policy_.mass * std::abs(diagonal) && diagonal > 0;
    missing += !held;
    const double L = held ? std::sqrt(d) : 0;
    K_(j, j) = L;
    for (int i = j + 1; i < free_; ++i) {
      double sum = K_(i, j);
      for (int l = 0; l < j; ++l) sum -= K_(i, l) * K_(j, l);
      K_(i, j) = held ? sum / L : 0;
    }
  }
  factor_flops_.product(n(), n(), free_);
  factor_flops_.product(free_, n(), free_);
  factor_flops_.cholesky(free_);
  if (missing == 0) return true;
  refusal_.kind = Refusal::Kind::not_unique;
  refusal_.missing = missing;
  return false;
}

bool OrthogonalComplementFactor::decompose() {
  rows_.begin(m(), n());
  for (int i = 0; i < m(); ++i)
    for (int j = 0; j < n(); ++j) rows_.row(i)[j] = A_(i, j);
  rows_.factor(policy_, violation_);
  factor_flops_.add(rows_.flops());
  rank_ = rows_.rank();
  dependencies_.find(rows_, policy_, violation_);
  factor_flops_.add(dependencies_.flops());
  std::fill(fate_.begin(), fate_.end(), Fate::kept);
  active_rows_ = 0;
  for (int i = 0; i < m(); ++i) active_rows_ += active(i);
  for (int k = 0; k < dependencies_.count(); ++k) {
    const int row = dependencies_.row(k);
    fate_[index(row)] = rows_.fates()[index(row)] == linalg::RowFate::vanished ? Fate::vanished : Fate::dropped;
  }

  bool chosen = false;
  if (local_ != nullptr) {
    bool usable = false;
    if (!take_local(usable)) return false;
    chosen = usable && rank_.rank == active_rows_ && choose(policy_);
    if (refusal_.kind != Refusal::Kind::none) return false;
  }
  if (!chosen) {
    // The rank is known; what remains is to find the best columns for it.
    linalg::RankPolicy any = policy_;
    any.fixed = policy_.noise;
    take_rows();
    if (!choose(any)) {
      if (refusal_.kind == Refusal::Kind::none) throw std::logic_error("independent rows without independent columns");
      return false;
    }
  }
  build_basis();
  if (!factor_mass()) return false;
  if (form_ == OrthogonalComplement::Form::stacked) {
    stacked_.topRows(free_) = MN_.leftCols(free_).transpose();
    for (int k = 0; k < rank_.rank; ++k) stacked_.row(free_ + k) = A_.row(rows_.kept(k));
    lu_.compute(stacked_);
    factor_flops_.lu(n());
  }
  return true;
}

void OrthogonalComplementFactor::resolve(const Vector& Q, const Vector& e, Vector& a, Vector& mu) {
  const double scale = m() > 0 ? e.lpNorm<Eigen::Infinity>() : 0;
  dependencies_.grant(e, policy_.inconsistency(violation_, rank_.smallest_kept, scale), excess_, granted_);
  if (form_ == OrthogonalComplement::Form::stacked) {
    force_.head(free_).noalias() = N_.leftCols(free_).transpose() * Q;
    for (int k = 0; k < rank_.rank; ++k) force_[free_ + k] = granted_[rows_.kept(k)];
    a = lu_.solve(force_);
  } else {
    // a₀: the shortest local accelerations that the constraints ask for, y at rest.
    for (int k = 0; k < k_ && points_.empty(); ++k) w_k_[k] = granted_[rows_.kept(k)];
    for (const Point& p : points_) {
      std::array<double, most_local> t;
      for (int i = 0; i < p.count; ++i) {
        double sum = granted_[p.row[index(i)]];
        for (int l = 0; l < i; ++l) sum -= p.R(l, i) * t[index(l)];
        t[index(i)] = sum / p.R(i, i);
      }
      for (int j = 0; j < p.Q.rows(); ++j) {
        w_k_[p.coordinate + j] = 0;
        for (int i = 0; i < p.count; ++i) w_k_[p.coordinate + j] += p.Q(j, i) * t[index(i)];
      }
    }
    solve_J2(w_k_.data(), x_.data());
    a.setZero();
    for (int k = 0; k < k_; ++k) a[dep_[index(k)]] = x_[k];
    force_ = Q;
    force_.noalias() -= M_ * a;
    auto z = z_.head(free_);
    z.noalias() = N_.leftCols(free_).transpose() * force_;
    for (int j = 0; j < free_; ++j) {
      for (int l = 0; l < j; ++l) z[j] -= K_(j, l) * z[l];
      z[j] /= K_(j, j);
    }
    for (int j = free_ - 1; j >= 0; --j) {
      z[j] /= K_(j, j);
      for (int l = 0; l < j; ++l) z[l] -= K_(j, l) * z[j];
    }
    a.noalias() += N_.leftCols(free_) * z;
  }
  solve_flops_.product(n(), n() + free_, 1);

  // r̂ = J₂ᵀ⁻¹ (Q − M a)_rest = Ĉᵀμ
  force_ = Q;
  force_.noalias() -= M_ * a;
  for (int k = 0; k < k_; ++k) x_[k] = force_[dep_[index(k)]];
  solve_J2_transposed(x_.data(), w_k_.data());
  mu.setZero();
  for (int k = 0; k < k_ && points_.empty(); ++k) mu[rows_.kept(k)] = w_k_[k];
  for (const Point& p : points_) {
    std::array<double, most_local> t;
    for (int i = p.count - 1; i >= 0; --i) {
      double sum = 0;
      for (int j = 0; j < p.Q.rows(); ++j) sum += p.Q(j, i) * w_k_[p.coordinate + j];
      for (int l = i + 1; l < p.count; ++l) sum -= p.R(i, l) * t[index(l)];
      t[index(i)] = sum / p.R(i, i);
      mu[p.row[index(i)]] = t[index(i)];
    }
  }
  dependencies_.shorten(mu);
  solve_flops_.product(n(), n(), 1);
  solve_flops_.add(6.0 * k_ * k_);
}

}  // namespace mortise::gauss
