#include "mortise/integrate/tableau_pair.h"

#include <Eigen/LU>
#include <algorithm>

namespace mortise::integrate {

TableauPair::TableauPair(const Settings& settings, const Tableau& table)
    : EmbeddedPair(settings, table.name, table.order), table_(table), f_old_name_(std::string(table.name) + ".f_old") {
  std::vector<double> points;
  for (const int stage : table.dense_stages) points.push_back(table.c[static_cast<std::size_t>(stage)]);
  levels_.push_back(level(points));
  for (const auto& more : table.dense_levels) levels_.push_back(level(more));
  for (std::size_t j = 0; j < d_names_.size(); ++j) d_names_[j] = table.name + (".d" + std::to_string(j));
}

TableauPair::Level TableauPair::level(std::vector<double> points) {
  const auto m = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd slopes(m, m);  // (w θᵏ)' at θᵢ
  for (Eigen::Index i = 0; i < m; ++i) {
    const double x = points[static_cast<std::size_t>(i)], w = x * x * (1 - x) * (1 - x);
    double power = 1, slope = 0;
    for (Eigen::Index k = 0; k < m; ++k) {
      slopes(i, k) = 2 * x * (1 - x) * (1 - 2 * x) * power + w * slope;
      slope = static_cast<double>(k + 1) * power;
      power *= x;
    }
  }
  return {std::move(points), slopes.inverse()};
}

void TableauPair::size_workspace(Eigen::Index n) {
  EmbeddedPair::size_workspace(n);
  k_.resize(static_cast<std::size_t>(table_.stages));
  for (Vector& k : k_) k.resize(n);
  for (auto* all : {&d_, &rates_, &kept_})
    for (Vector& v : *all) v.setZero(n);
  f_old_.setZero(n);
  point_.resize(n);
}

void TableauPair::trial(double h, double t_new) {
  const auto k = [&](int i) -> Vector& {
    return i + 1 == table_.stages && table_.ends_with_rates ? f_new_ : k_[static_cast<std::size_t>(i)];
  };
  const auto add = [&](Vector& to, int j, double weight) {
    if (weight != 0) to += (h * weight) * (j == 0 ? ydot_ : k(j));
  };
  const int last = table_.ends_with_rates ? table_.stages - 1 : table_.stages;
  for (int i = 1; i < last; ++i) {
    stage_ = y_;
    for (int j = 0; j < i; ++j) add(stage_, j, table_.a_at(i, j));
    const double c = table_.c[static_cast<std::size_t>(i)];
    rates(c == 1 ? t_new : t_ + c * h, stage_, k(i));
  }
  y_new_ = y_;
  for (int j = 0; j < last; ++j) add(y_new_, j, table_.b[static_cast<std::size_t>(j)]);
  if (table_.ends_with_rates) rates(t_new, y_new_, f_new_);
  stage_.setZero();
  for (int j = 0; j < table_.stages; ++j) {
    const auto i = static_cast<std::size_t>(j);
    add(stage_, j, table_.b[i] - table_.b_hat[i]);
  }
}

void TableauPair::prepare_dense(double /*h*/) {
  f_old_ = f_new_;
  for (std::size_t j = 0; j < table_.dense_stages.size(); ++j)
    d_[j].swap(k_[static_cast<std::size_t>(table_.dense_stages[j])]);
  known_ = Known::stages;
}

void TableauPair::subtract_cubic(const Level& at) const {
  const double h = t_ - t_old_;
  for (std::size_t j = 0; j < at.points.size(); ++j) {
    const double x = at.points[j];
    d_[j] = h * (d_[j] - (1 - x) * (1 - 3 * x) * f_old_ - x * (3 * x - 2) * ydot_) - 6 * x * (1 - x) * (y_ - y_old_);
  }
}

void TableauPair::evaluate(const Level& by, double x, Span out) const {
  const double h = t_ - t_old_, rest = 1 - x, w = x * x * rest * rest;
  auto y = as_vector(out);
  y = y_old_ + (x * x * (3 - 2 * x)) * (y_ - y_old_) + (h * x * rest) * (rest * f_old_ - x * ydot_);
  const Eigen::Index m = by.coefficients.rows();
  for (Eigen::Index j = 0; j < m; ++j) {
    double g = 0;
    for (Eigen::Index k = m; k-- > 0;) g = g * x + by.coefficients(k, j);
    y += (w * g) * d_[static_cast<std::size_t>(j)];
  }
}

// Level by level, from the stages to the whole polynomial.
void TableauPair::complete() const {
  const double h = t_ - t_old_;
  for (std::size_t j = 0; j < d_.size(); ++j) kept_[j] = d_[j];  // the flow may throw
  try {
    subtract_cubic(levels_[0]);
    for (std::size_t l = 1; l < levels_.size(); ++l) {
      const Level& level = levels_[l];
      for (std::size_t j = 0; j < level.points.size(); ++j) {
        evaluate(levels_[l - 1], level.points[j], as_span(point_));
        ++counters_.evaluations;
        flow_->rates(t_old_ + level.points[j] * h, as_span(point_), as_span(rates_[j]));
      }
      for (std::size_t j = 0; j < level.points.size(); ++j) d_[j].swap(rates_[j]);
      subtract_cubic(level);
    }
  } catch (...) {
    std::swap(kept_, d_);
    throw;
  }
  known_ = Known::all;
}

void TableauPair::dense(double t, Span out) const {
  if (dense_at_ends(t, out)) return;
  const double theta = (t - t_old_) / (t_ - t_old_);
  if (known_ == Known::ends) {
    as_vector(out) = y_old_ + theta * (y_ - y_old_);
    return;
  }
  if (known_ == Known::stages) complete();
  evaluate(levels_.back(), theta, out);
}

void TableauPair::save(Memory& memory) const {
  double own[own_scalars + 1];
  save_control(own);
  own[own_scalars] = static_cast<double>(known_);
  save_common(memory, own);
  const auto n = static_cast<std::size_t>(y_.size());
  as_vector(memory.slot(f_old_name_, n)) = f_old_;
  for (std::size_t j = 0; j < d_.size(); ++j) as_vector(memory.slot(d_names_[j], n)) = d_[j];
}

void TableauPair::load(Flow& flow, const Memory& memory) {
  const auto n = static_cast<std::size_t>(flow.size());
  std::array<ConstSpan, most_points> d;
  for (std::size_t j = 0; j < d.size(); ++j) d[j] = need(memory, d_names_[j], n);
  const ConstSpan f_old = need(memory, f_old_name_, n);
  double own[own_scalars + 1];
  load_common(flow, memory, own);
  size_workspace(y_.size());
  load_control(own);
  known_ = own[own_scalars] == 0 ? Known::ends : own[own_scalars] == 1 ? Known::stages : Known::all;
  f_old_ = as_vector(f_old);
  for (std::size_t j = 0; j < d.size(); ++j) d_[j] = as_vector(d[j]);
}

}  // namespace mortise::integrate
