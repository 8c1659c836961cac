#include "mortise/integrate/basic_integrator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "mortise/error.h"

namespace mortise::integrate {

namespace {

constexpr std::size_t common_scalars = 5;  // t, t_old, evaluations, steps, failed steps

void refuse(bool wrong, const char* name, double value, const char* expected) {
  if (wrong) throw std::invalid_argument(fmt::format("integrator setting {} = {}: {}", name, value, expected));
}

}  // namespace

BasicIntegrator::BasicIntegrator(const Settings& settings, const std::string& prefix)
    : settings_(settings),
      prefix_(prefix),
      clock_name_(prefix + ".clock"),
      y_name_(prefix + ".y"),
      y_old_name_(prefix + ".y_old"),
      ydot_name_(prefix + ".ydot"),
      sizes_name_(prefix + ".sizes") {
  refuse(!(settings.tolerance > 0 && settings.tolerance <= 1), "tolerance", settings.tolerance,
         "expected a number above 0 and at most 1, such as 1e-8");
  refuse(!(settings.step >= 0 && std::isfinite(settings.step)), "step", settings.step,
         "expected 0 or a positive number");
  refuse(!(settings.max_step >= 0), "max_step", settings.max_step, "expected 0 (none) or a positive number");
  refuse(!(settings.min_step >= 0 && std::isfinite(settings.min_step)), "min_step", settings.min_step,
         "expected 0 (automatic) or a positive number");
  refuse(settings.max_step > 0 && settings.min_step > settings.max_step, "min_step", settings.min_step,
         "expected at most max_step");
  settings_.tolerance = std::max(settings.tolerance, 64 * unit);
}

void BasicIntegrator::begin(Flow& flow, double t, ConstSpan y) {
  const Eigen::Index n = flow.size();
  if (static_cast<Eigen::Index>(y.size()) != n)
    throw std::invalid_argument(fmt::format("start: y has {} components, the flow {}", y.size(), n));
  flow_ = &flow;
  t_ = t_old_ = t;
  // y may be a view of our own y_ (a restart in place): no resize happens then.
  y_old_ = as_vector(y);
  y_ = y_old_;
  ydot_.resize(n);
  sizes_.resize(n);
  inverse_weight_.resize(n);
  flow.typical_sizes(as_span(sizes_));
  for (Eigen::Index i = 0; i < n; ++i)
    if (!(sizes_[i] > 0))
      throw std::invalid_argument(
          fmt::format("typical size of component {} is {}: expected a positive number or "
                      "infinity",
                      i, sizes_[i]));
  rates(t_, y_, ydot_);
}

void BasicIntegrator::rates(double t, const Vector& y, Vector& ydot) {
  ++counters_.evaluations;
  flow_->rates(t, as_span(y), as_span(ydot));
}

void BasicIntegrator::weigh(const Vector& y) {
  inverse_weight_ = (settings_.tolerance * y.array().abs().max(sizes_.array())).inverse();
}

void BasicIntegrator::weigh(const Vector& y, const Vector& z) {
  inverse_weight_ = (settings_.tolerance * y.array().abs().max(z.array().abs()).max(sizes_.array())).inverse();
}

double BasicIntegrator::first_step(double stop, int order, Vector& scratch_y, Vector& scratch_f) {
  double longest = stop - t_;
  if (settings_.max_step > 0) longest = std::min(longest, settings_.max_step);
  const double least = least_step(stop);
  if (settings_.step > 0) return std::clamp(settings_.step, std::min(least, longest), longest);
  // Time scales of y: in which ẏ moves it by its size, and in which ÿ does. |y| has the norm 1/tolerance.
  const double tolerance = settings_.tolerance, rate = tolerance * norm(ydot_);
  const double trial = rate > 0 ? std::min(longest, 0.01 / rate) : 1e-3 * longest;
  scratch_y = y_ + trial * ydot_;
  rates(t_ + trial, scratch_y, scratch_f);
  scratch_f -= ydot_;
  const double change = std::max(rate, std::sqrt(tolerance * norm(scratch_f) / trial));
  double h = 1e-3 * longest;
  if (change > 0) h = std::min(100 * trial, std::pow(0.01 * tolerance, 1.0 / (order + 1)) / change);
  return std::clamp(h, std::min(least, longest), longest);
}

double BasicIntegrator::remaining(double stop) const {
  if (!flow_) throw std::logic_error("step before start");
  const double left = stop - t_;
  if (!(left > 0)) throw std::invalid_argument(fmt::format("step: stop = {} must lie after t = {}", stop, t_));
  return left;
}

bool BasicIntegrator::within_rounding(double stop) const {
  return stop - t_ <= 4 * unit * std::max(std::abs(t_), std::abs(stop));
}

StepReport BasicIntegrator::nudge(double stop, Vector& scratch_y, Vector& scratch_f) {
  const double h = stop - t_;
  scratch_y = y_ + h * ydot_;
  flow_->settle(stop, as_span(scratch_y));
  rates(stop, scratch_y, scratch_f);
  t_old_ = t_;
  t_ = stop;
  y_old_.swap(y_);
  y_.swap(scratch_y);
  ydot_.swap(scratch_f);
  ++counters_.steps;
  return {t_, h, 1};
}

double BasicIntegrator::fit(double h, double remaining) const {
  if (settings_.max_step > 0) h = std::min(h, settings_.max_step);
  if (remaining <= h) return remaining;
  if (remaining <= 1.05 * h && !(settings_.max_step > 0 && remaining > settings_.max_step)) return remaining;
  if (remaining < 2 * h) return 0.5 * remaining;
  return h;
}

double BasicIntegrator::least_step(double stop) const {
  if (settings_.min_step > 0) return settings_.min_step;
  return std::max(4 * unit * std::abs(t_), 1e-6 * unit * (stop - t_));
}

void BasicIntegrator::underflow(double h, double least, int order, int failures) const {
  SolveReport report;
  report.code = "S402";
  report.time = t_;
  report.message = fmt::format("the step size fell to {:.3g} s, the least one is {:.3g} s", h, least);
  report.details = {fmt::format("integrator {}, order {}, tolerance {:.3g}, {} trials of this step failed", prefix_,
                                order, settings_.tolerance, failures),
                    fmt::format("after {} steps and {} evaluations", counters_.steps, counters_.evaluations)};
  report.advice =
      "look for a jump or a singularity in a force, driver or joint near this time; a looser tolerance; integrator bdf "
      "if the model is stiff";
  throw SolveError(std::move(report));
}

bool BasicIntegrator::dense_at_ends(double t, Span y) const {
  if (!(t >= t_old_ && t <= t_))
    throw std::out_of_range(fmt::format("dense output at t = {} is outside of the last step [{}, {}]", t, t_old_, t_));
  if (static_cast<Eigen::Index>(y.size()) != y_.size())
    throw std::invalid_argument(fmt::format("dense output into {} components, the flow has {}", y.size(), y_.size()));
  if (t == t_) {
    as_vector(y) = y_;
    return true;
  }
  if (t == t_old_) {
    as_vector(y) = y_old_;
    return true;
  }
  return false;
}

void BasicIntegrator::save_common(Memory& memory, ConstSpan own) const {
  const auto write = [&](const std::string& name, const Vector& v) {
    as_vector(memory.slot(name, static_cast<std::size_t>(v.size()))) = v;
  };
  write(y_name_, y_);
  write(y_old_name_, y_old_);
  write(ydot_name_, ydot_);
  write(sizes_name_, sizes_);
  const Span clock = memory.slot(clock_name_, common_scalars + own.size());
  clock[0] = t_;
  clock[1] = t_old_;
  clock[2] = static_cast<double>(counters_.evaluations);
  clock[3] = static_cast<double>(counters_.steps);
  clock[4] = static_cast<double>(counters_.failed_steps);
  std::copy(own.begin(), own.end(), clock.begin() + common_scalars);
}

void BasicIntegrator::load_common(Flow& flow, const Memory& memory, Span own) {
  const auto n = static_cast<std::size_t>(flow.size());
  const ConstSpan clock = need(memory, clock_name_, common_scalars + own.size());
  const ConstSpan y = need(memory, y_name_, n), y_old = need(memory, y_old_name_, n);
  const ConstSpan ydot = need(memory, ydot_name_, n), sizes = need(memory, sizes_name_, n);
  y_ = as_vector(y);
  y_old_ = as_vector(y_old);
  ydot_ = as_vector(ydot);
  sizes_ = as_vector(sizes);
  inverse_weight_.resize(flow.size());
  t_ = clock[0];
  t_old_ = clock[1];
  counters_.evaluations = static_cast<long>(clock[2]);
  counters_.steps = static_cast<long>(clock[3]);
  counters_.failed_steps = static_cast<long>(clock[4]);
  std::copy(clock.begin() + common_scalars, clock.end(), own.begin());
  flow_ = &flow;
}

ConstSpan BasicIntegrator::need(const Memory& memory, const std::string& name, std::size_t size) const {
  const ConstSpan slot = memory.read(name);
  if (slot.size() != size || !memory.has(name))
    throw std::invalid_argument(
        fmt::format("the checkpoint does not fit integrator {}: slot {} holds {} numbers, expected {}", prefix_, name,
                    slot.size(), size));
  return slot;
}

}  // namespace mortise::integrate
