#include "mortise/mechanism/curve.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

namespace mortise::mechanism {

namespace {

using Eigen::Vector3d;
using formula::Spline;

constexpr int fewest_samples = 256, most_samples = 4096;
constexpr double sharpest_turn = 0.1;  // of the tangent between two samples, in radians

// Weights of the six controls around a point of a uniform quintic B-spline, f its place between the middle two, by the
// recursion over the degree p: N_j^p = ((f + p − j) N_{j−1}^{p−1} + (1 − f + j) N_j^{p−1})/p, N_j^p' = N_{j−1}^{p−1} −
// N_j^{p−1}.
struct Weights {
  std::array<double, 6> value{1}, first{}, second{};

  explicit Weights(double f) {
    for (int p = 1; p <= 5; ++p) {
      if (p == 4) second = difference(value);
      if (p == 5) first = difference(value), second = difference(second);
      std::array<double, 6> next{};
      for (int j = 0; j <= p; ++j)
        next[at(j)] = ((f + p - j) * (j ? value[at(j - 1)] : 0) + (1 - f + j) * value[at(j)]) / p;
      value = next;
    }
  }

 private:
  static std::size_t at(int j) { return static_cast<std::size_t>(j); }
  static std::array<double, 6> difference(const std::array<double, 6>& x) {
    std::array<double, 6> out{};
    for (int j = 0; j < 6; ++j) out[at(j)] = (j ? x[at(j - 1)] : 0) - x[at(j)];
    return out;
  }
};

}  // namespace

Curve::Curve(std::vector<formula::Expression> formulas, double from, double to, bool closed)
    : dimension_(static_cast<int>(formulas.size())),
      closed_(closed),
      from_(from),
      to_(to),
      formulas_(std::move(formulas)) {
  if (!(from < to)) throw CurveError("the range of s is empty", "`from` must be below `to`");
  survey();
}

Curve::Curve(const std::vector<Vector3d>& points, int dimension, bool closed) : dimension_(dimension), closed_(closed) {
  std::vector<Vector3d> through = points;
  if (closed) through.push_back(points.front());
  std::vector<double> s{0};
  for (std::size_t i = 1; i < through.size(); ++i) {
    const double chord = (through[i] - through[i - 1]).norm();
    if (!(chord > 0)) {
      const bool last = i == points.size();
      throw CurveError(fmt::format("points {} and {} of the curve are the same", i, last ? 1 : i + 1),
                       last ? "a closed curve goes on to its first point by itself" : "leave one of them out");
    }
    s.push_back(s.back() + chord);
  }
  to_ = s.back();
  for (int k = 0; k < dimension; ++k) {
    std::vector<double> x;
    for (const Vector3d& p : through) x.push_back(p[k]);
    splines_.emplace_back(s, std::move(x), closed ? Spline::Ends::periodic : Spline::Ends::natural);
  }
  survey();
}

double Curve::within(double s) const {
  if (!closed_ || (s >= from_ && s <= to_)) return s;
  const double period = to_ - from_;
  return std::clamp(s - period * std::floor((s - from_) / period), from_, to_);
}

Curve::Jet Curve::point(double s) const {
  Jet out{Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero()};
  const double x = within(s), one = 1;
  for (int k = 0; k < dimension_; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const formula::Jet<double> f = formulas_.empty() ? splines_[i](x) : formulas_[i].along({&x, 1}, {&one, 1}, {});
    out.value[k] = f.value, out.first[k] = f.first, out.second[k] = f.second;
  }
  return out;
}

// Beyond the ends of an open curve the frame stays as it is there. What is not a number has no place on it: whoever
// asked finds that it is not finite, and names the item.
Curve::Jet Curve::frame(int k, double s) const {
  if (!std::isfinite(s)) {
    const Vector3d none = Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
    return {none, none, none};
  }
  const std::vector<Vector3d>& controls = frame_[static_cast<std::size_t>(k)];
  const auto n = static_cast<long>(controls.size());
  const double u = std::clamp((within(s) - from_) / step_, -4.0, static_cast<double>(n) + 4.0), floor = std::floor(u);
  const Weights weights(u - floor);
  Jet out{Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero()};
  for (long j = 0; j < 6; ++j) {
    const long i = static_cast<long>(floor) - 2 + j;
    const Vector3d& control = controls[static_cast<std::size_t>(closed_ ? (i + n) % n : std::clamp(i, 0L, n - 1))];
    const auto w = static_cast<std::size_t>(j);
    out.value += weights.value[w] * control;
    out.first += weights.first[w] / step_ * control;
    out.second += weights.second[w] / (step_ * step_) * control;
  }
  return out;
}

// Doubles the samples until the tangent turns little between two of them and no two pieces of the curve come so near
// that the nearest sample could belong to the wrong one.
void Curve::survey() {
  if (closed_ && !formulas_.empty()) {
    const Jet a = point(from_), b = point(to_);
    const double range = to_ - from_, size = (a.first.norm() + a.second.norm() * range) * range;
    const double gap = std::max(
        {(a.value - b.value).norm(), (a.first - b.first).norm() * range, (a.second - b.second).norm() * range * range});
    if (!(gap <= 1e-6 * size))
      throw CurveError(
          fmt::format("the curve does not close with its slope and curvature from s = {:.6g} to {:.6g}", from_, to_),
          "correct the formulas or the range, or take `closed: false`");
  }
  int count = fewest_samples;
  while (!sample(count)) count *= 2;
}

// False: more samples are needed.
bool Curve::sample(int count) {
  step_ = (to_ - from_) / count;
  const int points = closed_ ? count : count + 1;
  samples_.clear();
  std::vector<Vector3d> tangents;
  double fastest = 0, slowest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < points; ++i) {
    const double s = from_ + i * step_;
    const Jet c = point(s);
    if (!c.value.allFinite() || !c.first.allFinite() || !c.second.allFinite())
      throw CurveError(fmt::format("the curve or one of its two derivatives is not finite at s = {:.6g}", s),
                       "choose `from` and `to` so that the formulas are smooth between them");
    samples_.push_back(c.value);
    const double speed = c.first.norm();
    fastest = std::max(fastest, speed), slowest = std::min(slowest, speed);
    if (!(slowest > 1e-6 * fastest))
      throw CurveError(fmt::format("the curve stands still at s = {:.6g}", s),
                       "let x, y (, z) change with s everywhere: no cusps");
    tangents.push_back(c.first / speed);
  }
  const bool last = count >= most_samples;
  const auto parameter = [&](std::size_t i) { return from_ + static_cast<double>(i) * step_; };
  double longest = 0;
  std::vector<double> way{0};  // along the chords
  for (int i = 0; i + 1 < points + (closed_ ? 1 : 0); ++i) {
    const auto here = static_cast<std::size_t>(i), next = static_cast<std::size_t>((i + 1) % points);
    const double chord = (samples_[next] - samples_[here]).norm();
    longest = std::max(longest, chord);
    way.push_back(way.back() + chord);
    if ((tangents[next] - tangents[here]).norm() < sharpest_turn) continue;
    if (last) throw CurveError(fmt::format("the curve has a corner near s = {:.6g}", parameter(here)), "round it off");
    return false;
  }
  for (std::size_t i = 0; i < samples_.size(); ++i)
    for (std::size_t j = i + 1; j < samples_.size(); ++j) {
      const double apart = way[j] - way[i];
      if (apart < 6 * longest || (closed_ && way.back() - apart < 6 * longest)) continue;
      if ((samples_[i] - samples_[j]).squaredNorm() > 2.25 * longest * longest) continue;
      if (last)
        throw CurveError(fmt::format("the curve meets itself near s = {:.6g} and {:.6g}", parameter(i), parameter(j)),
                         closed_ ? "a point there would not know its branch: keep the branches apart"
                                 : "keep the branches apart; a curve that ends where it begins is `closed: true`");
      return false;
    }
  transport(std::move(tangents));
  return true;
}

void Curve::transport(std::vector<Vector3d> tangents) {
  const std::size_t n = tangents.size();
  std::vector<Vector3d> first(n), second(n, Vector3d::UnitZ());
  if (dimension_ == 2) {
    for (std::size_t i = 0; i < n; ++i) first[i] = second[i].cross(tangents[i]);
  } else {
    const auto carry = [](const Vector3d& m, const Vector3d& from, const Vector3d& to) {
      return Vector3d(Eigen::Quaterniond::FromTwoVectors(from, to) * m);
    };
    first[0] = tangents[0].unitOrthogonal();
    for (std::size_t i = 1; i < n; ++i) first[i] = carry(first[i - 1], tangents[i - 1], tangents[i]);
    if (closed_) {  // what is missing after one round is shared out evenly
      const Vector3d back = carry(first[n - 1], tangents[n - 1], tangents[0]);
      const double missing = std::atan2(back.cross(first[0]).dot(tangents[0]), back.dot(first[0]));
      for (std::size_t i = 0; i < n; ++i) {
        const double share = missing * static_cast<double>(i) / static_cast<double>(n);
        first[i] = Eigen::AngleAxisd(share, tangents[i]) * first[i];
      }
    }
    for (std::size_t i = 0; i < n; ++i) second[i] = tangents[i].cross(first[i]);
  }
  frame_ = {std::move(tangents), std::move(first), std::move(second)};
}

double Curve::slope(double s, const Vector3d& r, double& g) const {
  const Jet c = point(s), w = along(s);
  const Vector3d d = r - c.value;
  g = w.value.dot(d);
  return w.first.dot(d) - w.value.dot(c.first);
}

double Curve::foot(const Vector3d& r) const {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < samples_.size(); ++i)
    if (const double distance = (samples_[i] - r).squaredNorm(); distance < least) least = distance, nearest = i;
  if (!std::isfinite(least)) return nan;

  // g falls through zero between `low` and `high`; beyond the ends of an open curve these may lie far out.
  double s = from_ + static_cast<double>(nearest) * step_, low = s - step_, high = s + step_, g = 0;
  const double farthest = 8 * (to_ - from_);
  for (double reach = step_; slope(low, r, g), !(g >= 0); low -= reach, reach *= 2)
    if (!(reach < farthest)) return nan;
  for (double reach = step_; slope(high, r, g), !(g <= 0); high += reach, reach *= 2)
    if (!(reach < farthest)) return nan;

  // Newton, kept inside the bracket by halving.
  const double rounding = 2e-16 * std::max({std::abs(from_), std::abs(to_), std::abs(s)});
  for (int k = 0; k < 100; ++k) {
    const double derivative = slope(s, r, g);
    if (g == 0) break;
    (g > 0 ? low : high) = s;
    double next = s - g / derivative;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const bool done = std::abs(next - s) <= rounding;
    s = next;
    if (done) break;
  }
  return s;
}

}  // namespace mortise::mechanism
