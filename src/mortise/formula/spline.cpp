#include "mortise/formula/spline.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace mortise::formula {

namespace {

// One equation: low·m_{i−1} + middle·m_i + high·m_{i+1} = right.
struct Equation {
  double low, middle, high, right;
};

// Elimination without pivoting: safe, the systems are diagonally dominant.
std::vector<double> solve(std::vector<Equation> rows) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double factor = rows[i].low / rows[i - 1].middle;
    rows[i].middle -= factor * rows[i - 1].high;
    rows[i].right -= factor * rows[i - 1].right;
  }
  std::vector<double> m(rows.size());
  for (std::size_t i = rows.size(); i-- > 0;)
    m[i] = (rows[i].right - (i + 1 < rows.size() ? rows[i].high * m[i + 1] : 0)) / rows[i].middle;
  return m;
}

}  // namespace

Spline::Spline(std::vector<double> x, std::vector<double> y, Ends ends, Outside outside, double first_slope,
               double last_slope)
    : x_(std::move(x)), y_(std::move(y)), ends_(ends), outside_(outside) {
  if (x_.size() < 3 || x_.size() != y_.size()) throw std::invalid_argument("a table needs 3 points, as many y as x");
  for (std::size_t i = 0; i + 1 < x_.size(); ++i)
    if (!(x_[i] < x_[i + 1])) throw std::invalid_argument("the x of a table must increase");
  if (ends_ == Ends::periodic) {
    if (y_.front() != y_.back()) throw std::invalid_argument("a periodic table must end where it begins");
    solve_periodic();
  } else {
    solve_open(first_slope, last_slope);
  }
  for (std::size_t i = 0; i < x_.size(); ++i)
    if (!std::isfinite(x_[i]) || !std::isfinite(y_[i]) || !std::isfinite(m_[i]))
      throw std::invalid_argument("the curvature of a table is not a finite number");
}

void Spline::solve_open(double first_slope, double last_slope) {
  const std::size_t n = x_.size() - 1;
  const auto h = [&](std::size_t i) { return x_[i + 1] - x_[i]; };
  const auto d = [&](std::size_t i) { return (y_[i + 1] - y_[i]) / h(i); };
  std::vector<Equation> rows(n + 1);
  for (std::size_t i = 1; i < n; ++i) rows[i] = {h(i - 1), 2 * (h(i - 1) + h(i)), h(i), 6 * (d(i) - d(i - 1))};
  if (ends_ == Ends::natural) {
    rows[0] = rows[n] = {0, 1, 0, 0};
  } else {
    rows[0] = {0, 2 * h(0), h(0), 6 * (d(0) - first_slope)};
    rows[n] = {h(n - 1), 2 * h(n - 1), 0, 6 * (last_slope - d(n - 1))};
  }
  m_ = solve(std::move(rows));
}

// m_n = m_0: the equations of the inner knots give m = u + m_0 w, that of knot 0 then gives m_0.
void Spline::solve_periodic() {
  const std::size_t n = x_.size() - 1;
  const auto h = [&](std::size_t i) { return x_[i + 1] - x_[i]; };
  const auto d = [&](std::size_t i) { return (y_[i + 1] - y_[i]) / h(i); };
  std::vector<Equation> rows(n - 1);
  for (std::size_t i = 1; i < n; ++i) rows[i - 1] = {h(i - 1), 2 * (h(i - 1) + h(i)), h(i), 6 * (d(i) - d(i - 1))};
  const std::vector<double> u = solve(rows);
  for (Equation& row : rows) row.right = 0;
  rows.front().right -= h(0);
  rows.back().right -= h(n - 1);
  const std::vector<double> w = solve(rows);
  const double right = 6 * (d(0) - d(n - 1)) - h(n - 1) * u.back() - h(0) * u.front();
  const double m0 = right / (2 * (h(n - 1) + h(0)) + h(n - 1) * w.back() + h(0) * w.front());
  m_.assign(n + 1, m0);
  for (std::size_t i = 1; i < n; ++i) m_[i] = u[i - 1] + m0 * w[i - 1];
}

Jet<double> Spline::inside(double x) const {
  const auto above = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
  const auto i = static_cast<std::size_t>(above - x_.begin()) - 1;
  const double h = x_[i + 1] - x_[i], A = (x_[i + 1] - x) / h, B = (x - x_[i]) / h;
  const double m0 = m_[i], m1 = m_[i + 1];
  return {A * y_[i] + B * y_[i + 1] + ((A * A - 1) * A * m0 + (B * B - 1) * B * m1) * (h * h / 6),
          (y_[i + 1] - y_[i]) / h + ((1 - 3 * A * A) * m0 + (3 * B * B - 1) * m1) * (h / 6), A * m0 + B * m1};
}

Jet<double> Spline::operator()(double x) const {
  const double first = x_.front(), last = x_.back();
  if (x >= first && x <= last) return inside(x);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (std::isnan(x) || (!std::isfinite(x) && ends_ == Ends::periodic)) return {nan, nan, nan};
  if (ends_ == Ends::periodic) {
    const double period = last - first;
    return inside(std::clamp(x - period * std::floor((x - first) / period), first, last));
  }
  if (outside_ == Outside::error) return {nan, nan, nan};
  const double end = x < first ? first : last;
  const Jet<double> at = inside(end);
  if (outside_ == Outside::hold) return {at.value, 0, 0};
  return {at.value + at.first * (x - end), at.first, 0};
}

}  // namespace mortise::formula
