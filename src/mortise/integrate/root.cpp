#include "mortise/integrate/root.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "mortise/error.h"

namespace mortise::integrate {

namespace {

const std::string signs_name = "root.signs";

double sign_of(double g) { return g > 0 ? 1 : g < 0 ? -1 : 0; }

}  // namespace

RootFinder::RootFinder(std::vector<Witness> witnesses, int samples)
    : witnesses_(std::move(witnesses)), samples_(samples) {
  if (samples < 0) throw std::invalid_argument(fmt::format("root finder: {} samples, expected 0 or more", samples));
  for (const Witness& w : witnesses_)
    if (!w.g) throw std::invalid_argument(fmt::format("root finder: witness '{}' has no function", w.name));
  sign_.resize(witnesses_.size());
  g_a_.resize(witnesses_.size());
  g_b_.resize(witnesses_.size());
  fired_.reserve(witnesses_.size());
  fired_signs_.reserve(witnesses_.size());
}

double RootFinder::witness(int k, double t, ConstSpan y) {
  ++evaluations_;
  const double g = witnesses_[k].g(t, y);
  if (!std::isfinite(g)) {
    SolveReport report;
    report.code = "S403";
    report.time = t;
    report.message = fmt::format("the event '{}' has the value {}", witnesses_[k].name, g);
    report.details = {fmt::format("witness {} of {}", k + 1, witnesses_.size())};
    report.advice =
        "check the formula or the geometry behind this event for a division by zero or a root of a negative "
        "number";
    throw SolveError(std::move(report));
  }
  return g;
}

void RootFinder::arm(double t, ConstSpan y) {
  y_.resize(static_cast<Eigen::Index>(y.size()));
  for (int k = 0; k < static_cast<int>(witnesses_.size()); ++k) {
    g_a_[k] = witness(k, t, y);
    sign_[k] = sign_of(g_a_[k]);
  }
  searched_ = t;
}

void RootFinder::disarm(int k) {
  sign_.at(k) = 0;
  g_a_[k] = 0;
}

// From `sign` (armed) to g: a sign change, or zero reached, in the direction asked for.
bool RootFinder::wanted(int k, double sign, double g) const {
  if (sign == 0 || sign * g > 0) return false;
  switch (witnesses_[k].direction) {
    case Direction::rising:
      return sign < 0;
    case Direction::falling:
      return sign > 0;
    case Direction::any:
      break;
  }
  return true;
}

// a < b with g(a), g(b) on different sides (g(b) may be zero): the least b that rounding allows.
double RootFinder::close_in(const Integrator& integrator, int k, double a, double ga, double b, double gb) {
  const double side = sign_of(ga);
  const double resolution = 2 * unit * std::max(std::abs(a), std::abs(b));
  double width_before = b - a;
  double wa = ga, wb = gb;  // ordinates of the secant
  int secants = 0, stayed = 0;
  while (b - a > resolution) {
    double m = a + (b - a) * (wa / (wa - wb));
    if (secants == 3) {
      if (b - a > 0.125 * width_before) m = a + 0.5 * (b - a);
      secants = 0;
      width_before = b - a;
    }
    ++secants;
    // Near an end the secant repeats itself: go a resolution inward, which closes the bracket when the root is there.
    m = std::min(std::max(m, a + 0.5 * resolution), b - 0.5 * resolution);
    if (!(m > a && m < b)) m = a + 0.5 * (b - a);
    if (!(m > a && m < b)) break;
    integrator.dense(m, as_span(y_));
    const double gm = witness(k, m, as_span(y_));
    if (side * gm > 0) {
      a = m;
      wa = gm;
      if (stayed == 1) wb *= 0.5;
      stayed = 1;
    } else {
      b = m;
      wb = gm;
      if (stayed == -1) wa *= 0.5;
      stayed = -1;
    }
    if (wb == 0) wb = -side * std::numeric_limits<double>::min();
  }
  return b;
}

std::optional<Root> RootFinder::search(const Integrator& integrator) {
  const int count = static_cast<int>(witnesses_.size());
  const double begin = std::max(searched_, integrator.t_old()), end = integrator.t();
  if (!(end > begin) || count == 0) {
    searched_ = std::max(searched_, end);
    return std::nullopt;
  }
  if (y_.size() != static_cast<Eigen::Index>(integrator.y().size()))
    throw std::logic_error("root finder: arm before search");

  // A witness without a sign shows it right after the beginning: a ball that has just bounced may be down again before
  // the first regular sample.
  const bool probe = std::find(sign_.begin(), sign_.end(), 0.0) != sign_.end();
  double a = begin;
  for (int sample = probe ? 0 : 1; sample <= samples_ + 1; ++sample) {
    const double part = sample == 0 ? 0x1p-14 : double(sample) / (samples_ + 1);
    const double b = sample == samples_ + 1 ? end : begin + (end - begin) * part;
    if (!(b > a)) continue;
    integrator.dense(b, as_span(y_));
    bool any = false;
    for (int k = 0; k < count; ++k) {
      g_b_[k] = witness(k, b, as_span(y_));
      any = any || wanted(k, sign_[k], g_b_[k]);
    }
    if (any) {
      double root = b;
      for (int k = 0; k < count; ++k)
        if (wanted(k, sign_[k], g_b_[k])) {
          // A value at a that contradicts the armed sign (dense output jumps by rounding): the root is at a.
          const double ga = sign_[k] * g_a_[k] > 0 ? g_a_[k] : sign_[k] * std::numeric_limits<double>::min();
          root = std::min(root, close_in(integrator, k, a, ga, b, g_b_[k]));
        }
      // All witnesses at the root: who has changed sign fires, all know their sign there.
      integrator.dense(root, as_span(y_));
      fired_.clear();
      fired_signs_.clear();
      for (int k = 0; k < count; ++k) {
        const double g = witness(k, root, as_span(y_));
        if (wanted(k, sign_[k], g)) {
          fired_.push_back(k);
          fired_signs_.push_back(sign_[k] < 0 ? 1 : -1);
        }
        g_a_[k] = g;
        sign_[k] = sign_of(g);
      }
      searched_ = root;
      return Root{root, fired_, fired_signs_};
    }
    for (int k = 0; k < count; ++k) sign_[k] = sign_of(g_b_[k]);
    g_a_.swap(g_b_);
    a = b;
  }
  searched_ = end;
  return std::nullopt;
}

void RootFinder::save(Memory& memory) const {
  const std::size_t n = witnesses_.size();
  const Span slot = memory.slot(signs_name, 2 * n + 1);
  slot[0] = searched_;
  std::copy(sign_.begin(), sign_.end(), slot.begin() + 1);
  std::copy(g_a_.begin(), g_a_.end(), slot.begin() + 1 + n);
}

void RootFinder::load(const Memory& memory, std::size_t size_of_y) {
  const std::size_t n = witnesses_.size();
  const ConstSpan slot = memory.read(signs_name);
  if (slot.size() != 2 * n + 1)
    throw std::invalid_argument(
        fmt::format("the checkpoint holds {} event values, the model has {}", slot.size() / 2, n));
  searched_ = slot[0];
  std::copy_n(slot.begin() + 1, n, sign_.begin());
  std::copy_n(slot.begin() + 1 + n, n, g_a_.begin());
  y_.resize(static_cast<Eigen::Index>(size_of_y));
}

}  // namespace mortise::integrate
