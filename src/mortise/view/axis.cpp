#include "mortise/view/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mortise::view {

namespace {

constexpr double largest = 1e300;  // differences of such numbers are still finite
constexpr double constant_below = 1e-12;
constexpr double rounding = 1 + 1e-4;  // a step of 0.99999 is one of 1: what an offset leaves of the digits

void widen_if_constant(double& low, double& high) {
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low > constant_below * size) return;
  const double by = size > 0 ? 0.2 * size : 1;
  low -= by, high += by;
}

int exponent_of(double value) { return static_cast<int>(std::floor(std::log10(value))); }

// 10^k that is exact for k ≥ 0 as far as doubles go; pow alone may be one unit off.
double ten_to(int k) { return std::strtod(fmt::format("1e{}", k).c_str(), nullptr); }

}  // namespace

std::vector<double> nice_ticks(double low, double high, int most) {
  if (!std::isfinite(low) || !std::isfinite(high)) low = 0, high = 1;
  low = std::clamp(low, -largest, largest), high = std::clamp(high, -largest, largest);
  if (low > high) std::swap(low, high);
  if (high - low < 1e-290 && std::max(std::abs(low), std::abs(high)) < 1e-290) low = -1, high = 1;
  widen_if_constant(low, high);
  for (int decade = exponent_of((high - low) / most) - 1;; ++decade)
    for (const int digit : {1, 2, 5}) {
      // Negative decades: i · digit / 10^k is the double nearest to the decimal number, i · (digit · 10^-k) is not.
      const double scale = ten_to(std::abs(decade));
      const double step = decade < 0 ? digit / scale : digit * scale;
      const double slack = 1e-9;  // a range that ends at a tick up to rounding ends there
      const double first = std::floor(low / step + slack), last = std::ceil(high / step - slack);
      if (!(last - first + 1 <= most)) continue;
      std::vector<double> ticks;
      for (double i = first; i <= last; ++i) ticks.push_back(decade < 0 ? i * digit / scale : i * digit * scale);
      return ticks;
    }
}

std::vector<double> decade_ticks(double low, double high, int most) {
  constexpr double smallest = std::numeric_limits<double>::min();
  low = std::clamp(std::isfinite(low) ? low : 1.0, smallest, largest);
  high = std::clamp(std::isfinite(high) ? high : 1.0, low, largest);
  const int first = std::max(static_cast<int>(std::floor(std::log10(low) + 1e-9)), -308);
  const int last = std::max(static_cast<int>(std::ceil(std::log10(high) - 1e-9)), first + 1);
  for (const int step : {1, 2, 3, 4, 5, 10, 20, 50, 100, 200}) {
    const auto down = static_cast<int>(std::floor(static_cast<double>(first) / step)) * step;
    const int count = (last - down + step - 1) / step + 1;
    if (count > most) continue;
    std::vector<double> ticks;
    for (int k = 0; k < count; ++k) ticks.push_back(ten_to(std::clamp(down + k * step, -308, 308)));
    return ticks;
  }
  return {ten_to(first), ten_to(last)};
}

TickLabels tick_labels(const std::vector<double>& ticks) {
  TickLabels out;
  if (ticks.empty()) return out;
  const auto size = [&] {
    double largest_size = 0;
    for (const double t : ticks) largest_size = std::max(largest_size, std::abs(t - out.offset));
    return largest_size;
  };
  const double step =
      ticks.size() > 1 ? (ticks.back() - ticks.front()) / static_cast<double>(ticks.size() - 1) : size();
  if (!(step > 0)) {
    for (const double t : ticks) out.labels.push_back(fmt::format("{:g}", t));
    return out;
  }
  // Six digits that all ticks share are one too many to read: they move into the unit.
  if (size() / step > 1e5) out.offset = ticks.front();
  const double magnitude = size();
  const int top = exponent_of(magnitude * rounding);
  if (top >= 4 || top <= -3) out.exponent = top;
  const int decimals = std::max(0, out.exponent - exponent_of(step * rounding));
  for (const double t : ticks) {
    // In two steps: 10^309 and above is not a double.
    const double half = std::pow(10.0, -out.exponent / 2);
    std::string label =
        fmt::format("{:.{}f}", (t - out.offset) * half * std::pow(10.0, -out.exponent - (-out.exponent / 2)), decimals);
    if (label.starts_with("-")) {
      if (label.find_first_of("123456789") == std::string::npos)
        label.erase(0, 1);
      else
        label.replace(0, 1, "−");
    }
    out.labels.push_back(label);
  }
  return out;
}

std::string power_of_ten(int exponent) {
  static constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  if (exponent == 0) return "1";
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char c : std::to_string(std::abs(exponent))) text += digits[c - '0'];
  return text;
}

std::string scaled_unit(const TickLabels& labels, const std::string& unit) {
  std::string text = labels.exponent == 0 ? unit : power_of_ten(labels.exponent) + (unit.empty() ? "" : " " + unit);
  if (labels.offset == 0) return text;
  const std::string offset = fmt::format("{}{:.10g}", labels.offset < 0 ? "−" : "", std::abs(labels.offset)) +
                             (unit.empty() ? "" : " " + unit);
  return text + (text.empty() ? "above " : " above ") + offset;
}

Axis::Axis(double low, double high, double pixel_low, double pixel_high, bool log, bool fit, int most)
    : low_(low), high_(high), pixel_low_(pixel_low), pixel_high_(pixel_high), log_(log) {
  ticks_ = log ? decade_ticks(low, high, most) : nice_ticks(low, high, most);
  if (fit || !(high > low)) {
    low_ = ticks_.front(), high_ = ticks_.back();
  } else {
    const double slack = 1e-9 * (high - low);
    std::erase_if(ticks_, [&](double t) { return t < low - slack || t > high + slack; });
  }
  if (log) {
    for (const double t : ticks_) labels_.labels.push_back(power_of_ten(static_cast<int>(std::lround(std::log10(t)))));
    low_ = std::log10(low_), high_ = std::log10(high_);
  } else {
    labels_ = tick_labels(ticks_);
  }
}

double Axis::pixel(double value) const {
  if (log_) {
    if (!(value > 0)) return std::numeric_limits<double>::quiet_NaN();
    value = std::log10(value);
  }
  if (!std::isfinite(value)) return std::numeric_limits<double>::quiet_NaN();
  return pixel_low_ + (pixel_high_ - pixel_low_) * ((value / 2 - low_ / 2) / (high_ / 2 - low_ / 2));
}

}  // namespace mortise::view
