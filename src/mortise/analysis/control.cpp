#include "mortise/analysis/control.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace mortise::analysis {

Pid::Pid(const PidGains& gains, double period) : gains_(gains), period_(period) {
  if (!(period > 0 && std::isfinite(period)))
    throw std::invalid_argument(fmt::format("Pid: expected a period above 0, found {}", period));
  if (!(gains.filter >= 0 && std::isfinite(gains.filter) && std::isfinite(gains.p + gains.i + gains.d)))
    throw std::invalid_argument("Pid: expected finite gains and a filter of 0 s or more");
  if (!(gains.least < gains.most))
    throw std::invalid_argument(fmt::format("Pid: expected least < most, found {} and {}", gains.least, gains.most));
}

void Pid::reset() {
  begun_ = false;
  last_ = slope_ = integral_ = 0;
}

double Pid::operator()(double error) {
  if (!std::isfinite(error)) throw std::invalid_argument(fmt::format("Pid: an error of {}", error));
  double area = 0;
  if (begun_) {
    const double rate = (error - last_) / period_;
    slope_ += (rate - slope_) * period_ / (gains_.filter + period_);
    area = 0.5 * (error + last_) * period_;
  }
  begun_ = true;
  last_ = error;
  const auto output = [&](double integral) { return gains_.p * error + gains_.i * integral + gains_.d * slope_; };
  const double wanted = output(integral_ + area), push = gains_.i * area;
  if (!(wanted > gains_.most && push > 0) && !(wanted < gains_.least && push < 0)) integral_ += area;
  return std::clamp(output(integral_), gains_.least, gains_.most);
}

Sensor::Sensor(std::string quantity, const SensorSettings& settings)
    : quantity_(std::move(quantity)), settings_(settings), random_(settings.seed) {
  const bool numbers = settings.resolution >= 0 && settings.noise >= 0 && std::isfinite(settings.resolution) &&
                       std::isfinite(settings.noise);
  if (!numbers || settings.delay < 0)
    throw std::invalid_argument("Sensor: expected resolution, noise and delay of 0 or more");
}

// Two uniform numbers by SplitMix64, one normal one by Box and Muller: the same on every machine.
double Sensor::normal() {
  const auto uniform = [this] {
    std::uint64_t z = (random_ += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (static_cast<double>((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
  };
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

double Sensor::told(double exact) {
  double value = exact;
  if (settings_.noise > 0) value += settings_.noise * normal();
  if (settings_.resolution > 0) value = settings_.resolution * std::round(value / settings_.resolution);
  if (settings_.delay == 0) return value;
  waiting_.push_back(value);
  const double old = waiting_.front();
  if (waiting_.size() > static_cast<std::size_t>(settings_.delay)) waiting_.pop_front();
  return old;
}

double Sensor::read(Simulation& simulation) { return told(simulation.get(quantity_)); }

}  // namespace mortise::analysis
