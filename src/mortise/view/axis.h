// Axes: from numbers to pixels, with ticks at numbers that people like.
#pragma once

#include <string>
#include <vector>

namespace mortise::view {

// Pixels around a drawing with axes.
inline constexpr double left_margin = 52, right_margin = 8, line_height = 18, label_size = 11;

// Multiples of 1, 2 or 5 times a power of ten that enclose [low, high]: at least 2 of them, at most `most` (≥ 3).
// An empty or tiny range is widened first: [5, 5] becomes [4, 6] or so, so that constant data has an axis.
std::vector<double> nice_ticks(double low, double high, int most = 7);
// Powers of ten that enclose [low, high], both above zero: at least 2, at most `most`.
std::vector<double> decade_ticks(double low, double high, int most = 7);

// Numbers as text, all with the same decimals. What they share is taken out: value = (label · 10^exponent) + offset.
struct TickLabels {
  std::vector<std::string> labels;
  int exponent = 0;
  double offset = 0;
};
TickLabels tick_labels(const std::vector<double>& ticks);

std::string power_of_ten(int exponent);  // "10⁻⁸"
// "10⁻⁸ J", "10⁻⁶ J above 1013.25 J"; the unit is "" for pure numbers.
std::string scaled_unit(const TickLabels& labels, const std::string& unit);

class Axis {
 public:
  // `fit`: ends at the outermost ticks; else exactly at low and high, with the ticks inside.
  Axis(double low, double high, double pixel_low, double pixel_high, bool log, bool fit, int most = 7);
  double pixel(double value) const;                                             // NaN for what a log axis cannot show
  double scale() const { return (pixel_high_ - pixel_low_) / (high_ - low_); }  // pixels a unit, of log₁₀ on a log axis
  double origin() const { return pixel_low_ - scale() * low_; }                 // the pixel of 0
  bool log() const { return log_; }
  const std::vector<double>& ticks() const { return ticks_; }
  const TickLabels& labels() const { return labels_; }

 private:
  double low_, high_, pixel_low_, pixel_high_;
  bool log_;
  std::vector<double> ticks_;
  TickLabels labels_;
};

}  // namespace mortise::view
